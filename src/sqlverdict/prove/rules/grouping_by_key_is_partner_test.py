"""To group rows by their key, beside partners that nothing shows, is to ask for a partner.

Statement
    SELECT a.x FROM a, b WHERE p GROUP BY a.k
    ==   SELECT a.x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE p)

Holds when
    There is no aggregate, HAVING, DISTINCT or window, and all joins are inner joins. The grouping
    columns determine a row of each source that is shown or sorted by, and follow from these rows,
    by keys and by the equalities of WHERE.

Why
    Each row of a that has a partner makes one group, and shows its columns once.

Limits
    An aggregate sees each partner: left alone.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.bare import EXTREMES
from sqlverdict.prove.reasoning.dependencies import closure, item_keys, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, set_items
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    all_inner,
    conditions,
    has_subquery,
    has_window,
    items,
    labels_in,
    output_nodes,
    set_conditions,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Group,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t JOIN u ON f = k WHERE w > 1 GROUP BY k, v",
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE f = k AND w > 1)",
            (Unique("t", ("k",)),),
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t JOIN u ON f = k GROUP BY k, v, w",
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE f = k)",
            (Unique("t", ("k",)), NotNull("t", "k")),
            because="there is a group for each w",
        ),
    ],
)
def grouping_by_key_is_partner_test(node: exp.Select, facts: Facts) -> Expr | None:
    """Write the test."""
    group = node.args.get("group")
    if group is None or node.args.get("having") is not None or node.args.get("distinct"):
        return None
    nodes = output_nodes(node)
    if has_window(node) or any(map(has_subquery, nodes)) or not all_inner(node):
        return None
    if next(aggregates_in(nodes), None) is not None or not is_flat(node):
        return None
    visible = set().union(*map(labels_in, nodes))
    mine = [item for item in items(node) if item.alias in visible]
    theirs = [item for item in items(node) if item.alias not in visible]
    if not mine or not theirs or not _are_rows(node, mine, facts):
        facts.cited.clear()
        return None
    hidden = {item.alias for item in theirs}
    tests = [part for part in conditions(node) if labels_in(part) & hidden]
    rest = [part for part in conditions(node) if not any(part is test for test in tests)]
    inner = exp.Select(expressions=[exp.Literal.number(1)])
    set_items(inner, theirs)
    set_conditions(inner, tests)
    set_items(node, mine)
    for part in ("group", EXTREMES):
        node.set(part, None)
    set_conditions(node, [*rest, exp.Exists(this=inner)])
    return node


def _are_rows(node: exp.Select, sources: list[Expr], facts: Facts) -> bool:
    """Whether the groups are the rows of some sources: each determines the other."""
    terms = node.args["group"].expressions
    if not all(isinstance(term, exp.Column) for term in terms):
        return False
    determined = closure(node, facts, plain_columns(terms))
    start: set[tuple[str, str]] = set()
    for source in sources:
        entry = next(
            (
                (names, reasons)
                for names, reasons in item_keys(source, facts, conditions(node))
                if all((source.alias, name) in determined for name in names)
            ),
            None,
        )
        if entry is None:
            return False
        facts.cite(*entry[1])
        start |= {(source.alias, name) for name in entry[0]}
    return plain_columns(terms) <= closure(node, facts, start)
