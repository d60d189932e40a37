"""A run without a database, and votes on drawn pairs of it, as a page gives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from click.testing import CliRunner, Result

from sqlverdict.cli.main import sqlverdict
from sqlverdict.estimate.matching import AskProof
from sqlverdict.label.ballot import Ballot
from sqlverdict.label.queue import assign_draw, build_queue
from sqlverdict.label.session import LabelSession
from sqlverdict.label.session_key import open_key
from sqlverdict.label.vote_log import VoteLog
from sqlverdict.records import Result as CaseResult
from sqlverdict.records import Verdict
from sqlverdict.runlog.run import Run

KINDS = ("correct proved", "correct match", "incorrect difference", "needs_review odd_witness")
CASES = 120


def cases(predictions: Callable[[int], str] = "SELECT {}".format) -> list[CaseResult]:
    every = []
    for number in range(CASES):
        verdict, situation = KINDS[number % 4].split()
        every.append(
            CaseResult(
                number,
                f"q{number}",
                "shop",
                "How many?",
                ("SELECT 0",),
                predictions(number),
                False,
                Verdict(verdict),
                situation=situation,
                scores={"ex": 1.0, "esm": 1.0},
            )
        )
    return every


def vote_all(
    runs: Sequence[Run],
    folder: Path,
    size: int,
    right: Callable[[CaseResult], bool],
    ask_proof: AskProof = lambda _case, _one, _other: False,
) -> Path:
    """Draw pairs for an estimate and vote on all of them, as a page does."""
    queue = build_queue(runs, "estimate", size, 0, ask_proof=ask_proof)
    with closing(VoteLog(folder)) as log:
        key = open_key(folder)
        work = assign_draw(queue.order, ["ann", "bob"], 0.2, key.secret)
        session = LabelSession(queue, work, log, key, True, "estimate")
        for name, pairs in work.items():
            for pair in pairs:
                first = session.first(name, pair)
                wrong = "only_a" if first == "gold" else "only_b"
                choice = "both" if right(queue.items[pair].result) else wrong
                session.vote(name, Ballot(pair, choice))
        return log.path


def invoke(*args: object) -> Result:
    return CliRunner().invoke(sqlverdict, [str(arg) for arg in args])


def good(case: CaseResult) -> bool:
    return case.index % 4 != 2


def vote_usual(run: Run, folder: Path) -> Path:
    """Vote on pairs of the usual queue: both are right."""
    queue = build_queue([run], "stratified", CASES, 0)
    with closing(VoteLog(folder)) as log:
        session = LabelSession(
            queue, {"ann": queue.order}, log, open_key(folder), True, "stratified"
        )
        for pair in queue.order:
            session.vote("ann", Ballot(pair, "both"))
        return log.path
