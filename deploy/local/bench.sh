#!/usr/bin/env bash
# `make bench`: measures against a whole stack of its own, built for release, whose PostgreSQL waits for the disk.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

prepare_stack
build_release_programs
exec cargo bench --workspace --bench '*' "$@"
