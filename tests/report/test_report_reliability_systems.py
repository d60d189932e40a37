"""Several systems by RS(c): the table, groups, leaderboards, and warnings about harm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from xml.etree import ElementTree as ET

import pytest

from error_parts import asks_for
from sqlverdict.errors import UsageError
from sqlverdict.records import Result, Verdict
from sqlverdict.report.reliability.figures import ReliabilityRequest
from sqlverdict.report.reliability.systems import ReliabilityBoard, rank_reliability, read_rs_name
from sqlverdict.report.reliability.systems_tables import (
    board_page,
    board_plots,
    board_sentences,
    board_table,
    views_table,
)
from sqlverdict.report.several_runs.leaderboard import leaderboard_table, rank_runs
from sqlverdict.runlog.run import Run

MakeRun = Callable[..., Run]
MakeResult = Callable[..., Result]
Play = Callable[[str, str], Run]

# r: right, w: wrong, -: abstained, u: unscored; for unanswerable questions A: answered, _: not.
BOLD = "rrrrrrrrwwAAAA"
CAREFUL = "rrrrrr----____"
RECKLESS = "rwwwwwwwwwAAAA"


@pytest.fixture
def play(make_run: MakeRun, make_result: MakeResult) -> Play:
    """A run of a system from one letter per case."""

    def result(index: int, letter: str) -> Result:
        answerable = letter not in "A_"
        abstained = letter in "-_"
        right = letter == "r"
        return make_result(
            index,
            gold=("SELECT 1",) if answerable else (),
            answerable=answerable,
            prediction=None if abstained else "SELECT 1",
            abstained=abstained,
            verdict=Verdict.CORRECT if right else Verdict.INCORRECT,
            scores={"ex": None if letter in "uA_" else float(right)},
        )

    def make(name: str, letters: str) -> Run:
        return make_run(name, [result(index, letter) for index, letter in enumerate(letters)])

    return make


def board(runs: Sequence[Run], **request: object) -> ReliabilityBoard:
    by_system = {run.manifest.system: run for run in runs}
    return rank_reliability(by_system, ReliabilityRequest(**request))  # type: ignore[arg-type]


def test_systems_are_ranked_by_the_first_penalty_above_zero(play: Play) -> None:
    table = board([play("bold", BOLD), play("careful", CAREFUL), play("reckless", RECKLESS)])
    assert [one.system for one in table.systems] == ["careful", "bold", "reckless"]
    careful, bold, _ = table.systems
    assert careful.table.cells() == {
        "correct": 6, "abstained_answerable": 4, "wrong": 0, "needs_review": 0,
        "answered_unanswerable": 0, "abstained_unanswerable": 4,
    }  # fmt: skip
    # By hand: bold has 8 right of 14, and 6 that do harm.
    assert (bold.score("0"), bold.score("10")) == (8 / 14, (8 - 60) / 14)
    assert bold.score("N") == pytest.approx((8 - 6 * 14) / 14)
    assert bold.score("0", "ANS") == 0.8
    assert careful.score("N") == 10 / 14
    assert table.abstain_all == 4 / 14
    assert table.ranks == {"careful": 1, "bold": 2, "reckless": 3}


def test_what_cannot_be_told_apart_shares_a_rank(play: Play) -> None:
    runs = [play("a", "rrrrrrrrw-"), play("b", "rrrrrrrr-w"), play("c", "wwwwwwwwww")]
    table = board(runs, penalties=(0.0, 2.0))
    assert table.ranks == {"a": 1, "b": 1, "c": 3}
    assert any(line.startswith("RS(2): no significant difference from a") for line in
               board_sentences(table))  # fmt: skip


def test_each_system_has_the_score_of_its_own_run(play: Play) -> None:
    runs = [play("a", "rrrw"), play("b", "rruw")]
    table = board(runs)
    assert (table.common, table.compared) == (4, 3)
    assert {one.system: one.score("0") for one in table.systems} == {"a": 3 / 4, "b": 2 / 3}
    assert {run.manifest.system: run.estimate("ex").value for run in runs} == {
        "a": 0.75,
        "b": 2 / 3,
    }
    with asks_for("metric"):
        board([play("c", "uu"), play("d", "rr")])
    with pytest.raises(UsageError, match="'flex'"):
        board([play("c", "rr"), play("d", "rr")], source="flex")


def test_never_answering_stands_in_its_place_in_the_table(play: Play) -> None:
    table = board([play("bold", BOLD), play("careful", CAREFUL)])
    systems = [row[1] for row in board_table(table).rows]
    assert systems == ["careful", "ABSTAIN-ALL", "bold"]
    assert [row[0] for row in views_table(table).rows] == ["ABSTAIN-ALL", "careful", "bold"]
    better = board([play("x", "rr"), play("y", "r-")])
    assert [row[1] for row in board_table(better).rows] == ["x", "y", "ABSTAIN-ALL"]


def test_charts_and_page_name_every_system(play: Play) -> None:
    table = board([play("a<b", BOLD), play("careful", CAREFUL)])
    plots = board_plots(table)
    for svg in plots.values():
        assert {"a<b", "careful"} <= {text.text for text in ET.fromstring(svg).iter() if text.text}
    page = board_page(table, plots)
    assert "| careful" in page
    assert "(systems_by_penalty.svg)" in page


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("rs(10)", (10.0, None)),
        ("RS( N )", ("N", None)),
        ("rs(2.5, ex[bird])", (2.5, "ex[bird]")),
        ("ex", None),
        ("rs", None),
    ],
)
def test_names_of_reliability_scores(name: str, read: object) -> None:
    assert read_rs_name(name) == read


def test_a_leaderboard_by_rs(play: Play) -> None:
    runs = [play("bold", BOLD), play("careful", CAREFUL)]
    table = rank_runs(runs, "rs(10)")
    assert [(one.system, one.value) for one in table.places] == [
        ("careful", 10 / 14),
        ("bold", (8 - 60) / 14),
    ]
    assert (table.metric, table.compared) == ("rs(10)", 14)
    parts = [(one.scored, one.right, one.wrong, one.abstained) for one in table.places]
    assert parts == [(14, 10, 0, 4), (14, 8, 6, 0)]
    assert list(leaderboard_table(table).headers) == [
        "rank", "system", "rs(10)", "95% interval", "n", "right", "wrong", "wrongly abstained",
        "unscored",
    ]  # fmt: skip
    assert table.notes[0].startswith("correctness is decided by ex; never answering gives 28.6%")
    with pytest.raises(UsageError, match="a penalty"):
        rank_runs(runs, "rs(much)")


def test_a_harmful_system_that_is_first_is_named(play: Play) -> None:
    table = rank_runs([play("bold", BOLD), play("careful", CAREFUL)], "ex")
    assert table.places[0].system == "bold"
    (warning,) = [note for note in table.notes if "does harm" in note]
    assert "bold shares the first rank by ex and does harm: RS(10) is -371.4" in warning
    assert "careful is first by RS(10)" in warning


def test_there_is_no_warning_where_nobody_could_abstain(play: Play) -> None:
    table = rank_runs([play("a", "rrrrrrww"), play("b", "rwwwwwww")], "ex")
    assert not any("harm" in note for note in table.notes)
