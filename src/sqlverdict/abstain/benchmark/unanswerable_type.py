"""What a type of unanswerable question is: one file in ``types/``.

A type makes ideas for one database, as many as it can, in an order that the seed decides. It
holds no state. Whoever asks takes as many as are wanted and drops what is there already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from sqlverdict.abstain.benchmark.question_sources import QuestionSources
from sqlverdict.registry import Registry

WordingKind = Literal["changed", "form", "pool", "model"]
"""How a question's words came about: an answerable question with a change, a form filled in,
a question of the pool, a language model."""


@dataclass(frozen=True)
class Idea:
    """An unanswerable question in the making.

    Attributes:
        db_id: The database it is asked on.
        question: Its words, by rule.
        wording: How the words came about.
        source: What they were made from: a case id, or where a pool question is from.
        column: The column that does not exist, as people say it.
        table: The table that would have it.
        task: What is asked for beyond a query.
    """

    db_id: str
    question: str
    wording: WordingKind
    source: str = ""
    column: str = ""
    table: str = ""
    task: str = ""


class UnanswerableType(Protocol):
    """A type of unanswerable question. Plain class attributes satisfy the properties."""

    @property
    def label(self) -> str:
        """The type as cases are tagged with it."""
        ...

    @property
    def version(self) -> int:
        """Rises whenever other questions may come out."""
        ...

    @property
    def prompt(self) -> str:
        """The prompt that puts it into natural words; empty: its words are left alone."""
        ...

    def ideas(self, sources: QuestionSources, db_id: str) -> Iterator[Idea]:
        """Questions of this type on a database, best first; none where it cannot make any."""
        ...


TYPES: Registry[UnanswerableType] = Registry(
    "type of unanswerable question",
    "sqlverdict.abstain.benchmark.types",
    "sqlverdict.unanswerable_types",
)
