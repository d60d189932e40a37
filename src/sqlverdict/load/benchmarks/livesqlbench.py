"""Reads LiveSQLBench, BIRD-Interact and BIRD-CRITIC.

Files: ``root`` is a ``.jsonl`` file, or a folder with ``livesqlbench_data.jsonl``,
``bird_interact_data.jsonl`` or ``data.jsonl``: one object a line with ``instance_id``,
``selected_database`` or ``db_id``, ``query`` (or ``amb_user_query``, ``normal_query``),
``preprocess_sql``, ``sol_sql``, ``clean_up_sql``, ``test_cases``, ``conditions``, ``category``,
``external_knowledge``. Databases are PostgreSQL templates
(``--databases postgresql://host/{db_id}``); the SQLite edition has ``<db>/<db>_template.sqlite``
or ``<db>.sqlite``. Options: none. Its preset is ``livesqlbench``.

Predictions: ``.jsonl`` with ``instance_id`` and ``pred_sqls``, a list of statements.

A question with one gold statement and no set-up is a query. Anything else is a script: set-up,
statements and result run on a throw-away copy of the database, and the last result is compared,
or the content of all tables where there is none. ``clean_up_sql`` is not needed there.

Oddities: ``sol_sql`` and ``test_cases`` are withheld from the published files and sent by mail;
an item without ``sol_sql`` cannot be scored and is left out, with a note. An item's own Python
test cases are not run: the tag ``test_cases`` says how many there are, and for those the official
verdict may differ. ``conditions.order`` becomes the contract's ``order``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.errors import BenchmarkError
from sqlverdict.files.text import count, few_of
from sqlverdict.load.benchmark import BENCHMARKS, NO_OPTIONS, Benchmark
from sqlverdict.load.databases import Databases, Location, find_databases
from sqlverdict.load.items import (
    Item,
    benchmark_of,
    check_options,
    first_file,
    item_tags,
    item_text,
    item_texts,
    need_text,
)
from sqlverdict.load.system_records import Records
from sqlverdict.records import Case, Contract, Script

_NAMES = ("livesqlbench_data.jsonl", "bird_interact_data.jsonl", "data.jsonl")


@BENCHMARKS.member
class LiveSqlBenchReader:
    """Reads a file of items."""

    def read(
        self,
        root: Path,
        *,
        split: str = "dev",  # noqa: ARG002 (it has one)
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read a benchmark; see :class:`~sqlverdict.load.benchmark.BenchmarkReader`."""
        check_options("livesqlbench", options)
        file = first_file(root, _NAMES, "LiveSQLBench")
        folder = find_databases(file.parent, ("databases", "database", "."), databases)
        cases, withheld = [], []
        for item, where in Records(file):
            if item_texts(item, where, "sol_sql"):
                cases.append(_case(item, where, folder))
            else:
                withheld.append(need_text(item, where, "instance_id"))
        notes = []
        if withheld:
            notes.append(
                f"{count(len(withheld), 'item has', 'items have')} no sol_sql (id "
                f"{few_of(withheld)}): their golds are sent by mail, see the benchmark's page"
            )
        return benchmark_of(
            "livesqlbench", cases, [file], folder, notes=notes, preset="livesqlbench"
        )


def _case(item: Item, where: str, folder: Databases) -> Case:
    golds, setup = item_texts(item, where, "sol_sql"), item_texts(item, where, "preprocess_sql")
    db_id = need_text(item, where, "selected_database", "db_id")
    conditions = item.get("conditions") or {}
    if not isinstance(conditions, dict):
        raise BenchmarkError(
            f"{where}: conditions is {conditions!r}. Expected an object.", reason="wrong_value"
        )
    query_alone = len(golds) == 1 and not setup and item.get("category") != "Management"
    tests = item_texts(item, where, "test_cases")
    return Case(
        id=need_text(item, where, "instance_id"),
        db_id=db_id,
        question=item_text(item, where, "query", "amb_user_query", "normal_query"),
        golds=(golds[0] if query_alone else ";\n".join(each.rstrip("; \n") for each in golds),),
        database=folder.expected(db_id),
        difficulty=item_text(item, where, "difficulty_tier", "difficulty") or None,
        contract=Contract(order="respect") if conditions.get("order") else None,
        tags=item_tags(item, "category", "external_knowledge")
        | ({"test_cases": str(len(tests))} if tests else {}),
        script=None if query_alone else Script(setup=setup),
    )
