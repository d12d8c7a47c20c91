#!/usr/bin/env bash
# Runs one command of adfolioctl in the cluster, as a Job with its own certificate, and prints its output:
#
#     deploy/k8s/adfolioctl.sh wallet reconcile
#
# It reads no standard input and only the files of the Job. It fails when the command fails.
set -euo pipefail

[ $# -gt 0 ] || { echo "usage: $0 COMMAND OF ADFOLIOCTL..." >&2; exit 2; }
namespace=adfolio
name=adfolioctl-$(date +%s)-$RANDOM
arguments=$(python3 -c 'import json, sys; print(json.dumps(sys.argv[1:]))' "$@")
kubectl kustomize "$(dirname "$0")/adfolioctl" |
    kubectl patch --local --filename - --output yaml --type json --patch "[
        {\"op\": \"replace\", \"path\": \"/metadata/name\", \"value\": \"$name\"},
        {\"op\": \"replace\", \"path\": \"/spec/template/spec/containers/0/args\", \"value\": $arguments}
    ]" |
    kubectl create --filename -
kubectl --namespace "$namespace" logs --follow --pod-running-timeout 2m "job/$name"
kubectl --namespace "$namespace" wait --for condition=Complete --timeout 10s "job/$name" >/dev/null
