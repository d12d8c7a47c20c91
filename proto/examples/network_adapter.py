#!/usr/bin/env python3
"""Fetches what a network is allotted, serves it, and reports what was delivered. Replace `pretend` by your own network.

    ADFOLIO_NETWORK_KEY=... ./network_adapter.py https://ads.example.com/api --state adapter.json

What it relies on, and what your own adapter should do as well:

- The place in the list and all that is not reported yet are in one file, which is replaced atomically. Figures are saved
  before they are sent. Whenever this program dies, even by `kill -9`, the next start loses and doubles nothing.
- A report's id is that of its allotment. Amounts follow exactly from the price, in decimals and never in floats.
- What is not reported by `report_until` goes back to the plan, and is not sent any more.
"""

import argparse
import fcntl
import json
import math
import os
import random
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from decimal import Decimal
from http.client import HTTPException

POLL_SECONDS = 10  # Pause between two rounds.
CALL_SECONDS = 60  # Limit of a call.
WAITS_SECONDS = (1, 2, 4, 8)  # Pauses before further attempts.
CLICK_RATE = 0.007  # Pretended clicks per impression.


class Refused(Exception):
    """The API refuses a call, and would refuse it again: why, and of which field."""


class Unavailable(Exception):
    """The API gave no answer, or asked to come back later."""


def now():
    """The time as the API writes it. Such texts sort by time."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Adapter:
    def __init__(self, url, key, file):
        self.url, self.key, self.file = url.rstrip("/"), key, os.path.abspath(file)
        # The last allotment known, and the tag of the page after it; by id: allotments that are not reported yet, their
        # reports, when those end that are, and why some were rejected.
        self.state = {"after": None, "etag": None, "open": {}, "reports": {}, "done": {}, "rejected": {}}
        if os.path.exists(file):
            with open(file, encoding="utf-8") as saved:
                self.state = json.load(saved)

    def call(self, path, body=None, etag=None):
        """Data and ETag of an answer; no data if nothing has changed since `etag`."""
        for wait in WAITS_SECONDS:
            try:
                return self.attempt(path, body, etag)
            except Unavailable as error:
                print(f"once more after {error}", file=sys.stderr, flush=True)
                time.sleep(wait * random.uniform(1, 1.5))  # Many adapters must not come back at once.
        return self.attempt(path, body, etag)

    def attempt(self, path, body, etag):
        headers = {"X-Network-Key": self.key, "Content-Type": "application/x-ndjson", "If-None-Match": etag or '""'}
        request = urllib.request.Request(self.url + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=CALL_SECONDS) as response:
                envelope, tag = json.load(response), response.headers["ETag"]
        except urllib.error.HTTPError as error:
            if error.code == 304:
                return None, etag
            raise (Unavailable if error.code == 429 or error.code >= 500 else Refused)(str(error), None) from error
        except (OSError, ValueError, HTTPException) as error:
            raise Unavailable(repr(error)) from error
        if envelope["code"] != 200:
            kind = Unavailable if envelope["code"] == 500 else Refused
            raise kind(envelope["data"]["reason"], envelope["data"]["field"])
        return envelope["data"], tag

    def save(self):
        """Replaces the file atomically."""
        temporary = f"{self.file}.tmp"
        with open(temporary, "w", encoding="utf-8") as writing:
            json.dump(self.state, writing)
            writing.flush()
            os.fsync(writing.fileno())
        os.replace(temporary, self.file)
        # The rename must reach the disk, too.
        folder = os.open(os.path.dirname(self.file), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def fetch(self):
        """Takes over all allotments after the last known one."""
        state = self.state
        while True:
            query = f"?after={state['after']}" if state["after"] else ""
            try:
                page, tag = self.call(f"/network/allotments{query}", etag=state["etag"])
            except Refused as refused:
                if not query or refused.args[1] != "after":
                    raise
                # The last one ended long ago. The list begins again; what is known of it is skipped.
                state["after"] = state["etag"] = None
                continue
            if page is None:
                return
            items = {item["allotment_id"]: item for item in page["items"]}
            state["open"] |= {key: item for key, item in items.items() if key not in state["done"]}
            state["after"], state["etag"] = page["next"], None if items else tag
            self.save()
            if not items:
                return

    def deliver(self):
        """Serves what is allotted at this time, and saves its figures before they are sent."""
        for key, allotment in self.state["open"].items():
            if key not in self.state["reports"] and allotment["from"] <= now() < allotment["to"]:
                self.state["reports"][key] = priced(allotment, *pretend(allotment))
        self.save()

    def report(self):
        """Reports what was delivered, as long as it counts."""
        state = self.state
        for key, allotment in state["open"].copy().items():
            if allotment["report_until" if key in state["reports"] else "to"] <= now():
                self.close(key, "not served or not reported in time")
        sent = list(state["reports"].items())
        if sent:
            lines = "".join(f"{json.dumps(line)}\n" for _, line in sent)
            answer, _ = self.call("/network/reports", lines.encode())
            rejected = {row["line"]: row["reason"] for row in answer["rejected"]}
            for line, (key, _) in enumerate(sent, start=1):
                self.close(key, rejected.get(line))
            print(f"{answer['applied']} applied, {answer['repeated']} known, {len(answer['held'])} held", flush=True)
        state["done"] = {key: end for key, end in state["done"].items() if end > now()}  # Others are not listed again.
        self.save()

    def close(self, key, reason):
        """Ends work on an allotment; with a reason, somebody has to look at it."""
        if reason is not None:
            print(f"allotment {key}: {reason}", file=sys.stderr, flush=True)
            self.state["rejected"][key] = reason
        self.state["done"][key] = self.state["open"].pop(key)["to"]
        self.state["reports"].pop(key, None)


def priced(allotment, impressions, clicks):
    """A report with the amounts that follow from the price."""
    price = allotment["price"]
    units = clicks if price["model"] == "cpc" else Decimal(impressions).scaleb(-3)
    report = {"report_id": allotment["allotment_id"], "revision": 1, "time": now()}
    report |= {name: allotment[name] for name in ("plan_number", "placement")}
    report |= {name: f"{Decimal(price[of]) * units:f}" for name, of in (("spend", "cost"), ("revenue", "revenue"))}
    return report | {"impressions": impressions, "clicks": clicks}


def pretend(allotment):
    """Impressions and clicks as if all was served that an allotment pays for; the same ones for the same allotment."""
    chance, units = random.Random(allotment["allotment_id"]), allotment["units"]
    if allotment["price"]["model"] == "cpm":
        return units, sum(chance.random() < CLICK_RATE for _ in range(units))
    return sum(1 + int(math.log(1 - chance.random()) / math.log(1 - CLICK_RATE)) for _ in range(units)), units


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", help="base URL of the API, such as https://ads.example.com/api")
    parser.add_argument("--state", required=True, help="file for the place in the list and what is not reported yet")
    parser.add_argument("--once", action="store_true", help="end after one round")
    args = parser.parse_args()
    key = os.environ.get("ADFOLIO_NETWORK_KEY") or sys.exit("ADFOLIO_NETWORK_KEY is missing")

    # Two adapters with one file would overwrite each other's place: the second one waits.
    lock = open(f"{args.state}.lock", "w", encoding="utf-8")
    fcntl.flock(lock, fcntl.LOCK_EX)
    adapter = Adapter(args.url, key, args.state)
    while True:
        failed = False
        try:
            adapter.fetch()
            adapter.deliver()
            adapter.report()
        except Refused as error:
            sys.exit(f"refused: {error.args[0]}")
        except Unavailable as error:
            # The file has everything; the next round goes on with it.
            print(f"unavailable: {error}", file=sys.stderr, flush=True)
            failed = True
        if args.once:
            sys.exit(failed)
        time.sleep(POLL_SECONDS)


if __name__ == "__main__":
    main()
