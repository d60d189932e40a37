"""Queries around a query that only pass its rows on, in a tree of PostgreSQL's parser."""

from __future__ import annotations

from typing import Any, Final

from sqlverdict.execute.engines.postgres.common.expressions import (
    AGGREGATES,
    FUNCTIONS,
    enum_name,
    function_of,
    is_const,
    is_own,
)
from sqlverdict.execute.engines.postgres.common.result_names import target_name
from sqlverdict.execute.engines.postgres.common.spellings import nodes_inside
from sqlverdict.parse.tokens import word_set

_PLAIN: Final = word_set("target_list from_clause where_clause with_clause limit_option op")
"""What such a query may have."""

STEADY: Final = (
    AGGREGATES
    | frozenset(FUNCTIONS)
    | word_set(
        "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value "
        "nth_value percentile_cont percentile_disc mode string_agg array_agg json_agg jsonb_agg "
        "json_object_agg jsonb_object_agg bool_and bool_or every stddev stddev_pop stddev_samp "
        "variance var_pop var_samp corr covar_pop covar_samp unnest generate_series date "
        "string_to_array array_to_string array_position regexp_matches regexp_split_to_array "
        "jsonb_array_elements jsonb_array_elements_text json_array_elements "
        "json_array_elements_text json_build_object jsonb_build_object greatest least"
    )
)
"""Functions that give the same for the same rows, whenever they are called."""


def is_steady(message: Any) -> bool:
    """Whether a query gives the same answer each time, as far as is known of what it calls."""
    for node in nodes_inside(message):
        kind = node.WhichOneof("node")
        if kind == "range_table_sample":
            return False
        if kind == "func_call" and (
            function_of(node.func_call) not in STEADY or not is_own(node.func_call)
        ):
            return False
        if not is_steady(getattr(node, kind)):
            return False
    return True


def unwrap(select: Any) -> None:
    """Put the query inside in the place of one that passes all of its rows on, in place.

    It shows all columns as they stand, has no condition but one that is always true, and no other
    source. PostgreSQL hands the rows on in their order, and computes nothing otherwise.
    """
    inner = _passed_on(select)
    while inner is not None:
        copy = type(inner)()
        copy.CopyFrom(inner)
        select.CopyFrom(copy)
        inner = _passed_on(select)


def _passed_on(select: Any) -> Any | None:
    """The query whose rows a query passes on."""
    used = {field.name for field, _ in select.ListFields()}
    if (
        not used <= _PLAIN
        or len(select.from_clause) != 1
        or enum_name(select, "op") != "SETOP_NONE"
    ):
        return None
    if select.HasField("where_clause") and not _is_true(select.where_clause):
        return None
    source = select.from_clause[0]
    match source.WhichOneof("node"):
        case "range_subselect" if not source.range_subselect.lateral and "with_clause" not in used:
            node, alias = source.range_subselect.subquery, source.range_subselect.alias
            names = [each.string.sval for each in alias.colnames]
        case "range_var" if "with_clause" in used:
            cte = _only_cte(select.with_clause, source.range_var)
            if cte is None:
                return None
            node = cte.ctequery
            names = [each.string.sval for each in cte.aliascolnames]
        case _:
            return None
    if node.WhichOneof("node") != "select_stmt":
        return None
    inner = node.select_stmt
    names += _names(inner)[len(names) :]
    return inner if _shows_all(select.target_list, names) else None


def _only_cte(clause: Any, table: Any) -> Any | None:
    """What WITH defines, if it is one query under the name of the source."""
    if clause.recursive or len(clause.ctes) != 1 or table.schemaname or table.alias.colnames:
        return None
    cte = clause.ctes[0].common_table_expr
    return cte if cte.ctename == table.relname else None


def _is_true(node: Any) -> bool:
    """Whether a condition is ``0 = 0``."""
    if node.WhichOneof("node") != "a_expr" or enum_name(node.a_expr, "kind") != "AEXPR_OP":
        return False
    left, right = node.a_expr.lexpr, node.a_expr.rexpr
    return (
        [part.string.sval for part in node.a_expr.name] == ["="]
        and is_const(left)
        and is_const(right)
        and left.a_const.WhichOneof("val") == right.a_const.WhichOneof("val") == "ival"
        and left.a_const.ival.ival == right.a_const.ival.ival
    )


def _names(inner: Any) -> list[str]:
    """The names of a query's columns; "*" for those that are not told."""
    while enum_name(inner, "op") != "SETOP_NONE":
        inner = inner.larg
    return [each.res_target.name or target_name(each.res_target.val) for each in inner.target_list]


def _shows_all(targets: Any, names: list[str]) -> bool:
    """Whether a SELECT list has all columns of its one source, in their order."""
    fields = []
    for target in targets:
        value = target.res_target.val
        if value.WhichOneof("node") != "column_ref":
            return False
        fields.append(value.column_ref.fields[-1])
    if len(fields) == 1 and fields[0].WhichOneof("node") == "a_star":
        return True
    is_known = len(set(names)) == len(names) and "?column?" not in names
    return is_known and [each.string.sval for each in fields] == names
