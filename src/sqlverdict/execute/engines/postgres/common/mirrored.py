"""``5 < x`` as ``x > 5``, in an expression of PostgreSQL's parser that is to be called a function.

Each comparison of PostgreSQL's own types has a commutator in its catalogue, but for ``xid =
integer``. So the sides of an equality are put in one order only where one of them is surely no
integer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sqlverdict.execute.engines.postgres.common.expressions import (
    enum_name,
    is_leaf,
    value_kind,
)
from sqlverdict.execute.engines.postgres.common.meaning import part_meaning
from sqlverdict.execute.engines.postgres.common.spellings import nodes_inside

_MIRRORED: Final = {">": "<", ">=": "<=", "=": "=", "<>": "<>"}
_SIGNS: Final = frozenset({"<", "<=", "*", *_MIRRORED})
_NO_INTEGERS: Final = frozenset({"date", "timestamp", "time", "text", "boolean", "uuid"})


def orient_comparisons(node: Any) -> None:
    """Change an expression, in place."""
    if is_leaf(node) or node.WhichOneof("node") is None:
        return
    for part in nodes_inside(getattr(node, node.WhichOneof("node"))):
        orient_comparisons(part)
    if node.WhichOneof("node") != "a_expr":
        return
    operation = node.a_expr
    if enum_name(operation, "kind") != "AEXPR_OP" or not operation.HasField("lexpr"):
        return
    name = str(operation.name[-1].string.sval)
    mirrored = _MIRRORED.get(name)
    if mirrored is None or (mirrored == name and not _is_out_of_order(operation)):
        return
    left = type(node)()
    left.CopyFrom(operation.lexpr)
    operation.lexpr.CopyFrom(operation.rexpr)
    operation.rexpr.CopyFrom(left)
    operation.name[-1].string.sval = mirrored


def tells_mirrored_apart(select: Any) -> bool:
    """Whether it matters to a query how a comparison or a product is written.

    PostgreSQL looks for the terms of GROUP BY in the clauses behind it, and for those of ORDER BY
    in a SELECT DISTINCT, by their words: ``5 < x`` is not ``x > 5`` there.
    """
    targets = [each.res_target for each in select.target_list]
    sorted_rows = select.distinct_clause and select.sort_clause
    terms_by_words = [target.val for target in targets] if sorted_rows else []
    for term in select.group_clause:
        name = _name(term)
        terms_by_words += [target.val for target in targets if name is None or target.name == name]
        terms_by_words.append(term)
    sides = [getattr(select, side) for side in ("larg", "rarg") if select.HasField(side)]
    inner = [query for part in nodes_inside(select) for query in _queries(part)]
    return any(map(_compares, terms_by_words)) or any(map(tells_mirrored_apart, [*sides, *inner]))


def _name(term: Any) -> str | None:
    """What a term of GROUP BY may call a column of the result; ``None`` where it is a number."""
    if term.WhichOneof("node") == "a_const":
        return None
    if term.WhichOneof("node") != "column_ref":
        return ""
    return str(term.column_ref.fields[-1].string.sval)


def _compares(node: Any) -> bool:
    """Whether an expression has a comparison or product in it, not in aggregates and queries."""
    kind = node.WhichOneof("node")
    if kind is None or is_leaf(node):
        return False
    if kind == "a_expr" and node.a_expr.name[-1].string.sval in _SIGNS:
        return True
    return any(map(_compares, nodes_inside(getattr(node, kind))))


def _queries(node: Any) -> Iterator[Any]:
    """The queries in a part of a tree, outermost first."""
    kind = node.WhichOneof("node")
    if kind == "select_stmt":
        yield node.select_stmt
        return
    for part in nodes_inside(getattr(node, kind)):
        yield from _queries(part)


def _is_out_of_order(operation: Any) -> bool:
    sides = (operation.lexpr, operation.rexpr)
    return bool(_NO_INTEGERS & set(map(value_kind, sides))) and part_meaning(
        sides[0]
    ) > part_meaning(sides[1])
