"""Reads Spider 2.0-lite and Spider 2.0-snow, whose golds are results.

Files, below ``root``: ``spider2-lite.jsonl`` or ``spider2-snow.jsonl`` (one object a line:
``instance_id``, ``db`` or ``db_id``, ``question`` or ``instruction``, ``external_knowledge``); in
``gold`` or ``evaluation_suite/gold`` the folder ``exec_result`` with the gold results, a file
``*_eval.jsonl`` (``instance_id``, ``condition_cols``, ``ignore_order``) and perhaps
``sql/<id>.sql``. ``root`` may be the ``.jsonl`` file. The SQLite databases of the ``local``
questions lie in ``resource/databases/spider2-localdb``, or in the given folder. Options: none.

Submissions are folders, given with ``--predictions``: ``<id>.sql`` (its first block of SQL, else
the whole file) or ``<id>.csv``, a result. Its presets are ``spider2`` (the present script) and
``spider2_2024``.

Gold results, as the script chooses them: ``<id>.csv`` alone where it exists, else all
``<id>_<letter>.csv`` in order. ``condition_cols`` becomes ``key_columns`` of the contract, one
entry a gold: a flat list holds for every gold, a list of lists has one list a gold. One gold
called ``<id>_a.csv`` with a flat list is the exception: its numbers are kept as they are, one
"entry" each, and the presets read them as their scripts do.

Oddities: an instance without a gold result cannot be scored and is left out, with a note. Gold
queries are for readers: a prediction is compared with the results. Results are read anew at each
iteration, for some are large. The lite script scores no ``sf`` instance any more; here all that
have golds are scored. BigQuery and Snowflake are not reached from here: evaluate their results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlverdict.errors import BenchmarkError
from sqlverdict.files.digests import sha256_files
from sqlverdict.files.result_csv import parse_result
from sqlverdict.files.text import count, few_of, read_text
from sqlverdict.load.benchmark import BENCHMARKS, NO_OPTIONS, Benchmark, SourceFile
from sqlverdict.load.databases import Databases, Location, find_databases
from sqlverdict.load.items import check_options, first_file, item_tags, item_text, need_text
from sqlverdict.load.system_records import Records
from sqlverdict.records import Case, Contract

_NAMES = ("spider2-lite.jsonl", "spider2-snow.jsonl")
_GOLD = ("gold", "evaluation_suite/gold")
_DATABASES = ("resource/databases/spider2-localdb", "resource/databases", "databases", ".")
_ALL_COLUMNS: tuple[Any, ...] = (None, [], [[]], [None])


class Spider2Cases:
    """The instances that have a gold result, read anew at each iteration."""

    def __init__(self, file: Path, gold: Path, settings: Path, databases: Databases) -> None:
        self._file = file
        self._gold = gold
        self._databases = databases
        self._settings = {
            need_text(item, where, "instance_id"): (item, where)
            for item, where in Records(settings)
        }
        results = gold / "exec_result"
        self._files = _by_instance(results)
        self.without = [str(item["instance_id"]) for item, _, files in self._items() if not files]
        self.count = sum(bool(files) for _, _, files in self._items())

    def __iter__(self) -> Iterator[Case]:
        for instance, where, files in self._items():
            if files:
                yield self._case(instance, where, files)

    def files(self) -> Iterator[Path]:
        """The gold results, in the order of the instances."""
        for _, _, files in self._items():
            yield from files

    def _items(self) -> Iterator[tuple[dict[str, Any], str, list[Path]]]:
        for item, where in Records(self._file):
            name = need_text(item, where, "instance_id")
            yield item, where, self._files.get(name, [])

    def _case(self, item: dict[str, Any], where: str, files: Sequence[Path]) -> Case:
        name = need_text(item, where, "instance_id")
        db_id = need_text(item, where, "db", "db_id")
        sql = self._gold / "sql" / f"{name}.sql"
        setting, source = self._settings.get(name, ({}, where))
        return Case(
            id=name,
            db_id=db_id,
            question=item_text(item, where, "question", "instruction"),
            golds=(read_text(sql, BenchmarkError),) if sql.is_file() else (),
            gold_answers=tuple(
                parse_result(read_text(file, BenchmarkError), file.name, BenchmarkError)
                for file in files
            ),
            database=self._databases.expected(db_id),
            contract=_contract(setting, source, name, files),
            tags=item_tags(item, "external_knowledge"),
        )


def _by_instance(folder: Path) -> dict[str, list[Path]]:
    """The gold results of each instance, as the script chooses them."""
    if not folder.is_dir():
        raise BenchmarkError(
            f"there is no folder {folder}. Expected the gold results there.", reason="missing"
        )
    alone: dict[str, list[Path]] = {}
    several: dict[str, list[Path]] = {}
    for file in sorted(folder.glob("*.csv")):
        alone[file.stem] = [file]
        name, mark, letter = file.stem.rpartition("_")
        if mark and len(letter) == 1 and letter.isalpha() and letter.islower():
            several.setdefault(name, []).append(file)
    return {**several, **alone}


def _contract(setting: Mapping[str, Any], where: str, name: str, files: Sequence[Path]) -> Contract:
    columns = setting.get("condition_cols")
    order = setting.get("ignore_order", True)
    if not isinstance(order, bool) or not isinstance(columns, list | None):
        raise BenchmarkError(
            f"{where}: expected a list in condition_cols, a bool in ignore_order.",
            reason="wrong_value",
        )
    key_columns: tuple[tuple[int, ...] | int, ...] | None = None
    if columns not in _ALL_COLUMNS:
        assert columns is not None, "None stands for all columns"
        try:
            key_columns = _key_columns(columns, files[0].stem == name, len(files))
        except (TypeError, ValueError) as bad:
            raise BenchmarkError(
                f"{where}: condition_cols is {columns!r}: {bad}", reason="wrong_value"
            ) from bad
    return Contract(order="ignore" if order else "respect", key_columns=key_columns)


def _key_columns(
    columns: list[Any], is_alone: bool, golds: int
) -> tuple[tuple[int, ...] | int, ...]:
    nested = [isinstance(entry, list) for entry in columns]
    if is_alone or (golds > 1 and not all(nested)):
        return (tuple(map(int, columns)),) * golds
    return tuple(tuple(map(int, e)) if isinstance(e, list) else int(e) for e in columns)


@BENCHMARKS.member
class Spider2Reader:
    """Reads Spider 2.0's folder."""

    def read(
        self,
        root: Path,
        *,
        split: str = "dev",  # noqa: ARG002 (it has one)
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read a benchmark; see :class:`~sqlverdict.load.benchmark.BenchmarkReader`."""
        check_options("spider2", options)
        file = first_file(root, _NAMES, "Spider 2.0")
        home = file.parent
        gold = next((home / name for name in _GOLD if (home / name).is_dir()), home / _GOLD[0])
        settings = sorted(gold.glob("*_eval.jsonl"))
        if len(settings) != 1:
            raise BenchmarkError(
                f"{gold} has {len(settings)} files *_eval.jsonl. Expected one, beside exec_result.",
                reason="repeated" if settings else "missing",
            )
        cases = Spider2Cases(file, gold, settings[0], find_databases(home, _DATABASES, databases))
        notes = []
        if cases.without:
            notes.append(
                f"{count(len(cases.without), 'instance')} without a gold result: left out "
                f"(id {few_of(cases.without)})"
            )
        results = list(cases.files())
        if not results:
            raise BenchmarkError(
                f"{gold / 'exec_result'} holds no gold result of {file}.", reason="missing"
            )
        sources = (
            SourceFile.of(file),
            SourceFile.of(settings[0]),
            SourceFile(str(gold / "exec_result"), sha256_files(results)),
        )
        version = f"{file.stem}, sha256 " + "+".join(each.sha256[:12] for each in sources)
        return Benchmark(
            "spider2", version, cases, cases.count, sources, tuple(notes), preset="spider2"
        )
