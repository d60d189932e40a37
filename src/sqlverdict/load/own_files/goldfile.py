r"""Reads a gold file: one ``SQL<TAB>db_id`` a line, as Spider and BIRD publish them.

Files: ``root`` is the gold file; databases in the given folder, else in ``database`` or
``databases`` beside the file. Case ids are positions: "0" is the first line. Options: none.

Oddities: SQL may hold tabs, so the last tab of a line parts it; a blank line or a line
without a tab is an error that names the line, because a shift by one would pair every later
prediction with the wrong gold; there are no questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.errors import BenchmarkError, UsageError
from sqlverdict.files.text import few_of, read_text, split_lines
from sqlverdict.load.benchmark import (
    BENCHMARKS,
    Benchmark,
    OneFileReader,
    SourceFile,
    missing_databases,
)
from sqlverdict.load.databases import Location, find_databases
from sqlverdict.records import Case


def gold_lines(path: Path) -> list[tuple[str, str]]:
    """The queries of a gold file with their database ids.

    Raises:
        BenchmarkError: the file cannot be read, or a line is not ``SQL<TAB>db_id``.
    """
    lines = split_lines(read_text(path, BenchmarkError))
    blank = [number for number, line in enumerate(lines, 1) if not line.strip()]
    if blank:
        raise BenchmarkError(
            f"{path}: {len(blank)} of {len(lines)} lines are blank (line {few_of(blank)}). "
            f"Expected SQL<TAB>db_id on every line; remove them, after checking that no query "
            f"is missing there.",
            reason="unreadable",
        )
    pairs: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 1):
        sql, tab, db_id = line.rpartition("\t")
        if not tab or not sql.strip() or not db_id.strip():
            raise BenchmarkError(
                f"{path}: line {number} is {line[:80]!r}. Expected SQL, a tab and the db_id.",
                reason="unreadable",
            )
        pairs.append((sql.strip(), db_id.strip()))
    return pairs


@BENCHMARKS.member
class GoldFile(OneFileReader):
    """Reads a gold file and its folder of databases."""

    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the file."""
        unknown = [key for key in options if key != "difficulty"]
        if unknown:
            raise UsageError(f"a gold file takes no option {unknown[0]!r}; remove it")
        pairs = gold_lines(file)
        folder = find_databases(file.parent, ("database", "databases", "."), databases)
        cases = [
            Case(id=str(number), db_id=db_id, golds=(sql,), database=folder.expected(db_id))
            for number, (sql, db_id) in enumerate(pairs)
        ]
        source = SourceFile.of(file)
        notes = missing_databases(folder, [db_id for _, db_id in pairs])
        version = f"sha256 {source.sha256[:12]}"
        return Benchmark("goldfile", version, cases, len(cases), (source,), notes)
