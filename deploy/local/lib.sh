# Functions shared by the scripts: installing, building, tools. Sourced from any working directory.
# shellcheck shell=bash

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Check queries against the offline cache instead of a database.
export SQLX_OFFLINE=true

say() { printf '%s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# --- packages ---------------------------------------------------------------------------------------------------------

has_program() {
    local folder
    command -v "$1" >/dev/null 2>&1 && return
    for folder in /usr/sbin /usr/local/sbin /sbin; do
        [ -x "$folder/$1" ] && return
    done
    return 1
}

# A Chromium that starts. Ubuntu's chromium-browser may only print advice to install a snap, so run it.
find_chromium() {
    local name path
    for name in chromium chromium-browser google-chrome-stable google-chrome; do
        path=$(command -v "$name" 2>/dev/null) || continue
        "$path" --version >/dev/null 2>&1 || continue
        printf '%s\n' "$path"
        return
    done
    return 1
}

has_letters() {
    local language
    for language in "$@"; do
        [ -n "$(fc-list ":lang=$language" 2>/dev/null)" ] || return 1
    done
}

# The missing packages of the distribution. Looks for their files, because asking apt takes seconds.
missing_packages() {
    local found=()
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || found+=(postgresql)
    [ -x /usr/lib/rabbitmq/bin/rabbitmq-server ] || found+=(rabbitmq-server)
    has_program nginx || found+=(nginx)
    has_program setpriv || found+=(util-linux)
    has_program cc || found+=(gcc libc6-dev)
    if [ "${1:-}" = cluster ]; then
        has_program patroni || found+=(patroni)
        has_program etcd || found+=(etcd-server)
        has_program etcdctl || found+=(etcd-client)
        has_program haproxy || found+=(haproxy)
    fi
    if [ "${1:-}" = test ]; then
        # The shell is the faster one for most tests; where Chromium is there without it, Chromium serves for all.
        find_chromium >/dev/null || found+=(chromium chromium-headless-shell)
        # Without glyphs for a script, texts would be measured as empty boxes.
        has_letters zh-cn ja ko || found+=(fonts-wqy-microhei)
        has_letters th || found+=(fonts-tlwg-loma-otf)
        python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || found+=(python3-venv)
        has_program promtool || found+=(prometheus)
        # Checks payment files against the schema of ISO 20022.
        has_program xmllint || found+=(libxml2-utils)
        # README's commands use it.
        has_program jq || found+=(jq)
    fi
    printf '%s\n' "${found[*]:-}"
}

# Explains what to install by hand if the script cannot, and asks for sudo's password before other jobs write to the
# terminal.
prepare_install() {
    local packages=$1
    [ -n "$packages" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        fail "Install PostgreSQL, RabbitMQ, nginx and util-linux (for tests also Chromium, fonts, Prometheus and jq, for a cluster
Patroni, etcd and haproxy); missing: $packages.
The scripts install packages only on Debian and Ubuntu."
    fi
    say "installing: $packages"
    [ "$(id -u)" = 0 ] && return
    command -v sudo >/dev/null 2>&1 || fail "Run as root: apt-get install --no-install-recommends $packages"
    sudo -n true 2>/dev/null && return
    [ -t 0 ] || fail "sudo needs a password and there is no terminal. Run as root: apt-get install --no-install-recommends $packages"
    sudo -v
}

install_packages() {
    local packages=$1 variable settings=()
    [ -n "$packages" ] || return 0
    if [ "$(id -u)" = 0 ]; then
        # shellcheck disable=SC2086
        bash deploy/local/install-packages.sh $packages </dev/null
        return
    fi
    for variable in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
        [ -n "${!variable:-}" ] && settings+=("$variable=${!variable}")
    done
    # shellcheck disable=SC2086
    sudo -n env "${settings[@]}" bash deploy/local/install-packages.sh $packages </dev/null
}

# --- web --------------------------------------------------------------------------------------------------------------

# A digest of the files' contents; times are meaningless after a checkout.
digest() {
    find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1
}

is_current() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }

install_web() {
    local lock stamp=web/node_modules/.installed.stamp
    lock=$(digest web/package.json web/package-lock.json)
    is_current "$stamp" "$lock" && return
    # `npm ci` rejects a lock file that lacks packages of other platforms, as some registries cause; `npm install` uses
    # the same versions from the same file.
    npm --prefix web ci --loglevel=silent || npm --prefix web install --no-save --loglevel=error
    printf '%s\n' "$lock" >"$stamp"
}

# Installs the packages of another lock file below the target folder, without optional ones; prints the folder of
# programs. Bash does not end a command substitution at a failure, so a failed install must not reach the stamp.
node_tool() {
    local tool stamp wanted
    tool=$(target_folder)/$1
    stamp=$tool/.installed.stamp
    wanted=$(digest "$2/package.json" "$2/package-lock.json")
    if ! is_current "$stamp" "$wanted"; then
        rm -rf "$tool"
        mkdir -p "$tool"
        cp "$2/package.json" "$2/package-lock.json" "$tool/"
        npm --prefix "$tool" ci --omit optional --ignore-scripts --loglevel=error >&2 || return
        printf '%s\n' "$wanted" >"$stamp"
    fi
    printf '%s\n' "$tool/node_modules/.bin"
}

web_sources() {
    local path
    for path in web/src web/worker web/public web/*.html web/vite*.config.ts web/build web/package-lock.json \
        web/tsconfig*.json deploy/nginx/nginx.conf.template; do
        [ -e "$path" ] && printf '%s\n' "$path"
    done
    return 0
}

build_web() {
    local sources state stamp=web/node_modules/.built.stamp
    mapfile -t sources < <(web_sources)
    state=$(digest "${sources[@]}")
    [ -f web/dist/console.html ] && is_current "$stamp" "$state" && return
    npm --prefix web run build
    printf '%s\n' "$state" >"$stamp"
}

# --- Rust -------------------------------------------------------------------------------------------------------------

need_toolchain() {
    local program
    for program in cargo node npm; do
        command -v "$program" >/dev/null 2>&1 || fail "Install $program first; see README.md."
    done
}

# Installs and builds what a whole stack needs besides the programs.
prepare_stack() {
    local packages
    need_toolchain
    packages=$(missing_packages "${1:-}")
    prepare_install "$packages"
    install_packages "$packages"
    install_web
    build_web
}

# Whether a commit is in this clone; fetches the history of a shallow clone if it can.
has_commit() {
    git cat-file -e "$1^{commit}" 2>/dev/null \
        || { git fetch --quiet --unshallow 2>/dev/null && git cat-file -e "$1^{commit}" 2>/dev/null; }
}

# Cargo's target folder, as configured.
target_folder() {
    cargo metadata --format-version 1 --no-deps --offline | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p'
}

# The programs that `make up` runs and `make test` tests are one build in cargo's dev profile. Both lint it while it
# compiles: clippy-driver is rustc with lints, so nothing is compiled a second time for them.
lint_while_building() {
    if command -v clippy-driver >/dev/null 2>&1; then
        export RUSTC_WORKSPACE_WRAPPER=clippy-driver
    fi
}

# The example makes cargo choose the features of libraries as it does for tests: without one it leaves out what only
# tests ask for, and `make test` would compile those libraries again.
build_programs() {
    lint_while_building
    cargo build --workspace --bins --example wallet_events
}

# As they are shipped: for images, benchmarks and long runs of faults. Takes several times as long.
build_release_programs() { cargo build --release --workspace --bins; }

# Builds a program from crates.io, once, into a folder that all checkouts share; prints the folder.
cargo_tool() {
    local tool=${XDG_CACHE_HOME:-$HOME/.cache}/adfolio-tools/$1-$2 building status=0
    if [ ! -x "$tool/bin/$1" ]; then
        say "building $1 $2, once" >&2
        mkdir -p "$tool/bin"
        building=$(mktemp -d "$tool.XXXXXX")
        # A debug build takes a third of the time and is fast enough. It is not linted like the workspace.
        env -u RUSTC_WORKSPACE_WRAPPER CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR="$building/target" \
            cargo install --locked --debug --quiet --root "$building" "$1@$2" >&2 || status=$?
        # Atomically: another run may do the same at the same time.
        [ "$status" != 0 ] || mv -f "$building/bin/$1" "$tool/bin/$1"
        rm -rf "$building"
        [ "$status" = 0 ] || return "$status"
    fi
    printf '%s\n' "$tool/bin"
}

# --- Python -----------------------------------------------------------------------------------------------------------

# Creates a virtual environment below the target folder with the packages that a file pins; prints the folder of
# programs.
python_tool() {
    local tool stamp wanted
    tool=$(target_folder)/$1
    stamp=$tool/.installed.stamp
    wanted=$(digest "$2")
    if ! is_current "$stamp" "$wanted"; then
        python3 -m venv --clear "$tool" || return
        # Modules are compiled on first use; most never are.
        "$tool/bin/pip" install --quiet --no-compile --disable-pip-version-check --requirement "$2" >&2 || return
        printf '%s\n' "$wanted" >"$stamp"
    fi
    printf '%s\n' "$tool/bin"
}
