"""A composition at work: it learns, it answers, it is kept in a folder.

All detectors must agree for an answer to be given, and one that says no spares the others the
question. What each found is kept beside the answer.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from sqlverdict.abstain.calibrate import ThresholdFit, calibrate, mark_drafts
from sqlverdict.abstain.compose import (
    Composition,
    make_detectors,
    make_generator,
    parse_composition,
)
from sqlverdict.abstain.decision import Decision, after_detector, drafted, is_open
from sqlverdict.abstain.learn.saved import read_json, write_json
from sqlverdict.abstain.method import (
    Ask,
    Detector,
    Generator,
    GeneratorNeeds,
    Need,
    Tools,
    TrainingData,
    TrainingExample,
)
from sqlverdict.errors import DataError, OptionName, Part, UsageError
from sqlverdict.files.text import count

_FILE = "composition.json"
_PART = f"{_FILE}.part"
"""The folder of a composition that is not saved yet, inside its own."""


class FittedComposition:
    """A composition with its methods.

    Args:
        composition: The line, read.
    """

    def __init__(self, composition: Composition | str) -> None:
        read = parse_composition(composition) if isinstance(composition, str) else composition
        self.composition = read
        self.generator: Generator = make_generator(read)
        self.before = make_detectors(read.before)
        self.within = make_detectors(read.within)
        self.after = make_detectors(read.after)
        self.calibrations: list[ThresholdFit] = []
        self.learned_from: dict[str, str] = {}
        """The digests of the files that it learned from, where the caller knows them."""

    @property
    def detectors(self) -> list[Detector]:
        """Every detector, in the order in which they are asked."""
        return [*self.before, *self.within, *self.after]

    @property
    def needs(self) -> frozenset[Need]:
        """What its methods cannot do without; a threshold that is given is not needed."""
        needs = set(self.generator.needs)
        for detector in self.detectors:
            own = set(detector.needs)
            if detector.threshold is not None:
                own.discard("threshold")
            if (
                detector.generator_needs().style is not None
                and "answerer" not in self.generator.needs
            ):
                # Recorded replies are only read; no prompt is made of examples.
                own -= {"examples", "unanswerable"}
            needs |= own
        return frozenset(needs)

    @property
    def generator_needs(self) -> GeneratorNeeds:
        """What the detectors in brackets want of the generator."""
        generator_needs = GeneratorNeeds()
        for detector in self.within:
            generator_needs = generator_needs | detector.generator_needs()
        return generator_needs

    def fit(
        self,
        training: TrainingData,
        tools: Tools,
        *,
        preset: str = "strict",
        risk: float | None = None,
        delta: float = 0.1,
    ) -> None:
        """Let every method learn what it needs, then find the thresholds.

        Args:
            training: Training, validation and background questions.
            tools: What methods may use beside their input.
            preset: What marks the generator's validation answers.
            risk: Certify this error rate instead of the heuristic.
            delta: The chance that such a certificate is wrong.

        Raises:
            DataError: something to learn from is missing.
        """
        self._check(training)
        self.generator.fit(training, tools)
        training = self._with_states(training, tools)
        training = self._with_drafts(training, tools, preset)
        for detector in self.detectors:
            if detector.needs - {"answerer", "runner", "threshold"}:
                tools.say(f"fitting {detector.name}")
            detector.fit(training, tools)
        self.calibrations = []
        for detector in self.detectors:
            if "threshold" in detector.needs and detector.threshold is None:
                self._calibrate(detector, training, tools, risk, delta)

    def _check(self, training: TrainingData) -> None:
        missing: dict[str, OptionName] = {}
        for need, examples, what, option in (
            ("examples", training.answerable(), "training questions with SQL", "train"),
            ("unanswerable", training.unanswerable(), "unanswerable questions", "train"),
            ("states", training.answerable(), "training questions", "train"),
            ("background", training.background, "background questions", "background"),
            ("drafts", training.validation, "validation questions", "validation"),
            ("threshold", training.validation, "validation questions", "validation"),
        ):
            if need in self.needs and not examples:
                missing[what] = OptionName(option)
        if missing:
            parts: list[Part] = [f"{self.composition} cannot learn without "]
            for what, name in missing.items():
                parts += [what, " (", name, ")", " and "]
            raise DataError(*parts[:-1], reason="missing")

    def _with_states(self, training: TrainingData, tools: Tools) -> TrainingData:
        """The encoder's states of training and background questions, where asked for."""
        if "states" not in self.needs:
            return training
        generator_needs = GeneratorNeeds(text=False, states=True)

        def seen(examples: Sequence[TrainingExample]) -> list[TrainingExample]:
            drafts = self.generator.generate([e.ask for e in examples], generator_needs, tools)
            return [replace(e, draft=d) for e, d in zip(examples, drafts, strict=True)]

        background = seen(training.background) if "background" in self.needs else ()
        return replace(training, train=seen(training.train), background=background)

    def _with_drafts(self, training: TrainingData, tools: Tools, preset: str) -> TrainingData:
        """What the generator says to answerable validation questions, marked right or wrong."""
        if not {"drafts", "threshold"} & self.needs:
            return training
        if tools.runner is None:
            raise UsageError(
                f"{self.composition}: validation answers must be run to be marked; say where the "
                "databases lie (",
                OptionName("databases"),
                ")",
            )
        known = [example for example in training.validation if example.answerable]
        tools.say(f"answering {count(len(known), 'validation question')}")
        drafts = self.generator.generate([e.ask for e in known], self.generator_needs, tools)
        failed = next((draft.problem for draft in drafts if draft.problem is not None), None)
        if failed is not None:
            raise DataError(
                f"validation questions could not be answered: {failed.message}", reason="failed"
            )
        answered = [replace(e, draft=d) for e, d in zip(known, drafts, strict=True)]
        return replace(training, validation=mark_drafts(answered, tools.runner, preset))

    def _calibrate(
        self,
        detector: Detector,
        training: TrainingData,
        tools: Tools,
        risk: float | None,
        delta: float,
    ) -> None:
        examples = [
            example
            for example in training.validation
            if example.draft is not None and not example.draft.abstained
        ]
        findings = detector.score([(e.ask, e.draft) for e in examples], tools)
        penalty = getattr(detector, "penalty", 1.0)
        calibration = calibrate(
            detector, examples, findings, penalty=penalty, risk=risk, delta=delta
        )
        self.calibrations.append(calibration)

    def answer(self, asks: Sequence[Ask], tools: Tools) -> list[Decision]:
        """A decision for each question, in order."""
        decisions = [Decision(ask) for ask in asks]
        for detector in self.before:
            decisions = after_detector(detector, decisions, tools)
        going = [position for position, one in enumerate(decisions) if is_open(one)]
        open_asks = [asks[position] for position in going]
        drafts = (
            self.generator.generate(open_asks, self.generator_needs, tools) if open_asks else []
        )
        for position, draft in zip(going, drafts, strict=True):
            decisions[position] = drafted(decisions[position], draft, self.generator.name)
        for detector in self.within:
            decisions = after_detector(detector, decisions, tools)
        for detector in self.after:
            decisions = after_detector(detector, decisions, tools, with_sql=True)
        return decisions

    def about(self) -> dict[str, Any]:
        """What a manifest says about it: the line, versions, options and thresholds."""
        return {
            "composition": str(self.composition),
            "methods": {
                method.name: {"version": method.version, "options": _options(method)}
                for method in (*self.before, self.generator, *self.within, *self.after)
            },
            "calibrations": [
                asdict(calibration) | {"threshold": _plain(calibration.threshold)}
                for calibration in self.calibrations
            ],
            "learned_from": self.learned_from,
        }

    def save(self, folder: Path) -> None:
        """Keep the composition and what its methods learned, in place of an earlier one.

        The caller holds the folder (:func:`sqlverdict.files.lock.writing_folder`).

        Raises:
            OSError: it cannot be written; an earlier composition is as it was.
        """
        part = folder / _PART
        try:
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            for method in (self.generator, *self.detectors):
                method.save(part / method.name)
            learned = [file for file in part.rglob("*") if file.is_file()]
            write_json(part / _FILE, self.about())
            # Methods of two fits must not pass for one composition: the file that names all goes
            # first and comes last.
            (folder / _FILE).unlink(missing_ok=True)
            for file in learned:
                target = folder / file.relative_to(part)
                target.parent.mkdir(parents=True, exist_ok=True)
                file.replace(target)
            (part / _FILE).replace(folder / _FILE)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    @classmethod
    def load(cls, folder: Path) -> FittedComposition:
        """Read what :meth:`save` kept.

        Raises:
            DataError: the folder holds none, or one of another version of a method.
        """
        about = read_json(folder / _FILE)
        fitted = cls(str(about["composition"]))
        for method in (fitted.generator, *fitted.detectors):
            saved = about["methods"].get(method.name, {})
            if saved.get("version") != method.version:
                raise DataError(
                    f"{folder}: {method.name} was fitted as version {saved.get('version')}, this "
                    f"is version {method.version}. Fit it again",
                    reason="another_version",
                )
            if (folder / method.name).is_dir():
                method.load(folder / method.name)
        fitted.learned_from = about.get("learned_from", {})
        for detector in fitted.detectors:
            saved = about["methods"][detector.name]["options"].get("threshold")
            detector.threshold = None if saved is None else float(saved)
        fitted.calibrations = [
            ThresholdFit(
                **{
                    **record,
                    "threshold": float(record["threshold"]),
                    "curve": tuple(map(tuple, record["curve"])),
                }
            )
            for record in about["calibrations"]
        ]
        return fitted


def _options(method: Any) -> dict[str, Any]:
    """The options of a method as they are set now, its threshold among them."""
    return {one.name: _plain(getattr(method, one.name)) for one in fields(method) if one.init}


def _plain(value: Any) -> Any:
    """A value as JSON can say it: infinity, the threshold that nothing reaches, as a text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return str(value) if isinstance(value, Path) else value
