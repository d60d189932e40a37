"""Reads the prompts of Google's evalbench.

Files: ``root`` is a JSON list (or ``.jsonl``) of objects with ``id``, ``nl_prompt``,
``query_type`` (``dql``, ``dml``, ``ddl``), ``database``, ``dialects``, ``golden_sql`` (an object
from dialect to a list of queries), ``eval_query``, ``setup_sql``, ``cleanup_sql`` and ``tags``.
Databases by the name in ``database``: a folder of files or a URL (``postgresql://host/{db_id}``).
Options: ``dialect=NAME`` chooses the golds (``postgres`` by default; the names are evalbench's:
``sqlite``, ``mysql``, ``postgres``, ``sqlserver``, ``bigquery`` ...).

A ``dql`` item is a query with its golds. ``dml`` and ``ddl`` items are scripts: ``setup_sql``,
the statements and ``eval_query`` run on a throw-away copy of the database, and its answers are
compared; ``cleanup_sql`` is not needed there.

Oddities: a field may be a text, a list, or an object by dialect. An item without a gold in the
dialect is left out, with a note. evalbench has ten scorers, of which none is the default: choose
a preset.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlverdict.errors import BenchmarkError, UsageError
from sqlverdict.files.text import count, few_of
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, OneFileReader
from sqlverdict.load.databases import Databases, Location, find_databases
from sqlverdict.load.items import Item, benchmark_of, item_tags, item_text, item_texts, need_text
from sqlverdict.load.system_records import Records
from sqlverdict.records import Case, Script


@BENCHMARKS.member
class Evalbench(OneFileReader):
    """Reads a file of prompts."""

    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the file."""
        unknown = [key for key in options if key != "dialect"]
        if unknown:
            raise UsageError(f"evalbench takes no option {unknown[0]!r}. Known: dialect")
        dialect = options.get("dialect", "postgres")
        folder = find_databases(file.parent, ("databases", "."), databases)
        cases, without = [], []
        for item, where in Records(file):
            golds = _of_dialect(item, where, "golden_sql", dialect)
            if golds:
                cases.append(_case(item, where, golds, dialect, folder))
            else:
                without.append(need_text(item, where, "id"))
        notes = []
        if without:
            notes.append(
                f"{count(len(without), 'item')} without a gold for {dialect}: left out "
                f"(id {few_of(without)})"
            )
        return benchmark_of("evalbench", cases, [file], folder, notes=notes)


def _case(item: Item, where: str, golds: tuple[str, ...], dialect: str, folder: Databases) -> Case:
    db_id, kind = need_text(item, where, "database"), item_text(item, where, "query_type").lower()
    setup = _of_dialect(item, where, "setup_sql", dialect)
    script = None
    if kind in ("dml", "ddl") or setup:
        checks = _of_dialect(item, where, "eval_query", dialect)
        if len(checks) > 1:
            raise BenchmarkError(
                f"{where}: found {len(checks)} eval queries. Expected one.", reason="wrong_value"
            )
        script = Script(setup=setup, check=checks[0] if checks else "")
    return Case(
        id=need_text(item, where, "id"),
        db_id=db_id,
        question=item_text(item, where, "nl_prompt"),
        golds=golds,
        database=folder.expected(db_id),
        tags=item_tags(item, "query_type", "tags"),
        script=script,
    )


def _of_dialect(item: Item, where: str, name: str, dialect: str) -> tuple[str, ...]:
    value: Any = item.get(name)
    if isinstance(value, dict):
        value = value.get(dialect)
    return item_texts({name: value}, where, name)
