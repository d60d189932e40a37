"""What a user of MySQL could do more than read one database."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.mysql.connection import (
    connect,
    database_name,
    is_mariadb,
    quote_in_backticks,
    server_errors,
)
from sqlverdict.execute.servers.statements import rows_of
from sqlverdict.files.references import Reference

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

_GRANT: Final = re.compile(r"GRANT (.*?) ON (?:(?:TABLE|FUNCTION|PROCEDURE) )?(.*?) TO ", re.DOTALL)
_SCOPE: Final = re.compile(r"(\*|`(?:[^`]|``)*`)\.")
_ROLE: Final = re.compile(r"GRANT ((?:(?! ON ).)*?) TO ", re.DOTALL)
"""A grant that names no object."""
_COLUMNS: Final = re.compile(r"\([^)]*\)")
_ROLE_IN_FORCE: Final = "SELECT current_role()"
_READING: Final = frozenset({"SELECT", "USAGE", "SHOW VIEW", "SHOW DATABASES"})
_HARMLESS: Final = frozenset({"USAGE", "SHOW DATABASES"})
_ALL: Final = "ALL PRIVILEGES"
_OURS: Final = "sqlverdict_"
"""How the names of scratch databases and copies begin; whoever may make them may fill them."""


def excess_rights(database: Reference) -> tuple[str, ...]:
    """What the user of a URL could do more than read its database, in words.

    Raises:
        DatabaseError: the server does not answer.
    """
    with connect(database, Limits()) as connection:
        return rights_of(connection, database)


def rights_of(connection: Connection, database: Reference) -> tuple[str, ...]:
    """What a connection's user could do more than read the database of a URL, in words.

    Raises:
        DatabaseError: the server does not tell.
    """
    name = database_name(database)
    more: set[str] = set()
    rules, reads_others, passes_on = False, False, False
    with server_errors(f"{database} does not tell its rights"):
        grants, roles = _grants(connection)
    for grant in grants:
        match = _GRANT.match(grant)
        if match is None:
            continue
        scope = _SCOPE.match(match[2])
        scope_name = scope[1].strip("`").replace("``", "`").replace("\\", "") if scope else "*"
        if scope_name.startswith(_OURS) and scope_name.endswith("%") and not name.startswith(_OURS):
            continue
        names = {each.strip() for each in _COLUMNS.sub("", match[1]).split(",")}
        passes_on = passes_on or "WITH GRANT OPTION" in grant
        rules = rules or (_ALL in names and scope_name == "*")
        reads_others = reads_others or (scope_name != name and not names <= _HARMLESS)
        more |= names - _READING
    rights = []
    if rules:
        rights.append("is an administrator")
    elif more:
        rights.append(f"may use {', '.join(sorted(more))}")
    elif reads_others:
        rights.append("may read other databases")
    if roles:
        rights.append(f"may take the roles {', '.join(roles)}")
    if passes_on:
        rights.append("may pass on its rights")
    return tuple(rights)


def _grants(connection: Connection) -> tuple[list[str], list[str]]:
    """The rights of a connection's user, and its roles whose rights are not among them."""
    grants = [str(row) for (row,) in rows_of(connection, "SHOW GRANTS")]
    matches = [match for match in map(_ROLE.match, grants) if match is not None]
    roles = [role.strip() for match in matches for role in match[1].split(",")]
    if roles and not is_mariadb(connection):
        using = f"SHOW GRANTS FOR CURRENT_USER() USING {', '.join(roles)}"
        return [str(row) for (row,) in rows_of(connection, using)], []
    # MariaDB names the rights of the role in force.
    names = [role.strip("`") for role in roles]
    return grants, [role for role in names if [(role,)] != rows_of(connection, _ROLE_IN_FORCE)]


def reader_statements(database: Reference) -> tuple[str, ...]:
    """What makes a user who may only read the database of a URL."""
    name = database_name(database)
    scope = quote_in_backticks(name.replace("_", r"\_").replace("%", r"\%"))
    return (
        "CREATE USER sqlverdict IDENTIFIED BY 'a password';",
        f"GRANT SELECT, SHOW VIEW ON {scope}.* TO sqlverdict;",
    )
