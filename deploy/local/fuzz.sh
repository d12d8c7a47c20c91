#!/usr/bin/env bash
# Fuzzes parsers with libFuzzer: every target of services/fuzz, or the named ones, for ADFOLIO_FUZZ_SECONDS each. The
# grown corpus stays in the target folder. An input that breaks a parser is kept in services/fuzz/artifacts. Add it to
# the target's corpus together with the fix; `make test` runs the corpus.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

version=0.13.2
seconds=${ADFOLIO_FUZZ_SECONDS:-60}
# Limits for one input.
limits=(-timeout=10 -rss_limit_mb=2048)
# A debug build takes a third of the time and checks for overflow. No sanitizers: they need a nightly compiler and find
# errors that safe Rust does not have.
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
