"""Corrected golds: named sets of queries that take the place of a benchmark's golds.

A file is JSONL, or a table (CSV, TSV, Excel, Parquet). Fields of a record:

* ``id``: the case (also ``question_id``, ``case_id``, ``instance_id``).
* ``gold``: a query, or a list of queries, each of which is right (in CSV a JSON list).
* ``reason`` and ``by``: why, and who says so; for readers.
* ``db_id`` and ``question``, where they are given, must be those of the case.

The benchmark's own files stay as they are. An id that the benchmark does not have, an id that
stands twice, and two sets that correct one case in different ways are errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError, UsageError
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.text import count, decode_json, few_of, near, stream_lines
from sqlverdict.load.benchmark import Benchmark, ChangedCases
from sqlverdict.load.columns.ids import id_from
from sqlverdict.load.fields import ID_KEYS
from sqlverdict.load.tables.open_table import table_format, table_rows
from sqlverdict.records import Case


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


OVERLAY = "gold overlay"
"""What a manifest calls it, with the name of the set behind it."""
_SHORT = 80


def with_overlays(benchmark: Benchmark, overlays: Sequence[GoldOverlay]) -> Benchmark:
    """The benchmark with the golds of all sets in place of its own.

    Raises:
        DataError: a set does not fit the benchmark, or two sets disagree.
    """
    if not overlays:
        return benchmark
    corrected = _merged(overlays)
    cases = {case.id: case for case in benchmark.cases if case.id in corrected}
    unknown = [gold for gold in corrected.values() if gold.id not in cases]
    if unknown:
        known = [case.id for case in benchmark.cases]
        raise DataError(
            f"{unknown[0].where}: the benchmark has no case {unknown[0].id!r}"
            f"{f' (nor {few_of([gold.id for gold in unknown[1:]])})' if unknown[1:] else ''}."
            f"{near(unknown[0].id, known) or f' Its ids are {few_of(known, 3)}.'}"
        )
    for gold in corrected.values():
        _check(gold, cases[gold.id])
    notes = [
        f"{OVERLAY} {overlay.name}: {count(_changes(overlay, cases), 'gold')} replaced, "
        f"{len(overlay.golds) - _changes(overlay, cases):,} as before"
        for overlay in overlays
    ]
    return replace(
        benchmark,
        cases=ChangedCases(benchmark.cases, partial(_correct, corrected)),
        notes=(*benchmark.notes, *notes),
    )


def _correct(golds: Mapping[str, CorrectedGold], case: Case) -> Case:
    """The case with its corrected golds, where it has some."""
    gold = golds.get(case.id)
    if gold is None or gold.golds == case.golds:
        return case
    contract = case.contract
    if contract is not None and contract.key_columns is not None:
        # They are positions in the answer of the gold that is gone.
        contract = replace(contract, key_columns=None)
    # A record, and golds that came as results, are about the gold that is gone.
    return replace(
        case,
        golds=gold.golds,
        gold_answers=(),
        answerable=True,
        contract=contract,
        recorded=None,
    )


def overlay_title(names: Iterable[str]) -> str:
    """What stands behind the name of a benchmark whose golds are corrected."""
    return "".join(f" + {OVERLAY} {name}" for name in names)


def _merged(overlays: Sequence[GoldOverlay]) -> dict[str, CorrectedGold]:
    names = [overlay.name for overlay in overlays]
    if len(set(names)) < len(names):
        raise UsageError(f"two gold overlays are called {names[-1]!r}: give NAME=FILE")
    corrected: dict[str, CorrectedGold] = {}
    for overlay in overlays:
        for case_id, gold in overlay.golds.items():
            other = corrected.setdefault(case_id, gold)
            if other.golds != gold.golds:
                raise DataError(
                    f"{gold.where} and {other.where} correct the case {case_id!r} in different "
                    f"ways. Remove one of the two lines."
                )
    return corrected


def _check(gold: CorrectedGold, case: Case) -> None:
    for field, expected, value in (
        ("db_id", case.db_id, gold.db_id),
        ("question", case.question, gold.question),
    ):
        if value and " ".join(value.split()) != " ".join(expected.split()):
            raise DataError(
                f"{gold.where}: the {field} of case {gold.id!r} is {value[:_SHORT]!r}, and the "
                f"benchmark has {expected[:_SHORT]!r}. Is the file for another benchmark, or "
                f"another revision of it?"
            )


def _changes(overlay: GoldOverlay, cases: Mapping[str, Case]) -> int:
    return sum(gold.golds != cases[gold.id].golds for gold in overlay.golds.values())
