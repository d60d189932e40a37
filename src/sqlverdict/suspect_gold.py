"""When a difference speaks against the gold: it shows an error, and the prediction is right.

A sign against the gold alone is worth nothing: every wrong answer to the same question would be
left to people. So the prediction has to give what the gold gives once its error is mended: the
literal that is in no row spelled as the data spell it, numbers that are stored as texts sorted and
compared as numbers. ``signs/mend.py`` mends.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.evidence import Evidence, Signs

SUSPECT_SIGNS = frozenset({"dead_literal", "numbers_as_text"})
"""Signs against a gold that can be mended; the labels behind each are in
docs/measurements/agreement.md."""

UNSTEADY = frozenset({"clock_dependence"})


def gold_is_suspect(evidence: Sequence[Evidence]) -> bool:
    """Whether the gold shows an error, and the prediction is right where it is mended."""
    signs = next((piece for piece in evidence if isinstance(piece, Signs)), None)
    # A text that nobody can read hides its signs, and a constant has none to show.
    if signs is None or signs.says_nothing or not signs.agrees_with_mend:
        return False
    # Nor does a prediction with a strong sign of its own, or one that depends on the clock or on
    # chance, say anything against the gold.
    if any(sign.strength == "strong" or sign.name in UNSTEADY for sign in signs.prediction):
        return False
    own = {sign.name for sign in signs.prediction}
    return any(sign.name in SUSPECT_SIGNS and sign.name not in own for sign in signs.gold)
