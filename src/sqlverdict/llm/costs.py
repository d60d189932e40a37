"""What calls cost: their tokens, the prices of tokens, and the cost limit.

A request's tokens are counted without the model's tokenizer. Two answers, for two uses:

*About* (:func:`estimate_tokens`): a rule of thumb for estimates. ASCII text counts 3.5 characters a
token, between English prose (above 4) and SQL with its punctuation (about 3); every other
character counts one token; every message adds 4 for its frame.

*At most* (:func:`most_tokens`): a bound for the cost limit. A byte-level tokenizer makes at most
one token of a byte, so the bound is the number of UTF-8 bytes, with 16 a message and 64 a
request for what the server's chat template adds.

Prices are in ``prices.json``, and in the user's own file over it. A model is priced by its exact
name. A name that is not listed has no price, and its cost is ``None``: a wrong figure is worse than
none.

No call starts that could exceed the cost limit. Before a call its worst case is put aside: the most
tokens its prompt can have and the most its reply may have. Afterwards the true cost takes the place
of the worst case. Near the limit a call therefore waits until the ones in flight have shown what
they cost, and is refused only when the money spent leaves no room for it. A server that ignores the
token limit can still overshoot, by that call.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import msgspec

from sqlverdict.errors import DataError
from sqlverdict.files.regular import why_unread
from sqlverdict.llm.request import Request

CHARACTERS_A_TOKEN = 3.5
FRAME = 4
TYPICAL_REPLY = 400
"""Tokens of a typical reply of a judge that reasons first: GPT-4o's recorded FLEX replies have
1,524 characters on average."""


def estimate_tokens(request: Request) -> int:
    """The prompt's tokens by the rule of thumb."""
    ascii_count = others = 0
    for text in _texts(request):
        plain = len(text.encode("ascii", "ignore"))
        ascii_count += plain
        others += len(text) - plain
    return math.ceil(ascii_count / CHARACTERS_A_TOKEN) + others + FRAME * len(request.messages)


def most_tokens(request: Request) -> int:
    """No tokenizer of bytes makes more tokens of the prompt than this."""
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in _texts(request))
    return size + 16 * len(request.messages) + 64


def _texts(request: Request) -> list[str]:
    texts = [message.content for message in request.messages]
    if request.schema is not None:
        texts.append(json.dumps(request.schema))
    return texts


_MILLION = 1_000_000

PRICE_FORM = '{"models": {"NAME": {"input": 2.5, "output": 10}}}'
"""What a price file looks like, for messages."""


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars per million tokens.

    Attributes:
        input: For tokens read.
        output: For tokens written.
        cached_input: For tokens read that the server still had in its own prompt cache.
        batch: The share of the price that is asked for batches.
    """

    input: float
    output: float
    cached_input: float | None = None
    batch: float = 1.0

    def __post_init__(self) -> None:
        for value in (self.input, self.output, self.cached_input or 0.0, self.batch):
            if not 0 <= value < float("inf"):
                raise ValueError(f"the price {value} is not a number of dollars from 0 up")


class _PriceFile(msgspec.Struct, forbid_unknown_fields=True):
    models: dict[str, Price]
    note: str = ""
    as_of: str = ""


@dataclass(frozen=True)
class Prices:
    """Prices by the model's exact name, and when they were true."""

    models: Mapping[str, Price] = field(default_factory=dict)
    as_of: str = ""

    def knows(self, model: str) -> bool:
        """Whether the model has a price."""
        return model in self.models

    def cost(
        self,
        model: str,
        prompt_tokens: int,
        completion_tokens: int,
        *,
        discounted: int = 0,
        batch: bool = False,
    ) -> float | None:
        """The dollars for so many tokens; ``None`` where the model has no price.

        Args:
            model: The model's name.
            prompt_tokens: Tokens read.
            completion_tokens: Tokens written.
            discounted: How many of those read came from the server's prompt cache.
            batch: Whether they were part of a batch.
        """
        price = self.models.get(model)
        if price is None:
            return None
        again = price.input if price.cached_input is None else price.cached_input
        discounted = min(discounted, prompt_tokens)
        dollars = (
            (prompt_tokens - discounted) * price.input
            + discounted * again
            + completion_tokens * price.output
        )
        return dollars * (price.batch if batch else 1.0) / _MILLION


def load_prices(path: Path | None = None) -> Prices:
    """The prices that come with this package, with the user's own over them.

    Args:
        path: A file of the same form: ``{"models": {"NAME": {"input": 1, "output": 2}}}``.

    Raises:
        DataError: the file cannot be read, or is not of that form.
    """
    built_in = _read(files("sqlverdict.llm").joinpath("prices.json").read_bytes(), "prices.json")
    if path is None:
        return Prices(built_in.models, built_in.as_of)
    try:
        own = _read(path.read_bytes(), str(path))
    except OSError as error:
        raise DataError(
            f"the price file {path} cannot be read: {error}", reason=why_unread(error)
        ) from error
    return Prices({**built_in.models, **own.models}, own.as_of or built_in.as_of)


def _read(data: bytes, name: str) -> _PriceFile:
    try:
        return msgspec.json.decode(data, type=_PriceFile)
    except msgspec.DecodeError as error:
        raise DataError(
            f"the price file {name} is not of the expected form: {error}. Expected {PRICE_FORM}, "
            "in dollars per million tokens",
            reason="unreadable",
        ) from error


class CostBudget:
    """Dollars spent and put aside, shared by threads.

    Args:
        limit: The most that may be spent; ``None``: no limit.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._spent = 0.0
        self._aside = 0.0
        self._changed = threading.Condition()
        self._stopped = False

    @property
    def spent(self) -> float:
        """Dollars spent, or maybe spent, as far as prices are known."""
        with self._changed:
            return self._spent

    def reserve(self, worst: float) -> bool:
        """Put a call's worst case aside; false where the limit leaves no room for it."""
        with self._changed:
            while self.limit is not None and not self._stopped:
                # A rounding error is no reason to refuse the last call that fits.
                slack = self.limit * 1e-9
                if self._spent + worst > self.limit + slack:
                    return False
                if self._spent + self._aside + worst <= self.limit + slack:
                    break
                self._changed.wait()
            self._aside += worst
            return True

    def add(self, dollars: float) -> None:
        """Count what was spent elsewhere, by earlier commands; less than 0: it was not spent."""
        with self._changed:
            self._spent += dollars
            self._changed.notify_all()

    def settle(self, worst: float, paid: float) -> None:
        """The call is over: what was put aside for it goes, what it cost stays."""
        with self._changed:
            self._aside -= worst
            self._spent += paid
            self._changed.notify_all()

    def stop(self) -> None:
        """Wake whoever waits; nothing will be sent any more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
