#!/usr/bin/env bash
# Checks the Rust libraries by .config/deny.toml: licences, versions and sources always, known defects and versions that were
# taken back where the list of them can be fetched. Builds cargo-deny once, into a folder that every checkout shares.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

# Later versions of the tool have other rules: a new one is a change like any other.
version=0.20.2
# The list is small; a network that swallows packets must not hold the tests up.
fetch_limit_seconds=60

tool=${XDG_CACHE_HOME:-$HOME/.cache}/adfolio-tools/cargo-deny-$version
if [ ! -x "$tool/bin/cargo-deny" ]; then
    say "building cargo-deny $version, once"
    mkdir -p "$(dirname "$tool")"
    building=$(mktemp -d "$tool.XXXXXX")
    trap 'rm -rf "$building"' EXIT
    # Unoptimised it takes a third of the time to build and two seconds to run. It is not linted like the workspace.
    env -u RUSTC_WORKSPACE_WRAPPER CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR="$building/target" \
        cargo install --locked --debug --quiet --root "$building" "cargo-deny@$version"
    mkdir -p "$tool/bin"
    # In one step: another run may do the same at the same time.
    mv -f "$building/bin/cargo-deny" "$tool/bin/cargo-deny"
fi

deny=("$tool/bin/cargo-deny" --locked --config .config/deny.toml)
"${deny[@]}" check licenses bans sources
if timeout "$fetch_limit_seconds" "${deny[@]}" fetch db 2>/dev/null; then
    "${deny[@]}" check advisories
else
    say "NOT CHECKED: advisories and yanked versions, because the advisory database cannot be fetched from here"
fi
