"""Fit the model of wrong golds to labels: penalised maximum likelihood, in plain Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlverdict.audit.gold_model import GoldModel, logistic
from sqlverdict.errors import UsageError


def fit_model(
    rows: Sequence[Mapping[str, float | None]],
    labels: Sequence[bool],
    names: Sequence[str],
    *,
    weights: Sequence[float] | None = None,
    ridge: float = 1.0,
    assumed: Mapping[str, float] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> GoldModel:
    """Fit the coefficients by penalised maximum likelihood (Newton's method).

    Args:
        rows: The features of each gold, by name.
        labels: Whether each is wrong.
        names: The features to fit.
        weights: How much each gold counts.
        ridge: Half of this times the squared coefficients is taken from the log-likelihood.
        assumed: Coefficients that are not fitted.
        provenance: Written into the model.

    Raises:
        UsageError: there is no label of one of the two kinds.
    """
    if len(set(labels)) < 2:
        raise UsageError("a model needs golds that are wrong and golds that are right")
    counts = list(weights) if weights is not None else [1.0] * len(rows)
    means = {name: _mean(rows, name, counts) for name in names}
    table = [[1.0, *(_value(row, name, means) - means[name] for name in names)] for row in rows]
    beta = _newton(table, [float(label) for label in labels], counts, ridge)
    return GoldModel(
        intercept=beta[0],
        coefficients=dict(zip(names, beta[1:], strict=True)),
        means=means,
        assumed=dict(assumed or {}),
        provenance=dict(provenance or {}),
    )


def _value(row: Mapping[str, float | None], name: str, means: Mapping[str, float]) -> float:
    value = row.get(name)
    return means[name] if value is None else value


def _mean(rows: Sequence[Mapping[str, float | None]], name: str, weights: Sequence[float]) -> float:
    known = [(row.get(name), weight) for row, weight in zip(rows, weights, strict=True)]
    pairs = [(value, weight) for value, weight in known if value is not None]
    total = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / total if total else 0.0


def _newton(
    table: Sequence[Sequence[float]],
    labels: Sequence[float],
    weights: Sequence[float],
    ridge: float,
    rounds: int = 50,
) -> list[float]:
    size = len(table[0])
    beta = [0.0] * size
    for _ in range(rounds):
        slope = [-ridge * b if index else 0.0 for index, b in enumerate(beta)]
        # The smallest of penalties keeps the intercept's line solvable.
        curve = [
            [(ridge if a else 1e-9) if a == b else 0.0 for b in range(size)] for a in range(size)
        ]
        for row, label, weight in zip(table, labels, weights, strict=True):
            p = logistic(sum(x * b for x, b in zip(row, beta, strict=True)))
            for a in range(size):
                slope[a] += weight * (label - p) * row[a]
                for b in range(size):
                    curve[a][b] += weight * p * (1 - p) * row[a] * row[b]
        step = _solve(curve, slope)
        longest = max(map(abs, step))
        scale = min(1.0, 2.0 / longest) if longest else 1.0
        beta = [b + scale * s for b, s in zip(beta, step, strict=True)]
        if longest < 1e-9:
            break
    return beta


def _solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Gauss's elimination with pivots; the matrix is small and positive definite."""
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for index in range(size):
        pivot = max(range(index, size), key=lambda number: abs(rows[number][index]))
        rows[index], rows[pivot] = rows[pivot], rows[index]
        for other in range(size):
            if other != index:
                factor = rows[other][index] / rows[index][index]
                rows[other] = [
                    x - factor * y for x, y in zip(rows[other], rows[index], strict=True)
                ]
    return [rows[index][size] / rows[index][index] for index in range(size)]
