"""Quotients that CASE guards against a zero below, in a tree of PostgreSQL's parser.

* ``CASE WHEN COUNT(*) = 0 THEN NULL ELSE x / COUNT(*) END`` is ``x / NULLIF(COUNT(*), 0)``;
* ``CASE WHEN COUNT(*) = 0 THEN 0 ELSE x / COUNT(*) END`` is
  ``COALESCE(x / NULLIF(COUNT(*), 0), 0)`` where x is never NULL if rows are counted;
* ``x / NULLIF(COUNT(*), 0)`` is ``x / COUNT(*)`` where the count is not 0, or x is NULL then.
"""

from __future__ import annotations

from typing import Any, Final

from sqlverdict.execute.engines.postgres.common.expressions import (
    enum_name,
    function_of,
    is_const,
    is_leaf,
    is_null,
    is_own,
    risk_of,
    type_of,
)
from sqlverdict.execute.engines.postgres.common.meaning import part_meaning
from sqlverdict.execute.engines.postgres.common.spellings import nodes_inside
from sqlverdict.parse.tokens import word_set

_STRICT: Final = frozenset({"+", "-", "*", "/"})
_ROUNDED: Final = word_set("round trunc abs ceil ceiling floor")
_FRACTIONS: Final = word_set("numeric float8")
_OF_NUMBERS: Final = word_set("count sum avg")
_NULL_OVER_NONE: Final = word_set("sum avg min max")
_SAFE: Final = frozenset({"total", "typed", "numeric"})
"""When a quotient fails: never, or for no number."""


def unguard(node: Any) -> None:
    """Write the quotient in the place of a CASE that guards it."""
    guarded = _guarded(node.case_expr)
    if guarded is None:
        return
    below, value, other = guarded
    quotient = type(node)()
    quotient.CopyFrom(value)
    if not _guard_divisor(quotient, part_meaning(below)) or not _cannot_fail(quotient):
        return
    if other is None or is_null(other):
        node.CopyFrom(quotient)
    elif is_number(other) and _is_share(value, below):
        last = type(node)()
        last.CopyFrom(other)
        node.Clear()
        node.coalesce_expr.args.extend([quotient, last])


def _guarded(case: Any) -> tuple[Any, Any, Any] | None:
    """What is compared with 0, what is given where it is not 0, and what else."""
    test = case.args[0].case_when.expr
    if len(case.args) != 1 or case.HasField("arg") or not _is_operation(test):
        return None
    below = test.a_expr.lexpr
    if not _is_zero(test.a_expr.rexpr):
        return None
    result, default = case.args[0].case_when.result, None
    if case.HasField("defresult"):
        default = case.defresult
    if call_name(below) != "count":
        return None  # NULLIF makes a REAL a double.
    match test.a_expr.name[-1].string.sval:
        case "=" if default is not None:
            return below, default, result
        case "<>" | ">":
            return below, result, default
    return None


def _guard_divisor(node: Any, below: bytes) -> bool:
    """Guard a division by a value; false where the expression may have a value without it."""
    match node.WhichOneof("node"):
        case "type_cast" if type_of(node.type_cast) in _FRACTIONS:
            return not node.type_cast.type_name.typmods and _guard_divisor(
                node.type_cast.arg, below
            )
        case "func_call" if call_name(node) in _ROUNDED and node.func_call.args:
            return _guard_divisor(node.func_call.args[0], below)
        case "a_expr" if _is_operation(node) and node.a_expr.name[-1].string.sval in _STRICT:
            divisor = without_casts(node.a_expr.rexpr)
            is_quotient = node.a_expr.name[-1].string.sval == "/"
            if is_quotient and part_meaning(divisor) == below:
                _guard(divisor)
                return True
            if is_quotient and _guards(divisor, below):
                return True
            return _guard_divisor(node.a_expr.lexpr, below) or _guard_divisor(
                node.a_expr.rexpr, below
            )
    return False


def _guards(node: Any, below: bytes) -> bool:
    """Whether an expression is ``NULLIF(y, 0)``."""
    if node.WhichOneof("node") != "a_expr" or enum_name(node.a_expr, "kind") != "AEXPR_NULLIF":
        return False
    return _is_zero(node.a_expr.rexpr) and part_meaning(node.a_expr.lexpr) == below


def without_casts(node: Any) -> Any:
    """What is cast to a number with a fraction, however often."""
    while node.WhichOneof("node") == "type_cast" and type_of(node.type_cast) in _FRACTIONS:
        node = node.type_cast.arg
    return node


def _cannot_fail(node: Any) -> bool:
    """Whether an expression has a value where CASE did not ask for it, too."""
    risk = risk_of(node)
    if risk == "total":
        return True
    is_of_numbers = all(call_name(leaf) in _OF_NUMBERS for leaf in _leaves(node))
    return risk in _SAFE and is_of_numbers and not _multiplies_sums(node)


def _multiplies_sums(node: Any) -> bool:
    """Whether a sum, which may be an interval, meets another one, which may be NaN."""
    kind = node.WhichOneof("node")
    if kind is None or is_leaf(node):
        return False
    parts = nodes_inside(getattr(node, kind))
    if _is_operation(node) and node.a_expr.name[-1].string.sval in ("*", "/"):
        sums = [part for part in parts if any(call_name(leaf) != "count" for leaf in _leaves(part))]
        if len(sums) > 1:
            return True
    return any(map(_multiplies_sums, parts))


def _leaves(node: Any) -> list[Any]:
    if is_leaf(node):
        return [node]
    kind = node.WhichOneof("node")
    inside = nodes_inside(getattr(node, kind)) if kind else ()
    return [leaf for part in inside for leaf in _leaves(part)]


def _is_share(node: Any, below: Any) -> bool:
    """Whether an expression is NULL only where a count below is 0."""
    match node.WhichOneof("node"):
        case "a_const":
            return is_number(node)
        case "type_cast":
            return _is_share(node.type_cast.arg, below)
        case "a_expr" if _guards(node, part_meaning(below)):
            return True
        case "a_expr" if _is_operation(node) and node.a_expr.name[-1].string.sval in _STRICT:
            return _is_share(node.a_expr.lexpr, below) and _is_share(node.a_expr.rexpr, below)
        case "func_call" if call_name(node) in _ROUNDED:
            return all(_is_share(each, below) for each in node.func_call.args)
        case "func_call" if call_name(node) == "sum":
            # Over no rows it is NULL.
            return bool(below.func_call.agg_star) and _gives_numbers(node.func_call.args[0])
    return call_name(node) == "count"


def _gives_numbers(node: Any) -> bool:
    """Whether an expression is a CASE whose results are constants, and never NULL."""
    if node.WhichOneof("node") != "case_expr" or not node.case_expr.HasField("defresult"):
        return is_number(node)
    results = [branch.case_when.result for branch in node.case_expr.args]
    return all(map(is_number, [*results, node.case_expr.defresult]))


def drop_idle_guards(node: Any, grouped: bool) -> None:
    """Write ``x / COUNT(*)`` for ``x / NULLIF(COUNT(*), 0)`` where that is the same.

    Args:
        node: An expression.
        grouped: Whether each group has a row. Else x must be NULL over no rows.
    """
    kind = node.WhichOneof("node")
    if kind is None or kind == "sub_link":
        return
    for part in nodes_inside(getattr(node, kind)):
        drop_idle_guards(part, grouped)
    if not _is_operation(node) or node.a_expr.name[-1].string.sval != "/":
        return
    divisor = without_casts(node.a_expr.rexpr)
    if divisor.WhichOneof("node") != "a_expr":
        return
    count = type(node)()
    count.CopyFrom(divisor.a_expr.lexpr)
    is_count = call_name(count) == "count" and count.func_call.agg_star
    if not is_count or not _guards(divisor, part_meaning(count)):
        return
    if grouped or _is_null_over_no_rows(node.a_expr.lexpr):
        divisor.CopyFrom(count)


def _is_null_over_no_rows(node: Any) -> bool:
    match node.WhichOneof("node"):
        case "type_cast":
            return _is_null_over_no_rows(node.type_cast.arg)
        case "a_expr" if _is_operation(node) and node.a_expr.name[-1].string.sval in _STRICT:
            return any(map(_is_null_over_no_rows, (node.a_expr.lexpr, node.a_expr.rexpr)))
    return call_name(node) in _NULL_OVER_NONE


def _guard(node: Any) -> None:
    """Write ``NULLIF(x, 0)`` in the place of x."""
    from postgast import pg_query_pb2 as trees

    guarded = trees.Node()
    guarded.a_expr.kind = trees.AEXPR_NULLIF
    guarded.a_expr.name.add().string.sval = "="
    guarded.a_expr.lexpr.CopyFrom(node)
    guarded.a_expr.rexpr.a_const.ival.SetInParent()
    node.CopyFrom(guarded)


def call_name(node: Any) -> str:
    """The name of a plain call of a function of PostgreSQL's own; "" for anything else."""
    if node.WhichOneof("node") != "func_call" or not is_own(node.func_call):
        return ""
    call = node.func_call
    is_plain = not (call.HasField("agg_filter") or call.HasField("over") or call.agg_within_group)
    return function_of(call) if is_plain else ""


def is_number(node: Any) -> bool:
    """Whether a node is a constant number."""
    return is_const(node) and node.a_const.WhichOneof("val") in ("ival", "fval")


def _is_operation(node: Any) -> bool:
    if node.WhichOneof("node") != "a_expr" or enum_name(node.a_expr, "kind") != "AEXPR_OP":
        return False
    return bool(node.a_expr.HasField("lexpr")) and len(node.a_expr.name) == 1


def _is_zero(node: Any) -> bool:
    return (
        is_number(node) and node.a_const.WhichOneof("val") == "ival" and not node.a_const.ival.ival
    )
