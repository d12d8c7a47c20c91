#!/usr/bin/env bash
# `make test`: runs all stages, or the named ones, in parallel where they do not disturb each other. Ends with a
# summary.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/lib.sh"

# The stages, each list in sequence: Rust's in the foreground, the web's and the other checks beside them with what
# processor time is left. Last come those that need a whole stack, each its own: the fuzzing beside the journeys.
rust_stages=(fmt clippy rust-build rust-test)
web_stages=(web-install buf asyncapi web-lint web-types web-test web-build web-size sbom web-matrix)
check_stages=(typos containers deny manifests observability migrations)
fuzz_stages=(api-fuzz)
journey_stages=(readme four-eyes e2e)

# --- the stages -------------------------------------------------------------------------------------------------------

stage_fmt() { cargo fmt --all --check; }
# Only when named: a full run lints while it builds.
stage_clippy() { cargo clippy --workspace --all-targets --locked --quiet -- -D warnings; }
stage_rust_build() {
    # Tests that run whole stacks start the programs. Benchmarks are built so that they keep compiling. Cargo repeats
    # the warnings of what it does not build again.
    local output=$results/rust-build.out status=0
    cargo test --workspace --all-targets --no-run --quiet --color never 2>"$output" || status=$?
    cat "$output"
    ! grep -q '^warning' "$output" || fail "warnings count as errors here"
    return "$status"
}
stage_rust_test() { local_program with-servers -- deploy/local/rust-test.sh; }
stage_web_install() { install_web; }
stage_buf() { (cd proto && ../web/node_modules/.bin/buf lint); }
stage_asyncapi() { npm --prefix web run --silent asyncapi; }
stage_web_lint() { npm --prefix web run --silent lint; }
stage_web_types() { npm --prefix web run --silent typecheck; }
stage_web_test() { npm --prefix web run --silent test; }
stage_web_build() { build_web; }
stage_deny() { deploy/local/deny.sh; }
stage_sbom() { deploy/local/sbom/make.sh; }
stage_manifests() { deploy/k8s/check.sh; }
stage_migrations() { await_packages && deploy/local/migrations/check.sh; }
stage_observability() { await_packages && deploy/observability/check.sh; }
# Lints the Dockerfile and the compose file; builds and starts nothing.
stage_containers() {
    local tools
    tools=$(python_tool containers deploy/docker/requirements.txt)
    "$tools/check-jsonschema" --quiet --builtin-schema vendor.compose-spec docker-compose.yml
    "$tools/hadolint" deploy/docker/Dockerfile
}
stage_typos() {
    local tools
    tools=$(python_tool typos deploy/local/typos/requirements.txt)
    "$tools/typos" --config .config/typos.toml
}
stage_web_size() { npm --prefix web run --silent size; }
# Another job installs the packages, which is not a child of the stage's shell.
await_packages() { tail --pid="$installing" -f /dev/null; }
need_browser() {
    local chromium
    await_packages
    if chromium=$(find_chromium); then
        export ADFOLIO_CHROMIUM=$chromium
    else
        web/node_modules/.bin/playwright install chromium
    fi
}
# As root Chromium raises the priority of its own processes, which then take the processors from the build beside them.
at_given_priority() {
    if [ "$EUID" = 0 ]; then
        setpriv --bounding-set -sys_nice --inh-caps -sys_nice -- "$@"
    else
        "$@"
    fi
}
stage_web_matrix() {
    need_browser
    at_given_priority npm --prefix web run --silent matrix
}
stage_readme() {
    await_packages
    local_program with-stack -- deploy/local/readme.sh
}
# Two members of staff decide what takes two, in two browsers.
stage_four_eyes() {
    need_browser
    ADFOLIO_DEMO=1 local_program with-stack -- npm --prefix web run --silent four-eyes
    # In production nobody of staff does anything without a second factor.
    ADFOLIO_DEMO=1 SECOND_FACTOR=required local_program with-stack -- npm --prefix web run --silent second-factor
}
stage_e2e() {
    need_browser
    # One admin does everything in these journeys; `four-eyes` and the contract walk have two.
    ADFOLIO_DEMO=1 FOUR_EYES_ABOVE=off IMPORT_RELEASE=single local_program with-stack -- npm --prefix web run --silent e2e
}

stage_api_fuzz() {
    export ADFOLIO_DEMO=1 FOUR_EYES_ABOVE=off IMPORT_RELEASE=single
    export FLOOD_LIMIT_PER_SECOND=0 FLOOD_LIMIT_SESSION_PER_SECOND=0
    local_program with-stack -- deploy/local/api-fuzz/run.sh
}

# The stages that a stage depends on.
needs() {
    case $1 in
        rust-test) echo "packages rust-build" ;;
        observability | migrations) echo packages ;;
        api-fuzz) echo "packages rust-build web-build" ;;
        buf | asyncapi | web-lint | web-types | web-test | web-build | sbom) echo web-install ;;
        web-size) echo web-build ;;
        web-matrix) echo "packages web-build" ;;
        readme | four-eyes | e2e) echo "packages rust-build web-build" ;;
    esac
}

# --- running them -----------------------------------------------------------------------------------------------------

local_program() { "$(target_folder)/debug/adfolio-local" "$@"; }
is_wanted() { [ "${#wanted[@]}" = 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]]; }

# Runs one stage and records the outcome. The stage is a job of its own, because `set -e` does not apply to a function
# that is called in a condition.
run_stage() {
    local stage=$1 need began=$SECONDS status=0 outcome=ok
    for need in $(needs "$stage"); do
        if [ -f "$results/$need" ] && ! grep -q '^ok' "$results/$need"; then
            printf 'skipped 0 (%s did not pass)\n' "$need" >"$results/$stage"
            return
        fi
    done
    say "── $stage"
    { "stage_${stage//-/_}" 2>&1 | tee "$results/$stage.log"; } &
    wait $! || status=$?
    [ "$status" = 0 ] || outcome=FAILED
    printf '%s %s\n' "$outcome" "$((SECONDS - began))" >"$results/$stage"
    [ "$outcome" = ok ] || say "── $stage FAILED"
}

run_stages() {
    local stage
    for stage in "$@"; do
        if is_wanted "$stage"; then
            run_stage "$stage"
        fi
    done
}

# The same for stages beside Rust's, which decide how long a run takes.
run_stages_beside() {
    renice -n 5 -p "$BASHPID" >/dev/null
    run_stages "$@"
}

stage_packages() { install_packages "$packages"; }

summary() {
    local stage outcome seconds reason failed=()
    say ""
    say "── summary"
    for stage in packages "${web_stages[@]}" "${check_stages[@]}" "${rust_stages[@]}" "${fuzz_stages[@]}" \
        "${journey_stages[@]}"; do
        [ -f "$results/$stage" ] || continue
        read -r outcome seconds reason <"$results/$stage"
        printf '   %-8s %-13s %5s s  %s\n' "$outcome" "$stage" "$seconds" "$reason"
        [ "$outcome" = ok ] || failed+=("$stage")
    done
    printf '   %-8s %-13s %5s s\n' "$([ "${#failed[@]}" = 0 ] && echo passed || echo FAILED)" total "$SECONDS"
    # What went wrong, where a reader looks first.
    for stage in "${failed[@]}"; do
        [ -f "$results/$stage.log" ] || continue
        say ""
        say "── $stage FAILED; its last lines:"
        tail -n 60 "$results/$stage.log"
    done
    [ "${#failed[@]}" = 0 ]
}

# Ends a job with all its processes, so that an interrupted run leaves none behind.
end_tree() {
    local child
    for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
        end_tree "$child"
    done
    kill -TERM "$1" 2>/dev/null || true
}

interrupted() {
    local job
    for job in $(jobs -p); do
        end_tree "$job"
    done
    wait || true
    exit 130
}

need_toolchain
if [ "${1:-}" = --fix ]; then
    install_web
    cargo fmt --all
    npm --prefix web run --silent format
    exit
fi
wanted=("$@")
# Installing is implied.
for stage in "$@"; do
    case $stage in
        web-matrix) wanted+=(web-install packages) ;;
        buf | asyncapi | web-*) wanted+=(web-install) ;;
        rust-test | observability | migrations) wanted+=(packages) ;;
        api-fuzz | four-eyes | e2e) wanted+=(web-install packages) ;;
    esac
done
cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
cargo clippy --version >/dev/null 2>&1 || rustup component add clippy

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
trap interrupted INT TERM HUP

packages=
if is_wanted packages; then
    packages=$(missing_packages test)
    prepare_install "$packages"
fi
run_stages packages >"$results/packages.out" 2>&1 &
installing=$!
run_stages_beside "${web_stages[@]}" >"$results/web.out" 2>&1 &
web=$!
run_stages_beside "${check_stages[@]}" >"$results/checks.out" 2>&1 &
checks=$!

run_stages fmt
[ "${#wanted[@]}" = 0 ] || run_stages clippy
lint_while_building
run_stages rust-build
wait "$installing"
if [ -f "$results/packages" ] && ! grep -q '^ok' "$results/packages"; then
    cat "$results/packages.out"
fi
# The browsers would take the processors from whole stacks under faults, which then answer too little.
wait "$web"
run_stages rust-test
wait "$checks"
cat "$results/web.out" "$results/checks.out"
if [ "${#wanted[@]}" = 0 ]; then
    run_stages_beside "${fuzz_stages[@]}" >"$results/fuzz.out" 2>&1 &
    fuzz=$!
    run_stages "${journey_stages[@]}"
    wait "$fuzz"
    cat "$results/fuzz.out"
else
    # Named stages show what they do.
    run_stages "${fuzz_stages[@]}" "${journey_stages[@]}"
fi
summary
