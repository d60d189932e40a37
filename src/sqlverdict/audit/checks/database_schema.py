"""Does the ``tables.json`` beside the databases describe them?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData
from sqlverdict.errors import SchemaError
from sqlverdict.files.references import file_of
from sqlverdict.load.descriptions import tables_json_files
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.disagreement import disagreements
from sqlverdict.parse.schemas.load import load_schemas

NAME = "database_schema"


@CHECKS.member
class DatabaseSchema(Check):
    """Tables, columns and keys that a ``tables.json`` has otherwise than the database."""

    title = "databases that tables.json describes wrongly"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """Compare each database with the first file that knows it."""
        by_file: dict[Path, Mapping[str, Schema]] = {}
        for database, cases in data.databases.items():
            path, db_id = file_of(database), cases[0].db_id
            own = data.schema(database) if path is not None and path.is_file() else None
            if path is None or own is None:
                continue
            for file in tables_json_files(path):
                if file not in by_file:
                    by_file[file] = _schemas(file)
                if db_id in by_file[file]:
                    differences = list(disagreements(by_file[file][db_id], own))
                    if differences:
                        yield _finding(file, db_id, differences)
                    break


def _schemas(file: Path) -> Mapping[str, Schema]:
    """What the file says; nothing where it cannot be read, which who uses it says."""
    try:
        return load_schemas(file)
    except SchemaError:
        return {}


def _finding(file: Path, db_id: str, differences: list[str]) -> AuditFinding:
    more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
    message = f"{file.name} describes it otherwise: {differences[0]}{more}"
    hint = "proofs and witnesses use the database's own schema"
    return AuditFinding(NAME, "info", db_id, message, hint, {"all": differences})
