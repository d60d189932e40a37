"""What is known of an expression of PostgreSQL without its tables: its kind, its risk.

Functions are those whose value depends on their arguments, the session's settings and the clock
alone, and that give one value. A user's own function of such a name is taken for PostgreSQL's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from sqlverdict.execute.common_text import UNKNOWN_FUNCTION, Risk, is_plain_pattern
from sqlverdict.parse.tokens import word_set

OWN_SCHEMA: Final = "pg_catalog"
AGGREGATES: Final = word_set("avg count max min sum")
FUNCTIONS: Final = {
    **dict.fromkeys(word_set("to_timestamp make_timestamp now timezone date_trunc"), "timestamp"),
    **dict.fromkeys(word_set("to_date make_date"), "date"),
    **dict.fromkeys(
        word_set(
            "extract date_part round floor ceil ceiling trunc power pow sqrt exp ln log log10 mod "
            "sign to_number char_length character_length octet_length strpos position ascii "
            "width_bucket div degrees radians cbrt jsonb_array_length json_array_length "
            "cardinality array_length abs length"
        ),
        "number",
    ),
    **dict.fromkeys(
        word_set(
            "to_char concat concat_ws left right ltrim rtrim btrim trim replace split_part initcap "
            "reverse repeat lpad rpad substr substring regexp_replace md5 translate overlay format "
            "chr to_hex quote_literal lower upper jsonb_typeof"
        ),
        "text",
    ),
    **dict.fromkeys(word_set("age make_interval justify_days justify_hours"), "other"),
    **dict.fromkeys(word_set("starts_with regexp_like like_escape"), "boolean"),
}
"""Functions whose calls may be unknown ones, by the kind of value."""
_TOTAL: Final = word_set(
    "abs btrim ceil ceiling char_length character_length concat concat_ws floor initcap length "
    "left lower ltrim md5 now octet_length position replace reverse right round rtrim sign "
    "starts_with strpos translate trim trunc upper"
)
"""Functions that fail for no value of their types."""
_TRUNCATED: Final = word_set(
    "microseconds milliseconds second minute hour day week month quarter year decade century"
)
_EXTRACTED: Final = word_set(
    "year month day quarter week dow doy isodow isoyear epoch decade century millennium"
)
"""Fields that dates and timestamps have alike."""
NUMBERS: Final = word_set("int2 int4 int8 float4 float8 numeric")
_TYPES: Final = {
    **dict.fromkeys(NUMBERS, "number"),
    **dict.fromkeys(word_set("text varchar"), "text"),
    **dict.fromkeys(word_set("timestamp timestamptz"), "timestamp"),
    **{name: name for name in ("date", "time", "uuid")},
    "bool": "boolean",
}
_SORTED: Final = word_set("interval timetz bpchar varchar name oid money inet cidr bytea jsonb bit")
"""Other types whose values have an order."""
COMPARISONS: Final = frozenset({"=", "<>", "<", ">", "<=", ">="})
_ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%"})
_COMPARED: Final = word_set("AEXPR_IN AEXPR_BETWEEN AEXPR_NOT_BETWEEN")
_TOTAL_OPERATORS: Final = frozenset(
    {"=", "<>", "<", ">", "<=", ">=", "+", "-", "*", "||", "->", "->>", "#>", "#>>", "@>", "<@"}
    | {"?", "?|", "?&", "&&"}
)
_PATTERN_OPERATORS: Final = frozenset({"~", "~*", "!~", "!~*", "~~", "!~~", "~~*", "!~~*"})
_CONDITIONS: Final = _PATTERN_OPERATORS | frozenset({"=", "<>", "<", ">", "<=", ">=", "@>", "<@"})
_RISKS: Final[tuple[Risk, ...]] = ("total", "joined", "typed", "numeric", "whole", "partial")
_JOINED, _TYPED, _NUMERIC, _WHOLE, _PARTIAL = range(1, 6)
_SPANS: Final = word_set("age make_interval justify_days justify_hours")
_MOMENTS: Final = frozenset({"date", "time", "timestamp"})
_FORMAT: Final = re.compile(
    r"(?:FM)?[90,]+(?:\.[90]+)?|(?:YYYY|(?:YYYY|YY|MM|MON|MONTH|DAY|DY|DD|Q|WW|HH24|HH12|HH"
    r"|[-/ :._])+)",
    re.IGNORECASE,
)
"""Of TO_CHAR: in any other one a number may have a sign that does not stand beside the rest."""
_ZONES: Final = frozenset({"UTC", "GMT"})


def value_kind(node: Any) -> str:
    """The kind of value that an expression gives."""
    match node.WhichOneof("node"):
        case "func_call":
            name = function_of(node.func_call)
            if name == "date_trunc" and not _is_moment(node.func_call.args[-1]):
                # Of an interval it is one.
                return "other"
            return FUNCTIONS.get(name, "other")
        case "type_cast":
            kind = type_of(node.type_cast)
            return _TYPES.get(kind, "other" if kind in _SORTED else "opaque")
        case "bool_expr" | "null_test" | "boolean_test":
            return "boolean"
        case "a_expr" if _is_condition(node.a_expr):
            return "boolean"
        case "a_expr" if _is_difference(node.a_expr):
            return "difference"
        case "a_expr" if _operator(node.a_expr) in ("->>", "#>>"):
            return "varchar"
        case "a_expr" if _is_opaque(node.a_expr):
            return "opaque"
        case "a_expr":
            return "arithmetic" if _is_numeric(node) else "other"
        case "case_expr":
            results = [branch.case_when.result for branch in node.case_expr.args]
            results += [node.case_expr.defresult] * node.case_expr.HasField("defresult")
            return _choice_kind(results)
        case "coalesce_expr":
            return _choice_kind(node.coalesce_expr.args)
        case "sqlvalue_function":
            is_date = enum_name(node.sqlvalue_function, "op") == "SVFOP_CURRENT_DATE"
            return "date" if is_date else "other"
    return "other"


def _choice_kind(results: Sequence[Any]) -> str:
    """The kind of a value that is one of several."""
    if all(map(_is_numeric, results)):
        return "arithmetic"
    return "opaque" if any(value_kind(each) == "opaque" for each in results) else "other"


def _is_opaque(operation: Any) -> bool:
    """Whether an operation may give JSON, or works on what may be of a type without order."""
    if enum_name(operation, "kind") == "AEXPR_OP" and _operator(operation) in ("->", "#>"):
        return True
    return any(value_kind(part) == "opaque" for part in _parts(operation))


def _is_difference(operation: Any) -> bool:
    """Whether an operation is ``x - y``, which is a number of days if both are dates."""
    is_minus = enum_name(operation, "kind") == "AEXPR_OP" and _operator(operation) == "-"
    return is_minus and operation.HasField("lexpr") and all(map(is_leaf, _parts(operation)))


def _is_condition(operation: Any) -> bool:
    kind = enum_name(operation, "kind")
    return kind not in ("AEXPR_OP", "AEXPR_NULLIF") or (
        kind == "AEXPR_OP" and _operator(operation) in _CONDITIONS
    )


def _is_numeric(node: Any) -> bool:
    """Whether an expression is a number where its arguments are."""
    if is_const(node):
        return node.a_const.isnull or _number(node) is not None
    if node.WhichOneof("node") == "a_expr" and not _is_condition(node.a_expr):
        is_sum = enum_name(node.a_expr, "kind") == "AEXPR_NULLIF"
        return (is_sum or _operator(node.a_expr) in _ARITHMETIC) and all(
            map(_is_numeric, _parts(node.a_expr))
        )
    return is_leaf(node) or value_kind(node) in ("number", "arithmetic", "difference")


def _is_moment(node: Any) -> bool:
    """Whether an expression is no interval: a column of any other type, a date or a timestamp."""
    return is_leaf(node) or value_kind(node) in ("date", "timestamp")


def risk_of(node: Any) -> Risk:
    """When an expression fails. What is true of every row or of none is no risk."""
    return _RISKS[_risk(node)]


def _risk(node: Any) -> int:
    kind = node.WhichOneof("node")
    if is_leaf(node) or kind is None:
        return 0
    own = getattr(node, kind)
    inner = max(map(_risk, _parts(own)), default=0)
    match kind:
        case "a_const" | "sqlvalue_function":
            return 0
        case "a_expr":
            return max(inner, _operation_risk(own))
        case "bool_expr" | "null_test" | "boolean_test" | "coalesce_expr" | "min_max_expr":
            return inner
        case "case_expr" | "case_when" | "list" | "a_array_expr":
            return inner
        case "type_cast":
            return max(inner, _cast_risk(own))
        case "func_call":
            return max(inner, _call_risk(own))
    return _PARTIAL


def _operation_risk(operation: Any) -> int:
    kind, right = enum_name(operation, "kind"), operation.rexpr
    if kind not in ("AEXPR_OP", "AEXPR_OP_ANY", "AEXPR_OP_ALL", "AEXPR_LIKE", "AEXPR_ILIKE"):
        return _PARTIAL * (kind == "AEXPR_SIMILAR")
    name = _operator(operation)
    if name in _PATTERN_OPERATORS:
        return 0 if is_total_pattern(operation) else _PARTIAL
    if name in ("+", "-", "*") and operation.HasField("lexpr"):
        return _arithmetic_risk(name, _parts(operation))
    if name == "||":
        return _JOINED
    if name in ("/", "%"):
        if not _is_never_zero(right):
            return _PARTIAL
        return 0 if _number(right) is not None else _arithmetic_risk("*", _parts(operation))
    return 0 if name in _TOTAL_OPERATORS else _PARTIAL


def _arithmetic_risk(name: str, parts: Sequence[Any]) -> int:
    """When a sum, a difference or a product fails, where numbers do not overflow."""
    if any(_number(each) is not None or value_kind(each) == "number" for each in parts):
        if all(map(_is_sure_number, parts)):
            return 0
        # JSON, ranges and addresses have such operators, too, which fail for some values.
        return _NUMERIC if name == "*" else _TYPED
    if name == "*":
        # An interval times NaN is none, nor is one divided by it.
        is_plain = all(map(_is_numeric, parts))
        return _NUMERIC if is_plain else _WHOLE if any(map(_is_interval, parts)) else _PARTIAL
    if _is_interval(parts[1]) or (name == "+" and _is_interval(parts[0])):
        return 0  # An interval has no end.
    if name == "-":
        return _NUMERIC  # There is no difference from an endless date.
    is_moment = any(value_kind(each) in _MOMENTS for each in parts)
    return 0 if is_moment else _TYPED if all(map(_is_numeric, parts)) else _PARTIAL


def _is_sure_number(node: Any) -> bool:
    """Whether an expression is a number, whatever its arguments are."""
    return _number(node) is not None or value_kind(node) == "number"


def is_total_pattern(operation: Any) -> bool:
    """Whether LIKE, ILIKE or a regular expression fails by no value that it looks at."""
    pattern = operation.rexpr
    if not is_const(pattern):
        return False
    text = str(pattern.a_const.sval.sval)
    # A pattern of LIKE fails where it ends in a backslash.
    return "\\" not in text if "~~" in _operator(operation) else is_plain_pattern(text)


def _is_interval(node: Any) -> bool:
    """Whether an expression is an interval, or fails."""
    match node.WhichOneof("node"):
        case "type_cast":
            return type_of(node.type_cast) == "interval"
        case "func_call":
            return function_of(node.func_call) in _SPANS
        case "a_expr" if _operator(node.a_expr) in ("*", "/"):
            return any(map(_is_interval, _parts(node.a_expr)))
    return False


def _is_never_zero(node: Any) -> bool:
    """Whether a number is not 0: a constant, or NULLIF(x, 0), which is NULL then."""
    match node.WhichOneof("node"):
        case "a_const":
            return (number := _number(node)) is not None and number != 0
        case "type_cast" if type_of(node.type_cast) in ("float8", "numeric"):
            return not node.type_cast.type_name.typmods and _is_never_zero(node.type_cast.arg)
        case "a_expr" if enum_name(node.a_expr, "kind") == "AEXPR_NULLIF":
            return _number(node.a_expr.rexpr) == 0
    return False


def _cast_risk(cast: Any) -> int:
    kind = _TYPES.get(type_of(cast), "other")
    if is_const(cast.arg) or kind == "text":
        return 0
    known = ("number", "arithmetic", "date", "timestamp")
    if type_of(cast) == "int2" or (type_of(cast) == "numeric" and cast.type_name.typmods):
        # 100 has no place in NUMERIC(3, 1), and 100000 none in SMALLINT.
        return _PARTIAL
    if kind == "other" or not (is_leaf(cast.arg) or value_kind(cast.arg) in known):
        return _PARTIAL
    # NaN is no integer.
    return _WHOLE if type_of(cast) in ("int4", "int8") else _TYPED


def _call_risk(call: Any) -> int:
    name, args = function_of(call), list(call.args)
    first = args[0].a_const.sval.sval.lower() if args and is_const(args[0]) else ""
    match name:
        case "date_trunc":
            return 0 if first in _TRUNCATED and len(args) == 2 else _PARTIAL
        case "extract" | "date_part":
            return 0 if first in _EXTRACTED else _PARTIAL
        case "timezone":
            return 0 if first.upper() in _ZONES else _PARTIAL
        case "to_char" if is_const(args[1]):
            return 0 if _FORMAT.fullmatch(str(args[1].a_const.sval.sval)) else _PARTIAL
        case "substr" | "substring":
            bounds = [_number(each) for each in args[1:]]
            return 0 if all(each is not None and each >= 0 for each in bounds) else _PARTIAL
    return 0 if name in _TOTAL else _PARTIAL


def is_leaf(node: Any) -> bool:
    """Whether a node is an argument of an unknown function: a column, an aggregate, a query."""
    match node.WhichOneof("node"):
        case "column_ref" | "sub_link":
            return True
        case "func_call":
            name = function_of(node.func_call)
            return name in AGGREGATES or UNKNOWN_FUNCTION.fullmatch(name) is not None
    return False


def is_const(node: Any) -> bool:
    """Whether a node is a constant."""
    return bool(node.WhichOneof("node") == "a_const")


def is_null(node: Any) -> bool:
    """Whether a node is the constant NULL."""
    return is_const(node) and bool(node.a_const.isnull)


def _number(node: Any) -> float | None:
    match node.a_const.WhichOneof("val") if is_const(node) else None:
        case "ival":
            return float(node.a_const.ival.ival)
        case "fval":
            return float(node.a_const.fval.fval)
    return None


def function_of(call: Any) -> str:
    """The name of a function, without its schema."""
    return str(call.funcname[-1].string.sval)


def is_own(call: Any) -> bool:
    """Whether a call names no schema but PostgreSQL's own."""
    return len(call.funcname) == 1 or bool(call.funcname[0].string.sval == OWN_SCHEMA)


def type_of(cast: Any) -> str:
    """The name of the type that a cast gives; "" for an array."""
    name = cast.type_name
    return str(name.names[-1].string.sval) if name.names and not name.array_bounds else ""


def _operator(operation: Any) -> str:
    return str(operation.name[-1].string.sval)


def _parts(message: Any) -> list[Any]:
    """The expressions right inside a part of a tree."""
    return list(_nodes(message))


def _nodes(message: Any) -> Iterator[Any]:
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        values: Iterable[Any] = value if field.is_repeated else (value,)
        for each in values:
            if field.message_type.name != "Node":
                yield from _nodes(each)
            elif each.WhichOneof("node") not in ("string", "list"):
                yield each
            elif each.WhichOneof("node") == "list":
                yield from each.list.items


def enum_name(message: Any, field: str) -> str:
    """The name of an enumeration's value."""
    described = message.DESCRIPTOR.fields_by_name[field].enum_type
    return str(described.values_by_number[getattr(message, field)].name)


def operands(operation: Any) -> list[Any]:
    """What an operation reads: the members of a list, too."""
    right = operation.rexpr
    others = list(right.list.items) if right.WhichOneof("node") == "list" else [right]
    return [operation.lexpr, *others] if operation.HasField("lexpr") else others


def is_comparison(node: Any) -> bool:
    """Whether a node compares values: by a sign, IN or BETWEEN."""
    if node.WhichOneof("node") != "a_expr" or len(node.a_expr.name) != 1:
        return False
    kind = enum_name(node.a_expr, "kind")
    if kind == "AEXPR_OP":
        return node.a_expr.HasField("lexpr") and node.a_expr.name[0].string.sval in COMPARISONS
    return kind in _COMPARED


def is_day(node: Any) -> bool:
    """Whether a node is a text in quotes as a date: `DATE '2020-01-31'`."""
    if node.WhichOneof("node") != "type_cast" or not is_const(node.type_cast.arg):
        return False
    return type_of(node.type_cast) == "date" and not node.type_cast.type_name.array_bounds
