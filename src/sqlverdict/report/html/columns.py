"""The columns of the index: one entry per case, for all systems and for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import msgspec
from msgspec import Raw, Struct

from sqlverdict.evidence import Failed, Refuted, Related
from sqlverdict.records import Result, Verdict
from sqlverdict.report.html.bar import bar_part
from sqlverdict.report.html.details import detail_of
from sqlverdict.report.html.document import CaseColumns, ResultColumns
from sqlverdict.report.one_run.case import relation_kinds
from sqlverdict.report.one_run.score_parts import case_score
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import reasons_by, verdict_by
from sqlverdict.score.estimates import REMEMBERED_GOLDS, sql_features

_NO_DETAIL = Raw(b"null")


class _PageCase(Struct, frozen=True):
    """What all systems share of a case; the evidence need not stay in memory."""

    id: str
    db: str
    question: str
    difficulty: str | None
    gold: tuple[str, ...]
    knowledge: str
    earlier: tuple[str, ...]


class CaseTable:
    """The cases of all runs, in the order in which they are met, and the details of each."""

    def __init__(self) -> None:
        self._position: dict[str, int] = {}
        self._cases: list[_PageCase] = []
        self._features = lru_cache(REMEMBERED_GOLDS)(_sorted_features)

    def __len__(self) -> int:
        return len(self._cases)

    def position(self, result: Result) -> int:
        """The position of a case; a new one is added."""
        position = self._position.setdefault(result.id, len(self._cases))
        if position == len(self._cases):
            self._cases.append(
                _PageCase(
                    result.id,
                    result.db_id,
                    result.question,
                    result.difficulty,
                    result.gold,
                    result.knowledge,
                    result.earlier,
                )
            )
        return position

    def columns(self) -> CaseColumns:
        """What all systems share."""
        cases = self._cases
        return CaseColumns(
            id=tuple(case.id for case in cases),
            db=tuple(case.db for case in cases),
            question=tuple(case.question for case in cases),
            difficulty=tuple(case.difficulty for case in cases),
            gold=tuple(case.gold for case in cases),
            knowledge=tuple(case.knowledge for case in cases),
            earlier=tuple(case.earlier for case in cases) if self._has_earlier() else (),
            feature=tuple(self._features(case.gold[0]) if case.gold else () for case in cases),
        )

    def _has_earlier(self) -> bool:
        """Whether a case is a later turn of a conversation; pages without one need no column."""
        return any(case.earlier for case in self._cases)


def _sorted_features(sql: str) -> tuple[str, ...]:
    return tuple(sorted(sql_features(sql)))


class RunTable:
    """One run, read once: its columns and the details of its cases.

    Args:
        run: The run.
        cases: The cases of all runs, which this one adds to.
    """

    def __init__(self, run: Run, cases: CaseTable) -> None:
        self.parts: Counter[str] = Counter()
        self.lucky_right = 0
        self.holds_back = False
        """Whether there is a confidence, an abstention or a question without an answer."""
        self.labels = tuple(run.manifest.metrics)
        self._results: dict[int, tuple[object, ...]] = {}
        self._details: dict[int, Raw] = {}
        encode = msgspec.json.Encoder().encode
        policy = run.manifest.policy
        deciding = run.deciding
        for result in run.results():
            position = cases.position(result)
            part, verdict = bar_part(result, policy), verdict_by(result, deciding)
            self.parts[part] += 1
            self.lucky_right += part == "lucky" and verdict is Verdict.CORRECT
            self._results[position] = (
                part,
                str(verdict),
                result.situation,
                None if result.abstained else result.prediction,
                result.confidence,
                tuple(case_score(result, label, run.manifest.binary) for label in self.labels),
                reasons_by(result, deciding),
                _tags(result),
                tuple(dict.fromkeys(relation_kinds(result))),
            )
            if result.confidence is not None or result.abstained or not result.answerable:
                self.holds_back = True
            self._details[position] = Raw(encode(detail_of(result, run.folder)))

    def columns(self, number: int) -> ResultColumns:
        """The columns, with an entry for each of so many cases."""
        rows = [self._results.get(position, _ABSENT) for position in range(number)]
        part, verdict, situation, prediction, confidence, scores, reason, tag, relation = (
            zip(*rows, strict=True) if rows else ((),) * len(_ABSENT)
        )
        return ResultColumns(
            part=part,
            verdict=verdict,
            situation=situation,
            prediction=prediction,
            confidence=confidence if any(each is not None for each in confidence) else (),
            scores={
                label: tuple(values[i] if values else None for values in scores)
                for i, label in enumerate(self.labels)
            },
            reason=reason,
            tag=tag,
            relation=relation,
        )

    def detail(self, position: int) -> Raw:
        """The details of a case, as JSON."""
        return self._details.get(position, _NO_DETAIL)


_ABSENT: tuple[object, ...] = (None, None, "", None, None, (), (), (), ())
"""The entries of a case that a run does not have."""


def _tags(result: Result) -> tuple[str, ...]:
    """What differs between the two queries, by name."""
    names: dict[str, None] = {}
    for piece in result.evidence:
        if isinstance(piece, Refuted | Related | Failed):
            names.update((tag.name, None) for tag in piece.tags or ())
    return tuple(names)


def blocks(tables: Sequence[RunTable], number: int, size: int) -> tuple[Raw, ...]:
    """The details of so many cases, so many in a block."""
    encode = msgspec.json.Encoder().encode
    return tuple(
        Raw(
            encode(
                [
                    [table.detail(position) for table in tables]
                    for position in range(start, min(number, start + size))
                ]
            )
        )
        for start in range(0, number, size)
    )
