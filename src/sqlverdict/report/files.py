"""The reports beside a run's log."""

from __future__ import annotations

import shlex
from pathlib import Path

from sqlverdict.report.one_run.junit import JUNIT, MOST_CASES, junit_note, write_junit
from sqlverdict.report.one_run.markdown import REPORT, write_markdown
from sqlverdict.runlog.log import RESULTS
from sqlverdict.runlog.manifest import MANIFEST
from sqlverdict.runlog.run import SUMMARY, Run

HTML = "report.html"
FILES = (RESULTS, MANIFEST, SUMMARY, REPORT, HTML, JUNIT)
"""What a finished run folder holds."""


def write_reports(run: Run, command: str = "", *, html: bool | None = None) -> tuple[Path, ...]:
    """Write ``report.md``, ``junit.xml`` and ``report.html``, unless they are newer than the run.

    Args:
        run: A finished run.
        command: How the run can be repeated, for the report.
        html: Whether to write ``report.html``; by default up to ``MOST_CASES`` cases: of more
            it would have tens of megabytes.

    Returns:
        The files that are there.
    """
    # The manifest is written last, and only where something was added to the run.
    finished = (run.folder / MANIFEST).stat().st_mtime_ns
    reports = (run.folder / REPORT, run.folder / JUNIT)
    if any(_is_older(path, finished) for path in reports):
        write_markdown(run, command)
        write_junit(run)
    page = run.folder / HTML
    if run.summary.cases <= MOST_CASES if html is None else html:
        if _is_older(page, finished):
            # Imported here: a run without a page should not wait for it.
            from sqlverdict.report.html.page import write_page

            write_page(page, [run], command=command)
        return (*reports, page)
    if _is_older(page, finished):
        # A page of an earlier state must not be taken for this run's.
        page.unlink(missing_ok=True)
    return reports


def size_notes(run: Run) -> list[str]:
    """Which reports of a long run are cut or left out, and how to get them."""
    if run.summary.cases <= MOST_CASES:
        return []
    notes = [junit_note(run)]
    if not (run.folder / HTML).exists():
        view = shlex.join(["sqlverdict", "view", str(run.folder)])
        notes.append(
            f"{HTML} is not written for more than {MOST_CASES:,} cases: `sqlverdict "
            f"evaluate --set page=true`, with the same options, writes it, and `{view}` shows the "
            f"run"
        )
    return notes


def _is_older(path: Path, finished: int) -> bool:
    """Whether a report is missing or older than the finished run."""
    return not path.exists() or path.stat().st_mtime_ns < finished
