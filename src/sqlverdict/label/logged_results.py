"""Results as the run log keeps them, for pairs whose database is not at hand.

The log has the first rows of results that match, and otherwise the rows that differ.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.evidence_parts import ExcerptCell
from sqlverdict.label.display import ResultRelation, TableDisplay, plain_rows, short_text
from sqlverdict.load.people.votes import Side
from sqlverdict.logged_answers import AnswerCell, AnswerRow, LoggedAnswers, TypedCell


def logged_relation(answers: LoggedAnswers) -> ResultRelation:
    """How both results relate, by the run log."""
    if answers.prediction_shape is None:
        return ""
    if answers.order_only:
        return "row_order"
    if answers.changed_count or answers.missing_count or answers.extra_count:
        return "differ"
    return "same" if answers.columns is None else "column_order"


def logged_result(answers: LoggedAnswers, side: Side) -> TableDisplay:
    """What one query returned, by the run log."""
    rows: Sequence[AnswerRow]
    if side == "gold":
        shape, names, alone = answers.gold_shape, answers.gold_columns, answers.missing
        rows = [*(change.gold for change in answers.changed), *alone]
        differing = answers.changed_count + answers.missing_count
    elif answers.prediction_shape is None:
        return TableDisplay(failure="it gave no result when the run was made")
    else:
        shape, names, alone = answers.prediction_shape, answers.prediction_columns, answers.extra
        rows = [*(change.prediction for change in answers.changed), *alone]
        differing = answers.changed_count + answers.extra_count
    marked = logged_relation(answers) in ("differ", "row_order")
    rows = answers.same or rows
    return TableDisplay(
        columns=tuple(map(short_text, names)),
        rows=plain_rows(tuple(map(_cell, row)) for row in rows),
        count=shape[0],
        marks=tuple(range(len(rows))) if marked else (),
        marked=differing if marked else 0,
    )


def _cell(cell: AnswerCell) -> ExcerptCell:
    if not isinstance(cell, TypedCell):
        return cell
    text = f"x'{cell.text}'" if cell.type == "blob" else cell.text
    return f"{text}…" if cell.length else text
