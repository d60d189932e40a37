"""ELSE NULL says what a CASE without ELSE does anyway.

Statement
    CASE ... ELSE NULL END   ==   CASE ... END

Holds when
    Always.

Why
    A CASE whose branches all fail, and that has no ELSE, is NULL.

Limits
    None.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT COUNT(CASE WHEN v > 1 THEN k ELSE NULL END) FROM t",
            "SELECT COUNT(CASE WHEN v > 1 THEN k END) FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT COUNT(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t",
            "SELECT COUNT(CASE WHEN v > 1 THEN 1 END) FROM t",
            because="0 is counted, NULL is not",
        ),
    ],
)
def else_null_is_idle(node: exp.Case, facts: Facts) -> Expr | None:
    """Drop it."""
    del facts
    if not isinstance(node.args.get("default"), exp.Null):
        return None
    node.set("default", None)
    return node
