"""Many queries looked at, one after the other: what ``sqlverdict lint`` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sqlverdict.errors import DatabaseError, SchemaError
from sqlverdict.execute.attempt import read_engine_schema
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Failure
from sqlverdict.signs.look import FAILS, look_at
from sqlverdict.signs.sign import SIGNS, Notice, Strength


@dataclass(frozen=True)
class LintEntry:
    """One query to look at."""

    id: str
    sql: str
    database: str | None
    db_id: str = ""
    question: str = ""
    knowledge: str = ""


@dataclass(frozen=True)
class FlaggedQuery:
    """A query that has signs."""

    query: LintEntry
    notices: tuple[Notice, ...]

    def as_record(self) -> dict[str, Any]:
        """The query as JSON."""
        signs = [{"strength": strength_of(each.name), **each.as_record()} for each in self.notices]
        return {
            "id": self.query.id,
            "db_id": self.query.db_id,
            "question": self.query.question,
            "sql": self.query.sql,
            "signs": signs,
        }


@dataclass
class LintReport:
    """What was found in all queries.

    Attributes:
        examined: How many queries were looked at.
        flagged: Those that have signs, in their order.
        unexamined: Why others were not looked at, by id.
    """

    examined: int = 0
    flagged: list[FlaggedQuery] = field(default_factory=list)
    unexamined: dict[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """How many queries have each sign, the most frequent first."""
        names = Counter(
            name for each in self.flagged for name in dict.fromkeys(n.name for n in each.notices)
        )
        return dict(sorted(names.items(), key=lambda item: (-item[1], item[0])))

    def failing(self, rules: Collection[str]) -> list[FlaggedQuery]:
        """The queries that a rule of ``--fail-on`` is about: any, strong, or a sign's name."""
        return [
            each
            for each in self.flagged
            if "any" in rules
            or any(n.name in rules for n in each.notices)
            or ("strong" in rules and any(strength_of(n.name) == "strong" for n in each.notices))
        ]


def strength_of(name: str) -> Strength:
    """A sign's strength; that a query fails is strong."""
    return "strong" if name == FAILS else SIGNS.get(name).strength


def sign_names(only: Collection[str], weak: bool) -> list[str]:
    """The signs to look for: those named, else the strong ones, or all of them.

    Raises:
        UnknownMember: there is no sign of that name.
    """
    if only:
        return [name if name == FAILS else SIGNS.get(name).name for name in only]
    return [FAILS, *(name for name, each in SIGNS.items() if weak or each.strength == "strong")]


def lint(queries: Iterable[LintEntry], runner: QueryRunner, names: Collection[str]) -> LintReport:
    """Look at every query for the signs of these names."""
    report = LintReport()
    schemas: dict[str, Schema | str] = {}
    for query in queries:
        schema = _schema(query.database, runner, schemas)
        if isinstance(schema, str):
            report.unexamined[query.id] = schema
            continue
        run = partial(runner.run, str(query.database))
        outcome = run(query.sql)
        if isinstance(outcome, Failure) and outcome.fault is not None:
            report.unexamined[query.id] = outcome.message
            continue
        report.examined += 1
        dialect = runner.engine_for(str(query.database)).dialect
        about = (query.question, query.knowledge)
        notices = look_at(query.sql, schema, run, *about, names, dialect)
        if notices:
            report.flagged.append(FlaggedQuery(query, tuple(notices)))
    return report


def _schema(
    database: str | None, runner: QueryRunner, known: dict[str, Schema | str]
) -> Schema | str:
    """The schema of a database file, or why there is none."""
    if database is None:
        return "its database is missing"
    if database not in known:
        try:
            known[database] = read_engine_schema(runner.engine_for(database), database)
        except (SchemaError, DatabaseError) as problem:
            known[database] = str(problem)
    return known[database]
