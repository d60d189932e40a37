"""The conformance suites pass every method there is, and name what a broken one breaks."""

from __future__ import annotations

import itertools
import json
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sqlverdict.abstain.base import Gate, Learner
from sqlverdict.abstain.compose import MethodPart, make_method
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Detection,
    Draft,
    GeneratorNeeds,
    Need,
    Position,
    Tools,
    TrainingData,
    is_generator,
)
from sqlverdict.abstain.prompting.prompt import ask_all, request
from sqlverdict.testing import check_detector, check_generator
from sqlverdict.testing.abstain_fixture import abstain_fixture

# Read as this file's, which stands for a method's file.
__doc__ += """
Position:
    with f
Learns from:
    nothing
Confidence:
    one
"""

QUICK = {
    "rf": {"trees": "5"},
    "rf_star": {"trees": "5"},
    "t5": {
        "width": "32",
        "layers": "1",
        "heads": "2",
        "vocabulary": "400",
        "source": "64",
        "target": "8",
        "epochs": "1",
    },
}
Questions = Sequence[tuple[Ask, Draft | None]]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A predictions file for every question of the suite."""
    path = tmp_path / "predictions.jsonl"
    with abstain_fixture() as data, path.open("w", encoding="utf-8") as stream:
        for ask in (*data.asks, *data.hostile):
            line = {
                "id": ask.id,
                "sql": "SELECT 1",
                "samples": ["SELECT 1", "SELECT 2", "SELECT 1"],
                "tokens": {"probabilities": [0.5, 0.9], "entropies": [0.7, 0.1]},
                "state": [1.0, 2.0],
            }
            stream.write(json.dumps(line) + "\n")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ABSTAINERS.names())
def test_every_method_keeps_its_promises(
    name: str, recorded: Path, request: pytest.FixtureRequest
) -> None:
    if name == "t5":
        request.getfixturevalue("one_thread")
    options = {"path": str(recorded)} if name == "recorded" else QUICK.get(name)
    method = make_method(MethodPart(name, options)) if options else name
    check: Any = check_generator if is_generator(ABSTAINERS.get(name)) else check_detector
    check(method)


@dataclass(kw_only=True)
class Good(Gate):
    """Half sure of everything."""

    name: ClassVar[str] = "good"
    position: ClassVar[Position] = "with"
    needs: ClassVar[frozenset[Need]] = frozenset()
    seen: list[str] = field(default_factory=list, init=False)

    def score(self, questions: Questions, tools: Tools) -> list[Detection]:
        del tools
        return [Detection(0.5) for _ in questions]


@dataclass(kw_only=True)
class Asking(Good):
    """Asks the model about every question."""

    needs: ClassVar[frozenset[Need]] = frozenset({"answerer"})

    def score(self, questions: Questions, tools: Tools) -> list[Detection]:
        values = {"schema": "", "sql": ""}
        requests = [
            request("selfref", tools, values={**values, "question": ask.question})
            for ask, _ in questions
        ]
        replies = ask_all(requests, tools, self.name)
        return [
            Detection(float(len(reply.text)))
            if hasattr(reply, "text")
            else Detection(None, problem=reply)
            for reply in replies
        ]


@dataclass(kw_only=True)
class Writer(Learner):
    """Writes the same for every question."""

    name: ClassVar[str] = "writer"

    def generate(self, asks: Sequence[Ask], needs: GeneratorNeeds, tools: Tools) -> list[Draft]:
        del tools
        if needs != GeneratorNeeds():
            raise make_usage_error()
        return [Draft("SELECT 1") for _ in asks]


def make_usage_error() -> Exception:
    from sqlverdict.errors import UsageError

    return UsageError("writes, and nothing else")


def broken(base: type, **changes: Any) -> Any:
    """A method that differs from a good one in some attributes."""
    return type("Broken", (base,), {"__module__": __name__, **changes})()


def scores(*findings: Any) -> Any:
    """Scores every question alike, in turn."""
    turn = itertools.cycle(findings)
    return lambda self, questions, tools: [next(turn) for _ in questions]


def pickled(self: Any, folder: Path) -> None:
    folder.mkdir()
    (folder / "state").write_bytes(pickle.dumps([self.name]))


def forgotten(self: Any, folder: Path) -> None:
    folder.mkdir()
    (folder / "state.json").write_text("{}")


def optional_import(self: Any, training: TrainingData, tools: Tools) -> None:
    import sklearn  # type: ignore[import-untyped]

    del self, training, tools, sklearn


def remembering(self: Any, questions: Questions, tools: Tools) -> list[Detection]:
    del tools
    self.seen.extend(ask.id for ask, _ in questions)
    return [Detection(1.0 / len(self.seen)) for _ in questions]


def changing(self: Any, training: TrainingData, tools: Tools) -> None:
    del self, tools
    training.train.reverse()  # type: ignore[attr-defined]


def dropping(self: Any, questions: Questions, tools: Tools) -> list[Detection]:
    del self, tools
    return [
        Detection(0.5) for _, draft in questions if draft is not None and draft.sql != "SELECT 1"
    ][1:]


def choking(self: Any, questions: Questions, tools: Tools) -> list[Detection]:
    del self, tools
    for ask, _ in questions:
        ask.question.encode("utf-8")
    return [Detection(0.5) for _ in questions]


def learned_level(self: Any, questions: Questions, tools: Tools) -> list[Detection]:
    del tools
    return [Detection(float(len(self.seen))) for _ in questions]


def learning(self: Any, training: TrainingData, tools: Tools) -> None:
    del tools
    self.seen = [example.ask.id for example in training.train]


def deaf(self: Any, questions: Questions, tools: Tools) -> list[Detection]:
    return [
        replace(one, confidence=0.0, problem=None) for one in Asking.score(self, questions, tools)
    ]


def test_good_methods_of_ones_own_conform() -> None:
    check_detector(broken(Good))
    check_detector(broken(Asking))
    check_generator(broken(Writer))


@pytest.mark.parametrize(
    ("detector", "complaint"),
    [
        (broken(Good, version=0), "whole number from 1"),
        (broken(Good, version=True), "whole number from 1"),
        (broken(Good, needs=frozenset({"luck"})), "needs ..luck"),
        (broken(Good, position="beside"), "stands 'beside' f"),
        (
            broken(Good, position="after", generator_needs=lambda _: GeneratorNeeds(tokens=True)),
            "nobody grants",
        ),
        (broken(Good, decide=lambda *_: True), "the least confidence that answers"),
        (
            broken(Good, decide=lambda self, one: (one.confidence or -9) > (self.threshold or 0)),
            "the least confidence that answers",
        ),
        (
            broken(
                Good,
                decide=lambda self, one: (
                    self.threshold is None
                    or (one.confidence is not None and one.confidence >= self.threshold)
                ),
            ),
            "without a threshold; raise UsageError",
        ),
        (broken(Good, score=lambda *_: None), "return a list of Detection"),
        (broken(Good, score=dropping), "things for"),
        (broken(Good, score=scores(Detection(float("nan")))), "found the confidence nan"),
        (broken(Good, score=scores(Detection(None))), "no confidence and no problem"),
        (broken(Good, score=scores(Detection(0.5, sql=" "))), "chose the query ' '"),
        (broken(Good, score=scores(Detection(0.1), Detection(0.2))), "be repeatable"),
        (broken(Good, score=remembering), "be repeatable"),
        (broken(Good, score=choking), "raised UnicodeEncodeError"),
        (broken(Good, fit=changing), "changed the training"),
        (broken(Good, fit=optional_import), "MissingExtra"),
        (broken(Good, save=pickled), "keeps a pickle"),
        (
            broken(Good, fit=learning, score=learned_level, save=forgotten),
            "says something else after",
        ),
        (broken(Good, needs=frozenset({"runner"})), "does not miss it"),
        (broken(Good, needs=frozenset({"answerer"})), "asked a language model 0 times"),
        (broken(Asking, needs=frozenset()), "its needs say that it never does"),
        (broken(Asking, score=deaf), "though its model could not be asked"),
    ],
)
def test_a_broken_detector_is_named_for_what_it_breaks(detector: Any, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_detector(detector)


def draft_source(*drafts: Draft) -> Any:
    turn = itertools.cycle(drafts)
    return lambda self, asks, needs, tools: [next(turn) for _ in asks]


@pytest.mark.parametrize(
    ("generator", "complaint"),
    [
        (broken(Writer, generate=lambda *_: None), "return a list of Draft"),
        (broken(Writer, generate=lambda *_: [Draft("SELECT 1")] * 7), "for no question"),
        (broken(Writer, generate=lambda *_: []), "wrote 0 drafts for"),
        (broken(Writer, generate=draft_source(Draft(" "))), "an empty query"),
        (broken(Writer, generate=draft_source(Draft("x", abstained=True))), "held it back"),
        (broken(Writer, generate=draft_source(Draft("x", probabilities=(0.5,)))), "token figures"),
        (
            broken(
                Writer, generate=draft_source(Draft("x", probabilities=(2.0,), entropies=(0.0,)))
            ),
            "between 0 and 1",
        ),
        (broken(Writer, generate=draft_source(Draft("x", state=(float("inf"),)))), "no number"),
        (broken(Writer, generate=draft_source(Draft("SELECT 1"))), "ignored the need for samples"),
        (broken(Writer, generate=draft_source(Draft("a"), Draft("b"))), "be repeatable"),
    ],
)
def test_a_broken_generator_is_named_for_what_it_breaks(generator: Any, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_generator(generator)


def test_a_generator_that_shows_a_question_its_own_query() -> None:
    @dataclass(kw_only=True)
    class Leaking(type(make_method(MethodPart("sqlprompt")))):  # type: ignore[misc]
        """Shows all it knows."""

        def _demonstrations(
            self, ask: Ask, needs: GeneratorNeeds, tools: Tools, prompt: str
        ) -> str:
            del ask, needs, tools, prompt
            return "\n".join(f"{one.ask.question} {one.sql}" for one in self.known.every)

    with pytest.raises(AssertionError, match="demonstration"):
        check_generator(Leaking())


def test_a_method_under_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ABSTAINERS._members, "other", broken(Good))
    with pytest.raises(AssertionError, match="calls itself 'good'"):
        check_detector("other")
