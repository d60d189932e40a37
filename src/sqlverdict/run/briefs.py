"""What a judge is to be asked about a case, and with which brief."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.judge.brief import Brief
from sqlverdict.records import Answer, Evidence, Outcome, Row, Rung
from sqlverdict.run.item import DeskItem
from sqlverdict.verdicts import Situation, asks

REPLAY = "replay"
"""The judge that reads recorded replies: whatever the brief, a case has one."""


@dataclass(frozen=True)
class Asking:
    """Which judges a run asks, by name; ``None``: nobody.

    Attributes:
        flex: Asked about every pair that runs, for the metric ``flex``.
        verdict: Asked what evidence leaves open, for the metric ``verdict``.
    """

    flex: str | None = None
    verdict: str | None = None


@dataclass(frozen=True)
class Question:
    """One brief for one judge, and the metrics that want to know.

    ``situation`` says what is open, where it is asked for the verdict.
    """

    metrics: tuple[str, ...]
    judge: str
    brief: Brief
    situation: Situation | None = None


def questions(item: DeskItem, evidence: Sequence[Evidence], asking: Asking) -> tuple[Question, ...]:
    """What is to be asked about a case; nothing about a contradiction, which stops the run."""
    if any("contradiction" in found.detail for found in evidence):
        return ()
    open_ = asks(item.case, item.prediction, evidence) if asking.verdict else None
    bare = _bare(item) if (asking.flex and _runs(item)) or open_ is not None else None
    if bare is None:
        return ()
    wanted: list[Question] = []
    if asking.flex and _runs(item):
        wanted.append(Question(("flex",), asking.flex, bare))
    if asking.verdict and open_ is not None:
        full = _with_evidence(bare, evidence)
        wanted.append(Question(("verdict",), asking.verdict, full, open_))
    if len(wanted) == 2 and _same(*wanted):
        return (Question(("flex", "verdict"), wanted[1].judge, wanted[1].brief, open_),)
    return tuple(wanted)


def _same(one: Question, other: Question) -> bool:
    return one.judge == other.judge and (one.judge == REPLAY or one.brief == other.brief)


def _runs(item: DeskItem) -> bool:
    """Whether both queries run: FLEX asks about no others."""
    case, prediction = item.case, item.prediction
    if not case.answerable or not (prediction.sql or "").strip():
        return False
    return isinstance(item.answer(), Answer) and any(isinstance(g, Answer) for g in item.golds())


def _bare(item: DeskItem) -> Brief:
    """The brief that FLEX has: whether the results match and, where not, both of them."""
    case, record = item.case, item.case.recorded
    at, gold = next(
        (number, outcome)
        for number, outcome in enumerate(item.golds())
        if isinstance(outcome, Answer)
    )
    return Brief(
        case_id=case.id,
        db_id=case.db_id,
        question=case.question,
        knowledge=case.knowledge,
        schema_text=_schema_text(item, record.schema_text if record is not None else ""),
        gold=case.golds[at],
        prediction=item.prediction.sql or "",
        equal=item.compare(DEFAULT_PRESET).equal,
        gold_table=record.gold_text if record is not None else _table(gold),
        prediction_table=record.prediction_text if record is not None else _table(item.answer()),
        dialect=item.pair().dialect,
    )


def _schema_text(item: DeskItem, recorded: str) -> str:
    from sqlverdict.judge.schema_text import schema_text

    if recorded:
        return recorded
    schema = item.schema()
    return schema_text(schema) if schema is not None else ""


def _table(outcome: Outcome) -> str | None:
    from sqlverdict.judge.tables import result_table

    return result_table(outcome) if isinstance(outcome, Answer) else None


def _with_evidence(brief: Brief, evidence: Sequence[Evidence]) -> Brief:
    return replace(
        brief,
        witness=next((_witness(e) for e in evidence if e.rung is Rung.REFUTED), None),
        relations=tuple(line for e in evidence for line in _relations(e)),
    )


def _relations(found: Evidence) -> Iterator[str]:
    from sqlverdict.report.case import relation_text

    for relation in found.detail.get("relations") or ():
        yield relation_text(str(relation.get("kind")), relation.get("detail") or {})


def _witness(found: Evidence) -> str:
    """The rows of a witness, both answers on them, and what is unusual about them."""
    detail = found.detail
    tables = (detail.get("rows") or {}).items()
    parts = [
        str(detail.get("sentence", "")),
        *(f"Table {name}:\n{_rows(table)}" for name, table in tables),
        *(
            f"The {side} query returns:\n{_rows(detail.get(side) or {})}"
            for side in ("gold", "prediction")
        ),
        *(f"The real data show otherwise: {broken}" for broken in detail.get("broken") or ()),
    ]
    return "\n\n".join(part for part in parts if part)


def _rows(table: Mapping[str, Any]) -> str:
    from sqlverdict.judge.tables import markdown_table

    if "failed" in table:
        return f"(it fails: {table.get('message', '')})"
    rows: list[Row] = [tuple(row) for row in table.get("rows") or ()]
    return markdown_table(table.get("columns") or (), rows)
