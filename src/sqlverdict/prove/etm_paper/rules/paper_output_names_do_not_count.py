"""A name given to an output column says nothing.

Statement
    SELECT c AS n FROM t   ==   SELECT c FROM t

Holds when
    Always.

Why
    The rows of an answer have no names.

Limits
    Every column that is spelt like the name is taken for the named expression, also where
    SQLite means a column: ``SELECT v AS k FROM t WHERE k = 1`` matches ``SELECT v AS w FROM t
    WHERE w = 1``, if t has a column k and none called w; SQLite asks k = 1 in the first and
    v = 1 in the second. A reference by name and the expression itself stay two things.

Source
    ETM (Ascoli et al.), table 1, P6.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.shapes import nodes_below
from sqlverdict.prove.reasoning.copies import copy_of
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P6",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k + v AS n FROM t", "SELECT k + v FROM t"),
        Pair("SELECT COUNT(*) AS n FROM t", "SELECT COUNT(*) AS rows FROM t"),
        Pair(
            "SELECT v, COUNT(*) AS n FROM t GROUP BY v ORDER BY n",
            "SELECT v, COUNT(*) AS m FROM t GROUP BY v ORDER BY m",
        ),
    ],
    different=[
        Pair("SELECT k AS n FROM t", "SELECT v AS n FROM t", because="two columns, one name"),
    ],
    corners=[
        Pair(
            "SELECT v AS k FROM t WHERE k = 1",
            "SELECT v AS w FROM t WHERE w = 1",
            because="WHERE takes k for the column of t, and w for v",
        ),
    ],
)
def paper_output_names_do_not_count(node: exp.Select, facts: Facts) -> Expr | None:
    """Take the names away."""
    del facts
    aliases = [item for item in node.expressions if isinstance(item, exp.Alias)]
    if not aliases:
        return None
    for alias in aliases:
        word = alias.args["alias"]
        for column in nodes_below(node, exp.Column):
            if _same_word(column.this, word) and column.find_ancestor(exp.Alias) is None:
                column.set("this", copy_of(alias.this))
    for alias in aliases:
        alias.replace(alias.this)
    return node


def _same_word(one: object, other: object) -> bool:
    if not isinstance(one, exp.Identifier) or not isinstance(other, exp.Identifier):
        return False
    quotes = bool(one.args.get("quoted")), bool(other.args.get("quoted"))
    return one.name == other.name and quotes[0] == quotes[1]
