"""A fault of MariaDB that ends the server, and how its queries are run all the same.

MariaDB 10.11 ends with SIGSEGV at this query of one table, which any model may write::

    SELECT k, SUM(t.v) OVER (PARTITION BY t.v) FROM (SELECT k, v FROM t) t ORDER BY v

It merges the derived table into the query. Then the name behind OVER may stand for the derived
table or for the table inside it, which have one name. Such a statement is sent with a prefix that
forbids to merge: the answer is the same, and the server lives. Views are merged all the same, so
that one which a window names is read through a derived table of all its rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from sqlverdict.execute.engines.mysql.sandbox import DIALECT
from sqlverdict.parse.query import parse
from sqlverdict.records import Query

UNMERGED: Final = "SET STATEMENT optimizer_switch = 'derived_merge=off' FOR "
"""What stands before such a statement."""
ALL_ROWS: Final = 2**64 - 1
"""A LIMIT that cuts nothing, and keeps a query from being merged into another."""
_OVER: Final = re.compile(r"\bover\b", re.IGNORECASE)
_READS: Final = re.compile(r"\s*(\(|select\b|with\b)", re.IGNORECASE)


def unmerged(text: str, views: Mapping[str, str]) -> str:
    """A statement as MariaDB can run it.

    Args:
        text: A statement that was checked.
        views: The text of each view by its name in lower case; empty where it cannot be seen.
    """
    if _OVER.search(text) is None:
        return text
    query = parse(text, DIALECT)
    if not isinstance(query, Query):
        return UNMERGED + text if _READS.match(text) else text
    windowed = {
        column.table.lower()
        for window in query.tree.find_all(exp.Window)
        for column in window.find_all(exp.Column)
        if column.table
    }
    if not windowed:
        return text
    sources = _sources(query)
    expressions = {each.alias.lower() for each in query.tree.find_all(exp.CTE)}
    read_views = [source for source in sources if _view_name(source) in views]
    merged = {
        _label(source)
        for source in sources
        if isinstance(source, exp.Subquery) or source.name.lower() in expressions
    }
    merged.update(map(_label, read_views))
    labels = [
        *map(_label, sources),
        *(name for view in read_views for name in _labels_inside(_view_name(view), views)),
    ]
    if not any(labels.count(name) > 1 or _ANY in labels for name in windowed & merged):
        return text
    return UNMERGED + _read_through(text, [view for view in read_views if _label(view) in windowed])


_ANY: Final = "*"
"""The label of a table inside a view whose text cannot be seen."""


def _labels_inside(view: str, views: Mapping[str, str]) -> list[str]:
    """The labels of the tables inside a view, and inside those that it reads."""
    labels: list[str] = []
    seen = {view}
    unread = [view]
    while unread:
        query = parse(views[unread.pop()], DIALECT)
        if not isinstance(query, Query):
            return [_ANY]
        sources = _sources(query)
        labels.extend(map(_label, sources))
        inner = {_view_name(source) for source in sources} & views.keys() - seen
        seen |= inner
        unread.extend(inner)
    return labels


def _sources(query: Query) -> list[exp.Table | exp.Subquery]:
    return list(query.tree.find_all(exp.Table, exp.Subquery))


def _label(source: exp.Table | exp.Subquery) -> str:
    return source.alias_or_name.lower()


def _view_name(source: exp.Table | exp.Subquery) -> str:
    return source.name.lower() if isinstance(source, exp.Table) else ""


def _read_through(text: str, views: list[exp.Table | exp.Subquery]) -> str:
    """The text with views as derived tables, which keep their names."""
    places = sorted(((_span(view), view) for view in views), key=lambda each: each[0])
    for (start, end), view in reversed(places):
        label = "" if view.alias else f" AS {text[view.this.meta['start'] : end]}"
        derived = f"(SELECT * FROM {text[start:end]} LIMIT {ALL_ROWS}){label}"  # noqa: S608
        text = text[:start] + derived + text[end:]
    return text


def _span(view: exp.Table | exp.Subquery) -> tuple[int, int]:
    """Where the name of a view stands, that of its database included."""
    first = view.args.get("db") or view.this
    return first.meta["start"], view.this.meta["end"] + 1
