#!/usr/bin/env bash
# Long runs of faults, each under a whole stack of its own, on the disk. CHAOS_SEED repeats one.
#   faults.sh chaos         everything fails for nine minutes; CHAOS_SECONDS says for how long, CHAOS_DATA keeps databases and logs
#   faults.sh outage        no RabbitMQ for five minutes under load; OUTAGE_SECONDS says for how long, OUTAGE_PAUSE_MS how much load
#   faults.sh defects       a minute of chaos with each mistake that the services can be told to make; DEFECT names the only one
#   faults.sh crash-points  a process dies before and after every commit of every saga, relay and consumer
# The first two are about the programs as they are released, the others about those that tests are built with: only they have
# mistakes to make and points to die at.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

case ${1:-} in
chaos | outage | defects | crash-points) ;;
*) fail "Which faults? chaos, outage, defects or crash-points." ;;
esac
prepare_stack
run() {
    exec cargo test --package adfolio-local --test system "$@" --nocapture
}
case $1 in
chaos | outage)
    build_release_programs
    ADFOLIO_PROGRAMS=$(target_folder)/release
    export ADFOLIO_PROGRAMS
    ;;
*) build_programs ;;
esac
case $1 in
chaos) CHAOS_SECONDS=${CHAOS_SECONDS:-540} run chaos::nothing -- ;;
outage) OUTAGE_SECONDS=${OUTAGE_SECONDS:-300} run chaos::outage -- ;;
defects) run -- --ignored chaos::defects ;;
crash-points) CRASH_POINTS=${CRASH_POINTS:-all} run chaos::crash_points -- ;;
esac
