"""Build a benchmark with unanswerable questions: splits, templates, questions, lints."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict import __version__
from sqlverdict.abstain.benchmark.build import BuiltBenchmark, Material, build_benchmark
from sqlverdict.abstain.benchmark.lint import LintData, LintResult, run_lints
from sqlverdict.abstain.benchmark.preprocess.steps import check_steps, preprocess
from sqlverdict.abstain.benchmark.question_sources import schemas_of
from sqlverdict.abstain.benchmark.unanswerable import TYPES
from sqlverdict.abstain.benchmark.write import finish, prepare, write_benchmark, write_text
from sqlverdict.abstain.method import Tools
from sqlverdict.account import SPENDING, read_spending
from sqlverdict.cli.command import command
from sqlverdict.cli.options.build import (
    NONE,
    BuildArgs,
    BuildInputs,
    model_tools,
    read_material,
    recipe_of,
    recipe_record,
)
from sqlverdict.cli.options.limits import open_runner
from sqlverdict.cli.options.shared import command_line, print_json
from sqlverdict.errors import UsageError
from sqlverdict.execute.cache import default_path
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.lock import writing_folder
from sqlverdict.report.built_benchmark import (
    building_page,
    databases_table,
    findings_lines,
    lints_table,
    parts_table,
    types_table,
)
from sqlverdict.report.one_run.judge_section import spending_sentences
from sqlverdict.report.terminal.console import Screen, progress_line

Progress = Callable[[str, int, int], None]

_EXAMPLES = (
    "sqlverdict build --benchmark spider --root spider --split dev --cross-database \\",
    "    --pool triagesql.jsonl --out built",
    "sqlverdict build --cases mine.jsonl --databases dbs --out built --set seed=7",
    "sqlverdict build --benchmark demo --lint-only",
    "sqlverdict evaluate --cases built/test.jsonl --predictions preds.jsonl --out run",
)


@command(BuildArgs, examples=_EXAMPLES)
def build(args: BuildArgs) -> int:
    """Build a benchmark with answerable and unanswerable questions.

    Answerable questions are split 6:2:2 by question, with 20 % of the SQL templates only in
    validation and 20 % only in test; or, with --cross-database, by database. Test gets
    unanswerable questions of seven types, in equal numbers on each database: three about columns
    that do not exist (similar to existing ones, plausible, from other domains), ambiguous ones with
    two readings, requests that no query can fulfil, questions of another domain, and small talk of
    the pool. Lints then look for flaws that make such a benchmark less meaningful.

    Writes train.jsonl, validation.jsonl, test.jsonl, templates.jsonl, manifest.json, report.md
    and lints.json; evaluate reads the JSONL files with --cases.
    """
    if args.out is None and not args.lint_only:
        raise UsageError("name the benchmark's folder with --out DIR, or give --lint-only")
    with ExitStack() as locks:
        if args.out is not None and not args.lint_only:
            locks.enter_context(writing_folder(args.out))
        return _build_and_lint(args)


def _build_and_lint(args: BuildArgs) -> int:
    progress = _show_progress if sys.stderr.isatty() and not args.quiet else None
    built = manifest = None
    runner = open_runner(
        args.data.engine_name, args.timeout, default_path(), trust_role=args.trust_role
    )
    try:
        if args.lint_only:
            inputs = read_material(replace(args, train_split=NONE))
        else:
            assert args.out is not None, "checked above"
            inputs, built, manifest = _build(args, args.out, runner, progress)
        lints = _lint(args, inputs, built, runner, progress)
    finally:
        runner.close()
        if progress is not None:
            progress_line()
    if args.out is not None:
        _write_report(args.out, manifest, lints, inputs.name)
    if args.out is not None and manifest is not None:
        finish(args.out)
    if args.as_json:
        spending = None if args.out is None else read_spending(args.out / SPENDING)
        print_json({"manifest": manifest, "lints": lints, "spending": spending})
    else:
        _print(args, manifest, lints, inputs)
    bad = any(result.count("error") or result.count("warning") for result in lints)
    return int(args.strict and bad)


def _build(
    args: BuildArgs, out: Path, runner: QueryRunner, progress: Progress | None
) -> tuple[BuildInputs, BuiltBenchmark, dict[str, Any]]:
    recipe = recipe_of(args)
    prepare(out, overwrite=args.overwrite)
    inputs = read_material(args)
    with model_tools(args) as tools:
        material, steps = _preprocess(args, inputs.material, tools, runner)
        built = build_benchmark(material, recipe, tools=tools, runner=runner, tell=progress)
    built = replace(built, notes=(*inputs.notes, *steps, *built.notes))
    words = built.reworded
    about = {
        "sqlverdict": __version__,
        "source": inputs.name,
        "sources": [{"path": s.path, "sha256": s.sha256} for s in inputs.sources],
        "recipe": recipe_record(recipe, recipe.types or TYPES.names()),
        "preprocess": steps,
        "wording": None
        if words is None
        else {
            "model": args.llm.model,
            "prompts": list(words.purposes),
            "asked": words.requests,
            "used": words.used,
            "kept": dict(words.unchanged),
        },
        "command": command_line(),
    }
    return inputs, built, write_benchmark(built, out, about)


def _preprocess(
    args: BuildArgs, material: Material, tools: Tools | None, runner: QueryRunner
) -> tuple[Material, list[str]]:
    """The material after the steps that were asked for, and what each did."""
    steps = check_steps(args.preprocess)
    if not steps:
        return material, []
    own = replace(tools or Tools(seed=args.seed), runner=runner)
    cases, notes = preprocess(material.cases, steps, own, args.paraphrases)
    return replace(material, cases=cases), notes


def _lint(
    args: BuildArgs,
    inputs: BuildInputs,
    built: BuiltBenchmark | None,
    runner: QueryRunner,
    progress: Progress | None,
) -> list[LintResult]:
    if built is not None:
        cases, schemas = built.cases, built.schemas
    else:
        cases = list(inputs.material.cases)
        schemas = {} if args.no_proofs else schemas_of(cases, inputs.material.schemas)
    data = LintData(
        cases,
        schemas,
        runner=runner,
        seed=args.seed,
        clock=args.now,
        templates=built.templates if built is not None else None,
        meanings=built.meanings if built is not None else None,
        tell=progress,
    )
    return run_lints(data, args.lints)


def _show_progress(what: str, done: int, total: int) -> None:
    progress_line(f"{what}: {done:,} of {total:,}")


def _write_report(
    folder: Path, manifest: dict[str, Any] | None, lints: Sequence[LintResult], name: str
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    content = msgspec.json.format(msgspec.json.encode(lints)).decode()
    write_text(folder / "lints.json", content)
    # Without a benchmark the folder may be anybody's: another report is not to be replaced.
    page = "report.md" if manifest is not None else "lints.md"
    write_text(folder / page, building_page(manifest, lints, name))


def _print(
    args: BuildArgs,
    manifest: dict[str, Any] | None,
    lints: Sequence[LintResult],
    inputs: BuildInputs,
) -> None:
    screen = Screen()
    screen.line(inputs.name, "heading")
    for note in manifest["notes"] if manifest is not None else inputs.notes:
        screen.line(f"note: {note}", "quiet")
    if manifest is not None:
        screen.table(parts_table(manifest))
        screen.table(types_table(manifest))
        screen.table(databases_table(manifest))
    screen.table(lints_table(lints))
    for result in lints:
        lines = findings_lines(result, args.show)
        if lines and args.show:
            screen.heading(f"{result.lint}: {result.title}")
            for line in lines:
                screen.line(f"  {line}")
            screen.line(f"  -> {result.hint}", "quiet")
    if manifest is not None and args.out is not None:
        for line in spending_sentences(read_spending(args.out / SPENDING)):
            screen.line(line)
        screen.line()
        test = args.out / "test.jsonl"
        words = ["sqlverdict", "evaluate", "--cases", str(test), "--predictions", "FILE"]
        screen.line(f"next: {shlex.join([*words, '--out', 'RUN'])}", "quiet")
