"""One case in words: its verdict, and what each piece of evidence says."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlverdict.compare.relation import RELATIONS
from sqlverdict.files.text import count
from sqlverdict.records import (
    RECORD,
    RECORD_DIFFERS,
    RECORD_UNUSED,
    Evidence,
    Result,
    Rung,
    Verdict,
)
from sqlverdict.situations import BECAUSE, Situation

VERDICTS: Mapping[Verdict, str] = {
    Verdict.CORRECT: "right answer",
    Verdict.INCORRECT: "wrong answer",
    Verdict.NEEDS_REVIEW: "nothing decided it; a person should look",
    Verdict.ABSTAINED_RIGHT: "abstained, and the question has no answer",
    Verdict.ABSTAINED_WRONG: "abstained, and the question has an answer",
    Verdict.UNSCORED: "could not be evaluated; not the model's fault",
}
"""What each verdict means."""


def because(result: Result) -> str:
    """What the evidence amounts to, and how often people call such an answer right."""
    if not result.situation:
        return ""
    told = f"{BECAUSE[Situation(result.situation)]} ({result.situation})"
    if result.p_right is None:
        return told
    return f"{told}; by labels such an answer is right with probability {result.p_right:.2f}"


_NOTES = {
    "weak": "weak: may be chance",
    "constant": "it reads no data for this",
    "alternatives": "with other numbers beside it",
    "broken": "it does not hold on another legal database",
}
"""What makes a relation worth less, in words."""

_STEPS = 12
_SAYS = 600


def said(result: Result) -> str:
    """The prediction as text; an abstention is not an empty text."""
    if result.abstained:
        return "(abstained)"
    if result.prediction is None or not result.prediction.strip():
        return "(no SQL)"
    return result.prediction


def evidence_lines(result: Result, folder: Path | None = None) -> list[str]:
    """What the evidence of a case says, one sentence each, strongest first.

    Args:
        result: The case.
        folder: The run's folder, so that files are named where they lie.
    """
    order = list(Rung)
    found = sorted(result.evidence, key=lambda evidence: order.index(evidence.rung))
    return [line for evidence in found for line in _sentences(evidence, folder)]


def _file(folder: Path | None, kind: str, name: str) -> str:
    """Where a file of a run lies, in its folder or the one that holds several; "" if nowhere."""
    for home in (folder, folder.parent) if folder is not None else ():
        if (home / kind / name).is_file():
            return str(home / kind / name)
    return ""


def relation_kinds(result: Result) -> list[str]:
    """The relations between the two answers, by name."""
    return [
        str(relation.get("kind"))
        for evidence in result.evidence
        for relation in evidence.detail.get("relations") or ()
    ]


def relation_text(kind: str, detail: Mapping[str, Any]) -> str:
    """A relation in words, with its proof."""
    try:
        text = RELATIONS.get(kind).words(detail) if RELATIONS.has(kind) else _as_json(detail)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        # A relation of a plug-in or of another version may hold other fields.
        text = _as_json(detail)
    notes = [words for note, words in _NOTES.items() if detail.get(note)]
    return f"{kind}: {text}" + (f" ({'; '.join(notes)})" if notes else "")


def _sentences(evidence: Evidence, folder: Path | None) -> Iterator[str]:
    detail = evidence.detail
    message = str(detail.get("message", ""))
    if "contradiction" in detail:
        yield f"CONTRADICTION: {message}"
        if file := _file(folder, "contradictions", str(detail.get("file") or "")):
            yield f"saved as {file}"
    elif evidence.by == "toolkit" and "stage" in detail and not detail.get("failed"):
        error = f" ({detail['error']})" if detail.get("error") else ""
        blame = "; counted as wrong there" if detail.get("blame") else ""
        said = "could not go on" if detail.get("storage") else "could not handle the text"
        yield f"{detail['stage']} {said}{error}{blame}"
    elif evidence.by == "metric" and "metric" in detail:
        yield f"{detail['metric']} is unscored: {', '.join(evidence.reasons)}"
    elif evidence.by == RECORD:
        yield from _record(detail)
    elif "declared" in detail:
        yield from _declared_proof(detail)
    elif evidence.by == "signs":
        yield from _signs(detail)
    elif "would_ask" in detail:
        yield f"would ask a judge: {detail['would_ask']}"
    elif evidence.rung is Rung.PROVED:
        yield from _proof(detail)
    elif evidence.rung is Rung.JUDGED:
        yield from _opinion(evidence)
    elif evidence.rung is Rung.REFUTED:
        size = detail.get("size", "?")
        rows = count(size, "row") if isinstance(size, int) else "? rows"
        yield f"refuted ({detail.get('grade', 'ungraded')}, {rows}): {detail.get('sentence')}"
        if file := _file(folder, "witnesses", str(detail.get("file") or "")):
            yield f"replay it: sqlverdict replay {shlex.quote(file)}"
        for broken in detail.get("broken") or ():
            yield f"the real data show otherwise: {broken}"
    elif evidence.rung is Rung.TESTED and evidence.agrees:
        number = detail.get("databases", 1)
        databases = count(number, "database")
        if detail.get("recorded"):
            yield "tested: recorded with the same answers"
        elif evidence.by == "compare" and number == 1:
            yield "tested: on the real database both return the same rows"
        else:
            yield f"tested: no difference found on {databases}"
    elif detail.get("failed"):
        yield f"the {detail['failed']} gave no answer: {message}"
    elif "shape" in detail:
        recorded = "recorded: " if detail.get("recorded") else ""
        cut = "; only a part is kept" if detail.get("whole") is False else ""
        yield f"{recorded}{_shapes(detail['shape'])}{cut}"
        for relation in detail.get("relations") or ():
            yield relation_text(str(relation.get("kind")), relation.get("detail") or {})
    elif detail.get("recorded") and evidence.agrees is False:
        yield "recorded: the answers differ; the answers themselves are not kept"
    else:
        fault = f" (fault: {evidence.fault})" if evidence.fault else ""
        reasons = ", ".join(evidence.reasons)
        yield f"{evidence.rung}{fault}: {'. '.join(part for part in (reasons, message) if part)}"
    tags = [str(tag.get("name")) for tag in detail.get("tags") or () if isinstance(tag, Mapping)]
    if tags:
        yield f"what differs: {', '.join(tags)}"


def _record(detail: Mapping[str, Any]) -> Iterator[str]:
    """What a record adds, and whether it fits what was run."""
    if detail.get(RECORD_UNUSED):
        yield str(detail.get("message"))
    if "equal" in detail:
        fits = ", against what was run here" if detail.get(RECORD_DIFFERS) else ""
        yield f"recorded: the results {'match' if detail['equal'] else 'differ'}{fits}"
    verdicts = detail.get("verdicts") or {}
    words = {0.0: "wrong", 1.0: "right"}
    by_word: dict[str, list[str]] = {}
    for name, value in verdicts.items():
        by_word.setdefault(words.get(value, "no opinion"), []).append(name)
    for word, names in by_word.items():
        yield f"recorded opinion {word}: {', '.join(names)}"


def _declared_proof(detail: Mapping[str, Any]) -> Iterator[str]:
    """A proof that decides nothing, and why."""
    rules = ", ".join(str(rule) for rule in detail.get("rules") or ())
    by = f", by {rules}" if rules else ""
    yield f"proved under the declared schema only{by}; it is not used here"
    for broken in detail.get("broken") or ():
        yield f"  the data break it: {broken}"
    for unsure in detail.get("unchecked") or ():
        yield f"  {unsure}"


def _proof(detail: Mapping[str, Any]) -> Iterator[str]:
    if "identical" in detail:
        yield "proved: the two texts are the same query"
        return
    steps = [str(step) for step in detail.get("steps") or ()]
    trust = detail.get("trust", "proved")
    weakest = "" if trust == "proved" else f" (the weakest rule is only {trust})"
    if not steps:
        yield f"proved: both are one query{weakest}"
        return
    rules = ", ".join(str(rule) for rule in detail.get("rules") or ())
    yield f"proved: both are one query, by {rules}{weakest}"
    for step in steps[:_STEPS]:
        yield f"  {step}"
    if len(steps) > _STEPS:
        yield f"  and {count(len(steps) - _STEPS, 'more step')}"
    for unsure in detail.get("unchecked") or ():
        yield f"  {unsure}"


def _opinion(evidence: Evidence) -> Iterator[str]:
    detail = evidence.detail
    words = {True: "right", False: "wrong", None: "no verdict"}[evidence.agrees]
    model = f", {detail['model']}" if detail.get("model") else ""
    why = f" ({', '.join(evidence.reasons)})" if evidence.reasons else ""
    metrics = ", ".join(str(name) for name in detail.get("metrics") or ())
    yield f"judged by {detail.get('judge') or evidence.by}{model} for {metrics}: {words}{why}"
    text = " ".join(str(detail.get("explanation", "")).split())
    if text:
        yield f"it says: {text if len(text) <= _SAYS else text[:_SAYS] + '…'}"
    votes = detail.get("repeats")
    if votes:
        said = ", ".join({True: "right", False: "wrong"}.get(vote, "unread") for vote in votes)
        yield f"asked {count(len(votes), 'time')}: {said}"
    if detail.get("categories"):
        yield f"categories: {', '.join(map(str, detail['categories']))}"
    if detail.get("flags"):
        yield f"flags: {', '.join(map(str, detail['flags']))}"
    for note in detail.get("notes") or ():
        yield f"not told to the judge: {note}"
    read, written = detail.get("tokens") or (0, 0)
    cost = detail.get("cost")
    price = f", ${cost:.4f}" if cost else ""
    if read or written:
        yield f"took {count(detail.get('calls', 0), 'call')}, {read:,} + {written:,} tokens{price}"


def _signs(detail: Mapping[str, Any]) -> Iterator[str]:
    """What speaks against each query by itself."""
    for side in ("gold", "prediction"):
        for found in detail.get(side) or ():
            if isinstance(found, Mapping):
                yield f"sign against the {side}: {found.get('message')} ({found.get('name')})"


def _shapes(shape: Mapping[str, Any]) -> str:
    parts = []
    for side in ("gold", "prediction"):
        if size := shape.get(side):
            rows, columns = size
            parts.append(f"the {side} returns {count(rows, 'row')} of {count(columns, 'column')}")
    return ", ".join(parts)


def _as_json(detail: Mapping[str, Any]) -> str:
    return json.dumps(detail, ensure_ascii=False, default=str)
