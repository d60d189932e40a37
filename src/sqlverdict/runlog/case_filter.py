"""Which cases of a run: one filter for commands, the API and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from sqlverdict.errors import UsageError
from sqlverdict.files.text import near
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.score.deciding import reasons_by, verdict_by
from sqlverdict.situations import Situation

Words = str | Sequence[str] | None
_KNOWN = {
    "verdict": [each.value for each in Verdict],
    "reason": [each.value for each in Reason],
}


@dataclass(frozen=True, kw_only=True)
class CaseFilter:
    """Conditions on a case, all of which must hold; a condition is one word or several.

    Attributes:
        verdict: What reports call the case: ``correct``, ``incorrect``, ``needs_review`` ...
        reason: A reason code, such as ``VALUE_MISMATCH``.
        db_id: A database.
        difficulty: A level.
        situation: What the evidence amounts to, such as ``ordinary_witness``.
        lucky: Whether the answers match by luck: a witness on ordinary data refutes them.
        abstained: Whether the system abstained.
        text: Words in the question, the golds or the prediction, in any case.

    Raises:
        UsageError: there is no such verdict or reason.
    """

    verdict: Words = None
    reason: Words = None
    db_id: Words = None
    difficulty: Words = None
    situation: Words = None
    lucky: bool | None = None
    abstained: bool | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        for name, known in _KNOWN.items():
            for word in _several(getattr(self, name)) or ():
                if word not in known:
                    raise UsageError(
                        f"there is no {name} {word!r}.{near(word, known)} Known: {', '.join(known)}"
                    )

    @property
    def conditions(self) -> dict[str, object]:
        """The conditions that are set, by name."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value not in (None, (), [])}

    def matches(self, result: Result, deciding: str | None) -> bool:
        """Whether a case fulfils all conditions.

        Args:
            result: The case.
            deciding: The metric that decides what reports call right.
        """
        return (
            _any(self.verdict, [verdict_by(result, deciding)])
            and _any(self.reason, reasons_by(result, deciding))
            and _any(self.db_id, [result.db_id])
            and _any(self.difficulty, [result.difficulty or ""])
            and _any(self.situation, [result.situation])
            and self.lucky in (None, is_lucky(result))
            and self.abstained in (None, result.abstained)
            and (self.text is None or self.text.casefold() in _texts(result))
        )


def is_lucky(result: Result) -> bool:
    """Whether the answers match by luck: a witness on data like the real data refutes them.

    Unusual data, repeated rows and ties have situations of their own.
    """
    return result.situation == Situation.ORDINARY_WITNESS


def _several(words: Words) -> Sequence[str] | None:
    return [words] if isinstance(words, str) else words or None


def _any(condition: Words, words: Sequence[str]) -> bool:
    several = _several(condition)
    return several is None or any(word in several for word in words)


def _texts(result: Result) -> str:
    return "\n".join((result.full_question, *result.gold, result.prediction or "")).casefold()
