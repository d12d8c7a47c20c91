#!/usr/bin/env bash
# The Rust tests, inside `adfolio-local with-servers`: with cargo-nextest where there is one, else with cargo alone.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

deploy/local/python-examples.sh

# Most tests wait for servers much of their time.
threads=$(($(nproc) * 2))
export NEXTEST_TEST_THREADS=$threads RUST_TEST_THREADS=$threads

if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --workspace
    # Examples in the documentation are the one kind it leaves out.
    cargo test --workspace --doc --quiet
else
    cargo test --workspace --no-fail-fast --lib --bins --test it
    # Each runs a whole stack, which takes all of a small machine.
    cargo test --workspace --no-fail-fast --test system -- --test-threads 1
    cargo test --workspace --doc --quiet
fi
