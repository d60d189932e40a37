"""What a user of MySQL could do more than read."""

from __future__ import annotations

import re
from typing import Final

import pymysql

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.mysql.connection import connect, message_of, rows_of
from sqlverdict.files.references import Reference

_GRANT: Final = re.compile(r"GRANT (.*?) ON ", re.DOTALL)
_COLUMNS: Final = re.compile(r"\([^)]*\)")
_READING: Final = frozenset({"SELECT", "USAGE", "SHOW VIEW", "SHOW DATABASES"})
_ALL: Final = "ALL PRIVILEGES"


def excess_rights(database: Reference) -> tuple[str, ...]:
    """What the user of a URL could do more than read, in words.

    Raises:
        DatabaseError: the server does not answer.
    """
    with connect(database, Limits()) as connection:
        try:
            grants = [str(row[0]) for row in rows_of(connection, "SHOW GRANTS")]
        except pymysql.Error as error:
            raise DatabaseError(f"{database} tells no rights: {message_of(error)}") from error
    names: set[str] = set()
    for grant in grants:
        match = _GRANT.match(grant)
        if match is not None:
            names |= {each.strip() for each in _COLUMNS.sub("", match[1]).split(",")}
    more = sorted(names - _READING)
    rights = []
    if _ALL in more:
        rights.append("is an administrator")
    elif more:
        rights.append(f"may use {', '.join(more)}")
    if any("WITH GRANT OPTION" in grant for grant in grants):
        rights.append("may pass on its rights")
    return tuple(rights)
