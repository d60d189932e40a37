"""Arithmetic in one form, in a tree of DuckDB's parser.

* ``100.0 * x`` is ``x * 100.0``;
* ``x / NULLIF(COUNT(*), 0)`` is ``x / COUNT(*)`` behind GROUP BY, where no group is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlverdict.execute.engines.duckdb.syntax import (
    Node,
    all_parts,
    arguments,
    literal,
    put_node,
)

_NUMBERS = frozenset({"INTEGER", "NUMERIC"})


def unify_arithmetic(part: Any) -> None:
    """Change a query and all in it, in place."""
    if isinstance(part, list):
        for each in part:
            unify_arithmetic(each)
        return
    if not isinstance(part, dict):
        return
    for value in part.values():
        unify_arithmetic(value)
    if part.get("class") == "FUNCTION" and part["function_name"] == "*":
        _put_number_last(part)
    if part.get("type") == "SELECT_NODE" and _has_groups(part):
        for node in _behind_groups(part):
            _drop_guard(node)


def _put_number_last(product: Node) -> None:
    places = product.get("arguments", ())
    if len(places) == 2:
        one, two = places
        if _is_number(one["expression"]) and not _is_number(two["expression"]):
            one["expression"], two["expression"] = two["expression"], one["expression"]


def _is_number(node: Node) -> bool:
    return (literal(node) or ("",))[0] in _NUMBERS


def _has_groups(select: Node) -> bool:
    """Whether each group has a row: GROUPING SETS may have one for no rows."""
    sets = select.get("group_sets", ())
    return bool(select.get("group_expressions")) and len(sets) == 1 and bool(sets[0])


def _behind_groups(select: Node) -> Iterator[Node]:
    """The expressions that are computed of groups, but those that ORDER BY may name by words."""
    modifiers = {each["type"] for each in select.get("modifiers", ())}
    if modifiers >= {"DISTINCT_MODIFIER", "ORDER_MODIFIER"}:
        return
    terms = [*select["select_list"], *([select["having"]] if "having" in select else [])]
    for modifier in select.get("modifiers", ()):
        terms += [order["expression"] for order in modifier.get("orders", ())]
    for term in terms:
        yield from list(all_parts(term))


def _drop_guard(node: Node) -> None:
    if node.get("function_name") != "/" or len(arguments(node)) != 2:
        return
    guarded = arguments(node)[1]
    if guarded.get("function_name") != "nullif" or len(arguments(guarded)) != 2:
        return
    count, zero = arguments(guarded)
    plain = {"class": "FUNCTION", "type": "FUNCTION", "function_name": "count_star"}
    if count == plain and literal(zero) == ("INTEGER", "0"):
        put_node(guarded, count)
