"""Where the one comparison of a condition stands, and how its mirror image is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlverdict.execute.engines.mysql.common.pure_functions import SYNTAX
from sqlverdict.parse.tokens import word_set

_MIRRORED: Final = {">": ("<",), ">=": ("<", "=")}
_SIGNS: Final = frozenset({"<", ">", "=", "!", ":"})
_SYMBOLS: Final = frozenset({"(", ".", "+", "-", "*", "/", "%"})
_OTHERS: Final = (SYNTAX - word_set("interval true false null div mod")) | word_set(
    "case when then else end collate escape all any sounds member exists"
)
"""Words that bind as loosely as a comparison, or are not read."""


def mirrored_comparison(words: Sequence[str]) -> tuple[int, tuple[str, ...]] | None:
    """Where ``>`` or ``>=`` stands, and what is written between the two sides in its mirror image.

    Args:
        words: The words of a condition, its symbols, "(" for what is in parentheses, and "" for
            anything else.

    Returns:
        The place and the signs; ``None`` where the condition is no such comparison.
    """
    places = [at for at, word in enumerate(words) if word in _SIGNS]
    if not places or places != list(range(places[0], places[0] + len(places))):
        return None
    signs = _MIRRORED.get("".join(words[at] for at in places))
    others = {word for at, word in enumerate(words) if at not in places and word}
    odd = {word for word in others if word in _OTHERS or not (_is_name(word) or word in _SYMBOLS)}
    is_between = places[0] > 0 and places[-1] < len(words) - 1 and words[places[0] - 1] != "-"
    return (places[0], signs) if signs is not None and not odd and is_between else None


def _is_name(word: str) -> bool:
    return word.replace("_", "a").replace("$", "a").isalnum()
