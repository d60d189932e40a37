"""A LEFT JOIN on a key to a table that nothing uses changes nothing.

Statement
    SELECT a.x FROM a LEFT JOIN b ON a.f = b.k   ==   SELECT a.x FROM a

Holds when
    Nothing but the join's own condition mentions b, and the condition fixes a column set of b
    that is UNIQUE, or is constantly false; or it makes no difference how often a row occurs.

Why
    A LEFT JOIN keeps every row of a. With at most one partner it keeps it once.

Limits
    Without the key a row of a is repeated for each of its partners.

Source
    House rule; join elimination for outer joins.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.dependencies import (
    compares_like_keys,
    item_keys,
    multiplicity_is_idle,
)
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import constant_truth
from sqlverdict.prove.reasoning.moves import uses
from sqlverdict.prove.reasoning.shape import joins, labels_in, parts
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Join,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t LEFT JOIN u ON t.v = u.k",
            "SELECT v FROM t",
            (Unique("u", ("k",)),),
        ),
        Pair("SELECT DISTINCT v FROM t LEFT JOIN u ON t.v = u.k", "SELECT DISTINCT v FROM t"),
        Pair("SELECT v FROM t LEFT JOIN u ON t.v = u.k AND FALSE", "SELECT v FROM t"),
    ],
    different=[
        Pair(
            "SELECT v FROM t LEFT JOIN u ON t.v = u.k",
            "SELECT v FROM t",
            because="two rows of u may be partners of one",
        ),
    ],
)
def unused_left_join_is_idle(node: exp.Select, facts: Facts) -> Expr | None:
    """Drop the join."""
    own_joins = joins(node)
    for join in own_joins:
        label = join.this.alias
        if (join.side or "").upper() != "LEFT" or uses(node, label, [join]):
            continue
        if any((other.side or "").upper() in ("RIGHT", "FULL") for other in own_joins):
            continue
        if not multiplicity_is_idle(node) and not _at_most_one(join, facts):
            continue
        node.set("joins", [other for other in own_joins if other is not join] or None)
        return node
    return None


def _at_most_one(join: exp.Join, facts: Facts) -> bool:
    label = join.this.alias
    if any(constant_truth(part) is False for part in parts(join.args.get("on"))):
        return True
    fixed = set()
    for part in parts(join.args.get("on")):
        if isinstance(part, exp.EQ):
            for one, other in ((part.this, part.expression), (part.expression, part.this)):
                ours = isinstance(one, exp.Column) and one.text("table") == label
                if not ours or label in labels_in(other):
                    continue
                if facts.pins(one, other) or compares_like_keys(one, other, facts):
                    fixed.add(one.name)
    unique = [(columns, (fact,)) for columns, fact in facts.uniques(label)]
    for columns, reasons in [*unique, *item_keys(join.this, facts)]:
        if columns <= fixed:
            facts.cite(*reasons)
            return True
    return False
