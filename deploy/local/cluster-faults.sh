#!/usr/bin/env bash
# `make cluster-faults`: strikes a cluster with every fault and measures how it heals; CLUSTER_ROUNDS (1) times each.
# CLUSTER_FAULT selects those whose name contains it. As root also cuts machines off.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

need_toolchain
packages=$(missing_packages cluster)
prepare_install "$packages"
install_packages "$packages"
build_programs
faults=(cluster::)
[ "$EUID" = 0 ] || faults+=(--skip cut_off)
exec cargo test --package adfolio-local --test it -- --ignored --nocapture --test-threads 1 "${faults[@]}"
