#!/usr/bin/env python3
"""Follows the wallet's stream from its beginning, checks every user's hash chain and rebuilds all balances.

    pip install -r requirements.txt
    ./wallet_events.py --state balances.json

What it relies on, and what your own consumer should do as well:

- The broker does not remember a reader's offset. Offset and balances are in one file that is replaced atomically. Whenever
  this program dies, even by `kill -9`, the next start continues without losing or doubling anything.
- Delivery is at least once: events that a user's sequence shows as known are skipped. After a failure events may arrive
  before a missing one; they arrive again after it.
- The stream keeps 30 days. If older events are gone, a user's balances start from the first event.
- After a restore of the databases the stream is a new one without history. Events read from the old one may never have
  happened: start with a new file and --from-middle.
- Any broker error ends the program; let a supervisor restart it.

The file is the same as that of wallet_events.rs.
"""

import argparse
import fcntl
import hashlib
import json
import os
import sys
import time
from datetime import datetime, timezone

import pika

TRANSACTION_POSTED = "adfolio.wallet.v1.TransactionPosted"
PREFETCH = 500  # Unacknowledged messages; a stream requires this limit.
SAVE_SECONDS = 0.5  # Interval between saves: what a restart after a crash reads again.
PAUSE_SECONDS = 0.1  # Wait for a message in one poll.
KNOWN_SECONDS = 10  # A stream that is silent this long at the start is shorter than what was read.
MISSING_MAX = 10_000  # A missing event arrives within this many messages after its successor.
ANOTHER_STREAM = "this is not the stream that the state file is about"
BALANCES = ("available", "toBeConsumed", "toBeSettled", "withdrawing", "guarantee")


class Broken(Exception):
    """A chain or a message is invalid."""


def changes(data):
    # proto3 JSON: 64-bit integers are strings, and zeros may be absent.
    return [int(data.get(f"{name}ChangeMinor", 0)) for name in BALANCES]


def after(data):
    return [int(data.get(f"{name}Minor", 0)) for name in BALANCES]


def version(data):
    """Version of the hashed text. Events from before version 2 do not say theirs."""
    return int(data.get("chainVersion", 0)) or 1


def canonical_text(data):
    """The text that a transaction's hash covers besides the previous hash."""
    when = datetime.fromisoformat(data["time"].replace("Z", "+00:00")).astimezone(timezone.utc)
    head = [f"adfolio-chain-{version(data)}", data["userId"], data["sequence"], when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")]
    # Version 1 knows no guarantee.
    covered = changes(data)[:4] if version(data) == 1 else [*changes(data), data["details"]]
    return "|".join(map(str, [*head, data["transactionId"], data["type"], *covered]))


def new_account():
    return {
        "first_sequence": 1,  # The first event seen; 1 unless older ones were gone.
        "sequence": 0,  # The last event.
        "hash": "0" * 64,
        "balances": [0, 0, 0, 0, 0],  # In minor units, in the order of BALANCES.
        "offset": 0,  # The last event's position in the stream, from 1.
        "missing_since": None,  # Offset since which events arrive whose predecessor is missing.
    }


class State:
    """Offset and balances. With many users, use a database and change both in one transaction."""

    def __init__(self, file):
        self.file = file
        self.next = None  # Offset of the next message; none before the first.
        self.last_id = None  # Id of the last event; identifies the stream.
        self.whole_since = 0  # From this offset the stream was read without a gap. Above 0, earlier events may be gone.
        self.users = {}
        if os.path.exists(file):
            with open(file, encoding="utf-8") as saved:
                saved = json.load(saved)
            self.next, self.last_id = saved["next"], saved["last_id"]
            self.whole_since, self.users = saved["whole_since"], saved["users"]
            for account in self.users.values():
                # A file from before the guarantee has four balances.
                account["balances"] += [0] * (len(BALANCES) - len(account["balances"]))

    def save(self):
        """Replaces the file atomically."""
        self.ensure_none(lambda since: self.next - since > MISSING_MAX)
        temporary = f"{self.file}.tmp"
        with open(temporary, "w", encoding="utf-8") as writing:
            place = {"next": self.next, "last_id": self.last_id, "whole_since": self.whole_since}
            json.dump({**place, "users": self.users}, writing)
            writing.flush()
            os.fsync(writing.fileno())
        os.replace(temporary, self.file)
        # The rename must reach the disk, too.
        folder = os.open(os.path.dirname(os.path.abspath(self.file)), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def apply(self, offset, body):
        try:
            event = json.loads(body)
            self.apply_event(offset, event)
        except (ValueError, KeyError, TypeError) as error:
            raise Broken(f"message at offset {offset} is no event: {error!r}") from error

    def apply_event(self, offset, event):
        if self.next is not None and offset == self.next - 1 and event["id"] != self.last_id:
            raise Broken(ANOTHER_STREAM)
        if self.next is not None and offset < self.next:
            return  # A stream delivers whole chunks: the first may begin before the requested offset.
        if offset != (self.next or 0):
            print(
                f"events before offset {offset} are no longer in the stream: balances begin with what events carry",
                file=sys.stderr,
            )
            self.whole_since = offset
        # The stream has other events of wallet, and may get new types.
        if event["type"] == TRANSACTION_POSTED:
            self.apply_posted(offset, event["data"])
        self.next, self.last_id = offset + 1, event["id"]

    def apply_posted(self, offset, data):
        account = self.users.setdefault(data["userId"], new_account())
        sequence, expected = int(data["sequence"]), account["sequence"] + 1
        if sequence < expected:
            return
        if sequence > expected:
            # Events in between may only be gone before the stream was read without a gap.
            if account["offset"] >= self.whole_since:
                if account["missing_since"] is None:
                    account["missing_since"] = offset
                return
            # Start before this event, with the balances that follow from it.
            account["first_sequence"] = sequence
            account["hash"] = data["previousHash"]
            account["balances"] = [now - change for now, change in zip(after(data), changes(data))]
        try:
            self.follow(account, data)
        except Broken as error:
            user = data["userId"]
            raise Broken(f"the chain of user {user} breaks at sequence {sequence} (offset {offset}): {error}") from error
        balances = [*after(data)[:4], account["balances"][4] + changes(data)[4]]
        account.update(sequence=sequence, hash=data["hash"], balances=balances, offset=offset + 1, missing_since=None)

    @staticmethod
    def follow(account, data):
        """Raises if an event is not the next one."""
        if data["previousHash"] != account["hash"]:
            raise Broken("it does not follow the hash before it")
        chained = bytes.fromhex(account["hash"]) + canonical_text(data).encode()
        if hashlib.sha256(chained).hexdigest() != data["hash"]:
            raise Broken("its hash does not fit its content")
        if version(data) not in (1, 2) or version(data) == 1 and changes(data)[4] != 0:
            raise Broken("its hash does not cover the guarantee")
        # Version 1 says nothing of the guarantee after it.
        said = 4 if version(data) == 1 else 5
        if [before + change for before, change in zip(account["balances"], changes(data))][:said] != after(data)[:said]:
            raise Broken("the balances after it do not follow from its changes")

    def ensure_none(self, is_broken):
        for user, account in self.users.items():
            if account["missing_since"] is not None and is_broken(account["missing_since"]):
                raise Broken(f"the chain of user {user} breaks: sequence {account['sequence'] + 1} is missing")

    def print_balances(self):
        for user, account in sorted(self.users.items()):
            line = {"userId": user, "firstSequence": account["first_sequence"], "sequence": account["sequence"]}
            line["hash"] = account["hash"]
            line.update((f"{name}Minor", str(minor)) for name, minor in zip(BALANCES, account["balances"]))
            print(json.dumps(line))
        events = sum(account["sequence"] - account["first_sequence"] + 1 for account in self.users.values())
        print(f"every chain holds: {events} events of {len(self.users)} users", file=sys.stderr)


def follow(channel, stream, state, until_idle):
    """Applies messages, forever or until none arrives for a while."""
    channel.basic_qos(prefetch_count=PREFETCH)
    # The last message arrives again. If none does, the stream is shorter than what was read.
    start = "first" if state.next is None else state.next - 1
    is_known = state.next is None
    messages = channel.consume(stream, arguments={"x-stream-offset": start}, inactivity_timeout=PAUSE_SECONDS)
    unsaved = False
    last_message = last_save = time.monotonic()
    for method, properties, body in messages:
        now = time.monotonic()
        if method is not None:
            state.apply(properties.headers["x-stream-offset"], body)
            # An acknowledgement only requests more messages; the file is the state.
            channel.basic_ack(method.delivery_tag)
            unsaved, is_known, last_message = True, True, now
        is_idle = until_idle is not None and now - last_message >= until_idle
        if not is_known and (is_idle or now - last_message >= KNOWN_SECONDS):
            raise Broken(ANOTHER_STREAM)
        if unsaved and (is_idle or now - last_save >= SAVE_SECONDS):
            state.save()
            unsaved, last_save = False, now
        if is_idle:
            return
    raise Broken("the broker ended the consumer")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default=os.environ.get("AMQP_URL", "amqp://reader:reader@127.0.0.1:8072"))
    parser.add_argument("--stream", default="wallet.events")
    parser.add_argument("--state", required=True, help="file for the offset in the stream and the balances")
    parser.add_argument("--until-idle", type=float, help="print the balances and end after this many seconds without a message")
    parser.add_argument(
        "--from-middle",
        action="store_true",
        help="start from each user's first event even at the beginning of the stream, because the stream was recreated after "
        "a restore; applies to a new state file",
    )
    args = parser.parse_args()

    # Two consumers with one file would overwrite each other's offset.
    lock = open(f"{args.state}.lock", "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"another consumer works with {args.state}")
    state = State(args.state)
    if args.from_middle and state.next is None:
        state.whole_since = 1
    try:
        connection = pika.BlockingConnection(pika.URLParameters(args.url))
        follow(connection.channel(), args.stream, state, args.until_idle)
        state.ensure_none(lambda since: True)
    except (Broken, pika.exceptions.AMQPError) as error:
        sys.exit(f"error: {error!r}" if not str(error) else f"error: {error}")
    state.print_balances()


if __name__ == "__main__":
    main()
