"""What a system spent on a prediction, as its record says: money, tokens and seconds.

``cost`` and ``latency`` (seconds) are numbers. ``tokens`` is a number, or an object with
``prompt`` and ``completion`` (also under the names of common APIs: ``prompt_tokens``,
``input_tokens`` ...), and perhaps ``total``. What is missing or null stays unknown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sqlverdict.errors import PredictionError
from sqlverdict.files.text import few_of
from sqlverdict.records import PredictionUsage

USAGE_FIELDS = ("cost", "tokens", "latency")
LARGEST = 1e12
"""A larger number is a mistake, and would hide all others in a sum."""
_PARTS = {
    "prompt": "prompt_tokens",
    "prompt_tokens": "prompt_tokens",
    "input_tokens": "prompt_tokens",
    "completion": "completion_tokens",
    "completion_tokens": "completion_tokens",
    "output_tokens": "completion_tokens",
    "total": "tokens",
    "total_tokens": "tokens",
}
_OF_EACH_TOKEN = frozenset(("probabilities", "entropies"))
"""What generators say of each token they made, for detectors: no count of tokens."""


def usage_from(record: Mapping[str, Any], where: str) -> PredictionUsage | None:
    """What a record says about usage; ``None`` where it says nothing.

    Raises:
        PredictionError: a value is no number from 0 to 1e12, or tokens are no whole number.
    """
    if not any(name in record for name in USAGE_FIELDS):
        return None
    cost, latency = (_number(record.get(name), name, where) for name in ("cost", "latency"))
    usage = PredictionUsage(cost=cost, latency=latency, **_tokens(record.get("tokens"), where))
    return usage if usage != PredictionUsage() else None


def _tokens(value: object, where: str) -> dict[str, int | None]:
    if not isinstance(value, Mapping):
        return {"tokens": _whole(value, "tokens", where)}
    if _OF_EACH_TOKEN & set(value):
        return {}
    parts: dict[str, int | None] = {}
    for name, target in _PARTS.items():
        if name in value:
            if target in parts:
                raise PredictionError(
                    f"{where}: two parts of 'tokens' mean {target!r}.", reason="conflict"
                )
            parts[target] = _whole(value[name], f"tokens.{name}", where)
    if value and not parts:
        raise PredictionError(
            f"{where}: 'tokens' holds {few_of(value)}. Expected prompt and completion.",
            reason="missing_field",
        )
    prompt, completion = parts.get("prompt_tokens"), parts.get("completion_tokens")
    if parts.get("tokens") is None and prompt is not None and completion is not None:
        parts["tokens"] = prompt + completion
    return parts


def _whole(value: object, name: str, where: str) -> int | None:
    number = _number(value, name, where)
    if number is None:
        return None
    if number != int(number):
        raise PredictionError(_wrong(value, name, where, "a whole number"), reason="wrong_value")
    return int(number)


def _number(value: object, name: str, where: str) -> float | None:
    if value is None:
        return None
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not 0 <= number <= LARGEST:
        raise PredictionError(_wrong(value, name, where, "a number"), reason="wrong_value")
    return number


def _wrong(value: object, name: str, where: str, kind: str) -> str:
    objects = ", or an object with prompt and completion" if name == "tokens" else ""
    return (
        f"{where}: {name!r} is {_short(value)}. Expected {kind} from 0 to {LARGEST:.0e}{objects}; "
        f"leave it out, or null, where it is not known. If the column is something else, map it "
        f"to off ({name}=off)."
    )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]} …"
