#!/usr/bin/env bash
# `make crash-points`: a process dies before and after every commit of every saga, relay and consumer, under a whole stack of its
# own, on the disk. CHAOS_SEED repeats a run.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

need_toolchain
packages=$(missing_packages)
prepare_install "$packages"
install_packages "$packages"
install_web
build_web
export CRASH_POINTS=${CRASH_POINTS:-all}
cargo build --workspace --bins
exec cargo test --package adfolio-local --test system chaos::crash_points -- --nocapture
