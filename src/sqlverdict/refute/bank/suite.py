"""From a bank to a test suite: the fewest databases that still refute every recorded pair.

``suite`` covers the pairs greedily by what the bank recorded. ``distil`` first asks every
instance about every pair, so that one database may stand for many.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.errors import DataError, FileFailure, SchemaError
from sqlverdict.execute.in_memory import warm_scratch
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.regular import why_unread
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Cell
from sqlverdict.refute.bank.store import Bank, fits
from sqlverdict.refute.trial.determined import is_determined
from sqlverdict.refute.trial.rebuild import compare_on, rebuild
from sqlverdict.refute.witness import Content, Instance
from sqlverdict.refute.witness_files import safe_name

_HEAD = {"sqlverdict_bank": 1}


def smallest_suite(bank: Bank, schema: Schema) -> list[Instance]:
    """The fewest instances found that separate all recorded pairs of a schema, best first."""
    instances = list(bank.instances(schema))
    separated: dict[int, set[tuple[str, str]]] = {}
    for pair, ranks in bank.pairs(schema).items():
        for rank in ranks:
            if rank < len(instances):
                separated.setdefault(rank, set()).add(pair)
    return [instances[rank] for rank in cover(separated)]


def cover(sets: Mapping[int, set[tuple[str, str]]]) -> list[int]:
    """Greedy set cover: the set with the most that is new, the first of equals."""
    left = set().union(*sets.values()) if sets else set()
    covering: list[int] = []
    while left:
        best = max(sorted(sets), key=lambda number: len(sets[number] & left))
        covering.append(best)
        left -= sets[best]
    return covering


def distil(
    bank: Bank,
    schema: Schema,
    pairs: Iterable[tuple[str, str]] = (),
    *,
    preset: str = DEFAULT_PRESET,
) -> list[Instance]:
    """Ask every instance about every pair, record what it separates, and choose the suite.

    Args:
        bank: The bank.
        schema: The schema.
        pairs: Gold and predicted queries beside the recorded ones.
        preset: When two answers are the same.
    """
    instances = list(bank.instances(schema))
    all_pairs = list(dict.fromkeys([*bank.pairs(schema), *pairs]))
    for instance in instances:
        bank.record(instance, separated_by(instance, all_pairs, preset))
    return smallest_suite(bank, schema)


def separated_by(
    instance: Instance, pairs: Iterable[tuple[str, str]], preset: str = DEFAULT_PRESET
) -> list[tuple[str, str]]:
    """The pairs whose answers on an instance differ and are each query's own."""
    try:
        scratches = (
            warm_scratch(instance.schema, None, False),
            warm_scratch(instance.schema, frozenset(), True),
        )
    except SchemaError:
        return []
    rules = PRESETS.get(preset)
    separated = []
    for gold, prediction in pairs:
        scratches[0].load(instance.rows)
        ours, theirs, compared = compare_on(scratches[0].run, gold, prediction, preset)
        if compared.equal is not False:
            continue
        outcomes = ((gold, ours), (prediction, theirs))
        if is_determined(*outcomes, instance.rows, scratches, rules, DEFAULT_DIALECT):
            separated.append((gold, prediction))
    return separated


def export_suite(bank: Bank, folder: Path, schemas: Iterable[Schema] | None = None) -> list[Path]:
    """Write each schema's suite as ``<db_id>/<n>.sqlite``, ready for test-suite accuracy.

    Two schemas of one name get a folder each, the second's with a number.

    Raises:
        FileFailure: the folder cannot be written.
    """
    paths: list[Path] = []
    names: dict[str, int] = {}
    for schema in bank.schemas() if schemas is None else schemas:
        instances = smallest_suite(bank, schema)
        if not instances:
            continue
        base = safe_name(schema.db_id)
        names[base] = names.get(base, 0) + 1
        home = folder / (base if names[base] == 1 else f"{base}-{names[base]}")
        for number, instance in enumerate(instances, 1):
            database = rebuild(instance)
            data = database.file_bytes()
            database.close()
            path = home / f"{number}.sqlite"
            try:
                home.mkdir(parents=True, exist_ok=True)
                write_at_once(path, data, lasting=False)
            except OSError as error:
                raise FileFailure(f"{path} cannot be written: {error}") from error
            paths.append(path)
    return paths


def export_bank(bank: Bank, path: Path) -> int:
    """Write a bank as JSON lines: a head, then an instance each with its schema and pairs.

    Returns:
        How many instances there are.

    Raises:
        FileFailure: the file cannot be written.
    """
    lines = [json.dumps(_HEAD)]
    for schema in bank.schemas():
        instances = list(bank.instances(schema))
        pairs: dict[int, list[tuple[str, str]]] = {}
        for pair, ranks in bank.pairs(schema).items():
            for rank in ranks:
                pairs.setdefault(rank, []).append(pair)
        for rank, instance in enumerate(instances):
            rows = {
                name: [[_to_json(cell) for cell in row] for row in content]
                for name, content in instance.rows.items()
            }
            record = {
                "schema": msgspec.to_builtins(schema),
                "rows": rows,
                "pairs": pairs.get(rank, []),
            }
            lines.append(json.dumps(record))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_at_once(path, ("\n".join(lines) + "\n").encode())
    except OSError as error:
        raise FileFailure(f"{path} cannot be written: {error}") from error
    return len(lines) - 1


def import_bank(bank: Bank, path: Path) -> int:
    """Add the instances of an exported bank.

    Returns:
        How many there are in the file.

    Raises:
        DataError: the file is missing or no exported bank; nothing of it is added then.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error}", reason=why_unread(error)) from error
    if not lines or _line(lines[0], path, 1).get("sqlverdict_bank") != 1:
        raise DataError(
            f"{path} is not an exported bank: its first line should be {json.dumps(_HEAD)}",
            reason="wrong_kind",
        )
    instances = [
        _record(_line(line, path, number), path, number)
        for number, line in enumerate(lines[1:], 2)
        if line.strip()
    ]
    for instance, pairs in instances:
        bank.record(instance, pairs)
    return len(instances)


def _line(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{path}, line {number}, is not JSON: {error}", reason="unreadable"
        ) from error
    if not isinstance(content, dict):
        raise DataError(f"{path}, line {number}: expected a JSON object", reason="wrong_kind")
    return content


def _record(
    content: dict[str, Any], path: Path, number: int
) -> tuple[Instance, list[tuple[str, str]]]:
    try:
        schema = msgspec.convert(content["schema"], Schema)
        pairs = msgspec.convert(content["pairs"], list[tuple[str, str]])
        rows: Content = {
            str(name): tuple(tuple(_from_json(cell) for cell in row) for row in table_rows)
            for name, table_rows in content["rows"].items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(
            f"{path}, line {number}, is not an instance: {error!r}", reason="wrong_value"
        ) from error
    if not fits(schema, rows):
        raise DataError(
            f"{path}, line {number}: the rows do not fit the schema's tables", reason="mismatch"
        )
    return Instance(schema, rows), pairs


def _to_json(cell: Cell) -> Any:
    return {"blob": b64encode(cell).decode()} if isinstance(cell, bytes) else cell


def _from_json(cell: Any) -> Cell:
    if isinstance(cell, dict):
        return b64decode(cell["blob"], validate=True)
    if isinstance(cell, bool) or not isinstance(cell, int | float | str | None):
        raise TypeError(f"{cell!r} is not a value of a database")
    if isinstance(cell, int) and not -(2**63) <= cell < 2**63:
        raise ValueError(f"{cell} does not fit into 64 bits")
    return cell
