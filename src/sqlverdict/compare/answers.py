"""Compare two answers in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.errors import DataError, UsageError
from sqlverdict.records import Answer, Cell, Comparison, Contract, Outcome


def compare_answers(
    gold: Answer | Iterable[Iterable[Cell]],
    prediction: Answer | Iterable[Iterable[Cell]],
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
        preset: The definition of "the same"; see ``sqlverdict explain presets``.
        gold_sql: The gold query. Presets read from it whether row order counts; without it,
            rows are a bag.
        prediction_sql: The predicted query.
        contract: How this case wants its answers compared.
        probe: Runs a further query on the same database, so that ties whose sort keys the
            answer does not show are seen.

    Returns:
        The comparison: ``equal`` is ``None`` where the gold leaves it open.

    Raises:
        DataError: rows of one answer differ in length.
        UsageError: an answer is no list of rows, or a row no list of cells: a text, a mapping,
            a set, a single value. Their order or their parts would be compared by accident.
        UnknownMember: there is no such preset.

    Examples:
        >>> sv.compare_answers([(1, "a")], [("a", 1.0)]).equal
        True
        >>> sv.compare_answers([(1,)], [(2,)]).reasons
        (<Reason.VALUE_MISMATCH: 'VALUE_MISMATCH'>,)
    """
    pair = QueryPair(gold_sql, prediction_sql, contract=contract, probe=probe)
    return PRESETS.get(preset).compare(_answer(gold), _answer(prediction), pair)


def _answer(answer: Answer | Iterable[Iterable[Cell]]) -> Answer:
    if isinstance(answer, Answer):
        return answer
    _refuse(answer, "an answer", "a list of rows, such as [(1, 'a'), (2, 'b')]")
    rows = []
    for index, row in enumerate(answer):
        _refuse(row, f"row {index + 1}", "a list of its cells, such as (1, 'a')")
        rows.append(tuple(row))
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise DataError(
            f"rows of one answer have {sorted(widths)} cells; all must have the same",
            reason="wrong_value",
        )
    width = widths.pop() if widths else 0
    return Answer(tuple(f"column{i + 1}" for i in range(width)), rows)


def _refuse(value: object, what: str, expected: str) -> None:
    """Refuse what can be iterated but is no sequence of cells or rows."""
    if isinstance(value, Mapping):
        hint = ". Give its values in the order of the columns: tuple(row.values())"
    elif isinstance(value, str | bytes | bytearray):
        hint = ". Its characters are not cells"
    elif isinstance(value, Set):
        hint = ". A set has no order and no repetitions"
    elif hasattr(value, "columns") and not isinstance(value, Answer):
        # To iterate a frame gives the names of its columns, or the columns.
        hint = (
            ". Give its rows: frame.itertuples(index=False, name=None) of pandas, frame.rows() of "
            "polars"
        )
    elif isinstance(value, Iterable):
        return
    else:
        hint = ""
    raise UsageError(f"{what} is a {type(value).__name__}; expected {expected}{hint}")
