"""A digest of the content that a snapshot shows.

It holds the server's version and collations, the declaration of every table, view and function,
and of each table the number of its rows and two sums of hashes over them, which do not depend on
their order. The server computes them. There is no digest of a database of more than a gigabyte,
of one with tables that keep no snapshots (MyISAM, Aria, MEMORY ...), or of one whose views or
tables the user may not read: name its content by the setting ``database-version`` then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from sqlverdict.execute.engines.mysql.connection import rows_of

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

MOST_BYTES: Final = 2**30
_SNAPSHOT_ENGINES: Final = ("innodb", "rocksdb")
_COUNTER: Final = re.compile(r" AUTO_INCREMENT=\d+")
_SETTINGS: Final = (
    "SELECT version(), @@lower_case_table_names, @@collation_connection, @@collation_database"
)


def read_digest(
    connection: Connection, routines: Sequence[tuple[str, str, str | None]]
) -> str | None:
    """The digest of what the connection's snapshot shows; ``None`` where it cannot be told.

    Args:
        connection: Its connection.
        routines: The name, the kind and the text of each function and procedure.

    Raises:
        pymysql.Error: the role may not read it, or the connection is gone.
    """
    tables = rows_of(
        connection,
        "SELECT table_name, table_type, lower(engine), coalesce(data_length, 0) "
        "FROM information_schema.tables WHERE table_schema = database() ORDER BY 1",
    )
    if sum(int(str(size)) for *_, size in tables) > MOST_BYTES:
        return None
    digest = sha256()
    digest.update(repr(rows_of(connection, _SETTINGS)).encode())
    digest.update(repr(list(routines)).encode())
    for name, kind, engine, _ in tables:
        quoted = quote_in_backticks(str(name))
        declaration = rows_of(connection, f"SHOW CREATE TABLE {quoted}")[0][1]
        digest.update(_COUNTER.sub("", str(declaration)).encode())
        if kind != "BASE TABLE":
            continue
        if engine not in _SNAPSHOT_ENGINES:
            return None
        checksum = rows_of(connection, _checksum(connection, str(name)))[0]
        if checksum[0] != checksum[1]:
            # A row longer than what the server sends at once has no hash.
            return None
        digest.update(repr((name, checksum)).encode())
    return f"mysql-{digest.hexdigest()}"


def quote_in_backticks(name: str) -> str:
    """A name in backticks."""
    return "`" + name.replace("`", "``") + "`"


def _checksum(connection: Connection, table: str) -> str:
    columns = rows_of(
        connection,
        "SELECT column_name, data_type FROM information_schema.columns "
        "WHERE table_schema = database() AND table_name = %s ORDER BY ordinal_position",
        table,
    )
    # A FLOAT is written with six digits, and has more.
    texts = ", ".join(
        f"QUOTE({quote_in_backticks(str(name))}{' + 0e0' if kind == 'float' else ''})"
        for name, kind in columns
    )
    hashed = f"MD5(CONCAT_WS(',', {texts}))"
    sums = ", ".join(
        f"SUM(CAST(CONV(SUBSTRING(h, {start}, 15), 16, 10) AS DECIMAL(20)))" for start in (1, 17)
    )
    return (
        f"SELECT COUNT(*), COUNT(h), {sums} "  # noqa: S608
        f"FROM (SELECT {hashed} AS h FROM {quote_in_backticks(table)}) AS hashes"
    )
