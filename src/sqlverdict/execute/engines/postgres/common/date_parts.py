"""DATE_PART as EXTRACT, in a tree of PostgreSQL's parser.

``DATE_PART('year', x)`` is ``EXTRACT(YEAR FROM x)`` as a double; of some fields both are whole
numbers. So they are the same where nobody sees the type: in the SELECT list of the whole query, in
GROUP BY and ORDER BY, and beside a whole number in a comparison. Elsewhere 7 / 2 is 3.5 of one of
them and 3.50000 of the other; a query in which one call stands elsewhere is left as it is.
"""

from __future__ import annotations

from typing import Any

from sqlverdict.execute.common_text import WHOLE_FIELDS
from sqlverdict.execute.engines.postgres.common.expressions import (
    OWN_SCHEMA,
    function_of,
    is_comparison,
    is_const,
    is_own,
    operands,
)
from sqlverdict.execute.engines.postgres.common.spellings import nodes_inside


def unify_date_parts(statement: Any) -> None:
    """Write each DATE_PART as EXTRACT, in place, where no call of the query shows its type."""
    select = statement.select_stmt
    targets = [] if select.HasField("larg") else [each.res_target for each in select.target_list]
    calls = [target.val for target in targets if _is_part(target.val, "date_part")]
    calls += _calls_of(statement)
    if not calls or len(calls) != _count(statement):
        return
    for target in targets:
        if _is_part(target.val, "date_part") and not target.name:
            target.name = "date_part"
    for node in calls:
        _write_extract(node.func_call)


def _calls_of(node: Any) -> list[Any]:
    """The calls that are grouped by, sorted by, or compared with whole numbers."""
    calls: list[Any] = []
    for inner in nodes_inside(getattr(node, node.WhichOneof("node"))):
        calls += _calls_of(inner)
    match node.WhichOneof("node"):
        case "select_stmt":
            terms = [*node.select_stmt.group_clause]
            terms += [each.sort_by.node for each in node.select_stmt.sort_clause]
            calls += [term for term in terms if _is_part(term, "date_part")]
        case "a_expr":
            calls += _compared(node)
    return calls


def _compared(node: Any) -> list[Any]:
    parts = operands(node.a_expr) if is_comparison(node) else []
    if not all(_is_whole(each) for each in parts):
        return []
    return [each for each in parts if _is_part(each, "date_part")]


def _is_whole(node: Any) -> bool:
    is_number = is_const(node) and node.a_const.WhichOneof("val") == "ival"
    return is_number or _is_part(node, "date_part") or _is_part(node, "extract")


def _is_part(node: Any, name: str) -> bool:
    """Whether a node is a call of a function, for a field of whole numbers."""
    if node.WhichOneof("node") != "func_call":
        return False
    call = node.func_call
    if function_of(call) != name or not is_own(call) or len(call.args) != 2:
        return False
    field = call.args[0]
    return is_const(field) and field.a_const.sval.sval.lower() in WHOLE_FIELDS


def _count(node: Any) -> int:
    """How many calls of DATE_PART a tree has."""
    kind = node.WhichOneof("node")
    own = kind == "func_call" and function_of(node.func_call) == "date_part"
    return own + sum(map(_count, nodes_inside(getattr(node, kind))))


def _write_extract(call: Any) -> None:
    from postgast import pg_query_pb2 as trees

    del call.funcname[:]
    for part in (OWN_SCHEMA, "extract"):
        call.funcname.add().string.sval = part
    call.funcformat = trees.COERCE_SQL_SYNTAX
    field = call.args[0].a_const.sval
    field.sval = field.sval.lower()
