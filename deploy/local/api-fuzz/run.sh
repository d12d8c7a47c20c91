#!/usr/bin/env bash
# Sends generated requests to every call of a running stack: as a user, as a network, then as staff. Fails on any 5xx, on an
# envelope with code 500 and on a response that the OpenAPI document does not describe. Needs ADFOLIO_URL,
# ADFOLIO_ADMIN_PASSWORD, and a stack with demo data and without flood limits. ADFOLIO_FUZZ_CASES sets the random
# requests per call, in addition to those that cover its schema. With fewer than ADFOLIO_FUZZ_LEAST requests in all the
# run fails.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/../lib.sh"

programs=$(python_tool api-fuzz deploy/local/api-fuzz/requirements.txt)
cd deploy/local/api-fuzz
# Logout would end the session that all other requests need. So would repeated logins, because a new session replaces
# the user's oldest, and so does a request with the caller's own id, which the generator may have seen in an answer. The
# event stream does not end by itself.
entry='^/auth/|^/admin/login$'
sessions='/sessions/end$'
never="$entry|$sessions|/logout\$|^/(admin/)?stream\$"
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
failed=()
# The arguments after the group's name choose its calls.
try() {
    local group=$1
    "$programs/schemathesis" run "$ADFOLIO_URL/api/openapi.json" --no-color --generation-database none \
        --max-examples "${ADFOLIO_FUZZ_CASES:-5}" "${@:2}" | tee "$said/$group" || failed+=("$group")
}
# The key of a network that is made for this run.
network_key() {
    local token
    token=$(post /admin/login "{\"username\": \"admin\", \"password\": \"$ADFOLIO_ADMIN_PASSWORD\"}" token) || return
    post /admin/network/create "{\"name\": \"Fuzz\", \"source\": \"fuzz-$$-$RANDOM\"}" key -H "X-CT: $token"
}
# Prints a field of the answer's data.
post() {
    curl -fsS "$ADFOLIO_URL/api$1" -H 'Content-Type: application/json' -d "$2" "${@:4}" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["data"][sys.argv[1]])' "$3"
}
# Calls of staff come after those of users, because they change what users see. Wrong logins come last, because they
# lock this address. All groups run even if one fails.
network=$(network_key)
try users --exclude-path-regex "^/admin|^/network/|$never"
try networks --include-path-regex '^/network/' --header "X-Network-Key: $network"
try staff --include-path-regex '^/admin' --exclude-path-regex "$never"
try sessions --include-path-regex "$sessions"
try entry --include-path-regex "$entry" --exclude-path-regex '/logout$'
generated=$(sed -nE 's/^ *([0-9]+) generated.*/\1/p' "$said"/* | awk '{ sum += $1 } END { print sum + 0 }')
echo "$generated requests generated in all"
if [ "$generated" -lt "${ADFOLIO_FUZZ_LEAST:-1}" ]; then
    echo "fewer than ${ADFOLIO_FUZZ_LEAST:-1}: raise ADFOLIO_FUZZ_CASES, the random requests per call" >&2
    failed+=(count)
fi
# The first failures once more, because the end of this log is what a run of all checks shows.
for group in "${failed[@]}"; do
    [ -f "$said/$group" ] || continue
    say "── calls of $group:"
    sed -nE '/^=+ (ERRORS|FAILURES) =+$/,$p' "$said/$group" | head -n 30
done
[ "${#failed[@]}" = 0 ]
