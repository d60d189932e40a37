"""List the engines that run queries, with their versions, or explain one."""

from __future__ import annotations

import click

from sqlverdict.cli.options.common import as_json, examples


@click.command(epilog=examples("sqlverdict engines", "sqlverdict engines sqlite"))
@click.argument("name", required=False)
@as_json
def engines(name: str | None, as_json: bool) -> None:
    """List the engines, or explain the engine NAME. The version can change answers."""
    from sqlverdict.cli.members import show_members
    from sqlverdict.execute.engine import ENGINES

    columns = (
        ("version", lambda _, engine: engine.version),
        ("dialect", lambda _, engine: engine.dialect),
        ("files", lambda _, engine: ", ".join(engine.suffixes)),
    )
    show_members(ENGINES, name, columns, as_json)
