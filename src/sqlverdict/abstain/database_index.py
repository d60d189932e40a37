"""From cases to questions and examples: where their databases lie, what their schemas are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import msgspec

from sqlverdict.abstain.method import Ask, TrainingExample
from sqlverdict.execute.attempt import read_engine_schema
from sqlverdict.execute.engine import ENGINES, engine_of
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case


@dataclass(frozen=True)
class DatabaseIndex:
    """Where databases lie and what their schemas are, by database.

    A benchmark may give a case a database that leads nowhere, because its gold cannot be scored;
    the question can still be asked about the database that the other cases have.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    schemas: Mapping[str, Schema] = field(default_factory=dict)

    @classmethod
    def of(
        cls, cases: Iterable[Case], schemas: Mapping[str, Schema] | None = None
    ) -> DatabaseIndex:
        """Where all cases' databases lie."""
        files: dict[str, str] = {}
        for case in cases:
            if case.db_id not in files and case.database and _is_file(case.database):
                files[case.db_id] = case.database
        return cls(files, schemas or {})

    def digest(self) -> str:
        """A digest of the databases and the schemas: what prompts show and queries run on.

        Raises:
            OSError: a database cannot be read.
        """
        digest = hashlib.sha256(msgspec.json.encode(dict(sorted(self.schemas.items()))))
        for db_id, file in sorted(self.files.items()):
            content = ENGINES.get(engine_of(file)).digest(file)
            digest.update(f"{db_id} {content}\n".encode("utf-8", "backslashreplace"))
        return digest.hexdigest()

    def ask(self, case: Case) -> Ask:
        """The question of a case, without its gold and its label."""
        database = case.database
        if database is None or not _is_file(database):
            database = self.files.get(case.db_id, database)
        schema = self.schemas.get(case.db_id) or _schema(database, case.db_id)
        return Ask(case.id, case.db_id, case.full_question, case.knowledge, schema, database)

    def example(self, case: Case) -> TrainingExample:
        """A case to learn from."""
        sql = case.golds[0] if case.golds else None
        return TrainingExample(self.ask(case), case.answerable, sql, marked_on=case.database)


@lru_cache(maxsize=4096)
def _is_file(path: str) -> bool:
    return Path(path).is_file()


_SCHEMAS: dict[tuple[str, str], Schema | None] = {}


def _schema(database: str | None, db_id: str) -> Schema | None:
    """The schema of a database file, read once; ``None`` where there is no such file."""
    if database is None:
        return None
    key = (database, db_id)
    if key not in _SCHEMAS:
        _SCHEMAS[key] = (
            read_engine_schema(ENGINES.get(engine_of(database)), database, db_id)
            if _is_file(database)
            else None
        )
    return _SCHEMAS[key]
