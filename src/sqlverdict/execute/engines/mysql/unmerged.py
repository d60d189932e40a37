"""A fault of MariaDB that ends the server, and how its queries are run all the same.

MariaDB 10.11 ends with SIGSEGV at this query of one table, which any model may write::

    SELECT k, SUM(t.v) OVER (PARTITION BY t.v) FROM (SELECT k, v FROM t) t ORDER BY v

It merges the derived table into the query. Then the name behind OVER may stand for the derived
table or for the table inside it, which have one name. Such a statement is sent with a prefix that
forbids to merge: the answer is the same, and the server lives.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqlverdict.execute.engines.mysql.sandbox import DIALECT
from sqlverdict.parse.query import parse
from sqlverdict.records import Query

UNMERGED: Final = "SET STATEMENT optimizer_switch = 'derived_merge=off' FOR "
"""What stands before such a statement."""


def unmerged(text: str) -> str:
    """A statement as MariaDB can run it."""
    return UNMERGED + text if _names_a_table_twice(text) else text


def _names_a_table_twice(text: str) -> bool:
    """Whether a window names a derived table that has the name of a table inside it."""
    if "over" not in text.lower():
        return False
    query = parse(text, DIALECT)
    if not isinstance(query, Query):
        return False
    windowed = {
        column.table.lower()
        for window in query.tree.find_all(exp.Window)
        for column in window.find_all(exp.Column)
    }
    return any(
        derived.alias.lower() in windowed
        and any(
            source.alias_or_name.lower() == derived.alias.lower()
            for source in derived.this.find_all(exp.Table, exp.Subquery)
        )
        for derived in query.tree.find_all(exp.Subquery, exp.CTE)
    )
