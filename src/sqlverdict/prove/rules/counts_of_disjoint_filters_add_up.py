"""Counts of rows that share none add up to one count.

Statement
    (SELECT COUNT(*) FROM a WHERE y = 1) + (SELECT COUNT(*) FROM a WHERE y = 2)
    ==   (SELECT COUNT(*) FROM a WHERE y = 1 OR y = 2)

Holds when
    Both queries count rows of the same tables, with no other clause than FROM and WHERE, and no row
    meets the conditions of both: one asks for y = 1 and the other for y = 2, one for y < 1 and the
    other for y >= 1, one for NULL and the other for a value.

Why
    Each row is counted by one of the two or by none. A count is never NULL.

Limits
    A row that meets both conditions is counted twice: left alone unless the conditions show that
    there is none.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.disjoint import common_count
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT (SELECT COUNT(*) FROM t WHERE v = 1) + (SELECT COUNT(*) FROM t WHERE v = 2)",
            "SELECT COUNT(*) FROM t WHERE v = 1 OR v = 2",
        ),
    ],
    different=[
        Pair(
            "SELECT (SELECT COUNT(*) FROM t WHERE v < 2) + (SELECT COUNT(*) FROM t WHERE v > 0)",
            "SELECT COUNT(*) FROM t WHERE v < 2 OR v > 0",
            because="a row may be counted twice",
        ),
    ],
)
def counts_of_disjoint_filters_add_up(node: exp.Add, facts: Facts) -> Expr | None:
    """Count once."""
    return common_count(node.this, node.expression, facts)
