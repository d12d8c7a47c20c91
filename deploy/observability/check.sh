#!/usr/bin/env bash
# Whether what watches Adfolio can be relied on: promtool reads the configuration and plays the tests of every alert, check.py looks
# whether rules, tests, runbook, dashboards and the programs' own metrics fit together.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/../local/lib.sh"

command -v promtool >/dev/null 2>&1 || fail "promtool is missing: please install the package prometheus"
cd deploy/observability/prometheus
quietly() {
    local said
    said=$("$@" 2>&1) || fail "$said"
}
# Reads the rules, too.
quietly promtool check config prometheus.yml
# Each file by itself, as many at once as there are cores: together they take their time one after the other.
export -f quietly fail
printf '%s\0' tests/*.yml | xargs -0 -n 1 -P "$(nproc)" bash -c 'quietly promtool test rules "$1"' -
cd - >/dev/null

python=$(python_tool observability deploy/observability/requirements.txt)
"$python/python" deploy/observability/check.py
