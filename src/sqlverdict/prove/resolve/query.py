"""A parsed query as rules see it first, in any dialect."""

from __future__ import annotations

from sqlglot import exp

from sqlverdict.dialects import dialect_of
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.resolve.common_sql import require_common_sql
from sqlverdict.prove.resolve.tree import Resolved, resolve_tree
from sqlverdict.records import Query


def resolve_query(query: Query, schema: Schema) -> Resolved:
    """Resolve a query, where its dialect reads it as our parser does.

    For SQLite that is checked where a proof was found (``fidelity.py``).

    Raises:
        Unsupported: it has a construct that is not read.
    """
    if dialect_of(query.dialect).in_python:
        return resolve_tree(query.tree, schema)
    require_common_sql(query, schema)
    tree = query.tree.copy()
    for test in [node for node in tree.find_all(exp.Is) if node.args.get("negate")]:
        # In PostgreSQL it is another test for a value of several columns; such are refused.
        test.set("negate", None)
        negation = exp.Not()
        test.replace(negation)
        negation.set("this", test)
    return resolve_tree(tree, schema, query.dialect)
