"""Compositions at work: who is asked, what is marked, which threshold is found and kept."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from abstain_parts import QUESTIONS, ask, cases, drafts, known, strange

from error_parts import asks_for, refuses_data
from sqlverdict.abstain.calibrate import calibrate, mark_drafts
from sqlverdict.abstain.compose import MethodPart, make_method
from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.abstain.generators.recorded import RecordedGenerator
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Detection,
    Draft,
    GeneratorNeeds,
    Tools,
    TrainingData,
    TrainingExample,
)
from sqlverdict.abstain.workflow import FittedComposition
from sqlverdict.errors import DataError, RegistryError


class Spy:
    """A detector of the test's own: its findings are given, and it counts what it is asked."""

    needs: frozenset[str] = frozenset()
    version = 1

    def __init__(self, name: str, position: str, sure: Sequence[float | None]) -> None:
        self.name, self.position, self.sure = name, position, list(sure)
        self.threshold: float | None = 0.5
        self.seen: list[tuple[str, str | None]] = []

    def generator_needs(self) -> GeneratorNeeds:
        return GeneratorNeeds()

    def score(self, questions: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        self.seen += [(a.id, None if d is None else d.sql) for a, d in questions]
        by_id = {f"q{n}": c for n, c in enumerate(self.sure)}
        return [Detection(by_id[a.id]) for a, _ in questions]

    def decide(self, finding: Detection) -> bool:
        return finding.confidence is not None and finding.confidence >= 0.5


def composition_with(
    before: Spy, within: Spy, after: Spy, answers: dict[str, Draft]
) -> FittedComposition:
    composition = FittedComposition("recorded")
    generator = RecordedGenerator()
    generator.drafts = answers
    composition.generator = generator
    composition.before, composition.within, composition.after = [before], [within], [after]  # type: ignore[list-item]
    return composition


def test_all_must_agree_and_who_is_not_needed_is_not_asked() -> None:
    before = Spy("one", "before", [1, 0, 1, 1, 1])
    within = Spy("two", "with", [1, 1, 0, 1, 1])
    after = Spy("three", "after", [0.9, 1, 1, 0.1, 1])
    answers = drafts("SELECT 0", "SELECT 1", "SELECT 2", "SELECT 3", None)
    composition = composition_with(before, within, after, answers)
    result = composition.answer([ask("x", n) for n in range(5)], Tools())
    assert [one.by for one in result] == ["", "one", "two", "three", ""]
    assert [one.abstained for one in result] == [False, True, True, True, False]
    assert [one.sql for one in result] == ["SELECT 0", None, "SELECT 2", "SELECT 3", None]
    assert [one.confidence for one in result] == [0.9, None, 0, 0.1, 1]
    assert [case for case, _ in within.seen] == ["q0", "q2", "q3", "q4"]
    # Text without SQL is nobody's to hold back after f, and no abstention.
    assert [case for case, _ in after.seen] == ["q0", "q3"]
    assert not result[4].prediction().abstained
    assert result[2].prediction().sql is None
    assert result[2].about()["draft"] == "SELECT 2"


def test_the_generators_own_abstention_stands() -> None:
    spy = Spy("g", "after", [1])
    composition = composition_with(Spy("b", "before", [1]), Spy("w", "with", [1]), spy, {
        "q0": Draft(abstained=True)
    })  # fmt: skip
    (result,) = composition.answer([ask("x")], Tools())
    assert (result.abstained, result.by, spy.seen) == (True, "recorded", [])


def test_abstain_all_says_nothing() -> None:
    result = FittedComposition("abstain_all").answer([ask("x", n) for n in range(3)], Tools())
    assert all(one.prediction().abstained for one in result)


# From cases to questions.


def test_a_question_is_asked_though_its_gold_cannot_be_scored(database: Path, tools: Tools) -> None:
    lost = replace(cases(database)[0], database=f"{database} without rows of item")
    databases = DatabaseIndex.of([lost, *cases(database)[1:]])
    example = databases.example(lost)
    assert example.ask.database == str(database)
    assert example.ask.schema is not None
    assert tools.runner is not None
    # Nobody learns from an answer that cannot be marked, not even from the gold itself.
    (marked,) = mark_drafts([replace(example, draft=Draft(example.sql))], tools.runner)
    assert marked.correct is None
    assert DatabaseIndex().ask(lost).schema is None


def test_a_question_never_carries_its_gold_or_label(database: Path) -> None:
    for case in cases(database):
        text = repr(DatabaseIndex().ask(case))
        assert not any(gold in text for gold in case.golds)
        assert "answerable" not in text


def test_two_methods_of_one_name_are_an_error() -> None:
    ABSTAINERS.get("rf")
    with pytest.raises(RegistryError, match="called 'rf'"):
        ABSTAINERS.register(object(), "rf", "somewhere.else")


# Marks and thresholds.


def test_drafts_are_marked_by_running_them(database: Path, tools: Tools) -> None:
    queries = {
        "SELECT count(*) FROM item": True,
        "select COUNT(*) from item;": True,
        "SELECT 3": True,
        "SELECT 4": False,
        "SELECT nope FROM item": False,
        None: False,
    }
    example = known(database)[0]
    examples = [replace(example, draft=Draft(sql)) for sql in queries]
    assert tools.runner is not None
    assert [e.correct for e in mark_drafts(examples, tools.runner)] == list(queries.values())
    open_ones = [
        example,
        replace(example, draft=Draft(abstained=True)),
        replace(example, sql="SELECT nope", draft=Draft("SELECT 1")),
    ]
    assert [e.correct for e in mark_drafts(open_ones, tools.runner)] == [None] * 3
    lost = TrainingExample(ask("x", 1, database), answerable=False, draft=Draft("SELECT 1"))
    assert mark_drafts([lost], tools.runner)[0].correct is False


def test_the_threshold_is_the_last_value_of_the_best_prefix() -> None:
    # Right, right, wrong, right: sums 1, 2, 1, 2; the shorter of two equal prefixes is taken.
    example = known()[0]
    right = [True, True, False, True, None]
    examples = [replace(example, correct=correct) for correct in right]
    findings = [Detection(c) for c in (0.9, 0.8, 0.7, 0.6, 0.99)]
    detector = make_method(MethodPart("maxprob"))
    result = calibrate(detector, examples, findings)
    assert detector.threshold == result.threshold == 0.8
    assert [detector.decide(f) for f in findings] == [True, True, False, False, True]
    assert (result.items, result.answered, result.wrong) == (4, 2, 0)
    assert result.curve == ((0, 0.0), (1, 1.0), (2, 2.0), (3, 1.0), (4, 2.0))


def test_a_system_that_is_mostly_wrong_never_answers() -> None:
    examples = [replace(known()[0], correct=False)] * 3
    detector = make_method(MethodPart("maxent"))
    result = calibrate(detector, examples, [Detection(c) for c in (0.1, 0.2, 0.3)])
    assert detector.threshold == math.inf
    assert not detector.decide(Detection(1e9))
    assert result.answered == 0
    with refuses_data(DataError, "empty", "maxent", "marked right or wrong"):
        calibrate(detector, [known()[0]], [Detection(0.5)])


def test_a_larger_penalty_asks_for_more(database: Path, tools: Tools) -> None:
    sure = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    wrong = {2}
    answers = {
        f"q{n}": Draft("SELECT 0" if n in wrong else sql, confidence=sure[n])
        for n, (_, sql) in enumerate(QUESTIONS)
    }

    def threshold(penalty: int) -> float:
        composition = FittedComposition(f"recorded[confidence(penalty={penalty})]")
        composition.generator.drafts = answers  # type: ignore[attr-defined]
        composition.fit(TrainingData(validation=known(database)), tools)
        return composition.within[0].threshold or 0.0

    assert threshold(1) == 0.4
    assert threshold(4) == 0.8


def test_fitting_says_what_is_missing() -> None:
    with refuses_data(DataError, "missing", "training questions with SQL", "unanswerable"):
        FittedComposition("rf > recorded").fit(TrainingData(), Tools())
    with refuses_data(DataError, "missing", "background questions"):
        FittedComposition("t5[featrmd]").fit(TrainingData(known(), known()), Tools())
    with refuses_data(DataError, "missing", "validation questions"):
        FittedComposition("t5[maxent]").fit(TrainingData(known()), Tools())
    composition = FittedComposition("recorded[confidence]")
    composition.generator.drafts = {}  # type: ignore[attr-defined]
    with asks_for("databases"):
        composition.fit(TrainingData(validation=known()), Tools())
    # A threshold that is given needs no validation.
    assert "threshold" not in FittedComposition("t5[maxent(threshold=-1)]").needs


@pytest.mark.slow
def test_a_fitted_composition_is_kept_and_decides_alike(
    tmp_path: Path, database: Path, tools: Tools
) -> None:
    line = "rf(trees=10) > recorded[confidence] > rf_star(trees=10)"
    answers = {
        f"q{n}": Draft(sql if n % 2 else "SELECT 0", confidence=n / 10)
        for n, (_, sql) in enumerate(QUESTIONS)
    }
    composition = FittedComposition(line)
    composition.generator.drafts = answers  # type: ignore[attr-defined]
    composition.fit(TrainingData(known(database), known(database), strange()), tools)
    composition.save(tmp_path / "kept")
    again = FittedComposition.load(tmp_path / "kept")
    again.generator.drafts = answers  # type: ignore[attr-defined]
    asks = [example.ask for example in known(database)]
    assert again.answer(asks, tools) == composition.answer(asks, tools)
    assert str(again.composition) == line
    assert again.calibrations == composition.calibrations
    about = tmp_path / "kept" / "composition.json"
    about.write_text(about.read_text().replace('"version": 1', '"version": 0', 1))
    with refuses_data(DataError, "another_version", "version 0", "Fit it again"):
        FittedComposition.load(tmp_path / "kept")
    with refuses_data(DataError, "missing", "nowhere"):
        FittedComposition.load(tmp_path / "nowhere")


def test_never_answering_survives_being_kept(tmp_path: Path, database: Path, tools: Tools) -> None:
    composition = FittedComposition("recorded[confidence]")
    composition.generator.drafts = {  # type: ignore[attr-defined]
        f"q{n}": Draft("SELECT 0", confidence=0.5) for n in range(6)
    }
    composition.fit(TrainingData(validation=known(database)), tools)
    composition.save(tmp_path)
    json.loads((tmp_path / "composition.json").read_text(), parse_constant=_refuse)
    assert FittedComposition.load(tmp_path).within[0].threshold == math.inf


def _refuse(word: str) -> float:
    raise AssertionError(f"{word} is no JSON")
