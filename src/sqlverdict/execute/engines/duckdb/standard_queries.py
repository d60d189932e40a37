"""GROUP BY ALL, ORDER BY ALL, QUALIFY, PIVOT and UNION BY NAME in standard SQL."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Final

from sqlverdict.execute.common_text import NoCommonText
from sqlverdict.execute.engines.duckdb.expressions import (
    AGGREGATES,
    free_columns,
    has_aggregate,
    has_class,
    is_leaf,
)
from sqlverdict.execute.engines.duckdb.sources import FromScope, ItemColumn
from sqlverdict.execute.engines.duckdb.syntax import (
    Node,
    all_parts,
    column_ref,
    comparison,
    constant_node,
    derived,
    inner_parts,
    literal,
    put_node,
    same,
    select_node,
)
from sqlverdict.parse.tokens import fold

_QUALIFIED: Final = "qualified"
_SIDE: Final = "side"
_FEW: Final = 20
"""So many values a PIVOT may have here; DuckDB computes more in another way."""
_PIVOTED: Final = ("number", "text", "boolean")


def with_qualify(node: Node, scope: FromScope) -> None:
    """Write QUALIFY as a WHERE around the query, in place.

    The inner query gives the terms of the SELECT list, and whatever else QUALIFY and ORDER BY read.

    Raises:
        NoCommonText: it has something that is not certain to mean the same there.
    """
    items: list[Node] = node["select_list"]
    if "group_expressions" in node or "having" in node or any(map(has_aggregate, items)):
        raise NoCommonText("QUALIFY beside groups")
    modifiers = node.pop("modifiers", [])
    condition = node.pop("qualify")
    ctes = node.pop("cte_map", None)
    width = len(items)
    aliases = {fold(item["alias"]): item for item in items if item.get("alias")}
    if any(fold(name) in aliases for source in scope.sources for name in _names(source.columns)):
        raise NoCommonText("QUALIFY beside an alias that is a column, too")
    inner = [{**item, "alias": f"q{number}"} for number, item in enumerate(items)]
    _lift(condition, inner, aliases)
    is_distinct = any(each["type"] == "DISTINCT_MODIFIER" for each in modifiers)
    for modifier in modifiers:
        for order in modifier.get("orders", ()):
            if literal(order["expression"]) is None:
                _lift(order["expression"], inner, aliases)
    if is_distinct and any(
        part["class"] == "COLUMN_REF" and int(part["column_names"][-1][1:]) >= width
        for modifier in modifiers
        for order in modifier.get("orders", ())
        for part in all_parts(order["expression"])
    ):
        raise NoCommonText("DISTINCT with QUALIFY, ordered by something else")
    core = {**node, "select_list": inner}
    outer = []
    for number, item in enumerate(items):
        shown_item = column_ref(_QUALIFIED, f"q{number}")
        name = _name(item)
        outer.append({**shown_item, "alias": name} if name else shown_item)
    node.clear()
    node.update(select_node(outer, derived(core, _QUALIFIED), condition))
    if modifiers:
        node["modifiers"] = modifiers
    if ctes is not None:
        node["cte_map"] = ctes


def _names(columns: Sequence[ItemColumn]) -> list[str]:
    return [each.name for each in columns if each.name]


def _name(item: Node) -> str:
    is_column = item["class"] == "COLUMN_REF"
    return str(item.get("alias") or (item["column_names"][-1] if is_column else ""))


def _lift(node: Node, inner: list[Node], aliases: dict[str, Node]) -> None:
    """Put columns of the inner query in the place of what an expression reads, in place."""
    if node["class"] == "SUBQUERY":
        raise NoCommonText("a query beside QUALIFY")
    for number, item in enumerate(inner):
        if same(node, item):
            put_node(node, column_ref(_QUALIFIED, f"q{number}"))
            return
    if node["class"] == "COLUMN_REF" and len(node["column_names"]) == 1:
        alias = aliases.get(fold(node["column_names"][0]))
        if alias is not None:
            number = next(at for at, item in enumerate(inner) if same(item, alias))
            put_node(node, column_ref(_QUALIFIED, f"q{number}"))
            return
    if is_leaf(node):
        number = len(inner)
        inner.append({**copy.deepcopy(node), "alias": f"q{number}"})
        put_node(node, column_ref(_QUALIFIED, f"q{number}"))
        return
    for part in list(inner_parts(node)):
        _lift(part, inner, aliases)


def sides_by_name(node: Node, sides: Sequence[Sequence[ItemColumn]]) -> tuple[ItemColumn, ...]:
    """Write UNION BY NAME as UNION, in place; returns its columns.

    Raises:
        NoCommonText: a column has no name, or one that another one has too.
    """
    union: list[ItemColumn] = []
    for side in sides:
        names = [fold(each.name) for each in side]
        if "" in names or len(set(names)) != len(names):
            raise NoCommonText("UNION BY NAME over columns without a plain name")
        union += [each for each in side if fold(each.name) not in {fold(u.name) for u in union}]
    children = []
    for child, side in zip(node["children"], sides, strict=True):
        own = {fold(each.name) for each in side}
        items = [
            {**column_ref(_SIDE, each.name)}
            if fold(each.name) in own
            else {**constant_node("NULL_LITERAL", ""), "alias": each.name}
            for each in union
        ]
        is_same = [fold(each.name) for each in side] == [fold(each.name) for each in union]
        children.append(child if is_same else select_node(items, derived(child, _SIDE)))
    node["children"] = children
    node["setop_type"] = "UNION"
    return tuple(union)


def pivot_query(node: Node, scope: FromScope) -> Node:
    """The query that a PIVOT with a list of values stands for.

    It groups by the columns that it names, or else by all that it neither turns nor sums up. Each
    value of the turned column gives a column for each aggregate: over the rows with that value.

    Args:
        node: The PIVOT, with its source as it came.
        scope: The columns of the source.

    Raises:
        NoCommonText: it is an UNPIVOT, or has something that is not read.
    """
    pivots = node.get("pivots", ())
    aggregates = node.get("aggregates", ())
    if len(pivots) != 1 or not aggregates or "include_nulls" in node or "unpivot_names" in node:
        raise NoCommonText("UNPIVOT, or PIVOT by several columns")
    [pivot] = pivots
    subjects = pivot.get("pivot_expressions", ())
    entries = pivot.get("entries", ())
    if len(subjects) != 1 or set(pivot) != {"pivot_expressions", "entries"} or len(entries) > _FEW:
        raise NoCommonText("PIVOT without a list of values")
    key = _column_of(subjects[0], scope)
    values = [_entry(each) for each in entries]
    if key.kind not in _PIVOTED or len({text for _, text in map(_literal, values)}) != len(values):
        raise NoCommonText("PIVOT by values of another kind, or one twice")
    for value in values:
        if (_literal(value)[0] == "STRING") != (key.kind == "text") or key.kind == "boolean":
            raise NoCommonText("PIVOT by values of another kind")
        if key.kind == "number" and not _is_integer(key):
            raise NoCommonText("PIVOT by numbers that have several texts")
    used = {fold(key.name)}
    for aggregate in aggregates:
        if aggregate.get("function_name") not in AGGREGATES or "filter" in aggregate:
            raise NoCommonText("PIVOT by another aggregate")
        for part in all_parts(aggregate):
            if part["class"] == "COLUMN_REF":
                used.add(fold(_column_of(part, scope).name))
    group_names = node.get("groups")
    others = [known.name for _, known in scope.star() if fold(known.name) not in used]
    groups = list(group_names) if group_names else others
    items = [column_ref(name) for name in groups]
    for value in values:
        for aggregate in aggregates:
            one = copy.deepcopy(aggregate)
            one["filter"] = comparison("COMPARE_EQUAL", copy.deepcopy(subjects[0]), value)
            text = _literal(value)[1]
            alias = aggregate.get("alias")
            if len(aggregates) > 1 and not alias:
                one.pop("alias", None)
            else:
                one["alias"] = text if len(aggregates) == 1 and not alias else f"{text}_{alias}"
            items.append(one)
    query = select_node(items, node["source"])
    if groups:
        query["group_expressions"] = [column_ref(name) for name in groups]
        query["group_sets"] = [list(range(len(groups)))]
    return query


def _column_of(node: Node, scope: FromScope) -> ItemColumn:
    name = node["column_names"][-1] if node["class"] == "COLUMN_REF" else ""
    owners = scope.owners(name) if name else []
    known = owners[0].find(name) if len(owners) == 1 else None
    if known is None:
        raise NoCommonText("PIVOT by an expression")
    return known


def _is_integer(known: ItemColumn) -> bool:
    return "int" in known.type.lower()


def _entry(entry: Node) -> Node:
    value = entry.get("star_expr", {})
    if set(entry) != {"star_expr"} or literal(value) is None or "alias" in value:
        raise NoCommonText("PIVOT by something other than constants")
    return dict(value)


def _literal(node: Node) -> tuple[str, str]:
    return literal(node) or ("", "")


def group_by_all(node: Node, scope: FromScope) -> None:
    """Write GROUP BY ALL as a list of the terms that it means, in place.

    Raises:
        NoCommonText: which terms it means is not certain.
    """
    if node["aggregate_handling"] == "STANDARD_HANDLING":
        return
    items = node["select_list"]
    groups = []
    for item in items:
        columns = list(free_columns(item))
        if has_class(item, "SUBQUERY") or has_class(item, "WINDOW"):
            raise NoCommonText("GROUP BY ALL beside a query or a window")
        if any(not scope.has(each["column_names"][-1]) for each in columns):
            raise NoCommonText("GROUP BY ALL over a column from outside")
        if columns and has_aggregate(item):
            raise NoCommonText("GROUP BY ALL over a column beside an aggregate")
        if columns:
            groups.append({key: copy.deepcopy(item[key]) for key in item if key != "alias"})
    if not groups and not any(map(has_aggregate, items)):
        raise NoCommonText("GROUP BY ALL of constants")
    if "having" in node and any(_outside(node["having"], groups)):
        # DuckDB takes it for another group.
        raise NoCommonText("HAVING of a column that GROUP BY ALL does not name")
    node["aggregate_handling"] = "STANDARD_HANDLING"
    if groups:
        node["group_expressions"] = groups
        node["group_sets"] = [list(range(len(groups)))]


def _outside(node: Node, groups: list[Node]) -> Iterator[bool]:
    """Whether an expression has a column that no group has, for each of its columns."""
    if any(same(node, group) for group in groups):
        return
    if node["class"] == "COLUMN_REF":
        yield True
    elif node.get("function_name") not in AGGREGATES:
        for part in inner_parts(node):
            yield from _outside(part, groups)


def order_by_all(node: Node, width: int) -> None:
    """Write ORDER BY ALL as a list of numbers of columns, in place.

    Raises:
        NoCommonText: there are other terms beside it.
    """
    for modifier in node.get("modifiers", ()):
        orders = modifier.get("orders", ())
        if not any(each["expression"]["class"] == "STAR" for each in orders):
            continue
        star = orders[0]
        if len(orders) != 1 or set(star["expression"]) != {"class", "type", "columns"}:
            raise NoCommonText("ORDER BY a star beside something else")
        modifier["orders"] = [
            {**star, "expression": constant_node("INTEGER", str(number))}
            for number in range(1, width + 1)
        ]
