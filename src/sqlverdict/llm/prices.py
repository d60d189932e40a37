"""What tokens cost: ``prices.json``, and the user's own file over it.

A model is priced by its exact name. A name that is not listed has no price, and its cost is
``None``: a wrong figure is worse than none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import msgspec

from sqlverdict.errors import DataError

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
        raise DataError(f"the price file {path} cannot be read: {error}") from error
    return Prices({**built_in.models, **own.models}, own.as_of or built_in.as_of)


def _read(data: bytes, name: str) -> _PriceFile:
    try:
        return msgspec.json.decode(data, type=_PriceFile)
    except msgspec.DecodeError as error:
        raise DataError(
            f"the price file {name} is not of the expected form: {error}. Expected {PRICE_FORM}, "
            "in dollars per million tokens"
        ) from error
