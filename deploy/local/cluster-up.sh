#!/usr/bin/env bash
# `make cluster-up`: installs and builds what is missing, then becomes the supervisor of a cluster.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

deploy/local/build.sh cluster
exec "$(target_folder)/debug/adfolio-local" cluster-up
