#!/usr/bin/env bash
# Runs a command of the built adfolio-local.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

program=$(target_folder)/debug/adfolio-local
[ -x "$program" ] && exec "$program" "$@"
say "nothing is built yet, so nothing runs; see \`make help\`"
case ${1:-} in
down | status | cluster-down | cluster-status) ;;
*) exit 1 ;;
esac
