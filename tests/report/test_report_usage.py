"""What a run spent, in summaries, reports, leaderboards and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.records import PredictionUsage, Result, Verdict
from sqlverdict.report.one_run.markdown import write_markdown
from sqlverdict.report.one_run.sections import usage_sentences, usage_table
from sqlverdict.report.several_runs.comparison import compare_runs, compared_usage_table
from sqlverdict.report.several_runs.leaderboard import leaderboard_table, rank_runs
from sqlverdict.report.terminal.tables import plain_table
from sqlverdict.runlog.log import encode_result
from sqlverdict.runlog.run import Run, read_run
from sqlverdict.score.usage import UsageCounts

MakeRun = Callable[..., Run]
R, W, U = Verdict.CORRECT, Verdict.INCORRECT, Verdict.UNSCORED


@pytest.fixture
def spending(make_run: MakeRun, make_result: Callable[..., Result]) -> MakeRun:
    def make(name: str, cases: list[tuple[Verdict, float | None]]) -> Run:
        results = [
            make_result(
                number,
                verdict=verdict,
                usage=None if cost is None else PredictionUsage(cost=cost, latency=2.0),
            )
            for number, (verdict, cost) in enumerate(cases)
        ]
        return make_run(name, results)

    return make


def test_figures_are_over_the_cases_that_say(spending: MakeRun) -> None:
    run = spending("a", [(R, 1.0), (W, 2.0), (R, 6.0), (R, None), (U, 100.0)])
    cost, latency = read_run(run.folder).summary.usage
    assert (cost.known, cost.unknown, cost.total) == (4, 1, 109.0)
    assert (cost.mean, cost.median, cost.p95) == (27.25, 4.0, 100.0)
    assert cost.per_right == 4.5  # 9 over decided cases, two of which are right
    assert (latency.quantity, latency.per_right) == ("latency", 3.0)
    assert plain_table(usage_table(run.summary.usage)).splitlines()[2].split()[:3] == [
        "cost",
        "4",
        "27.25",
    ]
    assert usage_sentences(run.summary.usage) == [
        "1 prediction without cost, latency (s): left out of these figures, not counted as 0"
    ]
    text = write_markdown(run).read_text()
    assert "| cost | 4 | 27.25 | 4 | 100 | 109 | 4.5 |" in text


def test_p95_is_the_smallest_value_that_95_of_100_do_not_exceed() -> None:
    for size, expected in ((1, 1), (19, 19), (20, 19), (21, 20), (100, 95), (101, 96)):
        counts = UsageCounts()
        for value in range(1, size + 1):
            counts.add(PredictionUsage(tokens=value), None)
        (tokens,) = counts.figures()
        assert (tokens.p95, tokens.per_right) == (expected, None)


def test_a_run_without_usage_has_none_and_its_lines_stay_as_they_were(
    spending: MakeRun, make_result: Callable[..., Result]
) -> None:
    run = spending("a", [(R, None), (W, None)])
    assert run.summary.usage == ()
    assert "## Usage" not in write_markdown(run).read_text()
    assert b"usage" not in encode_result(make_result(0))


def test_a_leaderboard_shows_what_systems_spent(spending: MakeRun) -> None:
    runs = [spending("a", [(R, 1.0), (R, 3.0), (W, 2.0)]), spending("b", [(R, None)] * 3)]
    table = leaderboard_table(rank_runs(runs))
    assert table.headers[-3:] == ("mean cost", "cost per right", "median latency (s)")
    spent = {row[1]: row[-3:] for row in table.rows}
    assert spent == {"a": ("2", "3", "2"), "b": ("–", "–", "–")}  # noqa: RUF001
    assert len(leaderboard_table(rank_runs(runs[1:])).headers) == 8


def test_two_runs_are_compared_over_the_cases_that_both_know(spending: MakeRun) -> None:
    before = spending("a", [(R, 1.0), (W, 3.0), (R, None), (U, 50.0)])
    after = spending("b", [(R, 2.0), (R, 2.0), (R, 9.0), (R, 50.0)])
    compared = compare_runs(before, after)
    costs: list[Any] = [compared.usage_before[0], compared.usage_after[0]]
    assert [(each.known, each.mean, each.per_right) for each in costs] == [(2, 2, 4), (2, 2, 2)]
    assert compared_usage_table(compared).rows[0] == ("cost", "2", "2", "2", "4", "2")


def test_sums_do_not_depend_on_the_order_of_cases(spending: MakeRun, tmp_path: Path) -> None:
    values = [0.1, 1e9, 0.2, 1e-9, 0.3]
    totals = {
        spending(f"r{n}", [(R, v) for v in order]).summary.usage[0].total
        for n, order in enumerate((values, values[::-1], sorted(values)))
    }
    assert len(totals) == 1
