"""Sequences in a transaction that is rolled back: their numbers come back with it.

A number that a sequence gave is gone, whatever becomes of the transaction. But a sequence that was
restarted in the transaction is a new one until the end: the numbers are taken from that. So two
workspaces give the same numbers, and the sequence of the database gives none.
"""

from __future__ import annotations

from typing import Final

import psycopg
from psycopg import sql

from sqlverdict.execute.engines.postgres.connection import Connection

_SEQUENCES: Final = (
    "SELECT schemaname::text, sequencename::text, increment_by, min_value, max_value"
    " FROM pg_catalog.pg_sequences WHERE schemaname !~ '^pg_'"
    " AND pg_catalog.pg_has_role(sequenceowner, 'USAGE') ORDER BY 1, 2"
)
_NEXT: Final = sql.SQL("SELECT last_value + CASE WHEN is_called THEN {} ELSE 0 END FROM {}")
_RESTART: Final = sql.SQL("ALTER SEQUENCE {} RESTART WITH {}")


def hold_sequences(connection: Connection) -> None:
    """Let every sequence that the role owns go on from where it is, until the transaction ends.

    Another transaction that does the same waits; so does one that takes a number.

    Raises:
        psycopg.Error: another transaction does not end in time.
    """
    for schema, name, step, least, most in connection.execute(_SEQUENCES).fetchall():
        sequence = sql.Identifier(schema, name)
        try:
            connection.execute("SAVEPOINT sequence")
            row = connection.execute(_NEXT.format(sql.Literal(step), sequence)).fetchone()
            # One that is used up fails, or begins again, as it does in the database.
            if row is not None and least <= row[0] <= most:
                connection.execute(_RESTART.format(sequence, sql.Literal(row[0])))
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.NumericValueOutOfRange):
            connection.execute("ROLLBACK TO SAVEPOINT sequence")
