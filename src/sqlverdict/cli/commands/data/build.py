"""Build a benchmark with unanswerable questions: splits, templates, questions, lints."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sqlverdict.cli.options.common import (
    ANY_PATH,
    FILE,
    FOLDER,
    as_json,
    command_line,
    examples,
    print_json,
)
from sqlverdict.report.terminal.console import progress_line

if TYPE_CHECKING:
    from sqlverdict.abstain.benchmark.build import BuiltBenchmark
    from sqlverdict.abstain.benchmark.lint import LintResult
    from sqlverdict.cli.options.build import BuildInputs

_EXAMPLES = examples(
    "sqlverdict build --benchmark spider --root spider --split dev --cross-database \\",
    "    --pool triagesql.jsonl --out built",
    "sqlverdict build --cases mine.jsonl --databases dbs --out built --seed 7",
    "sqlverdict build --benchmark demo --lint-only",
    "sqlverdict evaluate --cases built/test.jsonl --predictions preds.jsonl --out run",
)
_SHARE = click.FloatRange(0)


@click.command(epilog=_EXAMPLES)
@click.option("--benchmark", metavar="NAME", help="A format: spider, bird, jsonl, demo ...")
@click.option("--root", type=ANY_PATH, help="The benchmark's folder, or its file.")
@click.option("--cases", type=FILE, help="Cases as JSONL or CSV, instead of a benchmark.")
@click.option("--split", default="dev", show_default=True, help="Which parts, as in train,dev.")
@click.option("--databases", type=ANY_PATH, help="Where the databases lie.")
@click.option("--schema", type=ANY_PATH, help="tables.json, CREATE statements, .sql or a folder.")
@click.option(
    "--column", "columns", multiple=True, metavar="NAME=FIELD", help="Read a column as our field."
)
@click.option("--out", type=FOLDER, help="Where the benchmark goes.")
@click.option("--overwrite", is_flag=True, help="Replace a benchmark that is there.")
@click.option(
    "--cross-database", is_flag=True, help="Train stays; the split is halved by database."
)
@click.option(
    "--train-split",
    default="train",
    show_default=True,
    help="With --cross-database: the split that stays train, or none.",
)
@click.option("--parts", default="6:2:2", show_default=True, help="Train, validation, test.")
@click.option(
    "--unseen",
    default=0.2,
    show_default=True,
    type=click.FloatRange(0, 0.5, max_open=True),
    help="Templates kept for validation, and for test.",
)
@click.option(
    "--leftover",
    type=click.Choice(["move", "drop"]),
    default="move",
    show_default=True,
    help="Questions elsewhere with a template that is kept for one part.",
)
@click.option("--seed", default=0, show_default=True, help="Decides everything left to chance.")
@click.option(
    "--unanswerable",
    default=1.0,
    show_default=True,
    type=_SHARE,
    metavar="SHARE",
    help="Unanswerable test questions for each answerable one.",
)
@click.option("--types", metavar="A,B", help="Types of unanswerable questions. [default: all]")
@click.option("--pool", type=ANY_PATH, help="Questions from elsewhere, for out-of-domain ones.")
@click.option("--pool-types", metavar="A,B", help="Of TriageSQL's. [default: small talk]")
@click.option("--pool-benchmark", metavar="NAME", help="Read the pool as a benchmark.")
@click.option("--no-proofs", is_flag=True, help="Do not look for templates that mean the same.")
@click.option("--lint-only", is_flag=True, help="Build nothing; look at the benchmark as it is.")
@click.option("--lints", metavar="A,B", help="Which lints. [default: all]")
@click.option("--clock", default="", metavar="TIME", help="The present of the questions.")
@click.option("--show", default=5, show_default=True, type=click.IntRange(0), help="Findings.")
@click.option("--strict", is_flag=True, help="Errors and warnings of lints fail (exit code 1).")
@click.option("--timeout", default=30.0, show_default=True, help="Seconds that a gold may take.")
@click.option("--model", metavar="NAME", help="A language model that words the questions.")
@click.option("--base-url", metavar="URL", help="Its server. [default: $OPENAI_BASE_URL, OpenAI]")
@click.option("--key-variable", metavar="NAME", help="The variable that holds the key.")
@click.option("--reply-cache", type=FILE, help="The file of cached replies.")
@click.option("--max-cost", type=_SHARE, metavar="USD", help="Stop asking at this cost.")
@click.option("--concurrency", type=click.IntRange(1), default=8, help="Calls at the same time.")
@click.option("--quiet", is_flag=True, help="No progress.")
@as_json
def build(**said: Any) -> int:
    """Build a benchmark with answerable and unanswerable questions.

    Answerable questions are split 6:2:2 by question, with 20 % of the SQL templates kept for
    validation alone and 20 % for test alone; or, with --cross-database, by database. Test gets
    unanswerable questions of five types: columns that do not exist (like existing ones, well
    possible, from other worlds), requests that no query can do, questions about anything else.
    Then lints look for what makes such a benchmark say less than it seems to.

    Writes train.jsonl, validation.jsonl, test.jsonl, templates.jsonl, manifest.json, report.md
    and lints.json; evaluate reads the JSONL files with --cases.
    """
    from sqlverdict.cli.options.build import read_material
    from sqlverdict.errors import UsageError

    if said["out"] is None and not said["lint_only"]:
        raise UsageError("say where the benchmark goes with --out DIR, or give --lint-only")
    tell = _progress() if sys.stderr.isatty() and not said["quiet"] else None
    try:
        if said["lint_only"]:
            built, manifest, read = None, None, read_material({**said, "train_split": "none"})
        else:
            read, built, manifest = _build(said, tell)
        lints = _lint(said, read, built, tell)
    finally:
        if tell is not None:
            progress_line()
    if said["out"] is not None:
        _write_report(said["out"], manifest, lints, read.name)
    if said["as_json"]:
        print_json({"manifest": manifest, "lints": lints})
    else:
        _print(said, manifest, lints, read)
    bad = any(found.count("error") or found.count("warning") for found in lints)
    return int(said["strict"] and bad)


def _build(
    said: dict[str, Any], tell: Callable[[str, int, int], None] | None
) -> tuple[BuildInputs, BuiltBenchmark, dict[str, Any]]:
    from dataclasses import replace

    from sqlverdict import __version__
    from sqlverdict.abstain.benchmark.build import build as make
    from sqlverdict.abstain.benchmark.unanswerable_type import TYPES
    from sqlverdict.abstain.benchmark.write import prepare, write_benchmark
    from sqlverdict.cli.options.build import (
        model_tools,
        read_material,
        recipe_of,
        recipe_record,
    )

    recipe = recipe_of(said)
    prepare(said["out"], overwrite=said["overwrite"])
    read = read_material(said)
    with model_tools(said) as tools:
        built = make(read.material, recipe, tools=tools, tell=tell)
    built = replace(built, notes=(*read.notes, *built.notes))
    words = built.reworded
    about = {
        "sqlverdict": __version__,
        "source": read.name,
        "sources": [{"path": s.path, "sha256": s.sha256} for s in read.sources],
        "recipe": recipe_record(recipe, recipe.types or TYPES.names()),
        "wording": None
        if words is None
        else {
            "model": said["model"],
            "prompts": list(words.purposes),
            "asked": words.asked,
            "used": words.used,
            "kept": dict(words.kept),
        },
        "command": command_line(),
    }
    return read, built, write_benchmark(built, said["out"], about)


def _lint(
    said: dict[str, Any],
    read: BuildInputs,
    built: BuiltBenchmark | None,
    tell: Callable[[str, int, int], None] | None,
) -> list[LintResult]:
    from sqlverdict.abstain.benchmark.lint import LintData, run_lints
    from sqlverdict.abstain.benchmark.question_sources import schemas_of
    from sqlverdict.cli.options.build import names_in
    from sqlverdict.execute.cache import AnswerCache, default_path
    from sqlverdict.execute.engine import Limits
    from sqlverdict.execute.query_runner import QueryRunner

    desk = QueryRunner("sqlite", Limits(seconds=said["timeout"]), AnswerCache(default_path()))
    try:
        cases = built.cases if built is not None else list(read.material.cases)
        given = read.material.schemas
        proofs = not said["no_proofs"]
        data = LintData(
            cases,
            built.schemas if built is not None else schemas_of(cases, given) if proofs else {},
            desk=desk,
            seed=said["seed"],
            clock=said["clock"],
            templates=built.templates if built is not None else None,
            meanings=built.meanings if built is not None else None,
            tell=tell,
        )
        return run_lints(data, names_in(said["lints"]))
    finally:
        desk.close()


def _progress() -> Callable[[str, int, int], None]:
    def tell(what: str, done: int, total: int) -> None:
        progress_line(f"{what}: {done:,} of {total:,}")

    return tell


def _write_report(
    folder: Path, manifest: dict[str, Any] | None, lints: Sequence[LintResult], name: str
) -> None:
    import msgspec

    from sqlverdict.abstain.benchmark.report import building_page
    from sqlverdict.abstain.benchmark.write import write_text

    folder.mkdir(parents=True, exist_ok=True)
    content = msgspec.json.format(msgspec.json.encode(lints)).decode()
    write_text(folder / "lints.json", content)
    # Without a benchmark the folder may be anybody's: another report is not to be replaced.
    page = "report.md" if manifest is not None else "lints.md"
    write_text(folder / page, building_page(manifest, lints, name))


def _print(
    said: dict[str, Any],
    manifest: dict[str, Any] | None,
    lints: Sequence[LintResult],
    read: BuildInputs,
) -> None:
    from sqlverdict.abstain.benchmark.report import (
        findings_lines,
        lints_table,
        parts_table,
        types_table,
    )
    from sqlverdict.report.terminal.console import Screen

    screen = Screen()
    screen.line(read.name, "heading")
    for note in manifest["notes"] if manifest is not None else read.notes:
        screen.line(f"note: {note}", "quiet")
    if manifest is not None:
        screen.table(parts_table(manifest))
        screen.table(types_table(manifest))
    screen.table(lints_table(lints))
    for linted in lints:
        lines = findings_lines(linted, said["show"])
        if lines and said["show"]:
            screen.heading(f"{linted.lint}: {linted.title}")
            for line in lines:
                screen.line(f"  {line}")
            screen.line(f"  -> {linted.hint}", "quiet")
    if manifest is not None:
        screen.line()
        test = said["out"] / "test.jsonl"
        screen.line(
            f"next: sqlverdict evaluate --cases {test} --predictions FILE --out RUN", "quiet"
        )


command = build
