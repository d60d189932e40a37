"""Every row has the parent that it references.

Statement
    c LEFT JOIN p ON c.f = p.k   ==   c JOIN p ON c.f = p.k

Holds when
    c.f references p.k and is never NULL, or WHERE lets no row pass in which it is; the condition
    says nothing else, and no outer join before it fills c with NULLs. The same holds where c and p
    are one table and f and k one column that is never NULL.

Why
    By the foreign key every row of c with a value in f has a partner, so that none that passes
    WHERE is filled with NULLs. In a copy of its own table a row finds itself.

Limits
    SQLite checks foreign keys only on request; the proof holds where the declared ones do.

Source
    House rule; ETM (Ascoli et al.), rule 14, has the same idea for inner joins.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Fact, NotNull, References
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.dependencies import equality
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import conditions, is_padded, items, joins, parts
from sqlverdict.prove.reasoning.strict import rejects_null
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

PARENT = (References("t", ("v",), "u", ("k",)), NotNull("t", "v"))


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT t.k, u.w FROM t LEFT JOIN u ON t.v = u.k",
            "SELECT t.k, u.w FROM t JOIN u ON t.v = u.k",
            PARENT,
        ),
        Pair(
            "SELECT t.k, u.w FROM t LEFT JOIN u ON t.v = u.k WHERE t.v > 1",
            "SELECT t.k, u.w FROM t JOIN u ON t.v = u.k WHERE t.v > 1",
            PARENT[:1],
        ),
        Pair(
            "SELECT a.k, b.v FROM t a LEFT JOIN t b ON a.v = b.v",
            "SELECT a.k, b.v FROM t a JOIN t b ON a.v = b.v",
            (NotNull("t", "v"),),
        ),
    ],
    different=[
        Pair(
            "SELECT a.k, b.v FROM t a LEFT JOIN t b ON a.v = b.k",
            "SELECT a.k, b.v FROM t a JOIN t b ON a.v = b.k",
            (NotNull("t", "v"),),
            because="another column may not have the value",
        ),
        Pair(
            "SELECT t.k, u.w FROM t LEFT JOIN u ON t.v = u.k",
            "SELECT t.k, u.w FROM t JOIN u ON t.v = u.k",
            PARENT[:1],
            because="a row without a value in v has no parent",
        ),
        Pair(
            "SELECT t.k, u.w FROM t LEFT JOIN u ON t.v = u.k WHERE t.v > 1 OR t.k = 1",
            "SELECT t.k, u.w FROM t JOIN u ON t.v = u.k WHERE t.v > 1 OR t.k = 1",
            PARENT[:1],
            because="a row without a value in v may pass",
        ),
        Pair(
            "SELECT t.k, u.w FROM t LEFT JOIN u ON t.v = u.k AND u.w > 1",
            "SELECT t.k, u.w FROM t JOIN u ON t.v = u.k AND u.w > 1",
            PARENT,
            because="the parent may not meet the other condition",
        ),
    ],
)
def left_join_to_parent_is_inner(node: exp.Select, facts: Facts) -> Expr | None:
    """Make the join an inner one."""
    if any((join.side or "").upper() in ("RIGHT", "FULL") for join in joins(node)):
        return None
    for join in joins(node):
        if (join.side or "").upper() != "LEFT" or not isinstance(join.this, exp.Table):
            continue
        reasons = _reasons(node, join, facts)
        if reasons:
            facts.cite(*reasons)
            join.set("side", None)
            join.set("kind", None)
            return node
    facts.cited.clear()
    return None


def _reasons(select: exp.Select, join: exp.Join, facts: Facts) -> list[Fact]:
    """The facts by which every row before a join has a partner in it; none where it may not."""
    parent = join.this.alias
    pairs: dict[tuple[str, str], str] = {}
    for part in parts(join.args.get("on")):
        names = equality(part, facts)
        if names is None or (names[0][0] == parent) == (names[1][0] == parent):
            return []
        child, owner = names if names[1][0] == parent else names[::-1]
        pairs[child] = owner[1]
    sources = {label for label, _ in pairs}
    if len(sources) != 1:
        return []
    label = sources.pop()
    padded = [item for item in items(select) if item.alias == label and not is_padded(item)]
    not_null = []
    for name in sorted(pairs):
        declared = facts.not_null(*name)
        if declared is not None:
            not_null.append(declared)
        elif not any(rejects_null(part, resolved(*name)) for part in conditions(select)):
            return []
    if not padded:
        return []
    base, table = fold(facts.bases.get(parent, "")), fold(facts.bases.get(label, ""))
    if base == table and all(column == owner for (_, column), owner in pairs.items()):
        return not_null
    for fact in facts.references:
        owners = dict(zip(map(fold, fact.columns), map(fold, fact.parent_columns), strict=True))
        is_meant = fold(fact.parent) == base and fold(fact.table) == table
        if is_meant and owners == {column: owner for (_, column), owner in pairs.items()}:
            return [fact, *not_null]
    return []
