"""Does a bag of words tell the answerable questions from the others, without any schema?

Logistic regression on which words occur, in lower case.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlverdict.abstain.benchmark.lint import LINTS, LintData, LintResult
from sqlverdict.abstain.benchmark.probe import PURPOSE, probe_cases, probed
from sqlverdict.abstain.learn.saved import need_sklearn

_MOST_WORDS = 6


@LINTS.member
class LeakageWords:
    """A bag-of-words classifier, cross-validated."""

    title = "leakage by words"

    def look(self, data: LintData) -> LintResult:
        """How well words alone tell, and which of them."""
        return probed(
            "leakage_words", self.title, "a bag of words", data, _fit, lambda: _heaviest_words(data)
        )


def _fit(texts: Sequence[str], labels: Sequence[bool], others: Sequence[str]) -> Sequence[bool]:
    vectorizer = need_sklearn("feature_extraction.text", PURPOSE).CountVectorizer(binary=True)
    model = _model()
    model.fit(vectorizer.fit_transform(texts), list(labels))
    labels_of_others: list[bool] = model.predict(vectorizer.transform(others)).tolist()
    return labels_of_others


def _model() -> Any:
    return need_sklearn("linear_model", PURPOSE).LogisticRegression(
        solver="liblinear", class_weight="balanced", random_state=0
    )


def _heaviest_words(data: LintData) -> str:
    """The words that weigh most on either side, over all questions."""
    cases = probe_cases(data)
    vectorizer = need_sklearn("feature_extraction.text", PURPOSE).CountVectorizer(binary=True)
    model = _model()
    texts, labels = [case.question for case in cases], [case.answerable for case in cases]
    model.fit(vectorizer.fit_transform(texts), labels)
    weights = dict(zip(vectorizer.get_feature_names_out(), model.coef_[0], strict=True))
    order = sorted(weights, key=lambda word: (round(float(weights[word]), 6), word))
    unanswerable, answerable = order[:_MOST_WORDS], order[-_MOST_WORDS:][::-1]
    return f"; answerable: {', '.join(answerable)}; unanswerable: {', '.join(unanswerable)}"
