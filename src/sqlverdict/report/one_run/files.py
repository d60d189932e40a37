"""The reports beside a run's log."""

from __future__ import annotations

from pathlib import Path

from sqlverdict.report.one_run.junit import JUNIT, write_junit
from sqlverdict.report.one_run.markdown import REPORT, write_markdown
from sqlverdict.runlog.log import RESULTS
from sqlverdict.runlog.manifest import MANIFEST
from sqlverdict.runlog.run import SUMMARY, Run

FILES = (RESULTS, MANIFEST, SUMMARY, REPORT, JUNIT)
"""What a finished run folder holds."""


def write_reports(run: Run, command: str = "") -> tuple[Path, ...]:
    """Write ``report.md`` and ``junit.xml``, unless they are newer than the finished run.

    Args:
        run: A finished run.
        command: How the run can be repeated, for the report.
    """
    # The manifest is written last, and only where something was added to the run.
    finished = (run.folder / MANIFEST).stat().st_mtime_ns
    reports = (run.folder / REPORT, run.folder / JUNIT)
    if any(not path.exists() or path.stat().st_mtime_ns < finished for path in reports):
        write_markdown(run, command)
        write_junit(run)
    return reports
