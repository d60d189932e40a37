"""The systems under several sets of golds, for the page."""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.report.html.details import CaseDetail, detail_of
from sqlverdict.report.html.document import PageGolds, PageGoldsQuestion
from sqlverdict.report.html.systems import page_table
from sqlverdict.report.several_runs.golds_board import GoldColumn, GoldsBoard
from sqlverdict.report.several_runs.golds_questions import GoldsQuestion
from sqlverdict.report.several_runs.golds_tables import (
    golds_sentences,
    golds_table,
    move_words,
    sets_table,
)


def page_golds(board: GoldsBoard, columns: Sequence[GoldColumn]) -> PageGolds:
    """What the page says of several sets of golds.

    Args:
        board: The systems under the sets.
        columns: The sets, with the evidence about their golds.
    """
    details = {
        (column.name, result.id): detail_of(result, column.pairs.folder)
        for column in columns
        if column.pairs is not None
        for result in column.pairs.results()
    }
    questions = sorted(board.questions, key=lambda each: not each.moves)
    return PageGolds(
        board.sets[0].name,
        (page_table(sets_table(board)), page_table(golds_table(board))),
        (*golds_sentences(board), *board.notes),
        tuple(
            _question(each, board.measures, details.get((each.golds, each.id)))
            for each in questions
        ),
    )


def _question(
    each: GoldsQuestion, measures: Sequence[str], detail: CaseDetail | None
) -> PageGoldsQuestion:
    moves = zip(each.moves, move_words(each, measures), strict=True)
    return PageGoldsQuestion(
        each.id,
        each.golds,
        each.question,
        each.relation,
        each.evidence,
        each.reason,
        each.before,
        each.after,
        tuple(
            (move.system, words.removeprefix(move.system).strip(), move.before, move.after)
            for move, words in moves
        ),
        detail,
    )
