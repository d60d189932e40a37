"""What the readers of SParC and CoSQL share, published files of conversations, and Spider's too."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from sqlverdict.errors import BenchmarkError
from sqlverdict.files.text import few_of, read_any_text, split_lines
from sqlverdict.load.benchmark import Benchmark, CaseName, SourceFile, missing_databases
from sqlverdict.load.databases import Databases, Location, find_databases
from sqlverdict.load.items import check_options, first_file, item_text, need_text
from sqlverdict.load.system_records import Records
from sqlverdict.load.turns import session_sizes
from sqlverdict.parse.hardness import spider_hardness
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.records import Case

TABLES = "tables.json"
_GOLD_FILES = (".txt", ".sql")


Conversation = tuple[str, list[tuple[str, str]]]
"""The database of a conversation; the question and the gold of each turn."""


class SpiderCases:
    """Cases on Spider's databases; hardness is computed once a query, when asked for."""

    def __init__(self, cases: Sequence[Case], *, hardness: bool) -> None:
        self._cases = cases
        self._difficulty = lru_cache(None)(spider_hardness) if hardness else None

    def __iter__(self) -> Iterator[Case]:
        difficulty = self._difficulty
        if difficulty is None:
            return iter(self._cases)
        return (replace(case, difficulty=difficulty(case.golds[0])) for case in self._cases)

    def names(self) -> list[CaseName]:
        """The id and the database id of every case; nothing is parsed for them."""
        return [(case.id, case.db_id) for case in self._cases]


def read_conversations(
    name: str,
    title: str,
    root: Path,
    names: Sequence[str],
    databases: Location,
    options: Mapping[str, str],
) -> Benchmark:
    """A benchmark of conversations on Spider's databases.

    Args:
        name: The reader's name.
        title: The benchmark's name, for messages.
        root: Its folder, or its file.
        names: Where the file may lie in the folder.
        databases: Where the databases lie, if not in ``database``.
        options: ``difficulty=off`` leaves out Spider's hardness.

    Raises:
        BenchmarkError: the files are missing or not what they should be.
        UsageError: there is no such option.
    """
    check_options(name, options, difficulty=("on", "off"))
    file = first_file(root, names, title)
    home = root if root.is_dir() else file.parent
    folder = find_databases(home, ("database",), databases)
    is_gold = file.suffix in _GOLD_FILES
    conversations = _gold_conversations(file) if is_gold else _conversations(file)
    cases = [case for n, each in enumerate(conversations) for case in _turns(str(n), each, folder)]
    if not cases:
        raise BenchmarkError(
            f"{file} holds no conversation. Check the file and the split.", reason="empty"
        )
    db_ids = [case.db_id for case in cases]
    source = SourceFile.of(file)
    schemas, tables = schemas_of_missing(home, folder, set(db_ids))
    notes = (f"read from {file.name}: there are no questions",) if is_gold else ()
    return Benchmark(
        name,
        f"{file.stem}, sha256 {source.sha256[:12]}",
        SpiderCases(cases, hardness=options.get("difficulty") != "off"),
        len(cases),
        (source, *tables),
        (*notes, *missing_databases(folder, db_ids)),
        schemas=schemas,
        preset="spider",
        sessions=session_sizes(cases),
    )


def _turns(session: str, conversation: Conversation, folder: Databases) -> Iterator[Case]:
    db_id, turns = conversation
    questions = tuple(question for question, _ in turns)
    for number, (question, gold) in enumerate(turns, 1):
        yield Case(
            id=f"{session}_{number}",
            db_id=db_id,
            question=question,
            golds=(gold,),
            database=folder.expected(db_id),
            session=session,
            turn=number,
            # A gold file has no questions.
            earlier=questions[: number - 1] if any(questions) else (),
        )


def _conversations(file: Path) -> Iterator[Conversation]:
    """The conversations of a JSON file."""
    for item, where in Records(file):
        turns = item.get("interaction")
        if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
            raise BenchmarkError(
                f"{where}: found {few_of(item, 8)}. Expected a list of turns in 'interaction'.",
                reason="missing_field",
            )
        pairs = [
            (item_text(turn, f"{where}, turn {n}", "utterance"), _gold(turn, f"{where}, turn {n}"))
            for n, turn in enumerate(turns, 1)
        ]
        yield need_text(item, where, "database_id"), pairs


def _gold(turn: Mapping[str, Any], where: str) -> str:
    return need_text(turn, where, "query")


def schemas_of_missing(
    root: Path, folder: Databases, names: Collection[str]
) -> tuple[dict[str, Schema], tuple[SourceFile, ...]]:
    """The schemas of databases without a file, as ``tables.json`` has them, and that file."""
    missing = {name for name in names if folder.path(name) is None}
    if not missing or not (root / TABLES).is_file():
        return {}, ()
    known = load_schemas(root / TABLES)
    schemas = {name: known[name] for name in sorted(missing & known.keys())}
    return schemas, (SourceFile.of(root / TABLES),) if schemas else ()


def _gold_conversations(file: Path) -> Iterator[Conversation]:
    r"""The conversations of a gold file: ``SQL\tdb_id`` a line, blank lines between them."""
    lines = enumerate(split_lines(read_any_text(file, BenchmarkError)), 1)
    for filled, group in groupby(lines, lambda line: bool(line[1].strip())):
        if not filled:
            continue
        pairs = [_gold_line(file, number, line) for number, line in group]
        names = {db_id for _, db_id in pairs}
        if len(names) > 1:
            raise BenchmarkError(
                f"{file}: a conversation is on {few_of(sorted(names))} ({pairs[0][0][:80]!r}). "
                "Expected one database; is a blank line missing?",
                reason="conflict",
            )
        yield pairs[0][1], [("", sql) for sql, _ in pairs]


def _gold_line(file: Path, number: int, line: str) -> tuple[str, str]:
    sql, _, db_id = line.rpartition("\t")
    if not sql.strip() or not db_id.strip():
        raise BenchmarkError(
            f"{file}: line {number} is {line[:80]!r}. Expected SQL, a tab and the db_id.",
            reason="unreadable",
        )
    return sql.strip(), db_id.strip()
