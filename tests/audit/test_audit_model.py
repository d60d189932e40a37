"""The probability that a gold is wrong: the model's file, its features, its fit, its ranks."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from math import inf, log, nan
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from sqlverdict.audit.gold import suspect_golds
from sqlverdict.audit.gold_markdown import suspect_markdown
from sqlverdict.audit.gold_model import (
    Feature,
    GoldModel,
    gold_features,
    gold_model,
    logistic,
    read_gold_model,
)
from sqlverdict.audit.gold_report import GoldReport, miss_weight, report_of
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import UsageError
from sqlverdict.evidence import Evidence, Failed, Judged, Related, Relation, Signs
from sqlverdict.evidence_parts import LoggedSign
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Outcome, Reason, Result, Verdict
from sqlverdict.runlog.run import Run

MakeRun = Callable[..., Run]
GOLD = "SELECT name FROM player WHERE city = 'Rome'"
OTHER = "SELECT name FROM player WHERE town = 'Rome'"


def line(prediction: str | None = OTHER, *evidence: Evidence, **more: Any) -> Result:
    right = more.pop("right", prediction == GOLD)
    usual: dict[str, Any] = {
        "index": 0,
        "id": "7",
        "db_id": "league",
        "question": "Who plays in Rome?",
        "gold": (GOLD,),
        "prediction": prediction,
        "abstained": prediction is None,
        "verdict": Verdict.CORRECT if right else Verdict.INCORRECT,
        "scores": {"ex": None if right is None else float(right)},
        "evidence": evidence,
    }
    return Result(**(usual | more))


def arranged() -> Related:
    return Related("compare", relations=(Relation("extra_columns"),))


def report(*results: Result, **more: Any) -> GoldReport:
    return report_of([(f"system {n}", each) for n, each in enumerate(results)], **more)


def raised(result: GoldReport) -> list[Suspicion]:
    return [each for _, one in SUSPICIONS.items() for each in one.look(result)]


def features(result: GoldReport) -> dict[str, Feature]:
    return {each.name: each for each in gold_features(result, raised(result))}


def probability(*results: Result) -> float:
    page = report(*results)
    return gold_model().probability(gold_features(page, raised(page)))


def systems(against: int, of: int) -> list[Result]:
    """Some systems, so many of them against the gold, each with another query."""
    wrong = [line(f"SELECT name FROM player WHERE id = {n}") for n in range(against)]
    return [*wrong, *(line(GOLD) for _ in range(of - against))]


def test_the_models_file_says_where_it_comes_from() -> None:
    model = gold_model()
    assert set(model.coefficients) == {
        "mismatch",
        "agreement",
        "same_values",
        "gold_signs",
        "gold_doubts",
        "distinct_against",
    }
    counts = model.provenance["counts"]
    assert (
        set(counts)
        == set(model.provenance["labels"])
        == {
            "revisions",
            "corrected",
            "spider",
            "bird",
        }
    )
    assert all(0 < each["wrong"] < each["golds"] for each in counts.values())
    # An average gold is about as often wrong as the labels say.
    golds = sum(each["golds"] for each in counts.values())
    share = sum(each["wrong"] for each in counts.values()) / golds
    assert abs(logistic(model.intercept) - share) < 0.1


def test_every_feature_has_a_coefficient_of_the_sign_that_its_words_promise() -> None:
    model = gold_model()
    slopes = {**model.coefficients, **model.assumed}
    assert set(slopes) == set(features(report(line())))
    assert {name for name, slope in slopes.items() if slope < 0} == {"same_values"}
    assert all(slopes.values())


@pytest.mark.parametrize("of", [1, 2, 4, 13])
def test_the_more_systems_differ_the_likelier_the_gold_is_wrong(of: int) -> None:
    ranks = [probability(*systems(against, of)) for against in range(of + 1)]
    assert ranks == sorted(set(ranks))
    assert 0 < ranks[0] < 0.2 < 1
    assert ranks[-1] < 1


def test_ten_of_ten_say_more_than_one_of_one() -> None:
    assert probability(*systems(1, 1)) < probability(*systems(3, 3)) < probability(*systems(10, 10))


def test_what_systems_say_moves_the_probability() -> None:
    alone = probability(*systems(4, 4))
    assert probability(*[line() for _ in range(4)]) > alone
    distinct = [line(f"SELECT DISTINCT name FROM player WHERE id = {n}") for n in range(4)]
    assert probability(*distinct) > alone
    alike = [line(f"SELECT name, id FROM player WHERE id = {n}", arranged()) for n in range(4)]
    assert probability(*alike) < alone
    judged = Judged("flex", correct=True, explanation="fine")
    blamed = Judged("flex", correct=True, categories=("wrong_gold",))
    differs = Related("compare")
    first, *rest = systems(4, 4)
    confirmed = replace(first, evidence=(differs, judged))
    blames = replace(first, evidence=(differs, blamed))
    assert alone < probability(confirmed, *rest) < probability(blames, *rest)


def test_where_nothing_was_compared_the_gold_is_average() -> None:
    for results in ([line(None)], [line(OTHER, right=None)]):
        assert probability(*results) == pytest.approx(logistic(gold_model().intercept), abs=0.05)
        assert features(report(*results))["mismatch"].value is None


def test_one_system_cannot_agree_with_another() -> None:
    assert features(report(line()))["agreement"].value is None
    assert features(report(*systems(2, 2)))["agreement"].value == 0
    assert features(report(line(), line()))["agreement"].value == 1


def test_distinct_inside_a_text_is_no_distinct() -> None:
    spoken = [line("SELECT name FROM player WHERE city = 'distinct' -- DISTINCT")] * 2
    assert features(report(*spoken))["distinct_against"].value == 0
    lines = [line("SELECT DISTINCT name FROM player WHERE id = 1")] * 2
    assert features(report(*lines))["distinct_against"].value == 1
    both = [replace(each, gold=("SELECT distinct name FROM player",)) for each in lines]
    assert features(report(*both))["distinct_against"].value == 0


def test_a_gold_that_does_not_match_itself() -> None:
    query = "select name from player as p where p.city = 'Rome'"
    page = report(line(query), line(OTHER))
    (suspicion,) = [each for each in raised(page) if each.name == "gold_self"]
    assert suspicion.systems == ("system 0",)
    assert features(page)["gold_self"].value == 1
    assert features(report(line(query, right=True)))["gold_self"].value == 0


def test_signs_of_the_gold_come_from_the_log_or_from_the_data(tmp_path: Path) -> None:
    strong = LoggedSign("dead_literal", "strong", "no row fulfils it")
    weak = LoggedSign("unused_table", "weak", "nothing of it is used")
    logged = Signs("signs", gold=(weak, strong))
    page = report(line(OTHER, logged), line(OTHER, logged))
    (suspicion,) = [each for each in raised(page) if each.name == "gold_signs"]
    assert suspicion.message.startswith("dead_literal: no row fulfils it; unused_table")
    assert features(page)["gold_signs"].value == 1
    only = Signs("signs", gold=(weak,))
    assert features(report(line(OTHER, only)))["gold_signs"].value == 0

    file = tmp_path / "league.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.executescript(
            "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, city TEXT);"
            "INSERT INTO player VALUES (1, 'Ada', 'rome'), (2, 'Bo', 'Oslo');"
        )
    runner = QueryRunner("sqlite", Limits())

    def rerun(_: str, sql: str) -> Outcome:
        return runner.run(str(file), sql)

    gold = ("SELECT count(*) FROM player WHERE city = 'Rome'",)
    schemas = {"league": read_sqlite(str(file))}
    details = report(line(gold=gold), schemas=schemas, rerun=rerun)
    words = features(details)["gold_signs"].words
    assert words == "the gold shows dead_literal, zero_answer"
    assert features(report(line(gold=gold)))["gold_signs"].value == 0


def test_ranks_do_not_hang_on_the_order_of_runs_or_on_what_is_listed(make_run: MakeRun) -> None:
    runs = [
        make_run(name, line(text)) for name, text in zip("abc", (OTHER, OTHER, GOLD), strict=True)
    ]
    (suspect,) = suspect_golds(runs).suspects
    (other,) = suspect_golds(runs[::-1]).suspects
    (single,) = suspect_golds(runs, only=["systems_agree"]).suspects
    assert suspect.rank == other.rank == single.rank
    assert [one.name for one in single.suspicions] == ["systems_agree"]
    assert suspect_golds(runs, only=["gold_fails"]).suspects == ()
    again = msgspec.json.encode(suspect_golds(runs).suspects[0].as_record())
    assert again == msgspec.json.encode(suspect.as_record())


def test_a_gold_that_many_miss_is_listed_though_nobody_agrees(make_run: MakeRun) -> None:
    runs = [make_run(str(n), each) for n, each in enumerate(systems(5, 6))]
    (suspect,) = suspect_golds(runs).suspects
    assert suspect.suspicions == ()
    (raised,) = suspect.raised_by
    # Five of six do not match, with half a system on either side. The sixth was never wrong, so its
    # match counts more than the miss of one that was never right.
    weak, good = miss_weight(0, 1), miss_weight(1, 0)
    against = 5 * weak / ((5 * weak + good) / 6)
    assert (raised.name, raised.value) == (
        "mismatch",
        pytest.approx(log((against + 0.5) / (6 - against + 0.5))),
    )
    assert raised.words in suspect_markdown(suspect)
    assert suspect_golds([make_run("right", line(GOLD))]).suspects == ()


def test_the_record_names_the_probability_and_what_raised_it(make_run: MakeRun) -> None:
    runs = [make_run(name, line()) for name in "abcd"]
    record = suspect_golds(runs).suspects[0].as_record()
    adds = {each["name"]: each["adds"] for each in record["features"]}
    total = gold_model().intercept + sum(adds.values())
    assert record["schema"] == 2
    assert record["rank"] == pytest.approx(logistic(total), abs=1e-3)
    assert max(adds, key=lambda name: adds[name]) == "mismatch"


def test_the_command_says_the_probability_in_words(make_run: MakeRun) -> None:
    folders = [str(make_run(name, line()).folder) for name in "abcd"]
    result = CliRunner().invoke(sqlverdict, ["audit", *folders])
    assert result.exit_code == 0, result.output
    assert "7 (league): rank 0." in result.output
    assert "4 of 4 systems do not match the gold" in result.output
    assert "4 of 4 systems agree on another answer" in result.output
    alone = CliRunner().invoke(sqlverdict, ["audit", folders[0], "--set", "min-rank=0.1"])
    assert "1 of 1 systems do not match the gold" in alone.output


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_a_feature_that_is_no_number_counts_as_average(value: float) -> None:
    model = gold_model()
    odd = [Feature("mismatch", value, ""), Feature("of a plug-in", 3.0, "")]
    assert model.probability(odd) == logistic(model.intercept)
    huge = [Feature("mismatch", 1e308, "")]
    assert model.probability(huge) == 1
    assert model.weigh(huge)[0].odds < inf


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"intercept": "0", "coefficients": {}, "means": {}}',
        '{"intercept": 0, "coefficients": {"mismatch": 1}, "means": {}}',
        '{"intercept": 0, "coefficients": {}, "means": {}, "weights": {}}',
        '{"intercept": 1e999, "coefficients": {}, "means": {}}',
    ],
)
def test_a_file_that_is_no_model_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"mine\.json"):
        read_gold_model(text.encode(), "mine.json")


@pytest.fixture
def fit_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., GoldModel]]:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "bench"))
    import gold_fit

    yield gold_fit.fit_model
    sys.modules.pop("gold_fit")


def test_a_fit_finds_the_coefficients_that_made_the_labels(
    fit_model: Callable[..., GoldModel],
) -> None:
    random = Random(3)
    rows = [{"a": random.gauss(0, 1), "b": random.gauss(0, 1)} for _ in range(4000)]
    labels = [random.random() < logistic(-1 + 2 * row["a"] - row["b"]) for row in rows]
    model = fit_model(rows, labels, ("a", "b"))
    assert model.coefficients["a"] == pytest.approx(2, abs=0.2)
    assert model.coefficients["b"] == pytest.approx(-1, abs=0.2)
    assert fit_model(rows, labels, ("a", "b")) == model
    assert read_gold_model(msgspec.json.encode(model), "again") == model


def test_a_fit_stays_finite_where_labels_are_separable_or_features_constant(
    fit_model: Callable[..., GoldModel],
) -> None:
    rows: list[dict[str, float | None]] = [{"a": float(n), "b": 1.0, "c": None} for n in range(20)]
    model = fit_model(rows, [n > 9 for n in range(20)], ("a", "b", "c"))
    assert 0 < model.coefficients["a"] < 50
    assert model.coefficients["b"] == model.coefficients["c"] == 0
    with pytest.raises(UsageError, match="a model needs"):
        fit_model(rows, [True] * 20, ("a",))


def test_a_feature_that_fails_is_counted_and_does_not_end_the_audit(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("sqlverdict.audit.gold.gold_features", broken)
    suspects = suspect_golds([make_run(name, line()) for name in "ab"])
    assert suspects.suspects[0].rank == pytest.approx(logistic(gold_model().intercept), abs=1e-4)
    assert any("the model (RecursionError)" in note for note in suspects.notes)


def test_the_page_names_the_coefficients_of_the_file() -> None:
    page = Path(__file__).parents[2].joinpath("docs", "audit.md").read_text(encoding="utf-8")
    _, model = page.split("## The model")
    rows = [row.strip("| ").split(" | ") for row in model.splitlines() if row.startswith("| `")]
    coefficients = {row[0].strip("`"): float(row[-1].replace("−", "-")) for row in rows}  # noqa: RUF001
    fitted = {name: round(slope, 2) for name, slope in gold_model().coefficients.items()}
    assert coefficients == fitted


def test_the_models_file_is_json_that_people_read() -> None:
    from importlib.resources import files

    text = files("sqlverdict.audit").joinpath("gold_model.json").read_text(encoding="utf-8")
    assert json.dumps(json.loads(text), indent=2) + "\n" == text


def test_reasons_of_failed_predictions_are_no_agreement() -> None:
    failed = Failed("execute", (Reason.EXECUTION_ERROR,), query="prediction")
    result = features(report(*[line(OTHER, failed) for _ in range(3)]))
    assert result["agreement"].value == 0
    assert result["mismatch"].value == pytest.approx(log(3.5 / 0.5)), "none of the three matches"
