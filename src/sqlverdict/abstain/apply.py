"""Detectors alone, over the answers of any system that wrote a predictions file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from sqlverdict.abstain.compose import canonical_name
from sqlverdict.abstain.method import ABSTAINERS, Draft, is_generator
from sqlverdict.abstain.predictions import draft_of, read_drafts
from sqlverdict.abstain.workflow import FittedComposition
from sqlverdict.errors import UsageError
from sqlverdict.load.prediction_formats import PredictionFile, detect
from sqlverdict.load.predictions import load_predictions
from sqlverdict.load.turns import session_sizes
from sqlverdict.records import Case

_LINES = {"before": "{0} > recorded", "with": "recorded[{0}]", "after": "recorded > {0}"}


def detector_composition(text: str) -> FittedComposition:
    """A composition of one detector over recorded answers, put where it belongs.

    A whole line may be given too, if its generator is ``recorded``.

    Raises:
        UsageError: it is a generator, or malformed.
    """
    if re.search(r"\brecorded\b", text):
        return FittedComposition(text)
    name = re.match(r"[\w*-]+", text.strip())
    member = ABSTAINERS.get(canonical_name(name[0])) if name else None
    if member is None or is_generator(member):
        raise UsageError(
            f"{text!r} is not a detector. Expected one with its options, such as voting(n=5), or a "
            f"line whose generator is recorded; see sqlverdict explain methods"
        )
    return FittedComposition(_LINES[member.position].format(text.strip()))


def drafts_for(
    cases: Iterable[Case], predictions: Path, columns: Mapping[str, str] | None = None
) -> dict[str, Draft]:
    """A file's answers to cases, whatever its format, with what detectors look at.

    Args:
        cases: The cases.
        predictions: The file.
        columns: From names in the file to our fields.

    Raises:
        PredictionError: the file does not fit the cases.
    """
    if detect(PredictionFile(predictions, ())) == "jsonl":
        return read_drafts(predictions)
    cases = list(cases)
    known = [(case.id, case.db_id) for case in cases]
    loaded = load_predictions(
        predictions,
        [case_id for case_id, _ in known],
        db_ids=[db_id for _, db_id in known],
        columns=columns,
        sessions=session_sizes(cases),
    )
    return {case_id: draft_of(prediction) for case_id, prediction in loaded.items()}
