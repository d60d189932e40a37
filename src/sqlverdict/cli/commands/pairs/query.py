"""Say what a query is made of: tables, columns, features, hardness."""

from __future__ import annotations

import sys
from typing import Any

import click

from sqlverdict.cli.options.common import as_json, examples, print_json


@click.command(
    epilog=examples(
        "sqlverdict query 'SELECT name FROM singer ORDER BY age DESC LIMIT 1'",
        "sqlverdict query - < query.sql",
        "sqlverdict query 'SELECT 1' --json",
    )
)
@click.argument("sql")
@click.option("--dialect", default="sqlite", show_default=True, help="A dialect of sqlglot.")
@as_json
def query(sql: str, dialect: str, as_json: bool) -> int:
    """Parse SQL (or - for standard input) and say what it is made of. Nothing is run.

    Exit code 2 where it is not one query of the dialect.
    """
    from sqlverdict.parse.features import FEATURES
    from sqlverdict.report.terminal.console import Screen
    from sqlverdict.report.terminal.tables import table

    text = sys.stdin.read() if sql == "-" else sql
    found = _look(text.strip(), dialect)
    if as_json:
        print_json(found)
    elif not found["parsed"]:
        click.echo(f"error: {found['reason']}: {found['message']}", err=True)
    else:
        screen = Screen()
        names = ("tables", "columns", "spider hardness", "trustsql hardness")
        screen.table(
            table(("part", "found"), [(name, _words(found[name])) for name in names], left=(0, 1))
        )
        shown = [(name, FEATURES.get(name, "")) for name in found["features"]]
        screen.table(table(("feature", "meaning"), shown, left=(0, 1)))
    return 0 if found["parsed"] else 2


def _look(sql: str, dialect: str) -> dict[str, Any]:
    from sqlverdict.parse.hardness import spider_hardness, trustsql_hardness
    from sqlverdict.parse.query import parse
    from sqlverdict.records import ParseFailure

    parsed = parse(sql, dialect)
    if isinstance(parsed, ParseFailure):
        return {
            "parsed": False,
            "reason": str(parsed.reason),
            "message": parsed.message,
            "line": parsed.line,
            "column": parsed.column,
        }
    return {
        "parsed": True,
        "dialect": dialect,
        "tables": list(parsed.tables),
        "columns": list(parsed.columns),
        "features": sorted(parsed.features),
        "spider hardness": spider_hardness(sql),
        "trustsql hardness": trustsql_hardness(sql),
    }


def _words(value: list[str] | str | None) -> str:
    return (", ".join(value) if isinstance(value, list) else value) or "none"
