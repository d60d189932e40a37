"""Arithmetic in one form, in a tree of PostgreSQL's parser.

* ``100.0 * x`` is ``x * 100.0``: each product of PostgreSQL's own types by a number has both;
* a guard against a zero below is NULLIF, or none where it is idle (``zero_guards.py``).
"""

from __future__ import annotations

from typing import Any

from sqlverdict.execute.engines.postgres.common.expressions import enum_name
from sqlverdict.execute.engines.postgres.common.result_names import target_name
from sqlverdict.execute.engines.postgres.common.spellings import nodes_inside
from sqlverdict.execute.engines.postgres.common.zero_guards import (
    drop_idle_guards,
    is_number,
    unguard,
)


def unify_arithmetic(select: Any) -> None:
    """Change a whole query and all in it, in place."""
    _unify_query(select)
    # Inside, an expression that cannot fail is worth more than a shorter one.
    terms = [each.sort_by.node for each in select.sort_clause]
    if select.distinct_clause and terms:
        return  # PostgreSQL looks for the terms in the SELECT list, by their words.
    names = [target_name(target.res_target.val) for target in select.target_list]
    for node in (*(target.res_target.val for target in select.target_list), *terms):
        drop_idle_guards(node, _has_groups(select))
    _keep_names(select, names)


def _unify_query(select: Any) -> None:
    names = [target_name(target.res_target.val) for target in select.target_list]
    for field, value in select.ListFields():
        if field.message_type is None:
            continue
        for each in value if field.is_repeated else (value,):
            if field.message_type.name == "SelectStmt":
                _unify_query(each)
                continue
            for node in nodes_inside(each):
                _visit(node)
    _keep_names(select, names)


def _keep_names(select: Any, names: list[str]) -> None:
    """Name the columns of a result as before: a query around this one may use the names."""
    for each, name in zip(select.target_list, names, strict=True):
        target = each.res_target
        if not target.name and target_name(target.val) != name:
            target.name = name


def _has_groups(select: Any) -> bool:
    """Whether each group has a row: GROUPING SETS may have one for no rows."""
    kinds = [term.WhichOneof("node") for term in select.group_clause]
    return bool(kinds) and "grouping_set" not in kinds


def _visit(node: Any) -> None:
    kind = node.WhichOneof("node")
    if kind is None:
        return
    inner = getattr(node, kind)
    if kind == "select_stmt":
        _unify_query(inner)
        return
    for part in nodes_inside(inner):
        _visit(part)
    if kind == "case_expr":
        unguard(node)
    elif kind == "a_expr" and enum_name(inner, "kind") == "AEXPR_OP":
        _put_number_last(inner)


def _put_number_last(operation: Any) -> None:
    is_product = operation.name[-1].string.sval == "*" and is_number(operation.lexpr)
    if not is_product or is_number(operation.rexpr):
        return
    number = type(operation.lexpr)()
    number.CopyFrom(operation.lexpr)
    operation.lexpr.CopyFrom(operation.rexpr)
    operation.rexpr.CopyFrom(number)
