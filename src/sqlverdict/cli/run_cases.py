"""The command that made a run, and the cases of the run, read again as that command reads them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

import click

from sqlverdict.cli.options.data import DataArgs, read_benchmark, read_named
from sqlverdict.cli.options.fields import build
from sqlverdict.cli.options.run import EvaluateArgs
from sqlverdict.errors import RunLogError, SqlverdictError
from sqlverdict.execute.engine import DEFAULT_ENGINE, ENGINES, ServerEngine
from sqlverdict.files.references import file_of
from sqlverdict.load.benchmarks.demo import INSTANCES, STEPS, predictions_path
from sqlverdict.load.benchmarks.demo import systems as demo_systems
from sqlverdict.load.databases import Databases, find_databases
from sqlverdict.records import Case
from sqlverdict.runlog.manifest import Manifest
from sqlverdict.runlog.merge import shard_of
from sqlverdict.runlog.run import Run

DEMO = "demo"
DEMO_DATABASES = "databases"
"""The folder of the databases of the demo, beside those of its runs."""


def run_cases(run: Run, databases: str | None = None) -> Mapping[str, Case]:
    """The cases of a run by id, with their databases.

    Args:
        run: The run.
        databases: Where the databases are; by default where the run's command says. Where the
            command cannot be read again, the cases are then those of the run log.

    Raises:
        SqlverdictError: the cases cannot be read, or nothing says where they are.
    """
    try:
        data = _recorded_data(run.folder, run.manifest)
        if databases is not None:
            data = replace(data, databases=databases)
        return {case.id: case for case in read_benchmark(data).cases}
    except SqlverdictError:
        if databases is None:
            raise
        return _logged_cases(run, database_folder(DataArgs(databases=databases)))


def database_folder(data: DataArgs) -> Databases:
    """The databases that ``--databases`` names.

    Raises:
        UsageError: there are none.
    """
    return find_databases(Path(), (".",), data.location)


def _logged_cases(run: Run, databases: Databases) -> Mapping[str, Case]:
    """The cases as the run log has them."""
    return {
        result.id: Case(
            result.id,
            result.db_id,
            result.question,
            result.gold,
            database=databases.path(result.db_id),
            knowledge=result.knowledge,
            session=result.session,
            turn=result.turn,
            earlier=result.earlier,
        )
        for result in run.results()
    }


def case_databases(folder: Path, manifest: Manifest, ids: Collection[str]) -> dict[str, str]:
    """The databases of some cases of a run by id, as far as they are known and still there.

    Args:
        folder: The run's folder.
        manifest: Its manifest.
        ids: The cases.
    """
    known: dict[str, str] = {}
    try:
        cases = read_named(_recorded_data(folder, manifest)).cases if ids else ()
        for case in islice((case for case in cases if case.id in ids), len(ids)):
            file = None if case.database is None else file_of(case.database)
            if case.database is not None and (file is None or file.is_file()):
                known[case.id] = case.database
    except SqlverdictError:
        # The files of the run's command are gone, or nothing says where they are.
        return known
    return known


def _recorded_data(folder: Path, manifest: Manifest) -> DataArgs:
    """Where the cases of a run are, by its manifest.

    Raises:
        RunLogError: it does not say, or its databases are gone.
    """
    if manifest.command or manifest.benchmark != DEMO:
        return evaluate_args(folder, manifest).data
    if isinstance(ENGINES.get(manifest.engine), ServerEngine):
        raise RunLogError(
            "the demo made its databases on a server and dropped them at its end",
            reason="unknown_inputs",
        )
    databases = folder.parent / DEMO_DATABASES
    where = str(databases) if databases.is_dir() else None
    return DataArgs(benchmark=DEMO, engine=manifest.engine, databases=where)


def evaluate_words(folder: Path, manifest: Manifest) -> tuple[str, ...]:
    """The words of the ``evaluate`` command that makes the run; the demo's are known.

    Raises:
        RunLogError: the manifest does not name the command.
    """
    if manifest.command:
        return manifest.command
    if manifest.benchmark != DEMO:
        raise RunLogError(
            f"{folder} does not say which evaluate command made it.", reason="unknown_inputs"
        )
    names = demo_systems()
    if manifest.system not in names or not ENGINES.get(manifest.engine).in_python:
        raise RunLogError(
            f"{folder} is a run of the demo with queries of its own: of a detector, or translated "
            f"for another engine. Only {', '.join(names)} on {DEFAULT_ENGINE} can be run again.",
            reason="unknown_inputs",
        )
    databases = folder.parent / DEMO_DATABASES
    return (
        *("evaluate", "--benchmark", DEMO),
        *(("--databases", str(databases)) if databases.is_dir() else ()),
        *(word for name in names for word in _prediction_words(name)),
        *("--metrics", ",".join(manifest.metrics), "--refute", str(INSTANCES)),
        *("--set", f"max-steps={STEPS}"),
    )


def _prediction_words(name: str) -> tuple[str, str]:
    return "--predictions", f"{name}={predictions_path(name)}"


def evaluate_args(folder: Path, manifest: Manifest) -> EvaluateArgs:
    """The options of the ``evaluate`` command that made the run, from its manifest.

    Raises:
        RunLogError: the manifest does not name the command, or files of it are gone.
    """
    # The command loads what it needs to run; the options alone do not.
    from sqlverdict.cli.commands.runs.evaluate import evaluate

    words = evaluate_words(folder, manifest)
    if words[0] != evaluate.name:
        raise RunLogError(
            f"{folder} does not say which evaluate command made it: {words[0]!r} did.",
            reason="unknown_inputs",
        )
    try:
        context = evaluate.make_context(evaluate.name, list(words[1:]))
    except click.ClickException as error:
        raise RunLogError(
            f"the evaluate command of {folder} cannot be read again: {error.format_message()} "
            f"Start in the folder where it was given.",
            reason="unknown_inputs",
        ) from error
    args = build(EvaluateArgs, context.params)
    # The command of merged shards is that of the first one.
    data = replace(args.data, shard=shard_of(manifest))
    return replace(args, data=data)
