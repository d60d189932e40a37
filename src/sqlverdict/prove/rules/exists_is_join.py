"""A row that must exist may as well be joined, where it is one row or copies do not count.

Statement
    SELECT a.x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.f AND p)
    ==   SELECT a.x FROM a, b WHERE b.k = a.f AND p

Holds when
    The inner conditions fix a UNIQUE column set of every inner source, so that at most one row
    exists; or it makes no difference how often a row of the outer query occurs.

Why
    A join repeats a row for each partner; with at most one partner, or where copies do not
    count, that is the test for a partner.

Limits
    EXISTS under NOT or OR is left alone, and so are inner queries with outer joins or grouping.

Source
    ETM (Ascoli et al.), rule 13, with the inner query's clauses kept.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.dependencies import (
    closure,
    compares_like_keys,
    multiplicity_is_idle,
)
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, set_items, split_items
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    all_inner,
    conditions,
    is_closed,
    is_grouped,
    is_limited,
    items,
    labels,
    labels_in,
    set_conditions,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Exists,),
    paper=("13",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.v AND w > 1)",
            "SELECT v FROM t JOIN u ON u.k = t.v WHERE w > 1",
            (Unique("u", ("k",)),),
        ),
        Pair(
            "SELECT DISTINCT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.v)",
            "SELECT DISTINCT v FROM t, u WHERE u.k = t.v",
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.v)",
            "SELECT v FROM t, u WHERE u.k = t.v",
            because="two rows of u may be partners of one",
        ),
    ],
)
def exists_is_join(node: exp.Select, facts: Facts) -> Expr | None:
    """Join the inner sources."""
    if not items(node) or not is_flat(node):
        return None
    own_conditions = conditions(node)
    for index, condition in enumerate(own_conditions):
        inner = condition.this if isinstance(condition, exp.Exists) else None
        if not isinstance(inner, exp.Select) or is_grouped(inner) or is_limited(inner):
            continue
        if not all_inner(inner) or not is_flat(inner) or not _has_own_sources(inner):
            continue
        if not multiplicity_is_idle(node) and not _at_most_one(inner, facts):
            continue
        mine, outer = split_items(node)
        theirs, _ = split_items(inner)
        inner_conditions = conditions(inner)
        set_items(node, [*mine, *theirs], outer)
        set_conditions(
            node, [*own_conditions[:index], *own_conditions[index + 1 :], *inner_conditions]
        )
        return node
    return None


def _has_own_sources(inner: exp.Select) -> bool:
    return bool(items(inner)) and all(map(is_closed, items(inner)))


def _at_most_one(inner: exp.Select, facts: Facts) -> bool:
    """Whether for each row outside there is at most one row inside."""
    own = set(labels(inner))
    pinned: set[ColumnName] = set()
    for condition in conditions(inner):
        if isinstance(condition, exp.EQ):
            for one, other in (
                (condition.this, condition.expression),
                (condition.expression, condition.this),
            ):
                ours = isinstance(one, exp.Column) and one.text("table") in own
                if (
                    ours
                    and not own & labels_in(other)
                    and (facts.pins(one, other) or compares_like_keys(one, other, facts))
                ):
                    pinned.add((one.text("table"), one.name))
    # Rows whose fixed columns are NULL do not pass the equalities, so UNIQUE is enough.
    determined = closure(inner, facts, pinned)
    for item in items(inner):
        label = item.alias
        fixed = {name for owner, name in pinned if owner == label}
        unique = next((fact for columns, fact in facts.uniques(label) if columns <= fixed), None)
        if unique is not None:
            facts.cite(unique)
            determined |= {(label, name) for columns, _ in facts.keys(label) for name in columns}
            determined = closure(inner, facts, determined | _all(item, facts))
            continue
        if not any(all((label, n) in determined for n in names) for names, _ in facts.keys(label)):
            return False
    return True


def _all(item: Expr, facts: Facts) -> set[ColumnName]:
    table = facts.table(item.alias)
    return {(item.alias, fold(c.name)) for c in table.columns} if table is not None else set()
