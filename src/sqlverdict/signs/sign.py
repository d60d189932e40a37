"""What a sign is, and how sign files make themselves known.

A sign is one file in ``signs/query_signs`` (what the query says) or ``signs/answer_signs`` (what it
returns): a docstring that is its document, queries on which it speaks and queries on which it must
be silent, and one function of the file's name. It looks at
one query with its schema, its data and, where there are any, its question and knowledge. It
returns notices and never a verdict.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from sqlverdict.dialects import Dialect, dialect_of
from sqlverdict.errors import RegistryError
from sqlverdict.execute.session import Run
from sqlverdict.records import Answer, Failure, Outcome, Query, Reason, Row
from sqlverdict.registry import Registry, sections_of

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

    from sqlverdict.parse.schema import Schema
    from sqlverdict.refute.read.columns import Resolver

SECTIONS = ("Statement", "Looks at", "Why", "Limits")
PROBES = 80
"""How many queries all signs of one subject may run, each within the limits of the runner."""

Strength = Literal["strong", "weak"]
STRENGTHS: tuple[Strength, ...] = ("strong", "weak")


@dataclass(frozen=True)
class Notice:
    """One thing that a sign found in a query.

    Attributes:
        name: The sign's name, which is its file's name.
        message: What was found, in a sentence.
        detail: What shows it, for programs.
    """

    name: str
    message: str
    detail: Mapping[str, Any] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """The notice as JSON."""
        return {"name": self.name, "message": self.message, "detail": dict(self.detail)}


class Subject:
    """What signs look at: one parsed query on one database.

    Args:
        query: The query, under the schema's own names of tables, parsed in the engine's dialect.
        schema: The database's schema.
        run: Runs a query on the database, guarded and within limits.
        question: What was asked, if that is known.
        knowledge: What was told beside the question.
        outcome: What the query gave, where it has been run before.
    """

    def __init__(
        self,
        query: Query,
        schema: Schema,
        run: Run,
        question: str = "",
        knowledge: str = "",
        outcome: Outcome | None = None,
    ) -> None:
        self.query = query
        self.schema = schema
        self.question = question
        self.knowledge = knowledge
        self.outcome: Outcome = run(query.sql) if outcome is None else outcome
        self._run = run
        self._left = PROBES

    @property
    def answer(self) -> Answer | None:
        """What the query returns; ``None`` where it fails."""
        return self.outcome if isinstance(self.outcome, Answer) else None

    @property
    def record(self) -> Dialect:
        """What is known of the query's dialect; probes are written in it."""
        return dialect_of(self.query.dialect)

    def quoted(self, name: str) -> str:
        """A name as the engine writes it, for a probe."""
        return self.record.quoted(name)

    def text(self, node: Expr) -> str:
        """A part of the query, as SQL of its dialect."""
        return node.sql(dialect=self.query.dialect)

    @cached_property
    def resolver(self) -> Resolver:
        """Which base column a reference of the query means."""
        from sqlverdict.refute.read.columns import Resolver

        return Resolver(self.query.tree, self.schema)

    def probe(self, sql: str) -> Outcome:
        """The outcome of a query about the data; a failure once the budget is spent."""
        if self._left <= 0:
            return Failure(Reason.BUDGET_EXHAUSTED, "the signs have run all their queries")
        self._left -= 1
        from sqlverdict.parse.qualified import with_real_names

        return self._run(with_real_names(sql, self.schema))

    def rows(self, sql: str) -> list[Row] | None:
        """The rows of a query about the data; ``None`` where there is no answer."""
        outcome = self.probe(sql)
        return outcome.rows if isinstance(outcome, Answer) else None


Look = Callable[[Subject], Iterable[Notice]]


@dataclass(frozen=True)
class SignExample:
    """A query for a sign's own test; ``part`` is a text that the notice has to hold."""

    sql: str
    part: str = ""
    question: str = ""
    knowledge: str = ""


@dataclass(frozen=True)
class Sign:
    """A sign as its file declares it."""

    name: str
    look: Look
    strength: Strength
    data: str
    fires: tuple[SignExample, ...]
    silent: tuple[SignExample, ...]
    document: str
    needs_answer: bool = True

    @property
    def title(self) -> str:
        """The first line of its document."""
        return self.document.split("\n", 1)[0].strip()

    @cached_property
    def sections(self) -> dict[str, str]:
        """The document's text by heading; a missing heading is absent."""
        return sections_of(self.document, SECTIONS)


SIGNS: Registry[Sign] = Registry(
    "sign",
    ("sqlverdict.signs.query_signs", "sqlverdict.signs.answer_signs"),
    "sqlverdict.signs",
)


def sign(
    *,
    strength: Strength,
    data: str,
    fires: Iterable[SignExample],
    silent: Iterable[SignExample],
    needs_answer: bool = True,
) -> Callable[[Look], Look]:
    """Register the decorated function as the one sign of its file.

    Args:
        strength: ``strong`` (a wrong query is likely; ``lint`` shows it) or ``weak`` (worth
            knowing, and common in right queries too). Measured; see ``docs/measurements/lint.md``.
        data: SQL that makes a small database, for the examples.
        fires: Queries on which it speaks.
        silent: Queries on which it must not.
        needs_answer: Whether it looks only at queries that run.
    """

    def register(look: Look) -> Look:
        home = look.__module__
        name = home.rpartition(".")[2]
        if look.__name__ != name:
            raise RegistryError(f"{name}.py must define {name}(), not {look.__name__}()")
        if strength not in STRENGTHS:
            known = ", ".join(STRENGTHS)
            raise RegistryError(f"{name}: strength is {strength!r}; expected one of {known}")
        document = sys.modules[home].__doc__ or ""
        member = Sign(
            name, look, strength, data, tuple(fires), tuple(silent), document, needs_answer
        )
        SIGNS.register(member, name, home)
        return look

    return register
