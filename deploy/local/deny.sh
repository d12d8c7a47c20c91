#!/usr/bin/env bash
# Checks the Rust libraries by .config/deny.toml: licences, versions and sources always, known defects and versions that were
# taken back where the list of them can be fetched.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

# Later versions of the tool have other rules: a new one is a change like any other.
version=0.20.2
# The list is small; a network that swallows packets must not hold the tests up.
fetch_limit_seconds=60

programs=$(cargo_tool cargo-deny "$version")
deny=("$programs/cargo-deny" --locked --config .config/deny.toml)
"${deny[@]}" check licenses bans sources
if timeout "$fetch_limit_seconds" "${deny[@]}" fetch db 2>/dev/null; then
    "${deny[@]}" check advisories
else
    say "NOT CHECKED: advisories and yanked versions, because the advisory database cannot be fetched from here"
fi
