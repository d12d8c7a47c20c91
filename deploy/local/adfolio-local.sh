#!/usr/bin/env bash
# Runs a command of the built adfolio-local.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

target=$(target_folder)
for profile in release debug; do
    if [ -x "$target/$profile/adfolio-local" ]; then
        exec "$target/$profile/adfolio-local" "$@"
    fi
done
say "nothing is built yet, so nothing runs; see \`make help\`"
case ${1:-} in
down | status) ;;
*) exit 1 ;;
esac
