#!/bin/sh
# `up` with podman-compose, in the order of docker-compose.yml. podman requires every dependency to run whenever a
# container starts, so a container that depends on a finished one-shot is never restarted. This script therefore starts
# each step without dependencies and waits for it.
#
#   ADFOLIO_SCALE_WALLET=3 deploy/docker/podman-up.sh [options of podman-compose, such as --profile observability]
set -eu
cd "$(dirname "$0")/../.."

# Longer than the first start takes on a slow machine.
LIMIT_SECONDS=180

# Unquoted, so that several options stay separate words.
# shellcheck disable=SC2086
compose() { podman-compose $options "$@"; }
options=$*

# Runs the health checks of these services' containers until all pass. podman runs them by itself only with systemd.
wait_healthy() {
    deadline=$(($(date +%s) + LIMIT_SECONDS))
    for service in "$@"; do
        for container in $(podman ps --quiet --filter "label=com.docker.compose.project=${COMPOSE_PROJECT_NAME:-adfolio}" \
            --filter "label=com.docker.compose.service=$service"); do
            until podman healthcheck run "$container" >/dev/null 2>&1; do
                if [ "$(date +%s)" -ge "$deadline" ]; then
                    echo "$service is not healthy after $LIMIT_SECONDS s" >&2
                    exit 1
                fi
                sleep 1
            done
        done
    done
}

start() {
    compose up -d --no-build --no-deps "$@"
    wait_healthy "$@"
}

compose run --rm --no-deps provision
start postgres rabbitmq
compose run --rm --no-deps prepare
services='auth plan wallet coupon notification acceptor'
for service in $services; do
    compose run --rm --no-deps "migrate-$service"
done
# shellcheck disable=SC2086
start $services
start gateway
start web
# The rest: the first member of staff, the demo data, and services of profiles.
compose up -d --no-build --no-deps
