"""Could the role that reads a server's database do more than read?"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.check import CHECKS, Check
from sqlverdict.audit.data import AuditData
from sqlverdict.audit.finding import AuditFinding
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import ServerEngine

NAME = "database_rights"


@CHECKS.member
class DatabaseRights(Check):
    """Roles that may write, create or administrate."""

    title = "roles that could do more than read"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """Ask for each database once; databases of one server share a finding."""
        engine = data.runner.engine
        if not isinstance(engine, ServerEngine):
            return
        by_rights: dict[tuple[str, ...], list[str]] = {}
        for database, cases in data.databases.items():
            try:
                rights = engine.excess_rights(database)
            except DatabaseError:
                # What cannot be opened is the finding of database_files.
                continue
            if rights:
                by_rights.setdefault(rights, []).append(cases[0].db_id)
        hint = (
            "every query runs in a read-only transaction; a role that may only read (a member of "
            "pg_read_all_data on PostgreSQL, SELECT and SHOW VIEW on MySQL) is a second wall"
        )
        for rights, names in by_rights.items():
            message = f"the role {', '.join(rights)}"
            yield AuditFinding(NAME, "warning", ", ".join(names), message, hint)
