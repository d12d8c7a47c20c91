#!/usr/bin/env bash
# Installs what the example consumers in Python need, for the tests that run them.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

python_tool wallet-events proto/examples/requirements.txt >/dev/null
