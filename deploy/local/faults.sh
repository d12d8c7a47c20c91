#!/usr/bin/env bash
# Long runs of faults, each on a whole stack of its own, on disk. CHAOS_SEED repeats a run.
#   faults.sh chaos         everything fails for nine minutes (CHAOS_SECONDS); CHAOS_DATA keeps databases and logs
#   faults.sh failover      a standby takes over again and again for ten minutes (FAILOVER_SECONDS)
#   faults.sh cluster       two hundred faults (CLUSTER_FAULTS) of three machines; as root also machines that are cut off
#   faults.sh outage        no RabbitMQ for five minutes (OUTAGE_SECONDS) under load (OUTAGE_PAUSE_MS)
#   faults.sh defects       a minute of chaos with each defect that the services can simulate; DEFECT selects one
#   faults.sh crash-points  a process dies before and after every commit of every saga, relay and consumer
# The first four run the release build, the others the test build: only that contains defects and crash points.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

case ${1:-} in
chaos | failover | cluster | outage | defects | crash-points) ;;
*) fail "usage: faults.sh chaos|failover|cluster|outage|defects|crash-points" ;;
esac
# The packages of a cluster are for it alone.
prepare_stack "$1"
run() {
    exec cargo test --package adfolio-local --test system "$@" --nocapture
}
case $1 in
chaos | failover | cluster | outage)
    build_release_programs
    ADFOLIO_PROGRAMS=$(target_folder)/release
    export ADFOLIO_PROGRAMS
    ;;
*) build_programs ;;
esac
case $1 in
chaos) CHAOS_SECONDS=${CHAOS_SECONDS:-540} run chaos::nothing -- ;;
failover) FAILOVER_SECONDS=${FAILOVER_SECONDS:-600} run chaos::failover -- ;;
cluster) run -- --ignored chaos::cluster ;;
outage) OUTAGE_SECONDS=${OUTAGE_SECONDS:-300} run chaos::outage -- ;;
defects) run -- --ignored chaos::defects ;;
crash-points) CRASH_POINTS=${CRASH_POINTS:-all} run chaos::crash_points -- ;;
esac
