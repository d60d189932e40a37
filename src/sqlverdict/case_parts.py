"""Parts of cases and predictions, and how their ids and texts are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from sqlverdict.errors import UsageError

_CONTRACT_CHOICES: Mapping[str, tuple[str, ...]] = {
    "order": ("auto", "respect", "ignore"),
    "columns": ("any_order", "same_order"),
    "rows": ("set", "multiset", "list", "any_of"),
}

_SEQUENCES = (tuple, list)
# Not tuple | list, which would be built for every case anew.


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class Contract:
    """How one case wants its answers compared; unset fields leave the preset's choice.

    Attributes:
        order: Whether the order of rows counts; ``auto``: where the gold's query orders them.
        columns: Whether columns may come in another order.
        float_rel: How far two numbers may differ, relative to the larger one.
        float_abs: How far two numbers may differ.
        rows: How answers are graded: as a ``set`` of rows (how often a row occurs does not
            count), a ``multiset``, a ``list`` (their order counts), or ``any_of``: any ``n`` of
            the gold's rows are right.
        n: How many of the gold's rows an answer under ``any_of`` has; ``None``: one or more.
        or_more: Under ``any_of``: more than ``n`` of them are right too.
        key_columns: The columns of each gold that count, one entry a gold, as Spider 2.0's
            ``condition_cols``; an empty entry: all. ``None``: all columns of every gold.

    Examples:
        >>> contract = sv.Contract(float_abs=0.01)
        >>> case = sv.Case("1", "shop", "", ("SELECT 1.0",), "shop.sqlite", contract=contract)
        >>> sv.evaluate([case], {"1": "SELECT 1.004"}).estimate("ex").value
        1.0
    """

    order: Literal["auto", "respect", "ignore"] | None = None
    columns: Literal["any_order", "same_order"] | None = None
    float_rel: float | None = None
    float_abs: float | None = None
    rows: Literal["set", "multiset", "list", "any_of"] | None = None
    n: int | None = None
    or_more: bool = False
    key_columns: tuple[tuple[int, ...] | int, ...] | None = None

    def __post_init__(self) -> None:
        for name, choices in _CONTRACT_CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in choices:
                raise UsageError(
                    f"a contract's {name} is {value!r}. Expected {', '.join(choices)}, or None"
                )
        for name in ("float_rel", "float_abs"):
            value = getattr(self, name)
            if value is not None and not (_is_number(value) and value >= 0):
                raise UsageError(
                    f"a contract's {name} is {value!r}. Expected a number from 0, or None"
                )
        if self.n is not None and not (_is_number(self.n) and self.n == int(self.n) >= 1):
            raise UsageError(
                f"a contract's n is {self.n!r}. Expected a whole number from 1, or None"
            )
        if self.key_columns is not None:
            # Lists are meant likewise; what is remembered by a contract needs tuples.
            columns = (one if isinstance(one, int) else tuple(one) for one in self.key_columns)
            object.__setattr__(self, "key_columns", tuple(columns))
        if self.rows is None:
            return
        order: Literal["respect", "ignore"] = "respect" if self.rows == "list" else "ignore"
        if self.order not in (None, order):
            raise UsageError(
                f"rows are graded as a {self.rows}, and their order is {self.order}. Expected "
                f"{order}, or no order"
            )
        object.__setattr__(self, "order", order)


@dataclass(frozen=True)
class Script:
    """What stands around the golds and predictions of a case that may write.

    Each of them runs on a throw-away copy of the database: the set-up, its own statements, then
    the check.

    Attributes:
        setup: Statements that come first.
        check: The query whose answer is compared. Empty: the last result of the statements; and
            where they have none, the content of all tables. Statements that change no table give
            nothing to compare then.
    """

    setup: tuple[str, ...] = ()
    check: str = ""


def id_text(value: object, name: str) -> str:
    """An id as text: tables and JSON files often have whole numbers."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise UsageError(f"{name} is {value!r}. Expected text or a whole number")


def as_texts(value: object, what: str, owner: str) -> tuple[str, ...]:
    """Texts as a tuple. One text is one of them: its characters are no texts that anyone means."""
    if isinstance(value, str):
        return (value,)
    texts = tuple(value) if isinstance(value, _SEQUENCES) else None
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{what} {owner!r} are {value!r}. Expected a text, or a list of texts")
    return texts


def check_turn(case_id: str, session: str, turn: int | None, earlier: Sequence[str]) -> None:
    """Check where a case stands in its conversation.

    Raises:
        UsageError: there is no session, no turn from 1, or more earlier questions than turns.
    """
    whole = isinstance(turn, int) and not isinstance(turn, bool) and turn > 0
    if not session or not whole or len(earlier) >= (turn or 0):
        raise UsageError(
            f"case {case_id!r} has the session {session!r}, the turn {turn!r} and "
            f"{len(earlier)} earlier questions. Expected a session, a turn from 1, and no more "
            "questions than turns before it"
        )


class AskedQuestion:
    """How a question is read that may be a turn of a conversation.

    A later question ("And how many of them?") says nothing alone: whoever shows one, shows the
    earlier ones of its session with it. All that do so ask here.
    """

    __slots__ = ()
    if TYPE_CHECKING:
        # Properties, as both records are frozen.
        @property
        def question(self) -> str:
            """The question."""

        @property
        def knowledge(self) -> str:
            """What comes with it."""

        @property
        def earlier(self) -> tuple[str, ...]:
            """The questions of the turns before it."""

        @property
        def session(self) -> str:
            """The conversation; empty where there is none."""

        @property
        def turn(self) -> int | None:
            """Which turn of it, from 1."""

    @property
    def question_lines(self) -> tuple[str, ...]:
        """The question after the earlier ones, a line each; a question alone is as it stands."""
        if not self.earlier:
            return (self.question,)
        lines = [f"Turn {n}: {_one_line(text)}" for n, text in enumerate(self.earlier, 1)]
        return (*lines, f"Turn {len(lines) + 1}, asked now: {_one_line(self.question)}")

    @property
    def full_question(self) -> str:
        """The same as one text, as people and models read it."""
        return "\n".join(self.question_lines)

    @property
    def question_line(self) -> str:
        """The same in one line, the question first: lists cut what is too long."""
        if not self.earlier:
            return self.question
        return f"{_one_line(self.question)} (after: {' / '.join(map(_one_line, self.earlier))})"

    @property
    def known(self) -> str:
        """What the words of the question are read with: earlier questions, and the knowledge."""
        return "\n".join((*self.earlier, self.knowledge)) if self.earlier else self.knowledge

    @property
    def turn_fields(self) -> dict[str, Any]:
        """Where it stands in its conversation, as fields of a record; none where it has none."""
        if not self.session:
            return {}
        return {"session": self.session, "turn": self.turn, "earlier": list(self.earlier)}


def _one_line(text: str) -> str:
    return " ".join(text.split())


class PredictionUsage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a system spent on one prediction, as far as it says; ``None`` is not known, never 0.

    Attributes:
        cost: Money, in whatever currency the system counts.
        prompt_tokens: Tokens that the model read.
        completion_tokens: Tokens that the model wrote.
        tokens: All tokens.
        latency: Seconds from the question to the prediction.

    Examples:
        >>> spent = sv.PredictionUsage(cost=0.01, latency=1.5)
        >>> sv.Prediction("1", "SELECT 3", usage=spent).usage.tokens is None
        True
    """

    cost: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens: int | None = None
    latency: float | None = None
