#!/usr/bin/env bash
# Two and three replicas of everything behind nginx, under load: who takes what, what is done once, and what a restart, a new replica
# and one less cost. SCALE_ROUNDS (10) says how often each process is restarted, SCALE_RATE (50) how many requests a second there are,
# SCALE_SECONDS (30) for how long is counted.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

prepare_stack
build_release_programs
ADFOLIO_PROGRAMS=$(target_folder)/release
export ADFOLIO_PROGRAMS
SCALE_ROUNDS=${SCALE_ROUNDS:-10} SCALE_RATE=${SCALE_RATE:-50} SCALE_SECONDS=${SCALE_SECONDS:-30} \
    exec cargo test --package adfolio-local --test system chaos::scale -- --nocapture
