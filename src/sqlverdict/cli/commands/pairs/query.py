"""Show what a query consists of: tables, columns, features, hardness."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import click

from sqlverdict.cli.command import argument, command, option
from sqlverdict.cli.options.shared import json_option, print_json
from sqlverdict.cli.query_parts import PARTS, other_dialect, part_text, query_parts
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.features import FEATURES
from sqlverdict.parse.query import parse
from sqlverdict.records import ParseFailure
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import table

_EXAMPLES = (
    "sqlverdict query 'SELECT name FROM singer ORDER BY age DESC LIMIT 1'",
    "sqlverdict query - < query.sql",
    "sqlverdict query 'SELECT 1' --json",
)


@dataclass(frozen=True, kw_only=True)
class QueryArgs:
    """The options of ``query``."""

    sql: str = argument()
    dialect: str = option("--dialect", default=DEFAULT_DIALECT, help="A dialect of sqlglot.")
    as_json: bool = json_option()


@command(QueryArgs, examples=_EXAMPLES)
def query(args: QueryArgs) -> int:
    """Parse SQL (or - for standard input) and show what it consists of. Nothing is run.

    The exit code is 2 if it is not one query of the dialect.
    """
    sql = (sys.stdin.read() if args.sql == "-" else args.sql).strip()
    parsed = parse(sql, args.dialect)
    if isinstance(parsed, ParseFailure):
        if args.as_json:
            print_json(_failure_json(parsed))
        else:
            other = other_dialect(sql, args.dialect)
            hint = f". It can be read as {other}: --dialect {other}" if other else ""
            click.echo(f"error: {parsed.reason}: {parsed.message}{hint}", err=True)
        return 2
    parts = query_parts(sql, parsed)
    if args.as_json:
        print_json({"parsed": True, "dialect": args.dialect, **parts})
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
