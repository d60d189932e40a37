"""``audit`` and ``doctor`` on very many cases and on golds that want to end them."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from sqlverdict.audit import gold as gold_module
from sqlverdict.audit.gold import Ranking, suspect_golds
from sqlverdict.audit.gold_markdown import audit_text
from sqlverdict.audit.gold_report import gold_reports
from sqlverdict.cli.main import sqlverdict
from sqlverdict.evidence import Related
from sqlverdict.evidence_parts import AnswerShapes
from sqlverdict.records import Reason, Verdict
from sqlverdict.records import Result as Line
from sqlverdict.runlog.run import Run

MakeRun = Callable[..., Run]
GOLD = "SELECT count(*) FROM t WHERE a > 5"
OTHER = "SELECT count(*) FROM t WHERE a > 6"
FAILURE = "a bug of ours"
"""Where a check fails on a query, this is said; the last test sees to that."""
HOSTILE = [
    " UNION ".join(["SELECT id FROM t"] * 1_000),
    "SELECT id FROM t WHERE " + " AND ".join(["1"] * 985),
    "SELECT id FROM t WHERE id IN (" + ",".join(["1"] * 60_000) + ")",
    "WITH c0 AS (SELECT 1 AS a), "
    + ", ".join(f"c{n} AS (SELECT x.a FROM c{n - 1} x, c{n - 1} y)" for n in range(1, 26))
    + " SELECT a FROM c25",
    "WITH w(a, b) AS (SELECT * FROM (SELECT id AS z, id AS z FROM t) LIMIT -1) SELECT b, a FROM w",
    "SELECT id FROM t /* unterminated",
    "SELECT " + "(" * 500 + "1" + ")" * 500,
    "SELECT '\ud800'",
    "SELECT json_extract('{}', CAST(x'ff' AS TEXT))",
    "",
    "\x00",
]


def line(number: int, prediction: str = OTHER, **more: Any) -> Line:
    """A line of a run log; ``make`` gives it its place."""
    shape = AnswerShapes((1, 1), (1, 1))
    evidence = Related("compare", (Reason.VALUE_MISMATCH,), shape=shape)
    return Line(
        index=number,
        id=str(number),
        db_id="d",
        question=f"How many are above {number}?",
        gold=(GOLD,),
        prediction=prediction,
        abstained=False,
        verdict=Verdict.INCORRECT,
        scores={"ex": 0.0},
        evidence=(evidence,),
        **more,
    )


def lines(numbers: Iterable[int]) -> list[Line]:
    return [replace(line(number), index=position) for position, number in enumerate(numbers)]


def peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_four_times_the_cases_take_the_same_memory(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gold_module, "IN_MEMORY", 50)
    runs = {
        count: [make_run(f"{name}{count}", *lines(range(count))) for name in ("a", "b")]
        for count in (50, 200, 800)
    }
    # The first audit imports and fills caches that all of them share.
    suspect_golds(runs[50])
    few, many = (peak(lambda n=n: suspect_golds(runs[n])) for n in (200, 800))
    assert many < 1.5 * few
    suspects = suspect_golds(runs[800])
    assert (suspects.golds, len(suspects.suspects)) == (800, 800)
    assert len("".join(audit_text(suspects)).split("\n## ")) == 801


def test_runs_in_another_order_or_of_other_cases_are_brought_together(make_run: MakeRun) -> None:
    numbers = list(range(40))
    Random(3).shuffle(numbers)
    runs = [
        make_run("a", *lines(range(40))),
        make_run("b", *lines(numbers)),
        make_run("c", *lines(range(0, 40, 3))),
    ]
    results = {
        report.case.id: [answer.system for answer in report.answers]
        for report in gold_reports(runs)
    }
    assert len(results) == 40
    for number in range(40):
        expected = ["a", "b", "c"] if number % 3 == 0 else ["a", "b"]
        assert results[str(number)] == expected


@pytest.mark.parametrize("in_memory", [1, 7, 1_000])
def test_a_ranking_is_the_same_in_memory_and_in_a_file(
    monkeypatch: pytest.MonkeyPatch, in_memory: int
) -> None:
    monkeypatch.setattr(gold_module, "IN_MEMORY", in_memory)
    rng = Random(1)
    members = [(rng.choice((0.1, 0.5, 0.9)), number) for number in range(100)]
    result = Ranking[int]()
    for rank, number in members:
        result.add(rank, number)
    ranked = result.ranked()
    expected = [number for _, number in sorted(members, key=lambda one: -one[0])]
    assert list(ranked) == expected
    assert list(ranked[:3]) == expected[:3]
    assert (ranked[0], ranked[-1], len(ranked)) == (expected[0], expected[-1], 100)


@pytest.fixture
def hostile(tmp_path: Path) -> list[str]:
    """A benchmark of hostile golds, as arguments."""
    path = tmp_path / "databases" / "d" / "d.sqlite"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER)")
        connection.commit()
    cases = tmp_path / "cases.jsonl"
    with cases.open("w") as out:
        for number, sql in enumerate(HOSTILE):
            text = sql.encode("utf-8", "replace").decode()
            question = line(number).question
            record = {"id": str(number), "db_id": "d", "question": question, "gold": text or "x"}
            out.write(json.dumps(record | {"prediction": "SELECT 1"}) + "\n")
    return ["--cases", str(cases), "--databases", str(path.parent.parent)]


def call(*arguments: object) -> Result:
    return CliRunner().invoke(sqlverdict, [str(each) for each in arguments])


@pytest.mark.slow
def test_doctor_never_raises_on_hostile_golds(hostile: list[str]) -> None:
    result = call("doctor", *hostile, "--no-cache", "--json")
    assert isinstance(result.exception, SystemExit | None)
    assert result.exit_code in (0, 1, 3), result.output
    diagnosis = json.loads(result.stdout)
    assert diagnosis["cases"] == len(HOSTILE)
    assert FAILURE not in result.output


@pytest.mark.slow
def test_audit_never_raises_on_hostile_golds_and_predictions(
    hostile: list[str], make_run: MakeRun
) -> None:
    texts = [sql for sql in HOSTILE if "\ud800" not in sql]
    sentence = [line(number, text) for number, text in enumerate(texts)]
    commands = [
        replace(one, gold=(text,)) for one, text in zip(sentence, reversed(texts), strict=True)
    ]
    runs = [make_run("a", *commands), make_run("b", *sentence)]
    suspects = suspect_golds(runs)
    assert suspects.golds == len(texts)
    assert not [note for note in suspects.notes if FAILURE in note]
    output = call("audit", *(run.folder for run in runs), *hostile, "--execute", "--json")
    assert output.exit_code == 0, output.output
    record = json.loads(output.output)
    assert not [note for note in record["notes"] if FAILURE in note]
    assert all(0 < suspect["rank"] < 1 for suspect in record["suspects"])


def test_a_suspicion_that_fails_is_counted_and_ends_nothing(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlverdict.audit.suspicion import SUSPICIONS

    name = SUSPICIONS.names()[0]

    def fail(report: object) -> None:
        raise RecursionError(str(report)[:5])

    monkeypatch.setattr(SUSPICIONS.get(name), "look", fail)
    suspects = suspect_golds([make_run("a", *lines([1, 2]))])
    assert suspects.golds == 2
    (note,) = (note for note in suspects.notes if FAILURE in note)
    assert note.startswith("2 golds ")
    assert name in note
