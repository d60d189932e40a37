"""Reads BIRD mini-dev: 500 questions, with golds for SQLite, MySQL and PostgreSQL.

Files, below ``root``: ``mini_dev_<dialect>.json`` (a list of objects with ``question_id``,
``db_id``, ``question``, ``evidence``, ``SQL`` and ``difficulty``; ``.jsonl``: one a line), else
``mini_dev_<dialect>_gold.sql`` or ``gold_<dialect>.sql`` (``SQL<TAB>db_id`` a line). ``root`` may
be such a file. Options: ``dialect=sqlite|mysql|postgresql``; without it, the dialect in the name
of the file, else sqlite. SQLite databases lie in ``dev_databases`` or ``databases``; the servers
have **one database for all** questions (``--databases postgresql://host/bird``).

Case ids are positions, as in the keys of published prediction files: two question ids stand twice
among the 500. The script ignores the keys and pairs by the order of the file: force the
prediction format ``bird_order`` for a file whose keys are other numbers. Its presets are
``bird_mini_dev``, ``soft_f1_bird[bird_mini_dev]`` and ``r_ves[bird_mini_dev]``.

Oddities: a line of a gold file with a tab in its SQL crashes the script, and is read here. A
prediction's own database name is ignored by the script, and checked here. MySQL golds need a
server without ``ONLY_FULL_GROUP_BY``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.load.benchmark import BENCHMARKS, NO_OPTIONS, Benchmark
from sqlverdict.load.databases import Databases, Location, find_databases
from sqlverdict.load.items import (
    benchmark_of,
    check_options,
    first_file,
    item_tags,
    item_text,
    need_text,
)
from sqlverdict.load.own_files.goldfile import gold_lines
from sqlverdict.load.system_records import Records
from sqlverdict.records import Case

_DIALECTS = ("sqlite", "mysql", "postgresql")
_USUAL = ("dev_databases", "databases", "database", ".")


@BENCHMARKS.member
class BirdMiniDev:
    """Reads mini-dev's folder, or one of its files."""

    def read(
        self,
        root: Path,
        *,
        split: str = "dev",  # noqa: ARG002 (it has one)
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read a benchmark; see :class:`~sqlverdict.load.benchmark.BenchmarkReader`."""
        check_options("bird_mini_dev", options, dialect=_DIALECTS)
        dialect = options.get("dialect", "sqlite")
        names = [
            f"mini_dev_{dialect}.json",
            f"mini_dev_{dialect}.jsonl",
            f"mini_dev_{dialect}_gold.sql",
            f"gold_{dialect}.sql",
        ]
        file = first_file(root, names, "BIRD mini-dev")
        folder = find_databases(file.parent, _USUAL, databases)
        if file.suffix == ".sql":
            cases = [
                Case(str(i), db_id, golds=(sql,), database=folder.expected(db_id))
                for i, (sql, db_id) in enumerate(gold_lines(file))
            ]
        else:
            cases = _cases(file, folder)
        return benchmark_of("bird_mini_dev", cases, [file], folder, preset="bird_mini_dev")


def _cases(file: Path, folder: Databases) -> list[Case]:
    cases = []
    for i, (item, where) in enumerate(Records(file)):
        db_id = need_text(item, where, "db_id")
        cases.append(
            Case(
                id=str(i),
                db_id=db_id,
                question=item_text(item, where, "question"),
                golds=(need_text(item, where, "SQL"),),
                database=folder.expected(db_id),
                difficulty=item_text(item, where, "difficulty") or None,
                knowledge=item_text(item, where, "evidence"),
                tags=item_tags(item, "question_id"),
            )
        )
    return cases
