"""What is known of an expression of DuckDB: the kind of its values, and its columns.

Functions are those whose value depends on their arguments and the clock alone, and that give one
value. A macro of a database that has such a name is taken for DuckDB's function.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from sqlverdict.execute.common_text import UNKNOWN_FUNCTION
from sqlverdict.execute.engines.duckdb.syntax import (
    Node,
    all_parts,
    arguments,
    inner_parts,
    literal,
)
from sqlverdict.parse.schema import Column, Table
from sqlverdict.parse.schemas.column_types import column_values
from sqlverdict.parse.tokens import fold, word_set

AGGREGATES: Final = word_set("avg count count_star max min sum")
PARAMETER: Final = "#parameter"
"""What a parameter of a lambda is called, with a number behind it."""

FUNCTIONS: Final = {
    "date_trunc": "timestamp",
    "last_day": "date",
    "today": "date",
    **dict.fromkeys(
        word_set(
            "date_part date_diff round floor ceil trunc power sqrt exp ln log log2 log10 sign "
            "length strlen instr position ascii unicode levenshtein abs epoch list_position"
        ),
        "number",
    ),
    **dict.fromkeys(
        word_set(
            "concat concat_ws left right ltrim rtrim trim replace split_part reverse lpad rpad "
            "repeat substring regexp_replace regexp_extract md5 strftime lower upper monthname "
            "dayname chr array_to_string json_extract_string ->>"
        ),
        "text",
    ),
    **dict.fromkeys(
        word_set(
            "starts_with ends_with contains regexp_matches regexp_full_match like_escape "
            "ilike_escape not_like_escape not_ilike_escape list_contains list_has_any list_has_all "
            "isnan isinf isfinite ~~ !~~ ~~* !~~* ~~~"
        ),
        "boolean",
    ),
    **dict.fromkeys(
        word_set(
            "list_transform list_filter list_value struct_pack row list_sort list_reverse_sort "
            "list_distinct list_reverse list_concat list_slice string_split flatten list_sum "
            "list_min list_max list_avg list_extract struct_extract map_extract json_extract -> "
            "age to_days to_months to_years to_weeks to_hours to_minutes to_seconds strptime "
            "make_date make_timestamp try_strptime nullif now greatest least"
        ),
        "other",
    ),
}
"""Functions whose calls may be unknown ones, by the kind of value."""
OPERATORS: Final = frozenset({"+", "-", "*", "/", "//", "%", "||"})
_ARITHMETIC: Final = OPERATORS - {"||"}
_FIRM: Final = frozenset({"number", "boolean", "date", "time", "timestamp", "uuid", "text"})
_STRUCT: Final = re.compile(r"struct\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
_FIELD: Final = re.compile(r'\s*(?:"((?:[^"]|"")+)"|(\w+))\s+(.*)', re.DOTALL)
_NOWHERE: Final = Table("", ())


def type_values(declared: str) -> str:
    """The kind of values that a type holds: a word of the prover."""
    values = column_values(_NOWHERE, Column("", declared), "duckdb")
    return "number" if values in ("integer", "real") else values


def is_leaf(node: Node) -> bool:
    """Whether a part is an argument of an unknown function: a column, an aggregate, a query."""
    match node["class"]:
        case "COLUMN_REF":
            return not node["column_names"][0].startswith(PARAMETER)
        case "SUBQUERY" | "WINDOW":
            return True
        case "FUNCTION":
            name = str(node["function_name"])
            return name in AGGREGATES or UNKNOWN_FUNCTION.fullmatch(name) is not None
    return False


def call_arguments(node: Node) -> Iterator[Node]:
    """The arguments of the unknown function that stands for an expression, outermost first."""
    if is_leaf(node):
        yield node
        return
    for part in inner_parts(node):
        yield from call_arguments(part)


def declared_type(node: Node) -> str:
    """The type of an expression as a declaration names it; "" where it is not known."""
    match node["class"]:
        case "COLUMN_REF":
            return str(node.get("#type", ""))
        case "OPERATOR" if node["type"] == "ARRAY_EXTRACT":
            outer = declared_type(node["children"][0])
            value = literal(node["children"][1])
            if outer.endswith("[]") and value is not None and value[0] == "INTEGER":
                return outer[:-2]
        case "OPERATOR" if node["type"] == "STRUCT_EXTRACT":
            value = literal(node["children"][1])
            return field_type(declared_type(node["children"][0]), value[1] if value else "") or ""
        case "CAST" if "children" not in node["type_expr"]:
            return str(node["type_expr"]["type_name"])
    return ""


def field_type(declared: str, name: str) -> str | None:
    """The type of a field of a STRUCT; ``None`` where there is no such field."""
    inside = _STRUCT.fullmatch(declared.strip())
    for part in _fields(inside[1]) if inside else ():
        field = _FIELD.fullmatch(part)
        if field and fold((field[1] or field[2]).replace('""', '"')) == fold(name):
            return field[3].strip()
    return None


def _fields(text: str) -> Iterator[str]:
    depth, start, in_quotes = 0, 0, False
    for at, sign in enumerate(text):
        in_quotes ^= sign == '"'
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth and not in_quotes:
            yield text[start:at]
            start = at + 1
    yield text[start:]


def value_kind(node: Node) -> str:
    """The kind of value that an expression gives: ``arithmetic`` is a number where columns are."""
    match node["class"]:
        case "CONSTANT":
            kind = (literal(node) or ("",))[0]
            return _CONSTANTS.get(kind, "other")
        case "COLUMN_REF":
            return str(node.get("#kind") or type_values(node.get("#type", "")))
        case "COMPARISON" | "CONJUNCTION" | "BETWEEN":
            return "boolean"
        case "OPERATOR":
            return _operator_kind(node)
        case "CAST":
            return type_values(declared_type(node) or "?")
        case "CASE":
            results = [each["then_expr"] for each in node["case_checks"]]
            return _common_kind([*results, *([node["else_expr"]] if "else_expr" in node else [])])
        case "FUNCTION":
            return _call_kind(node)
        case "WINDOW":
            return _aggregate_kind(node)
        case "SUBQUERY" if node["subquery_type"] != "SCALAR":
            return "boolean"
    return "other"


_CONSTANTS: Final = {
    "INTEGER": "number",
    "NUMERIC": "number",
    "STRING": "literal",
    "BOOLEAN": "boolean",
    "NULL_LITERAL": "null",
}


def _operator_kind(node: Node) -> str:
    match node["type"]:
        case "OPERATOR_COALESCE":
            return _common_kind(node["children"])
        case "ARRAY_EXTRACT" | "STRUCT_EXTRACT":
            declared = declared_type(node)
            return type_values(declared) if declared else "other"
        case "ARRAY_SLICE" if value_kind(node["children"][0]) == "text":
            return "text"
        case "ARRAY_SLICE":
            return "other"
    return "boolean"


def _call_kind(node: Node) -> str:
    name, args = node["function_name"], arguments(node)
    unknown = UNKNOWN_FUNCTION.fullmatch(name)
    if unknown is not None:
        return "text" if unknown["kind"] == "varchar" else unknown["kind"]
    if name in AGGREGATES:
        return _aggregate_kind(node)
    if name in _ARITHMETIC:
        return "arithmetic" if all(map(_is_numeric, args)) else "other"
    if name == "nullif":
        return _common_kind(args)
    if name == "||":
        kinds = set(map(value_kind, args)) - {"literal", "null"}
        return "text" if kinds == {"text"} else "other"
    if name == "date_trunc" and value_kind(args[-1]) not in ("date", "timestamp"):
        # Of an interval it is one, of a time with a zone another.
        return "other"
    return FUNCTIONS.get(name, "other")


def _aggregate_kind(node: Node) -> str:
    args = arguments(node)
    if node["function_name"] in ("max", "min", "lag", "lead", "first_value", "last_value"):
        return value_kind(args[0]) if args else "other"
    return "number"


def _common_kind(nodes: Iterable[Node]) -> str:
    parts = list(nodes)
    if all(map(_is_numeric, parts)):
        return "arithmetic"
    kinds = {value_kind(each) for each in parts} - {"null", "literal"}
    return kinds.pop() if len(kinds) == 1 and kinds <= _FIRM else "other"


def _is_numeric(node: Node) -> bool:
    return value_kind(node) in ("number", "arithmetic", "null")


def has_aggregate(node: Node) -> bool:
    """Whether an expression calls an aggregate that is no window."""
    return any(part.get("function_name") in AGGREGATES for part in _outside_windows(node))


def _outside_windows(node: Node) -> Iterator[Node]:
    if node["class"] == "WINDOW":
        for part in inner_parts(node):
            yield from _outside_windows(part)
        return
    yield node
    for part in inner_parts(node):
        yield from _outside_windows(part)


def free_columns(node: Node) -> Iterator[Node]:
    """The columns of an expression that stand in no aggregate."""
    if node["class"] == "COLUMN_REF":
        yield node
    elif node.get("function_name") not in AGGREGATES or node["class"] == "WINDOW":
        for part in inner_parts(node):
            yield from free_columns(part)


def has_class(node: Node, kind: str) -> bool:
    """Whether an expression has a part of a class."""
    return any(part["class"] == kind for part in all_parts(node))
