"""Whatever a request says, both servers answer with a message or refuse: never a failure of ours."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from label_runs import SECRET, write_database, write_run
from sqlverdict.cli.run_cases import run_cases
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.queue import assign, build_queue
from sqlverdict.label.session import ADJUDICATOR, LabelSession, token_subject
from sqlverdict.label.session_key import SessionKey
from sqlverdict.label.vote_log import VoteLog
from sqlverdict.load.databases import DatabaseLocation, find_databases
from sqlverdict.web.security import TOKEN_HEADER, RequestGuard
from tiers import sampled
from web_requests import PORT, Reply, request

pytest.importorskip("starlette", reason="the extra web is not installed")

DIGITS = "9" * 5000
HOSTILE = (
    *(DIGITS, f"-{DIGITS}", "0", "-1", "1e999", "NaN", "Infinity", "1.5", str(2**64), "null"),
    *("true", "[]", "{}", "[[[]]]", '""', '"\\u0000"', '"\\ud800"', '"\\u202e\\uffff\\u0661"'),
    *(f'"{DIGITS}"', f'"block-{DIGITS}"', '"block-\\u0661"', '"block--1"', '"../../etc/passwd"'),
    *(f'"{"x" * 200_000}"', "[" * 5000, f"[{DIGITS}]", "[-1]", "[0,0,0]", "[[0,-1]]"),
    *(f"[[{2**62},{2**62}]]", '"SELECT 1\\u0000; DROP TABLE item"', '"\\uD83D\\uDE00"'),
)
"""JSON values, some of them none."""
NAMES = (
    *("..", "%2e%2e", "label.js%00", "%00", DIGITS, f"{DIGITS}.js", "a" * 9000 + ".html", "%ff.js"),
    *("%E2%80%AE.css", "label.js/..", "label.js?x=" + DIGITS, "é.js", "con.svg", "__init__.py"),
)
BODIES = {
    "item": {"pair": "PAIR"},
    "vote": {
        "pair": "PAIR", "choice": "both", "categories": ["filtering"], "note": "", "realistic": "",
        "corrected_gold": "", "reason": "because", "seconds": 1.0, "digest": "", "results": True,
        "witness": True,
    },
    "reveal": {"pair": "PAIR"},
    "run": {"pair": "PAIR", "sql": "SELECT 1"},
    "dispute": {"pair": "PAIR"},
    "adjudicate": {"pair": "PAIR", "choice": "both", "reason": "because"},
    "document": {"runs": [0], "name": "block-0"},
    "check": {"run": 0, "id": "q0", "gold": "SELECT 1", "prediction": "SELECT 1"},
    "export": {"runs": [0], "run": 0, "ranges": [[0, 2]]},
}  # fmt: skip
"""What a route is answers with; another route is answers with all of these fields."""


STEP = sampled(4, 1)
"""Each field is tried with every so many of the values."""
NEED_A_VOTE = {"/api/undo", "/api/reveal", "/api/adjudicate"}


def location(folder: Path) -> CaseDatabases:
    where = find_databases(Path(), (".",), DatabaseLocation(str(folder)))
    return CaseDatabases(QueryRunner("sqlite", Limits()), folder=where)


@contextmanager
def label_app(tmp_path: Path) -> Iterator[tuple[Any, Any, dict[str, str]]]:
    from sqlverdict.label.app import LabelApp

    run, databases = write_run(tmp_path / "run"), write_database(tmp_path / "databases")
    log = VoteLog(tmp_path / "labels")
    queue = build_queue([run], "random", 100, 0)
    key = SessionKey(SECRET)
    work = assign(queue.order, ("ann", "bob"), 1.0, SECRET)
    session = LabelSession(queue, work, log, key, True, "random")
    app = LabelApp(session, partial(location, databases), "cai")
    readers = ("adjudicator", "annotator:ann")
    assert {ADJUDICATOR, token_subject("ann")} == {*readers}
    try:
        yield app, app.routes(), {who: key.pair_id(who, queue.order[0]) for who in readers}
    finally:
        app.close()
        log.close()


@contextmanager
def view_app(tmp_path: Path) -> Iterator[tuple[Any, Any, dict[str, str]]]:
    from sqlverdict.view.app import ViewApp
    from sqlverdict.view.playground import Playground

    run, databases = write_run(tmp_path / "run"), write_database(tmp_path / "databases")
    app = ViewApp([run], partial(Playground, lambda run: run_cases(run, str(databases))))
    try:
        yield app, app.routes(), {"reader": ""}
    finally:
        app.close()


def bodies_of(name: str, pair: str) -> Iterator[bytes]:
    """A good request, then each of its fields with each hostile value, and hostile bodies."""
    known = [BODIES[name]] if name in BODIES else [{}, *BODIES.values()]
    for good in known:
        fields = {field: pair if value == "PAIR" else value for field, value in good.items()}
        texts = {field: json.dumps(value) for field, value in fields.items()}
        yield as_object(texts)
        for number, field in enumerate(texts):
            for value in HOSTILE[number % STEP :: STEP]:
                yield as_object({**texts, field: value})
    yield from (value.encode("utf-8", "surrogatepass") for value in HOSTILE)
    yield from (b"", b"\xff\xfe", b"{" * 5000, b'{"a":' * 2000, b"\x00")


def as_object(texts: dict[str, str]) -> bytes:
    inner = ",".join(f'"{name}":{text}' for name, text in texts.items())
    return f"{{{inner}}}".encode()


async def attack(routes: Any, pairs: dict[str, str]) -> list[tuple[str, str, int, bytes]]:
    guard = RequestGuard(routes, {who: who for who in pairs}, "127.0.0.1", PORT)
    replies = []
    for route in routes.routes:
        for who, pair in pairs.items():
            for method in sorted(route.methods):
                name = route.path.removeprefix("/api/")
                if "{" in route.path:
                    calls = [(f"/{each}", b"") for each in NAMES]
                elif method == "POST":
                    calls = [(route.path, body) for body in bodies_of(name, pair)]
                else:
                    calls = [(route.path, b""), (f"{route.path}?name={DIGITS}&x=%00", b"")]
                for path, body in calls:
                    reply: Reply = await request(guard, method, path, body, {TOKEN_HEADER: who})
                    replies.append((who, path[:60], reply.status, body[:200]))
    return replies


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("open_app", [label_app, view_app])
def test_no_parameter_is_a_failure_of_ours(tmp_path: Path, open_app: Any) -> None:
    with open_app(tmp_path) as (_, routes, pairs):
        replies = asyncio.run(attack(routes, pairs))
    assert [each for each in replies if each[2] >= 500] == []
    statuses = {each[2] for each in replies}
    assert {200, 400, 404} <= statuses
    answers = {path for _, path, status, _ in replies if status == 200}
    routes_of_data = {route.path for route in routes.routes if route.path.startswith("/api/")}
    assert routes_of_data - NEED_A_VOTE <= answers, "each gave an answer, too"


def test_a_block_with_thousands_of_digits_is_named_as_absent(tmp_path: Path) -> None:
    with view_app(tmp_path) as (_, routes, _pairs):
        guard = RequestGuard(routes, {"token": "reader"}, "127.0.0.1", PORT)
        body = json.dumps({"runs": [0], "name": f"block-{DIGITS}"}).encode()
        answers = request(guard, "POST", "/api/document", body, {TOKEN_HEADER: "token"})
        reply = asyncio.run(answers)
    assert reply.status == 400
    assert "no part 'block-999" in json.loads(reply.body)["error"]
