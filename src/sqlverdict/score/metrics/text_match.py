"""Text match: whether the prediction is a gold's text, once both are normalised.

Definition:
    value = 1 if normalised(prediction) = normalised(gold) for any gold, else 0, where
    ``normalised`` reads the text as tokens: letter case outside quotes, white space, comments
    and a final semicolon do not count. Nothing is run and nothing is parsed into a tree.

    Hand calculation: ``select Name from T ;`` against ``SELECT name FROM t`` is 1;
    ``SELECT name FROM t WHERE a = 'X'`` against the same with ``'x'`` is 0; the mean is
    (1 + 0) / 2 = 0.5.

Range:
    {0, 1}

Direction:
    Higher is better. It is a lower bound: two texts that differ may still be the same query.

Unscored cases:
    A case without any gold text. A prediction or a gold that would fail to run is scored all
    the same, since nothing is run.

Source:
    The logical-form accuracy of the early text-to-SQL benchmarks. It is not what papers on Spider
    call EM or exact match: that compares clauses and is ``esm``.
"""

from __future__ import annotations

from sqlverdict.parse.tokens import normalised
from sqlverdict.records import Reason, Score
from sqlverdict.score.metric import METRICS, Item, Need


@METRICS.member
class TextMatch:
    """The same text."""

    name = "text_match"
    version = 1
    needs: frozenset[Need] = frozenset()
    parameters: tuple[str, ...] = ()
    binary = True

    def score(self, item: Item, parameter: str) -> Score:  # noqa: ARG002 - takes none
        """1 where the text is a gold's text."""
        golds = [gold for gold in item.case.golds if gold.strip()]
        if not golds:
            return Score(None, (Reason.GOLD_SUSPECT,))
        text = normalised(item.prediction.sql or "")
        return Score(float(any(normalised(gold) == text for gold in golds)))
