#!/usr/bin/env bash
# Runs the commands of README's section "Money, once through" against a running stack with demo data. Needs ADFOLIO_URL.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk '/^## / { here = /^## Money, once through/ } here && /^```$/ { exit } here && inside; here && /^```sh$/ { inside = 1 }' \
    README.md >"$folder/commands.sh"
[ -s "$folder/commands.sh" ] || fail "README.md has no such commands"
cd "$folder"
# The commands print what is refused; in the end the plan is settled.
echo '[ "$(call "/plan/order/list" "$demo" | jq -r ".items[] | select(.id == $id) | .status")" = settled ]' >>commands.sh
bash -euo pipefail commands.sh
