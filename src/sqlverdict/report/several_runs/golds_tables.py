"""Systems under several sets of golds as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlverdict.files.text import count, few_of
from sqlverdict.report.several_runs.golds_board import GoldsBoard, GoldSet, GoldsPlace
from sqlverdict.report.several_runs.golds_questions import GoldsQuestion
from sqlverdict.report.several_runs.leaderboard import RANK_BY_VALUE
from sqlverdict.report.terminal.tables import (
    TextTable,
    interval_text,
    percent,
    points,
    short,
    table,
)
from sqlverdict.score.statistics.significance import PairedTest

_QUESTION = 50
_KINDS = {
    "gained": "right",
    "lost": "not right",
    "scored_now": "scored",
    "unscored_now": "unscored",
}
"""What became of an answer, by the kind of change."""


def sets_table(board: GoldsBoard) -> TextTable:
    """The sets: what each is, and what became of its golds."""
    ids_by_title = {
        "replaced": [each.replaced for each in board.sets],
        "no gold": [each.lacking for each in board.sets],
        "reworded": [each.reworded for each in board.sets],
        "gold fails": [each.failed for each in board.sets],
        "no database": [each.unavailable for each in board.sets],
    }
    columns = {title: ids for title, ids in ids_by_title.items() if title == "replaced" or any(ids)}
    rows = [
        (
            each.name,
            f"{each.revision or 'no published revision that is known'}{_file(each)}",
            f"{each.cases:,}",
            *(f"{len(ids[at]):,}" for ids in columns.values()),
        )
        for at, each in enumerate(board.sets)
    ]
    return table(("golds", "revision", "cases", *columns), rows, "Sets of golds", left=(0, 1))


def _file(golds: GoldSet) -> str:
    return f" ({golds.file})" if golds.file else " (the runs' own golds)"


def golds_table(board: GoldsBoard) -> TextTable:
    """Every system under every set and policy: value, interval, n, rank; what each set changes."""
    first, *others = board.sets
    headers = ["by", "system"]
    for each in board.sets:
        headers += [each.name, RANK_BY_VALUE]
    headers += [
        "change" if len(others) == 1 else f"change from {first.name} to {each.name}"
        for each in others
    ]
    rows = []
    for measure in board.measures:
        for system in _ordered(board, measure, first):
            cells = [measure, system]
            for each in board.sets:
                cells += _place_cells(board.place_of(measure, each.name, system))
            cells += [_change_cell(board, measure, each, system) for each in others]
            rows.append(cells)
    return table(
        headers, rows, "Values with 95% intervals; a rank is by the value alone", left=(0, 1)
    )


def _ordered(board: GoldsBoard, measure: str, first: GoldSet) -> list[str]:
    """The systems, best under the first set first."""
    places = {name: board.place_of(measure, first.name, name) for name in board.systems}
    return sorted(places, key=lambda name: (places[name].rank or len(places) + 1, name))


def _place_cells(ranked: GoldsPlace) -> list[str]:
    rank = "–" if ranked.rank is None else str(ranked.rank)  # noqa: RUF001
    between = interval_text(ranked.low, ranked.high)
    return [f"{percent(ranked.value)} ({between}), n {ranked.scored:,}", rank]


def _change_cell(board: GoldsBoard, measure: str, golds: GoldSet, system: str) -> str:
    test = next(
        each.test
        for each in board.changes
        if (each.measure, each.golds, each.system) == (measure, golds.name, system)
    )
    return _test_words(test)


def questions_table(board: GoldsBoard, most: int) -> TextTable:
    """The questions that move systems: the evidence about both golds, and who moves."""
    moving = moving_questions(board)
    several = len(board.sets) > 2
    rows = [
        (
            each.id,
            *((each.golds,) if several else ()),
            each.db_id,
            short(each.question or each.before[0] if each.before else "", _QUESTION),
            each.evidence,
            "; ".join(move_words(each, board.measures)),
            short(each.reason, _QUESTION),
        )
        for each in moving[:most]
    ]
    headers = ["id", *(["golds"] if several else []), "database", "question", "evidence", "moves"]
    reasons = any(each.reason for each in moving)
    if not reasons:
        rows = [row[:-1] for row in rows]
    full = [*headers, "reason"] if reasons else headers
    return table(full, rows, "Questions that move systems", left=range(len(full)))


def moving_questions(board: GoldsBoard) -> list[GoldsQuestion]:
    """The questions that move a system."""
    return [each for each in board.questions if each.moves]


def move_words(question: GoldsQuestion, measures: Sequence[str]) -> Iterator[str]:
    """Who moves, and by what: ``C3 is not right now by ex``.

    Args:
        question: The question.
        measures: All measures of the board: where each says the same, none is named.
    """
    for move in question.moves:
        kinds: dict[str, list[str]] = {}
        for measure, kind in move.kinds.items():
            kinds.setdefault(kind, []).append(measure)
        parts = [
            f"{_KINDS[kind]} now by "
            f"{'every measure' if len(by) == len(measures) > 1 else ', '.join(by)}"
            for kind, by in kinds.items()
        ]
        yield f"{move.system} is {', '.join(parts)}"


def golds_sentences(board: GoldsBoard) -> list[str]:
    """What the sets are, which ranks move, and whether systems that swap can be told apart."""
    first, *others = board.sets
    lines = list(_set_sentences(board.sets))
    if not others:
        lines.append(f"{first.name}: these are the golds of the runs, so nothing moves")
    for golds in others:
        lines += _rank_sentences(board, first, golds)
        questions = [each for each in board.questions if each.golds == golds.name]
        moving = [each for each in questions if each.moves]
        relations = [each.relation for each in questions]
        known = ", ".join(f"{relations.count(name):,} {name}" for name in dict.fromkeys(relations))
        lines.append(
            f"{golds.name}: {count(len(questions), 'question')} with another gold or value"
            f"{f' ({known})' if known else ''}, {len(moving):,} of them "
            f"{'moves' if len(moving) == 1 else 'move'} a system"
        )
    return lines


def _set_sentences(sets: Sequence[GoldSet]) -> Iterator[str]:
    for each in sets:
        if each.failed:
            yield f"{each.name}: {_cases(each.failed)} unscored, for the gold does not run"
        if each.lacking:
            yield f"{each.name}: {_cases(each.lacking)} left out, for it has no gold for them"
        if each.reworded:
            yield (
                f"{each.name}: {_cases(each.reworded)} in other words there; the predictions "
                f"answer the words of the runs"
            )
        if each.unavailable:
            number = count(len(each.unavailable), "case")
            yield f"{each.name}: {number} unscored, for the database is missing"


def _cases(ids: Sequence[str]) -> str:
    return f"{count(len(ids), 'case')} ({few_of(ids)})"


def _rank_sentences(board: GoldsBoard, first: GoldSet, golds: GoldSet) -> Iterator[str]:
    still = []
    for measure in board.measures:
        changes = []
        for system in _ordered(board, measure, first):
            ranks = [
                board.place_of(measure, each, system).rank for each in (first.name, golds.name)
            ]
            if ranks[0] != ranks[1]:
                changes.append(f"{system} {ranks[0] or 'none'} → {ranks[1] or 'none'}")
        if not changes:
            still.append(measure)
            continue
        yield f"{golds.name}, by {measure}: ranks move: {', '.join(changes)}"
        for swap in board.swaps:
            if (swap.measure, swap.golds) == (measure, golds.name):
                yield (
                    f"  {swap.first} less {swap.second}: {_test_words(swap.before)} by "
                    f"{first.name}, {_test_words(swap.after)} by {golds.name}"
                )
    if len(still) == len(board.measures) > 1:
        yield f"{golds.name}: no rank moves by any measure"
    elif still:
        yield f"{golds.name}: no rank moves by {', '.join(still)}"


def _test_words(test: PairedTest) -> str:
    between = interval_text(test.low, test.high, signed=True)
    return f"{points(test.difference)} ({between}, n {test.pairs:,})"
