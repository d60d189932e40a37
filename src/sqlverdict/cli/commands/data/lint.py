"""Look for signs of mistakes in queries, without a gold."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import click

from sqlverdict.api.arguments import name_of_database
from sqlverdict.cli.command import command
from sqlverdict.cli.options.data import DataArgs, read_benchmark
from sqlverdict.cli.options.fields import Heading, group, option
from sqlverdict.cli.options.limits import CacheArgs, open_runner
from sqlverdict.cli.options.predictions import prediction_format_setting
from sqlverdict.cli.options.shared import (
    ANY_PATH,
    REFERENCE,
    json_option,
    limit_option,
    print_json,
    show_option,
    timeout_option,
    trust_role_setting,
)
from sqlverdict.errors import NothingEvaluated, UsageError
from sqlverdict.execute.engine import engine_of
from sqlverdict.files.text import bounded, count
from sqlverdict.load.predictions import load_predictions
from sqlverdict.load.turns import session_sizes
from sqlverdict.records import Case
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import printable, table
from sqlverdict.signs.lint import FlaggedQuery, LintEntry, LintReport, sign_names, strength_of
from sqlverdict.signs.lint import lint as lint_queries

_EXAMPLES = (
    "sqlverdict lint --sql \"SELECT id FROM city WHERE name = 'oslo'\" --db shop.sqlite",
    "sqlverdict lint --cases cases.jsonl --databases DIR --predictions preds.json --fail-on strong",
    "sqlverdict lint --benchmark bird --root bird --weak --json",
)


@dataclass(frozen=True, kw_only=True)
class LintArgs:
    """The options of ``lint``."""

    sql: str | None = option(
        "--sql", heading=Heading.DATA, help="One query, or - for standard input."
    )
    db: str | None = option(
        "--db",
        type=REFERENCE,
        metavar="PATH|URL",
        heading=Heading.DATA,
        help="The database that --sql is for, as a file or a URL.",
    )
    question: str = option(
        "--question", default="", heading=Heading.DATA, help="The question that --sql answers."
    )
    knowledge: str = option(
        "--knowledge",
        default="",
        heading=Heading.DATA,
        help="External knowledge that comes with the question.",
    )
    data: DataArgs = group(DataArgs)
    predictions: Path | None = option(
        "--predictions",
        type=ANY_PATH,
        heading=Heading.DATA,
        help="The queries to examine. [default: the golds]",
    )
    prediction_format: str | None = prediction_format_setting()
    limit: int | None = limit_option()
    signs: tuple[str, ...] = option(
        "--sign",
        multiple=True,
        metavar="NAME",
        heading=Heading.EVIDENCE,
        help="Look for this sign only. Repeatable.",
    )
    weak: bool = option(
        "--weak", is_flag=True, heading=Heading.EVIDENCE, help="Look for weak signs too."
    )
    fail_on: tuple[str, ...] = option(
        "--fail-on",
        multiple=True,
        metavar="RULE",
        help="Exit with 1 if a query has such a sign: strong, any, or a sign's name. Repeatable. "
        "For warnings about data: doctor --strict.",
    )
    timeout: float = timeout_option()
    trust_role: bool = trust_role_setting()
    cache: CacheArgs = group(CacheArgs)
    show: int = show_option(20, "this many queries")
    as_json: bool = json_option()


@command(LintArgs, examples=_EXAMPLES)
def lint(args: LintArgs) -> int:
    """List the queries that look wrong for their database and question. No gold is needed.

    Signs are, for example: a value that its column does not contain, an empty answer, joined
    columns that share no value, a LIMIT without a sort key. A query that fails has the sign
    "fails". A query with a sign may be right, and one without may be wrong;
    docs/measurements/lint.md has measurements.

    The exit code is 0, or 1 if a rule of --fail-on applies, or 3 if no query could be examined.
    """
    names = sign_names(args.signs, args.weak)
    sign_names([rule for rule in args.fail_on if rule not in ("any", "strong")], weak=False)
    runner = open_runner(_engine(args), args.timeout, args.cache.path, trust_role=args.trust_role)
    try:
        report = lint_queries(_entries(args), runner, names)
        runner.flush()
    finally:
        runner.close()
    if not report.examined:
        why = next(iter(report.unexamined.values()), "there is none")
        raise NothingEvaluated(f"no query could be examined: {why}")
    failing = report.failing(args.fail_on)
    if args.as_json:
        print_json(_record(report, failing, args.fail_on))
    else:
        _print(report, args.show)
        if failing:
            click.echo(f"{len(failing):,} with a sign of --fail-on (exit code 1)")
    return int(bool(failing))


def _engine(args: LintArgs) -> str:
    return args.data.engine_name if args.db is None else engine_of(args.db)


def _entries(args: LintArgs) -> Iterator[LintEntry]:
    """The queries that the options name.

    Raises:
        UsageError: they name none, or no database.
    """
    if args.sql is None:
        yield from _of_benchmark(args)
        return
    if args.db is None:
        raise UsageError("--sql needs --db, its database as a file or a URL")
    sql = sys.stdin.read() if args.sql == "-" else args.sql
    db_id = name_of_database(args.db)
    yield LintEntry("query", sql, args.db, db_id, args.question, args.knowledge)


def _of_benchmark(args: LintArgs) -> Iterator[LintEntry]:
    cases = list(read_benchmark(args.data).cases)
    first_cases = islice(cases, bounded(args.limit))
    if args.predictions is None:
        for case in first_cases:
            for index, sql in enumerate(case.golds):
                yield _entry(case, sql, f"#{index + 1}" if index else "")
        return
    ids, db_ids = [case.id for case in cases], [case.db_id for case in cases]
    predictions = load_predictions(
        args.predictions,
        ids,
        format=args.prediction_format,
        db_ids=db_ids,
        strict_ids=False,
        columns=args.data.prediction_map,
        sessions=session_sizes(cases),
    )
    for case in first_cases:
        prediction = predictions.get(case.id)
        if prediction is not None and (prediction.sql or "").strip():
            yield _entry(case, prediction.sql or "")


def _entry(case: Case, sql: str, number: str = "") -> LintEntry:
    about = (case.db_id, case.question, case.known)
    return LintEntry(f"{case.id}{number}", sql, case.database, *about)


def _record(
    report: LintReport, failing: Sequence[FlaggedQuery], rules: Sequence[str]
) -> dict[str, Any]:
    return {
        "examined": report.examined,
        "flagged": len(report.flagged),
        "unexamined": report.unexamined,
        "counts": report.counts,
        "fail_on": list(rules),
        "failing": [each.query.id for each in failing],
        "queries": [each.as_record() for each in report.flagged],
    }


def _print(report: LintReport, most: int) -> None:
    screen = Screen()
    queries = count(report.examined, "query", "queries")
    screen.line(f"{len(report.flagged):,} of {queries} with signs", "heading")
    if len(report.flagged) > 1:
        rows = [(name, strength_of(name), f"{n:,}") for name, n in report.counts.items()]
        screen.table(table(("sign", "strength", "queries"), rows, left=(0, 1)))
    for each in report.flagged[:most]:
        where = f" ({each.query.db_id})" if each.query.db_id else ""
        screen.line()
        screen.line(
            f"{printable(each.query.id)}{where}: {printable(each.query.question)}".rstrip(": ")
        )
        screen.line(f"  {printable(' '.join(each.query.sql.split()))}", "quiet")
        for notice in each.notices:
            screen.line(f"  {notice.name}: {printable(notice.message)}", "warning")
    if len(report.flagged) > most:
        click.echo(f"... and {len(report.flagged) - most:,} more (--show {len(report.flagged)})")
    if report.unexamined:
        why = next(iter(report.unexamined.values()))
        click.echo(f"{len(report.unexamined):,} not examined, the first because: {why}", err=True)
