"""The conformance suite for detectors g, built-in or plug-in.

In a plug-in's tests::

    from sqlverdict.testing import check_detector

    def test_my_detector():
        check_detector("my_detector")

A detector that is quicker with other options than its default ones is passed itself::

    check_detector(MyDetector(trees=5))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any, get_args

from sqlverdict.abstain.method import (
    Ask,
    Detection,
    Detector,
    Draft,
    GeneratorNeeds,
    Position,
    Tools,
)
from sqlverdict.errors import UsageError
from sqlverdict.testing.abstain_fixture import (
    HOSTILE,
    MethodData,
    ScriptedAnswerer,
    abstain_fixture,
)
from sqlverdict.testing.abstain_methods import (
    NO_REPLY,
    OPTIONAL,
    MethodUnderTest,
    check_empty_training,
    check_extras,
    check_hostile_training,
    check_kept,
    check_needs,
    check_own_answer,
    learned,
    method_under_test,
)

AskDrafts = list[tuple[Ask, Draft | None]]

_HEADINGS = ("Position", "Learns from", "Confidence")
_SURE = 1e-9


def check_detector(detector: str | Detector, *, optional: Sequence[str] = OPTIONAL) -> None:
    """Hold a detector to what every detector promises.

    Its file says where it stands, what it learns from and what its confidence is; its options
    can be written in a line. It finds something for each question, in order: a finite
    confidence, or none with the problem that prevented it. The same training, questions and seed
    give the same findings, whatever else is asked beside them. The threshold is the least
    confidence that answers. Training and questions stay as they were. What it learned comes back
    from disk, without a pickle. No text makes it raise anything but an error of ours, and
    neither do missing training, broken files or missing packages. It asks a language model only
    where its needs say so, and a model that cannot be asked is a problem, never a decision.

    Args:
        detector: A name in the registry, or the detector itself.
        optional: Packages without which it must raise ``MissingExtra``, or work.

    Raises:
        AssertionError: a promise is broken; the message says which and what to do.
    """
    subject = method_under_test("detector", detector, _HEADINGS)
    with abstain_fixture() as data:
        _check_form(subject)
        _check_threshold(subject)
        _check_findings(subject, data)
        _check_hostile(subject, data)
        check_empty_training(subject, data)
        check_hostile_training(subject, data, lambda one: _detections(one, data), _alike)
        check_needs(subject, data, lambda one, tools: one.score(_drafts(one, data), tools))
        method = learned(subject, data)
        check_kept(subject, method, lambda one: _detections(one, data), data.folder, _alike)
        if "answerer" in method.needs:
            _check_no_reply(subject, data)
            check_own_answer(subject, data, lambda one, arguments: _alone(one, data, *arguments))
        check_extras(subject, lambda: _detections(learned(subject, data), data), optional)


def _check_form(subject: MethodUnderTest) -> None:
    detector = subject.make()
    positions = get_args(Position)
    subject.expect(
        detector.position in positions,
        f"stands {detector.position!r} f; expected {', '.join(positions)}",
    )
    needs = detector.generator_needs()
    subject.expect(
        isinstance(needs, GeneratorNeeds),
        f"needs {needs!r}; return GeneratorNeeds",
    )
    subject.expect(
        detector.position == "with" or needs == GeneratorNeeds(),
        f"stands {detector.position} f and needs something of it, which nobody grants; "
        f"stand with f",
    )
    subject.expect(
        detector.threshold is not None or "threshold" in detector.needs,
        "has no threshold and does not need one found; name 'threshold' in its needs",
    )


def _check_threshold(subject: MethodUnderTest) -> None:
    detector = subject.make()
    for threshold in (-2.5, 0.0, 0.5, 1.0):
        detector.threshold = threshold
        subject.expect(detector.threshold == threshold, "does not keep the threshold it is given")
        below = math.nextafter(threshold, -math.inf)
        expected = {threshold: True, threshold + 1.0: True, below: False, None: False}
        for confidence, answers in expected.items():
            decided = detector.decide(Detection(confidence))
            subject.expect(
                decided is answers,
                f"decides {decided!r} at confidence {confidence} with threshold {threshold}; "
                f"expected {answers}: the threshold is the least confidence that answers",
            )
    detector.threshold = math.inf
    subject.expect(
        not detector.decide(Detection(1e300)), "answers at a threshold that nothing reaches"
    )
    detector.threshold = None
    try:
        decided = detector.decide(Detection(1.0))
    except UsageError:
        return
    subject.expect(False, f"decides {decided!r} without a threshold; raise UsageError")


def _check_findings(subject: MethodUnderTest, data: MethodData) -> None:
    detector = learned(subject, data)
    drafts = _drafts(detector, data)
    before = deepcopy(drafts)
    detections = _score(subject, detector, drafts, data.tools)
    subject.expect(drafts == before, "changed the questions it was asked; copy them")
    subject.expect(detector.score([], data.tools) == [], "finds something for no question at all")
    for finding in detections:
        subject.expect(
            finding.problem is None and finding.confidence is not None,
            f"found {finding!r} though its model could be asked",
        )
    for what, other in (
        ("the second time", _score(subject, detector, drafts, data.tools)),
        ("fitted anew with the same seed", _detections(learned(subject, data), data)),
        ("in another order", _score(subject, detector, drafts[::-1], data.tools)[::-1]),
        (
            "one question at a time",
            [_score(subject, detector, [one], data.tools)[0] for one in drafts],
        ),
    ):
        subject.expect(_alike(other, detections), f"found something else {what}; be repeatable")


def _check_hostile(subject: MethodUnderTest, data: MethodData) -> None:
    """Odd questions and odd queries; before it has learned, too."""
    detector = learned(subject, data)
    position = detector.position
    drafts: AskDrafts = [(ask, _draft(position, data, ask)) for ask in data.hostile]
    drafts += [(data.asks[0], _draft(position, data, data.asks[0], sql)) for sql in HOSTILE]
    if position == "with":
        drafts += [(ask, data.draft(ask, None)) for ask in data.asks[:2]]
        drafts.append((data.asks[0], Draft()))
    for one in drafts:
        label = f"the question {one[0].question[:40]!r}, the query {one[1] and one[1].sql!r:.40}"
        subject.attempt(label, partial(_score, subject, detector, [one], data.tools))
    fresh = subject.make()
    known = _drafts(fresh, data)
    subject.attempt("score before fit", lambda: _score(subject, fresh, known, data.tools))


def _check_no_reply(subject: MethodUnderTest, data: MethodData) -> None:
    detector = learned(subject, data)
    silent = replace(data.tools, answerer=ScriptedAnswerer(NO_REPLY))
    for finding in _score(subject, detector, _drafts(detector, data), silent):
        subject.expect(
            finding.confidence is None and finding.problem is NO_REPLY,
            f"found {finding!r} though its model could not be asked; pass the problem on",
        )


def _score(
    subject: MethodUnderTest, detector: Any, drafts: AskDrafts, tools: Tools
) -> list[Detection]:
    """What it found, held to the form."""
    detections: list[Detection] = detector.score(drafts, tools)
    subject.expect(
        isinstance(detections, list) and all(isinstance(one, Detection) for one in detections),
        f"returned {detections!r:.80}; return a list of Detection",
    )
    subject.expect(
        len(detections) == len(drafts),
        f"found {len(detections)} things for {len(drafts)} questions",
    )
    for finding in detections:
        if finding.confidence is None:
            subject.expect(
                finding.problem is not None, "found no confidence and no problem; say why"
            )
            continue
        subject.expect(
            math.isfinite(finding.confidence), f"found the confidence {finding.confidence!r}"
        )
        subject.expect(finding.problem is None, f"found a confidence and a problem: {finding!r}")
        subject.expect(
            finding.sql is None or bool(finding.sql.strip()), f"chose the query {finding.sql!r}"
        )
    return detections


def _draft(
    position: Position, data: MethodData, ask: Ask, sql: str = "SELECT title FROM book"
) -> Draft | None:
    return None if position == "before" else data.draft(ask, sql)


def _drafts(detector: Any, data: MethodData) -> AskDrafts:
    return [(ask, _draft(detector.position, data, ask)) for ask in data.asks]


def _detections(detector: Any, data: MethodData) -> list[Detection]:
    detections: list[Detection] = detector.score(_drafts(detector, data), data.tools)
    return detections


def _alone(detector: Any, data: MethodData, example: Any, answerer: ScriptedAnswerer) -> None:
    """Ask about one question, with the draft of another query than its own."""
    draft = _draft(detector.position, data, example.ask)
    detector.score([(example.ask, draft)], replace(data.tools, answerer=answerer))


def _alike(some: Sequence[Detection], others: Sequence[Detection]) -> bool:
    """The same but for the last digits, which may hang on how numbers are added up."""
    if len(some) != len(others):
        return False
    for one, other in zip(some, others, strict=True):
        if replace(one, confidence=None) != replace(other, confidence=None):
            return False
        if one.confidence is None or other.confidence is None:
            if one.confidence is not other.confidence:
                return False
        elif not math.isclose(one.confidence, other.confidence, rel_tol=_SURE, abs_tol=_SURE):
            return False
    return True
