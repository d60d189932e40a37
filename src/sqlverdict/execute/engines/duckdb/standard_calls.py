"""One spelling for calls that DuckDB has several of: names, methods, parts of a STRUCT, IF."""

from __future__ import annotations

from typing import Any, Final

from sqlverdict.execute.common_text import NoCommonText
from sqlverdict.execute.engines.duckdb.expressions import declared_type, field_type
from sqlverdict.execute.engines.duckdb.sources import FromScope
from sqlverdict.execute.engines.duckdb.syntax import (
    Node,
    arguments,
    call,
    column_ref,
    constant_node,
    literal,
    operator,
    put_node,
)
from sqlverdict.parse.tokens import fold, word_set

_NAMES: Final = {
    name: one
    for one, others in {
        "avg": "mean",
        "ceil": "ceiling",
        "date_diff": "datediff",
        "date_part": "datepart",
        "date_trunc": "datetrunc",
        "ends_with": "suffix",
        "json_extract": "json_extract_path",
        "json_extract_string": "->> json_extract_path_text",
        "length": "len char_length character_length",
        "list_contains": "list_has array_contains array_has",
        "list_distinct": "array_distinct",
        "list_extract": "list_element",
        "list_filter": "array_filter filter",
        "list_sort": "array_sort",
        "list_transform": "list_apply array_transform array_apply apply",
        "lower": "lcase",
        "power": "pow ** ^",
        "starts_with": "prefix ^@",
        "string_split": "str_split string_to_array split",
        "substring": "substr",
        "upper": "ucase",
    }.items()
    for name in word_set(others)
}
_PARTS: Final = {
    **{name: name for name in ("year", "month", "day", "quarter", "week", "decade", "century")},
    **{name: name for name in ("hour", "minute", "second", "isodow", "isoyear")},
    "dayofmonth": "day",
    "dayofweek": "dow",
    "weekday": "dow",
    "dayofyear": "doy",
    "weekofyear": "week",
}
_TYPES: Final = {
    name: one
    for one, others in {
        "BIGINT": "INT8 INT64 LONG OID",
        "BIT": "BITSTRING",
        "BLOB": "BINARY BYTEA VARBINARY",
        "BOOLEAN": "BOOL LOGICAL",
        "DECIMAL": "DEC NUMERIC",
        "DOUBLE": "FLOAT8",
        "FLOAT": "FLOAT4 REAL",
        "HUGEINT": "INT128",
        "INTEGER": "INT INT4 INT32 INTEGRAL SIGNED",
        "SMALLINT": "INT2 INT16 SHORT",
        "TIMESTAMP": "DATETIME TIMESTAMP_US",
        "TINYINT": "INT1",
        "UUID": "GUID",
        "VARCHAR": "BPCHAR CHAR NVARCHAR STRING TEXT",
        "TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ",
    }.items()
    for name in others.split()
}
"""The one name of a type by its others; DuckDB lets nobody define a type of such a name."""
_UNITS: Final = word_set("date_part date_trunc date_diff")
_WITH_LAMBDAS: Final = word_set("list_transform list_filter list_reduce")


def plain_call(node: Node, scope: FromScope, parameters: tuple[str, ...]) -> None:
    """Write a call or an operation in its one form, in place; what is inside it is so already.

    Raises:
        NoCommonText: what it calls is not certain.
    """
    if node["class"] == "OPERATOR":
        if node["type"] == "ARRAY_EXTRACT":
            _plain_part(node, *node["children"])
        return
    if "qualified_name" in node or "catalog" in node or "order_bys" in node:
        raise NoCommonText(f"{node['function_name']} with a name of a schema, or an order")
    if "schema" in node:
        _plain_method(node, scope, parameters)
    name = fold(node["function_name"])
    node["function_name"] = name = _NAMES.get(name, name)
    args = arguments(node)
    if any(each.get("#arrow") for each in args) and name in _WITH_LAMBDAS:
        raise NoCommonText("a lambda with an arrow, which DuckDB no longer reads")
    if name in _PARTS and len(args) == 1:
        put_node(node, call("date_part", [constant_node("STRING", _PARTS[name]), args[0]]))
    elif name in _UNITS and args and literal(args[0]):
        args[0]["literal"]["text"] = (literal(args[0]) or ("", ""))[1].lower()
    elif name == "if" and len(args) == 3:
        checks = [{"when_expr": args[0], "then_expr": args[1]}]
        case = {"class": "CASE", "type": "CASE_EXPR", "case_checks": checks}
        put_node(node, {**case, "else_expr": args[2]})
    elif name == "list_extract" and len(args) == 2 and declared_type(args[0]).endswith("]"):
        # Of a text in brackets our parser makes something else.
        put_node(node, {"class": "OPERATOR", "type": "ARRAY_EXTRACT", "children": args})
    elif name == "array_length" and len(args) == 1 and declared_type(args[0]).endswith("]"):
        # Of a text it is an error.
        node["function_name"] = "length"
    elif name == "struct_extract" and len(args) == 2:
        _plain_part(node, *args)
    elif name in ("contains", "list_contains") and len(args) == 2:
        _plain_membership(node, *args)


def plain_type(declared: Any) -> None:
    """Write the type of a cast by its one name, in place, and what it consists of."""
    if isinstance(declared, list):
        for each in declared:
            plain_type(each)
    elif isinstance(declared, dict):
        if declared.get("class") == "TYPE" and "type_name" in declared:
            name = declared["type_name"].upper()
            declared["type_name"] = _TYPES.get(name, name)
        for each in declared.values():
            plain_type(each)


def _plain_method(node: Node, scope: FromScope, parameters: tuple[str, ...]) -> None:
    """``x.f(y)`` is ``f(x, y)`` where x is a column and no schema."""
    name = node.pop("schema")
    target = column_ref(name)
    if fold(name) in scope.schemas or fold(name) in parameters or not scope.has(name):
        raise NoCommonText(f"{name} before a function")
    scope.resolve(target)
    node["arguments"] = [{"expression": target}, *node.get("arguments", ())]


def _plain_part(node: Node, whole: Node, key: Node) -> None:
    """``s['x']`` and ``struct_extract(s, 'x')`` are one."""
    value = literal(key)
    if value is None or value[0] != "STRING":
        return
    declared = declared_type(whole)
    if field_type(declared, value[1]) is not None:
        put_node(node, operator("STRUCT_EXTRACT", [whole, constant_node("STRING", fold(value[1]))]))


def _plain_membership(node: Node, members: Node, value: Node) -> None:
    """``x IN [1, 2]``, which DuckDB reads as a call, is ``x IN (1, 2)`` for constants."""
    args = arguments(members)
    if members.get("function_name") != "list_value" or not args:
        return
    kinds = {(literal(each) or ("",))[0] for each in args}
    if kinds == {"INTEGER"} or kinds == {"STRING"}:
        put_node(node, operator("COMPARE_IN", [value, *args]))
