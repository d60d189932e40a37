"""A result as HTML, for notebooks. Everything that is not ours is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sqlverdict.records import Answer, Outcome, Row

if TYPE_CHECKING:
    from sqlverdict.api.pair_result import PairResult

_COLOURS = {True: "#1a7f37", False: "#cf222e", None: "#9a6700"}
_STYLE = "border-left:4px solid {colour};padding:4px 12px;margin:4px 0"


def card(result: PairResult) -> str:
    """The verdict, both answers side by side, and the evidence in words."""
    colour = _COLOURS[result.correct]
    head = escape(result.verdict.replace("_", " "))
    reasons = escape(", ".join(result.reasons))
    parts = [
        f'<div style="{_STYLE.format(colour=colour)}">',
        f'<b style="color:{colour}">{head}</b> {reasons}',
        "<div style='display:flex;gap:24px;flex-wrap:wrap'>",
        _answer("gold", result.gold_outcome, result.gold_count),
        _answer("prediction", result.prediction_outcome, result.prediction_count),
        "</div>",
        f"<pre style='white-space:pre-wrap'>{escape(result.explain())}</pre>",
        "</div>",
    ]
    return "".join(parts)


def _answer(title: str, outcome: Outcome | None, count: int | None) -> str:
    if outcome is None:
        return ""
    if not isinstance(outcome, Answer):
        return f"<div><i>{title}</i><br>{escape(f'{outcome.reason}: {outcome.message}')}</div>"
    head = "".join(f"<th>{escape(name)}</th>" for name in outcome.columns)
    body = "".join(map(_row, outcome.rows))
    rows = "row" if count == 1 else "rows"
    return f"<div><i>{title}</i>: {count} {rows}<table><tr>{head}</tr>{body}</table></div>"


def _row(row: Row) -> str:
    cells = ("NULL" if cell is None else escape(str(cell)) for cell in row)
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
