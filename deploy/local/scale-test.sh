#!/usr/bin/env bash
# Two and three replicas of everything behind nginx, under load: checks the distribution of calls, what must happen
# once, and the cost of restarting, adding and removing replicas. SCALE_ROUNDS (10) sets the restarts per process,
# SCALE_RATE (50) the requests per second, SCALE_SECONDS (30) the duration of counting.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

prepare_stack
build_release_programs
ADFOLIO_PROGRAMS=$(target_folder)/release
export ADFOLIO_PROGRAMS
SCALE_ROUNDS=${SCALE_ROUNDS:-10} SCALE_RATE=${SCALE_RATE:-50} SCALE_SECONDS=${SCALE_SECONDS:-30} \
    exec cargo test --package adfolio-local --test system chaos::scale -- --nocapture
