"""A candidate gold with all that a reviewer needs to accept, edit or reject it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlverdict.api.pair_result import PairResult
from sqlverdict.audit.repair import CandidateGold
from sqlverdict.compare.difference import AnswerDifference
from sqlverdict.evidence import Refuted
from sqlverdict.files.text import count
from sqlverdict.records import Result, Row
from sqlverdict.refute.explain.evidence import excerpt_rows, witness_record

_ROWS = 5
"""How many rows of an answer, and of a difference, a record has."""


@dataclass(frozen=True)
class Proposal:
    """A candidate gold that differs from the gold, and where.

    Attributes:
        candidate: The query, and where it comes from.
        removes: The signs of a mistake that the gold shows and the candidate does not.
        adds: The signs that only the candidate shows.
        pair: The gold and the candidate, in the prediction's place, on the real database.
        difference: The rows that differ there; ``None``: they answer alike, or the gold fails.
        witness: A small database on which they differ; ``None``: none was found.
        to_right: The systems that match the candidate and not the gold.
        to_wrong: The systems that match the gold and not the candidate.
    """

    candidate: CandidateGold
    removes: tuple[str, ...]
    adds: tuple[str, ...]
    pair: PairResult
    difference: AnswerDifference | None
    witness: Refuted | None
    to_right: tuple[str, ...] = ()
    to_wrong: tuple[str, ...] = ()

    @property
    def result(self) -> Result:
        """The pair as a line of a run log has it."""
        return self.pair.result

    @property
    def changes_answer(self) -> bool:
        """Whether the real database answers otherwise than to the gold."""
        return self.difference is not None or self.pair.gold_rows is None

    def change_words(self) -> str:
        """What it changes on the real database, in a sentence."""
        if self.pair.gold_rows is None:
            return f"the gold fails; {count(self.pair.prediction_count or 0, 'row')} after"
        if self.difference is None:
            return "the real database gives the same answer to both"
        own = self.difference
        before, after = self.pair.gold_count or 0, self.pair.prediction_count or 0
        parts = [
            f"{number:,} {word}"
            for number, word in (
                (own.changed_count, "changed"),
                (own.missing_count, "gone"),
                (own.extra_count, "new"),
            )
            if number
        ]
        rows = f": {', '.join(parts)}" if parts else ", with other columns"
        return f"{count(before, 'row')} before, {after:,} after{rows}"

    def lines(self) -> Iterator[str]:
        """What a reviewer needs to know of it, one sentence each."""
        own = self.candidate
        yield f"on the real database: {self.change_words()}"
        if self.witness is not None:
            yield f"witness: {self.witness.sentence or 'a small database on which the two differ'}"
        if own.systems:
            proved = f"; proved equal: {', '.join(own.proved)}" if len(own.proved) > 1 else ""
            who = count(len(own.systems), "system answers", "systems answer")
            yield f"{who} so: {', '.join(own.systems)}{proved}"
        for word, names in (("right", self.to_right), ("wrong", self.to_wrong)):
            if names:
                yield f"would become {word}: {', '.join(names)}"
        for word, names in (("removes", self.removes), ("adds", self.adds)):
            if names:
                yield f"{word} the sign {', '.join(names)}"

    def as_record(self) -> dict[str, Any]:
        """The proposal as plain values, for JSON."""
        own = self.difference
        return {
            "gold": self.candidate.sql,
            "source": self.candidate.source,
            "reason": self.candidate.reason,
            "systems": list(self.candidate.systems),
            "proved": list(self.candidate.proved),
            "removes": list(self.removes),
            "adds": list(self.adds),
            "before": _answer(self.pair.gold_rows, self.pair.gold_count),
            "after": _answer(self.pair.prediction_rows, self.pair.prediction_count),
            "difference": None
            if own is None
            else {
                "gone": own.missing_count + own.changed_count,
                "new": own.extra_count + own.changed_count,
                "rows_gone": _rows((*(each.gold for each in own.changed), *own.missing)),
                "rows_new": _rows((*(each.prediction for each in own.changed), *own.extra)),
            },
            "witness": None if self.witness is None else witness_record(self.witness),
            "to_right": list(self.to_right),
            "to_wrong": list(self.to_wrong),
        }


def _rows(rows: tuple[Row, ...]) -> list[list[object]]:
    return [list(row) for row in excerpt_rows(rows[:_ROWS])]


def _answer(rows: Any, number: int | None) -> dict[str, object] | None:
    """The first rows of an answer, and how many it has; ``None``: the query fails."""
    if rows is None:
        return None
    return {"count": number, "rows": _rows(tuple(rows))}
