"""A LEFT JOIN whose partner must be missing asks that there is none.

Statement
    FROM a LEFT JOIN b ON p WHERE b.k IS NULL
    ==   FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE p)

Holds when
    b.k is never NULL in a partner: declared NOT NULL, or p is not true where it is NULL. Nothing
    else mentions b, and no RIGHT or FULL JOIN is about.

Why
    The rows that pass are just those that the outer join padded, and it pads a row once.

Limits
    A column of b that may be NULL in a partner lets partners pass too.

Source
    ETM (Ascoli et al.), rule 25, with NULL in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import uses
from sqlverdict.prove.reasoning.shape import conditions, joins, parts, set_conditions
from sqlverdict.prove.reasoning.strict import null_test, rejects_null
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Join,),
    paper=("25",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NULL",
            "SELECT v FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.k = u.k)",
        ),
        Pair(
            "SELECT v FROM t LEFT JOIN u ON t.k = u.k WHERE u.w IS NULL",
            "SELECT v FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.k = u.k)",
            (NotNull("u", "w"),),
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t LEFT JOIN u ON t.k = u.k WHERE u.w IS NULL",
            "SELECT v FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.k = u.k)",
            because="a partner may have NULL in w",
        ),
    ],
)
def left_join_without_partner(node: exp.Select, facts: Facts) -> Expr | None:
    """Write NOT EXISTS."""
    own_joins = joins(node)
    if any((join.side or "").upper() in ("RIGHT", "FULL") for join in own_joins):
        return None
    for join in own_joins:
        label = join.this.alias
        if (join.side or "").upper() != "LEFT" or join.args.get("on") is None:
            continue
        missing = [c for c in conditions(node) if _is_missing(c, label, join, facts)]
        if not missing or uses(node, label, [join, *missing]):
            continue
        rest = [c for c in conditions(node) if not any(c is part for part in missing)]
        inner = exp.Select(
            expressions=[exp.Literal.number(1)],
            from_=exp.From(this=join.this),
            where=exp.Where(this=join.args["on"]),
        )
        node.set("joins", [other for other in own_joins if other is not join] or None)
        set_conditions(node, [*rest, exp.Not(this=exp.Exists(this=inner))])
        return node
    return None


def _is_missing(condition: Expr, label: str, join: exp.Join, facts: Facts) -> bool:
    """Whether a condition says ``b.k IS NULL`` for a k that a partner always has."""
    column = null_test(condition)
    if not isinstance(column, exp.Column) or column.text("table") != label:
        return False
    if any(rejects_null(part, column) for part in parts(join.args["on"])):
        return True
    fact = facts.not_null(label, column.name)
    if fact is None:
        return False
    facts.cite(fact)
    return True
