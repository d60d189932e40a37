"""Other words for the same, in a tree of PostgreSQL's parser.

* ``FILTER (WHERE c)`` is CASE, and ``7 % 7`` its value;
* ``x ILIKE 'a%'`` is ``LOWER(x) LIKE 'a%'``, as in ``prove/resolve/spellings.py``;
* ``x ~ '^ab'`` is ``x LIKE 'ab%'``, where all other signs of the pattern stand for themselves;
* ``x = ANY (ARRAY[1, 2])`` and ``x = ANY ('{1,2}'::int[])`` are ``x IN (1, 2)``, ``<> ALL`` is
  NOT IN;
* ``STRPOS(x, 'a')`` is ``POSITION('a' IN x)``, and ``MOD(x, 2)`` is ``x % 2``;
* ``DATE(x)`` is ``CAST(x AS DATE)``: PostgreSQL reads a type that is called as a cast;
* ``now()`` is CURRENT_TIMESTAMP, and its date CURRENT_DATE; ``age(x)`` is
  ``age(CURRENT_DATE, x)``;
* ``DATE_TRUNC('MONTH', x)`` is ``DATE_TRUNC('month', x)``: the names of fields have no case;
* ``interval '2 weeks'`` is ``interval '14 day'``: an interval has months, days and seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from sqlverdict.execute.common_text import INTERVAL_UNITS
from sqlverdict.execute.engines.postgres.common.expressions import (
    AGGREGATES,
    OWN_SCHEMA,
    enum_name,
    function_of,
    is_const,
    is_own,
    type_of,
)
from sqlverdict.execute.engines.postgres.common.result_names import target_name
from sqlverdict.parse.tokens import word_set

_NOW: Final = word_set("now transaction_timestamp")
_OF_FIELD: Final = word_set("date_trunc date_part extract")
_CURRENT: Final = "SVFOP_CURRENT_TIMESTAMP"
_INTERVAL: Final = re.compile(
    r"\s*(?P<count>\d{1,6})\s+(?P<unit>second|minute|hour|day|week|month|year)s?\s*",
    re.ASCII | re.IGNORECASE,
)
_MEMBERS: Final = re.compile(r"\{\d{1,9}(?:, ?\d{1,9})*\}", re.ASCII)
_PLAIN_PATTERN: Final = re.compile(r"(?P<start>\^?)(?P<text>[A-Za-z0-9 ,:;@/'\"-]+)(?P<end>\$?)")
"""A regular expression whose signs stand for themselves, in any flavour, between its anchors."""


def unify_spellings(message: Any, *, any_type: bool) -> None:
    """Change a tree, in place.

    Args:
        message: The tree.
        any_type: Only what is the same for values of any type. ILIKE is LOWER and LIKE for a TEXT,
            not for a CHAR; beside a date an array of texts is an error, some collations have no
            regular expressions, and a CITEXT has a STRPOS of its own.
    """
    names = [each for each in nodes_inside(message) if each.WhichOneof("node") == "res_target"]
    before = [target_name(each.res_target.val) for each in names]
    for node in nodes_inside(message):
        unify_spellings(getattr(node, node.WhichOneof("node")), any_type=any_type)
        _spell(node, any_type)
    for each, name in zip(names, before, strict=True):
        # A query around this one may use the name.
        if not each.res_target.name and target_name(each.res_target.val) != name:
            each.res_target.name = name


def nodes_inside(message: Any) -> list[Any]:
    """The nodes right inside a part of a tree."""
    return list(_nodes(message))


def _nodes(message: Any) -> Iterator[Any]:
    if message.DESCRIPTOR.name == "Node":
        if message.WhichOneof("node") is not None:
            yield message
        return
    for field, value in message.ListFields():
        if field.message_type is not None:
            for each in value if field.is_repeated else (value,):
                yield from _nodes(each)


def _spell(node: Any, any_type: bool) -> None:
    match node.WhichOneof("node"):
        case "a_expr":
            _spell_operation(node, any_type)
        case "type_cast":
            _spell_cast(node)
        case "func_call":
            _spell_call(node, any_type)


def _spell_operation(node: Any, any_type: bool) -> None:
    operation = node.a_expr
    if len(operation.name) != 1:
        return
    kind, name = enum_name(operation, "kind"), operation.name[0].string.sval
    if kind == "AEXPR_ILIKE" and not any_type:
        _spell_ilike(operation)
    elif kind == "AEXPR_OP" and name in ("~", "!~") and not any_type:
        _spell_pattern(operation)
    elif (kind, name) in (("AEXPR_OP_ANY", "="), ("AEXPR_OP_ALL", "<>")):
        _spell_members(node)
    elif kind == "AEXPR_OP" and name == "%":
        _compute(node)


def _compute(node: Any) -> None:
    left, right = node.a_expr.lexpr.a_const, node.a_expr.rexpr.a_const
    if left.WhichOneof("val") == right.WhichOneof("val") == "ival" and (
        left.ival.ival >= 0 and right.ival.ival > 0
    ):
        value = left.ival.ival % right.ival.ival
        node.Clear()
        node.a_const.ival.ival = value


def _text_of(node: Any) -> str | None:
    """The text of a constant."""
    is_text = is_const(node) and node.a_const.WhichOneof("val") == "sval"
    return str(node.a_const.sval.sval) if is_text else None


def _spell_ilike(operation: Any) -> None:
    from postgast import pg_query_pb2 as trees

    pattern = _text_of(operation.rexpr)
    # In one locale the lower case of I has no dot.
    if pattern is None or not pattern.isascii() or "I" in pattern or "\\" in pattern:
        return
    text = trees.Node()
    text.CopyFrom(operation.lexpr)
    operation.lexpr.Clear()
    call = operation.lexpr.func_call
    call.funcname.add().string.sval = "lower"
    call.funcformat = trees.COERCE_EXPLICIT_CALL
    call.args.append(text)
    _set_like(operation, pattern.lower(), negated=operation.name[0].string.sval[0] == "!")


def _spell_pattern(operation: Any) -> None:
    plain = _PLAIN_PATTERN.fullmatch(_text_of(operation.rexpr) or "")
    if plain is None:
        return
    start, end = ("" if plain[side] else "%" for side in ("start", "end"))
    negated = operation.name[0].string.sval[0] == "!"
    _set_like(operation, f"{start}{plain['text']}{end}", negated=negated)


def _set_like(operation: Any, pattern: str, *, negated: bool) -> None:
    from postgast import pg_query_pb2 as trees

    operation.kind = trees.AEXPR_LIKE
    operation.name[0].string.sval = "!~~" if negated else "~~"
    operation.rexpr.a_const.sval.sval = pattern


def _spell_members(node: Any) -> None:
    """ANY of an array as OR, ALL as AND, of a column and plain numbers.

    IN would be another query beside a REAL: it makes its members REAL, and an array stays one of
    integers, whose members are compared one by one.
    """
    from postgast import pg_query_pb2 as trees

    operation = node.a_expr
    members = list(operation.rexpr.a_array_expr.elements) or _quoted_members(operation.rexpr)
    is_column = operation.lexpr.WhichOneof("node") == "column_ref"
    if not is_column or not members or not all(map(_is_plain_member, members)):
        return
    comparisons = []
    for member in members:
        each = trees.Node()
        each.a_expr.kind = trees.AEXPR_OP
        each.a_expr.name.extend(operation.name)
        each.a_expr.lexpr.CopyFrom(operation.lexpr)
        each.a_expr.rexpr.CopyFrom(member)
        comparisons.append(each)
    is_any = enum_name(operation, "kind") == "AEXPR_OP_ANY"
    if len(comparisons) == 1:
        node.CopyFrom(comparisons[0])
        return
    node.Clear()
    node.bool_expr.boolop = trees.OR_EXPR if is_any else trees.AND_EXPR
    node.bool_expr.args.extend(comparisons)


def _quoted_members(node: Any) -> list[Any]:
    """The whole numbers of ``'{1,2}'::int[]``; without the type it is an array of any."""
    from postgast import pg_query_pb2 as trees

    if node.WhichOneof("node") != "type_cast":
        return []
    declared = node.type_cast.type_name
    names = [each.string.sval for each in declared.names]
    text = _MEMBERS.fullmatch(_text_of(node.type_cast.arg) or "")
    if text is None or names[-1] not in ("int4", "int8") or names[:-1] not in ([], ["pg_catalog"]):
        return []
    if len(declared.array_bounds) != 1 or declared.typmods or declared.setof:
        return []
    members = []
    for number in text[0].strip("{}").split(","):
        member = trees.Node()
        member.a_const.ival.ival = int(number)
        members.append(member)
    return members


def _is_plain_member(node: Any) -> bool:
    """Whether a constant means the same in an array and beside a value.

    A text does not: in an array it is a TEXT, and beside a date it would be one.
    """
    return is_const(node) and node.a_const.WhichOneof("val") == "ival"


def _spell_cast(node: Any) -> None:
    cast = node.type_cast
    name = type_of(cast)
    if name == "interval":
        plain = _INTERVAL.fullmatch(_text_of(cast.arg) or "")
        if plain is not None and not cast.type_name.typmods:
            count, unit = INTERVAL_UNITS[plain["unit"].lower()]
            cast.arg.a_const.sval.sval = f"{int(plain['count']) * count} {unit}"
    elif name == "date" and cast.arg.WhichOneof("node") == "sqlvalue_function":
        clock = cast.arg.sqlvalue_function
        if enum_name(clock, "op") == _CURRENT:
            node.Clear()
            _set_clock(node, "SVFOP_CURRENT_DATE")


def _spell_call(node: Any, any_type: bool) -> None:
    from postgast import pg_query_pb2 as trees

    call = node.func_call
    if call.HasField("over") or call.func_variadic or call.agg_within_group:
        return
    if not is_own(call):
        return
    name = function_of(call)
    if call.HasField("agg_filter") and name in AGGREGATES:
        _spell_filter(call)
    elif name in _OF_FIELD and call.args and (field := _text_of(call.args[0])) is not None:
        call.args[0].a_const.sval.sval = field.lower() if field.isascii() else field
    elif call.agg_distinct or call.agg_order:
        return
    elif name in _NOW and not call.args:
        node.Clear()
        _set_clock(node, _CURRENT)
    elif name == "strpos" and len(call.args) == 2 and not any_type:
        del call.funcname[:]
        for part in (OWN_SCHEMA, "position"):
            call.funcname.add().string.sval = part
        call.funcformat = trees.COERCE_SQL_SYNTAX
    elif name == "mod" and len(call.args) == 2:
        operands = list(call.args)
        operation = trees.Node()
        operation.a_expr.kind = trees.AEXPR_OP
        operation.a_expr.name.add().string.sval = "%"
        operation.a_expr.lexpr.CopyFrom(operands[0])
        operation.a_expr.rexpr.CopyFrom(operands[1])
        node.CopyFrom(operation)
        _compute(node)
    elif name == "date" and len(call.args) == 1:
        value = trees.Node()
        value.CopyFrom(call.args[0])
        node.Clear()
        node.type_cast.arg.CopyFrom(value)
        node.type_cast.type_name.names.add().string.sval = "date"
        node.type_cast.type_name.typemod = -1
        _spell_cast(node)
    elif name == "age" and len(call.args) == 1:
        today = trees.Node()
        _set_clock(today, "SVFOP_CURRENT_DATE")
        call.args.insert(0, today)


def _set_clock(node: Any, op: str) -> None:
    from postgast import pg_query_pb2 as trees

    node.sqlvalue_function.op = getattr(trees, op)
    node.sqlvalue_function.typmod = -1


def _spell_filter(call: Any) -> None:
    """Write ``FILTER (WHERE c)`` as ``CASE WHEN c THEN x END``: aggregates pass over NULL."""
    from postgast import pg_query_pb2 as trees

    if not (call.agg_star or call.args):
        return  # It fails.
    value = trees.Node()
    if call.agg_star:
        value.a_const.ival.ival = 1
    else:
        value.CopyFrom(call.args[0])
    case = trees.Node()
    branch = case.case_expr.args.add()
    branch.case_when.expr.CopyFrom(call.agg_filter)
    branch.case_when.result.CopyFrom(value)
    call.ClearField("agg_filter")
    call.agg_star = False
    del call.args[:]
    call.args.append(case)
