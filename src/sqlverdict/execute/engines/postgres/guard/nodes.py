"""What a syntax tree may hold: the kinds of nodes, and the fields of each, by the parser's list.

A node or a field that is not listed is refused by its name, whatever a newer parser adds.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from sqlverdict.parse.tokens import word_set

NODE: Final = "Node"
"""The type of a field that holds a node of any kind, or a list of them."""
VALUE: Final = ""
"""The type of a field that holds a number, a text, a flag or a name of an enumeration."""

QUERY_NODES: Final = word_set(
    "A_ArrayExpr A_Const A_Expr A_Indices A_Indirection A_Star Alias BitString BoolExpr Boolean "
    "BooleanTest CTECycleClause CTESearchClause CaseExpr CaseWhen CoalesceExpr CollateClause "
    "ColumnDef ColumnRef CommonTableExpr Float FuncCall GroupingFunc GroupingSet Integer JoinExpr "
    "JsonAggConstructor JsonArgument JsonArrayAgg JsonArrayConstructor JsonArrayQueryConstructor "
    "JsonBehavior JsonFormat JsonFuncExpr JsonIsPredicate JsonKeyValue JsonObjectAgg "
    "JsonObjectConstructor JsonOutput JsonParseExpr JsonReturning JsonScalarExpr JsonSerializeExpr "
    "JsonTable JsonTableColumn JsonTablePathSpec JsonValueExpr List MinMaxExpr NamedArgExpr "
    "NullTest ParamRef RangeFunction RangeSubselect RangeTableFunc RangeTableFuncCol "
    "RangeTableSample RangeVar ResTarget RowExpr SQLValueFunction SelectStmt SetToDefault SortBy "
    "String SubLink TypeCast TypeName WindowDef WithClause XmlExpr XmlSerialize"
)
"""What a query is made of."""
CHANGES: Final = word_set(
    "InsertStmt UpdateStmt DeleteStmt MergeStmt TruncateStmt CreateStmt CreateTableAsStmt ViewStmt "
    "IndexStmt AlterTableStmt RenameStmt DropStmt CommentStmt CreateSeqStmt AlterSeqStmt "
    "CreateEnumStmt AlterEnumStmt CompositeTypeStmt CreateDomainStmt AlterDomainStmt"
)
"""Statements that change tables, their rows, or what belongs to them."""
CHANGE_NODES: Final = (
    QUERY_NODES
    | CHANGES
    | word_set(
        "AlterTableCmd Constraint DefElem InferClause IntoClause IndexElem MergeWhenClause "
        "MultiAssignRef OnConflictClause PartitionBoundSpec PartitionElem PartitionSpec "
        "ReturningClause ReturningOption TableLikeClause ObjectWithArgs"
    )
)
"""What such statements are made of."""
NEVER: Final = frozenset(
    {"tableSpaceName", "tablespacename", "tableSpace", "indexspace", "fdwoptions", "newowner"}
)
"""Fields that lead to places on the disk or to other servers."""
_SCALARS: Final = frozenset({"xpr", "cooked_expr", "cooked_default", "cooked_in", "cooked_out"})


@cache
def fields(names: frozenset[str]) -> dict[str, dict[str, str]]:
    """The fields that each kind of node may have, with the type of each.

    Args:
        names: The kinds of nodes.
    """
    from postgast import pg_query_pb2

    messages = pg_query_pb2.DESCRIPTOR.message_types_by_name
    table: dict[str, dict[str, str]] = {}
    for name in names:
        table[name] = {}
        for field in messages[name].fields if name in messages else ():
            kind = field.message_type.name if field.message_type is not None else VALUE
            allowed = kind in (NODE, VALUE) or kind in names
            if allowed and field.json_name not in NEVER | _SCALARS:
                table[name][field.json_name] = kind
    return table
