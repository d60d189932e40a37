"""What a hostile prediction is, and the outcomes that are right for each kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from sqlverdict.records import LIMIT_REASONS, Reason

ANSWER: Final = "answer"
Expected = frozenset[Reason | Literal["answer"]]


@dataclass(frozen=True)
class Hostile:
    """One hostile prediction.

    Attributes:
        name: ``group/what``, unique.
        sql: The text, as a system might write it.
        expected: The reason codes that are right for it; ``"answer"`` where rows are.
        hangs: Whether it can run for long inside one step of the engine.
    """

    name: str
    sql: str
    expected: Expected
    hangs: bool = False

    @property
    def group(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]


def _reasons(*reasons: Reason) -> Expected:
    return frozenset(reasons)


BLOCKED = _reasons(Reason.WRITE_BLOCKED)
BROKEN = _reasons(Reason.PARSE_ERROR)
FAILS = _reasons(Reason.EXECUTION_ERROR)
WRONG = BROKEN | FAILS
NOTHING = _reasons(Reason.NO_SQL_PRODUCED)
NO_SQL = NOTHING | BROKEN
SEVERAL = _reasons(Reason.UNSUPPORTED_FEATURE)
NO_ANSWER = BLOCKED | SEVERAL | WRONG
ENDLESS = _reasons(*LIMIT_REASONS)
BIG = _reasons(Reason.MEMORY_LIMIT, Reason.EXECUTION_TIMEOUT)
ANSWERS: Expected = frozenset({ANSWER})
ANY: Expected = WRONG | ENDLESS | ANSWERS


def numbered_texts(group: str, expected: Expected, *texts: str) -> Iterator[Hostile]:
    """Short texts, named by themselves."""
    for sql in texts:
        yield Hostile(f"{group}/{' '.join(sql.split())[:60]}", sql, expected)


def named_texts(
    group: str, expected: Expected, texts: Mapping[str, str], *, hangs: bool = False
) -> Iterator[Hostile]:
    """Texts with names of their own."""
    for name, sql in texts.items():
        yield Hostile(f"{group}/{name}", sql, expected, hangs)
