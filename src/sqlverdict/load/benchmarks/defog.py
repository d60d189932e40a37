r"""Reads defog's sql-eval: questions with several right answers, in CSV.

Files: ``root`` is the CSV file (``questions_gen_postgres.csv``, ``instruct_basic_sqlite.csv``
...) with the columns ``question``, ``query``, ``db_name``, ``query_category`` and perhaps
``instructions``, ``full_instructions``. Databases are the eleven of ``defog-data``, by
``db_name``: ``<db_name>.db`` beside the file or in the given folder, or a URL
(``postgresql://host/{db_id}``). Case ids are positions: "0" is the first row. Options: none. Its
presets are ``defog`` (the score of the README) and ``defog_exact``.

Gold alternatives, expanded as the script does it: the text is split at every ``;``, also inside
of a quoted value; in each part the first ``{a, b}`` becomes every non-empty choice of its list,
in order of size, and ``GROUP BY {}`` behind it takes the same columns.

Oddities: ``query_category`` is a tag (``category``), because the script compares by it.
``instructions`` become the case's knowledge. ``idk.csv`` holds questions without an answer, whose
gold is ``SELECT 'sorry ...'``: such cases are unanswerable here. Dates in the databases count
from the day on which they were loaded: freeze the clock with ``--set now=TIME``. Where an
alternative fails on an engine, the script fails on the whole question, and the others count here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, combinations
from pathlib import Path

from sqlverdict.errors import BenchmarkError
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, OneFileReader
from sqlverdict.load.databases import Location, find_databases
from sqlverdict.load.items import benchmark_of, check_options, item_text, need_text
from sqlverdict.load.tables.open_table import open_table
from sqlverdict.records import Case

_SORRY = re.compile(r"\s*select\s+'sorry", re.IGNORECASE)
_MOST_COLUMNS = 12
"""A list of more columns has too many choices to be tried."""


@BENCHMARKS.member
class DefogReader(OneFileReader):
    """Reads a file of questions."""

    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the file."""
        check_options("defog", options)
        folder = find_databases(file.parent, ("databases", "."), databases)
        cases = []
        for i, (line, row) in enumerate(open_table(file, BenchmarkError).rows):
            where = f"{file}, {line}"
            db_id, query = need_text(row, where, "db_name"), need_text(row, where, "query")
            answerable = _SORRY.match(query) is None
            hints = (item_text(row, where, name) for name in ("instructions", "full_instructions"))
            category = item_text(row, where, "query_category")
            cases.append(
                Case(
                    id=str(i),
                    db_id=db_id,
                    question=need_text(row, where, "question"),
                    golds=alternatives(query) if answerable else (),
                    database=folder.expected(db_id),
                    answerable=answerable,
                    knowledge="\n".join(filter(None, hints)),
                    tags={"category": category} if category else {},
                )
            )
        return benchmark_of("defog", cases, [file], folder, preset="defog")


def alternatives(query: str) -> tuple[str, ...]:
    """Every query that a gold stands for.

    >>> alternatives("SELECT {a,b} FROM t GROUP BY {}; SELECT 1")[1:]
    ('SELECT b FROM t GROUP BY b', 'SELECT a, b FROM t GROUP BY a, b', 'SELECT 1')
    """
    return tuple(chain.from_iterable(map(_expand, query.split(";"))))


def _expand(part: str) -> Iterator[str]:
    part = part.strip()
    start = part.find("{")
    end = part.find("}", start + 1)
    if start < 0 or end < 0:
        yield from [part] if part else []
        return
    columns = part[start + 1 : end].split(",")
    if len(columns) > _MOST_COLUMNS:
        raise BenchmarkError(
            f"a gold lets {len(columns)} columns be chosen: {part[:80]!r} ...", reason="wrong_value"
        )
    left, right = part[:start], part[end + 1 :]
    for size in range(1, len(columns) + 1):
        for choice in combinations(columns, size):
            text = ", ".join(choice)
            yield left + text + right.replace("GROUP BY {}", f"GROUP BY {text}")
