"""Where a query or a group must have one value: more are an error in some engines."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.dependencies import at_most_one_row, closure, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import ColumnName, is_closed, nodes_in, whole_number
from sqlverdict.prove.resolve.scope import EngineRefusal, Unsupported


def require_determined(select: exp.Select, facts: Facts) -> None:
    """Columns beside an aggregate have one value in each group, or are none of ours.

    Raises:
        Unsupported: one may have several, or the engine refuses it.
    """
    # No engine takes b + a for what it groups by where that is a + b.
    bare = list(bare_columns(select, lambda node: node))
    if not bare:
        return
    allowed = facts.record.determined_columns
    in_having = any(column.find_ancestor(exp.Having) for column in bare)
    if allowed == "nowhere" or (allowed == "outside_having" and in_having):
        raise Unsupported("a column that the engine wants to be grouped by")
    columns = plain_columns(bare)
    group = select.args.get("group")
    terms = plain_columns(group.expressions if group is not None else ())
    if allowed == "by_key" and not all(_has_key(c, terms, facts) for c in columns):
        raise EngineRefusal("a column beside an aggregate whose primary key is not grouped by")
    if not columns <= closure(select, facts, terms):
        raise Unsupported("a column beside an aggregate that is not grouped by")
    facts.cited.clear()


def _has_key(column: ColumnName, grouped: set[ColumnName], facts: Facts) -> bool:
    """Whether the grouped columns hold the primary key of a column's table."""
    label, _ = column
    table = facts.table(label)
    key = table.primary_key if table is not None and facts.schema.whole_keys else ()
    return bool(key) and all((label, fold(name)) in grouped for name in key)


def require_single_rows(tree: Expr, facts: Facts) -> None:
    """A query that stands for a value gives one row at most: more are an error, or the first.

    IN compares its operand with the values of its query.

    Raises:
        Unsupported: a query may give several, or refers to what is beside it.
    """
    for node in nodes_in(tree):
        if not isinstance(node, exp.Subquery):
            continue
        if node.alias:
            # Some engines let a derived table see the sources beside it, too.
            if not is_closed(node):
                raise Unsupported("a derived table that refers to something outside")
            continue
        if isinstance(node.parent, exp.In) and node.arg_key == "query":
            continue
        if not isinstance(node.parent, exp.SetOperation) and not _is_single(node.this, facts):
            raise Unsupported("a query for one value that may give several rows")


def _is_single(query: Expr, facts: Facts) -> bool:
    limit = query.args.get("limit")
    if limit is not None and whole_number(limit.expression) in (0, 1):
        return True
    single = at_most_one_row(query, facts)
    facts.cited.clear()
    return single
