#!/usr/bin/env bash
# Lints the crates that contain the given files; without files, those that differ from the last commit.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

files=("$@")
[ "${#files[@]}" -gt 0 ] || mapfile -t files < <(git diff --name-only HEAD)

declare -A packages=()
for file in "${files[@]}"; do
    folder=$(dirname "$file")
    while [ "$folder" != . ] && [ ! -f "$folder/Cargo.toml" ]; do
        folder=$(dirname "$folder")
    done
    [ "$folder" = . ] || packages[$(sed -n 's/^name = "\(.*\)"/\1/p' "$folder/Cargo.toml" | head -n 1)]=1
done
[ "${#packages[@]}" -gt 0 ] || exit 0

names=("${!packages[@]}")
cargo clippy "${names[@]/#/--package=}" --all-targets --locked --quiet -- -D warnings
