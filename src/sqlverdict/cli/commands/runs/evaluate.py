"""Evaluate predictions against a benchmark: scores, verdicts, evidence, reports."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.evaluate_runs import evaluate_cases, read_cases, run_systems
from sqlverdict.cli.options.judge import open_judge
from sqlverdict.cli.options.llm import show_estimate
from sqlverdict.cli.options.run import EvaluateArgs, OutputArgs, run_options
from sqlverdict.cli.options.shared import command_line, command_words, options_on_line, print_json
from sqlverdict.cli.show_run import run_json, show_end, show_notes, show_run, show_runs, show_trials
from sqlverdict.errors import Contradiction, Interrupted, UsageError
from sqlverdict.files.text import count
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.pipeline import Options
from sqlverdict.report.files import size_notes, write_reports
from sqlverdict.report.one_run.sections import (
    CANNOT_RUN,
    Outcome,
    headline,
    outcome,
    unscored_messages,
)
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.progress import LiveProgress
from sqlverdict.runlog.manifest import MANIFEST
from sqlverdict.runlog.merge import merge_runs
from sqlverdict.runlog.run import Run

if TYPE_CHECKING:
    from sqlverdict.report.several_runs.trials import TrialsReport

_OF_MERGE = ("merge", "out", "overwrite", "page", "quiet", "as_json")
"""The options that a merge reads."""
_SHOW = 10
"""The ids of this many questions on which trials disagree are printed."""
_EXAMPLES = (
    "sqlverdict evaluate --benchmark spider --root spider --predictions mine.txt",
    "sqlverdict evaluate --benchmark bird --root bird --predictions preds.json \\",
    "    --metrics 'ex[bird],ex' --out runs/mine",
    "sqlverdict evaluate --cases dev_gold.sql --databases database --predictions mine.txt",
    "sqlverdict evaluate --cases answers.csv --databases shop.sqlite    # answers inside",
    "sqlverdict evaluate --cases q.xlsx --databases shop.sqlite --predictions bot.csv \\",
    "    --column Expected=gold --column Answer=prediction",
    "sqlverdict evaluate --cases models.xlsx --databases shop.sqlite \\",
    "    --system gpt-4o --system llama --out runs      # a column for each system",
    "sqlverdict evaluate --cases cases.jsonl            # any size",
    "sqlverdict evaluate --benchmark trustsql --root test.jsonl --databases DIR --system demo",
    "sqlverdict evaluate ... --refute 400               # is a match luck? show the data",
    "sqlverdict evaluate ... --metrics ex,verdict --no-llm   # proofs, witnesses, relations",
    "sqlverdict evaluate ... --metrics ex,verdict --model gpt-4o --max-cost 5",
    "sqlverdict evaluate ... --judge flex --model NAME --base-url http://127.0.0.1:8080/v1",
    "sqlverdict evaluate --benchmark flex --root agreement.jsonl --schema ddl.json \\",
    "    --judge replay --metrics ex,flex,verdict",
    "sqlverdict evaluate ... --predictions a=a.txt --predictions b=b.txt --out runs",
    "sqlverdict evaluate ... --golds experts=fixed.jsonl   # corrected golds",
    "sqlverdict evaluate ... --shard 1/2 --out runs/part1         # on one machine",
    "sqlverdict evaluate ... --shard 2/2 --out runs/part2         # on another",
    "sqlverdict evaluate --merge runs/part1 --merge runs/part2 --out runs/mine",
)


@command(EvaluateArgs, examples=_EXAMPLES)
def evaluate(args: EvaluateArgs) -> int:
    """Evaluate one or several systems' predictions.

    Name the cases with --cases, a file of your own, or with --benchmark and --root.
    Run the same command again to continue a run that was interrupted.

    A prediction file may have several answers to each question. Each of them is a trial with a run
    of its own, and pass@k and their agreement are printed.

    Cases that cannot be evaluated (a missing database, a gold query that fails) are not part of
    the scores. They are counted, and the exit code is 4; if no case could be evaluated, it is 3.
    A pair that is both proved and refuted is a bug of sqlverdict: the case is saved and the run
    stops with exit code 5; run the same command again to continue after it.

    The metric verdict is decided by proofs, witnesses and relations. With --model (and --judge) a
    language model decides what they leave open. Its replies are cached, so that no call is paid
    for twice. With --no-llm no model is called, and the report lists what it would be asked.

    With --merge the shards of one evaluation become one run: the one that a single process would
    have written. All of them must be finished and there once, with the same inputs, options,
    versions and databases.
    """
    if args.output.merge:
        return _merge_shards(args.output)
    with ExitStack() as stack:
        if args.output.as_json and not args.judge.dry_run:
            # What a plug-in prints must not stand in the JSON.
            stack.enter_context(redirect_stdout(sys.stderr))
        progress = None if args.output.quiet else stack.enter_context(LiveProgress())
        options = replace(run_options(args, progress), command=command_words())
        benchmark, options = read_cases(args, options)
        runs = _run(benchmark, args, options)
    if args.judge.dry_run:
        return 0
    for run in runs:
        write_reports(run, command_line(), html=args.output.page)
    end = outcome([run.summary for run in runs])
    if args.output.as_json:
        records: dict[str, object] = {"runs": [run_json(run) for run in runs]}
        trials = _trials(runs)
        records |= {"trials": trials} if trials else {}
        print_json({"exit_code": end.exit_code, "outcome": end.message, **records})
    else:
        _print(runs, end, quiet=args.output.quiet)
    return end.exit_code


def _run(benchmark: Benchmark, args: EvaluateArgs, options: Options) -> Sequence[Run]:
    if args.judge.dry_run:
        _estimate(benchmark, args, options)
        return []
    return evaluate_cases(benchmark, args, options)


def _estimate(benchmark: Benchmark, args: EvaluateArgs, options: Options) -> None:
    """Do everything but call a model, in a temporary folder, and print what the calls would cost.

    Raises:
        Contradiction: pairs are both proved and refuted.
    """
    with TemporaryDirectory() as folder, open_judge(args.judge, benchmark) as session:
        assert session.llm is not None, "a dry run has a model"
        output = replace(args.output, out=Path(folder), overwrite=False)
        elsewhere = replace(args, output=output)
        # A contradiction is a bug of ours: its files are kept where a run would keep them.
        collecting = replace(
            run_options(elsewhere, options.progress),
            judge=session.judging,
            proof=options.proof,
        )
        contradicted = _collect(lambda: run_systems(benchmark, elsewhere, collecting))
        retries = args.judge.settings().retries_unparseable
        show_estimate(session.llm, retries, as_json=args.output.as_json)
    if contradicted:
        saved = options.proof.folder if options.proof is not None else None
        raise Contradiction(
            f"pairs are both proved and refuted, a bug of sqlverdict; the cases are saved in "
            f"{saved}. Please report them. The estimate leaves these cases out"
        )


def _collect(work: Callable[[], object]) -> bool:
    """Go through all cases of a dry run; whether any of them is a contradiction."""
    messages: set[str] = set()
    while True:
        try:
            work()
        except Interrupted:
            # Nobody answers in a dry run, so that it never ends as a whole run does.
            return bool(messages)
        except Contradiction as error:
            # The run continues after it, as the same command would. One that stops at the same
            # case again would never end.
            if str(error) in messages:
                return True
            messages.add(str(error))
        else:
            return bool(messages)


def _print(runs: Sequence[Run], end: Outcome, *, quiet: bool) -> None:
    """Print finished runs.

    Args:
        runs: The runs.
        end: How they ended.
        quiet: Print a line each.
    """
    screen = Screen()
    if quiet:
        for run in runs:
            for note in run.resumed:
                click.echo(f"note: {note}", err=True)
            screen.line(headline(run))
        if end.exit_code:
            click.echo(f"{end.message} (exit code {end.exit_code})", err=True)
        for note in dict.fromkeys(note for run in runs for note in _fault_notes(run)):
            click.echo(f"note: {note}", err=True)
        return
    trials = _trials(runs)
    systems = [run for run in runs if not run.manifest.trial_of]
    if len(systems) == 1 and not trials:
        show_run(screen, systems[0])
    elif systems:
        show_runs(screen, systems)
    for name, report in trials.items():
        screen.line(f"{name} on {runs[0].manifest.benchmark}", "heading")
        show_trials(screen, report, _SHOW)
    show_end(screen, runs, end)


def _fault_notes(run: Run) -> list[str]:
    """Why cases could not be evaluated; what a note on the data says already is that note."""
    missing = [note for note in run.manifest.notes if CANNOT_RUN in note]
    return [*(missing if run.summary.faults else ()), *unscored_messages(run)]


def _trials(runs: Sequence[Run]) -> dict[str, TrialsReport]:
    """What the trials of each system come to; empty where no run is a trial."""
    if not any(run.manifest.trial_of for run in runs):
        return {}
    # Imported here: most runs are no trials.
    from sqlverdict.report.several_runs.trials import read_trials, trials_by_system

    return {name: read_trials(own) for name, own in trials_by_system(runs).items()}


def _merge_shards(args: OutputArgs) -> int:
    """Put finished shards together, write the reports of the whole run, and return the exit code.

    Raises:
        UsageError: an option says what to evaluate, or none says where the run goes.
        RunLogError: they are not the shards of one evaluation, each finished and there once.
    """
    for name, spelling in options_on_line().items():
        if name not in _OF_MERGE:
            raise UsageError(f"{spelling} is for an evaluation: leave it out with --merge")
    if args.out is None:
        raise UsageError("--merge goes with --out FOLDER, the folder of the whole run")
    shards = list(_shards(args.merge, args.out))
    run = merge_runs(shards, args.out, overwrite=args.overwrite)
    write_reports(run, command_line(), html=args.page)
    end = outcome([run.summary])
    if args.as_json:
        print_json({"exit_code": end.exit_code, "outcome": end.message, "runs": [run_json(run)]})
    else:
        screen = Screen()
        screen.line(
            f"{count(run.summary.cases, 'case')} of {count(len(shards), 'shard')}: {args.out}"
        )
        show_notes(screen, size_notes(run))
    return end.exit_code


def _shards(folders: Sequence[Path], out: Path) -> Iterator[Path]:
    """The runs of shards: the folders that are runs, and in place of any other the runs in it.

    ``out``, where the merged run goes, is never one of them.
    """
    for folder in folders:
        inside = sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))
        if (folder / MANIFEST).is_file() or not inside:
            yield folder
        else:
            yield from (run for run in inside if run.resolve() != out.resolve())
