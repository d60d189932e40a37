"""Show all evidence about two queries: answers, relations, witness; or what one consists of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.options.fields import Heading, argument, option
from sqlverdict.cli.options.pair import (
    PARTS,
    SIDES,
    PairOfQueries,
    WitnessArgs,
    other_dialect,
    part_text,
    problems,
    query_parts,
    query_text,
    search,
    write_witness,
)
from sqlverdict.cli.options.shared import print_json
from sqlverdict.cli.show_pair import refutation_json, show_answer, show_refutation
from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.relate import relate
from sqlverdict.compare.relation import relation_text
from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import ENGINES
from sqlverdict.parse.features import FEATURES
from sqlverdict.parse.query import parse
from sqlverdict.records import Answer, Comparison, Outcome, ParseFailure, Relation
from sqlverdict.refute.trial.rebuild import compare_on
from sqlverdict.refute.witness import NotRefuted
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import table

_EXAMPLES = (
    "sqlverdict pair 'SELECT max(age) FROM singer' \\",
    "    'SELECT age FROM singer ORDER BY age DESC LIMIT 1' --db concert_singer.sqlite",
    "sqlverdict pair @gold.sql @mine.sql --schema tables.json --db-id concert_singer --json",
    "sqlverdict pair 'SELECT name FROM singer ORDER BY age DESC LIMIT 1'    # one query alone",
    "sqlverdict pair - --dialect postgres < query.sql",
)


@dataclass(frozen=True, kw_only=True)
class PairArgs(WitnessArgs):
    """The options of ``pair``."""

    gold: str = argument(metavar="GOLD")
    prediction: str | None = argument(metavar="[PRED]", required=False)
    dialect: str | None = option(
        "--dialect",
        heading=Heading.DATA,
        help="For one query alone: a dialect of sqlglot. [default: the one of --db, else sqlite]",
    )


@dataclass(frozen=True)
class Execution:
    """What two queries return on a real database.

    Attributes:
        outcomes: What each returns, by side.
        comparison: Whether the answers are the same.
        relations: How they differ.
    """

    outcomes: Mapping[str, Outcome]
    comparison: Comparison
    relations: tuple[Relation, ...]


@command(PairArgs, examples=_EXAMPLES)
def pair(args: PairArgs) -> int:
    """Show all evidence about GOLD and PRED, which are SQL or @FILE.

    What each consists of; with --db, what they return there and how the answers relate; and
    whether there is a small database on which they differ. The exit code is 2 if one does not
    parse or run.

    GOLD alone (or - for standard input) is parsed and not run: its tables, columns, features and
    hardness are shown. The exit code is 2 if it is not one query of the dialect.
    """
    if args.prediction is None:
        return _show_query(query_text(args.gold), args)
    if args.dialect is not None:
        raise UsageError("--dialect is for one query alone: two are of the engine of --db")
    queries = args.read(args.gold, args.prediction)
    broken = problems(queries)
    parsed = {side: _parts(sql, queries.dialect) for side, sql in queries.queries}
    execution = refutation = None
    paths: list[Path] = []
    if not broken:
        if args.source.db is not None:
            execution = _execute(queries, args.source.db, args.search.preset)
        refutation = search(queries, args.search)
        if not isinstance(refutation, NotRefuted):
            paths = write_witness(refutation, queries, args.search.preset, args.out)
    if args.as_json:
        print_json(
            {
                "queries": parsed,
                "problems": broken,
                "execution": execution and _execution_json(execution, args.search.preset),
                "refutation": refutation and refutation_json(refutation, paths),
            }
        )
        return 2 if broken else 0
    screen = Screen()
    _show_parts(screen, parsed)
    for side, why in broken.items():
        screen.line(f"the {side} query: {why}", "bad")
    if execution is not None:
        screen.heading(f"on {args.source.db}")
        _show_execution(screen, execution, args.search.preset)
    if refutation is not None:
        screen.heading("search for a difference")
        show_refutation(screen, refutation, paths)
    return 2 if broken else 0


def _show_query(sql: str, args: PairArgs) -> int:
    """What one query consists of; nothing is run."""
    dialect = args.dialect or ENGINES.get(args.source.engine).dialect
    parsed = parse(sql, dialect)
    if isinstance(parsed, ParseFailure):
        if args.as_json:
            print_json(_failure_json(parsed))
        else:
            other = other_dialect(sql, dialect)
            hint = f". It can be read as {other}: --dialect {other}" if other else ""
            click.echo(f"error: {parsed.reason}: {parsed.message}{hint}", err=True)
        return 2
    parts = query_parts(sql, parsed)
    if args.as_json:
        print_json({"parsed": True, "dialect": dialect, **parts})
        return 0
    screen = Screen()
    rows = [(name, part_text(parts[name])) for name in PARTS]
    screen.table(table(("part", "found"), rows, left=(0, 1)))
    meanings = [(name, FEATURES.get(name, "")) for name in parts["features"]]
    screen.table(table(("feature", "meaning"), meanings, left=(0, 1)))
    return 0


def _failure_json(failure: ParseFailure) -> dict[str, Any]:
    return {
        "parsed": False,
        "reason": str(failure.reason),
        "message": failure.message,
        "line": failure.line,
        "column": failure.column,
    }


def _parts(sql: str, dialect: str) -> dict[str, Any]:
    query = parse(sql, dialect)
    if isinstance(query, ParseFailure):
        return {"sql": sql, "parsed": False, "message": f"{query.reason}: {query.message}"}
    return {"sql": sql, "parsed": True, **query_parts(sql, query)}


def _execute(queries: PairOfQueries, database: str, preset: str) -> Execution:
    """Run both queries on the real database and compare the answers."""
    session = ENGINES.get(queries.engine).open(database, queries.limits)
    try:
        gold, prediction, comparison = compare_on(
            session.run,
            queries.gold,
            queries.prediction,
            preset,
            dialect=queries.dialect,
        )
        relations: tuple[Relation, ...] = ()
        differ = comparison.equal is False
        if differ and isinstance(gold, Answer) and isinstance(prediction, Answer):
            texts = QueryPair(queries.gold, queries.prediction, queries.dialect, probe=session.run)
            relations = relate(gold, prediction, texts)
    finally:
        session.close()
    outcomes = dict(zip(SIDES, (gold, prediction), strict=True))
    return Execution(outcomes, comparison, relations)


def _execution_json(execution: Execution, preset: str) -> dict[str, Any]:
    shapes = {
        side: [len(outcome.rows), len(outcome.columns)]
        if isinstance(outcome, Answer)
        else f"{outcome.reason}: {outcome.message}"
        for side, outcome in execution.outcomes.items()
    }
    return {
        "preset": preset,
        "equal": execution.comparison.equal,
        "reasons": [str(reason) for reason in execution.comparison.reasons],
        "message": execution.comparison.message,
        "answers": shapes,
        "relations": [{"kind": r.kind, "detail": r.detail} for r in execution.relations],
    }


def _show_parts(screen: Screen, parsed: Mapping[str, Mapping[str, Any]]) -> None:
    for side, parts in parsed.items():
        screen.line(f"{side}: {parts['sql']}", "heading")
    tables, columns, *hardness = PARTS
    rows = [
        (name, *(part_text(parts.get(name)) for parts in parsed.values()))
        for name in (tables, columns, "features", *hardness)
    ]
    screen.table(table(("part", *parsed), rows, left=(0, 1, 2)))
    screen.line()


def _show_execution(screen: Screen, execution: Execution, preset: str) -> None:
    comparison = execution.comparison
    words = {True: ("equal", "good"), False: ("different", "bad"), None: ("open", "warning")}
    word, style = words[comparison.equal]
    reasons = f": {', '.join(map(str, comparison.reasons))}" if comparison.reasons else ""
    screen.line(f"{word} under the preset {preset}{reasons}", style)
    if comparison.message:
        screen.line(comparison.message, "quiet")
    for relation in execution.relations:
        screen.line(relation_text(relation))
    if comparison.equal is not True:
        for side, outcome in execution.outcomes.items():
            show_answer(screen, side, outcome, most=5)
