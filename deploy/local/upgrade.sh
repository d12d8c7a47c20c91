#!/usr/bin/env bash
# Upgrades from the release in deploy/local/previous-release to this one and back, replica by replica under load. Builds
# the programs of both; building the previous ones takes minutes, once.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

prepare_stack
commit=$(cat deploy/local/previous-release)
has_commit "$commit" || fail \
    "The previous release $commit, which deploy/local/previous-release names, is not in this clone"
folder=$(target_folder)/previous-release
if ! is_current "$folder/.built.stamp" "$commit"; then
    say "building the previous release, $commit"
    rm -rf "$folder/tree"
    mkdir -p "$folder/tree"
    # With the current time: cargo skips sources that are older than its last build, even from another commit.
    git archive "$commit" | tar -x -m -C "$folder/tree"
    env -u RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_DIR="$folder/target" CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0 \
        cargo build --locked --workspace --bins --manifest-path "$folder/tree/Cargo.toml"
    printf '%s\n' "$commit" >"$folder/.built.stamp"
fi

build_programs
export ADFOLIO_PREVIOUS_PROGRAMS=$folder/target/debug
exec cargo test --package adfolio-local --test system -- --ignored chaos::upgrade --nocapture
