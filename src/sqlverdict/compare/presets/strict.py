"""Our default: the same rows, whatever the columns are called and in whatever order.

Ignores
    Column names and column order; row order where the gold's outermost query has no ORDER
    BY; the order of rows that tie under it; float noise (relative 1e-9, absolute 1e-12), but
    no difference between integers or decimal numbers; the difference between 4 and 4.0.

Respects
    Duplicates, NULLs, types (4 is not '4'), which values stand in one row, the number of
    columns, and row order where the gold orders.

Undetermined
    Where the gold's LIMIT cuts through a tie (or stands without ORDER BY), an answer that
    the gold query might as well have given is neither right nor wrong: TIE_UNDETERMINED.

Contract
    A case may ask for ``order`` (auto, respect, ignore), ``columns`` (any_order,
    same_order), ``float_rel`` and ``float_abs`` of its own, or grade its ``rows`` as a set, a
    multiset, a list, or as any ``n`` of the gold's rows.

Source
    Ours. It has none of the quirks of the scripts that the other presets reproduce.
"""

from __future__ import annotations

from sqlverdict.compare.cells import Tolerance, unify
from sqlverdict.compare.columns import SearchExhausted, contained_columns, match_columns
from sqlverdict.compare.order import could_be_gold, holds_all_cells, is_ordered, read_window
from sqlverdict.compare.preset import PRESETS, QueryPair, column_reason, row_reasons
from sqlverdict.records import Answer, Comparison, Contract, Reason, Row

_NONE = Contract()
_DEFAULT = Tolerance()


@PRESETS.member
class Strict:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries as they are."""
        return gold, prediction

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the two answers are the same."""
        wrong_width = column_reason(gold, prediction)
        if wrong_width is not None:
            return Comparison(False, (wrong_width,))
        contract = pair.contract or _NONE
        if contract.rows == "any_of":
            return _any_of(gold, prediction, contract)
        if gold.rows == prediction.rows:
            return Comparison(True, columns=tuple(range(len(gold.columns))))
        if contract.rows == "set":
            gold, prediction = _distinct(gold), _distinct(prediction)
        if len(gold.rows) != len(prediction.rows):
            return Comparison(False, row_reasons(gold, prediction))
        try:
            return _same_number_of_rows(gold, prediction, pair)
        except SearchExhausted as stopped:
            return Comparison(None, (Reason.BUDGET_EXHAUSTED,), message=str(stopped))


def _distinct(answer: Answer) -> Answer:
    return Answer(answer.columns, list(dict.fromkeys(answer.rows)))


def _any_of(gold: Answer, prediction: Answer, contract: Contract) -> Comparison:
    """Whether the prediction has as many of the gold's rows as the contract asks for."""
    least = 1 if contract.n is None else contract.n
    surplus = len(prediction.rows) - least
    if surplus < 0:
        return Comparison(False, (Reason.RESULT_MISSING_ROWS,))
    if surplus > 0 and contract.n is not None and not contract.or_more:
        return Comparison(False, (Reason.RESULT_EXTRA_ROWS,))
    rows, predicted = unify([gold.rows, prediction.rows], _tolerance(contract))
    reorder = contract.columns != "same_order"
    try:
        columns = contained_columns(rows, predicted, reorder=reorder)
    except SearchExhausted as stopped:
        return Comparison(None, (Reason.BUDGET_EXHAUSTED,), message=str(stopped))
    if columns is None:
        return Comparison(False, (Reason.VALUE_MISMATCH,))
    return Comparison(True, columns=columns)


def _same_number_of_rows(gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
    rows, predicted = gold.rows, prediction.rows
    if gold.bag == prediction.bag:
        return _ordered(gold, pair, rows, predicted, tuple(range(len(gold.columns))))
    contract = pair.contract or _NONE
    columns = _match(rows, predicted, contract, None, reorder_only=True)
    if columns is None:
        unified = unify([rows, predicted], _tolerance(contract))
        if unified[0] is not rows:
            rows, predicted = unified
            columns = _match(rows, predicted, contract, None)
    if columns is None:
        return _different(gold, prediction, pair)
    return _ordered(gold, pair, rows, predicted, columns)


def _tolerance(contract: Contract) -> Tolerance:
    if contract.float_rel is None and contract.float_abs is None:
        return _DEFAULT
    rel = _DEFAULT.rel if contract.float_rel is None else contract.float_rel
    near_zero = _DEFAULT.abs if contract.float_abs is None else contract.float_abs
    return Tolerance(rel, near_zero, is_asked=True)


def _match(
    gold: list[Row],
    prediction: list[Row],
    contract: Contract,
    ranks: list[int] | None,
    *,
    reorder_only: bool = False,
) -> tuple[int, ...] | None:
    if reorder_only and contract.columns == "same_order":
        return None
    columns = match_columns(gold, prediction, ranks, reorder_only=reorder_only)
    if columns is None or contract.columns != "same_order":
        return columns
    # The identity is tried first, so any other result means that it does not fit.
    return columns if columns == tuple(range(len(columns))) else None


def _different(gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
    """The rows are not the same bag: wrong, unless the gold's LIMIT leaves its rows open."""
    if "limit" in pair.gold_sql.lower() and holds_all_cells(pair.gold, prediction.rows):
        window = read_window(gold, pair.gold)
        contract = pair.contract or _NONE
        any_columns = contract.columns != "same_order"
        if (
            window is not None
            and window.cuts_tie
            and could_be_gold(window, prediction.rows, _tolerance(contract), any_columns)
        ):
            return Comparison(
                None,
                (Reason.TIE_UNDETERMINED,),
                message="the gold's LIMIT cuts through a tie; these rows fit it as well",
            )
    return Comparison(False, row_reasons(gold, prediction))


def _ordered(
    gold: Answer, pair: QueryPair, rows: list[Row], predicted: list[Row], columns: tuple[int, ...]
) -> Comparison:
    """The rows are the same bag: right, unless the gold orders them and they come otherwise."""
    contract = pair.contract or _NONE
    order = contract.order or "auto"
    if order == "ignore" or (order == "auto" and not is_ordered(pair.gold)):
        return Comparison(True, columns=columns)
    window = read_window(gold, pair.gold) if order == "auto" else None
    ranks = list(range(len(rows))) if window is None else window.ranks
    matched_columns = _match(rows, predicted, contract, ranks)
    if matched_columns is not None:
        return Comparison(True, columns=matched_columns)
    return Comparison(False, (Reason.ORDER_MISMATCH,))
