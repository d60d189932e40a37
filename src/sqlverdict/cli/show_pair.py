"""How the search for a witness is printed, by ``pair`` and by ``refute``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlverdict.cli.options.pair import SIDES
from sqlverdict.files.text import count
from sqlverdict.records import Answer, Outcome
from sqlverdict.refute.explain.evidence import refutation_record
from sqlverdict.refute.explain.sentence import rows_table
from sqlverdict.refute.trial.literals import cell_text
from sqlverdict.refute.witness import NotRefuted, Refutation, Witness
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import table


def replay_line(paths: Sequence[Path]) -> str:
    """The command that runs a written witness again."""
    return shlex.join(["sqlverdict", "refute", "--replay", str(paths[0])]) if paths else ""


def refutation_json(refutation: Refutation, paths: Sequence[Path]) -> dict[str, Any]:
    """A search's result as JSON.

    Args:
        refutation: The result.
        paths: Where the witness was written.
    """
    record = refutation_record(refutation)
    if isinstance(refutation, NotRefuted):
        searched = refutation.instances or refutation.reason is None
        return {"verdict": "not_refuted" if searched else "unknown", **record}
    return {
        "verdict": "refuted",
        **record,
        "files": [str(path) for path in paths],
        "replay": replay_line(paths),
    }


def show_refutation(screen: Screen, refutation: Refutation, paths: Sequence[Path]) -> None:
    """A search's result for people.

    Args:
        screen: Where to print.
        refutation: The result.
        paths: Where the witness was written.
    """
    if isinstance(refutation, NotRefuted):
        _show_not_refuted(screen, refutation)
        return
    screen.line(f"refuted: {refutation.sentence}", "bad")
    if refutation.grade != "ungraded":
        screen.line(f"grade: {refutation.grade.replace('_', ' ')}")
    for broken in refutation.broken:
        screen.line(f"breaks: {broken}")
    _show_rows(screen, refutation)
    screen.line()
    screen.line(
        f"found on database {refutation.instances_tried:,} ({refutation.origin}); reasons: "
        f"{', '.join(refutation.reasons) or 'none'}",
        "quiet",
    )
    if paths:
        screen.line(f"written to {' and '.join(str(path) for path in paths)}")
        screen.line(f"replay: {replay_line(paths)}")
    else:
        screen.line("to save it, run the same command with --out FOLDER", "quiet")


def _show_not_refuted(screen: Screen, refutation: NotRefuted) -> None:
    if not refutation.instances:
        screen.line(f"not searched: {refutation.message}", "warning")
    else:
        screen.line(f"not refuted on {count(refutation.instances, 'database')}", "warning")
    if refutation.undetermined:
        screen.line(
            f"on {refutation.undetermined:,} of them an answer depends on the order of rows, which "
            "shows nothing",
            "quiet",
        )


def _show_rows(screen: Screen, witness: Witness) -> None:
    """A witness's rows and both answers, as small tables."""
    for content in rows_table(witness):
        if not content.rows or not content.columns:
            screen.line()
            rows = count(len(content.rows), "row") if content.rows else "no row"
            screen.line(f"{content.name}: {rows}", "quiet")
            continue
        cells = [tuple(map(cell_text, row)) for row in content.rows]
        left = tuple(range(len(content.columns)))
        screen.table(table(content.columns, cells, content.name, left))
    for side, outcome in zip(SIDES, (witness.gold, witness.prediction), strict=True):
        show_answer(screen, side, outcome)
    if witness.other is not None:
        show_answer(screen, "prediction in another legal order", witness.other)


def show_answer(screen: Screen, side: str, outcome: Outcome, most: int = 20) -> None:
    """What a query returned.

    Args:
        screen: Where to print.
        side: Which query.
        outcome: What it returned.
        most: How many rows to print.
    """
    if not isinstance(outcome, Answer):
        screen.line()
        screen.line(f"{side} fails: {outcome.reason}: {outcome.message}", "bad")
    elif not outcome.rows:
        screen.line()
        screen.line(f"{side} returns no row")
    else:
        rows = [tuple(map(cell_text, row)) for row in outcome.rows[:most]]
        left = tuple(range(len(outcome.columns)))
        screen.table(table(outcome.columns, rows, f"{side} returns", left))
        if len(outcome.rows) > most:
            screen.line(f"... and {len(outcome.rows) - most:,} more rows", "quiet")
