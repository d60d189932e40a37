"""Several systems by RS(c), as tables, sentences and charts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sqlverdict.files.text import count
from sqlverdict.report.charts.chart import Series, line_chart
from sqlverdict.report.charts.rows import Dot, row_chart
from sqlverdict.report.reliability.systems import ReliabilityBoard, SystemScores
from sqlverdict.report.reliability.tables import ends_text, points_text
from sqlverdict.report.terminal.tables import TextTable, markdown, md_cell, table
from sqlverdict.score.reliability.reliability_score import (
    EVERYTHING,
    Penalty,
    break_even,
    sweep_penalty,
)

ABSTAIN_ALL = "ABSTAIN-ALL"


def board_line(board: ReliabilityBoard) -> str:
    """What was compared, and by what."""
    left_out = board.common - board.compared
    more = f", {left_out:,} of them not scored in every run" if left_out else ""
    return (
        f"{count(len(board.systems), 'system')} on {count(board.common, 'common item')} of "
        f"{board.benchmark}{more}; correctness is decided by {board.source}; "
        f"best RS({board.by}) first"
    )


def board_table(board: ReliabilityBoard) -> TextTable:
    """RS of all items for each penalty, with ABSTAIN-ALL in its place."""
    headers = ["rank", "system"]
    for name in board.penalties:
        headers += [f"RS({name})", "95% interval"]
    ranks = board.ranks
    rows: list[tuple[str, ...]] = []
    silent = [part for _ in board.penalties for part in (points_text(board.abstain_all), "")]
    below = ("", ABSTAIN_ALL, *silent, f"{board.compared:,}", "0", "0", "")
    for one in board.systems:
        if below not in rows and one.score(board.by) < board.abstain_all:
            rows.append(below)
        whole = one.views[-1]
        cells: list[str] = []
        for name in board.penalties:
            cells += [points_text(whole.scores[name]), ends_text(whole.intervals[name])]
        rows.append(
            (
                str(ranks[one.system]),
                one.system,
                *cells,
                f"{one.table.total:,}",
                f"{one.table.answered:,}",
                f"{one.table.harm:,}",
                _break_even(break_even(one.table)),
            )
        )
    if below not in rows:
        rows.append(below)
    return table(
        (*headers, "n", "answered", "harm", "break-even c"),
        rows,
        f"Reliability score on {EVERYTHING.name}, times 100",
        left=(1,),
    )


def views_table(board: ReliabilityBoard) -> TextTable:
    """RS by penalty and view, as TrustSQL's tables 2 and 3."""
    ans, *more = (view.name for view in board.systems[0].views)
    headers = [
        name
        for penalty in board.penalties
        for name in (f"RS({penalty}) {ans}", *(view.removeprefix(ans) for view in more))
    ]
    rows = [
        (
            one.system,
            *(
                points_text(view.scores[penalty])
                for penalty in board.penalties
                for view in one.views
            ),
        )
        for one in board.systems
    ]
    silent = (
        ABSTAIN_ALL,
        *(
            points_text(view.abstain_all)
            for _ in board.penalties
            for view in board.systems[0].views
        ),
    )
    return table(("system", *headers), [silent, *rows], "Reliability score by view, times 100")


def board_sentences(board: ReliabilityBoard) -> list[str]:
    """Which systems cannot be told apart, for each penalty."""
    return [
        f"RS({penalty}): no significant difference from {group.best} on "
        f"{count(board.compared, 'common item')} (p ≥ 0.05): {', '.join(group.members[1:])}"
        for penalty, groups in board.groups.items()
        for group in groups
        if len(group.members) > 1
    ]


def board_plots(board: ReliabilityBoard) -> dict[str, str]:
    """RS over the penalty, a line per system; and RS with intervals, a row per system."""
    ends = [break_even(one.table) for one in board.systems]
    last = max((end for end in ends if end is not None and math.isfinite(end)), default=10.0)
    high = max(1.5 * last, 10.0)
    grid: list[Penalty] = [high * step / 40 for step in range(41)]
    lines = [Series(one.system, sweep_penalty(one.table, grid)) for one in board.systems]
    level = board.abstain_all
    lines.append(Series(ABSTAIN_ALL, [(0.0, level), (high, level)], dashed=True))
    title = f"RS(c) over the penalty, on {board.benchmark}"
    numbers = [name for name in board.penalties if name != "N"]
    dots: dict[str, list[Dot | None]] = {
        f"RS({name})": [_dot(one, name) for one in board.systems] for name in numbers
    }
    rows = [one.system for one in board.systems]
    return {
        "systems_by_penalty.svg": line_chart(title, "penalty c", "RS(c)", lines, y_percent=True),
        "systems.svg": row_chart("RS(c) with 95% intervals", "RS(c), times 100", rows, dots),
    }


def _dot(one: SystemScores, penalty: str) -> Dot | None:
    whole = one.views[-1]
    value, ends = whole.scores[penalty], whole.intervals[penalty]
    return None if value is None or ends is None else (100 * value, 100 * ends[0], 100 * ends[1])


def board_page(board: ReliabilityBoard, charts: Mapping[str, str]) -> str:
    """The board as Markdown, with its charts beside it."""
    parts = [f"# Reliability on {md_cell(board.benchmark)}", md_cell(board_line(board))]
    for one in (board_table(board), views_table(board)):
        parts += [f"## {one.title}", markdown(one)]
    sentences = board_sentences(board)
    if sentences:
        parts.append("\n".join(f"- {md_cell(line)}" for line in sentences))
    parts += [f"![{md_cell(name)}]({name})" for name in charts]
    return "\n\n".join(parts) + "\n"


def board_json(board: ReliabilityBoard) -> dict[str, Any]:
    """The board as plain values; scores are fractions."""
    return {
        "benchmark": board.benchmark,
        "correct_by": board.source,
        "common": board.common,
        "compared": board.compared,
        "abstain_all": board.abstain_all,
        "by": board.by,
        "systems": [
            {
                "system": one.system,
                "rank": board.ranks[one.system],
                "n": one.table.total,
                "outcomes": one.table.cells(),
                "rs": {view.name: view.scores for view in one.views},
                "intervals": {view.name: view.intervals for view in one.views},
            }
            for one in board.systems
        ],
        "groups": board.groups,
    }


def _break_even(value: float | None) -> str:
    if value is None:
        return "any"
    return "none" if value == math.inf else f"{value:.2f}"
