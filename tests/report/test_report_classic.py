"""The classic tables keep the layout of the scripts, column by column."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sqlverdict.records import Result, Verdict
from sqlverdict.report.one_run.classic import Classic, classic
from sqlverdict.score.summary import Summary, summarise

MakeResult = Callable[..., Result]


def summary_of(
    make_result: MakeResult, values: list[tuple[str, float | None]], metric: str
) -> Summary:
    results = [
        make_result(i, difficulty=level, scores={metric: value}, verdict=Verdict.CORRECT)
        for i, (level, value) in enumerate(values)
    ]
    return summarise(results, [metric], binary=[metric], features=None)


def test_spider_layout(make_result: MakeResult) -> None:
    values = [("easy", 1.0), ("easy", 0.0), ("medium", 1.0), ("extra", 0.0)]
    result = classic("spider", summary_of(make_result, values, "ex[spider]"))
    assert result is not None
    assert result.notes == ()
    head, counts, rule, scores = result.text.split("\n")
    levels = ["easy", "medium", "hard", "extra", "all"]
    assert head == "{:20} {:20} {:20} {:20} {:20} {:20}".format("", *levels)
    assert counts == "{:20} {:<20d} {:<20d} {:<20d} {:<20d} {:<20d}".format("count", 2, 1, 0, 1, 4)
    assert rule == "=====================   EXECUTION ACCURACY     ====================="
    assert scores.split() == ["execution", "0.500", "1.000", "0.000", "0.000", "0.500"]
    assert [scores.index(text) for text in ("0.500", "1.000")] == [21, 42]


def test_bird_layout(make_result: MakeResult) -> None:
    values = [("simple", 1.0), ("moderate", 0.0), ("challenging", 1.0)]
    result = classic("bird", summary_of(make_result, values, "ex[bird]"))
    assert result is not None
    head, counts, rule, scores = result.text.split("\n")
    levels = ["simple", "moderate", "challenging", "total"]
    assert head == "{:20} {:20} {:20} {:20} {:20}".format("", *levels)
    assert counts == "{:20} {:<20} {:<20} {:<20} {:<20}".format("count", 1, 1, 1, 3)
    assert rule.strip("=") == "    ACCURACY    "
    assert len(rule) == 91
    assert scores == "{:20} {:<20.2f} {:<20.2f} {:<20.2f} {:<20.2f}".format(
        "accuracy", 100, 0, 100, 200 / 3
    )


def test_unscored_cases_and_another_comparison_are_told(make_result: MakeResult) -> None:
    result = classic("spider", summary_of(make_result, [("easy", 1.0), ("easy", None)], "ex"))
    assert result is not None
    assert result.text.split("\n")[1].split() == ["count", "1", "0", "0", "0", "1"]
    assert any("ex[spider]" in note for note in result.notes)
    assert any("1 unscored case left out" in note for note in result.notes)


def test_no_table_where_there_is_nothing_to_diff(make_result: MakeResult) -> None:
    assert classic("jsonl", summary_of(make_result, [("easy", 1.0)], "ex")) is None
    assert classic("spider", summary_of(make_result, [("easy", 1.0)], "em")) is None
    unlabelled = summarise([make_result(0)], ["ex"], binary=["ex"], features=None)
    assert classic("spider", unlabelled) is None


@pytest.mark.data
@pytest.mark.parametrize("system", ["C3", "DAIL"])
def test_the_official_verdicts_give_the_official_table(
    data_root: Path, make_result: MakeResult, system: str
) -> None:
    """Official verdicts in, the figures that the official script would print out."""
    path = data_root / "spider_reference" / f"dev_{system}.jsonl"
    items = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
    values = [(item["hardness"], float(item["exec"])) for item in items if "exec" in item]
    result = classic("spider", summary_of(make_result, values, "ex[spider]"))
    assert result is not None
    right = sum(value for _, value in values)
    assert result.text.split()[-1] == f"{right / len(values):.3f}"
    easy = [value for level, value in values if level == "easy"]
    assert result.text.split("\n")[3].split()[1] == f"{sum(easy) / len(easy):.3f}"


def test_spider_s_exact_match_is_printed_beside_execution(make_result: MakeResult) -> None:
    def both(label: str) -> Classic | None:
        results = [
            make_result(n, difficulty="easy", scores={"ex[spider]": 1.0, label: float(n)})
            for n in range(2)
        ]
        labels = ["ex[spider]", label]
        return classic("spider", summarise(results, labels, binary=labels, features=None), results)

    result = both("esm[script]")
    assert result is not None
    assert result.notes == ()
    *_, rule, scores = result.text.split("\n")
    assert rule == "====================== EXACT MATCHING ACCURACY ====================="
    assert scores.split() == ["exact", "match", "0.500", "0.000", "0.000", "0.000", "0.500"]
    other = both("esm")
    assert other is not None
    assert any("esm[script]" in note for note in other.notes)


def test_exact_match_is_over_the_cases_that_are_counted(make_result: MakeResult) -> None:
    values = [(1.0, 1.0), (1.0, 0.0), (0.0, None), (None, 1.0)]
    labels = ["ex[spider]", "esm[script]"]
    results = [
        make_result(n, difficulty="easy", scores=dict(zip(labels, pair, strict=True)))
        for n, pair in enumerate(values)
    ]
    summary = summarise(results, labels, binary=labels, features=None)
    table = classic("spider", summary, results)
    assert table is not None
    _, counts, _, execution, _, _, exact = table.text.split("\n")
    assert counts.split()[-1] == "3"
    assert execution.split()[-1] == "0.667"
    assert exact.split()[-1] == "0.333"
    assert any("1 case counts as 0 in exact match" in note for note in table.notes)
