#!/usr/bin/env bash
# Installs the packages of the Python example consumers, for the tests that run them.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

python_tool wallet-events proto/examples/requirements.txt >/dev/null
