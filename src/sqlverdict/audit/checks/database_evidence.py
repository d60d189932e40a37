"""Which evidence does a database permit, and what would permit more?"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.check import CHECKS, AuditFinding, Check, Severity
from sqlverdict.audit.data import AuditData
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Engine, ScratchEngine, ServerEngine, engine_for
from sqlverdict.execute.servers.scratch import RowsScratch

NAME = "database_evidence"
_COMPLETE: tuple[Severity, str, str] = (
    "info",
    "the role permits all evidence about queries: results, proofs and witnesses",
    "",
)
_SOME = "no witness is searched for queries that read some of it: "
_NONE = "the engine {} cannot search for witnesses: results are the evidence, and proofs if any"
_HINT_NONE = "give the policy results: the verdict then follows the results by name"
_HINT_SOME = "an administrator can run the GRANT that the message names"


@CHECKS.member
class DatabaseEvidence(Check):
    """Witnesses that cannot be searched: engines without a search, roles that see too little."""

    title = "which evidence a database permits"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """Ask for each database once; databases that permit the same share a finding."""
        by_finding: dict[tuple[Severity, str, str], list[str]] = {}
        for database, cases in data.databases.items():
            engine = engine_for(data.runner.engine, database)
            key: tuple[Severity, str, str]
            if engine.search == "none":
                key = ("warning", _NONE.format(engine.name), _HINT_NONE)
            elif not isinstance(engine, ServerEngine):
                continue
            else:
                gaps = _gaps(engine, database, data)
                if gaps is None:
                    # What cannot be opened is the finding of database_files.
                    continue
                key = ("warning", _SOME + "; ".join(gaps), _HINT_SOME) if gaps else _COMPLETE
            by_finding.setdefault(key, []).append(cases[0].db_id)
        for (severity, message, hint), names in by_finding.items():
            yield AuditFinding(NAME, severity, ", ".join(names), message, hint)


def _gaps(engine: Engine, database: str, data: AuditData) -> tuple[str, ...] | None:
    """What of a database no search can read; ``None`` where it cannot be opened."""
    schema = data.schema(database)
    if schema is None or not isinstance(engine, ScratchEngine):
        return None
    try:
        scratch = engine.scratch(schema, data.options.limits, database)
    except DatabaseError:
        return None
    try:
        return scratch.gaps() if isinstance(scratch, RowsScratch) else ()
    finally:
        scratch.close()
