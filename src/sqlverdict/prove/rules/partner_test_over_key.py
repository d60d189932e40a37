"""Rows with a key that must have a partner: join the partners, and fold the copies.

Statement
    SELECT k, x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE p)
    ==   SELECT DISTINCT k, x FROM a, b WHERE p
    SELECT COUNT(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE p)
    ==   SELECT COUNT(DISTINCT k) FROM a, b WHERE p

Holds when
    The selected columns contain a key (UNIQUE, and NOT NULL or compared) of every source of the
    outer query; for COUNT, a is the only source and k its key of one column, and nothing else is
    aggregated.

Why
    Without the partners no two rows agree on the selected columns, so folding the copies that
    the join makes gives the rows back.

Limits
    With ORDER BY, LIMIT or other aggregates the query is left alone.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.dependencies import (
    determines_row,
    item_keys,
    multiplicity_is_idle,
    plain_columns,
)
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, set_items, split_items
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    all_inner,
    conditions,
    has_window,
    is_closed,
    is_grouped,
    is_limited,
    items,
    set_conditions,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

KEY = (Unique("t", ("k",)),)


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Exists,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT k, v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE f = k AND w > 1)",
            "SELECT DISTINCT k, v FROM t JOIN u ON f = k WHERE w > 1",
            KEY,
        ),
        Pair(
            "SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE f = k)",
            "SELECT COUNT(DISTINCT k) FROM t JOIN u ON f = k",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE f = k)",
            "SELECT DISTINCT v FROM t JOIN u ON f = k",
            KEY,
            because="two rows of t may share v",
        ),
    ],
)
def partner_test_over_key(node: exp.Select, facts: Facts) -> Expr | None:
    """Join and fold."""
    own_conditions = conditions(node)
    index = next((n for n, condition in enumerate(own_conditions) if _partners(condition)), None)
    if index is None or node.args.get("order") is not None or multiplicity_is_idle(node):
        return None
    if not is_flat(node) or not all_inner(node) or has_window(node) or is_limited(node):
        return None
    inner = own_conditions[index].this
    if not _fold_copies(node, facts, conditions(inner)):
        return None
    mine, _ = split_items(node)
    theirs, _ = split_items(inner)
    inner_conditions = conditions(inner)
    set_items(node, [*mine, *theirs])
    set_conditions(node, [*own_conditions[:index], *own_conditions[index + 1 :], *inner_conditions])
    return node


def _partners(condition: Expr) -> bool:
    inner = condition.this if isinstance(condition, exp.Exists) else None
    if not isinstance(inner, exp.Select) or is_grouped(inner) or is_limited(inner):
        return False
    if not all_inner(inner) or not is_flat(inner) or not items(inner):
        return False
    return all(map(is_closed, items(inner)))


def _fold_copies(node: exp.Select, facts: Facts, tested: list[Expr]) -> bool:
    """Make the query fold copies, where that changes nothing yet."""
    if not is_grouped(node):
        if not determines_row(node, facts, plain_columns(node.expressions), also=tested):
            return False
        node.set("distinct", exp.Distinct())
        return True
    if node.args.get("group") is not None or node.args.get("having") is not None:
        return False
    counts = list(aggregates_in(node.expressions))
    sources = items(node)
    if len(sources) != 1 or not all(isinstance(count.this, exp.Star) for count in counts):
        return False
    filtered = [*conditions(node), *tested]
    keys = [k for k in item_keys(sources[0], facts, filtered) if len(k[0]) == 1]
    if not keys:
        return False
    names, reasons = min(keys, key=lambda entry: sorted(entry[0]))
    facts.cite(*reasons)
    for count in counts:
        column = resolved(sources[0].alias, next(iter(names)))
        count.set("this", exp.Distinct(expressions=[column]))
    return True
