#!/usr/bin/env bash
# Checks the monitoring: promtool validates the configuration and runs the tests of every alert; check.py compares
# rules, tests, runbook, dashboards and the programs' own metrics.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/../local/lib.sh"

command -v promtool >/dev/null 2>&1 || fail "promtool is missing: install the package prometheus"
cd deploy/observability/prometheus
quietly() {
    local said
    said=$("$@" 2>&1) || fail "$said"
}
# Reads the rules as well.
quietly promtool check config prometheus.yml
# One process per file and core: a single promtool runs all files in sequence.
export -f quietly fail
printf '%s\0' tests/*.yml | xargs -0 -n 1 -P "$(nproc)" bash -c 'quietly promtool test rules "$1"' -
cd - >/dev/null

python=$(python_tool observability deploy/observability/requirements.txt)
"$python/python" deploy/observability/check.py
