"""Whether a question names a column of the gold: a hint, read off names alone.

A column is named where the question, or the knowledge that comes with it, has one of the words of
its name, or a word that asks for its aggregate ("how many" for ``count(*)``). What cannot be read
counts as named: an answer without it is then not excused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sqlverdict.files.inflect import regular_singular
from sqlverdict.records import Case, Query

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LONG = 4
"""Words of so many letters are looked for within other words too: ``email`` is in "e-mails"."""
_AGGREGATES = {
    "count": r"\b(how many|numbers?|counts?|times|amounts?|quantity)\b",
    "sum": r"\b(total|totals|sum|sums|how much|how many|amounts?|overall)\b",
    "avg": r"\b(average|averages|mean)\b",
    "max": r"\b(max\w*|most|highest|largest|greatest|biggest|latest|oldest|longest|top)\b",
    "min": r"\b(min\w*|least|lowest|smallest|earliest|youngest|shortest|fewest)\b",
}


def names_columns(case: Case, positions: Iterable[int]) -> bool:
    """Whether the question names one of the first gold's output columns at these positions."""
    if not case.question.strip():
        return True
    # The parser is slow to load; who has no such columns need not wait.
    from sqlglot import exp

    from sqlverdict.parse.query import parse

    text = f"{case.question}\n{case.known}"
    query = parse(case.golds[0]) if case.golds else None
    if not isinstance(query, Query):
        return True
    outputs = query.tree.selects if isinstance(query.tree, exp.Query) else []
    if any(output.is_star for output in outputs):
        return True
    return any(at >= len(outputs) or _is_named(outputs[at], text) for at in positions)


def _is_named(output: Expr, text: str) -> bool:
    from sqlglot import exp

    aggregates = list(output.find_all(exp.AggFunc))
    for aggregate in aggregates:
        pattern = _AGGREGATES.get(aggregate.key)
        if pattern is None or re.search(pattern, text, re.IGNORECASE):
            return True
    names = [column.name for column in output.find_all(exp.Column)]
    if not names and not aggregates:
        return True
    question = set(_words(text))
    squashed = "".join(re.findall(r"\w", text.lower()))
    words = {word for name in (*names, output.alias) for word in _words(name)}
    return any(word in question or (len(word) >= _LONG and word in squashed) for word in words)


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        if len(word) > 1:
            noun = word.lower()
            yield regular_singular(noun) if len(noun) >= _LONG else noun.removesuffix("s")
