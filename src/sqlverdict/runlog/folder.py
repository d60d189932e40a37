"""A run's folder while the run is on: locked, opened or resumed, filled, finished.

Its files are written in one step each, in an order in which a process that is killed between
any two of them leaves a run that the same command resumes: the manifest comes before the log,
the summary goes before a line is added, and comes last.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from sqlverdict.account import SPENDING, Account
from sqlverdict.errors import OptionName, RunLogError
from sqlverdict.files.atomic import copy_at_once, remove_parts
from sqlverdict.files.lock import FolderLock, Locked
from sqlverdict.files.text import count
from sqlverdict.runlog.log import RESULTS, RunLog
from sqlverdict.runlog.manifest import MANIFEST, Manifest, check_same_run, write_manifest
from sqlverdict.runlog.run import SUMMARY, Run, read_run, summarise_folder

WITNESSES = "witnesses"
"""The folder of witnesses, inside the run's."""
CONTRADICTIONS = "contradictions"
"""The folder of pairs that are both proved and refuted, inside the run's."""

PROBLEMS = "problems.txt"
"""Why answers are not cached, while a run is on."""

_OURS = (PROBLEMS, SUMMARY, "report.md", "report.html", "junit.xml", RESULTS, MANIFEST)
_MOST_NAMES = 5


class TemporaryFolder:
    """A folder that goes away with the last reference to this object."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="sqlverdict-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


class RunFolder:
    """One run being written.

    Args:
        folder: Where; ``None`` takes a temporary folder that lives as long as the run.
        manifest: What is run. An equal run in the folder is resumed.
        overwrite: Start anew where the folder holds a run.

    Raises:
        RunLogError: the folder holds another run, or something that is no run, or another
            process is writing to it.
        OSError: it cannot be written to.
    """

    def __init__(self, folder: Path | None, manifest: Manifest, *, overwrite: bool) -> None:
        self._keep = TemporaryFolder() if folder is None else None
        self.folder = self._keep.path if self._keep is not None else Path(folder or ".")
        self._began = perf_counter()
        self._writes = False
        self._changed: Counter[str] = Counter()
        self._again = 0
        self._other = 0
        self._account: Account | None = None
        self._is_new = not self.folder.exists()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = lock_folder(self.folder)
        try:
            self._open(manifest, overwrite=overwrite)
        except BaseException:
            # Whatever it was, Ctrl-C included, it is raised on; the folder stays free.
            self._lock.release()
            raise

    def _open(self, manifest: Manifest, *, overwrite: bool) -> None:
        for folder in (self.folder, self.folder / WITNESSES):
            remove_parts(folder)
        log = self.folder / RESULTS
        has_lines = log.exists() and log.stat().st_size > 0
        if overwrite or not (has_lines or (self.folder / SUMMARY).exists()):
            # A run that ended before its first case, over an input that cannot be read, is none.
            self._clear()
        elif has_lines and not (self.folder / MANIFEST).exists():
            raise RunLogError(
                f"{self.folder} has a {RESULTS} but no {MANIFEST}: it cannot be resumed. "
                "Give another ",
                OptionName("out"),
                ", or start over with ",
                OptionName("overwrite", True),
                ".",
                reason="unknown_inputs",
            )
        self.earlier = check_same_run(self.folder, manifest)
        self.manifest = self.earlier or replace(
            manifest, started=datetime.now(UTC).isoformat(timespec="seconds")
        )
        if self.earlier is None:
            write_manifest(self.folder, self.manifest)
        self.log = RunLog(self.folder)
        self.resumed = self.log.standing

    def _clear(self) -> None:
        """Remove our own files of an earlier run, and nothing else; the manifest last.

        Its account stays: what was spent is spent, whatever becomes of the results.
        """
        for kind in ("*.sql", "*.sqlite"):
            for witness in (self.folder / WITNESSES).glob(kind):
                witness.unlink()
        for name in _OURS:
            (self.folder / name).unlink(missing_ok=True)

    @property
    def account(self) -> Account:
        """What was spent on language models for this folder, over all commands.

        Raises:
            DataError: its file was changed after it was written.
        """
        if self._account is None:
            self._account = Account(self.folder / SPENDING)
        return self._account

    def needs(self, index: int, db_id: str, digest: str, inputs: str) -> bool:
        """Whether a case is to be examined.

        Args:
            index: Its position in the run.
            db_id: Its database.
            digest: That of its database now.
            inputs: The digest of the case and the prediction.
        """
        if not self.log.has(index):
            return True
        if self.log.is_done(index, digest, inputs):
            return False
        if not self.log.is_of(index, inputs):
            self._other += 1
        elif self.log.rests_on_other(index, digest):
            self._changed[db_id] += 1
        else:
            self._again += 1
        return True

    def append(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Add finished lines; from now on the run is not a finished one."""
        if not self._writes:
            self._writes = True
            (self.folder / SUMMARY).unlink(missing_ok=True)
            if self.manifest.finished:
                self.manifest = replace(self.manifest, finished="")
                write_manifest(self.folder, self.manifest)
        self.log.append(lines)

    def notes(self) -> tuple[str, ...]:
        """What of an earlier run had to be done again, and why."""
        sentences = []
        if self._changed:
            names = sorted(self._changed)
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            sentences.append(
                f"{count(len(names), 'database')} changed since the run "
                f"({', '.join(names[:_MOST_NAMES])}{more}): "
                f"{_are_done(self._changed.total())} again"
            )
        if self._other:
            sentences.append(
                f"{_are_done(self._other)} again: their question, gold or prediction has changed"
            )
        if self._again:
            sentences.append(
                f"{_are_done(self._again)} again: a query reads the clock, or what stopped them (a "
                f"database, a judge, a limit in seconds, an error of ours) may have gone away"
            )
        if self.log.damaged:
            sentences.append(
                f"{count(self.log.damaged, 'line')} of {RESULTS} did not match the checksum: what "
                f"is missing is run again"
            )
        return tuple(sentences)

    def seal(self, **facts: Any) -> None:
        """The last line is in: put the log in order and complete the manifest."""
        if self.is_untouched(facts.get("cases")):
            self.log.close()
            return
        (self.folder / SUMMARY).unlink(missing_ok=True)
        self.log.finish(facts.get("cases"))
        spent = self.manifest.seconds + perf_counter() - self._began
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        done = replace(self.manifest, finished=finished, seconds=round(spent, 3), **facts)
        write_manifest(self.folder, done)
        self.manifest = done

    def summarise(self) -> Run:
        """The run, with its summary; a run that was whole before is only read."""
        notes = self.notes()
        if (self.folder / SUMMARY).exists():
            # A summary that is damaged is written anew.
            with suppress(RunLogError):
                return replace(read_run(self.folder), resumed=notes, _keep=self._keep)
        summary = summarise_folder(self.folder, self.manifest)
        return Run(self.folder, self.manifest, summary, notes, self._keep)

    def finish(self, **facts: Any) -> Run:
        """Seal the folder, summarise it, and release its lock."""
        self.seal(**facts)
        run = self.summarise()
        self.close()
        return run

    def is_untouched(self, cases: int | None = None) -> bool:
        """Whether the run had been finished before, nothing was added and nothing is wrong."""
        whole = bool(self.manifest.finished) and (self.folder / SUMMARY).exists()
        fits = cases is None or self.log.count == cases
        no_calls = self._account is None or not self._account.changed
        return whole and fits and self.log.is_tidy and not self._writes and no_calls

    def close(self) -> None:
        """Stop here, and release the lock; the run can be resumed."""
        self.log.close()
        if self._account is not None:
            self._account.close()
        self._lock.release()

    def withdraw(self) -> None:
        """Stop over an input that cannot be read.

        Without a finished case nothing stays: a reader would take it for a run to resume.
        """
        is_empty = not (self.log.count or (self.folder / SUMMARY).exists())
        self.log.close()
        if self._account is not None:
            self._account.close()
        if is_empty:
            self._clear()
        self._lock.release()
        if is_empty and self._is_new:
            # Another process may have begun to write, and other files are not ours.
            with suppress(OSError):
                self.folder.rmdir()


def lock_folder(folder: Path) -> FolderLock:
    """The lock of a run's folder.

    Raises:
        RunLogError: another process is writing to it.
        OSError: it cannot be written to.
    """
    try:
        return FolderLock(folder)
    except Locked as holder:
        raise RunLogError(
            f"{folder} is being written to by {holder}. Wait until it is done, stop it, or give "
            "another ",
            OptionName("out"),
            ".",
            reason="in_use",
        ) from None


def copy_witness(file: str, source: Path, target: Path) -> None:
    """Copy the files of a witness from one folder of witnesses to another.

    Args:
        file: The name that evidence has for it. This file comes last: where it lies, all do.
        source: The folder that has it.
        target: The other folder, which is made.
    """
    for each in sorted(source.glob(f"{Path(file).stem}.*"), key=lambda path: path.name == file):
        target.mkdir(parents=True, exist_ok=True)
        copy_at_once(each, target / each.name)


def _are_done(number: int) -> str:
    return f"{count(number, 'case')} {'is' if number == 1 else 'are'} done"
