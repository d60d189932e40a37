"""The options of ``abstain``, and what they build: lessons, a language model, tools."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sqlverdict.cli.options.common import ANY_PATH, FILE, print_json
from sqlverdict.errors import UsageError

if TYPE_CHECKING:
    from sqlverdict.abstain.method import Tools, TrainingData, TrainingExample
    from sqlverdict.abstain.session import SessionCounts
    from sqlverdict.abstain.workflow import FittedComposition
    from sqlverdict.cli.options.inputs import DataInputs
    from sqlverdict.llm.request import Answerer
    from sqlverdict.load.benchmark import Benchmark
    from sqlverdict.parse.schema import Schema

F = TypeVar("F", bound=Callable[..., Any])

_USUAL_URL = "https://api.openai.com/v1"
_SPEC = "[FORMAT[:SPLIT]=]PATH"

CASE_OPTIONS = (
    click.option("--benchmark", metavar="NAME", help="A format: trustsql, spider, jsonl, demo ..."),
    click.option("--root", type=ANY_PATH, help="The benchmark's folder, or its file."),
    click.option("--split", default="dev", show_default=True, help="Which part of it."),
    click.option("--cases", type=FILE, help="Cases as JSONL or CSV, instead of a benchmark."),
    click.option("--limit", type=click.IntRange(1), help="Only the first N cases."),
    click.option("--only", metavar="ID,ID", help="Only these cases."),
)
LEARN_OPTIONS = (
    click.option("--train", multiple=True, metavar=_SPEC, help="To learn from. Repeatable."),
    click.option("--validation", multiple=True, metavar=_SPEC, help="For thresholds. Repeatable."),
    click.option(
        "--background",
        multiple=True,
        metavar=_SPEC,
        help="Questions of no domain, such as triagesql=FILE. Repeatable.",
    ),
    click.option("--preset", default="strict", show_default=True, help="Marks answers right."),
    click.option(
        "--risk",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        help="Certify this error rate, instead of the heuristic threshold.",
    ),
    click.option(
        "--delta",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.1,
        show_default=True,
        help="The chance that the certificate is wrong.",
    ),
)
WORLD_OPTIONS = (
    click.option("--databases", type=ANY_PATH, help="Where the databases lie."),
    click.option("--schema", type=ANY_PATH, help="tables.json, CREATE statements or a folder."),
    click.option("--model", metavar="NAME", default="", help="The language model."),
    click.option(
        "--base-url", metavar="URL", help="Its server. [default: $OPENAI_BASE_URL, else OpenAI]"
    ),
    click.option("--key-variable", metavar="NAME", help="The variable that holds the key."),
    click.option("--reply-cache", type=FILE, help="The file of cached replies."),
    click.option("--max-cost", type=click.FloatRange(0), metavar="USD", help="Stop at this cost."),
    click.option("--max-tokens", type=click.IntRange(1), default=512, help="Of one reply."),
    click.option("--concurrency", type=click.IntRange(1), default=8, help="Calls at a time."),
    click.option("--call-timeout", type=click.FloatRange(1), default=120.0, help="Seconds a call."),
    click.option("--max-per-minute", type=click.FloatRange(1), help="Calls a minute at most."),
    click.option("--device", default="auto", show_default=True, help="For t5: auto, cpu, cuda."),
    click.option("--seed", type=int, default=0, show_default=True, help="For all that draws."),
    click.option("--engine", default="sqlite", show_default=True, help="What runs the queries."),
    click.option("--quiet", is_flag=True, help="Say nothing but the result."),
)


def with_options(*groups: Sequence[Callable[[F], F]]) -> Callable[[F], F]:
    """Several groups of options on one command."""

    def put(command: F) -> F:
        for group in reversed(groups):
            for option in reversed(group):
                command = option(command)
        return command

    return put


def given_of(said: dict[str, Any]) -> DataInputs:
    """What the user said about the cases."""
    from sqlverdict.cli.options.inputs import DataInputs

    only = tuple(part.strip() for part in (said["only"] or "").split(",") if part.strip())
    return DataInputs(
        benchmark=said["benchmark"],
        root=said["root"],
        split=said["split"],
        cases=said["cases"],
        databases=said["databases"],
        schema=said["schema"],
        limit=said["limit"],
        only=only,
    )


def schemas_of(said: dict[str, Any]) -> dict[str, Schema]:
    """The schemas of ``--schema``, by database."""
    from sqlverdict.parse.schemas.load import load_schemas

    return load_schemas(said["schema"]) if said["schema"] is not None else {}


def lessons_of(said: dict[str, Any]) -> tuple[TrainingData, dict[str, str]]:
    """What there is to learn from, and the digests of the files.

    Raises:
        UsageError: a file's format is unknown.
    """
    from sqlverdict.abstain.method import TrainingData

    inputs: dict[str, str] = {}
    schemas = schemas_of(said)
    parts = {
        part: [
            example
            for spec in said[part]
            for example in _examples(spec, part, said["databases"], schemas, inputs)
        ]
        for part in ("train", "validation", "background")
    }
    return TrainingData(parts["train"], parts["validation"], parts["background"]), inputs


def _examples(
    spec: str,
    part: str,
    databases: Path | None,
    schemas: dict[str, Schema],
    inputs: dict[str, str],
) -> list[TrainingExample]:
    from sqlverdict.abstain.database_index import DatabaseIndex

    benchmark = _read(spec, databases)
    for source in benchmark.sources:
        inputs[f"{part} {Path(source.path).name}"] = source.sha256
    # A file may hold recorded questions whose text is lost; nothing can be learned from them.
    homes = DatabaseIndex.of(benchmark.cases, schemas)
    return [homes.example(case) for case in benchmark.cases if case.question.strip()]


def _read(spec: str, databases: Path | None) -> Benchmark:
    from sqlverdict.load.benchmark import BENCHMARKS

    name, sign, path = spec.partition("=")
    if not sign or Path(spec).exists():
        name, path = "jsonl", spec
    form, _, split = name.partition(":")
    return BENCHMARKS.get(form).read(Path(path), split=split or "dev", databases=databases)


@contextmanager
def tools_of(said: dict[str, Any], machine: FittedComposition) -> Iterator[Tools]:
    """The outside world, closed when the work is over.

    Raises:
        UsageError: a language model is needed and none is named.
    """
    from sqlverdict.abstain.method import Tools
    from sqlverdict.execute.engine import Limits
    from sqlverdict.execute.query_runner import QueryRunner

    desk = QueryRunner(said["engine"], Limits())
    try:
        with _asking(said, machine) as answerer:
            yield Tools(
                answerer=answerer,
                model=said["model"],
                desk=desk,
                concurrency=said["concurrency"],
                max_tokens=said["max_tokens"],
                device=said["device"],
                seed=said["seed"],
                say=_nothing if said["quiet"] else _say,
            )
    finally:
        desk.close()


@contextmanager
def _asking(said: dict[str, Any], machine: FittedComposition) -> Iterator[Answerer | None]:
    if "answerer" not in machine.needs:
        yield None
        return
    if not said["model"]:
        raise UsageError(
            f"{machine.composition} asks a language model: name it with --model, and its server "
            f"with --base-url"
        )
    from sqlverdict.llm.cache import ReplyCache, default_path
    from sqlverdict.llm.client import Client
    from sqlverdict.llm.http.endpoint import Endpoint

    endpoint = Endpoint(
        said["base_url"] or os.environ.get("OPENAI_BASE_URL") or _USUAL_URL,
        said["model"],
        key_variable=said["key_variable"] or "",
        timeout=said["call_timeout"],
        concurrency=said["concurrency"],
        max_per_minute=said["max_per_minute"],
    )
    cache = ReplyCache(said["reply_cache"] or default_path())
    try:
        with Client(endpoint, cache, said["max_cost"]) as client:
            yield client
    finally:
        cache.close()


def answer(
    machine: FittedComposition,
    said: dict[str, Any],
    *,
    learn: bool,
    inputs: Mapping[str, str] | None = None,
    learned: Callable[[], None] = lambda: None,
) -> int:
    """Learn where that is asked for, answer the cases, and say what came out.

    Args:
        machine: The composition.
        said: The options.
        learn: Whether it is still to be fitted.
        inputs: What else decides the answers.
        learned: Called between learning and answering.

    Returns:
        The exit code.
    """
    from sqlverdict.abstain.session import answer_cases
    from sqlverdict.cli.options.inputs import read_benchmark, select
    from sqlverdict.errors import Interrupted

    given = given_of(said)
    benchmark = select(read_benchmark(given), given)
    sources = {Path(source.path).name: source.sha256 for source in benchmark.sources}
    with tools_of(said, machine) as tools:
        if learn:
            fit(machine, said, tools)
        learned()
        try:
            tally = answer_cases(
                machine,
                benchmark.cases,
                said["out"],
                tools,
                inputs={**sources, **(inputs or {})},
                schemas=schemas_of(said),
                overwrite=said["overwrite"],
            )
        except KeyboardInterrupt:
            raise Interrupted("stopped; the same command goes on from there") from None
    _show(machine, tally, said)
    return 4 if tally.open else 0


def fit(machine: FittedComposition, said: dict[str, Any], tools: Tools) -> None:
    """Let a machine learn, from the files and in the way that the options say."""
    lessons, machine.learned_from = lessons_of(said)
    machine.fit(lessons, tools, preset=said["preset"], risk=said["risk"], delta=said["delta"])


def threshold_lines(machine: FittedComposition) -> Iterator[str]:
    """The thresholds that were found, in words."""
    from sqlverdict.files.text import count

    for found in machine.calibrations:
        level = "never answer" if found.threshold == math.inf else f"{found.threshold:.6g}"
        yield (
            f"{found.detector}: threshold {level} ({found.how}); of "
            f"{count(found.items, 'validation answer')} it lets {found.answered:,} through, "
            f"{found.wrong:,} of them wrong"
        )


def _show(machine: FittedComposition, tally: SessionCounts, said: dict[str, Any]) -> None:
    from sqlverdict.abstain.session import manifest_path
    from sqlverdict.files.text import count

    if said["as_json"]:
        counts = {**asdict(tally), "abstained": dict(tally.abstained)}
        print_json({**machine.about(), **counts, "predictions": said["out"]})
        return
    click.echo(f"{machine.composition}: {count(tally.cases, 'case')}")
    for line in threshold_lines(machine):
        click.echo(line)
    if tally.resumed:
        click.echo(f"{tally.resumed:,} were answered before")
    held = ", ".join(f"{times:,} by {name}" for name, times in tally.abstained.most_common())
    click.echo(
        f"{tally.answered:,} answered, {tally.abstained.total():,} held back"
        + (f" ({held})" if held else "")
        + f", {tally.no_sql:,} without SQL"
    )
    click.echo(f"predictions: {said['out']}, manifest: {manifest_path(said['out'])}")
    if tally.open:
        click.echo(
            f"no answer, and none in the file, for {count(tally.open, 'case')}: {tally.problem} "
            f"Run the same command again to go on. (exit code 4)",
            err=True,
        )


def _say(line: str) -> None:
    click.echo(line, err=True)


def _nothing(line: str) -> None:
    del line
