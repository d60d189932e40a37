"""Names of metrics: what the field calls them, and that none says what it does not show."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from error_parts import asks_for
from sqlverdict import Options, evaluate
from sqlverdict.errors import OptionName, UnknownMember, UsageError
from sqlverdict.records import Case
from sqlverdict.report.one_run.sections import without_sentences
from sqlverdict.report.several_runs.gate_rules import parse_minimum
from sqlverdict.score.metric import ALIASES, METRICS, label_by_alias, parse_metric, parse_metrics


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("em", "esm"),
        ("EM", "esm"),
        ("exact_match", "esm"),
        ("exact-match", "esm"),
        ("exec", "ex"),
        ("execution", "ex"),
        ("EX", "ex"),
        ("ESM", "esm"),
        ("EX[BIRD]", "ex[bird]"),
        ("exec[bird]", "ex[bird]"),
        ("Soft_F1", "soft_f1"),
    ],
)
def test_other_names_are_read(name: str, label: str) -> None:
    assert parse_metric(name).label == label


def test_a_label_of_a_run_is_found_by_any_name() -> None:
    labels = ["ex", "ex[bird]", "esm"]
    assert label_by_alias("ex", labels) == ("ex", "")
    assert label_by_alias("EX[Bird]", labels) == ("ex[bird]", "")
    assert label_by_alias("exec[bird]", labels) == ("ex[bird]", "metric 'exec' is read as 'ex'")
    assert label_by_alias("Exact-Match", labels)[0] == "esm"
    assert label_by_alias("exec[spider]", labels) == ("exec[spider]", "")
    assert label_by_alias("f1", labels) == ("f1", "")
    # A plug-in's own label comes before another metric's other name.
    assert label_by_alias("em", ["em", "esm"]) == ("em", "")


def test_a_name_that_may_mislead_comes_with_a_note() -> None:
    assert parse_metric("em").note == (
        "metric 'em' is read as 'esm': EM is exact set match, as in papers on Spider; text_match "
        "compares texts"
    )
    assert parse_metric("EX").note == ""
    assert parse_metric("esm").note == ""


def test_aliases_stand_for_metrics_and_are_none() -> None:
    for alias, (metric, _) in ALIASES.items():
        assert METRICS.has(metric)
        assert not METRICS.has(alias)


def test_the_same_metric_under_two_names_is_given_twice() -> None:
    with pytest.raises(UsageError, match="'esm' is given"):
        parse_metrics("esm,em")


@pytest.mark.parametrize(("name", "near"), [("exx", "ex"), ("text_mach", "text_match")])
def test_an_unknown_name_gets_a_suggestion(name: str, near: str) -> None:
    with pytest.raises(UnknownMember) as unknown:
        parse_metric(name)
    assert (unknown.value.name, unknown.value.near) == (name, near)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop" / "shop.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO item VALUES (1, 'a'), (2, 'b')")
    connection.close()
    return path


def test_the_note_reaches_the_run(shop: Path) -> None:
    case = Case("1", "shop", "?", ("SELECT name FROM item",), str(shop))
    options = Options(metrics="exec,em", workers=0, cache=None)
    run = evaluate([case], {"1": "SELECT item.name FROM item"}, options=options)
    assert list(run.manifest.metrics) == ["ex", "esm"]
    assert any("'em' is read as 'esm'" in note for note in run.manifest.notes)


def test_ts_without_a_suite_is_unscored_with_its_reason(shop: Path) -> None:
    case = Case("1", "shop", "?", ("SELECT name FROM item",), str(shop))
    options = Options(metrics="ex,ts", workers=0, cache=None)
    run = evaluate([case], {"1": "SELECT name FROM item"}, options=options)
    assert run.estimate("ts").value is None
    assert run.estimate("ex").value == 1
    assert run.summary.without == {"ts: NO_TEST_SUITE": 1}
    (sentence,) = without_sentences(run.summary)
    assert sentence.startswith("ts is unscored in 1 case: NO_TEST_SUITE")


@pytest.mark.parametrize("text", ["ex=60", "ex[bird]=1.5", "verdict=101%"])
def test_a_minimum_above_one_is_a_usage_error(text: str) -> None:
    with asks_for(OptionName("min", text)) as refusal:
        parse_minimum(text)
    assert "between 0 and 1" in str(refusal.value)


def test_a_minimum_in_percent_says_how_to_write_it() -> None:
    with pytest.raises(UsageError, match=r"Write ex=60% or ex=0\.6"):
        parse_minimum("ex=60")
    assert parse_minimum("ex=60%") == ("ex", 0.6)
    assert parse_minimum("ves=1.2") == ("ves", 1.2)
