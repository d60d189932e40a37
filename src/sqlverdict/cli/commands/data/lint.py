"""Look at queries without a gold: signs that one does not do what was meant."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sqlverdict.cli.options.common import ANY_PATH, FILE, as_json, examples, print_json

if TYPE_CHECKING:
    from sqlverdict.records import Case
    from sqlverdict.signs.lint import LintEntry, LintReport

_EXAMPLES = examples(
    "sqlverdict lint --sql \"SELECT id FROM city WHERE name = 'oslo'\" --database shop.sqlite",
    "sqlverdict lint --cases cases.jsonl --databases DIR --predictions preds.json --fail-on strong",
    "sqlverdict lint --benchmark bird --root bird --weak --json",
)


@click.command(epilog=_EXAMPLES)
@click.option("--sql", help="One query, or - for standard input.")
@click.option("--database", type=FILE, help="The SQLite file that --sql is for.")
@click.option("--question", default="", help="What --sql is to answer.")
@click.option("--knowledge", default="", help="What was told beside the question.")
@click.option("--benchmark", metavar="NAME", help="A format: spider, bird, jsonl, csv, demo ...")
@click.option("--root", type=ANY_PATH, help="The benchmark's folder, or its file.")
@click.option("--split", default="dev", show_default=True, help="Which part of the benchmark.")
@click.option("--gold", type=FILE, help="A gold file, SQL<TAB>db_id a line.")
@click.option("--cases", type=FILE, help="Cases as JSONL or CSV.")
@click.option("--databases", type=ANY_PATH, help="Where the databases lie, in any usual layout.")
@click.option("--predictions", type=FILE, help="The queries to look at. [default: the golds]")
@click.option("--sign", "only", multiple=True, metavar="NAME", help="Look for these only.")
@click.option("--weak", is_flag=True, help="Look for weak signs too, and not for strong ones only.")
@click.option(
    "--fail-on",
    "rules",
    multiple=True,
    metavar="RULE",
    help="Exit with 1 if a query has such a sign: strong, any, or a sign's name; repeatable.",
)
@click.option("--limit", type=click.IntRange(1), help="Only the first N cases.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=30.0,
    show_default=True,
    help="Seconds that one query may take.",
)
@click.option(
    "--show", type=click.IntRange(0), default=20, show_default=True, help="Queries shown."
)
@click.option("--no-cache", is_flag=True, help="Run every query anew.")
@as_json
def lint(**said: Any) -> int:
    """Say which queries look wrong for their database and question. No gold is needed.

    Signs are, among others: a value that its column does not hold, an empty answer, columns that
    are joined and share no value, a LIMIT that returns rows without a sort key. A query that fails
    has the sign "fails". A query with a sign may be right, and one without may be wrong; how often
    is measured in docs/measurements/lint.md.

    The exit code is 0, or 1 where a rule of --fail-on applies, or 3 where no query could be looked
    at.
    """
    from sqlverdict.errors import NothingEvaluated
    from sqlverdict.execute.cache import AnswerCache, default_path
    from sqlverdict.execute.engine import Limits
    from sqlverdict.execute.query_runner import QueryRunner
    from sqlverdict.signs.lint import lint as look
    from sqlverdict.signs.lint import names_of

    names = names_of(said["only"], said["weak"])
    rules = said["rules"]
    names_of([rule for rule in rules if rule not in ("any", "strong")], weak=False)
    cache = None if said["no_cache"] else AnswerCache(default_path())
    desk = QueryRunner("sqlite", Limits(seconds=said["timeout"]), cache)
    try:
        found = look(_entries(said), desk, names)
        desk.flush()
    finally:
        desk.close()
    if not found.examined:
        why = next(iter(found.unexamined.values()), "there is none")
        raise NothingEvaluated(f"no query could be looked at: {why}")
    failing = found.failing(rules)
    if said["as_json"]:
        print_json(_record(found, failing, rules))
    else:
        _print(found, said["show"])
        if failing:
            click.echo(f"{len(failing):,} with a sign of --fail-on (exit code 1)")
    return int(bool(failing))


def _entries(said: dict[str, Any]) -> Iterator[LintEntry]:
    """The queries that the options name.

    Raises:
        UsageError: they name none, or lack a database.
    """
    from sqlverdict.errors import UsageError
    from sqlverdict.signs.lint import LintEntry

    if said["sql"] is None:
        yield from _of_benchmark(said)
        return
    if said["database"] is None:
        raise UsageError("--sql needs --database: the SQLite file to look into")
    text = sys.stdin.read() if said["sql"] == "-" else said["sql"]
    database = str(said["database"])
    yield LintEntry(
        "query", text, database, said["database"].stem, said["question"], said["knowledge"]
    )


def _of_benchmark(said: dict[str, Any]) -> Iterator[LintEntry]:
    from itertools import islice

    from sqlverdict.cli.options.inputs import DataInputs, read_benchmark
    from sqlverdict.load.predictions import load_predictions

    names = ("benchmark", "root", "split", "gold", "cases", "databases")
    cases = list(read_benchmark(DataInputs(**{name: said[name] for name in names})).cases)
    file: Path | None = said["predictions"]
    chosen = islice(cases, said["limit"])
    if file is None:
        for case in chosen:
            for place, sql in enumerate(case.golds):
                yield _entry(case, sql, f"#{place + 1}" if place else "")
        return
    ids, db_ids = [case.id for case in cases], [case.db_id for case in cases]
    predictions = load_predictions(file, ids, db_ids=db_ids, strict_ids=False)
    for case in chosen:
        found = predictions.get(case.id)
        if found is not None and (found.sql or "").strip():
            yield _entry(case, found.sql or "")


def _entry(case: Case, sql: str, number: str = "") -> LintEntry:
    from sqlverdict.signs.lint import LintEntry

    about = (case.db_id, case.question, case.knowledge)
    return LintEntry(f"{case.id}{number}", sql, case.database, *about)


def _record(found: LintReport, failing: list[Any], rules: tuple[str, ...]) -> dict[str, Any]:
    return {
        "examined": found.examined,
        "flagged": len(found.flagged),
        "unexamined": found.unexamined,
        "counts": found.counts,
        "fail_on": list(rules),
        "failing": [each.query.id for each in failing],
        "queries": [each.as_record() for each in found.flagged],
    }


def _print(found: LintReport, most: int) -> None:
    from sqlverdict.files.text import count
    from sqlverdict.report.terminal.console import Screen
    from sqlverdict.report.terminal.tables import clean, table
    from sqlverdict.signs.lint import strength_of

    screen = Screen()
    queries = count(found.examined, "query", "queries")
    screen.line(f"{len(found.flagged):,} of {queries} with signs", "heading")
    if len(found.flagged) > 1:
        rows = [(name, strength_of(name), f"{n:,}") for name, n in found.counts.items()]
        screen.table(table(("sign", "strength", "queries"), rows, left=(0, 1)))
    for each in found.flagged[:most]:
        where = f" ({each.query.db_id})" if each.query.db_id else ""
        screen.line()
        screen.line(f"{clean(each.query.id)}{where}: {clean(each.query.question)}".rstrip(": "))
        screen.line(f"  {clean(' '.join(each.query.sql.split()))}", "quiet")
        for notice in each.notices:
            screen.line(f"  {notice.name}: {clean(notice.message)}", "warning")
    if len(found.flagged) > most:
        click.echo(f"... and {len(found.flagged) - most:,} more (--show {len(found.flagged)})")
    if found.unexamined:
        why = next(iter(found.unexamined.values()))
        click.echo(f"{len(found.unexamined):,} not looked at, the first because: {why}", err=True)
