"""The client at its limits: many items, a server that takes its time, a kill in the middle.

A server in a process of its own answers each call after a fixed latency. Three runs:

1. all items, timed against the ideal (items / concurrency, rounded up, times the latency);
2. the same again, which must make no call;
3. a new cache, killed with SIGKILL half-way and resumed: every reply that had arrived must be
   kept, and none of those asked for again.

Usage: ``python bench/judge_client.py [--items 1500] [--concurrency 32] [--latency 0.5]``
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.client import Client
from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.llm.request import Message, Reply, Request
from sqlverdict.llm.threads import work_all
from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm, completion

PROMPT = "-- a prompt about as long as a judge's, most of it schema\n" + (
    "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, amount REAL, day TEXT);\n" * 40
)


def serve(latency: float) -> None:
    """Answer after the latency; ``GET`` tells how often each prompt was asked."""

    def answer(call: FakeCall) -> FakeAnswer:
        if call.method == "GET":
            counts: dict[str, int] = {}
            for each in server.calls:
                if each.method == "POST":
                    item = each.json()["messages"][-1]["content"].rpartition(" ")[2]
                    counts[item] = counts.get(item, 0) + 1
            return FakeAnswer(counts)
        return FakeAnswer(completion('reasoning, then {"correct": true}' * 20), delay=latency)

    with FakeLlm(answer) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


@contextmanager
def server_process(latency: float) -> Iterator[str]:
    """The server's address, while the block runs."""
    process = subprocess.Popen(
        [sys.executable, __file__, "--serve", "--latency", str(latency)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def asked_of(base_url: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{base_url}/count") as response:
        return dict(json.load(response))


def run(base_url: str, path: Path, items: int, concurrency: int) -> tuple[float, int]:
    """Ask everything; the seconds it took and the calls it made."""
    requests = (
        Request("fake", (Message("user", f"{PROMPT} {number}"),), "bench@1")
        for number in range(items)
    )
    cache = ReplyCache(path)
    with Client(Endpoint(base_url, "fake", concurrency=concurrency), cache) as client:
        start = time.perf_counter()
        good = sum(
            isinstance(reply, Reply) for _, reply in work_all(client.ask, requests, concurrency)
        )
        seconds = time.perf_counter() - start
        calls = client.usage.calls
    cache.close()
    assert good == items, f"{items - good} items got no reply"
    return seconds, calls


def killed_and_resumed(path: Path, options: argparse.Namespace) -> None:
    with server_process(options.latency) as base_url:
        child = subprocess.Popen(
            [sys.executable, __file__, "--ask", base_url, "--cache", str(path),
             "--items", str(options.items), "--concurrency", str(options.concurrency)],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        watcher = ReplyCache(path)
        while len(watcher) < options.items // 2:
            time.sleep(0.02)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        with watcher.transaction() as connection:
            rows = connection.execute("SELECT address FROM replies").fetchall()
        addresses = {address for (address,) in rows}
        before = asked_of(base_url)
        print(
            f"killed at {len(addresses)} replies, {sum(before.values()) - len(addresses)} in flight"
        )
        _, calls = run(base_url, path, options.items, options.concurrency)
        after = asked_of(base_url)
        twice = [
            number
            for number in range(options.items)
            if after[str(number)] > 1
            and Request(
                "fake", (Message("user", f"{PROMPT} {number}"),), "bench@1"
            ).digest() in addresses
        ]  # fmt: skip
        print(f"resumed: {calls} calls for the {options.items - len(addresses)} that were missing")
        print(f"replies that had arrived and were asked for again: {len(twice)}")
        print(f"replies lost: {options.items - len(watcher)}")
        _, calls = run(base_url, path, options.items, options.concurrency)
        print(f"third run: {calls} calls")
        watcher.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1500)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--ask", help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.latency)
        return
    if options.ask:
        run(options.ask, options.cache, options.items, options.concurrency)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replies.sqlite"
        ideal = math.ceil(options.items / options.concurrency) * options.latency
        with server_process(options.latency) as base_url:
            seconds, calls = run(base_url, path, options.items, options.concurrency)
            print(
                f"{options.items} items, concurrency {options.concurrency}, latency "
                f"{options.latency} s: {seconds:.2f} s, {calls} calls; ideal {ideal:.2f} s; "
                f"ratio {seconds / ideal:.3f}"
            )
            seconds, calls = run(base_url, path, options.items, options.concurrency)
            print(f"second run: {seconds:.2f} s, {calls} calls")
        killed_and_resumed(Path(folder) / "killed.sqlite", options)


if __name__ == "__main__":
    main()
