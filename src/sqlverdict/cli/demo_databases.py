"""Where the demo's databases are: files of its own, or databases of its own on a server."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from secrets import token_hex

import click

from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import (
    DEFAULT_ENGINE,
    ENGINES,
    Engine,
    ServerEngine,
    check_fits,
    engine_of,
)
from sqlverdict.files.references import scheme_of, with_database
from sqlverdict.load.benchmarks.demo import build_databases
from sqlverdict.load.databases import DatabaseLocation
from sqlverdict.load.translate import database_statements

_PREFIX = "sqlverdict_demo_"
DEMO_DATABASES = "databases"
"""The folder of the databases, beside those of the runs."""


def demo_engine(name: str | None, server: str | None) -> Engine:
    """The engine that the demo runs on: the named one, or that of the server.

    Raises:
        UsageError: the two do not fit, or an engine of servers has none.
    """
    engine = ENGINES.get(name or (engine_of(server) if server else DEFAULT_ENGINE))
    if server is not None:
        if not isinstance(engine, ServerEngine) or not scheme_of(server):
            raise UsageError(
                f"--server {server} is not the URL of a server; expected one such as "
                "postgresql://USER@HOST/DATABASE"
            )
        check_fits(engine.name, server)
    elif isinstance(engine, ServerEngine):
        raise UsageError(
            f"the demo on {engine.name} makes databases of its own on a server and drops them at "
            f"the end. Name the server: --server {engine.schemes[0]}://USER@HOST/DATABASE, with a "
            "user who may create databases"
        )
    return engine


def demo_location(
    engine: Engine, server: str | None, folder: Path, stack: ExitStack
) -> DatabaseLocation:
    """Where the databases are; on a server they are made now, and dropped with the stack.

    Those of demos that were killed are dropped first.

    Raises:
        DatabaseError: the server does not take them.
    """
    if server is None or not isinstance(engine, ServerEngine):
        return DatabaseLocation(str(folder), engine.suffixes)
    home = build_databases(folder)
    leftovers = engine.drop_leftovers(server, _PREFIX)
    if leftovers:
        names = ", ".join(leftovers)
        click.echo(f"dropped what a demo that was killed had left on the server: {names}", err=True)
    prefix = f"{_PREFIX}{token_hex(4)}_"
    for file in sorted(home.glob("*/*.sqlite")):
        statements = database_statements(file, engine.dialect)
        stack.enter_context(engine.own_database(server, prefix + file.stem, statements))
    return DatabaseLocation(with_database(server, f"{prefix}{{db_id}}"))
