#!/usr/bin/env bash
# `make up`: builds what is missing, then becomes the supervisor.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

deploy/local/build.sh
exec "$(target_folder)/debug/adfolio-local" up
