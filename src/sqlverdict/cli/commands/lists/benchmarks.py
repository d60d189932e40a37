"""List the benchmark formats, or explain one: which files, which options."""

from __future__ import annotations

import click

from sqlverdict.cli.options.common import as_json, examples


@click.command(epilog=examples("sqlverdict benchmarks", "sqlverdict benchmarks bird"))
@click.argument("name", required=False)
@as_json
def benchmarks(name: str | None, as_json: bool) -> None:
    """List the formats that --benchmark takes, or explain the format NAME."""
    from sqlverdict.cli.members import show_members
    from sqlverdict.load.benchmark import BENCHMARKS

    show_members(BENCHMARKS, name, (), as_json)
