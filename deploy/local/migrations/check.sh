#!/usr/bin/env bash
# Checks that programs of the previous release keep working during and after this release's migrations: squawk lints the
# migrations that the previous release did not have, with the rules of squawk.toml. Earlier migrations must be
# unchanged.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/../lib.sh"

# Additionally allowed with a line `-- contract: …`, which says since when nothing needs what the migration removes.
contract_rules=(
    ban-disable-trigger ban-drop-column ban-drop-constraint ban-drop-default ban-drop-function ban-drop-not-null ban-drop-table
    ban-drop-type ban-drop-view ban-new-write-restriction ban-replace-view-function ban-revoke
)
folder=deploy/local/migrations
squawk=$(python_tool migrations "$folder/requirements.txt")/squawk

lint() {
    local file=$1 options=() rule
    head -n 1 "$file" | grep -q '^-- no-transaction' && options+=(--no-assume-in-transaction)
    # Rules on the command line replace those of the file, so pass the file's as well.
    if grep -q '^-- contract: .' "$file"; then
        for rule in "${contract_rules[@]}" $(listed excluded_rules); do
            options+=(--exclude "$rule")
        done
    fi
    "$squawk" --config "$folder/squawk.toml" --reporter gcc "${options[@]}" "$file"
}

# The names in one of the lists of squawk.toml.
listed() { sed -n "/^$1 = \[/,/^\]/s/^ *\"\(.*\)\",\$/\1/p" "$folder/squawk.toml"; }

# --- the check itself -------------------------------------------------------------------------------------------------

complaints=$(lint "$folder/samples/refused.sql" || true)
missed=$(comm -23 <(grep -n ';$' "$folder/samples/refused.sql" | cut -d : -f 1 | sort) \
    <(sed -n 's/^[^:]*:\([0-9]*\):.*/\1/p' <<<"$complaints" | awk '{ print $1 + 1 }' | sort -u))
[ -z "$missed" ] || fail "squawk accepts lines $(tr '\n' ' ' <<<"$missed")of $folder/samples/refused.sql"
for sample in allowed no-transaction contract; do
    lint "$folder/samples/$sample.sql"
done
unsaid=$(mktemp)
trap 'rm -f "$unsaid"' EXIT
grep -v '^-- contract' "$folder/samples/contract.sql" >"$unsaid"
! lint "$unsaid" >/dev/null || fail "A migration that removes something passes without a contract line."

# --- the migrations ---------------------------------------------------------------------------------------------------

previous=$(cat deploy/local/previous-release)
if ! has_commit "$previous"; then
    say "NOT CHECKED: the previous release $previous (deploy/local/previous-release) is not in this clone"
    exit
fi
released=$(git ls-tree -r --name-only "$previous" services | grep '/migrations/.*\.sql$')
changed=$(git diff --name-only --diff-filter=a "$previous" -- 'services/*/migrations/*.sql')
[ -z "$changed" ] || fail "Released migrations must not change; these differ from $previous: $changed"

status=0
for file in services/*/migrations/*.sql; do
    ! grep -qxF "$file" <<<"$released" || continue
    newest=$(grep "^$(dirname "$file")/" <<<"$released" | sort | tail -n 1)
    if [[ ! $file > $newest ]]; then
        say "$file: its number must be above that of $newest, which is already released" >&2
        status=1
    fi
    lint "$file" || status=1
done
[ "$status" = 0 ] || fail "See docs/migrations.md."
