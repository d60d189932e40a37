"""Benchmarks whose files also record what systems answered, and how such files are read.

A reader that has the two methods of :class:`RecordsSystems` serves ``evaluate --system NAME``:
the predictions come from the benchmark's own file. A record without an entry for the system is
missing, which is an error and never an abstention.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from sqlverdict.errors import BenchmarkError, PredictionError, UsageError
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.text import decode_json, few_of, near, need_file, read_bytes, stream_lines
from sqlverdict.load.columns.ids import id_from
from sqlverdict.load.predictions import Predictions
from sqlverdict.load.replies.fenced import text_prediction
from sqlverdict.records import Prediction

Record = dict[str, Any]
ABSTENTION_WORD = "null"
"""How TrustSQL and EHRSQL-2024 write an abstention in files of plain text."""


@runtime_checkable
class RecordsSystems(Protocol):
    """A reader whose files record systems' answers."""

    def systems(self, root: Path, *, split: str = "dev") -> tuple[str, ...]:
        """The names of the systems in the file."""
        ...

    def predictions(self, root: Path, system: str, *, split: str = "dev") -> Predictions:
        """What one system answered, by case id; cases without a record are not in it."""
        ...


class Records:
    """The objects of a ``.jsonl`` file or of a JSON list, each with its place in the file."""

    def __init__(self, path: Path) -> None:
        need_file(path, BenchmarkError)
        self.path = path

    def __iter__(self) -> Iterator[tuple[Record, str]]:
        """Each object and where it stands.

        Raises:
            BenchmarkError: something is not a JSON object, or an id stands twice.
        """
        locations: dict[str, str] = {}
        empty = True
        for record, where in self._objects():
            empty = False
            if not isinstance(record, dict):
                raise BenchmarkError(
                    f"{where}: found {type(record).__name__}, not a JSON object.",
                    reason="wrong_kind",
                )
            if "id" in record:
                case_id = id_from(record["id"], where, BenchmarkError)
                if case_id in locations:
                    raise BenchmarkError(
                        f"id {case_id!r} occurs at {locations[case_id]} and again at {where}. "
                        f"Expected each id once; rename or remove one of them.",
                        reason="repeated",
                    )
                locations[case_id] = where
            yield record, where
        if empty:
            raise BenchmarkError(
                f"{self.path} holds no record. Expected one JSON object per case.", reason="empty"
            )

    def first(self) -> Record:
        """The first record."""
        return next(iter(self))[0]

    def _objects(self) -> Iterator[tuple[Any, str]]:
        if self.path.suffix == ".json":
            data = read_bytes(self.path, BenchmarkError)
            content = decode_json(data, str(self.path), BenchmarkError)
            listing = content.get("data", content) if isinstance(content, dict) else content
            if not isinstance(listing, list):
                raise BenchmarkError(
                    f"{self.path} holds no list. Expected a JSON list of objects.",
                    reason="wrong_kind",
                )
            yield from ((one, f"{self.path}, item {n}") for n, one in enumerate(listing))
            return
        for number, line in stream_lines(self.path, BenchmarkError):
            where = f"{self.path}, line {number}"
            yield decode_json(line.rstrip(), where, BenchmarkError), where


def recorded(
    records: Records,
    system: str,
    known: tuple[str, ...],
    read_prediction: Callable[[Record, str], Prediction | None],
) -> Predictions:
    """The predictions that a file records for one system.

    Args:
        records: The file.
        system: The system's name, for messages.
        known: Every system's name.
        read_prediction: Reads the prediction in a record at a location of the file; ``None``
            where it has none.

    Raises:
        UsageError: there is no such system.
        PredictionError: a record cannot be read, or none holds an answer of this system.
    """
    if system not in known:
        raise UsageError(
            f"{records.path} records no system {system!r}.{near(system, known)} "
            f"Recorded: {', '.join(known) or 'none'}"
        )
    by_id: dict[str, Prediction] = {}
    missing: list[str] = []
    for record, where in records:
        case_id = id_from(record.get("id"), where, BenchmarkError)
        prediction = read_prediction(record, where)
        if prediction is None:
            missing.append(case_id)
        else:
            by_id[case_id] = prediction
    if not by_id:
        raise PredictionError(
            f"{records.path}: no record holds an answer of {system!r}.", reason="unknown_name"
        )
    notes: list[str] = []
    if missing:
        notes.append(
            f"{len(missing)} of {len(missing) + len(by_id)} cases have no record of {system} "
            f"(id {few_of(missing)})"
        )
    digest = sha256_file(records.path)
    return Predictions(by_id, str(records.path), "recorded", digest, tuple(notes))


def check_texts(record: Record, where: str, *names: str) -> None:
    """Make sure that fields, where they are there, hold text or a single number.

    Raises:
        BenchmarkError: one holds a list or an object.
    """
    for name in names:
        if isinstance(record.get(name), list | dict):
            raise BenchmarkError(
                f"{where}: {name!r} is {record[name]!r}. Expected text.", reason="wrong_value"
            )


def entries(record: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    """What a record holds of each system, by the system's name; none where it says nothing.

    Raises:
        BenchmarkError: it is no object.
    """
    by_system = record.get(name)
    if by_system is None:
        return {}
    if not isinstance(by_system, dict):
        raise BenchmarkError(
            f"{where}: {name!r} is {by_system!r}. Expected an object, by system.",
            reason="wrong_value",
        )
    return by_system


def recorded_prediction(
    case_id: str,
    sql: object,
    where: str,
    *,
    repair: Callable[[str], str] = str,
    confidence: float | None = None,
    samples: tuple[str, ...] = (),
) -> Prediction:
    """A recorded answer: null, or the benchmark's own word for it, is an abstention.

    Raises:
        PredictionError: it is neither text nor null.
    """
    if sql is None or sql == ABSTENTION_WORD:
        return Prediction(case_id, abstained=True, confidence=confidence, samples=samples)
    if not isinstance(sql, str):
        raise PredictionError(
            f"{where}: found {sql!r}. Expected SQL text, or null to abstain.", reason="wrong_value"
        )
    read = text_prediction(case_id, sql)
    repaired = None if read.sql is None else repair(read.sql)
    return Prediction(case_id, repaired, False, confidence, samples, read.raw)


def record_number(record: Mapping[str, Any], key: str, where: str) -> float | None:
    """A number in a record; ``None`` where there is none.

    Raises:
        PredictionError: it is something else.
    """
    value = record.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PredictionError(
            f"{where}: {key!r} is {value!r}. Expected a number.", reason="wrong_value"
        )
    try:
        return float(value)
    except OverflowError as beyond:
        raise PredictionError(
            f"{where}: {key!r} is beyond any number we keep.", reason="wrong_value"
        ) from beyond
