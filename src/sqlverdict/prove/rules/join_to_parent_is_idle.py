"""A join along a foreign key to a parent that nothing else uses only asks for a value.

Statement
    SELECT c.x FROM c JOIN p ON c.f = p.k   ==   SELECT c.x FROM c WHERE c.f IS NOT NULL

Holds when
    c.f references p.k by a foreign key, p.k is UNIQUE, both have the same type, and nothing but
    the join's equality mentions p.

Why
    Every row of c with a value in f has a parent, by the foreign key, and only one, by UNIQUE.

Limits
    SQLite checks foreign keys only on request; the proof holds where the declared ones do.

Source
    ETM (Ascoli et al.), rule 14, with NULL in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, References, Unique
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.dependencies import classes_of, equality
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import drop_item, is_flat, split_items, uses
from sqlverdict.prove.reasoning.shape import ColumnName, conditions, set_conditions
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

PARENT = (References("t", ("v",), "u", ("k",)), Unique("u", ("k",)))


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Join,),
    paper=("14",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT t.k FROM t JOIN u ON t.v = u.k",
            "SELECT t.k FROM t WHERE t.v IS NOT NULL",
            PARENT,
        ),
        Pair(
            "SELECT t.k, u.k FROM t JOIN u ON t.v = u.k",
            "SELECT t.k, t.v FROM t",
            (*PARENT, NotNull("t", "v")),
        ),
    ],
    different=[
        Pair(
            "SELECT t.k FROM t JOIN u ON t.v = u.k",
            "SELECT t.k FROM t",
            PARENT,
            because="a row without a value in v has no parent",
        ),
    ],
)
def join_to_parent_is_idle(node: exp.Select, facts: Facts) -> Expr | None:
    """Drop the parent, and ask for a value."""
    inner, _ = split_items(node)
    parents = [i.alias for i in inner if fold(facts.bases.get(i.alias, "")) in facts.parents]
    if not parents or len(inner) < 2 or not is_flat(node):
        return None
    # The joins are flat, so every equality is a condition of WHERE.
    equalities = [(part, equality(part, facts)) for part in conditions(node)]
    classes = classes_of(pair for _, pair in equalities)
    for parent in parents:
        parent_equalities = [
            part for part, pair in equalities if any(label == parent for label, _ in pair or ())
        ]
        if not parent_equalities or uses(node, parent, parent_equalities):
            continue
        joined = _child(parent, classes, parent_equalities, {i.alias for i in inner}, facts)
        if joined is None:
            continue
        rest = [c for c in conditions(node) if not any(c is part for part in parent_equalities)]
        not_null_tests = [_not_null(name) for name in joined]
        drop_item(node, parent)
        set_conditions(node, [*rest, *not_null_tests])
        return node
    return None


def _child(
    parent: str,
    classes: list[set[ColumnName]],
    parent_equalities: list[Expr],
    inner: set[str],
    facts: Facts,
) -> list[ColumnName] | None:
    """The columns of a child that reference the parent, where every stated equality is one."""
    base = fold(facts.bases[parent])
    bound = {name for condition in parent_equalities for name in equality(condition, facts) or ()}
    keys = {column for label, column in bound if label == parent}
    for fact in facts.references:
        if fold(fact.parent) != base or set(map(fold, fact.parent_columns)) != keys:
            continue
        unique = next((f for columns, f in facts.uniques(parent) if columns <= keys), None)
        if unique is None or len(parent_equalities) != len(keys):
            continue
        for label in sorted(inner - {parent}):
            if fold(facts.bases.get(label, "")) != fold(fact.table):
                continue
            pairs = [
                ((label, fold(child)), (parent, fold(owner)))
                for child, owner in zip(fact.columns, fact.parent_columns, strict=True)
            ]
            if all(any({a, b} <= members for members in classes) for a, b in pairs):
                facts.cite(fact, unique)
                return [child for child, _ in pairs]
    return None


def _not_null(name: ColumnName) -> Expr:
    return exp.Not(this=exp.Is(this=resolved(*name), expression=exp.Null()))
