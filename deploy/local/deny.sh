#!/usr/bin/env bash
# Checks the Rust libraries against .config/deny.toml: licences, versions and sources always, advisories and yanked
# versions if the advisory database can be fetched.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

# Pinned, because later versions have other rules.
version=0.20.2
# The database is small. A network that drops packets must not block the tests.
fetch_limit_seconds=60

programs=$(cargo_tool cargo-deny "$version")
deny=("$programs/cargo-deny" --locked --config .config/deny.toml)
"${deny[@]}" check licenses bans sources
if timeout "$fetch_limit_seconds" "${deny[@]}" fetch db 2>/dev/null; then
    "${deny[@]}" check advisories
else
    say "NOT CHECKED: advisories and yanked versions, because the advisory database cannot be fetched from here"
fi
