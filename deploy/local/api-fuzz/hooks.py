"""What schemathesis cannot know: the answers of the business carry their outcome in an envelope."""

import json

import schemathesis

# Calls that run by themselves, because they may end the run's own session.
ENDS_SESSIONS = "/sessions/end"


@schemathesis.serializer("application/x-ndjson", "application/jsonl")
def serialize_lines(context, value):
    """Lines of JSON are text, whatever the generator made."""
    return {"data": value if isinstance(value, (bytes, str)) else json.dumps(value)}


@schemathesis.check
def envelope_is_no_server_error(context, response, case):
    """No input yields code 500, and every refusal has a reason that the document lists for the call."""
    if not response.headers.get("content-type", [""])[0].startswith("application/json"):
        return
    envelope = json.loads(response.content)
    if not isinstance(envelope, dict) or "code" not in envelope:
        return
    if envelope["code"] == 500:
        raise AssertionError(f"envelope says 500: {envelope}")
    if envelope["code"] != 200 and response.status_code == 200:
        reason = (envelope.get("data") or {}).get("reason")
        # A made-up token was never valid. Only the run's own session can have ended, and then later calls would test
        # nothing.
        ends = case.operation.path.endswith(ENDS_SESSIONS)
        if reason == "SESSION_EXPIRED" and not ends:
            raise AssertionError("the session of this run has ended")
        named = case.operation.definition.raw.get("x-reasons", [])
        if reason not in named:
            raise AssertionError(f"reason {reason} is not documented for this call")
