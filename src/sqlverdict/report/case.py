"""One case in words: its verdict, and what each piece of evidence says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlverdict.records import Evidence, Result, Rung, Verdict

VERDICTS: Mapping[Verdict, str] = {
    Verdict.CORRECT: "answered as the gold does",
    Verdict.INCORRECT: "answered wrongly",
    Verdict.NEEDS_REVIEW: "nothing decided it; a person should look",
    Verdict.ABSTAINED_RIGHT: "held back where there is no answer",
    Verdict.ABSTAINED_WRONG: "held back where there is an answer",
    Verdict.UNSCORED: "could not be evaluated; not the model's fault",
}
"""What each verdict means."""

_EXAMPLE = 80


def said(result: Result) -> str:
    """The prediction as text; an abstention is not an empty text."""
    if result.abstained:
        return "(abstained)"
    if result.prediction is None or not result.prediction.strip():
        return "(no SQL)"
    return result.prediction


def evidence_lines(result: Result) -> list[str]:
    """What the evidence of a case says, one sentence each, strongest first."""
    order = list(Rung)
    found = sorted(result.evidence, key=lambda evidence: order.index(evidence.rung))
    return [line for evidence in found for line in _sentences(evidence)]


def relation_kinds(result: Result) -> list[str]:
    """The relations between the two answers, by name."""
    return [
        str(relation.get("kind"))
        for evidence in result.evidence
        for relation in evidence.detail.get("relations") or ()
    ]


def relation_text(kind: str, detail: Mapping[str, Any]) -> str:
    """A relation in words, with its proof."""
    words = _WORDS.get(kind)
    try:
        text = words(detail) if words is not None else _as_json(detail)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        # A relation of a plug-in or of another version may hold other fields.
        text = _as_json(detail)
    weak = " (weak: may be chance)" if detail.get("weak") else ""
    return f"{kind}: {text}{weak}"


def _sentences(evidence: Evidence) -> Iterator[str]:
    detail = evidence.detail
    message = str(detail.get("message", ""))
    if evidence.rung is Rung.PROVED:
        yield "proved: " + (
            "the two texts are the same query" if "identical" in detail else _as_json(detail)
        )
    elif evidence.rung is Rung.REFUTED:
        size = detail.get("size", "?")
        rows = "1 row" if size == 1 else f"{size} rows"
        yield f"refuted ({detail.get('grade', 'ungraded')}, {rows}): {detail.get('sentence')}"
        if detail.get("file"):
            yield f"replay it: sqlverdict replay .../witnesses/{detail['file']}"
        for broken in detail.get("broken") or ():
            yield f"the real data show otherwise: {broken}"
    elif evidence.rung is Rung.TESTED and evidence.agrees:
        number = detail.get("databases", 1)
        databases = "1 database" if number == 1 else f"{number} databases"
        yield f"tested: the answers agree on {databases}; no difference found"
    elif detail.get("failed"):
        yield f"the {detail['failed']} gave no answer: {message}"
    elif "shape" in detail:
        yield _shapes(detail["shape"])
        for relation in detail.get("relations") or ():
            yield relation_text(str(relation.get("kind")), relation.get("detail") or {})
    else:
        fault = f" (fault: {evidence.fault})" if evidence.fault else ""
        reasons = ", ".join(evidence.reasons)
        yield f"{evidence.rung}{fault}: {'. '.join(part for part in (reasons, message) if part)}"


def _shapes(shape: Mapping[str, Any]) -> str:
    parts = []
    for side in ("gold", "prediction"):
        if size := shape.get(side):
            rows, columns = size
            parts.append(
                f"the {side} returns {rows:,} row{'' if rows == 1 else 's'} of {columns} "
                f"column{'' if columns == 1 else 's'}"
            )
    return ", ".join(parts)


def _as_json(detail: Mapping[str, Any]) -> str:
    return json.dumps(detail, ensure_ascii=False, default=str)


def _places(places: list[int | None]) -> str:
    """Columns counted from 1, as people do."""
    return ", ".join("none" if place is None else str(place + 1) for place in places)


def _example(detail: Mapping[str, Any]) -> str:
    examples = detail.get("examples") or ()
    if not examples:
        return ""
    text = json.dumps(examples[0], ensure_ascii=False, default=str)
    return f", for instance {text if len(text) <= _EXAMPLE else text[:_EXAMPLE] + '…'}"


def _other(side: str) -> str:
    return "prediction" if side == "gold" else "gold"


def _rounding(detail: Mapping[str, Any]) -> str:
    change = detail["changed"][0]
    if change["rounded"] == "both":
        return "the same numbers up to noise in their last digits"
    return f"the same numbers, rounded to {change['digits']} decimals in the {change['rounded']}"


def _tie(detail: Mapping[str, Any]) -> str:
    return (
        f"LIMIT {detail['limit']} of the {detail['limited']} cuts through {detail['tied']} tied "
        f"rows; the {_other(detail['limited'])} returns all of them"
    )


_WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "column_permutation": lambda d: (
        f"the same rows; the gold's columns are the prediction's {_places(d['columns'])}"
    ),
    "extra_columns": lambda d: f"the gold's rows, with extra column {_places(d['extra'])}",
    "missing_columns": lambda d: f"the gold's rows without its column {_places(d['missing'])}",
    "duplicates_only": lambda d: (
        f"the same {d['distinct']} distinct rows, {d['prediction_rows']} rows instead of "
        f"{d['gold_rows']}"
    ),
    "row_subset": lambda d: f"{d['missing']} of the gold's rows missing{_example(d)}",
    "row_superset": lambda d: f"the gold's rows and {d['extra']} more{_example(d)}",
    "order_only": lambda d: f"the same rows in another order, from row {d['first'] + 1} on",
    "rounding": _rounding,
    "scale": lambda d: f"the same numbers, the gold's times {d['changed'][0]['factor']:g}",
    "yes_no": lambda d: (
        f"the same truth values, as {d['changed'][0]['prediction_form']} instead of "
        f"{d['changed'][0]['gold_form']}"
    ),
    "formats": lambda d: f"the same values, spelt otherwise ({d['changed'][0]['steps'][0]})",
    "sum_of_list": lambda d: (
        f"the {d['list']} lists {d['rows']} rows whose {d['function']} is the "
        f"{_other(d['list'])}'s {d['value']}"
    ),
    "tie_superset": _tie,
    "concatenated": lambda d: f"columns are joined into one text in the {d['joined']}",
    "transposed": lambda d: (
        f"{d['cells']} cells side by side in the {d['row']}, below each other in the other"
    ),
}
