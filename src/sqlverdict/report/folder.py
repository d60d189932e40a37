"""A run's folder while the run is on: opened or resumed, filled, finished."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from sqlverdict.errors import RunLogError
from sqlverdict.report.manifest import MANIFEST, Manifest, check_same_run, write_manifest
from sqlverdict.report.run import SUMMARY, Run, read_run, summarise_folder
from sqlverdict.report.runlog import RESULTS, RunLog

_OURS = (RESULTS, SUMMARY, MANIFEST, "report.md", "junit.xml", "results.ordered")


class _TemporaryFolder:
    """A folder that goes away with the last reference to this object."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="sqlverdict-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


class RunFolder:
    """One run being written.

    Args:
        folder: Where; ``None`` takes a temporary folder that lives as long as the run.
        manifest: What is run. An equal, unfinished run in the folder is resumed.
        overwrite: Start anew where the folder holds a run.

    Raises:
        RunLogError: the folder holds another run, or something that is no run.
    """

    def __init__(self, folder: Path | None, manifest: Manifest, *, overwrite: bool) -> None:
        self._keep = _TemporaryFolder() if folder is None else None
        self.folder = self._keep.path if self._keep is not None else Path(folder or ".")
        self._began = perf_counter()
        if overwrite:
            self._clear()
        elif (self.folder / RESULTS).exists() and not (self.folder / MANIFEST).exists():
            raise RunLogError(
                f"{self.folder} has a {RESULTS} but no {MANIFEST}: it cannot be resumed. "
                f"Give another --out, or start anew with --overwrite."
            )
        self.earlier = check_same_run(self.folder, manifest)
        self.manifest = self.earlier or replace(
            manifest, started=datetime.now(UTC).isoformat(timespec="seconds")
        )
        self.log = RunLog(self.folder)
        self.resumed = self.log.count
        if self.earlier is None:
            write_manifest(self.folder, self.manifest)

    def _clear(self) -> None:
        """Remove our own files of an earlier run, and nothing else."""
        for name in _OURS:
            (self.folder / name).unlink(missing_ok=True)

    def seal(self, **facts: Any) -> None:
        """The last line is in: put the log in order and complete the manifest."""
        if self.is_untouched():
            self.log.close()
            return
        self.log.finish()
        spent = self.manifest.seconds + perf_counter() - self._began
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        done = replace(self.manifest, finished=finished, seconds=round(spent, 3), **facts)
        write_manifest(self.folder, done)
        self.manifest = done
        (self.folder / SUMMARY).unlink(missing_ok=True)

    def summarise(self) -> Run:
        """The run, with its summary; a run that was whole before is only read."""
        if (self.folder / SUMMARY).exists():
            return replace(read_run(self.folder), _keep=self._keep)
        summary = summarise_folder(self.folder, self.manifest)
        return Run(self.folder, self.manifest, summary, self._keep)

    def finish(self, **facts: Any) -> Run:
        """Seal the folder and summarise it."""
        self.seal(**facts)
        return self.summarise()

    def is_untouched(self) -> bool:
        """Whether the run had been finished before and nothing was added."""
        whole = bool(self.manifest.finished) and (self.folder / SUMMARY).exists()
        return whole and self.log.count == self.resumed

    def close(self) -> None:
        """Stop here; the run can be resumed."""
        self.log.close()
