#!/usr/bin/env bash
# Searches with libFuzzer for what breaks a parser: every target of services/fuzz, or the named ones, for ADFOLIO_FUZZ_SECONDS
# each. What it learns stays in the target folder. An input that breaks something is kept in services/fuzz/artifacts: with
# the mend it goes into the target's corpus, which `make test` runs.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

version=0.13.2
seconds=${ADFOLIO_FUZZ_SECONDS:-60}
# One input may take so long, or so much memory.
limits=(-timeout=10 -rss_limit_mb=2048)
# Without optimisation it builds in a third of the time, and checks every sum for overflow. No sanitizer: they need a nightly
# compiler and look for what safe Rust does not do.
options=(--fuzz-dir services/fuzz --dev --sanitizer none --features libfuzzer)

programs=$(cargo_tool cargo-fuzz "$version")
PATH=$programs:$PATH
targets=("$@")
if [ "$#" = 0 ]; then
    mapfile -t targets < <(ls services/fuzz/corpus)
fi
failed=0
for target in "${targets[@]}"; do
    say "── $target"
    learned=$(target_folder)/fuzz-corpus/$target
    mkdir -p "$learned"
    cargo fuzz run "${options[@]}" "$target" "$learned" "services/fuzz/corpus/$target" -- \
        "-max_total_time=$seconds" "${limits[@]}" -print_final_stats=1 || failed=1
done
exit "$failed"
