#!/usr/bin/env bash
# Prints the alerts of deploy/observability/prometheus/rules as PrometheusRules for the Prometheus operator:
#
#     deploy/k8s/rules.sh | kubectl apply -n adfolio -f -
set -euo pipefail

folder=${1:-$(dirname "$0")/../observability/prometheus/rules}
shopt -s nullglob
files=("$folder"/*.yml "$folder"/*.yaml)
[ "${#files[@]}" -gt 0 ] || { echo "no rules in $folder" >&2; exit 1; }
for file in "${files[@]}"; do
    name=$(basename "${file%.y*ml}" | tr '[:upper:]_' '[:lower:]-')
    printf -- '---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: adfolio-%s\n' "$name"
    printf '  labels: {app.kubernetes.io/part-of: adfolio}\nspec:\n'
    # Blank lines stay blank; a file is one document.
    sed -e '/^---$/d' -e 's/^\(.\)/  \1/' "$file"
done
