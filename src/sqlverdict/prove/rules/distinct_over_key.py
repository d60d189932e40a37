"""DISTINCT is idle where the selected columns tell all rows apart.

Statement
    SELECT DISTINCT k, ... FROM t   ==   SELECT k, ... FROM t

Holds when
    The selected columns, with what WHERE makes equal to them or constant, contain a key (UNIQUE
    and NOT NULL) of every source; or the query groups, and they contain all grouping columns; or
    it is an aggregate without GROUP BY.

Why
    Rows that agree on the selected columns agree on the keys, so they are one row.
    UNIQUE alone is not enough: it admits many NULLs, which DISTINCT folds into one.

Limits
    A source without a key, or whose key is not determined, may repeat a row.

Source
    ETM (Ascoli et al.), rule 2, with NOT NULL and joins in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.dependencies import (
    determines_row,
    plain_columns,
    tells_groups_apart,
)
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_window, is_grouped
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Distinct,),
    paper=("2",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT DISTINCT k FROM t", "SELECT k FROM t", KEY),
        Pair(
            "SELECT DISTINCT v, COUNT(*) FROM t GROUP BY v",
            "SELECT v, COUNT(*) FROM t GROUP BY v",
        ),
    ],
    different=[
        Pair("SELECT DISTINCT v FROM t", "SELECT v FROM t", KEY, because="v may repeat"),
        Pair("SELECT DISTINCT k FROM t", "SELECT k FROM t", KEY[:1], because="two NULLs"),
    ],
)
def distinct_over_key(node: exp.Select, facts: Facts) -> Expr | None:
    """Drop DISTINCT."""
    if not node.args.get("distinct") or has_window(node):
        return None
    if is_grouped(node):
        if not tells_groups_apart(node, facts):
            return None
    elif not determines_row(node, facts, plain_columns(node.expressions)):
        return None
    node.set("distinct", None)
    return node
