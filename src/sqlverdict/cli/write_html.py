"""Writes the page that ``--html FILE`` asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sqlverdict.audit.gold import Audit
from sqlverdict.cli.options.shared import command_line
from sqlverdict.report.html.build import make_document
from sqlverdict.report.html.document import PageSuspect
from sqlverdict.report.html.golds import page_golds
from sqlverdict.report.html.page import save_page
from sqlverdict.report.reliability.figures import ReliabilityRequest
from sqlverdict.report.several_runs.golds_board import GoldColumn, GoldsBoard
from sqlverdict.runlog.run import Run


def write_html(
    target: Path,
    runs: Sequence[Run],
    *,
    remarks: Sequence[str] = (),
    audit: Audit | None = None,
    request: ReliabilityRequest | None = None,
    golds: tuple[GoldsBoard, Sequence[GoldColumn]] | None = None,
) -> None:
    """Write runs as one page, and say so.

    Args:
        target: The file.
        runs: The runs; the page shows the first one first.
        remarks: What makes a comparison of them weaker.
        audit: Golds under suspicion, where an audit was made.
        request: How reliability is measured; by default as the command does it.
        golds: The systems under several sets of golds; the runs are those of the first set.
    """
    document = make_document(
        runs,
        command=command_line(),
        remarks=remarks,
        suspects=None if audit is None else _suspects(audit),
        suspect_notes=() if audit is None else audit.notes,
        request=request,
        golds=None if golds is None else page_golds(*golds),
    )
    save_page(target, document)
    click.echo(f"written: {target}", err=True)


def _suspects(audit: Audit) -> list[PageSuspect]:
    return [
        PageSuspect(
            id=suspect.case.id,
            rank=suspect.rank,
            suspicions=tuple(one.message for one in suspect.suspicions),
            features=tuple(
                f"odds x{raising.odds:.1f}: {raising.words}" for raising in suspect.raised_by
            ),
            answers=tuple((one.system, one.prediction, one.matches) for one in suspect.answers),
        )
        for suspect in audit.suspects
    ]
