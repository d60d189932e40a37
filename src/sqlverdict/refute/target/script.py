"""A witness as a script of its engine, and its replay.

The comment is that of every witness file. Below it stand CREATE and INSERT statements for people.
A replay does not run these: the line ``-- tables {...}`` holds the same as data, and the engine
makes the tables of it (``script_tables.py``). Checks and defaults are left out: nothing in a file
is trusted, and they are SQL. The rows keep them anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sqlglot import exp

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.dialects import dialect_of
from sqlverdict.errors import DatabaseError, DataError, FileFailure, OptionName, UsageError
from sqlverdict.execute.engine import ENGINES, ScratchEngine
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.references import is_server
from sqlverdict.parse.schema import Table, is_view
from sqlverdict.parse.schemas.create_table import table_text
from sqlverdict.records import Cell, Contract, Row
from sqlverdict.refute.explain.sentence import columns_named, witness_table
from sqlverdict.refute.read.views import view_query
from sqlverdict.refute.target.script_tables import (
    bare_table,
    read_tables,
    tables_line,
    trusted_schema,
)
from sqlverdict.refute.trial.rebuild import SMALL, compare_on
from sqlverdict.refute.witness import Witness
from sqlverdict.refute.witness_files import WitnessReplay, read_header, safe_name
from sqlverdict.refute.witness_text import comment_lines, header_of


def to_script(
    witness: Witness, *, preset: str = DEFAULT_PRESET, contract: Contract | None = None
) -> str:
    """A witness as a script in the dialect of its engine.

    Args:
        witness: The witness.
        preset: The preset under which it was found.
        contract: What the case asks of answers.
    """
    dialect = ENGINES.get(witness.engine).dialect
    tables = _tables_of(witness)
    lines = [*comment_lines(witness, header_of(witness, preset, contract))]
    lines.append(tables_line(tables, witness.instance.rows))
    for table in tables:
        lines += ["", _declaration(table, dialect) + ";"]
        lines += _inserts(table, witness.instance.rows.get(table.name, ()), dialect)
    return "\n".join(lines) + "\n"


def write_script(
    witness: Witness,
    folder: Path,
    name: str,
    *,
    preset: str = DEFAULT_PRESET,
    contract: Contract | None = None,
) -> Path:
    """Write ``<name>.sql``; a reader never sees half a file.

    Raises:
        FileFailure: the folder cannot be written.
    """
    path = folder / f"{safe_name(name)}.sql"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = to_script(witness, preset=preset, contract=contract)
        write_at_once(path, text.encode(), lasting=False)
    except OSError as error:
        raise FileFailure(
            f"the witness cannot be written to {folder}: {error.strerror or error}. Check the "
            f"folder, its rights and its space, or choose another folder"
        ) from error
    return path


def replay_script(
    path: Path, *, near: str | None, preset: str | None = None, trust_role: bool = False
) -> WitnessReplay:
    """Run a witness again on its engine.

    Args:
        path: A script that :func:`write_script` wrote. Nothing in it is trusted.
        near: A database on the server that answers; not needed by an engine without a server.
        preset: Compare under this one instead of the file's own.
        trust_role: Queries run as the role of ``near``, whatever it may do.

    Raises:
        DataError: the file is no witness.
        UsageError: a server is needed and none is named.
        DatabaseError: the server does not answer, or the engine cannot make the tables.
    """
    header, text = read_header(path)
    engine = ENGINES.get(header.engine)
    if not isinstance(engine, ScratchEngine):
        raise DataError(
            f"{path} is a witness of {header.engine}, which cannot replay it", reason="unsupported"
        )
    if not engine.suffixes and (near is None or not is_server(near)):
        raise UsageError(
            f"{path} is a witness of {header.engine}. Name a database on such a server, which you "
            f"may read: ",
            OptionName("db", f"{engine.schemes[0]}://HOST/DATABASE"),
        )
    limits = replace(SMALL, trust_role=trust_role)
    schema, rows = read_tables(text, path)
    schema = trusted_schema(
        schema, rows, lambda part: engine.scratch(part, limits, near), engine.dialect, path
    )
    scratch = engine.scratch(schema, limits, near)
    try:
        if not scratch.load(rows):
            raise DatabaseError(
                f"{path}: {header.engine} does not accept its rows", reason="failed"
            )
        gold, prediction, compared = compare_on(
            scratch.run,
            *header.queries,
            preset or header.preset,
            header.contract,
            engine.dialect,
        )
    finally:
        scratch.close()
    names = columns_named((header.gold, header.prediction), schema)
    tables = [
        witness_table(table, rows.get(table.name, ()), names)
        for table in schema.tables
        if not is_view(table)
    ]
    return WitnessReplay(path, header, gold, prediction, compared, tuple(tables))


def _tables_of(witness: Witness) -> list[Table]:
    """The tables with rows, those named in a query or in a view of it, and their parents."""
    schema, rows = witness.instance.schema, witness.instance.rows
    names = {table.name for table in schema.tables if table.name in rows}
    texts = [witness.gold_sql, witness.prediction_sql]
    while texts:
        text = texts.pop().casefold()
        for table in schema.tables:
            if table.name not in names and table.name.casefold() in text:
                names.add(table.name)
                if is_view(table):
                    texts.append(view_query(table))
    waiting = list(names)
    while waiting:
        table_here = schema.table(waiting.pop())
        for key in table_here.foreign_keys if table_here is not None else ():
            parent = schema.table(key.parent)
            if parent is not None and parent.name not in names:
                names.add(parent.name)
                waiting.append(parent.name)
    own = [table for table in schema.tables if table.name in names]
    return sorted(own, key=is_view)


def _declaration(table: Table, dialect: str) -> str:
    if is_view(table):
        return str(table.sql).rstrip().rstrip(";")

    def write(name: str) -> str:
        return exp.to_identifier(name, quoted=True).sql(dialect=dialect)

    keys = [key for key in table.foreign_keys if key.parent_columns]
    return table_text(bare_table(table), keys=keys, write=write)


def _inserts(table: Table, rows: tuple[Row, ...], dialect: str) -> Iterator[str]:
    if not rows:
        return
    name = exp.to_identifier(table.name, quoted=True).sql(dialect=dialect)
    own = [number for number, column in enumerate(table.columns) if column.generated is None]
    columns = ""
    if len(own) < len(table.columns):
        names = (exp.to_identifier(table.columns[n].name, quoted=True) for n in own)
        columns = f" ({', '.join(each.sql(dialect=dialect) for each in names)})"
    yield f"INSERT INTO {name}{columns} VALUES"
    for number, row in enumerate(rows, 1):
        cells = ", ".join(_literal(row[n], dialect) for n in own)
        yield f"  ({cells}){';' if number == len(rows) else ','}"


def _literal(cell: Cell, dialect: str) -> str:
    if isinstance(cell, bytes):
        return f"x'{cell.hex()}'" if dialect_of(dialect).blobs == "hex" else f"'\\x{cell.hex()}'"
    return exp.convert(cell).sql(dialect=dialect)
