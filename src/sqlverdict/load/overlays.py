"""Corrected golds: named sets of queries that take the place of a benchmark's golds.

A set is a list of corrections, or another revision of the whole benchmark. Corrections are JSONL or
a table (CSV, TSV, Excel, Parquet); what they do not name keeps its gold. A revision is a JSON list
as benchmarks publish it (BIRD's and Spider's ``dev.json``), or a gold file. Fields of a record:

* ``id``: the case (also ``question_id``, ``case_id``, ``instance_id``). A JSON list without ids and
  a gold file count from 0.
* ``gold``: a query, or a list of queries, each of which is right (in CSV a JSON list); also
  ``gold_sql``, ``SQL``, ``query``.
* ``reason`` and ``by``: why, and who says so; for readers.
* ``db_id``, where it is given, must be that of the case, and in a correction ``question`` too.

The benchmark's own files stay as they are. In corrections an id that the benchmark does not have is
an error; so are an id that stands twice and two sets that correct one case in different ways. A
revision may have more questions, fewer, or questions in other words: each is counted in a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError, UsageError
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.text import count, decode_json, few_of, near, read_bytes, stream_lines
from sqlverdict.load.benchmark import Benchmark, ChangedCases
from sqlverdict.load.columns.ids import id_from
from sqlverdict.load.fields import ID_KEYS
from sqlverdict.load.own_files.goldfile import gold_lines
from sqlverdict.load.tables.cases import own_format
from sqlverdict.load.tables.open_table import open_table, table_format
from sqlverdict.records import Case, Result

_GOLD_KEYS = ("gold", "golds", "gold_sql", "gold_query", "SQL", "query")
"""What benchmarks call a gold."""


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
    """A named set of golds, by case id.

    Attributes:
        name: Its name.
        sha256: The digest of its file.
        golds: Each gold with its case.
        whole: Whether it is a revision of the whole benchmark: what it lacks has no gold in it.
            What a list of corrections lacks keeps its gold.
        without_gold: The ids of a revision's questions that have no gold there.
    """

    name: str
    sha256: str
    golds: Mapping[str, CorrectedGold]
    whole: bool = False
    without_gold: tuple[str, ...] = ()

    def lacks(self, case_id: str) -> bool:
        """Whether the set says nothing about a case that it should."""
        return self.whole and case_id not in self.golds


def read_overlay(name: str, path: Path) -> GoldOverlay:
    """Read a set.

    Raises:
        DataError: the file cannot be read, or a record is none; the message names the line.
        UsageError: the name cannot be one.
    """
    if not name or "/" in name or not name.isprintable():
        raise UsageError(f"a gold overlay cannot be called {name!r}: give NAME=FILE")
    golds: dict[str, CorrectedGold] = {}
    without: list[str] = []
    is_whole, records = _records(path)
    for where, record in records:
        if is_whole and not _gold_value(record):
            without.append(_case_id(record, where))
            continue
        gold = _corrected(record, where)
        if gold.id in golds:
            raise DataError(
                f"{where}: the id {gold.id!r} already occurs at {golds[gold.id].where}. Expected "
                f"each id once; give several right queries as a list.",
                reason="repeated",
            )
        golds[gold.id] = gold
    if not golds:
        raise DataError(
            f"{path} holds no golds. Expected records with an id and a gold.", reason="empty"
        )
    return GoldOverlay(name, sha256_file(path), golds, is_whole, tuple(without))


def _records(path: Path) -> tuple[bool, Iterator[tuple[str, Mapping[str, Any]]]]:
    """Whether a file is a revision of a whole benchmark, and its records."""
    if own_format(path) == "goldfile":
        return True, _gold_lines(path)
    is_list = path.suffix.lower() == ".json" and read_bytes(path, DataError).lstrip()[:1] == b"["
    return is_list, _list_records(path) if is_list else _corrections(path)


def _gold_lines(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, (sql, db_id) in enumerate(gold_lines(path)):
        yield f"{path}, line {number + 1}", {"id": str(number), "gold": sql, "db_id": db_id}


def _list_records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The records of a JSON list; their positions are their ids, where none has one."""
    items = decode_json(read_bytes(path, DataError), str(path), DataError, list[Any])
    objects = [item for item in items if isinstance(item, dict)]
    numbered = not any(key in item for item in objects for key in ID_KEYS)
    for number, item in enumerate(items):
        where = f"{path}, item {number}"
        if not isinstance(item, dict):
            raise DataError(
                f"{where}: found {type(item).__name__}. Expected an object.", reason="wrong_kind"
            )
        yield where, {"id": str(number), **item} if numbered else item


def _corrections(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if table_format(path) is not None:
        for location, row in open_table(path, DataError).rows:
            yield f"{path}, {location}", row
        return
    for number, line in stream_lines(path, DataError):
        if line.strip():
            where = f"{path}, line {number}"
            record = decode_json(line.strip(), where, DataError)
            if not isinstance(record, dict):
                raise DataError(
                    f"{where}: found {type(record).__name__}. Expected an object.",
                    reason="wrong_kind",
                )
            yield where, record


def _corrected(record: Mapping[str, Any], where: str) -> CorrectedGold:
    if not any(key in record for key in _GOLD_KEYS):
        raise DataError(
            f"{where}: there is no gold. Expected one of {few_of(_GOLD_KEYS, 9)}; found "
            f"{few_of(list(record), 9)}.",
            reason="missing_field",
        )
    return CorrectedGold(
        _case_id(record, where),
        _golds(_gold_value(record), where),
        where=where,
        **{name: _text(record, name, where) for name in ("reason", "by", "db_id", "question")},
    )


def _case_id(record: Mapping[str, Any], where: str) -> str:
    key = next((key for key in ID_KEYS if record.get(key) not in (None, "")), "id")
    return id_from(record.get(key), where, DataError)


def _gold_value(record: Mapping[str, Any]) -> object:
    return next((record[key] for key in _GOLD_KEYS if key in record), None)


def _golds(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = decode_json(value.encode(), f"{where}, gold", DataError)
    golds = value if isinstance(value, list) else [value]
    if not golds or not all(isinstance(gold, str) and gold.strip() for gold in golds):
        raise DataError(
            f"{where}: the gold is {value!r}. Expected a query, or a list of right queries.",
            reason="wrong_value",
        )
    return tuple(golds)


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DataError(f"{where}: the {name} is {value!r}. Expected text.", reason="wrong_value")
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
    ids = [case.id for case in benchmark.cases]
    for overlay in overlays:
        unknown = [gold for gold in overlay.golds.values() if gold.id not in cases]
        if unknown and (not overlay.whole or len(unknown) == len(overlay.golds)):
            raise DataError(
                f"{unknown[0].where}: the benchmark has no case {unknown[0].id!r}"
                f"{f' (nor {few_of([gold.id for gold in unknown[1:]])})' if unknown[1:] else ''}."
                f"{near(unknown[0].id, ids) or f' Its ids are {few_of(ids, 3)}.'}",
                reason="unknown_name",
            )
        for gold in overlay.golds.values():
            if gold.id in cases:
                _check(gold, cases[gold.id], reworded=overlay.whole)
    notes = [", ".join(_note_parts(overlay, cases, ids)) for overlay in overlays]
    return replace(
        benchmark,
        cases=ChangedCases(benchmark.cases, partial(_correct, corrected)),
        notes=(*benchmark.notes, *notes),
    )


def _correct(golds: Mapping[str, CorrectedGold], case: Case) -> Case:
    """The case with its corrected golds, where it has some."""
    gold = golds.get(case.id)
    if gold is None or same_golds(gold.golds, case.golds):
        return case
    return with_golds(case, gold.golds)


def with_golds(case: Case, golds: tuple[str, ...]) -> Case:
    """The case with other golds, and without what is about the old ones."""
    contract = case.contract
    if contract is not None and contract.key_columns is not None:
        # They are positions in the answer of the gold that is gone.
        contract = replace(contract, key_columns=None)
    # A record, and golds that came as results, are about the gold that is gone.
    return replace(
        case,
        golds=golds,
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
                    f"ways. Remove one of the two lines.",
                    reason="conflict",
                )
    return corrected


def _check(gold: CorrectedGold, case: Case, *, reworded: bool) -> None:
    """Refuse a gold of another case; ``reworded``: its question may be in other words."""
    for field, expected, value in (
        ("db_id", case.db_id, gold.db_id),
        ("question", case.question, "" if reworded else gold.question),
    ):
        if value and not _same_text(value, expected):
            raise DataError(
                f"{gold.where}: the {field} of case {gold.id!r} is {value[:_SHORT]!r}, and the "
                f"benchmark has {expected[:_SHORT]!r}. Is the file for another benchmark, or "
                f"another revision of it?",
                reason="mismatch",
            )


def _same_text(one: str, other: str) -> bool:
    return " ".join(one.split()) == " ".join(other.split())


def _note_parts(
    overlay: GoldOverlay, cases: Mapping[str, Case], ids: Sequence[str]
) -> Iterator[str]:
    """How a set fits the cases, in counts."""
    golds = [gold for gold in overlay.golds.values() if gold.id in cases]
    changes = sum(not same_golds(gold.golds, cases[gold.id].golds) for gold in golds)
    yield f"{OVERLAY} {overlay.name}: {count(changes, 'gold')} replaced"
    yield f"{len(golds) - changes:,} as before"
    if not overlay.whole:
        return
    if lacking := sum(overlay.lacks(case_id) for case_id in ids):
        yield f"{count(lacking, 'case has', 'cases have')} none there, and the benchmark's here"
    if more := len(overlay.golds) - len(golds):
        yield f"{count(more, 'gold is', 'golds are')} of no case here"
    if reworded := len(reworded_cases(overlay, cases)):
        yield f"{count(reworded, 'question is', 'questions are')} in other words there"


def same_golds(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists of golds are the same texts; the last semicolon does not count."""
    first, second = (tuple(gold.strip("; \t\r\n") for gold in golds) for golds in (one, other))
    return first == second


def reworded_cases(overlay: GoldOverlay, cases: Mapping[str, Case | Result]) -> tuple[str, ...]:
    """The cases whose question the set has in other words."""
    return tuple(
        gold.id
        for gold in overlay.golds.values()
        if gold.id in cases
        and gold.question
        and cases[gold.id].question
        and not _same_text(gold.question, cases[gold.id].question)
    )
