"""What a repair of a gold query is: one file in ``repairs/``, one way to find a better gold.

A way looks at one gold with its data and with what systems said, and returns candidates. It changes
nothing and promises nothing: ``propose`` runs each candidate, orders them, and keeps those that
differ from the gold on the real database or on a witness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlglot import exp

from sqlverdict.audit.gold_report import SystemAnswer
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.records import Answer, Query
from sqlverdict.registry import Registry
from sqlverdict.signs.look import notices
from sqlverdict.signs.sign import SIGNS, Notice, Subject


@dataclass(frozen=True)
class CandidateGold:
    """A query that may be a better gold.

    Attributes:
        sql: The query.
        source: The way that found it, which is its file's name.
        reason: What it changes, in a sentence.
        systems: The systems that answer as it does.
        proved: Those of them whose queries are proved equal to it.
    """

    sql: str
    source: str
    reason: str
    systems: tuple[str, ...] = ()
    proved: tuple[str, ...] = ()


class RepairSubject:
    """One gold that may be wrong.

    Args:
        subject: The gold with its schema, its data and its question; ``None``: it cannot be read,
            and only the ways that do not look at it are asked.
        answers: What systems said, each with its answer.
        are_equal: Whether each of two queries is proved to answer as the other.
        dialect: The dialect of the queries.
    """

    def __init__(
        self,
        subject: Subject | None,
        answers: Sequence[SystemAnswer] = (),
        are_equal: Callable[[str, str], bool] = lambda one, other: one == other,
        dialect: str = DEFAULT_DIALECT,
    ) -> None:
        self._subject = subject
        self.answers = tuple(answers)
        self.are_equal = are_equal
        self.dialect = dialect
        self._notices: dict[str, list[Notice]] = {}

    @property
    def is_readable(self) -> bool:
        """Whether the query can be read, and so be changed."""
        return self._subject is not None

    @property
    def subject(self) -> Subject:
        """The gold with its schema, its data and its question.

        Raises:
            LookupError: the gold cannot be read.
        """
        if self._subject is None:
            raise LookupError("the gold cannot be read")
        return self._subject

    @property
    def query(self) -> Query:
        """The gold; its tree is frozen."""
        return self.subject.query

    @property
    def answer(self) -> Answer | None:
        """What the gold returns; ``None``: it fails."""
        return self.subject.answer

    def notices(self, name: str) -> list[Notice]:
        """What one sign finds in the gold."""
        if name not in self._notices:
            self._notices[name] = notices(SIGNS.get(name), self.subject)
        return self._notices[name]

    def copy_outer(self) -> exp.Select | None:
        """A copy of the gold's outermost SELECT, to be changed; ``None``: it is no SELECT."""
        tree = self.query.tree.copy()
        return tree if isinstance(tree, exp.Select) else None

    def selects(self) -> Iterator[tuple[exp.Expr, exp.Select]]:
        """Each SELECT of the gold, in a copy of the whole tree that may be changed."""
        for number, _ in enumerate(self.query.find_all(exp.Select)):
            tree = self.query.tree.copy()
            yield tree, list(tree.find_all(exp.Select))[number]

    def text(self, tree: exp.Expr) -> str:
        """A tree as SQL of the gold's dialect."""
        return tree.sql(dialect=self.query.dialect)


class Repairer(Protocol):
    """A way to find a better gold; ``title`` says in a few words what it changes."""

    @property
    def title(self) -> str:
        """What it changes."""
        ...

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """Candidates, the most probable first; none where the way does not apply."""
        ...


REPAIRS: Registry[Repairer] = Registry("repair", "sqlverdict.audit.repairs", "sqlverdict.repairs")
