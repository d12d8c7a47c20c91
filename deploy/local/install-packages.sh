#!/usr/bin/env bash
# Installs the given packages as root. Their servers are neither started nor enabled at boot: Adfolio runs its own, and
# other servers on this machine stay as they are.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

policy=/usr/sbin/policy-rc.d
saved_policy=$policy.before-adfolio
cluster_switch=/etc/postgresql-common/createcluster.d/adfolio-install.conf

restore() {
    rm -f "$cluster_switch" "$policy"
    if [ -e "$saved_policy" ]; then
        mv -f "$saved_policy" "$policy"
    fi
}

# Debian's policy file that forbids starting services during installation. A saved copy exists only if an earlier run
# was killed; then the copy is the machine's own file.
if [ -e "$policy" ] && [ ! -e "$saved_policy" ]; then
    mv "$policy" "$saved_policy"
fi
trap restore EXIT
trap 'exit 130' INT TERM
printf '#!/bin/sh\nexit 101\n' >"$policy"
chmod 755 "$policy"
# Otherwise PostgreSQL's package creates a cluster that starts at boot.
mkdir -p "$(dirname "$cluster_switch")"
printf 'create_main_cluster = false\n' >"$cluster_switch"

new_services=()
for package in "$@"; do
    case $package in
        postgresql) new_services+=(postgresql) ;;
        rabbitmq-server) new_services+=(rabbitmq-server) ;;
        nginx) new_services+=(nginx) ;;
        prometheus) new_services+=(prometheus) ;;
        patroni) new_services+=(patroni) ;;
        etcd-server) new_services+=(etcd) ;;
        haproxy) new_services+=(haproxy) ;;
    esac
done
# RabbitMQ depends on Erlang, whose port mapper is a service of its own.
command -v epmd >/dev/null 2>&1 || new_services+=(epmd.service epmd.socket)

wait_for_lock=(-o DPkg::Lock::Timeout=300)
quiet=(-qq -o Dpkg::Use-Pty=0)
# A mirror that is down does not matter if the present package lists suffice.
apt-get "${quiet[@]}" "${wait_for_lock[@]}" update || echo "apt-get update failed; using the present package lists" >&2

available=()
for package in "$@"; do
    # Ubuntu has Chromium only as a snap; then the tests let Playwright download one.
    if [[ "$package" = chromium* && "$(apt-cache policy "$package")" != *'Candidate: '[0-9]* ]]; then
        continue
    fi
    available+=("$package")
done
if [ "${#available[@]}" -gt 0 ]; then
    apt-get "${quiet[@]}" "${wait_for_lock[@]}" install --yes --no-install-recommends "${available[@]}"
fi

if command -v systemctl >/dev/null 2>&1; then
    for service in "${new_services[@]}"; do
        systemctl disable --quiet "$service" >/dev/null 2>&1 || true
    done
fi
