"""Which of several questions makes words tell least.

A word that unanswerable questions use and answerable ones do not, or the other way about, gives
them away without any schema. Questions are taken one after another, and of those at hand the one
is taken that leaves the numbers of questions with each word nearest to those of the answerable
questions: the sum over all words of (difference squared) / (expected + 1) grows least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from sqlverdict.abstain.benchmark.words import question_words


class WordBalance:
    """Counts the words of unanswerable questions against those of answerable ones.

    Args:
        answerable: The answerable questions.
        target: How many unanswerable questions there will be.
    """

    def __init__(self, answerable: Iterable[str], target: int) -> None:
        texts = list(answerable)
        counts = Counter(word for text in texts for word in _words(text))
        scale = target / len(texts) if texts else 0.0
        self._expected = {word: number * scale for word, number in counts.items()}
        self._target = max(1, target)
        self._uses: Counter[str] = Counter()
        self._done = 0

    def add(self, text: str) -> None:
        """Count a question that is taken."""
        self._uses.update(_words(text))
        self._done += 1

    def best(self, texts: Sequence[str]) -> int:
        """The place of the question that makes words tell least; the first of equal ones."""
        return min(range(len(texts)), key=lambda index: (round(self._cost(texts[index]), 9), index))

    def _cost(self, text: str) -> float:
        progress = (self._done + 1) / self._target
        cost = 0.0
        for word in _words(text):
            expected = self._expected.get(word, 0.0)
            ahead = self._uses[word] - min(1.0, progress) * expected
            cost += (2 * ahead + 1) / (expected + 1)
        return cost


def _words(text: str) -> list[str]:
    """The words of a question, each once, in the order in which they stand."""
    return list(dict.fromkeys(word for word, _, _ in question_words(text)))
