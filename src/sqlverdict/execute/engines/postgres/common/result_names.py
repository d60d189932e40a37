"""The names that PostgreSQL gives the columns of a result, where the query gives none."""

from __future__ import annotations

from typing import Any, Final

from sqlverdict.execute.engines.postgres.common.expressions import enum_name, function_of

NO_NAME: Final = "?column?"
_OF_QUERIES: Final = {"EXISTS_SUBLINK": "exists", "ARRAY_SUBLINK": "array"}


def target_name(node: Any) -> str:
    """The name of a column that shows an expression."""
    return _own_name(node) or _name_by_type(node) or NO_NAME


def _name_by_type(node: Any) -> str:
    """What a cast or a CASE is called, if what is in it has no name of its own."""
    match node.WhichOneof("node"):
        case "type_cast":
            return str(node.type_cast.type_name.names[-1].string.sval)
        case "case_expr":
            return "case"
        case "collate_clause":
            return _name_by_type(node.collate_clause.arg)
    return ""


def _own_name(node: Any) -> str:
    """The name of a column, a call or the like; "" for anything else."""
    match node.WhichOneof("node"):
        case "func_call":
            return function_of(node.func_call)
        case "type_cast":
            return _own_name(node.type_cast.arg)
        case "collate_clause":
            return _own_name(node.collate_clause.arg)
        case "case_expr":
            return _own_name(node.case_expr.defresult)
        case "column_ref" if node.column_ref.fields[-1].WhichOneof("node") == "string":
            return str(node.column_ref.fields[-1].string.sval)
        case "a_indirection":
            fields = [str(each.string.sval) for each in node.a_indirection.indirection]
            return next(filter(None, reversed(fields)), "") or _own_name(node.a_indirection.arg)
        case "grouping_func":
            return "grouping"
        case "coalesce_expr":
            return "coalesce"
        case "a_array_expr":
            return "array"
        case "row_expr":
            return "row"
        case "min_max_expr":
            return enum_name(node.min_max_expr, "op").removeprefix("IS_").lower()
        case "sqlvalue_function":
            op = enum_name(node.sqlvalue_function, "op")
            return op.removeprefix("SVFOP_").removesuffix("_N").lower()
        case "a_expr" if enum_name(node.a_expr, "kind") == "AEXPR_NULLIF":
            return "nullif"
        case "sub_link":
            kind = enum_name(node.sub_link, "sub_link_type")
            if kind == "EXPR_SUBLINK":
                return _first_name(node.sub_link.subselect.select_stmt)
            return _OF_QUERIES.get(kind, "")
    return ""


def _first_name(select: Any) -> str:
    """The name of the first column of a query."""
    while select.HasField("larg"):
        select = select.larg
    target = select.target_list[0].res_target if select.target_list else None
    return NO_NAME if target is None else str(target.name) or target_name(target.val)
