"""When an expression of DuckDB fails: for some values, for some types, or never.

DuckDB 2 computes a constant where a row needs it: what fails in it fails for some rows alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from sqlverdict.execute.common_text import WHOLE_FIELDS, Risk
from sqlverdict.execute.engines.duckdb.expressions import (
    OPERATORS,
    call_arguments,
    declared_type,
    is_leaf,
    type_values,
    value_kind,
)
from sqlverdict.execute.engines.duckdb.syntax import Node, arguments, inner_parts, literal
from sqlverdict.parse.tokens import fold, word_set

_TOTAL: Final = word_set(
    "abs age array_to_string ascii ceil concat concat_ws contains dayname ends_with epoch exp "
    "flatten floor isfinite isinf isnan last_day length levenshtein list_avg list_concat "
    "list_contains list_distinct list_filter list_has_all list_has_any list_max "
    "list_min list_position list_reverse list_reverse_sort list_sort list_sum "
    "list_transform list_value lower ltrim md5 monthname nullif now position instr power replace "
    "reverse right round row rtrim sign split_part starts_with string_split strlen struct_extract "
    "struct_pack to_days to_hours to_minutes to_months to_seconds to_weeks to_years "
    "today trim trunc try_strptime unicode upper ~~ !~~ ~~* !~~*"
)
"""Functions that fail for no value of their types."""
_TRUNCATED: Final = word_set("second minute hour day week month quarter year decade century")
_PATTERNS: Final = word_set("regexp_matches regexp_full_match regexp_replace regexp_extract ~~~")
_RISKS: Final[tuple[Risk, ...]] = ("total", "typed", "whole", "partial")
_WHOLE, _PARTIAL = range(2, 4)
_LEAVES: Final = frozenset({"CONSTANT", "COLUMN_REF", "TYPE"})
_UNSIGNED: Final = word_set("utinyint usmallint uinteger ubigint uhugeint")
_NARROW: Final = _UNSIGNED | word_set("tinyint smallint")
"""Types in which common numbers have no place."""
_LONG: Final = word_set("bigint int8 long hugeint ubigint uhugeint")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d)?", re.ASCII)
_SPAN: Final = re.compile(r"\d{1,6} (?:second|minute|hour|day|week|month|year)s?", re.ASCII)
_SPANS: Final = word_set("to_days to_hours to_minutes to_months to_seconds to_weeks to_years age")
_NUMBERS: Final = frozenset({"number", "arithmetic", "null"})


def risk_of(node: Node) -> Risk:
    """When an expression fails. What is true of every row or of none is no risk."""
    return _RISKS[_risk(node)]


def _risk(node: Node) -> int:
    if is_leaf(node) or node["class"] in _LEAVES:
        return 0
    inner = max(map(_risk, inner_parts(node)), default=0)
    match node["class"]:
        case "CONJUNCTION" | "LAMBDA" | "CASE":
            return inner
        case "COMPARISON" | "BETWEEN":
            return max(inner, _meeting_risk(list(inner_parts(node))))
        case "OPERATOR" if node["type"] in ("COMPARE_IN", "COMPARE_NOT_IN", "OPERATOR_COALESCE"):
            return max(inner, _meeting_risk(node["children"]))
        case "OPERATOR" if node["type"] == "ARRAY_EXTRACT":
            return _PARTIAL if _is_long(node["children"][1]) else inner
        case "OPERATOR":
            return inner
        case "CAST":
            return max(inner, _cast_risk(node))
        case "FUNCTION":
            return max(inner, _call_risk(node))
    return _PARTIAL


def _meeting_risk(nodes: Iterable[Node]) -> int:
    """Where a text meets a number, DuckDB casts the text, which may fail."""
    kinds = {"number" if kind == "arithmetic" else kind for kind in map(value_kind, nodes)}
    kinds -= {"null", "literal"}
    if len(kinds) <= 1:
        return 0
    return _PARTIAL if "text" in kinds else 1


def _cast_risk(node: Node) -> int:
    target = value_kind(node)
    if node.get("try_cast") or target == "text":
        return 0
    if "children" in node["type_expr"] or fold(declared_type(node)) in _NARROW:
        # 100 has no place in DECIMAL(3, 1), and -1 none in UTINYINT.
        return _PARTIAL
    value = literal(node["child"])
    if value is not None:
        return 0 if _is_value(*value, fold(declared_type(node))) else _PARTIAL
    source = value_kind(node["child"])
    numbers = {"number", "arithmetic", "boolean"}
    moments = {"date", "timestamp"}
    if {source, target} <= numbers:
        # NaN is no integer.
        return _WHOLE if fold(declared_type(node)) in _LONG | {"integer", "int"} else 1
    return 1 if {source, target} <= moments else _PARTIAL


def _is_value(kind: str, text: str, declared: str) -> bool:
    """Whether a constant surely is a value of a type."""
    if kind == "NULL_LITERAL":
        return True
    if kind == "STRING" and declared == "interval":
        return _SPAN.fullmatch(text) is not None
    if kind == "STRING" and type_values(declared) in ("date", "timestamp"):
        return _DAY.fullmatch(text) is not None and _is_day(text)
    return kind in ("INTEGER", "NUMERIC") and type_values(declared) == "number" and len(text) < 10


def _is_day(text: str) -> bool:
    try:
        return datetime.fromisoformat(text) is not None
    except ValueError:
        return False


def _is_long(node: Node) -> bool:
    """Whether a number may lie beyond the places of a text, of which a part is taken."""
    value = literal(node)
    if value is not None:
        return len(value[1]) > 9
    return fold(declared_type(node)) in _LONG or any(map(_is_long, inner_parts(node)))


def _is_unsigned(node: Node) -> bool:
    return fold(declared_type(node)) in _UNSIGNED or any(map(_is_unsigned, inner_parts(node)))


def _subtracts_moments(args: list[Node]) -> bool:
    """Whether both may be moments: no difference has an endless one; of endless dates there is."""
    kinds = set(map(value_kind, args))
    return not (len(args) == 1 or kinds & _NUMBERS or kinds == {"date"} or _is_span(args[1]))


def _is_span(node: Node) -> bool:
    is_interval = node["class"] == "CAST" and fold(declared_type(node)) == "interval"
    return is_interval or node.get("function_name") in _SPANS


def _call_risk(node: Node) -> int:
    name, args = node["function_name"], arguments(node)
    first = (literal(args[0]) or ("", ""))[1].lower() if args else ""
    if name in ("//", "%"):
        return 1 if len(args) == 2 and _is_never_zero(args[1]) else _PARTIAL
    if name in ("*", "/") and any(map(_is_span, args)):
        # An interval times NaN is none, nor is one divided by 0.
        return _WHOLE if name == "*" else 1 if _is_never_zero(args[-1]) else _PARTIAL
    if name in OPERATORS:
        fails = name == "-" and (_subtracts_moments(args) or any(map(_is_unsigned, args)))
        return _PARTIAL if fails else int(next(call_arguments(node), None) is not None)
    match name:
        case "greatest" | "least":
            return _meeting_risk(args)
        case "list_slice":
            return 0 if len(args) == 3 else _PARTIAL
        case "left" | "substring" | "list_extract":
            return _PARTIAL if any(map(_is_long, args[1:])) else 0
        case "date_trunc":
            return 0 if first in _TRUNCATED else _PARTIAL
        case "date_part" | "date_diff":
            return 0 if first in WHOLE_FIELDS else _PARTIAL
        case "strftime":
            return 0 if any(literal(each) is not None for each in args) else _PARTIAL
        case _ if name in _PATTERNS:
            return 0 if all(literal(each) is not None for each in args[1:]) else _PARTIAL
    return 0 if name in _TOTAL else _PARTIAL


def _is_never_zero(node: Node) -> bool:
    """Whether a number is not 0: a constant, or NULLIF(x, 0), which is NULL then."""
    value = literal(node)
    if value is not None:
        return value[0] in ("INTEGER", "NUMERIC") and float(value[1]) != 0
    args = arguments(node) if node.get("function_name") == "nullif" else []
    return len(args) == 2 and literal(args[1]) == ("INTEGER", "0")
