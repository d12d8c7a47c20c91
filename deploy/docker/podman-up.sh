#!/bin/sh
# `up` with podman-compose, in the order that docker-compose.yml says. podman-compose passes dependencies on to podman as
# containers that must run whenever a container starts: what depends on one that has done its work and ended is then never
# started again when it dies. So nothing is named as a dependency here, and each step is waited for.
#
#   ADFOLIO_SCALE_WALLET=3 deploy/docker/podman-up.sh [options of podman-compose, such as --profile observability]
set -eu
cd "$(dirname "$0")/../.."

# More than a first start takes on a slow machine.
LIMIT_SECONDS=180

# Words of their own: what was given to this script.
# shellcheck disable=SC2086
compose() { podman-compose $options "$@"; }
options=$*

# Asks the containers of these services by their own health check until all are well; podman itself asks only beside systemd.
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
start auth plan wallet coupon notification acceptor
start gateway
start web
# What is left: the first member of staff, the demo data, and what a profile adds.
compose up -d --no-build --no-deps
