"""Whether a query shows a column that may have several values in its group.

SQLite takes such a column from any row of the group. Which one depends on the plan, and may be the
same for any order of the rows: an automatic index sorts them. So no order of rows shows that the
answer is open; the facts of the schema do.
"""

from __future__ import annotations

from sqlglot import exp

from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.reasoning.bare import EXTREMES, bare_columns
from sqlverdict.prove.reasoning.dependencies import closure, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.resolve.query import resolve_query
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.records import Query


def shows_any_row(query: Query, schema: Schema) -> bool:
    """Whether some column beside an aggregate is neither grouped by nor decided by what is.

    MIN and MAX choose the row themselves. Where the query is beyond the prover, it is not told.
    """
    try:
        resolved = resolve_query(query, schema)
    except Unsupported:
        return False
    facts = Facts(schema, facts_of(schema, query.dialect), resolved.bases, query.dialect)
    return any(_is_open(select, facts) for select in resolved.tree.find_all(exp.Select))


def _is_open(select: exp.Select, facts: Facts) -> bool:
    # The condition of a FILTER looks at every row of the group.
    outputs = (column for column in bare_columns(select) if not column.find_ancestor(exp.Filter))
    columns = plain_columns(outputs)
    if not columns or select.args.get(EXTREMES):
        return False
    group = select.args.get("group")
    grouped = plain_columns(group.expressions if group is not None else ())
    return not columns <= closure(select, facts, grouped)
