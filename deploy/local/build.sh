#!/usr/bin/env bash
# Installs and builds what `make up` needs: packages, programs and the web client, in parallel, each only if missing or
# old. With the argument `cluster` also the packages that `make cluster-up` needs.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

need_toolchain
packages=$(missing_packages "${1:-}")
prepare_install "$packages"
logs=$(mktemp -d)

# One job each. apt stays in the terminal's process group, because sudo needs it; the others get their own, so that
# everything they start can be ended.
install_packages "$packages" >"$logs/packages" 2>&1 &
names=([$!]=packages)
set -m
(install_web; build_web) >"$logs/web" 2>&1 &
names[$!]=web
build_programs &
names[$!]=cargo
set +m

stop_jobs() {
    local job
    for job in "${!names[@]}"; do
        if [ "${names[job]}" = packages ]; then
            # Interrupting dpkg would leave packages half configured.
            wait "$job" || true
        else
            kill -TERM -- "-$job" 2>/dev/null || true
        fi
    done
}
trap 'stop_jobs; rm -rf "$logs"; exit 130' INT TERM HUP
trap 'rm -rf "$logs"' EXIT

while [ "${#names[@]}" -gt 0 ]; do
    job=0
    status=0
    wait -n -p job "${!names[@]}" || status=$?
    name=${names[job]}
    unset "names[$job]"
    if [ "$status" != 0 ]; then
        [ -f "$logs/$name" ] && cat "$logs/$name" >&2
        stop_jobs
        fail "$name: failed"
    fi
done
