"""Find golds that may be wrong, from the golds and the answers of systems, with evidence."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import click
import msgspec

from sqlverdict.audit.gold import SUSPECT_RANK, Audit, Suspect, suspect_golds
from sqlverdict.audit.gold_markdown import audit_text
from sqlverdict.audit.gold_report import Rerun
from sqlverdict.audit.suspicion import SUSPICIONS
from sqlverdict.cli.command import command
from sqlverdict.cli.options.data import DataArgs, read_benchmark
from sqlverdict.cli.options.fields import Heading, group, option, setting
from sqlverdict.cli.options.limits import open_runner
from sqlverdict.cli.options.shared import (
    FILE,
    NumberRange,
    html_option,
    json_option,
    print_json,
    runs_argument,
    schema_option,
    show_option,
    timeout_option,
    trust_role_setting,
)
from sqlverdict.cli.proposals import (
    DatabaseOf,
    Proposals,
    find_proposals,
    proposal_notes,
    proposals_text,
    show_proposals,
    write_review,
)
from sqlverdict.cli.show_run import show_notes
from sqlverdict.cli.write_html import write_html
from sqlverdict.errors import DatabaseError, SchemaError, UsageError
from sqlverdict.execute.cache import default_path
from sqlverdict.execute.engine import ENGINES
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.atomic import replacing
from sqlverdict.files.references import is_at_hand
from sqlverdict.files.text import count
from sqlverdict.load.databases import find_databases
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.records import Case, Outcome
from sqlverdict.report.terminal.console import Screen, progress_line
from sqlverdict.report.terminal.tables import short, table
from sqlverdict.runlog.run import Run, read_run

_EXAMPLES = (
    "sqlverdict audit --benchmark spider --root spider",
    "sqlverdict audit runs/a runs/b runs/c",
    "sqlverdict audit runs/* --benchmark bird --root bird --out suspects.md",
    "sqlverdict audit runs/* --benchmark bird --root bird --execute --out suspects.jsonl",
    "sqlverdict audit runs/* --benchmark bird --root bird --propose --out review.html",
)


@dataclass(frozen=True, kw_only=True)
class AuditArgs:
    """The options of ``audit``."""

    runs: tuple[Path, ...] = runs_argument(required=False)
    data: DataArgs = group(DataArgs)
    schema: Path | None = schema_option()
    execute: bool = option(
        "--execute",
        is_flag=True,
        heading=Heading.EVIDENCE,
        help="Run golds and predictions again. Without a RUN, golds always run.",
    )
    propose: bool = option(
        "--propose",
        is_flag=True,
        heading=Heading.EVIDENCE,
        help="Propose up to three better golds for each. Runs queries again, as --execute does.",
    )
    suspicions: tuple[str, ...] = option(
        "--suspicion",
        multiple=True,
        metavar="NAME",
        heading=Heading.EVIDENCE,
        help="List only golds with this suspicion. Repeatable.",
    )
    min_rank: float = setting(
        "min-rank",
        type=NumberRange(0, 1),
        default=SUSPECT_RANK,
        metavar="P",
        heading=Heading.EVIDENCE,
        help="Leave out golds of a lower rank: the probability that a gold is wrong. 0 lists all.",
    )
    timeout: float = timeout_option()
    trust_role: bool = trust_role_setting()
    show: int = show_option(10, "this many golds")
    out: tuple[Path, ...] = option(
        "--out",
        type=FILE,
        multiple=True,
        help="Write all of them to this file: JSON lines in a .jsonl, a page to review proposals "
        "in a .html, else Markdown. Repeatable.",
    )
    html: Path | None = html_option()
    as_json: bool = json_option()

    @property
    def runs_queries(self) -> bool:
        """Whether queries run: on demand, and always where there is no run that did so before."""
        return self.execute or self.propose or not self.runs


@command(AuditArgs, examples=_EXAMPLES)
def audit(args: AuditArgs) -> None:
    """List the golds that may be wrong, the most suspect first.

    The rank of a gold is the probability that it is wrong, by a model fitted to people's labels:
    how many systems match it, how many agree on another answer, signs of a mistake in its query.
    Each suspicion comes with its evidence. Several runs tell more about a gold than one, and
    --execute finds what run folders alone do not show. A suspect gold may be right.

    Run folders are enough. --benchmark or --cases adds the questions' knowledge, and --execute
    runs the queries again on the benchmark's databases. Without a RUN, the golds of --benchmark or
    --cases are run and looked at alone.

    --propose adds up to three candidates for a better gold: what systems answer, and the gold with
    small changes. Each differs from the gold on the real database or on a small one. Nothing is
    changed: on the page that --out FILE.html writes, a person accepts, edits or rejects them, and
    saves the decisions as a file for leaderboard --golds.
    """
    _check_inputs(args)
    runs = [read_run(folder) for folder in args.runs or ()]
    benchmark = _read_cases(args.data, golds_alone=not runs)
    for run in runs if benchmark.cases else ():
        _require_same_questions(run, benchmark)
    runner = _open_runner(args)
    schemas = _schemas(args, runner, benchmark.databases)
    database_of = _find_database(benchmark.databases, args.data)
    try:
        report = suspect_golds(
            runs,
            cases=() if runs else benchmark.cases,
            knowledge=benchmark.knowledge,
            schemas=schemas,
            rerun=_rerun(runner, database_of) if runner is not None else None,
            dialect=_dialect(runner, benchmark.databases),
            only=args.suspicions,
            at_least=args.min_rank,
        )
        proposals: Proposals = {}
        if runner is not None and args.propose:
            tell = _show_progress if sys.stderr.isatty() and not args.as_json else None
            try:
                proposals = find_proposals(runs, report, runner, database_of, tell)
            finally:
                if tell is not None:
                    progress_line()
            notes = (*report.notes, *proposal_notes(report, proposals))
            report = replace(report, notes=notes)
            for path in filter(_is_page, args.out):
                name = runs[0].manifest.benchmark if runs else benchmark.name
                write_review(path, name, report, proposals, runner, database_of)
    finally:
        if runner is not None:
            runner.close()
    _write(report, proposals, args)
    if args.html is not None:
        write_html(args.html, runs, audit=report)
    if args.as_json:
        print_json(
            {
                "golds": report.golds,
                "systems": report.systems,
                "counts": report.counts,
                "notes": report.notes,
                "suspects": [_record(each, proposals, args) for each in report.suspects],
            }
        )
        return
    _show(report, proposals, args)


def _show_progress(done: int, total: int) -> None:
    progress_line(f"proposals: {done:,} of {count(total, 'suspect gold')} examined")


def _is_page(path: Path) -> bool:
    return path.suffix.lower() == ".html"


def _check_inputs(args: AuditArgs) -> None:
    """Refuse an audit of nothing, and pages of what there is not."""
    page = next(filter(_is_page, args.out), None)
    if page is not None and not args.propose:
        raise UsageError(
            f"--out {page} is the page to review proposals: add --propose. The report of the runs "
            f"is --html {page}"
        )
    if args.runs:
        return
    if args.data.benchmark is None and args.data.cases is None:
        raise UsageError(
            "nothing to audit: name the folders of runs (RUN...), or the golds themselves with "
            "--benchmark NAME --root DIR or --cases FILE --databases DIR"
        )
    if args.html is not None:
        raise UsageError("--html is the report of runs, and there is none: use --out FILE.md")


def _record(suspect: Suspect, proposals: Proposals, args: AuditArgs) -> dict[str, Any]:
    """A suspect as JSON, with what is proposed where that was asked for."""
    record = suspect.as_record()
    if args.propose:
        own = proposals.get(suspect.case.id, ())
        record["proposals"] = [proposal.as_record() for proposal in own]
    return record


@dataclass(frozen=True)
class _BenchmarkFacts:
    """What an audit needs of the benchmark.

    Attributes:
        name: Its name; empty where no benchmark is named.
        cases: The cases.
        knowledge: The knowledge of a question by case; ``None`` where no benchmark is named.
        databases: The database files, by id.
    """

    name: str = ""
    cases: Sequence[Case] = ()
    knowledge: dict[str, str] | None = None
    databases: dict[str, str] = field(default_factory=dict)


def _read_cases(data: DataArgs, *, golds_alone: bool) -> _BenchmarkFacts:
    if data.benchmark is None and data.cases is None:
        return _BenchmarkFacts()
    knowledge: dict[str, str] = {}
    databases: dict[str, str] = {}
    benchmark = read_benchmark(data)
    cases = list(benchmark.cases)
    for case in cases:
        # A case without an entry has no knowledge.
        if case.knowledge:
            knowledge[case.id] = case.knowledge
        database = (case.gold_database if golds_alone else None) or case.database
        if database is not None:
            databases[case.db_id] = database
    name = benchmark.name if data.cases is None else data.cases.name
    return _BenchmarkFacts(name, cases, knowledge if cases else None, databases)


def _require_same_questions(run: Run, benchmark: _BenchmarkFacts) -> None:
    """Refuse cases that a run is not about: its golds would run on databases of others."""
    questions = {case.id: case.question for case in benchmark.cases}
    first = None
    for result in run.results():
        # A file of golds may have no questions.
        if questions.get(result.id) in (result.question, ""):
            return
        first = first or result
    if first is not None:
        raise UsageError(
            f"no question of {run.folder} is in {benchmark.name}: the run begins with "
            f"{first.id!r}, the cases with {benchmark.cases[0].id!r}. Name the benchmark or the "
            "file of cases that the run was made of"
        )


def _schemas(
    args: AuditArgs, runner: QueryRunner | None, databases: Mapping[str, str]
) -> Mapping[str, Schema] | None:
    engine = ENGINES.get(args.data.engine_name)
    path = args.schema or (args.data.databases if engine.in_python else None)
    if path is not None:
        return load_schemas(path)
    if runner is None:
        return None
    schemas = {}
    for db_id, file in databases.items():
        # A database that cannot be read says so when a query runs on it.
        with suppress(SchemaError, DatabaseError, OSError):
            schemas[db_id] = runner.schema(file)
    return schemas or None


def _open_runner(args: AuditArgs) -> QueryRunner | None:
    if not args.runs_queries:
        return None
    data = args.data
    if not any((data.databases, data.benchmark, data.cases)):
        option_name = "--propose" if args.propose else "--execute"
        raise UsageError(
            f"{option_name} needs the databases: give --databases DIR, or the --benchmark"
        )
    return open_runner(
        args.data.engine_name, args.timeout, default_path(), trust_role=args.trust_role
    )


def _dialect(runner: QueryRunner | None, databases: Mapping[str, str]) -> str | None:
    """The dialect of the engine that runs the golds; ``None``: they do not run."""
    if runner is None:
        return None
    first = next(iter(databases.values()), None)
    return (runner.engine if first is None else runner.engine_for(first)).dialect


def _find_database(known: Mapping[str, str], data: DataArgs) -> DatabaseOf:
    databases = None
    if data.databases is not None:
        databases = find_databases(Path(), (".",), data.location)

    def find(db_id: str) -> str | None:
        path = known.get(db_id)
        if not is_at_hand(path):
            path = databases.path(db_id) if databases is not None else None
        return path

    return find


def _rerun(runner: QueryRunner, database_of: DatabaseOf) -> Rerun:
    def run(db_id: str, sql: str) -> Outcome | None:
        path = database_of(db_id)
        return runner.run(path, sql) if path is not None else None

    return run


def _write(report: Audit, proposals: Proposals, args: AuditArgs) -> None:
    for path in args.out:
        if _is_page(path):
            click.echo(f"written: {path}", err=True)
            continue
        with replacing(path, lasting=False) as file:
            if path.suffix.lower() == ".jsonl":
                records = (
                    msgspec.json.encode(_record(each, proposals, args)) for each in report.suspects
                )
                file.writelines(record + b"\n" for record in records)
            else:
                texts = audit_text(report)
                if args.propose:
                    texts = chain(texts, proposals_text(report.suspects, proposals))
                file.writelines(text.encode("utf-8", "backslashreplace") for text in texts)
        click.echo(f"written: {path}", err=True)


def _show(report: Audit, proposals: Proposals, args: AuditArgs) -> None:
    most, least = args.show, args.min_rank
    screen = Screen()
    systems = count(len(report.systems), "system")
    source = f"the answers of {systems}" if report.systems else "what they show themselves"
    screen.line(
        f"{len(report.suspects):,} of {count(report.golds, 'gold')} may be wrong, by {source}: "
        f"rank {least:g} or more (the setting min-rank)",
        "heading",
    )
    screen.line(
        "A gold's rank is the probability that it is wrong, by a model fitted to people's labels. "
        "A line with odds says how much a finding multiplies the odds that it is wrong."
    )
    rows = [(SUSPICIONS.get(name).title, f"{number:,}") for name, number in report.counts.items()]
    screen.table(
        table(
            ("suspicion", "golds"), rows, "Suspicions, whatever the rank; a gold may have several"
        )
    )
    for suspect in report.suspects[:most]:
        case = suspect.case
        screen.line()
        screen.line(
            f"{case.id} ({case.db_id}): rank {suspect.rank:.2f}, the probability that it is wrong",
            "heading",
        )
        screen.line(f"  {short(case.question_line, 160)}")
        for gold in case.gold:
            screen.line(f"  gold  {short(gold, 160)}", "quiet")
        for raising in suspect.raised_by:
            screen.line(f"  odds x{raising.odds:.1f}: {short(raising.words, 160)}")
        for one in suspect.suspicions:
            screen.line(f"  {one.name}: {short(one.message, 200)}")
        show_proposals(screen, proposals.get(case.id, ()))
    if len(report.suspects) > most:
        screen.line()
        screen.line(f"{len(report.suspects) - most:,} more (--show N, --out FILE)")
    show_notes(screen, report.notes)
