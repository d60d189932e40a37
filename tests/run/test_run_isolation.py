"""No text of a prediction takes a case out of a metric; no bug of ours takes its other scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.evidence import Undecided
from sqlverdict.evidence_parts import StageFailure
from sqlverdict.records import Case, Fault, Reason, Result, Score, Verdict
from sqlverdict.runlog.run import Run
from sqlverdict.score.metric import METRICS

MakeCase = Callable[..., Case]
GOLD = "SELECT name FROM person WHERE age > 40"
WRONG = "SELECT name FROM person"

PADDINGS = {
    "conjunction": f"{WRONG} WHERE " + " AND ".join(["1"] * 985),
    "conjunction that is read": f"{WRONG} WHERE " + " AND ".join(["1"] * 780),
    "disjunction that is read": f"{WRONG} WHERE " + " OR ".join(["age > 0"] * 780),
    "conjunction that no engine reads": f"{WRONG} WHERE " + " AND ".join(["1"] * 5_000),
    "columns of one name": "WITH w(a, b) AS (SELECT * FROM (SELECT name AS z, age AS z FROM person) "
    "LIMIT -1) SELECT b, a FROM w",
    "open comment": f"{WRONG} /* ",
    "parentheses": f"{WRONG} WHERE " + "(" * 90 + "1" + ")" * 90,
    "concatenation": "SELECT name" + "||''" * 900 + " FROM person",
    "sum": "SELECT age" + "+0" * 900 + " FROM person",
    "union": " UNION ALL ".join([WRONG] * 300),
    "longest union": " UNION ALL ".join([WRONG] * 500),
    "nested queries": "SELECT name FROM " + "(SELECT * FROM " * 20 + "person" + ")" * 20,
    "many values": f"{WRONG} WHERE age IN ({', '.join(map(str, range(2_000)))})",
    "many columns": f"SELECT {', '.join(['name'] * 1_500)} FROM person",
    "odd characters": 'SELECT name AS "\u202e\ufeff" FROM person /*\U0001f600',
    "half a surrogate pair": "SELECT '\ud800' FROM person",
    "NUL": f"{WRONG}\0 --",
    "not one query": "VALUES (1)",
    "long name": f'SELECT name AS "{"x" * 20_000}" FROM person',
}
"""Wrong answers in texts that are hard on parsers, most of which the engine runs."""

UNTIMED = ",".join(
    name
    for name in METRICS.names()
    # A metric that asks a judge has no value where there is none, whatever the text.
    if "timing" not in METRICS.get(name).needs and name not in ("flex", "judge")
)


def run_one(case: Case, prediction: str, metrics: str, policy: str | None = None) -> Run:
    options = Options(metrics, workers=0, cache=None, policy=policy)
    return evaluate([case], {case.id: prediction}, options=options)


def result_of(run: Run) -> Result:
    (result,) = run.results()
    return result


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two databases in one folder, so that every metric has what it needs."""
    from sqlverdict.testing import make_database

    folder = tmp_path_factory.mktemp("suite") / "people"
    folder.mkdir()
    make_database(folder / "other.sqlite")
    return make_database(folder / "people.sqlite")


def test_the_gold_works_under_every_metric(suite: Path) -> None:
    """Otherwise the next test would show nothing."""
    case = Case("1", "people", "?", (GOLD,), str(suite))
    assert None not in result_of(run_one(case, GOLD, UNTIMED)).scores.values()


@pytest.mark.slow
@pytest.mark.parametrize("padding", PADDINGS)
def test_no_padding_takes_a_wrong_answer_out_of_any_metric(padding: str, suite: Path) -> None:
    case = Case("1", "people", "?", (GOLD,), str(suite))
    result = result_of(run_one(case, PADDINGS[padding], UNTIMED))
    assert result.fault is None
    assert result.verdict is Verdict.INCORRECT
    unscored = [label for label, value in result.scores.items() if value is None]
    assert unscored == []
    assert result.scores["ex"] == 0


@pytest.mark.parametrize("tail", [" /* ", " AND " + "(" * 90 + "1" + ")" * 90])
def test_no_padding_takes_a_lucky_match_out_of_any_metric(tail: str, suite: Path) -> None:
    case = Case("1", "people", "?", (GOLD,), str(suite))
    result = result_of(run_one(case, f"{GOLD} AND id < 100000{tail}", UNTIMED, "strict"))
    assert [label for label, value in result.scores.items() if value is None] == []
    assert (result.scores["ex"], result.scores["verdict"]) == (1, 0)


class Broken:
    """A metric with a bug that some texts meet."""

    version = 1
    needs: frozenset[Any] = frozenset()
    parameters: tuple[str, ...] = ()
    binary = True

    def __init__(self, name: str, word: str) -> None:
        self.name = name
        self.word = word

    def score(self, item: Any, parameter: str) -> Score:
        if self.word in item.prediction.sql:
            raise KeyError("a bug")
        return Score(1.0)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A metric that fails on the word LIMIT, and one that fails on everything."""
    monkeypatch.setattr(METRICS, "_members", dict(METRICS._members))
    METRICS.register(Broken("fails_on_limit", "LIMIT"), "fails_on_limit", "test")
    METRICS.register(Broken("fails_always", ""), "fails_always", "test")


def failures(result: Result) -> list[StageFailure]:
    pieces = (piece for piece in result.evidence if isinstance(piece, Undecided))
    return [piece.failure for piece in pieces if piece.failure is not None]


@pytest.mark.usefixtures("broken")
def test_a_bug_in_one_metric_costs_no_other_score(make_case: MakeCase) -> None:
    case = make_case("1", GOLD)
    run = run_one(case, f"{GOLD} LIMIT 1000", "ex,fails_on_limit,fails_always,soft_f1")
    result = result_of(run)
    assert result.scores == {"ex": 1, "fails_on_limit": 0, "fails_always": None, "soft_f1": 1}
    assert result.verdict is Verdict.CORRECT
    blames = {failure.stage: failure.blame for failure in failures(result)}
    assert blames == {"fails_on_limit": "prediction", "fails_always": ""}
    assert run.summary.beyond == {"fails_always": 1, "fails_on_limit": 1}


@pytest.mark.parametrize("error", [RecursionError, MemoryError, KeyError, AssertionError])
def test_a_bug_in_optional_evidence_costs_nothing_else(
    error: type[Exception], make_case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise error("a bug")

    # All that is loaded late is loaded now, and takes nothing over from what fails below.
    for prediction in (WRONG, f"{GOLD} AND 1"):
        assert run_one(make_case("1", GOLD), prediction, "ex,verdict,soft_f1").summary.beyond == {}
    for position in (
        "sqlverdict.prove.prover.prove_queries",
        "sqlverdict.refute.search.refute_queries",
        "sqlverdict.compare.tags.find_difference",
        "sqlverdict.run.compare_stage.relate",
    ):
        monkeypatch.setattr(position, fail)
    wrong = run_one(make_case("1", GOLD), WRONG, "ex,verdict,soft_f1")
    assert result_of(wrong).scores["ex"] == 0
    assert result_of(wrong).verdict is Verdict.INCORRECT
    assert set(wrong.summary.beyond) == {"prove", "relate", "tags"}
    right = run_one(make_case("1", GOLD), f"{GOLD} AND 1", "ex,verdict,soft_f1")
    assert result_of(right).scores["ex"] == 1
    assert set(right.summary.beyond) == {"prove", "refute"}
    lines = {failure.error for failure in failures(result_of(right))}
    assert lines <= {"RecursionError", "MemoryError", "KeyError: 'a bug'", "AssertionError: a bug"}


def test_a_bug_in_the_comparison_counts_against_the_text_that_meets_it(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlverdict.compare.presets import strict

    usual = strict.Strict.compare

    def compare(self: Any, gold: Any, prediction: Any, pair: Any = None) -> Any:
        if pair is not None and "LIMIT" in pair.prediction_sql:
            raise KeyError("a bug")
        return usual(self, gold, prediction, pair)

    monkeypatch.setattr(strict.Strict, "compare", compare)
    result = result_of(run_one(make_case("1", GOLD), f"{GOLD} LIMIT 1000", "ex"))
    assert (result.verdict, result.fault, result.scores["ex"]) == (Verdict.INCORRECT, None, 0)
    assert Reason.UNSUPPORTED_FEATURE in result.reasons
    ours = result_of(run_one(make_case("1", f"{GOLD} LIMIT 1000"), f"{GOLD} LIMIT 1000", "ex"))
    assert (ours.verdict, ours.fault) == (Verdict.UNSCORED, Fault.TOOLKIT)
    assert ours.scores["ex"] is None


def test_a_bug_outside_every_stage_counts_against_the_text_that_meets_it(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlverdict.run import plan

    usual = plan.decide

    def decide(case: Case, prediction: Any, *rest: Any, **more: Any) -> Any:
        if "LIMIT" in prediction.sql and rest[0] and rest[0][0].by != "toolkit":
            raise RecursionError("at some depth")
        return usual(case, prediction, *rest, **more)

    monkeypatch.setattr(plan, "decide", decide)
    result = result_of(run_one(make_case("1", GOLD), f"{GOLD} LIMIT 1000", "ex,soft_f1"))
    assert (result.verdict, result.fault) == (Verdict.INCORRECT, None)
    assert result.scores == {"ex": 0, "soft_f1": 0}
    assert "RecursionError" in result.message
    ours = result_of(run_one(make_case("1", f"{GOLD} LIMIT 9"), f"{GOLD} LIMIT 8", "ex,soft_f1"))
    assert (ours.verdict, ours.fault) == (Verdict.UNSCORED, Fault.TOOLKIT)


def test_recursion_ends_at_the_same_depth_wherever_the_call_comes_from(
    make_case: MakeCase,
) -> None:
    """A text at the edge of our parser must not pass in a worker and fail in a deep stack."""
    case = make_case("1", GOLD)

    def deeper(frames: int, prediction: str) -> dict[str, float | None]:
        if frames:
            return deeper(frames - 1, prediction)
        return dict(result_of(run_one(case, prediction, "esm,proved")).scores)

    for terms in (20, 60, 100, 300, 900):
        prediction = f"{WRONG} WHERE " + "(" * terms + "1" + ")" * terms
        assert deeper(0, prediction) == deeper(300, prediction), terms
