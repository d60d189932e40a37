"""TrustSQL's tables: on small files of our own, and on the published ones."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from demo_runs import DemoRun
from sqlverdict.load.benchmarks.demo import systems
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.paper_data import DEMO, PaperData
from sqlverdict.papers.reproduce import (
    Reproduction,
    choose_exhibits,
    load_paper,
    reproduce_exhibits,
)
from sqlverdict.papers.trustsql.printed import TABLE_2, TABLE_3, printed_rows
from sqlverdict.pipeline import Options
from sqlverdict.runlog.run import read_run

PAPER = load_paper("trustsql")
COUNTS = {
    "method": "SQLP[VOTING]",
    "dataset": "spider",
    "n_ans": 527,
    "n_unans": 525,
    "ans_correct": 61,
    "ans_wrong": 7,
    "ans_abstain": 459,
    "un_abstain": 519,
    "un_answered": 6,
}
SYSTEMS = ("sqlprompt", "cls_sqlprompt", "sqlprompt_err", "pipeline", "demo", "voting", "vote_top")
GOLD = "SELECT name FROM item"


def record(number: int, decision: str | None, kind: str | None = None) -> dict[str, Any]:
    answerable = kind is None
    return {
        "id": f"r{number}",
        "dataset": "spider",
        "db_id": "shop",
        "question": f"Question {number}?",
        "answerable": answerable,
        "gold_sql": GOLD if answerable else None,
        "hardness": "easy" if answerable else None,
        "unans_type_inferred": kind,
        "raw": {"sqlprompt_voting5": [decision or GOLD] * 4 + [decision or "SELECT 1"]},
        "gates": {"clsprompt": "answerable" if answerable else "not_answerable", "vote_frac": 1.0},
        "decision": dict.fromkeys(SYSTEMS, decision) | {"vote_top": decision or GOLD},
    }


@pytest.fixture
def small(tmp_path: Path) -> PaperData:
    """Two answerable questions, one answered rightly; two others, one answered."""
    folder = tmp_path / "data" / "spider" / "database" / "shop"
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "shop.sqlite")) as connection:
        connection.executescript("CREATE TABLE item (name TEXT); INSERT INTO item VALUES ('pen');")
    records = [
        record(1, "SELECT item.name FROM item"),
        record(2, "SELECT 1"),
        record(3, None, "column-surface"),
        record(4, GOLD, "ext-know"),
    ]
    trustsql = tmp_path / "data" / "trustsql"
    trustsql.mkdir()
    lines = [json.dumps(one) for one in records]
    (trustsql / "trustsql_spider_test.jsonl").write_text("\n".join(lines) + "\n")
    (trustsql / "paper_table_counts.json").write_text(json.dumps([COUNTS]))
    return PaperData(tmp_path / "data", tmp_path / "out", Options(workers=0))


def result(data: PaperData, name: str) -> Reproduction:
    return next(iter(reproduce_exhibits(PAPER, choose_exhibits(PAPER, [name]), data)))


def cells(data: PaperData, name: str) -> dict[tuple[str, str], PaperCell]:
    return {(cell.row, cell.column): cell for cell in result(data, name).cells}


def test_scores_follow_from_counts_and_from_recorded_answers(small: PaperData) -> None:
    table_2, table_3 = cells(small, "2"), cells(small, "3")
    voting = table_2["SQLP[VOTING]", "ANS Spider"]
    assert (voting.our_text, voting.difference, voting.n) == ("11.6", "equal", 527)
    assert table_2["ABSTAIN-ALL", "ANS+UnANS Spider"].difference == "equal"
    assert table_3["SQLP[VOTING]", "RS(10) ANS+UnANS Spider"].difference == "equal"
    assert table_3["SQLP[VOTING]", "RS(N) ANS Spider"].difference == "equal"
    quarter = table_2["SQLP[VOTING]", "25% Spider"]
    assert quarter.difference in ("equal", "-0.2")
    ran = table_2["SQLP[DEMO], recorded", "ANS+UnANS Spider"]
    assert (ran.ours, ran.paper, ran.n) == (50.0, "68.7", 4)
    assert "another database's schema" in ran.reason
    assert "schema" not in table_2["SQLP[DEMO], recorded", "ANS Spider"].reason
    harm = table_3["SQLP[VOTING], recorded", "RS(N) ANS Spider"]
    assert (harm.ours, harm.n) == (-50.0, 2)
    assert table_2["T5", "ANS Spider"].ours is None
    assert table_2["T5", "ANS Spider"].reason


def test_shares_by_hardness_and_by_type(small: PaperData) -> None:
    assert cells(small, "10")["SQLP", "medium"].ours is None, "there is no such question"
    lines = [record(n, GOLD) | {"hardness": level} for n, level in ((5, "medium"), (6, "hard"))]
    lines += [
        record(n, None, kind)
        for n, kind in ((7, "column-related"), (8, "column-unrelated"), (9, "non-sql"))
    ]
    file = small.path("trustsql", "trustsql_spider_test.jsonl")
    file.write_text(file.read_text() + "".join(json.dumps(line) + "\n" for line in lines))
    data = PaperData(small.root, small.folder / "more", small.options)
    assert cells(data, "10")["SQLP", "easy"].ours == 50.0
    assert cells(data, "11")["SQLP[DEMO]", "medium"].ours == 100.0
    by_type = cells(data, "12")
    assert by_type["SQLP[VOTING]", "surface"].ours == 100.0
    assert by_type["SQLP[VOTING]", "out-of-domain"].ours == 0.0
    assert by_type["T5[MaxEnt]", "surface"].ours is None


def test_votes_answer_where_all_samples_agree(small: PaperData) -> None:
    """Of four questions the fifth sample of one disagrees: five samples hold it back, three not."""
    table = cells(small, "7")
    assert (table["5 samples", "answers given"].ours, table["5 samples", "RS(0)"].n) == (3, 4)
    # One right, one held back rightly, two answered wrongly: 2/4, (2 - 20)/4, (2 - 8)/4.
    five = [table["5 samples", f"RS({penalty})"].ours for penalty in ("0", "10", "N")]
    assert five == [50.0, -450.0, -150.0]
    assert table["3 samples", "answers given"].ours == 4
    assert table["3 samples", "RS(0)"].ours == 25.0
    assert table["10 samples", "RS(0)"].ours is None


@pytest.mark.slow
def test_a_missing_file_is_named_and_the_demo_shows_the_form(
    tmp_path: Path, demo_run: DemoRun
) -> None:
    runs = [read_run(demo_run.folder / DEMO / name) for name in systems()]
    data = PaperData(None, tmp_path, runs={DEMO: runs})
    outcome = result(data, "3")
    assert outcome.note.startswith("trustsql/paper_table_counts.json is not in the data folder.")
    assert any(cell.row == "bold" and cell.ours is not None for cell in outcome.cells)
    assert result(data, "6").note == "It takes a language model."
    assert [figure.name for figure in result(data, "figure 2").figures] == ["threshold.svg"]


def test_a_row_of_printed_values_has_one_for_each_column() -> None:
    assert printed_rows(("a", "b"), "X  1.0 -") == {("X", "a"): "1.0"}
    with pytest.raises(ValueError, match="zip"):
        printed_rows(("a",), "X  1 2")


@pytest.mark.data
def test_every_cell_of_tables_2_and_3_that_has_counts_is_the_papers(
    data_root: Path, tmp_path: Path
) -> None:
    data = PaperData(data_root, tmp_path, Options(workers=0))
    for name, printed, number in (("2", TABLE_2, 120), ("3", TABLE_3, 232)):
        own = cells(data, name)
        equal = [
            position
            for position in printed
            if not position[1].startswith("25%") and own[position].difference == "equal"
        ]
        assert len(equal) == number - (4 if name == "2" else 0)
    recorded = {
        row: own[f"{row}, recorded", "RS(N) ANS+UnANS Spider"].number
        for row in ("CLS>SQLP>SELFREF", "SQLP[DEMO]", "SQLP[VOTING]")
    }
    assert recorded == {
        "CLS>SQLP>SELFREF": pytest.approx(-6227.4, abs=0.05),
        "SQLP[DEMO]": pytest.approx(-34632.9, abs=0.05),
        "SQLP[VOTING]": pytest.approx(-5341.7, abs=0.05),
    }


@pytest.mark.data
def test_sizes_are_the_papers(data_root: Path, tmp_path: Path) -> None:
    data = PaperData(data_root, tmp_path)
    schemas = cells(data, "4")
    assert [schemas["Spider", column].difference for column in ("tables", "columns")] == [
        "equal",
        "equal",
    ]
    sizes = cells(data, "1")
    assert (sizes["Spider", "UnANS"].ours, sizes["Spider", "UnANS"].difference) == (527, "+2")
    assert sizes["EHRSQL", "UnANS"].difference == "equal"
