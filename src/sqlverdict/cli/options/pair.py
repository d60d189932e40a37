"""Two queries and a schema: what the commands about pairs take."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

import click
from sqlglot import exp

from sqlverdict.cli.options.fields import Heading, group, option, setting
from sqlverdict.cli.options.shared import (
    FOLDER,
    POSITIVE,
    REFERENCE,
    json_option,
    null_keys_setting,
    schema_option,
    scratch_setting,
    seed_setting,
    trust_role_setting,
)
from sqlverdict.dialects import guessing_order
from sqlverdict.errors import DataError, SchemaError, UsageError
from sqlverdict.execute.attempt import read_engine_schema
from sqlverdict.execute.common_text import is_our_limit
from sqlverdict.execute.engine import (
    DEFAULT_ENGINE,
    ENGINES,
    Limits,
    Scratch,
    ScratchEngine,
    ServerEngine,
    Session,
    check_scratch,
    engine_of,
)
from sqlverdict.files.references import file_of
from sqlverdict.files.text import few_of, need_file, read_text
from sqlverdict.parse.hardness import spider_hardness, trustsql_hardness
from sqlverdict.parse.qualified import with_plain_names
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Failure, ParseFailure, Query
from sqlverdict.refute.bank.store import Bank
from sqlverdict.refute.explain.sentence import sentence
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.target.script import write_script
from sqlverdict.refute.target.search import EngineSearch
from sqlverdict.refute.trial.rebuild import SMALL, rebuild
from sqlverdict.refute.witness import Instance, NotRefuted, Refutation, SearchBudget, Witness
from sqlverdict.refute.witness_files import write

SIDES = ("gold", "prediction")
_DIALECTS = (*(each.name for each in guessing_order()), "tsql")
PARTS = ("tables", "columns", "spider hardness", "trustsql hardness")


@dataclass(frozen=True, kw_only=True)
class SchemaArgs:
    """One schema: that of a database, or of a schema file."""

    HEADING: ClassVar[Heading] = Heading.DATA

    db: str | None = option(
        "--db",
        type=REFERENCE,
        metavar="PATH|URL",
        help="A database, as a file or a URL: its schema and its rows.",
    )
    schema: Path | None = schema_option()
    db_id: str | None = option("--db-id", help="Which database, where --schema has several.")
    null_keys: bool = null_keys_setting()
    trust_role: bool = trust_role_setting()

    @property
    def engine(self) -> str:
        """The engine of the database; without one, SQLite.

        Raises:
            UsageError: no engine opens it.
        """
        return DEFAULT_ENGINE if self.db is None else engine_of(self.db)

    @property
    def limits(self) -> Limits:
        """The limits of one query."""
        return Limits(trust_role=self.trust_role)

    def read(self) -> Schema:
        """The schema.

        Raises:
            UsageError: the options name none, or several.
            SchemaError: it cannot be read.
        """
        if (self.db is None) == (self.schema is None):
            both = "neither --db nor --schema" if self.db is None else "both --db and --schema"
            raise UsageError(f"found {both}; give one of them, so that the tables are known")
        engine = ENGINES.get(self.engine)
        if self.db is not None and not engine.in_python:
            declared = read_engine_schema(engine, self.db, self.db_id)
            return replace(declared, null_keys=self.null_keys)
        file = file_of(self.db) if self.db is not None else None
        if file is not None and not file.exists():
            need_file(file, SchemaError)
        schemas = load_schemas(self.db or self.schema or "", self.db_id)
        if len(schemas) > 1:
            raise UsageError(
                f"{self.schema} has {len(schemas)} databases ({few_of(sorted(schemas))}); "
                f"choose one with --db-id"
            )
        return replace(next(iter(schemas.values())), null_keys=self.null_keys)


@dataclass(frozen=True, kw_only=True)
class SearchArgs:
    """How a witness is searched for."""

    HEADING: ClassVar[Heading] = Heading.LIMITS

    preset: str = option(
        "--preset", default="strict", heading=Heading.EVIDENCE, help="How to compare answers."
    )
    refute: int = option(
        "--refute",
        type=click.IntRange(1),
        default=160,
        metavar="N",
        heading=Heading.EVIDENCE,
        help="Search up to N databases for one on which the answers differ.",
    )
    seconds: float = setting(
        "seconds",
        type=POSITIVE,
        default=120.0,
        metavar="SECONDS",
        help="A safety net for the search, in processor time; its budget counts work.",
    )
    seed: int = seed_setting()
    scratch: str | None = scratch_setting()
    no_bank: bool = setting(
        "no-bank",
        is_flag=True,
        heading=Heading.EVIDENCE,
        help="Neither try nor save counterexample databases of the bank.",
    )


@dataclass(frozen=True, kw_only=True)
class WitnessArgs:
    """What ``pair`` and ``refute`` need beside the two queries to search for a witness."""

    source: SchemaArgs = group(SchemaArgs)
    search: SearchArgs = group(SearchArgs)
    out: Path | None = option(
        "--out", type=FOLDER, help="Write the witness to this folder (.sql and .sqlite)."
    )
    as_json: bool = json_option()

    def read(self, *texts: str) -> PairOfQueries:
        """Two queries, each SQL, ``@FILE`` or ``-``, and their schema.

        Raises:
            UsageError: the options name no schema, or several.
            DataError: a file cannot be read.
        """
        gold, prediction = map(query_text, texts)
        source = self.source
        schema, limits = source.read(), source.limits
        return PairOfQueries(gold, prediction, schema, source.engine, source.db, limits)


@dataclass(frozen=True)
class PairOfQueries:
    """Two queries about one schema."""

    gold: str
    prediction: str
    schema: Schema
    engine: str = DEFAULT_ENGINE
    database: str | None = None
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if not ENGINES.get(self.engine).in_python:
            return
        # SQLite has no schemas but its own: the tables of a schema file go by their plain names.
        for side, sql in self.queries:
            plain = with_plain_names(parse(sql, self.dialect), self.schema)
            if isinstance(plain, Query):
                object.__setattr__(self, side, plain.sql)

    @property
    def dialect(self) -> str:
        """The dialect of both queries."""
        return ENGINES.get(self.engine).dialect

    def open(self) -> Session | Scratch:
        """An empty database with the tables of the schema."""
        engine = ENGINES.get(self.engine)
        if isinstance(engine, ScratchEngine):
            return engine.scratch(self.schema, self.limits, self.database)
        return rebuild(Instance(self.schema, {})).session(SMALL)

    @property
    def queries(self) -> tuple[tuple[str, str], ...]:
        """Each side's name and query."""
        return tuple(zip(SIDES, (self.gold, self.prediction), strict=True))


def query_text(text: str) -> str:
    """SQL, ``@FILE`` for the SQL in a file, or ``-`` for that on standard input.

    Raises:
        DataError: there is no such file.
    """
    if text == "-":
        return sys.stdin.read().strip()
    if not text.startswith("@"):
        return text.strip()
    return read_text(Path(text[1:]), DataError).strip()


def problems(pair: PairOfQueries) -> dict[str, str]:
    """Why a query cannot be used at all, by side: it does not parse, or does not run."""
    is_open = pair.database is not None or not isinstance(ENGINES.get(pair.engine), ServerEngine)
    session = pair.open() if is_open else None
    by_side = {}
    for side, sql in pair.queries:
        query = parse(sql, pair.dialect)
        if isinstance(query, ParseFailure) and not is_our_limit(query):
            by_side[side] = f"{query.reason}: {query.message}{_dialect_hint(sql, pair.dialect)}"
            continue
        if session is None:
            continue  # No server is at hand.
        # A scratch database has the tables of all schemas under their plain names.
        plain = with_plain_names(query, pair.schema)
        outcome = session.run(plain.sql if isinstance(plain, Query) else sql)
        if isinstance(outcome, Failure):
            by_side[side] = f"{outcome.reason}: {outcome.message}"
    if session is not None:
        session.close()
    return by_side


def _dialect_hint(sql: str, dialect: str) -> str:
    other = other_dialect(sql, dialect)
    if other is None:
        return ""
    if not ENGINES.has(other):
        return f". It can be read as {other}, which no engine here runs"
    return f". It can be read as {other}: give --db a database of that engine, a file or a URL"


def check_queries(pair: PairOfQueries) -> None:
    """Refuse queries that do not parse or do not run.

    Raises:
        UsageError: one does not.
    """
    by_side = problems(pair)
    if by_side:
        raise UsageError(". ".join(f"the {side} query: {why}" for side, why in by_side.items()))


def search(pair: PairOfQueries, args: SearchArgs) -> Refutation:
    """Search for a witness; a new one of SQLite goes into the bank.

    Raises:
        UsageError: ``scratch`` names a server, and the engine has none.
    """
    check_scratch(pair.engine, args.scratch)
    budget = replace(
        SearchBudget(alike=1), instances=args.refute, seconds=args.seconds, seed=args.seed
    )
    if ENGINES.get(pair.engine).search != "in_memory":
        return _search_on_engine(pair, args, budget)
    with ExitStack() as stack:
        bank = None if args.no_bank else stack.enter_context(Bank())
        refutation = find_witness(
            pair.gold,
            pair.prediction,
            pair.schema,
            budget=budget,
            preset=args.preset,
            first=bank.instances(pair.schema) if bank is not None else (),
            database=file_of(pair.database) if pair.database is not None else None,
        )
        if isinstance(refutation, NotRefuted):
            return refutation
        if bank is not None:
            bank.add(refutation)
    text = refutation.sentence or sentence(refutation, preset=args.preset)
    return replace(refutation, sentence=text)


def _search_on_engine(pair: PairOfQueries, args: SearchArgs, budget: SearchBudget) -> Refutation:
    """Search on an engine other than SQLite."""
    engine_search = EngineSearch(
        ENGINES.get(pair.engine),
        pair.database,
        pair.schema,
        trust_role=pair.limits.trust_role,
        scratch=args.scratch,
    )
    gold, prediction = parse(pair.gold, pair.dialect), parse(pair.prediction, pair.dialect)
    try:
        refutation = engine_search.refute(gold, prediction, budget=budget, preset=args.preset)
    finally:
        engine_search.close()
    if isinstance(refutation, NotRefuted) or refutation.sentence:
        return refutation
    return replace(refutation, sentence=sentence(refutation, preset=args.preset))


def write_witness(
    witness: Witness, pair: PairOfQueries, preset: str, out: Path | None
) -> list[Path]:
    """Write the witness to ``--out``, named after the two queries; nothing without it."""
    if out is None:
        return []
    text = f"{pair.gold}\0{pair.prediction}".encode("utf-8", "backslashreplace")
    name = f"{pair.schema.db_id}-{blake2b(text, digest_size=5).hexdigest()}"
    if not ENGINES.get(witness.engine).in_python:
        return [write_script(witness, out, name, preset=preset)]
    return list(write(witness, out, name, preset=preset))


def query_parts(sql: str, query: Query) -> dict[str, Any]:
    """The parts of a query, as JSON has them.

    Args:
        sql: Its text.
        query: The same, parsed.
    """
    return {
        "tables": _tables(query),
        "columns": list(query.columns),
        "features": sorted(query.features),
        "spider hardness": spider_hardness(sql),
        "trustsql hardness": trustsql_hardness(sql),
    }


def _tables(query: Query) -> list[str]:
    """The tables, with the schemas that the query names: ``hr.emp`` is not ``emp``."""
    names = {fold(name): name for name in query.tables}
    texts: dict[str, list[str]] = {name: [] for name in names}
    for table in query.tree.find_all(exp.Table):
        parts = [part.name for part in table.parts]
        if fold(table.name) in texts:
            # The schema is shown as it is written, the table as it is known.
            text = ".".join((*parts[:-1], names[fold(table.name)]))
            texts[fold(table.name)].append(text)
    return [each for name in names for each in dict.fromkeys(texts[name] or [names[name]])]


def other_dialect(sql: str, dialect: str) -> str | None:
    """The first dialect of another engine that reads a text which this one does not."""
    others = (other for other in _DIALECTS if other != dialect)
    return next((o for o in others if not isinstance(parse(sql, o), ParseFailure)), None)


def part_text(part: Sequence[str] | str | None) -> str:
    """One part in words."""
    text = part if isinstance(part, str) or part is None else ", ".join(part)
    return text or "none"
