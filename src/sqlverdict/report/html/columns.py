"""The columns of the index: one entry per case, for all systems and for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import msgspec
from msgspec import Raw

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


class CaseTable:
    """The cases of all runs, in the order in which they are met, and the details of each."""

    def __init__(self) -> None:
        self._position: dict[str, int] = {}
        self._cases: list[tuple[object, ...]] = []
        """What all systems share of each case; the evidence need not stay in memory."""
        self._features = lru_cache(REMEMBERED_GOLDS)(_sorted_features)

    def __len__(self) -> int:
        return len(self._cases)

    def position(self, result: Result) -> int:
        """The position of a case; a new one is added."""
        position = self._position.setdefault(result.id, len(self._cases))
        if position == len(self._cases):
            self._cases.append(
                (
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
        ids, dbs, questions, difficulties, golds, knowledge, earlier = (
            zip(*self._cases, strict=True) if self._cases else ((),) * 7
        )
        return CaseColumns(
            id=ids,
            db=dbs,
            question=questions,
            difficulty=difficulties,
            gold=golds,
            knowledge=knowledge,
            # Pages without a later turn of a conversation need no column.
            earlier=earlier if any(earlier) else (),
            feature=tuple(self._features(gold[0]) if gold else () for gold in golds),
        )


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
