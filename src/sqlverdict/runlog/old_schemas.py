"""Reads lines of run logs whose evidence is not typed: schemas 1 and 2.

There a piece of evidence had a rung, a source, a verdict of its own (``agrees``), reasons, a fault
and a ``detail`` without fixed fields. Logs of other programs may lack any of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import structs

from sqlverdict.evidence import (
    Contradicted,
    Evidence,
    Failed,
    Judged,
    OpenQuestion,
    Proved,
    Recorded,
    Refuted,
    Related,
    Relation,
    Searched,
    Signs,
    Tested,
    Undecided,
)
from sqlverdict.evidence_parts import (
    AnswerExcerpt,
    AnswerShapes,
    GeneratedRelation,
    LoggedSign,
    LoggedTag,
    StageFailure,
    TableExcerpt,
)
from sqlverdict.reasons import Fault, Reason
from sqlverdict.records import Result

_REFUTE = "refute"

Detail = Mapping[str, Any]


class _OldEvidence(msgspec.Struct):
    """A piece of evidence as schemas 1 and 2 wrote it."""

    rung: Literal["proved", "refuted", "tested", "related", "judged", "unknown"]
    by: str
    agrees: bool | None = None
    reasons: tuple[Reason, ...] = ()
    fault: Fault | None = None
    detail: dict[str, Any] = {}


class _OldLine(msgspec.Struct):
    evidence: tuple[_OldEvidence, ...] = ()


_line = msgspec.json.Decoder(_OldLine).decode
_fields = msgspec.json.Decoder(dict[str, Any]).decode


def decode_old(line: bytes) -> Result:
    """The result of a line of schema 1 or 2.

    Raises:
        msgspec.DecodeError: it is no such line.
    """
    fields = _fields(line) | {"evidence": ()}
    result = msgspec.convert(fields, Result)
    try:
        return structs.replace(result, evidence=tuple(map(_evidence, _line(line).evidence)))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise msgspec.ValidationError(f"evidence of no known form: {error!r}") from error


def _evidence(old: _OldEvidence) -> Evidence:
    detail = old.detail
    common: dict[str, Any] = {
        "reasons": old.reasons,
        "message": str(detail.get("message") or ""),
        "cut_by_time": bool(detail.get("cut_by_time")),
        "gold_reads_clock": bool(detail.get("gold_reads_clock")),
        "both_empty": bool(detail.get("both_empty")),
    }
    if old.rung == "judged":
        return _judged(old, common)
    if "contradiction" in detail:
        against: Literal["witness", "real"]
        against = "witness" if detail.get("against") == "witness" else "real"
        return Contradicted(old.by, against=against, file=_text(detail, "file"), **common)
    if old.rung == "proved":
        return _proved(old.by, detail, common)
    if old.rung == "refuted":
        return _refuted(old.by, detail, common)
    if old.rung == "tested":
        return _tested(old.by, detail, common)
    if old.rung == "related":
        return _difference(old, common)
    return _unknown(old, common)


def _difference(old: _OldEvidence, common: Detail) -> Related | Failed:
    detail = old.detail
    if detail.get("failed") or old.by == "execute":
        return Failed(
            old.by, query="prediction", failure=_failure(detail), tags=_tags(detail), **common
        )
    shape, generated = detail.get("shape"), detail.get("generated")
    return Related(
        old.by,
        shape=AnswerShapes(_pair(shape.get("gold")), _pair(shape.get("prediction")))
        if shape is not None
        else None,
        relations=tuple(map(_relation, detail.get("relations") or ())),
        recorded=bool(detail.get("recorded")),
        whole=detail.get("whole") is not False,
        ordered=detail.get("ordered") is not False,
        unsearched=bool(detail.get("unsearched")),
        generated=msgspec.convert(generated, GeneratedRelation) if generated else None,
        tags=_tags(detail),
        **common,
    )


def _unknown(old: _OldEvidence, common: Detail) -> Evidence:
    detail = old.detail
    if old.by == "record":
        return Recorded(
            old.by,
            verdicts=dict(detail.get("verdicts") or {}),
            equal=detail.get("equal"),
            differs=bool(detail.get("record_differs")),
            unused=bool(detail.get("record_unused")),
            **common,
        )
    if old.by == "signs":
        nothing = _text(detail, "says_nothing")
        return Signs(
            old.by,
            gold=_signs(detail.get("gold")),
            prediction=_signs(detail.get("prediction")),
            says_nothing=nothing if nothing in ("not_read", "constant") else "",  # type: ignore[arg-type]
            **common,
        )
    if "would_ask" in detail:
        situation = _text(detail, "situation")
        return OpenQuestion(
            old.by, question=_text(detail, "would_ask"), situation=situation, **common
        )
    if old.fault is Fault.GOLD:
        return Failed(old.by, query="gold", **common)
    declared = "declared" in detail
    return Undecided(
        old.by,
        fault=old.fault,
        blame="" if "stage" in detail else _text(detail, "blame"),
        declared=_proved(old.by, detail, {}) if declared else None,
        broken=_texts(detail, "broken") if declared else (),
        failure=_failure(detail),
        metric=_text(detail, "metric") if old.by == "metric" else "",
        **common,
    )


def _proved(by: str, detail: Detail, common: Detail) -> Proved:
    return Proved(
        by,
        profile=_text(detail, "profile"),
        trust=_text(detail, "trust"),
        rules=_texts(detail, "rules"),
        steps=_texts(detail, "steps"),
        form=_text(detail, "form"),
        unchecked=_texts(detail, "unchecked"),
        same_text="identical" in detail,
        **common,
    )


def _refuted(by: str, detail: Detail, common: Detail) -> Refuted:
    other = detail.get("other")
    return Refuted(
        by,
        sentence=_text(detail, "sentence"),
        grade=_text(detail, "grade") or "ungraded",
        broken=_texts(detail, "broken"),
        origin=_text(detail, "origin"),
        databases=detail.get("tried") or 0,
        size=detail.get("size"),
        rows=msgspec.convert(detail.get("rows") or {}, dict[str, TableExcerpt]),
        gold=_answer(detail.get("gold")),
        prediction=_answer(detail.get("prediction")),
        kind="undetermined_prediction" if "kind" in detail else "",
        other=_answer(other) if other else None,
        null_in_aggregate=bool(detail.get("null_in_aggregate")),
        file=_text(detail, "file"),
        tags=_tags(detail),
        **common,
    )


def _tested(by: str, detail: Detail, common: Detail) -> Tested:
    return Tested(
        by,
        databases=detail.get("databases", 1),
        undetermined=detail.get("undetermined") or 0,
        blame=_text(detail, "blame"),
        recorded=bool(detail.get("recorded")),
        constant_prediction=bool(detail.get("constant_prediction")),
        **common,
    )


def _judged(old: _OldEvidence, common: Detail) -> Judged:
    detail = old.detail
    tokens = detail.get("tokens") or (0, 0)
    return Judged(
        old.by,
        correct=old.agrees,
        metrics=_texts(detail, "metrics") if "metrics" in detail else ("verdict",),
        judge=_text(detail, "judge"),
        model=_text(detail, "model"),
        explanation=_text(detail, "explanation"),
        calls=detail.get("calls") or 0,
        cached=detail.get("cached") or 0,
        tokens=(tokens[0], tokens[1]),
        cost=detail.get("cost"),
        situation=_text(detail, "situation"),
        flags=_texts(detail, "flags"),
        categories=_texts(detail, "categories"),
        category_notes=dict(detail.get("category_notes") or {}),
        votes=tuple(detail.get("votes") or ()),
        notes=_texts(detail, "notes"),
        repeats=tuple(detail.get("repeats") or ()),
        **common,
    )


def _relation(old: Detail) -> Relation:
    detail = dict(old.get("detail") or {})
    broken, elsewhere = detail.pop("broken", None), detail.pop("elsewhere", None)
    return Relation(
        str(old.get("kind")),
        detail,
        _refuted(_REFUTE, broken, {}) if broken else None,
        _searched(elsewhere) if elsewhere else None,
    )


def _searched(detail: Detail) -> Searched:
    """What a search beside a relation gave; its form is told by its fields."""
    if "sentence" in detail:
        return _refuted(_REFUTE, detail, {})
    if detail.get("databases"):
        return _tested(_REFUTE, detail, {})
    return Undecided(_REFUTE, message=_text(detail, "message"))


def _failure(detail: Detail) -> StageFailure | None:
    if "stage" not in detail:
        return None
    return StageFailure(
        str(detail["stage"]),
        _text(detail, "error"),
        bool(detail.get("may_go_away")),
        bool(detail.get("storage")),
        _text(detail, "blame"),
    )


def _answer(side: Detail | None) -> AnswerExcerpt:
    if not side:
        return AnswerExcerpt()
    if "failed" in side:
        return AnswerExcerpt(failed=Reason(side["failed"]), message=_text(side, "message"))
    return msgspec.convert(side, AnswerExcerpt)


def _signs(records: Sequence[Detail] | None) -> tuple[LoggedSign, ...]:
    return msgspec.convert(records or (), tuple[LoggedSign, ...])


def _tags(detail: Detail) -> tuple[LoggedTag, ...] | None:
    logged = detail.get("tags")
    if logged is None:
        return None
    return tuple(
        LoggedTag(str(tag["name"]), _text(tag, "detail"))
        if isinstance(tag, Mapping)
        else LoggedTag(str(tag))
        for tag in logged
    )


def _pair(shape: Sequence[int] | None) -> tuple[int, int] | None:
    return (shape[0], shape[1]) if shape else None


def _text(detail: Detail, key: str) -> str:
    return str(detail.get(key) or "")


def _texts(detail: Detail, key: str) -> tuple[str, ...]:
    return tuple(map(str, detail.get(key) or ()))
