"""The exception tree.

::

    SqlverdictError                 anything this package raises on purpose
    ├── UsageError                  the call itself is wrong (CLI exit code 2)
    │   ├── UnknownMember           no such metric, preset, engine, benchmark ...
    │   ├── UnclearFields           a sheet of labels does not say which field is which
    │   └── MissingExtra            an optional dependency is not installed
    ├── DataError                   a file or record is not what it should be (exit code 2)
    │   ├── BenchmarkError          a benchmark cannot be read
    │   │   └── UnclearColumns      a table does not say which column is the gold
    │   ├── PredictionError         predictions do not fit the benchmark
    │   ├── SchemaError             a schema cannot be read
    │   └── RunLogError             a run folder cannot be read, or holds another run
    ├── DatabaseError               a database is missing or cannot be opened
    ├── RegistryError               two members share a name, or a member breaks its convention
    ├── FileFailure                 a file cannot be written or read: a full disk (exit code 6)
    ├── NothingEvaluated            no case could be evaluated (exit code 3)
    ├── Contradiction               a pair is both proved and refuted: our bug (exit code 5)
    └── Interrupted                 the user stopped the run; it can be resumed (exit code 130)

A prediction or gold query that fails is never an exception: it is a
:class:`sqlverdict.records.Failure`. Every message says what was found, what was
expected and what to do.

A message has parts: texts, and options by name (:class:`OptionName`). An option of a command is an
argument of a Python call, and each has its own spelling: ``--databases DIR``, ``databases=DIR``. As
text, an error has that of the command line; the Python API sets ``spelling`` to its own.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from typing import Any

from sqlverdict.error_reasons import DatabaseReason, DataReason, RunLogReason

Choice = tuple[tuple[str, str], ...]
"""A column map that may be meant: names of columns with the fields they are read as."""


@dataclass(frozen=True)
class OptionName:
    """An option of a command, which is an argument of a Python call.

    Attributes:
        name: Its name in Python.
        value: What is to be given for it: a text, or a word in capitals that stands for one; of
            ``column`` a column map; of a switch ``True``. Empty: the option as such.
    """

    name: str
    value: str | bool | Choice = ""

    def __str__(self) -> str:
        """As the command line spells it."""
        return shlex.join(self.words)

    @property
    def words(self) -> tuple[str, ...]:
        """The words of a command that give it."""
        word = f"--{self.name.replace('_', '-')}"
        if isinstance(self.value, tuple):
            pairs = [f"{name}={target}" for name, target in self.value]
            return tuple(each for pair in pairs for each in (word, pair))
        return (word, self.value) if isinstance(self.value, str) and self.value else (word,)


class SameCall(Enum):
    """The call that led to an error, once more."""

    AGAIN = "run the same command again"

    def __str__(self) -> str:
        """As the command line spells it."""
        return self.value


Part = str | OptionName | SameCall
"""A part of a message."""


def column_option(name: str, target: str) -> OptionName:
    """The option that reads a column as a field."""
    return OptionName("column", ((name, target),))


def message_text(
    parts: Sequence[Part], spelling: Callable[[OptionName | SameCall], str] = str
) -> str:
    """A message as text, with options in the spelling of the command line or another one."""
    return "".join(
        spelling(part) if isinstance(part, OptionName | SameCall) else str(part) for part in parts
    )


def _one_of(choices: Iterable[Sequence[OptionName]]) -> Iterator[Part]:
    """The end of a message that asks for one of several choices of options."""
    word = " Give "
    for choice in choices:
        for option in choice:
            yield word
            yield option
            word = " "
        word = " or "


class SqlverdictError(Exception):
    """Anything this package raises on purpose; its arguments are the parts of its message.

    Examples:
        >>> try:
        ...     sv.Scorer("exx")
        ... except sv.SqlverdictError as error:
        ...     print(type(error).__name__)
        UnknownMember
    """

    exit_code = 2
    spelling: Callable[[OptionName | SameCall], str] = str
    """How options are written."""

    @property
    def details(self) -> Mapping[str, Any]:
        """What a program may want to know beyond the message, for JSON.

        An error that was raised from another one of ours has what that one knows.
        """
        cause = self.__cause__
        return cause.details if isinstance(cause, SqlverdictError) else {}

    def __init__(self, *parts: Part) -> None:
        super().__init__(*parts)

    def __str__(self) -> str:
        return message_text(self.args, self.spelling)

    def __reduce__(self) -> tuple[Any, ...]:
        # Its arguments are the parts of its message, which no constructor of a subclass takes.
        return _restore, (type(self), self.args, self.__dict__)


def _restore(
    kind: type[SqlverdictError], parts: tuple[Part, ...], fields: Mapping[str, Any]
) -> SqlverdictError:
    """An error of another process."""
    error = kind.__new__(kind, *parts)
    error.__dict__.update(fields)
    return error


class UsageError(SqlverdictError):
    """The call itself is wrong."""


_MOST_LISTED = 60
"""A message lists so many members; of more (there are some 170 rules) it says where they stand."""


class UnknownMember(UsageError):
    """A registry holds no member of that name.

    Args:
        kind: What was looked for: a metric, a preset, a rule.
        name: The name that nothing has.
        known: The names that there are.
        group: The entry point by which a package adds others.

    Attributes:
        near: The known name that may be meant; ``None``: none is near.
    """

    def __init__(self, kind: str, name: str, known: Sequence[str], group: str) -> None:
        near = get_close_matches(name.lower(), known, n=1, cutoff=0.5)
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        self.near = near[0] if near else None
        hint = f" Did you mean {self.near!r}?" if near else ""
        names = ", ".join(known)
        if len(known) > _MOST_LISTED:
            names = f"{len(known)}, which 'sqlverdict explain {kind}' lists"
        super().__init__(
            f"there is no {kind} called {name!r}.{hint} Known: {names}. A package can add others "
            f"(entry point {group})"
        )

    @property
    def details(self) -> Mapping[str, Any]:
        """What was looked for, and what there is."""
        return {"kind": self.kind, "name": self.name, "near": self.near, "known": [*self.known]}


class MissingExtra(UsageError):
    """An optional dependency is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs an optional dependency. Install it with: "
            f"pip install 'sqlverdict[{extra}]'"
        )
        self.extra = extra

    @property
    def details(self) -> Mapping[str, Any]:
        """The extra to install."""
        return {"extra": self.extra}


class DataError(SqlverdictError):
    """A file or record is not what it should be.

    Args:
        parts: The parts of the message.
        reason: Why, for a program; see :data:`~sqlverdict.error_reasons.DataReason`. Where a
            database cannot be read, that of the :class:`DatabaseError`.
    """

    def __init__(self, *parts: Part, reason: DataReason | DatabaseReason | RunLogReason) -> None:
        super().__init__(*parts)
        self.reason = reason

    @property
    def details(self) -> Mapping[str, Any]:
        """The reason, and what the error knows that this one was raised from."""
        return {**super().details, "reason": self.reason}


class BenchmarkError(DataError):
    """A benchmark cannot be read."""


class PredictionError(DataError):
    """Predictions do not fit the benchmark."""


class UnclearColumns(BenchmarkError, PredictionError):
    """A file of cases or predictions does not say which of its columns is which.

    Args:
        problem: What was found and what was expected.
        choices: The column maps that may be meant.
    """

    def __init__(self, problem: str, choices: tuple[Choice, ...]) -> None:
        options = _one_of((OptionName("column", each),) for each in choices)
        super().__init__(problem, *options, reason="unclear")
        self.problem = problem
        self.choices = choices

    @property
    def details(self) -> Mapping[str, Any]:
        """The reason, and the column maps that may be meant."""
        return {**super().details, "choices": [dict(each) for each in self.choices]}


class UnclearFields(UsageError, DataError):
    """A sheet of labels does not say which of its fields is the id or the label.

    Args:
        problem: What was found and what was expected.
        options: The options that may be meant, together.
    """

    def __init__(self, problem: str, options: tuple[tuple[OptionName, ...], ...]) -> None:
        super().__init__(problem, *_one_of(options), reason="unclear")
        self.problem = problem
        self.options = options

    @property
    def details(self) -> Mapping[str, Any]:
        """The reason, and the options that may be meant: of each choice a value by name."""
        choices = [{each.name: each.value for each in own} for own in self.options]
        return {**super().details, "choices": choices}


class SchemaError(DataError):
    """A schema cannot be read."""


class RunLogError(DataError):
    """A run folder cannot be read, or holds another run.

    Args:
        parts: The parts of the message.
        reason: Why, for a program; see :data:`~sqlverdict.error_reasons.RunLogReason`.
    """

    reason: RunLogReason

    def __init__(self, *parts: Part, reason: RunLogReason) -> None:
        super().__init__(*parts, reason=reason)


class DatabaseError(SqlverdictError):
    """A database is missing or cannot be opened.

    Args:
        parts: The parts of the message.
        reason: Why, for a program; see :data:`~sqlverdict.error_reasons.DatabaseReason`.
    """

    def __init__(self, *parts: Part, reason: DatabaseReason) -> None:
        super().__init__(*parts)
        self.reason: DatabaseReason = reason

    @property
    def details(self) -> Mapping[str, Any]:
        """The reason."""
        return {"reason": self.reason}


class RegistryError(SqlverdictError):
    """Two members share a name, or a member breaks its convention."""


class FileFailure(SqlverdictError):
    """A file cannot be written or read: the disk is full, or rights are missing."""

    exit_code = 6


class NothingEvaluated(SqlverdictError):
    """No case could be evaluated."""

    exit_code = 3


class Contradiction(SqlverdictError):
    """A pair of queries is both proved to be equal and refuted: a bug of this package.

    A run stops at it; the same command goes on behind the pair.
    """

    exit_code = 5


class Interrupted(SqlverdictError):
    """The user stopped the run; the same command resumes it."""

    exit_code = 130
