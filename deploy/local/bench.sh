#!/usr/bin/env bash
# `make bench`: measures a whole stack of its own, built for release, whose PostgreSQL syncs to disk.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

prepare_stack
build_release_programs
exec cargo bench --workspace --bench '*' "$@"
