#!/usr/bin/env bash
# `make chaos`: everything fails for nine minutes under a whole stack of its own, on the disk. CHAOS_SEED repeats a run,
# CHAOS_SECONDS shortens it, CHAOS_DATA keeps databases and logs.
# `make defects` (`chaos.sh defects`): the same for a minute with each mistake that the services can be told to make, which
# must be noticed; DEFECT names the only one to try.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

need_toolchain
packages=$(missing_packages)
prepare_install "$packages"
install_packages "$packages"
install_web
build_web
cargo build --workspace --bins
if [ "${1:-}" = defects ]; then
    exec cargo test --package adfolio-local --test system -- --ignored chaos::defects --nocapture
fi
export CHAOS_SECONDS=${CHAOS_SECONDS:-540}
exec cargo test --package adfolio-local --test system chaos::nothing -- --nocapture
