"""Errors of ours, kept apart: one stage or metric that fails takes nothing else with it.

A proof, a search for a witness and the names of differences are optional evidence. Where one of
them fails by a bug of ours, the rest of the case stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqlverdict.errors import DatabaseError, FileFailure
from sqlverdict.evidence import Evidence, Undecided
from sqlverdict.evidence_parts import StageFailure
from sqlverdict.records import Case, Failure, Prediction, Reason

TOOLKIT = "toolkit"
"""The name (``by``) of evidence about an error of ours."""

STORAGE = (OSError, FileFailure)
"""Errors of a place that files go to. No text of a prediction fills a disk."""

_PLAIN = (RecursionError, MemoryError)
"""Errors whose message depends on where they were met; their name says enough."""


class Blame(NamedTuple):
    """Who is at fault where a case has no outcome.

    Attributes:
        by_prediction: Whether the prediction is to blame; else the case is unscored.
        why: What happened, in words.
        key: The query that ran at every death, which must not be tried again; ``None``: there is
            none such, or it is not to blame.
        from_outside: Whether processes were ended from outside, whatever they did.
        may_go_away: Whether another run may go better.
    """

    by_prediction: bool
    why: str
    key: bytes | None = None
    from_outside: bool = False
    may_go_away: bool = False

    @property
    def message(self) -> str:
        """What the case's line says."""
        if self.from_outside:
            return (
                f"not evaluated: {self.why}. Something outside sqlverdict ends its processes, "
                f"perhaps because memory runs out. Run the same command again"
            )
        return f"sqlverdict failed on this case: {self.why}. Please report it."

    @property
    def failure(self) -> Failure:
        """The outcome of the query."""
        return Failure(Reason.MEMORY_LIMIT, f"while it ran, {self.why}", repeatable=False)


def error_text(error: BaseException) -> str:
    """An error in words that do not depend on where it was met."""
    name = type(error).__name__
    return name if isinstance(error, _PLAIN) or not str(error) else f"{name}: {error}"


class Attempt:
    """The border around optional work: a bug of ours ends the work only, and ``errors`` says so."""

    def __init__(self, stage: str, errors: list[Evidence]) -> None:
        self._stage = stage
        self._errors = errors

    def __enter__(self) -> None:
        """Nothing is prepared."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        """Whether an error was met, and ends here."""
        if not isinstance(error, Exception):
            return False
        failure = stage_failure(self._stage, error)
        self._errors.append(Undecided(TOOLKIT, (Reason.TOOLKIT_ERROR,), failure=failure))
        return True


def stage_failure(stage: str, error: BaseException | None, blame: str = "") -> StageFailure:
    """An error of ours in one stage; ``None``: a text that it cannot handle."""
    return StageFailure(
        stage,
        "" if error is None else error_text(error),
        may_go_away=isinstance(error, (*STORAGE, MemoryError, DatabaseError)),
        storage=isinstance(error, STORAGE),
        blame=blame,
    )


def stand_ins(case: Case) -> Iterator[Prediction]:
    """What takes the place of a prediction to see whether the case works without it.

    That is each gold. A question without one is answered by silence.
    """
    for gold in case.golds:
        yield Prediction(case.id, gold)
    if not case.golds:
        yield Prediction(case.id, abstained=True)
