#!/usr/bin/env bash
# The Rust tests, inside `adfolio-local with-servers`: with cargo-nextest if installed, otherwise with cargo.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

deploy/local/python-examples.sh

# Most tests spend much of their time waiting for servers.
threads=$(($(nproc) * 2))
export NEXTEST_TEST_THREADS=$threads RUST_TEST_THREADS=$threads

if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --workspace
    # nextest does not run documentation examples.
    cargo test --workspace --doc --quiet
else
    cargo test --workspace --no-fail-fast --lib --bins --test it
    # Each runs a whole stack, which uses all of a small machine.
    cargo test --workspace --no-fail-fast --test system -- --test-threads 1
    cargo test --workspace --doc --quiet
fi
