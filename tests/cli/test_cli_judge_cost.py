"""``--max-cost`` and what a run shows of its cost, over all commands of one folder."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from base64 import b64decode
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm, completion

Invoke = Callable[..., Result]

RIGHT = 'It does.\n```json\n{"correct": true}\n```'
SENTENCE = "over all commands of this folder: $"


@pytest.fixture
def pairs(tmp_path: Path) -> list[object]:
    """Six cases that each need a call, at a price, as arguments."""
    table = {"gold_exec_text": "| 1 |\nshape=(1, 1)", "pred_exec_text": "| 7 |\nshape=(1, 1)"}
    lines = [
        {"set": "NEQ", "i": n, "question": f"{n}?", "gold_sql": "SELECT 1", "ex": 0, "db_id": "d"}
        | {"pred_sql": f"SELECT 7, {n}", **table}
        for n in range(6)
    ]
    root, prices = tmp_path / "pairs.jsonl", tmp_path / "prices.json"
    root.write_text("".join(json.dumps(line) + "\n" for line in lines))
    prices.write_text('{"models": {"m": {"input": 0, "output": 1000000}}}')
    command = ["evaluate", "--benchmark", "flex", "--root", root, "--metrics", "flex"]
    return [
        *command,
        "--judge",
        "flex",
        "--model",
        "m",
        "--set",
        f"prices={prices}",
        "--workers",
        0,
    ]


def page_text(page: Path) -> str:
    """All that a page holds, which is packed."""
    blocks = re.findall(
        r'<script type="text/plain" id="data-[^"]+">([^<]+)</script>', page.read_text()
    )
    return "".join(zlib.decompress(b64decode(block)).decode() for block in blocks)


def spending(folder: Path) -> dict[str, Any]:
    value = json.loads((folder / "summary.json").read_text())["spending"]
    assert isinstance(value, dict)
    return value


def test_the_limit_does_not_restart_and_every_surface_shows_one_account(
    invoke: Invoke, pairs: list[object], tmp_path: Path
) -> None:
    """A reply costs two dollars; at worst it could be five, by ``max_tokens``."""
    out = tmp_path / "run"

    def answer(call: FakeCall) -> FakeAnswer:
        # The first call's reply is lost: it may have been charged for.
        cut = 10 if call.number == 1 else None
        return FakeAnswer(completion(RIGHT, completion_tokens=2), cut=cut)

    with FakeLlm(answer) as server:
        words = [*pairs, "--base-url", server.base_url, "--out", out, "--set", "concurrency=1"]
        words += ["--judge-set", "max_tokens=5", "--set", f"reply-cache={tmp_path / 'r.sqlite'}"]
        for _ in range(3):
            stopped = invoke(*words, "--max-cost", 12)
            assert stopped.exit_code == 130, stopped.output
            assert len(server.calls) == 3, "5 maybe and 4 spent leave no room for 5 more"
        assert "the cost limit is reached" in stopped.output
        done = invoke(*words, "--max-cost", 100)
        assert done.exit_code == 0, done.output
        assert len(server.calls) == 7
        account = {"spent": 12.0, "maybe": 5.0, "saved": 0.0, "calls": 6, "maybe_calls": 1}
        assert spending(out) == account | {"cached": 0, "unpriced": 0}
        page = page_text(out / "report.html")
        for text in (done.output, (out / "report.md").read_text(), page):
            assert f"{SENTENCE}12.0000 spent on 6 calls; up to $5.0000 more may have been" in text
        again = invoke(*words, "--json")
        assert json.loads(again.stdout)["runs"][0]["spending"] == spending(out)
        # Another folder gets the same replies: nothing is paid for them now.
        other = tmp_path / "other"
        words[words.index(out)] = other
        assert invoke(*words).exit_code == 0
        assert len(server.calls) == 7
    assert (spending(other)["spent"], spending(other)["saved"]) == (0.0, 12.0)
    assert (
        f"{SENTENCE}0.0000 spent on 0 calls; $12.0000 saved by 6 cached replies"
        in (other / "report.md").read_text()
    )


def test_what_was_spent_stays_spent_when_a_run_starts_anew(
    invoke: Invoke, pairs: list[object], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    with FakeLlm(lambda call: FakeAnswer(completion(RIGHT, completion_tokens=2))) as server:
        words = [*pairs, "--base-url", server.base_url, "--out", out]
        assert invoke(*words, "--set", f"reply-cache={tmp_path / 'a.sqlite'}").exit_code == 0
        words += ["--set", f"reply-cache={tmp_path / 'b.sqlite'}", "--overwrite", "--max-cost", 12]
        assert invoke(*words).exit_code == 130
        assert len(server.calls) == 6


def test_two_systems_have_an_account_each_and_one_limit(invoke: Invoke, tmp_path: Path) -> None:
    cases, prices = tmp_path / "cases.jsonl", tmp_path / "prices.json"
    prices.write_text('{"models": {"m": {"input": 0, "output": 1000000}}}')
    rows = [{"id": n, "question": f"{n}?", "gold": f"SELECT {n}"} for n in range(2)]
    cases.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("one", "two"):
        answers = [{"id": n, "sql": f"SELECT {n}, '{name}'"} for n in range(2)]
        file = tmp_path / f"{name}.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in answers))
    with closing(sqlite3.connect(tmp_path / "d.sqlite")) as database:
        database.execute("CREATE TABLE t (a)")
    words: list[object] = ["evaluate", "--cases", cases, "--databases", tmp_path / "d.sqlite"]
    words += ["--predictions", tmp_path / "one.jsonl", "--predictions", tmp_path / "two.jsonl"]
    words += ["--metrics", "flex", "--judge", "flex", "--model", "m", "--set", f"prices={prices}"]
    words += [
        "--workers",
        0,
        "--out",
        tmp_path / "runs",
        "--set",
        f"reply-cache={tmp_path / 'r.sqlite'}",
    ]
    with FakeLlm(lambda call: FakeAnswer(completion(RIGHT, completion_tokens=2))) as server:
        done = invoke(*words, "--base-url", server.base_url)
        assert done.exit_code == 0, done.output
        assert len(server.calls) == 4
    for name in ("one", "two"):
        assert spending(tmp_path / "runs" / name)["spent"] == 4.0
