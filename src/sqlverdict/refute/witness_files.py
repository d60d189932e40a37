"""Witnesses as files: a readable ``.sql``, a ``.sqlite`` to open, and their replay.

A ``.sql`` holds the two queries in comments, what they return, and the rows; the one line
``-- witness {...}`` says the same to a program. A ``.sqlite`` holds it in the table
``_sqlverdict_witness``. Query text is never a statement of the file: whoever pipes it into a
shell runs our CREATE and INSERT and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import msgspec

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.errors import DatabaseError, DataError, FileFailure, SchemaError
from sqlverdict.execute.engine import DEFAULT_ENGINE, ENGINES, Session
from sqlverdict.execute.in_memory import RebuiltInstance, in_memory_engine
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.tokens import statements
from sqlverdict.records import Answer, Comparison, Contract, Outcome
from sqlverdict.refute.explain.sentence import WitnessTable, columns_named
from sqlverdict.refute.make.times import is_moment
from sqlverdict.refute.trial.rebuild import SMALL, compare_on, rebuild, touched
from sqlverdict.refute.witness import Witness
from sqlverdict.refute.witness_text import (
    FORMAT,
    MARK,
    WitnessHeader,
    comment_lines,
    header_fields,
    header_of,
)

NOTES = "_sqlverdict_witness"
_LARGEST = 64 * 2**20
"""A larger file is no witness."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


@dataclass(frozen=True)
class WitnessReplay:
    """A witness, run again.

    Attributes:
        path: The file.
        header: The queries and how they are compared.
        gold: What the gold query gives now.
        prediction: What the predicted query gives now.
        comparison: The two under the preset.
        tables: The rows of its tables, with the columns that the queries name.
    """

    path: Path
    header: WitnessHeader
    gold: Outcome
    prediction: Outcome
    comparison: Comparison
    tables: tuple[WitnessTable, ...] = ()

    @property
    def differ(self) -> bool:
        """Whether the two queries still differ."""
        return self.comparison.equal is False


def _text(witness: Witness, rebuilt: RebuiltInstance, header: WitnessHeader) -> str:
    lines = comment_lines(witness, header)
    for name, sql in rebuilt.declared.items():
        lines += ["", sql + ";"]
        lines += _inserts(witness, rebuilt, name)
    return "\n".join(lines) + "\n"


def _inserts(witness: Witness, rebuilt: RebuiltInstance, name: str) -> Iterator[str]:
    rows = witness.instance.rows.get(name, ())
    table = witness.instance.schema.table(name)
    indexes = rebuilt.columns.get(name, ())
    if not rows or table is None:
        return
    names = ", ".join(quote_name(table.columns[i].name) for i in indexes)
    yield f"INSERT INTO {quote_name(name)} ({names}) VALUES"
    for number, row in enumerate(rows, 1):
        cells = ", ".join(rebuilt.literal(row[i]) for i in indexes)
        yield f"  ({cells}){';' if number == len(rows) else ','}"


def _faithful(witness: Witness, preset: str, contract: Contract | None) -> RebuiltInstance:
    """The touched tables in memory, such that the two queries differ there.

    A witness found under fewer facts than the schema's may need tables without them.
    """
    instance = witness.instance
    queries = witness.queries
    tables = touched(instance.schema, queries, instance.rows)
    for bare in (False, True):
        session = rebuild(instance, tables, bare=bare).session(SMALL)
        *_, compared = compare_on(session.run, *queries, preset, contract)
        session.close()
        if compared.equal is False:
            return rebuild(instance, tables, bare=bare)
    return rebuild(instance, tables)


def write(
    witness: Witness,
    folder: Path,
    name: str,
    *,
    preset: str = DEFAULT_PRESET,
    contract: Contract | None = None,
) -> tuple[Path, Path]:
    """Write ``<name>.sql`` and ``<name>.sqlite``; a reader never sees half a file.

    Args:
        witness: The witness.
        folder: Where to; made where it is missing.
        name: Any text, such as a case's id; what a file name cannot hold is replaced.
        preset: The preset under which it was found.
        contract: The case's own contract, where it had some.

    Raises:
        FileFailure: the folder cannot be written.
    """
    rebuilt = _faithful(witness, preset, contract)
    header = header_of(witness, preset, contract)
    try:
        text = _text(witness, rebuilt, header).encode()
        notes = header_fields(header) | {"contract": msgspec.json.encode(contract).decode()}
        # Half of a surrogate pair is no text to SQLite.
        plain = {n: str(each).encode("utf-8", "backslashreplace") for n, each in notes.items()}
        rebuilt.add_notes(NOTES, {name: text.decode() for name, text in plain.items()})
        data = rebuilt.file_bytes()
    finally:
        rebuilt.close()
    base = safe_name(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths = folder / f"{base}.sql", folder / f"{base}.sqlite"
        for path, content in zip(paths, (text, data), strict=True):
            write_at_once(path, content, lasting=False)
    except OSError as error:
        raise FileFailure(
            f"the witness cannot be written to {folder}: {error.strerror or error}. Check the "
            f"place, its rights and its space, or choose another folder"
        ) from error
    return paths


def safe_name(text: str) -> str:
    """A file name for any id: itself where that is safe, else with a digest of it."""
    name = _UNSAFE.sub("_", text).strip("._")[:80]
    if name and name == text and not _RESERVED.fullmatch(name):
        return name
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{name}-{digest}" if name and not _RESERVED.fullmatch(name) else f"w-{digest}"


def replay(path: Path, *, preset: str | None = None) -> WitnessReplay:
    """Run a witness again on the engine.

    Args:
        path: A ``.sql`` or ``.sqlite`` that :func:`write` wrote. Nothing in it is trusted.
        preset: Compare under this one instead of the file's own.

    Raises:
        DataError: the file is missing or no witness.
        UnknownMember: there is no such preset.
    """
    if not path.is_file():
        raise DataError(
            f"there is no witness at {path}; give a .sql or .sqlite file of one", reason="missing"
        )
    with path.open("rb") as stream:
        is_database = stream.read(16) == b"SQLite format 3\0"
    session, header = _open_database(path) if is_database else _open_text(path)
    try:
        rules = preset or header.preset
        gold, prediction, compared = compare_on(
            session.run, *header.queries, rules, header.contract
        )
        tables = tuple(_tables(session, header))
    finally:
        session.close()
    return WitnessReplay(path, header, gold, prediction, compared, tables)


_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' "
    f"AND name <> '{NOTES}' ORDER BY rowid"
)


def _tables(session: Session, header: WitnessHeader) -> Iterator[WitnessTable]:
    """The rows of every table."""
    columns = _columns_read(session, header)
    names = session.run(_TABLES)
    for (name,) in names.rows if isinstance(names, Answer) else ():
        content = session.run(f"SELECT * FROM {quote_name(str(name))}")
        if isinstance(content, Answer):
            table = WitnessTable(str(name), content.columns, tuple(content.rows))
            yield table.with_columns(columns)


def _columns_read(session: Session, header: WitnessHeader) -> set[str] | None:
    declarations = session.run("SELECT sql FROM sqlite_master WHERE sql <> ''")
    rows = declarations.rows if isinstance(declarations, Answer) else []
    try:
        schema = read_ddl(";\n".join(str(sql) for (sql,) in rows), "witness")
    except SchemaError:
        return None
    return columns_named((header.gold, header.prediction), schema)


def _open_database(path: Path) -> tuple[Session, WitnessHeader]:
    try:
        session = ENGINES.get(DEFAULT_ENGINE).open(path, SMALL)
    except DatabaseError as error:
        raise DataError(str(error), reason=error.reason) from error
    outcome = session.run(f"SELECT name, value FROM {NOTES}")
    try:
        if not isinstance(outcome, Answer):
            raise DataError(
                f"{path} is not a witness: {outcome.message}. Expected a table {NOTES}",
                reason="wrong_kind",
            )
        notes = {str(key): value for key, value in outcome.rows}
        contract = msgspec.json.decode(str(notes.get("contract", "null")))
        return session, _checked(notes | {"contract": contract}, path)
    except (msgspec.DecodeError, DataError) as error:
        session.close()
        raise DataError(
            str(error), reason=error.reason if isinstance(error, DataError) else "unreadable"
        ) from error


def read_header(path: Path) -> tuple[WitnessHeader, str]:
    """What a witness as text says of itself, and the text.

    Raises:
        DataError: the file is no witness.
    """
    if path.stat().st_size > _LARGEST:
        raise DataError(
            f"{path} has more than {_LARGEST:,} bytes; a witness is a few rows",
            reason="unsupported",
        )
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not UTF-8 ({error}); expected a witness as text", reason="unreadable"
        ) from error
    line = next((line for line in text.split("\n") if line.startswith(MARK)), None)
    if line is None:
        raise DataError(
            f"{path} is not a witness: no line begins with {MARK.strip()!r}", reason="wrong_kind"
        )
    try:
        return _checked(msgspec.json.decode(line.removeprefix(MARK)), path), text
    except msgspec.DecodeError as error:
        raise DataError(
            f"{path} is not a witness: the line {MARK.strip()!r}: {error}", reason="unreadable"
        ) from error


def is_of_sqlite(path: Path) -> bool:
    """Whether a witness file is one of SQLite; another engine's is a script of that engine."""
    if not path.is_file() or path.suffix != ".sql":
        return True
    engine = read_header(path)[0].engine
    if not ENGINES.has(engine):
        raise DataError(
            f"{path} is of the engine {engine!r}, which is not installed", reason="unsupported"
        )
    return ENGINES.get(engine).in_python


def _open_text(path: Path) -> tuple[Session, WitnessHeader]:
    header, text = read_header(path)
    try:
        return in_memory_engine().session_of_script(statements(text), SMALL), header
    except DatabaseError as error:
        if error.reason == "unsupported":
            raise DataError(f"{path} {error}", reason="wrong_value") from error
        raise DataError(f"{path} {error}. Write the witness again", reason="unreadable") from error


def _checked(content: object, path: Path) -> WitnessHeader:
    try:
        header = msgspec.convert(content, WitnessHeader, strict=False)
    except msgspec.ValidationError as error:
        raise DataError(f"{path} is not a witness: {error}", reason="wrong_value") from error
    if header.now and not is_moment(header.now):
        raise DataError(
            f"{path} is not a witness: its clock shows {header.now!r}", reason="wrong_value"
        )
    if header.format > FORMAT:
        raise DataError(
            f"{path} has format {header.format}; this version reads {FORMAT}. Upgrade sqlverdict",
            reason="another_version",
        )
    return header
