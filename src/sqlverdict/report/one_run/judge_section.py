"""What a run asked a judge and what it said, what the run would have asked, and contradictions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from sqlverdict.account import Spending
from sqlverdict.evidence import Contradicted, Judged, OpenQuestion
from sqlverdict.files.text import count
from sqlverdict.records import Result
from sqlverdict.report.terminal.tables import TextTable, percent, short, table
from sqlverdict.runlog.run import Run
from sqlverdict.score.summary import Summary

_MOST_ROWS = 1_000
_MOST_LINES = 50
_MOST_CAUSES = 3
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def would_ask(run: Run) -> Iterator[tuple[Result, str]]:
    """The cases that would have been put to a judge, and why."""
    for result in run.results():
        for piece in result.evidence:
            if isinstance(piece, OpenQuestion):
                yield result, piece.question


def would_ask_table(run: Run) -> TextTable:
    """The first cases that would have been put to a judge."""
    rows = [
        (result.id, result.db_id, str(run.verdict(result)), why)
        for result, why in islice(would_ask(run), _MOST_ROWS)
    ]
    return table(("id", "database", "decided", "what is open"), rows, left=range(4))


def contradictions(run: Run) -> Iterator[tuple[Result, Contradicted]]:
    """The cases that are both proved and refuted, with what is known about each."""
    if not run.summary.judge.get("contradictions"):
        return
    for result in run.results():
        for piece in result.evidence:
            if isinstance(piece, Contradicted):
                yield result, piece


def contradiction_lines(run: Run) -> list[str]:
    """One loud sentence a contradiction."""
    return [
        f"CONTRADICTION in case {result.id!r} ({result.db_id}): proved to be equal, and refuted by "
        f"{'a witness' if piece.against == 'witness' else 'the real database'}"
        + (f"; saved as contradictions/{piece.file}" if piece.file else "")
        for result, piece in islice(contradictions(run), _MOST_LINES)
    ]


def no_verdict_table(run: Run) -> TextTable:
    """The questions that got no verdict, and why."""
    rows = [
        (
            result.id,
            piece.by,
            ", ".join(piece.reasons),
            short(piece.explanation, 160),
        )
        for result in run.results()
        for piece in result.evidence
        if isinstance(piece, Judged) and piece.correct is None
    ]
    return table(("id", "judge", "reason", "message"), rows[:_MOST_ROWS], left=range(4))


def categories_table(run: Run) -> TextTable:
    """FLEX's kinds of error and of difference that judges named, the most frequent first."""
    numbers = {True: Counter[str](), False: Counter[str]()}
    cases = Counter[bool]()
    for result in run.results():
        for piece in result.evidence:
            if isinstance(piece, Judged) and piece.correct is not None and piece.categories:
                cases[piece.correct] += 1
                numbers[piece.correct].update(piece.categories)
    rows = [
        (opinion, label, f"{number:,}", percent(number / cases[correct]))
        for correct, opinion in ((False, "wrong"), (True, "right"))
        for label, number in numbers[correct].most_common()
    ]
    headers = ("judged", "kind", "opinions", "of those with a kind")
    return table(headers, rows, left=(0, 1))


def no_verdict_sentences(run: Run) -> list[str]:
    """Why questions got no verdict: the most frequent causes, each with its number of questions.

    Messages that differ in their numbers alone count as one cause.
    """
    totals = run.summary.judge
    if not (totals.get("unparseable") or totals.get("unavailable")):
        return []
    first: dict[str, str] = {}
    numbers: Counter[str] = Counter()
    for result in run.results():
        for piece in result.evidence:
            if isinstance(piece, Judged) and piece.correct is None:
                message = piece.explanation or ", ".join(piece.reasons)
                cause = _NUMBER.sub("#", message)
                numbers[cause] += 1
                first.setdefault(cause, message)
    lines = [
        f"{count(number, 'question')}: {short(first[cause], 300)}"
        for cause, number in numbers.most_common(_MOST_CAUSES)
    ]
    rest = numbers.total() - sum(number for _, number in numbers.most_common(_MOST_CAUSES))
    if rest:
        lines.append(f"{count(rest, 'question')}: other causes; report.md lists them")
    return lines


def judge_sentences(summary: Summary) -> list[str]:
    """What asking took, in words; empty where nobody was asked and nobody would have been."""
    totals = summary.judge
    lines = []
    if totals.get("questions"):
        lines.append(_question_sentence(totals))
    missing = [
        text.format(count(totals[name], "question"))
        for name, text in (
            ("unparseable", "the reply to {} could not be read"),
            ("unavailable", "{} got no reply"),
        )
        if totals.get(name)
    ]
    if missing:
        lines.append(f"judge: {' and '.join(missing)}; unscored, not counted as wrong")
    if totals.get("repeated"):
        flipped, repeated = totals.get("flipped", 0), totals["repeated"]
        lines.append(
            f"judge: asked again, it changed its verdict in {flipped:,} of "
            f"{count(repeated, 'case')} ({flipped / repeated:.1%})"
        )
    if totals.get("panels"):
        lines.append(
            f"judge: all votes agreed in {totals.get('unanimous', 0):,} of "
            f"{count(totals['panels'], 'panel')}"
        )
    if totals.get("would_ask"):
        lines.append(
            f"no LLM judge was used; it would be asked about {count(totals['would_ask'], 'case')}"
        )
    return [*lines, *spending_sentences(summary.spending)]


def _question_sentence(totals: Mapping[str, Any]) -> str:
    prompt, completion = totals.get("prompt_tokens", 0), totals.get("completion_tokens", 0)
    cached = f", {totals['cached']:,} of them from the cache" if totals.get("cached") else ""
    tokens = f"; {prompt:,} tokens read and {completion:,} written" if prompt or completion else ""
    return (
        f"judge: {count(totals['questions'], 'question')}, "
        f"{count(totals.get('calls', 0), 'reply', 'replies')}"
        f"{cached}{tokens}"
    )


def spending_sentences(spending: Spending | None) -> list[str]:
    """What language models cost a folder over all commands; empty where none was called."""
    if spending is None or spending == Spending():
        return []
    parts = [f"${spending.spent:,.4f} spent on {count(spending.calls, 'call')}"]
    if spending.maybe_calls:
        calls = count(spending.maybe_calls, "call")
        parts.append(
            f"up to ${spending.maybe:,.4f} more may have been spent on {calls} without a reply or "
            "a token count"
        )
    if spending.cached:
        replies = count(spending.cached, "cached reply", "cached replies")
        parts.append(f"${spending.saved:,.4f} saved by {replies}")
    if spending.unpriced:
        parts.append(f"no price is known for {spending.unpriced:,} of them")
    return [f"cost, over all commands of this folder: {'; '.join(parts)}"]


_SAYS = 600
"""Characters of its explanation."""


def opinion_lines(opinion: Judged) -> Iterator[str]:
    """One sentence each: its verdict, its words, what it cost."""
    words = {True: "right", False: "wrong", None: "no verdict"}[opinion.correct]
    model = f", {opinion.model}" if opinion.model else ""
    why = f" ({', '.join(opinion.reasons)})" if opinion.reasons else ""
    metrics = ", ".join(opinion.metrics)
    yield f"judged by {opinion.judge or opinion.by}{model} for {metrics}: {words}{why}"
    text = " ".join(opinion.explanation.split())
    if text:
        yield f"it says: {text if len(text) <= _SAYS else text[:_SAYS] + '…'}"
    if len(opinion.votes) > 1:
        yield f"votes: {_votes(opinion.votes)}{'; all agree' if opinion.unanimous else ''}"
    if opinion.repeats:
        yield f"asked {count(len(opinion.repeats), 'time')}: {_votes(opinion.repeats)}"
    if opinion.categories:
        yield f"categories: {', '.join(opinion.categories)}"
    if opinion.flags:
        yield f"flags: {', '.join(opinion.flags)}"
    for note in opinion.notes:
        yield f"not told to the judge: {note}"
    read, replied = opinion.tokens
    cached = f" ({opinion.cached:,} cached)" if opinion.cached else ""
    price = f", ${opinion.cost:.4f} when paid for" if opinion.cost else ""
    if read or replied:
        calls = f"{count(opinion.calls, 'call')}{cached}"
        yield f"took {calls}, {read:,} + {replied:,} tokens{price}"


def _votes(votes: Iterable[bool | None]) -> str:
    return ", ".join({True: "right", False: "wrong", None: "unread"}[vote] for vote in votes)
