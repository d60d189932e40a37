"""What the readers of SParC and CoSQL share: published files of conversations."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import msgspec

from sqlverdict.errors import BenchmarkError
from sqlverdict.files.text import decode_json, read_any_text, read_bytes, split_lines
from sqlverdict.load.benchmark import Benchmark, CaseName, SourceFile
from sqlverdict.load.databases import Databases, Location, find_databases, missing_databases
from sqlverdict.load.items import check_options, first_file
from sqlverdict.parse.hardness import spider_hardness
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.records import Case

TABLES = "tables.json"
_GOLD_FILES = (".txt", ".sql")


class _Turn(msgspec.Struct):
    """What is used of a turn in a published file."""

    query: str
    utterance: str = ""


class _Interaction(msgspec.Struct):
    """What is used of a conversation in a published file."""

    database_id: str
    interaction: list[_Turn]


class ConversationCases:
    """The turns of published conversations; hardness is computed once a query, when asked for."""

    def __init__(
        self, interactions: Sequence[_Interaction], databases: Databases, *, hardness: bool
    ) -> None:
        self._interactions = interactions
        self._databases = databases
        self._difficulty = lru_cache(None)(spider_hardness) if hardness else lambda _sql: None

    def __iter__(self) -> Iterator[Case]:
        for place, each in enumerate(self._interactions):
            questions = tuple(turn.utterance for turn in each.interaction)
            for number, turn in enumerate(each.interaction, 1):
                yield Case(
                    id=_id(place, number),
                    db_id=each.database_id,
                    question=turn.utterance,
                    golds=(turn.query,),
                    database=self._databases.expected(each.database_id),
                    difficulty=self._difficulty(turn.query),
                    session=str(place),
                    turn=number,
                    # A gold file has no questions.
                    earlier=questions[: number - 1] if any(questions) else (),
                )

    def names(self) -> list[CaseName]:
        """The id and the database id of every case; nothing is parsed for them."""
        return [
            (_id(place, number), each.database_id)
            for place, each in enumerate(self._interactions)
            for number, _ in enumerate(each.interaction, 1)
        ]


def _id(place: int, turn: int) -> str:
    return f"{place}_{turn}"


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
    notes: tuple[str, ...] = ()
    if file.suffix in _GOLD_FILES:
        interactions, notes = _gold_interactions(file), (f"{file.name} has no questions",)
    else:
        data = read_bytes(file, BenchmarkError)
        interactions = decode_json(data, str(file), BenchmarkError, list[_Interaction])
    interactions = [each for each in interactions if each.interaction]
    if not interactions:
        raise BenchmarkError(f"{file} holds no conversation. Check the file and the split.")
    folder = find_databases(home, ("database",), databases)
    db_ids = [each.database_id for each in interactions]
    cases = ConversationCases(interactions, folder, hardness=options.get("difficulty") != "off")
    source = SourceFile.of(file)
    schemas, tables = schemas_of_missing(home, folder, set(db_ids))
    return Benchmark(
        name,
        f"{file.stem}, sha256 {source.sha256[:12]}",
        cases,
        len(cases.names()),
        (source, *tables),
        (*notes, *missing_databases(folder, db_ids)),
        schemas=schemas,
        preset="spider",
        sessions=tuple(len(each.interaction) for each in interactions),
    )


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


def _gold_interactions(file: Path) -> list[_Interaction]:
    r"""The conversations of a gold file: ``SQL\tdb_id`` a line, blank lines between them."""
    interactions = []
    lines = enumerate(split_lines(read_any_text(file, BenchmarkError)), 1)
    for filled, group in groupby(lines, lambda line: bool(line[1].strip())):
        if not filled:
            continue
        turns, names = [], []
        for number, line in group:
            sql, _, db_id = line.rpartition("\t")
            if not sql.strip() or not db_id.strip():
                raise BenchmarkError(
                    f"{file}: line {number} is {line[:80]!r}. Expected SQL, a tab and the db_id."
                )
            turns.append(_Turn(sql.strip()))
            names.append(db_id.strip())
        if len(set(names)) > 1:
            raise BenchmarkError(
                f"{file}: the conversation that ends at line {number} is on {names[0]!r} and "
                f"{names[-1]!r}. Expected one database; is a blank line missing?"
            )
        interactions.append(_Interaction(names[0], turns))
    return interactions
