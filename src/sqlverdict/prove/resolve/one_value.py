"""Where a query or a group must have one value: more are an error in some engines."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.dependencies import at_most_one_row, closure, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import is_closed, nodes_in, whole_number
from sqlverdict.prove.resolve.scope import Unsupported


def require_determined(select: exp.Select, facts: Facts) -> None:
    """Columns beside an aggregate have one value in each group, or are none of ours.

    Raises:
        Unsupported: one may have several, or the engine refuses it.
    """
    bare = list(bare_columns(select))
    if not bare:
        return
    allowed = facts.record.determined_columns
    in_having = any(column.find_ancestor(exp.Having) for column in bare)
    if allowed == "nowhere" or (allowed == "outside_having" and in_having):
        raise Unsupported("a column that the engine wants to be grouped by")
    columns = plain_columns(bare)
    group = select.args.get("group")
    terms = plain_columns(group.expressions if group is not None else ())
    if not columns <= closure(select, facts, terms):
        raise Unsupported("a column beside an aggregate that is not grouped by")
    facts.cited.clear()


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
