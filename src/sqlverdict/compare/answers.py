"""Compare two answers in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, Pair
from sqlverdict.errors import DataError
from sqlverdict.records import Answer, Cell, Comparison, Contract, Outcome


def compare_answers(
    gold: Answer | Sequence[Sequence[Cell]],
    prediction: Answer | Sequence[Sequence[Cell]],
    preset: str = DEFAULT_PRESET,
    *,
    gold_sql: str = "",
    prediction_sql: str = "",
    contract: Contract | None = None,
    probe: Callable[[str], Outcome] | None = None,
) -> Comparison:
    """Whether two answers are the same under a preset.

    Args:
        gold: The gold answer, or its rows.
        prediction: The predicted answer, or its rows.
        preset: The definition of "the same"; see ``sqlverdict presets``.
        gold_sql: The gold query. Presets read from it whether row order counts; without it,
            rows are a bag.
        prediction_sql: The predicted query.
        contract: This case's own wishes.
        probe: Runs a further query on the same database, so that ties whose sort keys the
            answer does not show are seen.

    Returns:
        The comparison: ``equal`` is ``None`` where the gold leaves it open.

    Raises:
        DataError: rows of one answer differ in length.
        UnknownMember: there is no such preset.
    """
    pair = Pair(gold_sql, prediction_sql, contract=contract, probe=probe)
    return PRESETS.get(preset).compare(_answer(gold), _answer(prediction), pair)


def _answer(given: Answer | Sequence[Sequence[Cell]]) -> Answer:
    if isinstance(given, Answer):
        return given
    rows = [tuple(row) for row in given]
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise DataError(f"rows of one answer have {sorted(widths)} cells; all must have the same")
    width = widths.pop() if widths else 0
    return Answer(tuple(f"column{i + 1}" for i in range(width)), rows)
