"""``5 < x`` as ``x > 5``, in an expression of DuckDB's parser that is to be called a function.

Arguments of the function, such as queries, stay as they are.
"""

from __future__ import annotations

from typing import Any, Final

from sqlverdict.execute.engines.duckdb.expressions import is_leaf, value_kind
from sqlverdict.execute.engines.duckdb.syntax import Node, inner_parts, meaning_bytes

_MIRRORED: Final = {
    "COMPARE_GREATERTHAN": "COMPARE_LESSTHAN",
    "COMPARE_GREATERTHANOREQUALTO": "COMPARE_LESSTHANOREQUALTO",
}
_EQUALITIES: Final = frozenset({"COMPARE_EQUAL", "COMPARE_NOTEQUAL"})

_SCALARS: Final = frozenset(
    {
        *("number", "integer", "real", "arithmetic", "date", "timestamp", "time", "boolean"),
        *("text", "literal"),
    }
)
"""Two structures are compared in the order of the fields of the left one."""


def orient_comparisons(node: Node) -> None:
    """Change an expression, in place."""
    if is_leaf(node):
        return
    for part in inner_parts(node):
        orient_comparisons(part)
    if node["class"] != "COMPARISON":
        return
    left, right = node["left"], node["right"]
    is_late = node["type"] in _EQUALITIES and meaning_bytes(left) > meaning_bytes(right)
    is_greater = node["type"] in _MIRRORED and not _SCALARS.isdisjoint(
        (value_kind(left), value_kind(right))
    )
    if is_greater or is_late:
        node["left"], node["right"] = right, left
        node["type"] = _MIRRORED.get(node["type"], node["type"])


def tells_mirrored_apart(query: Node) -> bool:
    """Whether it may matter to a query how a comparison or a product is written.

    DuckDB looks for the terms of GROUP BY in the clauses behind it, and for those of ORDER BY in a
    SELECT DISTINCT.
    """
    return any(_names_terms(part) for part in _parts(query))


def _names_terms(part: Node) -> bool:
    modifiers = {each["type"] for each in part.get("modifiers", ()) if isinstance(each, dict)}
    items = part.get("select_list", ())
    terms_by_words = list(items) if modifiers >= {"DISTINCT_MODIFIER", "ORDER_MODIFIER"} else []
    for term in part.get("group_expressions", ()):
        is_number = term["class"] == "CONSTANT"
        name = term["column_names"][-1].lower() if term["class"] == "COLUMN_REF" else ""
        terms_by_words += [
            item for item in items if is_number or item.get("alias", "").lower() == name
        ]
        terms_by_words.append(term)
    return any(map(_compares, terms_by_words))


def _compares(node: Node) -> bool:
    """Whether an expression has a comparison or product in it, not in aggregates and queries."""
    if is_leaf(node):
        return False
    is_signed = node["class"] == "COMPARISON" or node.get("function_name") == "*"
    return is_signed or any(map(_compares, inner_parts(node)))


def _parts(part: Any) -> list[Node]:
    """All dictionaries in a tree."""
    if isinstance(part, list):
        return [each for item in part for each in _parts(item)]
    if not isinstance(part, dict):
        return []
    return [part, *(each for value in part.values() for each in _parts(value))]
