"""Prints the cases of a run that meet conditions: as a table, CSV, JSON or ids."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import click

from sqlverdict.cli.options.shared import json_text
from sqlverdict.evidence import Refuted
from sqlverdict.files.text import count, few_of
from sqlverdict.records import Result
from sqlverdict.report.one_run.case_rows import case_row
from sqlverdict.report.one_run.sections import decided_by
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.exports import csv_text
from sqlverdict.report.terminal.tables import short, table
from sqlverdict.runlog.case_filter import CaseFilter
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import reasons_by

TABLE = "table"
FORMATS = (TABLE, "csv", "ids")
"""How the cases can be printed, beside JSON."""
_FREE = ("db_id", "difficulty", "situation")
"""Conditions whose words are the run's own: they are named where nothing fits."""
_MOST = 1_000
"""The most rows of the table."""
_BLOCK = 1_000
_DIFFER = re.compile(r"^they differ (?:when|in|on this database:) ")
"""How the sentences of most witnesses begin."""


def list_cases(run: Run, conditions: CaseFilter, format_name: str, *, as_json: bool) -> None:
    """Print the cases of a run that meet all conditions.

    Args:
        run: The run.
        conditions: What the cases have in common.
        format_name: One of :data:`FORMATS`.
        as_json: Print JSON instead.
    """
    results = run.select(conditions)
    if as_json:
        number = _print_json(run, results)
    elif format_name == "ids":
        number = _print_ids(results)
    elif format_name == "csv":
        number = _print_csv(run, results)
    else:
        number = _print_table(run, results, witnesses=bool(conditions.lucky))
    if not number:
        click.echo(f"no case meets all conditions. {_there_is(run, conditions)}".strip(), err=True)


def _blocks(results: Iterator[Result]) -> Iterator[Sequence[Result]]:
    """The results, few at a time: a run may have millions."""
    while block := [*islice(results, _BLOCK)]:
        yield block


def _print_json(run: Run, results: Iterator[Result]) -> int:
    """Print a list of records; returns how many."""
    number = 0
    for block in _blocks(results):
        # Each block is a list: what stands between its brackets is the part of one long list.
        text = json_text([_row(run, result) for result in block])[2:-2]
        click.echo(f"{',' if number else '['}\n{text}", nl=False)
        number += len(block)
    click.echo("\n]" if number else "[]")
    return number


def _print_ids(results: Iterator[Result]) -> int:
    number = 0
    for block in _blocks(results):
        click.echo("\n".join(result.id for result in block))
        number += len(block)
    return number


def _row(run: Run, result: Result) -> dict[str, Any]:
    row = case_row(result, run.deciding, [figures.quantity for figures in run.summary.usage])
    return row | {"witness": _witness(result) or None}


def _witness(result: Result) -> str:
    """When the queries differ, by the witness; empty without one."""
    sentences = [piece.sentence for piece in result.evidence if isinstance(piece, Refuted)]
    return sentences[0] if sentences else ""


def _print_csv(run: Run, results: Iterator[Result]) -> int:
    number = 0
    for block in _blocks(results):
        rows = [_row(run, result) for result in block]
        cells = [["" if cell is None else str(cell) for cell in row.values()] for row in rows]
        text = csv_text(table([*rows[0]], cells))
        click.echo(text if not number else text.partition("\n")[2])
        number += len(block)
    return number


def _print_table(run: Run, results: Iterator[Result], *, witnesses: bool) -> int:
    screen = Screen()
    first = [*islice(results, _MOST)]
    rows = [
        (
            result.id,
            result.db_id,
            result.difficulty or "",
            run.verdict(result),
            short(_DIFFER.sub("", _witness(result)), 70)
            if witnesses
            else ", ".join(reasons_by(result, run.deciding)),
            short(result.question, 60),
        )
        for result in first
    ]
    why = "difference by witness" if witnesses else "reasons"
    headers = ("id", "database", "difficulty", "verdict", why, "question")
    screen.table(table(headers, rows, left=range(len(headers))))
    more = sum(1 for _ in results)
    if more:
        screen.line(f"... and {more:,} more: --format csv and --format ids list all")
    screen.line()
    screen.line(
        f"{len(first) + more:,} of {count(run.summary.cases, 'case')} of {run.manifest.system}; "
        f"verdicts by {decided_by(run)}"
    )
    if first:
        words = ["sqlverdict", "show", str(run.folder), first[0].id]
        screen.line(f"one in full: {shlex.join(words)}", "quiet")
    return len(first) + more


def _there_is(run: Run, conditions: CaseFilter) -> str:
    """What the run has for each condition."""
    return " ".join(_sentences(run, conditions))


def _sentences(run: Run, conditions: CaseFilter) -> Iterator[str]:
    for name in _FREE:
        if name in conditions.conditions:
            values = {getattr(result, name) for result in run.results()}
            yield f"The run has, as {name}: {few_of(sorted(filter(None, values)), 12)}."
    if conditions.verdict:
        yield f"The run has the verdicts {', '.join(run.summary.verdicts)}."
    if conditions.lucky and not any("refute" in stage for stage in run.manifest.stages):
        yield "It did not search for witnesses: evaluate with --refute N or --metrics verdict."
    elif conditions.lucky:
        yield (
            "A match is lucky where a witness on ordinary data refutes it; --situation lists those "
            "that differ on other data."
        )
