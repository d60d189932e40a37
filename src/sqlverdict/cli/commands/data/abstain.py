"""Run, fit and apply abstention methods: generators, detectors and their compositions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sqlverdict.cli.options.abstain import (
    CASE_OPTIONS,
    LEARN_OPTIONS,
    WORLD_OPTIONS,
    answer,
    fit,
    given_of,
    threshold_lines,
    tools_of,
    with_options,
)
from sqlverdict.cli.options.common import FILE, FOLDER, as_json, examples, print_json


@click.group(
    epilog=examples(
        "sqlverdict abstain list",
        "sqlverdict abstain run 'clsprompt > sqlprompt > selfref' --benchmark spider \\",
        "    --root spider --train spider:train=spider --train triagesql=triage.jsonl \\",
        "    --model NAME --out p.jsonl",
        "sqlverdict abstain fit 't5[maxprob]' --train train.jsonl --validation valid.jsonl \\",
        "    --databases DIR --out fitted",
        "sqlverdict abstain run --fitted fitted --cases test.jsonl --databases DIR --out p.jsonl",
        "sqlverdict abstain apply 'voting(equality=proof)' --predictions p.jsonl \\",
        "    --cases c.jsonl --databases DIR --out q.jsonl",
        "sqlverdict evaluate --cases c.jsonl --predictions q.jsonl --out runs/q",
    ),
)
def abstain() -> None:
    """Systems that know when not to answer, written as one line.

    A line is a generator with detectors before it, behind it (>) and inside it ([...]):
    clsprompt > sqlprompt > selfref, t5[maxprob], recorded(path=p.jsonl)[voting].
    """


_NEEDS = (
    "needs: answerer, a language model (--model); desk, the databases (--databases); examples,",
    "states and unanswerable, questions to learn from (--train); drafts and threshold, questions",
    "that f answers and whose answers are marked (--validation); background, questions of no",
    "domain in particular (--background). One in full: sqlverdict abstain list NAME",
)


@abstain.command("list")
@click.argument("name", required=False)
@as_json
def list_(name: str | None, as_json: bool) -> None:
    """List the methods, or explain one."""
    from sqlverdict.abstain.method import ABSTAINERS, is_generator
    from sqlverdict.cli.members import doc
    from sqlverdict.report.terminal.console import Screen
    from sqlverdict.report.terminal.tables import table

    rows = [
        {
            "name": found,
            "kind": "generator" if is_generator(member) else f"detector, {member.place} f",
            "version": member.version,
            "needs": ", ".join(sorted(member.needs)),
            "what": doc(ABSTAINERS, found).partition("\n")[0],
        }
        for found, member in ABSTAINERS.items()
        if name is None or found == name
    ]
    if name is not None:
        text = doc(ABSTAINERS, name)
        options = {key: str(value) for key, value in _options_of(name).items()}
        if as_json:
            print_json({**rows[0], "options": options, "documentation": text})
            return
        click.echo(f"{text}\n\nOptions: {', '.join(f'{k}={v}' for k, v in options.items())}")
        return
    if as_json:
        print_json(rows)
        return
    heads = ("name", "kind", "needs", "what")
    left = tuple(range(len(heads)))
    screen = Screen()
    screen.table(table(heads, [tuple(str(row[h]) for h in heads) for row in rows], left=left))
    screen.line()
    for line in _NEEDS:
        screen.line(line, "quiet")


@abstain.command("fit")
@click.argument("line")
@with_options(LEARN_OPTIONS, WORLD_OPTIONS)
@click.option("--out", type=FOLDER, required=True, help="Where what was learned goes.")
@as_json
def fit_(line: str, **said: Any) -> None:
    """Let the methods of LINE learn, find their thresholds, and keep all that in a folder."""
    from sqlverdict.abstain.workflow import FittedComposition

    machine = FittedComposition(line)
    with tools_of(said, machine) as tools:
        fit(machine, said, tools)
    machine.save(said["out"])
    if said["as_json"]:
        print_json({**machine.about(), "out": said["out"]})
        return
    click.echo(f"{machine.composition}: fitted, kept in {said['out']}")
    for text in threshold_lines(machine):
        click.echo(text)


@abstain.command()
@click.argument("line", required=False)
@click.option("--fitted", type=FOLDER, help="What `abstain fit` kept, instead of LINE.")
@with_options(CASE_OPTIONS, LEARN_OPTIONS, WORLD_OPTIONS)
@click.option("--out", type=FILE, required=True, help="The predictions, as JSONL.")
@click.option("--overwrite", is_flag=True, help="Start anew where --out is there already.")
@as_json
def run(line: str | None, fitted: Path | None, **said: Any) -> int:
    """Answer a benchmark's questions with LINE and write predictions that `evaluate` reads.

    The same command goes on where it stopped. Cases for which no model could be asked are not
    written, and make the exit code 4.
    """
    from sqlverdict.abstain.workflow import FittedComposition
    from sqlverdict.errors import UsageError

    if (line is None) == (fitted is None):
        raise UsageError("give either LINE, such as 't5[maxprob]', or --fitted FOLDER")
    machine = (
        FittedComposition(line) if line is not None else FittedComposition.load(fitted or Path())
    )
    return answer(machine, said, learn=line is not None)


@abstain.command()
@click.argument("detector", required=False)
@click.option("--predictions", type=FILE, required=True, help="Whose answers are looked at.")
@click.option(
    "--known-predictions",
    "known",
    type=FILE,
    multiple=True,
    help="The system's answers to the questions to learn from. Repeatable.",
)
@click.option("--fitted", type=FOLDER, help="What `abstain fit` kept, instead of DETECTOR.")
@with_options(CASE_OPTIONS, LEARN_OPTIONS, WORLD_OPTIONS)
@click.option("--out", type=FILE, required=True, help="The predictions that are left, as JSONL.")
@click.option("--overwrite", is_flag=True, help="Start anew where --out is there already.")
@as_json
def apply(
    detector: str | None,
    predictions: Path,
    known: tuple[Path, ...],
    fitted: Path | None,
    **said: Any,
) -> int:
    """Let a DETECTOR hold back some of the answers of a predictions file.

    DETECTOR is a method with its options, such as 'maxent(threshold=-0.3)' or voting, or a line
    whose generator is recorded.
    """
    from sqlverdict.abstain.apply import detector_machine, drafts_for
    from sqlverdict.abstain.generators.recorded import RecordedGenerator
    from sqlverdict.abstain.predictions import read_drafts
    from sqlverdict.abstain.workflow import FittedComposition
    from sqlverdict.cli.options.inputs import read_benchmark
    from sqlverdict.errors import UsageError
    from sqlverdict.files.digests import sha256_file

    if (detector is None) == (fitted is None):
        raise UsageError("give either DETECTOR, such as voting, or --fitted FOLDER")
    machine = detector_machine(detector) if detector else FittedComposition.load(fitted or Path())
    recorded = RecordedGenerator()
    recorded.drafts = {key: one for file in known for key, one in read_drafts(file).items()}
    answers = drafts_for(read_benchmark(given_of(said)).cases, predictions)
    machine.generator = recorded

    def turn_to_the_answers() -> None:
        recorded.drafts = answers

    return answer(
        machine,
        said,
        learn=detector is not None,
        inputs={"predictions": sha256_file(predictions)},
        learned=turn_to_the_answers,
    )


def _options_of(name: str) -> dict[str, Any]:
    """A method's options with their defaults."""
    from dataclasses import fields

    from sqlverdict.abstain.method import ABSTAINERS

    member = ABSTAINERS.get(name)
    return {one.name: getattr(member, one.name) for one in fields(member) if one.init}
