#!/usr/bin/env bash
# Installs the given packages as root. The servers in them are neither started nor left to start at boot: Adfolio runs its
# own, and whatever else runs on this machine stays as it is.
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

# Debian's way of saying that no service may be started by an installation. A saved one is there only if an earlier run was
# killed: it, not the file in place, is the machine's own.
if [ -e "$policy" ] && [ ! -e "$saved_policy" ]; then
    mv "$policy" "$saved_policy"
fi
trap restore EXIT
trap 'exit 130' INT TERM
printf '#!/bin/sh\nexit 101\n' >"$policy"
chmod 755 "$policy"
# Without this PostgreSQL's package makes a database cluster that starts at boot.
mkdir -p "$(dirname "$cluster_switch")"
printf 'create_main_cluster = false\n' >"$cluster_switch"

new_services=()
for package in "$@"; do
    case $package in
        postgresql) new_services+=(postgresql) ;;
        rabbitmq-server) new_services+=(rabbitmq-server) ;;
        nginx) new_services+=(nginx) ;;
        prometheus) new_services+=(prometheus) ;;
    esac
done
# RabbitMQ brings Erlang, whose port mapper is a service of its own.
command -v epmd >/dev/null 2>&1 || new_services+=(epmd.service epmd.socket)

wait_for_lock=(-o DPkg::Lock::Timeout=300)
quiet=(-qq -o Dpkg::Use-Pty=0)
# A mirror that is down must not matter if the lists are good enough.
apt-get "${quiet[@]}" "${wait_for_lock[@]}" update || echo "apt-get update failed, going on with the lists there are" >&2

available=()
for package in "$@"; do
    # Ubuntu has Chromium as a snap only; the tests then let Playwright fetch one.
    if [ "$package" = chromium ] && [[ "$(apt-cache policy chromium)" != *'Candidate: '[0-9]* ]]; then
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
