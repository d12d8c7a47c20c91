#!/usr/bin/env bash
# Tries every call of a running stack with generated requests, first as a user, then as staff; fails on any 5xx, on an
# envelope that says 500 and on an answer that the OpenAPI document does not describe. Expects ADFOLIO_URL and
# ADFOLIO_ADMIN_PASSWORD, and a stack with demo data and without flood limits. ADFOLIO_FUZZ_CASES is how many random
# requests each call gets beside those that cover its schema; with fewer than ADFOLIO_FUZZ_LEAST in all the run fails.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/../lib.sh"

programs=$(python_tool api-fuzz deploy/local/api-fuzz/requirements.txt)
cd deploy/local/api-fuzz
# Logging out would end the session that all other requests need; so would logging in again and again, for a user's oldest
# session makes room for the newest. The stream of events does not end by itself.
entry='^/auth/|^/admin/login$'
never="$entry|/logout\$|^/stream\$"
said=$(mktemp)
trap 'rm -f "$said"' EXIT
try() {
    "$programs/schemathesis" run "$ADFOLIO_URL/api/openapi.json" --no-color --generation-database none \
        --max-examples "${ADFOLIO_FUZZ_CASES:-5}" "$@" | tee -a "$said"
}
# Staff may change what users see, so theirs come after the users'; the wrong logins come last, for enough of them keep this
# address from logging in at all. All are tried in any case.
failed=0
try --exclude-path-regex "^/admin|$never" || failed=1
try --include-path-regex '^/admin' --exclude-path-regex "$never" || failed=1
try --include-path-regex "$entry" --exclude-path-regex '/logout$' || failed=1
generated=$(sed -nE 's/^ *([0-9]+) generated.*/\1/p' "$said" | awk '{ sum += $1 } END { print sum + 0 }')
echo "$generated requests generated in all"
if [ "$generated" -lt "${ADFOLIO_FUZZ_LEAST:-1}" ]; then
    echo "fewer than ${ADFOLIO_FUZZ_LEAST:-1}: ADFOLIO_FUZZ_CASES says how many random ones each call gets" >&2
    failed=1
fi
exit "$failed"
