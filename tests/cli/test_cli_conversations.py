"""Conversations at every door that shows a question: the earlier questions stand before it.

The run is SParC's format with three conversations; the figures are counted by hand.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from base64 import b64decode
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from sqlverdict import Options, evaluate
from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.cli.main import sqlverdict
from sqlverdict.cli.run_cases import run_cases
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.harmless import asks_for_order
from sqlverdict.judge.opinion import Settings
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.item import show_item
from sqlverdict.label.queue import build_queue
from sqlverdict.llm.request import Reply, Request
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.databases import DatabaseLocation, find_databases
from sqlverdict.records import Case
from sqlverdict.run.judging.asking import JudgeOptions
from sqlverdict.run.task import content_bytes
from sqlverdict.runlog.run import Run, read_run
from sqlverdict.view.playground import Playground
from talks import TALKS, write_sparc

CASE = "1_2"
TEXT = ("Turn 1: Show all prices.", "Turn 2, asked now: Only the highest.")
LINE = "Only the highest. (after: Show all prices.)"


@pytest.fixture(scope="module")
def sparc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sparc(tmp_path_factory.mktemp("talks") / "sparc")


@pytest.fixture(scope="module")
def folder(sparc: Path) -> Path:
    out = sparc.parent / "run"
    run_evaluate(sparc, out)
    return out


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    return read_run(folder)


def cli(*words: str | Path) -> str:
    result = CliRunner().invoke(sqlverdict, list(map(str, words)))
    assert result.exit_code in (0, 4), result.output
    return result.output


def run_evaluate(sparc: Path, out: Path) -> str:
    return cli(
        *("evaluate", "--benchmark", "sparc", "--root", sparc, "--out", out),
        *("--predictions", sparc / "mine.txt", "--metrics", "ex[spider],esm[script],verdict"),
        *("--workers", "0", "--set", "policy=results"),
    )


def in_order(text: str) -> bool:
    """Whether a text has both turns, the earlier one first."""
    return 0 <= text.find(TEXT[0]) < text.find(TEXT[1])


def test_question_and_interaction_match_in_the_layout_of_the_script(
    sparc: Path, tmp_path: Path
) -> None:
    output = run_evaluate(sparc, tmp_path / "run")
    # Turn 2 of the second conversation, and turn 6 of the third are wrong.
    table = [line.split() for line in output.splitlines()]
    heads = next(n for n, line in enumerate(table) if line[-1:] == ["joint_all"])
    assert table[heads] == ["easy", "medium", "hard", "extra", "all", "joint_all"]
    assert table[heads + 1][-2:] == ["11", "3"]
    assert table[heads + 3][-2:] == ["0.818", "0.333"]
    assert table[heads + 6] == ["exact", "match", *table[heads + 3][1:]]
    turns = next(n for n, line in enumerate(table) if line[:2] == ["turn", "1"])
    assert output.splitlines()[turns].split(maxsplit=0)[0].endswith("turn > 4            ")
    assert table[turns + 1] == ["count", "3", "3", "2", "1", "2"]
    assert table[turns + 3] == ["execution", "1.000", "0.667", "1.000", "1.000", "0.500"]
    assert table[turns + 6] == ["exact", "match", "1.000", "0.667", "1.000", "1.000", "0.500"]
    assert "Interaction match: all turns right, 3 conversations" in output


def test_the_summary_has_both(folder: Path) -> None:
    summary = json.loads((folder / "summary.json").read_text("utf-8"))
    assert summary["sessions"] == 3
    matches = {each["metric"]: each for each in summary["interactions"]}
    assert {label: (one["total"], one["scored"]) for label, one in matches.items()} == {
        "ex[spider]": (1.0, 3),
        "esm[script]": (1.0, 3),
        "verdict": (1.0, 3),
    }
    assert [part["key"] for part in summary["slices"] if part["by"] == "turn"] == [
        *("1", "2", "3", "4"),
        "> 4",
    ]


def test_the_log_has_the_turn_and_a_second_run_takes_it_from_there(
    sparc: Path, folder: Path, run: Run
) -> None:
    lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    line = next(line for line in lines if line["id"] == CASE)
    assert (line["session"], line["turn"], line["earlier"]) == ("1", 2, ["Show all prices."])
    (result,) = (each for each in run.results() if each.id == CASE)
    assert result.earlier == ("Show all prices.",)
    before = (folder / "results.jsonl").read_bytes()
    assert "11 cases already done" in run_evaluate(sparc, folder)
    assert (folder / "results.jsonl").read_bytes() == before


def test_another_turn_before_is_another_case() -> None:
    alone = Case("1", "shop", "How many?", ("SELECT 1",))
    turns = [
        replace(alone, session="x", turn=2, earlier=("All pens?",)),
        replace(alone, session="x", turn=2, earlier=("All cups?",)),
        replace(alone, session="y", turn=2, earlier=("All cups?",)),
    ]
    assert len({content_bytes(case) for case in (alone, *turns)}) == 4


def test_show_prints_the_turns_before(folder: Path) -> None:
    assert in_order(cli("show", folder, CASE))
    assert LINE in cli("show", folder, "--verdict", "incorrect")
    rows = cli("show", folder, "--verdict", "incorrect", "--format", "csv")
    assert "session,turn,earlier" in rows
    assert "1,2,Show all prices." in rows
    assert CASE in cli("show", folder, "--text", "show all prices", "--format", "ids")


@pytest.mark.parametrize("name", ["report.md", "junit.xml"])
def test_reports_print_the_turns_before(folder: Path, name: str) -> None:
    assert in_order((folder / name).read_text("utf-8"))


def test_the_page_has_the_turns_before(folder: Path) -> None:
    page = (folder / "report.html").read_text("utf-8")
    packed = re.search(r'id="data-index">([^<]+)<', page)
    assert packed is not None
    index = msgspec.json.decode(zlib.decompress(b64decode(packed[1])))
    at = index["cases"]["id"].index(CASE)
    assert index["cases"]["earlier"][at] == ["Show all prices."]
    assert "3 conversations" in index["systems"][0]["interactions"]["title"]
    assert index["words"]["slice"]["turn"]


def test_tables_of_several_runs(folder: Path, tmp_path: Path, sparc: Path) -> None:
    other = tmp_path / "other"
    right = "\n".join(gold for talk in TALKS for _, gold in talk)
    (tmp_path / "right.txt").write_text(right)
    cli(
        *("evaluate", "--benchmark", "sparc", "--root", sparc, "--out", other),
        *("--predictions", tmp_path / "right.txt", "--metrics", "ex[spider],esm[script],verdict"),
        *("--workers", "0", "--set", "policy=results"),
    )
    board = cli("leaderboard", folder, other)
    assert "interaction match" in board
    assert re.search(r"100\.0%.*100\.0%", board)
    assert "33.3%" in board
    assert LINE in cli("compare", folder, other)
    assert "> 4" in cli("table", folder, other, "--by", "turn")
    assert "ex[spider], interaction match (n 3)" in cli("table", folder, other)


def test_label_shows_the_turns_before(sparc: Path, run: Run) -> None:
    queue = build_queue([run], "random", 100, 0)
    item = next(each for each in queue.items.values() if each.result.id == CASE)
    location = DatabaseLocation(str(sparc / "database"))
    with closing(QueryRunner("sqlite", Limits())) as runner:
        databases = CaseDatabases(runner, folder=find_databases(Path(), (".",), location))
        later = show_item(item, databases, "gold")
        first = next(each for each in queue.items.values() if each.result.turn == 1)
        alone = show_item(first, databases, "gold")
    assert later.earlier == ("Show all prices.",)
    # What is no later turn is the item that it was before there were conversations.
    assert "earlier" not in msgspec.json.decode(msgspec.json.encode(alone))


class Recorder:
    """A model that says that all is right, and keeps what it was asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def ask(self, request: Request) -> Reply:
        self.texts.append("\n".join(message.content for message in request.messages))
        return Reply('Right.\n{"correct": true}', "stop", 1, 1, 0.0)


def test_a_judge_reads_the_turns_before(sparc: Path) -> None:
    cases = [case for case in BENCHMARKS.get("sparc").read(sparc).cases if case.id == CASE]
    for judge in ("evidence", "flex"):
        model = Recorder()
        options = Options(
            "ex,flex" if judge == "flex" else "ex,verdict",
            workers=0,
            cache=None,
            judge=JudgeOptions(judge, Settings(model="m"), model),
        )
        evaluate(cases, {CASE: "SELECT min(price) FROM item"}, options=options)
        assert model.texts
        assert all(in_order(text) for text in model.texts)


def test_a_generator_is_asked_with_the_turns_before(sparc: Path) -> None:
    case = next(each for each in BENCHMARKS.get("sparc").read(sparc).cases if each.id == CASE)
    assert in_order(DatabaseIndex().ask(case).question)


def test_words_of_earlier_turns_count(sparc: Path) -> None:
    order = Case("1", "shop", "Only pens.", session="x", turn=2, earlier=("Sorted by price.",))
    plain = Case("1", "shop", "Only pens.", session="x", turn=2, earlier=("All items.",))
    assert asks_for_order(order)
    assert not asks_for_order(plain)
    cases = {case.id: case for case in BENCHMARKS.get("sparc").read(sparc).cases}
    run = evaluate(
        [cases["0_2"]],
        {"0_2": "SELECT count(*) FROM item WHERE kind = 'kitchen' AND price > 3"},
        options=Options("verdict", workers=0, cache=None),
    )
    signs = [sign.message for piece in run["0_2"].evidence for sign in getattr(piece, "signs", ())]
    assert not any("kitchen" in message for message in signs)


def test_a_tie_is_not_decided_by_the_order_of_rows_in_the_file(tmp_path: Path) -> None:
    """A script takes the rows as they lie in the file; ``ex`` never calls such a case wrong."""
    rows = ["(1, 'mug', 'kitchen')", "(2, 'cup', 'kitchen')", "(3, 'pen', 'office')"]
    first = ("Which kinds are there?", "SELECT DISTINCT kind FROM item")
    tied = ("Name an item of the first kind.", "SELECT name FROM item ORDER BY kind LIMIT 1")
    values = []
    for order in (rows, rows[1::-1] + rows[2:]):
        database = tmp_path / f"{len(values)}.sqlite"
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("CREATE TABLE item (id INTEGER, name TEXT, kind TEXT)")
            connection.execute(f"INSERT INTO item VALUES {', '.join(order)}")
            connection.commit()
        cases = [
            Case("1", "shop", first[0], (first[1],), database=str(database), session="x", turn=1),
            Case(
                *("2", "shop", tied[0], (tied[1],)),
                database=str(database),
                session="x",
                turn=2,
                earlier=(first[0],),
            ),
        ]
        answers = {"1": first[1], "2": "SELECT name FROM item ORDER BY kind, name LIMIT 1"}
        options = Options("ex,ex[spider]", workers=0, cache=None)
        run = evaluate(cases, answers, options=options)
        values.append({each.metric: each.value for each in run.summary.interactions})
    assert [value["ex[spider]"] for value in values] == [0.0, 1.0]
    assert [value["ex"] for value in values] == [None, 1.0]


def test_the_playground_knows_the_turns_before(sparc: Path, run: Run) -> None:
    location = str(sparc / "database")
    with closing(Playground(lambda run: run_cases(run, location))) as playground:
        result = playground.check(run, "2_6", TALKS[2][5][1], TALKS[2][4][1])
    assert result.verdict == "incorrect"
