"""A random forest over TF-IDF: learned by scikit-learn, kept as plain arrays.

The forest is walked here, from arrays: no pickle is needed to keep it, and its votes do not
change with scikit-learn's version. They equal scikit-learn's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.learn.saved import (
    need_sklearn,
    read_arrays,
    read_json,
    write_arrays,
    write_json,
)
from sqlverdict.abstain.method import Ask, Detection, Draft, Tools
from sqlverdict.errors import DataError, UsageError

_CHUNK = 512
_FOREST = "a random forest"


@dataclass(frozen=True)
class Forest:
    """A fitted forest.

    Attributes:
        vocabulary: The column of each word or pair.
        idf: The weight of each column.
        grams: The longest run of words that is a column.
        trees: For each tree its nodes: left and right child (-1: a leaf), the column and value
            it splits at, and the share of positive training texts.
    """

    vocabulary: dict[str, int]
    idf: Any
    grams: int
    trees: tuple[tuple[Any, Any, Any, Any, Any], ...]

    @classmethod
    def grow(
        cls, texts: Sequence[str], labels: Sequence[bool], gate: ForestGate, seed: int
    ) -> Forest:
        """Learn to tell positive texts from negative ones, as a detector's options say.

        Raises:
            DataError: one of the two kinds is missing.
        """
        if len(set(labels)) < 2:
            counts = f"{sum(labels)} positive and {len(labels) - sum(labels)} negative texts"
            raise DataError(f"found {counts} to learn from; expected both kinds", reason="empty")
        vectorizer = _vectorizer(gate.grams, max_features=gate.features)
        forest = need_sklearn("ensemble", _FOREST).RandomForestClassifier(
            n_estimators=gate.trees,
            max_depth=gate.depth,
            class_weight="balanced" if gate.balance else None,
            random_state=seed,
        )
        forest.fit(vectorizer.fit_transform(texts), [bool(label) for label in labels])
        vocabulary = {word: int(column) for word, column in vectorizer.vocabulary_.items()}
        trees = tuple(_nodes(tree.tree_) for tree in forest.estimators_)
        return cls(vocabulary, vectorizer.idf_, gate.grams, trees)

    def positive(self, texts: Sequence[str]) -> list[float]:
        """The probability that each text is positive: the mean over the trees."""
        if not texts:
            return []
        matrix = self._weigh(texts)
        shares: list[float] = []
        for start in range(0, len(texts), _CHUNK):
            rows = matrix[start : start + _CHUNK].toarray()
            shares += (sum(_walk(tree, rows) for tree in self.trees) / len(self.trees)).tolist()
        return shares

    def _weigh(self, texts: Sequence[str]) -> Any:
        vectorizer = _vectorizer(self.grams, vocabulary=self.vocabulary)
        vectorizer.idf_ = self.idf
        # scikit-learn compares with 32-bit values, and so must we.
        return vectorizer.transform(texts).astype("float32")

    def save(self, folder: Path) -> None:
        """Write the forest."""
        write_json(folder / "words.json", {"grams": self.grams, "vocabulary": self.vocabulary})
        names = ("left", "right", "column", "value", "share")
        arrays = {
            f"{name}_{number}": part
            for number, tree in enumerate(self.trees)
            for name, part in zip(names, tree, strict=True)
        }
        write_arrays(folder / "forest.npz", idf=self.idf, **arrays)

    @classmethod
    def load(cls, folder: Path) -> Forest:
        """Read what :meth:`save` wrote."""
        words = read_json(folder / "words.json")
        arrays = read_arrays(folder / "forest.npz")
        names = ("left", "right", "column", "value", "share")
        trees: list[tuple[Any, ...]] = []
        while f"left_{len(trees)}" in arrays:
            number = len(trees)
            trees.append(tuple(arrays[f"{name}_{number}"] for name in names))
        whole = isinstance(words, dict) and {"vocabulary", "grams"} <= words.keys()
        if not whole or not trees or "idf" not in arrays:
            raise DataError(f"{folder} holds no forest. Fit the method again.", reason="wrong_kind")
        return cls(words["vocabulary"], arrays["idf"], words["grams"], tuple(trees))


def _vectorizer(grams: int, **options: Any) -> Any:
    text = need_sklearn("feature_extraction.text", _FOREST)
    return text.TfidfVectorizer(ngram_range=(1, grams), **options)


def _nodes(tree: Any) -> tuple[Any, Any, Any, Any, Any]:
    weights = tree.value[:, 0, :]
    share = weights[:, 1] / weights.sum(axis=1)
    return tree.children_left, tree.children_right, tree.feature, tree.threshold, share


def _walk(tree: tuple[Any, Any, Any, Any, Any], rows: Any) -> Any:
    """The share of positives in the leaf that each row comes to."""
    import numpy as np

    left, right, column, value, share = tree
    at = np.zeros(len(rows), dtype=np.int64)
    moving = np.arange(len(rows))
    while len(moving):
        here = at[moving]
        inner = left[here] >= 0
        moving, here = moving[inner], here[inner]
        goes_left = rows[moving, column[here]] <= value[here]
        at[moving] = np.where(goes_left, left[here], right[here])
    return share[at]


@dataclass(kw_only=True)
class ForestGate(Gate):
    """What detectors share whose confidence is the share of a forest; a detector grows its own.

    Attributes:
        trees: How many trees.
        grams: The longest run of words that counts as one feature.
        features: How many features at most, the most frequent; ``None``: all.
        depth: How deep a tree may be; ``None``: as deep as it likes.
        balance: Weigh both kinds alike, however many there are of each.
        forest: The forest, once it is grown.
    """

    trees: int = 100
    grams: int = 2
    features: int | None = None
    depth: int | None = None
    balance: bool = False
    forest: Forest | None = field(default=None, init=False, repr=False)

    def text(self, ask: Ask, draft: Draft | None) -> str:
        """What the forest reads: the question."""
        del draft
        return ask.question

    def grow(self, texts: Sequence[str], labels: Sequence[bool], tools: Tools) -> None:
        """Grow the forest."""
        self.forest = Forest.grow(texts, labels, self, tools.seed)

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """The share of trees for each question, or for its answer."""
        del tools
        if self.forest is None:
            raise UsageError(f"{self.name} was not fitted; see sqlverdict abstain fit")
        return [Detection(share) for share in self.forest.positive([self.text(*d) for d in drafts])]

    def save(self, folder: Path) -> None:
        """Write the forest."""
        if self.forest is not None:
            self.forest.save(folder)

    def load(self, folder: Path) -> None:
        """Read the forest."""
        self.forest = Forest.load(folder)
