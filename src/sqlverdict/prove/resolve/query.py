"""A parsed query as rules see it first, in any dialect."""

from __future__ import annotations

from sqlverdict.parse.schema import Schema
from sqlverdict.prove.resolve.common_sql import require_common_sql
from sqlverdict.prove.resolve.tree import Resolved, resolve
from sqlverdict.records import Query


def resolve_query(query: Query, schema: Schema) -> Resolved:
    """Resolve a query, where its dialect reads it as our parser does.

    For SQLite that is checked where a proof was found (``fidelity.py``).

    Raises:
        Unsupported: it has a construct that is not read.
    """
    if query.dialect != "sqlite":
        require_common_sql(query, schema)
    return resolve(query.tree, schema, query.dialect)
