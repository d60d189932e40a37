"""Answers from a predictions file, so that any system can be given detectors.

Learns from:
    nothing; ``path`` names a predictions file whose records carry ids (JSONL, an object of
    ids, CSV). JSONL lines may also hold what detectors look at: ``samples``, ``confidence``,
    ``tokens`` (``probabilities``, ``entropies``) and ``state``. A question whose id is not in
    the file is an error, never an abstention
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from sqlverdict.abstain.base import Learner
from sqlverdict.abstain.method import ABSTAINERS, Ask, Draft, GeneratorNeeds, Tools
from sqlverdict.abstain.predictions import read_drafts
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.files.text import count, few_of


@ABSTAINERS.member
@dataclass(kw_only=True)
class RecordedGenerator(Learner):
    """The generator that repeats what a file says; option: path."""

    name: ClassVar[str] = "recorded"
    version: ClassVar[int] = 1

    path: Path | None = None
    drafts: Mapping[str, Draft] | None = field(default=None, init=False, repr=False)

    def generate(self, asks: Sequence[Ask], needs: GeneratorNeeds, tools: Tools) -> list[Draft]:
        """What the file says to each question."""
        del tools
        drafts = self._drafts()
        missing = [ask.id for ask in asks if ask.id not in drafts]
        if missing:
            raise PredictionError(
                f"{self.path}: no prediction for {count(len(missing), 'question')} (id "
                f"{few_of(missing)}). Expected one for each; null is an abstention",
                reason="incomplete",
            )
        answers = [drafts[ask.id] for ask in asks]
        style = needs.style
        if style is None:
            return answers
        # Nothing is prompted anew, but the texts are read as that prompt's replies are.
        return [
            replace(one, sql=style.read(text), raw=text)
            if (text := one.raw or one.sql) is not None
            else one
            for one in answers
        ]

    def _drafts(self) -> Mapping[str, Draft]:
        if self.drafts is None:
            if self.path is None:
                raise UsageError("recorded needs a file: recorded(path=predictions.jsonl)")
            self.drafts = read_drafts(self.path)
        return self.drafts
