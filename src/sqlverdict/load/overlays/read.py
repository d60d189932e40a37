"""Reads corrected golds: a named set of queries that take the place of a benchmark's golds.

A file is JSONL, or a table (CSV, TSV, Excel, Parquet). Fields of a record:

* ``id``: the case (also ``question_id``, ``case_id``, ``instance_id``).
* ``gold``: a query, or a list of queries, each of which is right (in CSV a JSON list).
* ``reason`` and ``by``: why, and who says so; for readers.
* ``db_id`` and ``question``, where they are given, must be those of the case.

The benchmark's own files stay as they are. An id that the benchmark does not have, an id that
stands twice, and two sets that correct one case in different ways are errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError, UsageError
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.text import decode_json, stream_lines
from sqlverdict.load.columns.ids import id_from
from sqlverdict.load.fields import ID_KEYS
from sqlverdict.load.tables.open_table import table_format, table_rows


@dataclass(frozen=True)
class CorrectedGold:
    """The golds of one case in a set."""

    id: str
    golds: tuple[str, ...]
    reason: str = ""
    by: str = ""
    db_id: str = ""
    question: str = ""
    where: str = ""


@dataclass(frozen=True)
class GoldOverlay:
    """A named set of corrected golds, by case id."""

    name: str
    sha256: str
    golds: Mapping[str, CorrectedGold]


def read_overlay(name: str, path: Path) -> GoldOverlay:
    """Read a set.

    Raises:
        DataError: the file cannot be read, or a record is none; the message names the line.
        UsageError: the name cannot be one.
    """
    if not name or "/" in name or not name.isprintable():
        raise UsageError(f"a gold overlay cannot be called {name!r}: give NAME=FILE")
    golds: dict[str, CorrectedGold] = {}
    for where, record in _records(path):
        gold = _corrected(record, where)
        if gold.id in golds:
            raise DataError(
                f"{where}: the id {gold.id!r} already occurs at {golds[gold.id].where}. Expected "
                f"each id once; give several right queries as a list."
            )
        golds[gold.id] = gold
    if not golds:
        raise DataError(f"{path} holds no golds. Expected records with an id and a gold.")
    return GoldOverlay(name, sha256_file(path), golds)


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if table_format(path) is not None:
        for location, row in table_rows(path, DataError):
            yield f"{path}, {location}", row
        return
    for number, line in stream_lines(path, DataError):
        if line.strip():
            where = f"{path}, line {number}"
            record = decode_json(line.strip(), where, DataError)
            if not isinstance(record, dict):
                raise DataError(f"{where}: found {type(record).__name__}. Expected an object.")
            yield where, record


def _corrected(record: Mapping[str, Any], where: str) -> CorrectedGold:
    key = next((key for key in ID_KEYS if record.get(key) not in (None, "")), "id")
    return CorrectedGold(
        id_from(record.get(key), where, DataError),
        _golds(record.get("gold"), where),
        where=where,
        **{name: _text(record, name, where) for name in ("reason", "by", "db_id", "question")},
    )


def _golds(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = decode_json(value.encode(), f"{where}, gold", DataError)
    golds = value if isinstance(value, list) else [value]
    if not golds or not all(isinstance(gold, str) and gold.strip() for gold in golds):
        raise DataError(
            f"{where}: the gold is {value!r}. Expected a query, or a list of right queries."
        )
    return tuple(golds)


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DataError(f"{where}: the {name} is {value!r}. Expected text.")
    return value
