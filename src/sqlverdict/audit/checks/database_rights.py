"""Could the role that reads a server's database do more than read?"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import ServerEngine, engine_for

NAME = "database_rights"


@CHECKS.member
class DatabaseRights(Check):
    """Roles that may write, create or administrate."""

    title = "roles that could do more than read"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """Ask for each database once; databases of one server share a finding."""
        by_rights: dict[tuple[str, ...], list[str]] = {}
        statements: dict[tuple[str, ...], tuple[str, ...]] = {}
        for database, cases in data.databases.items():
            engine = engine_for(data.runner.engine, database)
            if not isinstance(engine, ServerEngine):
                continue
            try:
                rights = engine.excess_rights(database)
            except DatabaseError:
                # What cannot be opened is the finding of database_files.
                continue
            if rights:
                by_rights.setdefault(rights, []).append(cases[0].db_id)
                if rights not in statements:
                    statements[rights] = engine.reader_statements(database)
        for rights, names in by_rights.items():
            message = f"the role {', '.join(rights)}"
            hint = (
                "queries run as a role that may only read, which this role makes where it may; "
                "best give the URL of one. An administrator can run: "
                + " ".join(statements[rights])
            )
            detail = {"rights": rights, "statements": statements[rights]}
            yield AuditFinding(NAME, "warning", ", ".join(names), message, hint, detail)
