"""Values that are equal and yet differ, in the dialect without types: collations, 1 and 1.0.

A set operation has one affinity for all of its sides, which is that of one of them: which one
depends on their order and on the query around it. So one of mixed affinities is beyond every rule
where something may compare its values: below another query, unless EXISTS asks for its rows alone.

A declared NOCASE or RTRIM takes different texts for the same, so what compares such a column is
beyond every rule: a comparison, IN, LIKE, GROUP BY, ORDER BY, DISTINCT, a set operation, MIN. What
shows it or asks whether it is NULL does not compare. A derived table hands the collation on.
Dialects with types need none of this: there such a column is one of values that may be equal and
differ (``refusals.py``).
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schemas.column_types import collation
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.common_type import compare_alike
from sqlverdict.prove.reasoning.dependencies import is_tested
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    column_name,
    columns_in,
    is_aggregate,
    leaves,
    whole_number,
)
from sqlverdict.prove.reasoning.stored import has_one_form

_FUNCTIONS = (exp.Length, exp.Upper, exp.Lower, exp.Substring, exp.DPipe)
"""Their values have no collation, whatever they are made of."""


def compared_collation(tree: Expr, facts: Facts) -> str | None:
    """Why a resolved tree cannot be reasoned about: it compares a column that has a collation."""
    declared = {
        (label, fold(column.name))
        for label in facts.bases
        for table in [facts.table(label)]
        if table is not None and "collate" in (table.sql or "").lower()
        for column in table.columns
        if collation(table.sql, column.name) != "BINARY"
    }
    if not declared:
        return None
    collated = declared | set(_handed_on(tree, declared))
    for column in columns_in(tree):
        if column_name(column) in collated and not _is_shown(column):
            return f"{column.name} is compared, and has a collation: equal texts may differ"
    return None


def _handed_on(tree: Expr, declared: set[ColumnName]) -> Iterator[ColumnName]:
    """The columns of derived tables that are collated columns of their sources."""
    known = set(declared)
    for derived in reversed(list(tree.find_all(exp.Subquery, bfs=True))):
        if derived.alias and isinstance(derived.this, exp.Select):
            for number, item in enumerate(derived.this.expressions):
                if isinstance(item, exp.Column) and column_name(item) in known:
                    known.add((derived.alias, f"c{number}"))
                    yield derived.alias, f"c{number}"


def _is_shown(column: exp.Column) -> bool:
    """Whether a column stands where its texts are not compared."""
    around = column.parent
    if isinstance(around, exp.Select):
        if column.arg_key != "expressions" or around.args.get("distinct"):
            return False
        holder = around.parent
        return (
            holder is None
            or isinstance(holder, exp.Exists)
            or (isinstance(holder, exp.Subquery) and bool(holder.alias))
        )
    if isinstance(around, exp.Is):
        return isinstance(around.expression, exp.Null)
    if isinstance(around, exp.Count):
        return is_aggregate(around)
    return isinstance(around, _FUNCTIONS)


def mixes_affinities(node: exp.SetOperation, facts: Facts) -> bool:
    """Whether the sides have different affinities, and something may compare their values."""
    if node.parent is None or isinstance(node.parent, exp.SetOperation | exp.Exists):
        # The outermost set operation stands for those in it.
        return False
    sides = list(leaves(node))
    holder = node.parent.parent if isinstance(node.parent, exp.Subquery) else node.parent
    if isinstance(holder, exp.In) and all(
        len(side.expressions) == 1 and facts.comparable(holder.this, side.expressions[0])
        for side in sides
    ):
        # Numbers beside numbers, and texts beside texts, are not converted.
        return False
    return not all(
        compare_alike(columns, facts)
        for columns in zip(*(side.expressions for side in sides), strict=True)
    )


def folds_types(node: exp.SetOperation, facts: Facts) -> bool:
    """Whether rows that are equal and yet not the same are folded, and may be told apart."""
    whole: Expr = node
    while isinstance(whole.parent, exp.SetOperation):
        whole = whole.parent
    if whole.parent is None or is_tested(whole) or not node.args.get("distinct"):
        return False
    sides = list(leaves(node))
    for columns in zip(*(side.expressions for side in sides), strict=True):
        kinds = {facts.kind(column) for column in columns}
        if len(kinds) > 1 or not all(has_one_form(column, facts) for column in columns):
            return True
    return False


def makes_reals_of_members(node: exp.In, facts: Facts) -> bool:
    """Whether IN makes reals of whole numbers that ``=`` leaves as they are.

    SQLite does so where one side is a REAL and the other one has no affinity: 2^53 + 1 is then
    equal to 2^53, and to be IN a query is no equality.
    """
    query = node.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else query
    if inner is None:
        return False
    values = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
    return any(
        _becomes_real(one, other, facts)
        for side in leaves(inner)
        if len(side.expressions) == len(values)
        for value, member in zip(values, side.expressions, strict=True)
        for one, other in ((value, member), (member, value))
    )


def _becomes_real(value: Expr, real: Expr, facts: Facts) -> bool:
    """Whether a value without an affinity, beside a REAL, may be a number that no real is."""
    if all(facts.affinity(each) != "REAL" for each in _behind(real, facts)):
        return False
    return any(_may_be_no_real(each, facts) for each in _behind(value, facts))


def _behind(node: Expr, facts: Facts) -> Iterator[Expr]:
    """The expressions one of which gives a value its affinity: a set operation has several."""
    if isinstance(node, exp.Collate):
        yield from _behind(node.this, facts)
        return
    query: Expr | None = node.this if isinstance(node, exp.Subquery) else None
    number = 0
    home = facts.home(node) if isinstance(node, exp.Column) else None
    if home is not None and isinstance(home[1], exp.Subquery):
        query, number = home[1].this, int(node.name[1:])
    if query is None:
        yield node
        return
    for side in leaves(query):
        yield from _behind(side.expressions[number], facts)


def _may_be_no_real(value: Expr, facts: Facts) -> bool:
    """Whether a value has no affinity, and may be a whole number that no real is."""
    if facts.affinity(value) is not None:
        return False
    number = whole_number(value)
    is_small = isinstance(value, exp.Count) or (number is not None and abs(number) < 2**53)
    return not is_small and facts.kind(value) != "real"
