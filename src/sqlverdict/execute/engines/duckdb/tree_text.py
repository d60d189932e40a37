"""A tree of DuckDB's parser as text in common SQL: names in quotes, parentheses where any are due.

Only what is common SQL is written. Whoever writes a tree has DuckDB read the text again, and
compares: what is forgotten here makes the two trees differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from sqlverdict.execute.common_text import NoCommonText
from sqlverdict.execute.engines.duckdb.syntax import Node, arguments, call, column_ref, literal
from sqlverdict.files.sqlite import quote_name, quote_text

_COMPARISONS: Final = {
    "COMPARE_EQUAL": "=",
    "COMPARE_NOTEQUAL": "<>",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_LESSTHANOREQUALTO": "<=",
    "COMPARE_GREATERTHANOREQUALTO": ">=",
    "COMPARE_DISTINCT_FROM": "IS DISTINCT FROM",
    "COMPARE_NOT_DISTINCT_FROM": "IS NOT DISTINCT FROM",
}
_SIGNS: Final = frozenset({"+", "-", "*", "/"})
_LIKES: Final = {"~~": "LIKE", "!~~": "NOT LIKE"}
_SET_OPERATIONS: Final = {"UNION": "UNION", "EXCEPT": "EXCEPT", "INTERSECT": "INTERSECT"}
_JOINS: Final = {
    "INNER": "JOIN",
    "LEFT": "LEFT JOIN",
    "RIGHT": "RIGHT JOIN",
    "OUTER": "FULL JOIN",
}
_NULLS: Final = {
    "ORDER_DEFAULT": "",
    "NULLS FIRST": " NULLS FIRST",
    "NULLS LAST": " NULLS LAST",
}
_ATOMS: Final = frozenset({"COLUMN_REF", "CAST", "CASE"})
_FRAME: Final = ("UNBOUNDED_PRECEDING", "CURRENT_ROW_RANGE")


def query_sql(node: Node) -> str:
    """A query.

    Raises:
        NoCommonText: it has something that is not common SQL.
    """
    parts = [_with_text(node)]
    match node["type"]:
        case "SELECT_NODE":
            parts += _select_parts(node)
        case "SET_OPERATION_NODE":
            parts.append(_set_operation(node))
        case other:
            raise NoCommonText(f"{other} in a query")
    for modifier in node.get("modifiers", ()):
        match modifier["type"]:
            case "ORDER_MODIFIER":
                parts.append(f"ORDER BY {_orders(modifier['orders'])}")
            case "LIMIT_MODIFIER" if modifier.get("limit_type") == "ROW_COUNT":
                for word in ("limit", "offset"):
                    if word in modifier:
                        parts.append(f"{word.upper()} {expression(modifier[word])}")
            case "DISTINCT_MODIFIER" if len(modifier) == 1 and node["type"] == "SELECT_NODE":
                continue
            case other:
                raise NoCommonText(f"{other} of a query")
    return " ".join(part for part in parts if part)


def _with_text(node: Node) -> str:
    tables = []
    for each in node.get("cte_map", {}).get("map", ()):
        names = ", ".join(map(quote_name, each["value"].get("aliases", ())))
        inner = query_sql(each["value"]["query_node"])
        tables.append(f"{quote_name(each['key'])}{f'({names})' if names else ''} AS ({inner})")
    return f"WITH {', '.join(tables)}" if tables else ""


def _select_parts(node: Node) -> list[str]:
    distinct = any(each["type"] == "DISTINCT_MODIFIER" for each in node.get("modifiers", ()))
    items = ", ".join(map(_item, node["select_list"]))
    parts = [f"SELECT {'DISTINCT ' if distinct else ''}{items}"]
    if node["from_table"]["type"] != "EMPTY":
        parts.append(f"FROM {_source(node['from_table'])}")
    if "where_clause" in node:
        parts.append(f"WHERE {expression(node['where_clause'])}")
    if "group_expressions" in node:
        parts.append(f"GROUP BY {', '.join(map(expression, node['group_expressions']))}")
    if "having" in node:
        parts.append(f"HAVING {expression(node['having'])}")
    return parts


def _item(node: Node) -> str:
    if node["class"] == "STAR":
        relation = node.get("relation_name")
        return f"{quote_name(relation)}.*" if relation else "*"
    alias = node.get("alias")
    return expression(node) + (f" AS {quote_name(alias)}" if alias else "")


def _set_operation(node: Node) -> str:
    word = _SET_OPERATIONS.get(node["setop_type"])
    children = node.get("children", ())
    if word is None or len(children) < 2:
        raise NoCommonText(f"{node['setop_type']} of queries")
    sides = []
    for number, child in enumerate(children):
        is_chain = number == 0 and all(
            child.get(key) == node.get(key) for key in ("setop_type", "setop_all")
        )
        plain = "modifiers" not in child or all(
            each["type"] == "DISTINCT_MODIFIER" for each in child["modifiers"]
        )
        is_bare = plain and "cte_map" not in child and (child["type"] == "SELECT_NODE" or is_chain)
        sides.append(query_sql(child) if is_bare else f"({query_sql(child)})")
    return f" {word}{' ALL' if node.get('setop_all') else ''} ".join(sides)


def _source(node: Node) -> str:
    alias = f" AS {quote_name(node['alias'])}" if node.get("alias") else ""
    match node["type"]:
        case "BASE_TABLE":
            path = [node.get("catalog_name"), node.get("schema_name"), node["table_name"]]
            return ".".join(quote_name(part) for part in path if part) + alias
        case "SUBQUERY":
            return f"({query_sql(node['subquery']['node'])}){alias}"
        case "JOIN":
            return _join(node)
    raise NoCommonText(f"{node['type']} in FROM")


def _join(node: Node) -> str:
    left, right = _source(node["left"]), _source(node["right"])
    if node["right"]["type"] == "JOIN":
        raise NoCommonText("a join in parentheses")
    word = _JOINS.get(node["join_type"])
    if node["ref_type"] == "CROSS":
        return f"{left} CROSS JOIN {right}"
    if word is None or node["ref_type"] not in ("REGULAR", "NATURAL"):
        raise NoCommonText(f"{node['ref_type']} {node['join_type']} JOIN")
    if node["ref_type"] == "NATURAL":
        return f"{left} NATURAL {word} {right}"
    if "using_columns" in node:
        names = ", ".join(map(quote_name, node["using_columns"]))
        return f"{left} {word} {right} USING ({names})"
    return f"{left} {word} {right} ON {expression(node['condition'])}"


def _orders(orders: list[Node]) -> str:
    words = {"ORDER_DEFAULT": "", "ASCENDING": " ASC", "DESCENDING": " DESC"}
    return ", ".join(
        expression(each["expression"]) + words[each["type"]] + _NULLS[each["null_order"]]
        for each in orders
    )


def expression(node: Node) -> str:
    """An expression.

    Raises:
        NoCommonText: it is not common SQL.
    """
    writer = _WRITERS.get(node["class"])
    if writer is None:
        raise NoCommonText(f"{node['class']} in an expression")
    return writer(node)


def _operand(node: Node) -> str:
    """An expression beside an operator."""
    text = expression(node)
    value = literal(node)
    is_atom = node["class"] in _ATOMS or (value is not None and not value[1].startswith("-"))
    if node["class"] == "FUNCTION":
        is_atom = node["function_name"] not in _SIGNS and node["function_name"] not in _LIKES
    if node["class"] == "SUBQUERY":
        is_atom = node["subquery_type"] in ("SCALAR", "EXISTS")
    if node["class"] == "OPERATOR":
        is_atom = node["type"] == "OPERATOR_COALESCE"
    return text if is_atom else f"({text})"


def _column(node: Node) -> str:
    return ".".join(map(quote_name, node["column_names"]))


def _constant(node: Node) -> str:
    match literal(node):
        case ("INTEGER" | "NUMERIC", text):
            return text
        case ("STRING", text):
            return quote_text(text)
        case ("BOOLEAN", text):
            return text.upper()
        case ("NULL_LITERAL", _):
            return "NULL"
    raise NoCommonText("a constant of another kind")


def _comparison(node: Node) -> str:
    left, right = node["left"], node["right"]
    if node["type"] not in _COMPARISONS:
        raise NoCommonText(node["type"])
    truth = literal(right)
    if node["type"].endswith("DISTINCT_FROM") and truth and truth[0] == "BOOLEAN":
        # So DuckDB reads IS TRUE.
        negated = "" if node["type"] == "COMPARE_NOT_DISTINCT_FROM" else "NOT "
        if left["class"] == "CAST" and left["type_expr"].get("type_name") == "BOOLEAN":
            return f"{_operand(left['child'])} IS {negated}{truth[1].upper()}"
    return f"{_operand(left)} {_COMPARISONS[node['type']]} {_operand(right)}"


def _conjunction(node: Node) -> str:
    word = {"CONJUNCTION_AND": " AND ", "CONJUNCTION_OR": " OR "}[node["type"]]
    parts = []
    for child in node["children"]:
        text = expression(child)
        parts.append(f"({text})" if child["class"] == "CONJUNCTION" else text)
    return word.join(parts)


def _operator(node: Node) -> str:
    children = node["children"]
    if "IN" in node["type"].split("_") and any(
        each["class"] == "SUBQUERY" for each in children[1:]
    ):
        # Other parsers take it for IN with the rows of the query.
        raise NoCommonText("a query for one value in a list")
    match node["type"]:
        case "OPERATOR_NOT":
            inner = expression(children[0])
            is_exists = children[0].get("subquery_type") == "EXISTS"
            return f"NOT {inner}" if is_exists else f"NOT ({inner})"
        case "OPERATOR_IS_NULL":
            return f"{_operand(children[0])} IS NULL"
        case "OPERATOR_IS_NOT_NULL":
            return f"{_operand(children[0])} IS NOT NULL"
        case "COMPARE_IN":
            members = ", ".join(map(expression, children[1:]))
            return f"{_operand(children[0])} IN ({members})"
        case "COMPARE_NOT_IN":
            members = ", ".join(map(expression, children[1:]))
            return f"{_operand(children[0])} NOT IN ({members})"
        case "OPERATOR_COALESCE":
            return f"COALESCE({', '.join(map(expression, children))})"
    raise NoCommonText(node["type"])


def _between(node: Node) -> str:
    low, high = _operand(node["lower"]), _operand(node["upper"])
    return f"{_operand(node['input'])} BETWEEN {low} AND {high}"


def _case(node: Node) -> str:
    branches = " ".join(
        f"WHEN {expression(each['when_expr'])} THEN {expression(each['then_expr'])}"
        for each in node["case_checks"]
    )
    last = node.get("else_expr")
    is_null = last is None or (literal(last) or ("",))[0] == "NULL_LITERAL"
    return f"CASE {branches}{'' if is_null or last is None else f' ELSE {expression(last)}'} END"


def _cast(node: Node) -> str:
    kind = node["type_expr"]
    if node.get("try_cast") or "children" in kind or "schema" in kind:
        raise NoCommonText("a cast that is not plain")
    return f"CAST({expression(node['child'])} AS {kind['type_name']})"


def _call(node: Node) -> str:
    name, args = node["function_name"], arguments(node)
    if name in _SIGNS and len(args) == 2:
        return f"{_operand(args[0])} {name} {_operand(args[1])}"
    if name == "-" and len(args) == 1:
        return f"-({expression(args[0])})"
    if name in _LIKES:
        return f"{_operand(args[0])} {_LIKES[name]} {_operand(args[1])}"
    if not name.replace("_", "").isalnum():
        raise NoCommonText(f"the operator {name}")
    if name == "count_star":
        text = "COUNT(*)"
    else:
        distinct = "DISTINCT " if node.get("distinct") else ""
        text = f"{name}({distinct}{', '.join(map(expression, args))})"
    if "filter" in node:
        text += f" FILTER (WHERE {expression(node['filter'])})"
    return text


def _subquery(node: Node) -> str:
    inner = query_sql(node["subquery"]["node"])
    match node["subquery_type"]:
        case "EXISTS":
            return f"EXISTS ({inner})"
        case "SCALAR":
            return f"({inner})"
        case "ANY" if node["comparison_type"] == "COMPARE_EQUAL":
            return f"{_operand(node['child'])} IN ({inner})"
    raise NoCommonText(f"{node['subquery_type']} of a query")


def _window(node: Node) -> str:
    if (node["start"], node["end"]) != _FRAME or "filter" in node or "distinct" in node:
        raise NoCommonText("a window with a frame")
    parts = []
    if "partitions" in node:
        parts.append(f"PARTITION BY {', '.join(map(expression, node['partitions']))}")
    if "orders" in node:
        parts.append(f"ORDER BY {_orders(node['orders'])}")
    args = ", ".join(map(expression, arguments(node)))
    if node["function_name"] == "count" and not args:
        args = "*"
    return f"{node['function_name']}({args}) OVER ({' '.join(parts)})"


_WRITERS: Final[dict[str, Callable[[Node], str]]] = {
    "COLUMN_REF": _column,
    "CONSTANT": _constant,
    "COMPARISON": _comparison,
    "CONJUNCTION": _conjunction,
    "OPERATOR": _operator,
    "BETWEEN": _between,
    "CASE": _case,
    "CAST": _cast,
    "FUNCTION": _call,
    "SUBQUERY": _subquery,
    "WINDOW": _window,
}


_PARTS: Final = {"ARRAY_EXTRACT": "array_extract", "STRUCT_EXTRACT": "struct_extract"}


def expression_text(meaning: bytes, texts: Sequence[str]) -> str:
    """The expression that an unknown function stands for, for people.

    Args:
        meaning: The expression as bytes, with numbers for its arguments.
        texts: The arguments.

    Raises:
        NoCommonText: there are no words for it.
    """
    text = expression(_with_calls(msgspec.json.decode(meaning)))
    return _ARGUMENT.sub(lambda match: texts[int(match[1])], text)


_ARGUMENT: Final = re.compile(r'"sqlverdict argument (\d+)"')


def _with_calls(part: Any) -> Any:
    """A part of a tree with names for its arguments, and calls for what has signs of its own."""
    if isinstance(part, list):
        return [_with_calls(each) for each in part]
    if not isinstance(part, dict):
        return part
    if part.get("class") == "PARAMETER":
        return column_ref(f"sqlverdict argument {part['number']}")
    part = {key: _with_calls(each) for key, each in part.items()}
    name = _PARTS.get(part.get("type", ""))
    return call(name, part["children"]) if name is not None else part
