"""What a plain SELECT says about the order of its rows, from its tokens alone.

A tree takes a millisecond or two, and most queries with an ORDER BY need none: one SELECT,
no set operation, no collation, a number behind LIMIT. Where anything is unusual, nothing is
said, and the tree decides; see ``order.py``.
"""

from __future__ import annotations

from sqlverdict.parse.clauses import outer_clauses
from sqlverdict.parse.order import Ordering, OutputColumn, TieProbe, probe_of, unquoted
from sqlverdict.parse.tokens import Kind, fold, kind, solid, word_set

_LONGEST = 2_000
_PLAIN_KINDS = frozenset({Kind.WORD, Kind.NUMBER, Kind.STRING, Kind.QUOTED})
_PLAIN_SYMBOLS = word_set("( ) , . = < > <= >= != <> * + - /")
_UNUSUAL = word_set(
    "all any case cast collate current_date current_time current_timestamp distinctrow escape "
    "except fetch filter first following glob groups indexed intersect interval isnull lateral "
    "match materialized natural nextval notnull nulls offset only over partition pivot preceding "
    "qualify raise random randomblob range recursive regexp returning right rollup rows sample "
    "semi some tablesample top trim try unbounded union unnest unpivot using values window with "
    "within"
)
"""Words that change how a query is read, here or in the parser that makes trees."""


def plain_order(sql: str) -> tuple[Ordering, TieProbe | None] | None:
    """The order of a plain SELECT and its probe for ties.

    Args:
        sql: A query that SQLite runs.

    Returns:
        What :func:`~sqlverdict.parse.order.ordering` and
        :func:`~sqlverdict.parse.order.tie_probe` say of it; ``None`` where only a tree can tell.
    """
    text = sql.strip().removesuffix(";")
    if len(text) > _LONGEST or not text.isascii() or "--" in text or "/*" in text:
        return None
    words = solid(text)
    lower = [word.lower() for word in words]
    if lower[:1] != ["select"] or lower.count("select") > 1 or not _UNUSUAL.isdisjoint(lower):
        return None
    if not all(kind(word) in _PLAIN_KINDS or word in _PLAIN_SYMBOLS for word in words):
        return None
    clauses = outer_clauses(text)
    limit = int(words[-1]) if lower[-2:-1] == ["limit"] and words[-1].isdecimal() else None
    if clauses is None or clauses.limited != (limit is not None):
        return None
    columns = [_column(output) for output in clauses.columns]
    known = [column for column in columns if column is not None]
    if len(known) < len(columns):
        return None
    order = Ordering(ordered=bool(clauses.keys), limited=limit is not None, limit=limit)
    return order, probe_of(clauses, known, by_name=False)


def _column(output: str) -> OutputColumn | None:
    """An output column; ``None`` where an alias may stand in it without AS."""
    words = solid(output)
    if len(words) > 2 and words[-2].lower() == "as":
        text = output[: output.rindex(words[-1])].rstrip()[:-2].rstrip()
        return OutputColumn(text, fold(unquoted(words[-1])), star=False)
    if len(words) == 1 or words[-1] == ")" or words[-2] == ".":
        return OutputColumn(output, None, star=words[-1] == "*")
    return None
