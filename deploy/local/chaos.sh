#!/usr/bin/env bash
# `make chaos`: everything fails for nine minutes under a whole stack of its own, on the disk. CHAOS_SEED repeats a run,
# CHAOS_SECONDS shortens it, CHAOS_DATA keeps databases and logs.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

need_toolchain
packages=$(missing_packages)
prepare_install "$packages"
install_packages "$packages"
install_web
build_web
export CHAOS_SECONDS=${CHAOS_SECONDS:-540}
cargo build --workspace --bins
exec cargo test --package adfolio-local --test system chaos::nothing -- --nocapture
