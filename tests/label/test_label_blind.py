"""Blind means blind: no reply to an annotator depends on what others voted, at any endpoint."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from label_runs import SECRET, OpenSession, write_database, write_run
from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.label.ballot import Ballot
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.queue import QueueName, assign, assign_draw, build_queue
from sqlverdict.label.session import ADJUDICATOR, LabelSession, token_subject
from sqlverdict.label.session_key import SessionKey
from sqlverdict.label.vote_log import VoteLog
from sqlverdict.load.databases import DatabaseLocation, find_databases
from sqlverdict.load.people.votes import Side
from sqlverdict.records import Outcome, Result
from sqlverdict.web.refusals import NotAssigned
from sqlverdict.web.security import TOKEN_HEADER, RequestGuard
from timeouts import HANG_SECONDS
from web_requests import PORT, Reply, ask, request

pytest.importorskip("starlette", reason="the extra web is not installed")

NAMES = ("ann", "bob", "dee")
TOKENS = {**{name: token_subject(name) for name in NAMES}, "judge": ADJUDICATOR}


class Served:
    """An application on a folder of its own, and its session."""

    def __init__(self, session: LabelSession, app: Any) -> None:
        self.session = session
        self.app = app
        self.guard = RequestGuard(app.routes(), TOKENS, "127.0.0.1", PORT)

    def ask(self, who: str, path: str, body: object = None, method: str = "POST") -> Reply:
        content = b"" if body is None else json.dumps(body).encode()
        return ask(self.guard, method, path, content, {TOKEN_HEADER: who})

    def json(self, who: str, name: str, body: object) -> Any:
        return json.loads(self.ask(who, f"/api/{name}", body).body)


@contextmanager
def served(
    folder: Path,
    *,
    blind: bool = True,
    overlap: float = 1.0,
    secret: bytes = SECRET,
    name: QueueName = "random",
    without_sql: tuple[str, ...] = (),
    kind: type[CaseDatabases] = CaseDatabases,
) -> Iterator[Served]:
    from sqlverdict.label.app import LabelApp

    run = write_run(folder / "run")
    databases = write_database(folder / "databases")
    location = find_databases(Path(), (".",), DatabaseLocation(str(databases)))

    def open_databases() -> CaseDatabases:
        return kind(QueryRunner("sqlite", Limits()), folder=location)

    log = VoteLog(folder / "labels")
    queue = build_queue([run], name, 100, 0, log.content.pairs)
    deal = assign_draw if name == "estimate" else assign
    work = deal(queue.order, NAMES, overlap, secret)
    key = SessionKey(secret)
    session = LabelSession(queue, work, log, key, blind, name, without_sql, _noon)
    app = LabelApp(session, open_databases, "cai")
    try:
        yield Served(session, app)
    finally:
        app.close()
        log.close()


def _noon() -> datetime:
    return datetime(2026, 1, 1, 12, tzinfo=UTC)


def others_vote(session: LabelSession, turn: int) -> None:
    """What the other annotators and the adjudicator do; nothing for turn 0."""
    if turn == 0:
        return
    choices = ("both", "neither", "only_a", "skip", "undecided")
    for number, pair in enumerate(session.queue.order):
        for name in NAMES[1:]:
            if pair in session.assignment[name]:
                choice = choices[(number * turn) % len(choices)]
                session.vote(name, Ballot(pair, choice, note=f"turn {turn}", seconds=float(turn)))
    first = session.assignment["bob"][0]
    if session.is_estimate:
        for pair in session.assignment["bob"]:
            session.vote("bob", Ballot(pair, "both"))
    session.reveal("bob", first)
    if turn == 2:
        session.undo("dee")
        session.reveal_dispute("cai", first)
        session.adjudicate("cai", Ballot(first, "neither", reason="so it is"))


def requests_of(one: Served) -> list[tuple[str, str, object]]:
    """Every route of the application with bodies of every form; a new route joins by itself."""
    state = one.json("ann", "state", {})
    own, other = state["items"][0]["pair"], state["items"][-1]["pair"]
    foreign = one.session.key.pair_id(token_subject("bob"), one.session.assignment["bob"][0])
    vote = {"pair": own, "choice": "only_a", "seconds": 2.0}
    bodies: list[object] = [
        None, {}, {"pair": own}, {"pair": other}, {"pair": foreign}, {"pair": "none"},
        {"pair": own, "sql": "SELECT 1"}, vote, {**vote, "choice": "neither"}, {**vote, "pair": other},
        {**vote, "pair": foreign}, {**vote, "reason": "because"},
    ]  # fmt: skip
    calls: list[tuple[str, str, object]] = []
    routes = one.app.routes().routes
    # Twice: what a vote opens (its reveal, the state with it) is asked for again.
    for _ in range(2):
        for route in routes:
            for method in sorted(route.methods):
                for name in ("label.html", "adjudicate", "label.js", "none.js"):
                    path = route.path.replace("{name}", name)
                    calls += [
                        (method, path, body) for body in bodies if method == "POST" or not body
                    ]
                    if path == route.path:
                        break
    return calls


@pytest.mark.slow
@pytest.mark.parametrize(
    ("blind", "overlap", "name", "without_sql"),
    [
        (True, 1.0, "random", ()),
        (True, 0.5, "random", ()),
        (False, 0.5, "random", ()),
        (True, 1.0, "random", ("ann",)),
        (True, 0.5, "random", ("ann", "dee")),
        (True, 1.0, "random", ("bob",)),
        (True, 1.0, "estimate", ()),
        (True, 0.5, "estimate", ("ann",)),
    ],
)
def test_replies_are_the_same_bytes_whatever_others_voted(
    tmp_path: Path, blind: bool, overlap: float, name: QueueName, without_sql: tuple[str, ...]
) -> None:
    transcripts: list[list[tuple[Any, Reply]]] = []
    for turn in range(3):
        with served(
            tmp_path / str(turn), blind=blind, overlap=overlap, name=name, without_sql=without_sql
        ) as one:
            others_vote(one.session, turn)
            calls = requests_of(one)
            transcript: list[tuple[Any, Reply]] = []
            for number, (method, path, body) in enumerate(calls):
                if turn and number % 25 == 0:
                    # While the annotator works, others go on.
                    pair = one.session.assignment["bob"][0]
                    one.session.vote("bob", Ballot(pair, "both" if turn == 1 else "neither"))
                reply = one.ask("ann", path, body, method)
                transcript.append(((method, path, str(body)), reply))
            transcripts.append(transcript)
    assert len(transcripts[0]) > 200
    # The file of a folder is named in evidence; folders differ in one digit.
    assert {reply.status for _, reply in transcripts[0]} >= {200, 400, 404}
    hidden = (b"kappa", b"stratum", b"sampling", b"probability", b"both_right", b"bob", b"dee")
    for call, reply in transcripts[0]:
        if call[1] != "/adjudicate":
            assert not [word for word in hidden if word in reply.body], call
    for other in transcripts[1:]:
        different = [one[0] for one, two in zip(transcripts[0], other, strict=True) if one != two]
        assert different == []


def test_a_vote_on_a_pair_of_another_is_refused(tmp_path: Path) -> None:
    with served(tmp_path, overlap=0.0) as one:
        session = one.session
        theirs = session.assignment["bob"][0]
        assert theirs not in session.assignment["ann"]
        with pytest.raises(NotAssigned):
            session.vote("ann", Ballot(theirs, "both"))
        with pytest.raises(NotAssigned):
            session.reveal("ann", theirs)
        for ids in (theirs, session.key.pair_id(token_subject("bob"), theirs), "none", ""):
            replies = [
                one.ask("ann", "/api/vote", {"pair": ids, "choice": "both"}),
                *(
                    one.ask("ann", f"/api/{name}", {"pair": ids})
                    for name in ("item", "reveal", "run")
                ),
            ]
            assert {reply.status for reply in replies} == {404}
            codes = {json.loads(reply.body)["code"] for reply in replies}
            assert codes == {"not_assigned"}
        assert session.log.content.pairs == {}


def test_an_id_of_a_pair_is_keyed(tmp_path: Path) -> None:
    from sqlverdict.load.people.votes import vote_digest

    with served(tmp_path / "one") as one, served(tmp_path / "two", secret=SECRET[::-1]) as two:
        ids = {
            (number, who): {
                item["id"]: item["pair"] for item in each.json(who, "state", {})["items"]
            }
            for number, each in enumerate((one, two))
            for who in ("ann", "bob")
        }
        for case in ids[0, "ann"]:
            assert len({pairs[case] for pairs in ids.values()}) == 4, "nothing joins them"
        item = one.session.queue.items[one.session.queue.order[0]].result
        for golds, prediction in ((item.gold, item.prediction), ((item.prediction,), item.gold[0])):
            digest = vote_digest(item.id, golds, prediction)
            for pairs in ids.values():
                assert digest not in pairs.values()
        page = one.json("ann", "item", {"pair": ids[0, "ann"][item.id]})
        assert page["item"]["pair"] == ids[0, "ann"][item.id]
        assert vote_digest(item.id, item.gold, item.prediction) not in json.dumps(page)


def test_the_vote_is_recorded_on_the_real_queries(tmp_path: Path) -> None:
    from sqlverdict.label.queue import pair_of

    with served(tmp_path) as one:
        (item,) = [i for i in one.json("ann", "state", {})["items"] if i["id"] == "q1"]
        one.json("ann", "vote", {"pair": item["pair"], "choice": "only_a"})
        ((pair, votes),) = one.session.log.content.pairs.items()
        result = one.session.queue.items[pair].result
        assert pair == pair_of(result)
        first = one.session.first("ann", pair)
        assert votes.votes["ann"].label == ("wrong" if first == "gold" else "gold_wrong")


def test_only_the_adjudicator_gets_agreement(tmp_path: Path) -> None:
    with served(tmp_path) as one:
        others_vote(one.session, 1)
        assert one.json("judge", "disputes", {})["agreement"]["annotators"] == ["bob", "dee"]
        assert "only the adjudicator" in one.json("ann", "disputes", {})["error"]
        with pytest.raises(UsageError, match="vote first"):
            one.session.reveal("ann", one.session.queue.order[0])


def test_an_annotator_by_the_name_of_adjudicator_takes_no_pair_from_the_adjudicator(
    open_session: OpenSession,
) -> None:
    session = open_session()
    own, *others = session.queue.order
    session.assignment = {"ann": others, ADJUDICATOR: [own]}
    for pair in session.queue.order:
        assert session.pair_of(ADJUDICATOR, session.key.pair_id(ADJUDICATOR, pair)) == pair
    reader = token_subject(ADJUDICATOR)
    assert session.pair_of(reader, session.key.pair_id(reader, own)) == own
    for pair in others:
        with pytest.raises(NotAssigned):
            session.pair_of(reader, session.key.pair_id(reader, pair))


def test_a_request_that_is_sent_again_counts_once(tmp_path: Path) -> None:
    from sqlverdict.web.endpoints import REQUEST_HEADER

    with served(tmp_path) as one:
        items = [item["pair"] for item in one.json("ann", "state", {})["items"]]

        def act(name: str, body: object, act: str, who: str = "ann") -> Reply:
            headers = {TOKEN_HEADER: who, REQUEST_HEADER: act}
            return ask(one.guard, "POST", f"/api/{name}", json.dumps(body).encode(), headers)

        for number in (0, 1, 2):
            act("vote", {"pair": items[number], "choice": "both"}, f"vote {number}")
        late = act("vote", {"pair": items[0], "choice": "both"}, "vote 0")
        assert json.loads(late.body)["progress"]["done"] == 1, "the reply of the first time"
        first, again = (act("undo", {}, "undo") for _ in range(2))
        assert first == again
        assert one.json("ann", "state", {})["progress"]["done"] == 2
        assert act("undo", {}, "undo", "bob").status == 400, "another's act of the same name"
        assert act("undo", {}, "undo 2").status == 200
        assert one.json("ann", "state", {})["progress"]["done"] == 1


class WaitingDatabases(CaseDatabases):
    """A query for "slow" does not end before the test says so."""

    started, end = Event(), Event()

    def run(self, result: Result, sql: str, side: Side = "prediction") -> Outcome:
        if sql == "slow":
            self.started.set()
            assert self.end.wait(HANG_SECONDS)
        return super().run(result, sql, side)


def test_a_slow_query_of_one_annotator_holds_up_no_other(tmp_path: Path) -> None:
    with served(tmp_path, kind=WaitingDatabases) as one:
        pairs = {who: one.json(who, "state", {})["items"][0]["pair"] for who in ("ann", "bob")}

        async def call(who: str, name: str, **body: str) -> Reply:
            content = json.dumps({"pair": pairs[who], **body}).encode()
            return await request(one.guard, "POST", f"/api/{name}", content, {TOKEN_HEADER: who})

        async def work() -> tuple[list[int], Any, list[int]]:
            slow = [asyncio.ensure_future(call("ann", "run", sql="slow")) for _ in range(4)]
            await asyncio.to_thread(WaitingDatabases.started.wait, HANG_SECONDS)
            others = [
                (await call("bob", "item")).status,
                (await call("bob", "run", sql="SELECT 1")).status,
                (await call("ann", "vote", choice="both")).status,
            ]
            busy = await call("ann", "run", sql="SELECT 1")
            WaitingDatabases.end.set()
            return others, busy, [reply.status for reply in await asyncio.gather(*slow)]

        others, busy, slow = asyncio.run(work())
        assert others == [200, 200, 200]
        assert (busy.status, json.loads(busy.body)["code"]) == (503, "busy")
        assert slow == [200] * 4
