"""DISTINCT that drops no row, in a tree of PostgreSQL's parser.

A query without GROUP BY that has an aggregate, or no FROM, gives one row at most. One that shows
all that it groups by gives no row twice: DISTINCT compares as GROUP BY does. DISTINCT fails for a
value that cannot be compared, such as JSON: all columns must be of types that can. It fails where
the query is sorted by something that it does not show, too.
"""

from __future__ import annotations

from typing import Any, Final

from sqlverdict.execute.engines.postgres.common.expressions import (
    AGGREGATES,
    NUMBERS,
    enum_name,
    function_of,
    is_own,
    type_of,
)
from sqlverdict.execute.engines.postgres.common.meaning import part_meaning
from sqlverdict.execute.engines.postgres.common.spellings import nodes_inside
from sqlverdict.parse.tokens import word_set

_COMPARED: Final = word_set(
    "count sum avg min max percentile_cont percentile_disc mode string_agg stddev stddev_pop "
    "stddev_samp variance var_pop var_samp corr covar_pop covar_samp bool_and bool_or every"
)
"""Aggregates whose values can be compared, whatever they read."""
_TYPES: Final = NUMBERS | word_set("text varchar bool date timestamp timestamptz interval")
_SUMS: Final = frozenset({"+", "-", "*", "/"})
_LIMITS: Final = ("limit_count", "limit_offset")


def drop_idle_distinct(select: Any) -> None:
    """Take DISTINCT from the outermost query where it drops no row and does not fail."""
    plain = len(select.distinct_clause) == 1 and not select.distinct_clause[0].WhichOneof("node")
    if not plain or enum_name(select, "op") != "SETOP_NONE" or select.window_clause:
        return
    groups = [_bytes(each) for each in select.group_clause]
    values = [each.res_target.val for each in select.target_list]
    if not all(_bytes(each) in groups or _is_compared(each) for each in values):
        return
    if not all(_is_shown(each.sort_by.node, select) for each in select.sort_clause):
        return
    if groups:
        outputs = {_bytes(each) for each in values}
        columns = all(each.WhichOneof("node") == "column_ref" for each in select.group_clause)
        # Which of several tied rows a LIMIT keeps may depend on how they are made distinct.
        idle = columns and outputs.issuperset(groups) and not any(map(select.HasField, _LIMITS))
    else:
        idle = not select.from_clause or any(map(_is_aggregate, values))
    if idle:
        del select.distinct_clause[:]


def _is_shown(term: Any, select: Any) -> bool:
    """Whether a term of ORDER BY is a number or name of a column of the result, or its text."""
    if term.WhichOneof("node") == "a_const":
        return True
    names = {each.res_target.name for each in select.target_list} - {""}
    if _bytes(term).decode() in names:
        return True
    return part_meaning(term) in {part_meaning(each.res_target.val) for each in select.target_list}


def _bytes(node: Any) -> bytes:
    """A column as it is written; two that are written in two ways are not seen as one."""
    if node.WhichOneof("node") != "column_ref":
        return b""
    names = [each.string.sval for each in node.column_ref.fields]
    return "\0".join(names).encode() if all(names) else b""


def _is_compared(node: Any) -> bool:
    """Whether the values of an expression are one a row, and of a type that can be compared."""
    match node.WhichOneof("node"):
        case "a_const":
            return True
        case "type_cast":
            return type_of(node.type_cast) in _TYPES and not _gives_rows(node)
        case "func_call":
            return _is_aggregate(node)
        case "a_expr":
            return _is_number_first(node.a_expr) and not _gives_rows(node)
    return False


def _is_aggregate(node: Any) -> bool:
    call = node.func_call
    return (
        node.WhichOneof("node") == "func_call"
        and function_of(call) in _COMPARED
        and is_own(call)
        and not call.HasField("over")
        and not _gives_rows(node)
    )


def _is_number_first(operation: Any) -> bool:
    """Whether an operation of arithmetic has a number on its left: then its value is compared."""
    names = [part.string.sval for part in operation.name]
    left = operation.lexpr
    is_number = left.WhichOneof("node") == "a_const" or (
        left.WhichOneof("node") == "type_cast" and type_of(left.type_cast) in NUMBERS
    )
    return enum_name(operation, "kind") == "AEXPR_OP" and names[-1] in _SUMS and is_number


def _gives_rows(node: Any) -> bool:
    """Whether a call outside of inner queries may give several rows, or is not known."""
    kind = node.WhichOneof("node")
    for part in nodes_inside(getattr(node, kind)):
        inner = part.WhichOneof("node")
        if inner == "sub_link":
            continue
        if inner == "func_call" and function_of(part.func_call) not in AGGREGATES | _COMPARED:
            return True
        if _gives_rows(part):
            return True
    return False
