"""Where the results of a run go: manifests, folders and log lines, and what stops a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sqlverdict import __version__
from sqlverdict.errors import (
    Contradiction,
    DataError,
    FileFailure,
    Interrupted,
    OptionName,
    Part,
    SameCall,
    UsageError,
)
from sqlverdict.execute.engine import ENGINES
from sqlverdict.files.text import count
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.parse.schema import Schema
from sqlverdict.run.options import Options, Progress
from sqlverdict.run.outcome import Log, LogLine
from sqlverdict.run.plan import RunPlan
from sqlverdict.runlog.folder import RunFolder
from sqlverdict.runlog.manifest import Manifest, library_versions

if TYPE_CHECKING:
    from sqlverdict.run.judging.asking import JudgeOptions

RunOutput = tuple[Path | None, Manifest]
"""A run to be written: its folder, and what it is."""


def manifest_of(
    plan: RunPlan,
    options: Options,
    *,
    system: str,
    benchmark: str,
    inputs: Mapping[str, str],
    notes: Sequence[str],
) -> Manifest:
    """The manifest of one system's run.

    Args:
        plan: The plan of the run.
        options: The options that it completes.
        system: The system's name.
        benchmark: The benchmark's name.
        inputs: Digests of what goes in, by name.
        notes: What a user should know.
    """
    schemas = {"schemas": _schemas_digest(plan.schemas)} if plan.schemas else {}
    return Manifest(
        system=system,
        benchmark=benchmark,
        inputs={**inputs, **schemas},
        metrics={spec.label: spec.metric.version for spec in plan.specs},
        binary=tuple(spec.label for spec in plan.specs if spec.metric.binary),
        engine=plan.engine,
        engine_version=ENGINES.get(plan.engine).version,
        limits={
            name: float(most) for name, most in asdict(plan.limits).items() if most is not False
        },
        sqlverdict=__version__,
        preset=plan.preset,
        stages=plan.describe(options.judge),
        libraries=library_versions(),
        seed=options.seed,
        workers=plan.workers,
        notes=(*notes, *(spec.note for spec in plan.specs if spec.note)),
        command=options.command,
    )


def _schemas_digest(schemas: Mapping[str, Schema]) -> str:
    return sha256(msgspec.json.encode(dict(schemas), order="sorted")).hexdigest()


def benchmark_manifest(
    plan: RunPlan,
    options: Options,
    benchmark: Benchmark,
    *,
    system: str,
    predictions: str,
    notes: Sequence[str],
) -> Manifest:
    """The manifest of one system's run on a benchmark; ``predictions`` is their digest."""
    inputs = {Path(source.path).name: source.sha256 for source in benchmark.sources}
    return manifest_of(
        plan,
        options,
        system=system,
        benchmark=benchmark.name,
        inputs={**inputs, "predictions": predictions},
        notes=(*benchmark.notes, *notes),
    )


@contextmanager
def open_folders(outputs: Sequence[RunOutput], *, overwrite: bool) -> Iterator[list[RunFolder]]:
    """Open or resume the folder of every run, and close them at the end.

    Raises:
        RunLogError: a folder holds another run.
        Contradiction: a pair is both proved and refuted.
        FileFailure: a folder cannot be written to, or the disk is full.
        Interrupted: the user stopped the run.
    """
    folders: list[RunFolder] = []
    try:
        for out, manifest in outputs:
            folders.append(RunFolder(out, manifest, overwrite=overwrite))
        yield folders
    except DataError:
        for folder in folders:
            folder.withdraw()
        raise
    except Contradiction as error:
        lasting = all(out is not None for out, _ in outputs)
        what: tuple[Part, ...] = (SameCall.AGAIN,) if lasting else ("give ", OptionName("out"))
        raise Contradiction(*error.args, f". {_done(folders)}; ", *what, " to continue") from None
    except BrokenPipeError:
        raise
    except OSError as error:
        where = error.filename or ", ".join(str(out) for out, _ in outputs if out)
        if Path(where).is_file() and isinstance(error, FileExistsError | NotADirectoryError):
            raise UsageError(
                f"{where} is a file, and a run needs a folder. Give another ", OptionName("out")
            ) from error
        raise FileFailure(
            f"{where}: {error.strerror or error}. Check that the place exists, can be written to "
            f"and has space. {_done(folders)}; ",
            SameCall.AGAIN,
            " to continue",
        ) from error
    except KeyboardInterrupt:
        done = sum(folder.log.count for folder in folders)
        raise Interrupted(
            f"stopped after {count(done, 'case')}; ", SameCall.AGAIN, " to continue"
        ) from None
    finally:
        for folder in folders:
            folder.close()


def _done(folders: Sequence[RunFolder]) -> str:
    done = sum(folder.log.count for folder in folders)
    return count(done, "case is done", "cases are done")


def line_log(folders: Sequence[RunFolder], progress: Progress | None) -> Log:
    """Takes finished lines of all systems: each goes into its own folder."""

    def log(lines: Sequence[LogLine]) -> None:
        own: list[list[tuple[int, bytes]]] = [[] for _ in folders]
        for line in lines:
            own[line.system].append((line.index, line.text))
        for folder, finished in zip(folders, own, strict=True):
            if finished:
                folder.append(finished)
        if progress is not None:
            progress.advance(len(lines))

    return log


def cache_notes(plan: RunPlan, judge: JudgeOptions | None) -> tuple[str, ...]:
    """What could not be cached while a run was on, and why, and which other models answered."""
    notes: list[str] = []
    if plan.problems is not None:
        with suppress(OSError):
            notes += plan.problems.read_text("utf-8", "replace").splitlines()
            plan.problems.unlink()
    replies = getattr(judge.answerer, "cache", None) if judge is not None else None
    problem = getattr(replies, "problem", None)
    models = getattr(judge.answerer, "notes", ()) if judge is not None else ()
    return tuple(dict.fromkeys([*notes, *([problem] if problem else []), *models]))


def check_finished(folders: Sequence[RunFolder], over_budget: Sequence[bool]) -> None:
    """Stop a run in which cases still wait for a judge; it can be resumed.

    Args:
        folders: The folders of the runs.
        over_budget: For each case that waits: whether the cost limit forbade the call.

    Raises:
        Interrupted: at least one case waits.
    """
    if not over_budget:
        return
    done = sum(folder.log.count for folder in folders)
    if any(over_budget):
        why = (
            "the cost limit is reached: "
            f"{count(sum(over_budget), 'case still waits', 'cases still wait')} for a judge"
        )
        again: tuple[Part, ...] = (
            SameCall.AGAIN,
            " with a higher ",
            OptionName("max_cost"),
            " to continue",
        )
    else:
        why = f"{count(len(over_budget), 'case waits', 'cases wait')} for replies in a batch"
        again = (SameCall.AGAIN, " once they are collected")
    raise Interrupted(f"{why}, {done:,} are done; ", *again)
