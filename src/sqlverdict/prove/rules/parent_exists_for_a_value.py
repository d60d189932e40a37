"""There is a parent for every value that references one.

Statement
    EXISTS (SELECT 1 FROM p WHERE p.k = c.f)       ==   c.f IS NOT NULL
    NOT EXISTS (SELECT 1 FROM p WHERE p.k = c.f)   ==   c.f IS NULL

Holds when
    c.f references p.k by a foreign key, both have the same type, and the inner query has no other
    condition, table or clause. With several columns each of them is tested.

Why
    By the foreign key a row of c with a value in f has a parent. A NULL is equal to nothing. Where
    an outer join fills c with NULLs, f is NULL, too.

Limits
    A condition that a parent may fail is left alone.

Source
    House rule; ETM (Ascoli et al.), rule 14, has the same idea for joins.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import References
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.dependencies import equality
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.same_rows import plain_source
from sqlverdict.prove.reasoning.shape import ColumnName, all_of, conditions
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

PARENT = (References("t", ("v",), "u", ("k",)),)


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Exists,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.v)",
            "SELECT k FROM t WHERE v IS NULL",
            PARENT,
        ),
        Pair(
            "SELECT t.k FROM t LEFT JOIN u ON u.k = t.v WHERE u.k IS NULL",
            "SELECT k FROM t WHERE v IS NULL",
            PARENT,
        ),
        Pair(
            "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.v) OR k = 1",
            "SELECT k FROM t WHERE v IS NOT NULL OR k = 1",
            PARENT,
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.v AND u.w > 1)",
            "SELECT k FROM t WHERE v IS NULL",
            PARENT,
            because="a parent may have a small w",
        ),
        Pair(
            "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w = t.v)",
            "SELECT k FROM t WHERE v IS NULL",
            PARENT,
            because="v does not reference w",
        ),
    ],
)
def parent_exists_for_a_value(node: exp.Exists, facts: Facts) -> Expr | None:
    """Test for NULL."""
    label = plain_source(node.this, facts)
    if label is None:
        return None
    pairs: list[tuple[ColumnName, ColumnName]] = []
    for condition in conditions(node.this):
        names = equality(condition, facts)
        if names is None or (names[0][0] == label) == (names[1][0] == label):
            facts.cited.clear()
            return None
        pairs.append(names if names[1][0] == label else names[::-1])
    children = {child for child, _ in pairs}
    if len({source for source, _ in children}) != 1 or len(children) != len(pairs):
        facts.cited.clear()
        return None
    base, table = fold(facts.bases[label]), fold(facts.bases.get(pairs[0][0][0], ""))
    columns = {column: owner for (_, column), (_, owner) in pairs}
    for fact in facts.references:
        owners = dict(zip(map(fold, fact.columns), map(fold, fact.parent_columns), strict=True))
        if fold(fact.parent) == base and fold(fact.table) == table and owners == columns:
            facts.cite(fact)
            return all_of([_has_value(child) for child, _ in pairs])
    facts.cited.clear()
    return None


def _has_value(name: ColumnName) -> Expr:
    return exp.Not(this=exp.Is(this=resolved(*name), expression=exp.Null()))
