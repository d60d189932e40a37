"""One pair at a time: check, prove_pair, refute_pair; and a schema from whatever there is."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, SupportsIndex

from sqlverdict.api.arguments import (
    Golds,
    Reference,
    Reply,
    check_limits,
    plain_text,
    read_count,
    read_reference,
    text_from,
)
from sqlverdict.api.pair_result import PairResult
from sqlverdict.api.scorer import Scorer
from sqlverdict.api.spelling import names_arguments
from sqlverdict.errors import SchemaError, UsageError
from sqlverdict.execute.attempt import read_engine_schema
from sqlverdict.execute.engine import DEFAULT_ENGINE, ENGINES, Engine, Limits, engine_of
from sqlverdict.files.references import file_of
from sqlverdict.files.text import need_file
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.records import Contract
from sqlverdict.refute.witness import Refutation, SearchBudget

if TYPE_CHECKING:
    from sqlverdict.prove.proof import Derivation


@names_arguments
def check(
    gold: Golds,
    prediction: Reply,
    *,
    db: Reference,
    question: str | None = None,
    metrics: str | Sequence[str] = "ex",
    prove: bool = False,
    refute: int = 0,
    timeout: float | None = None,
    limits: Limits | None = None,
    policy: str | None = None,
    contract: Contract | None = None,
) -> PairResult:
    """Check one prediction against its gold on a database. Writes no file.

    For many pairs use :class:`Scorer`, which keeps databases open.

    Args:
        gold: The gold query, or several; ``None``: the question cannot be answered.
        prediction: SQL, or a reply from which the SQL is taken; ``None``: an abstention.
        db: The database: a file or a URL.
        question: The question.
        metrics: What to score.
        prove: Search for a proof.
        refute: Try so many databases for a witness, where the answers match.
        timeout: Seconds that one query may take.
        limits: All limits of a query; ``timeout`` is one of them.
        policy: How evidence becomes a verdict.
        contract: How the answers are to be compared.

    Examples:
        >>> result = sv.check(
        ...     "SELECT name FROM item WHERE price > 2",
        ...     "SELECT name FROM item WHERE price >= 2",
        ...     db="shop.sqlite",
        ...     refute=100,
        ... )
        >>> result.correct, result.gold_rows
        (True, [('pad',), ('ink',)])
        >>> result.witness is not None  # they match here, and differ where a price is 2
        True
    """
    with Scorer(
        metrics,
        db=db,
        prove=prove,
        refute=refute,
        timeout=timeout,
        limits=limits,
        policy=policy,
    ) as scorer:
        return scorer.check(gold, prediction, question=question, contract=contract)


@names_arguments
def load_schema(source: Reference, db_id: str | None = None) -> Schema:
    """The schema of a database, or that in a schema file.

    Args:
        source: A database (a file or a URL), a ``tables.json``, or a file of CREATE statements.
        db_id: Which one, where a file or folder holds several. Where it holds one, such as a
            database or a file of CREATE statements, the name that the schema gets instead of the
            file's.

    Raises:
        SchemaError: it cannot be read.
        UsageError: it holds several, and none is named; or an argument is of the wrong type.

    Examples:
        >>> schema = sv.load_schema("shop.sqlite")
        >>> [table.name for table in schema.tables]
        ['item']
    """
    reference = read_reference(source)
    if reference is None:
        raise UsageError("the source of the schema is None; expected a path or a URL")
    db_id = None if db_id is None else text_from(db_id, "db_id")
    engine = ENGINES.get(engine_of(reference))
    if not engine.in_python:
        return read_engine_schema(engine, reference, db_id)
    schemas = load_schemas(file_of(reference) or reference, db_id)
    if len(schemas) != 1:
        raise UsageError(f"{reference} holds {len(schemas)} schemas; name one with db_id=")
    return next(iter(schemas.values()))


@names_arguments
def prove_pair(
    gold: str,
    prediction: str,
    *,
    schema: Schema | None = None,
    db: Reference | None = None,
    engine: str | None = None,
) -> Derivation:
    """Try to prove that two queries give the same on every database.

    Args:
        gold: The gold query.
        prediction: The predicted query.
        schema: The tables; or
        db: A database, on which the facts that a proof uses are checked. Its engine says by which
            dialect the queries are read.
        engine: The engine whose dialect it is where there is a schema alone; by default SQLite.

    Examples:
        >>> from sqlverdict.prove.proof import Proof
        >>> proof = sv.prove_pair(
        ...     "SELECT name FROM item WHERE price > 2 AND id < 9",
        ...     "SELECT name FROM item WHERE id < 9 AND price > 2",
        ...     db="shop.sqlite",
        ... )
        >>> isinstance(proof, Proof)
        True
    """
    from sqlverdict.prove.on_data import prove_on_data, where_both_run

    known = _schema(schema, db)
    reference, file, member = _database(db, engine)
    ours = parse(_query(gold, "gold"), member.dialect)
    theirs = parse(_query(prediction, "prediction"), member.dialect)
    if reference is None or member.in_python:
        return prove_on_data(ours, theirs, known, member, file)
    with closing(member.open(reference, Limits())) as session:
        derivation = prove_on_data(ours, theirs, known, member, file, run=session.run)
        return where_both_run(derivation, session.run)


@names_arguments
def refute_pair(
    gold: str,
    prediction: str,
    *,
    schema: Schema | None = None,
    db: Reference | None = None,
    engine: str | None = None,
    instances: int = 400,
    seed: int = 0,
    limits: Limits | None = None,
) -> Refutation:
    """Search for a small database on which two queries differ.

    Args:
        gold: The gold query.
        prediction: The predicted query.
        schema: The tables; or
        db: A database, by whose data a witness is graded.
        engine: The engine that searches where there is a schema alone; by default SQLite. One of
            servers needs a database.
        instances: How many databases are tried.
        seed: Same seed, same databases.
        limits: On a server, ``Limits(trust_role=True)`` runs queries as the role of its URL,
            whatever it may do. The search has limits of its own for the rest.

    Examples:
        >>> from sqlverdict.refute.witness import Witness
        >>> refutation = sv.refute_pair(
        ...     "SELECT count(*) FROM item", "SELECT count(price) FROM item", db="shop.sqlite"
        ... )
        >>> isinstance(refutation, Witness)
        True
    """
    gold, prediction = _query(gold, "gold"), _query(prediction, "prediction")
    if isinstance(seed, bool) or not isinstance(seed, SupportsIndex):
        raise UsageError(f"seed is {seed!r}; expected a whole number")
    check_limits(limits)
    budget = SearchBudget(read_count(instances, "instances"), seed=index(seed))
    known = _schema(schema, db)
    reference, file, member = _database(db, engine)
    if member.search != "in_memory":
        from sqlverdict.refute.target.search import EngineSearch

        dialect = member.dialect
        trust_role = limits is not None and limits.trust_role
        search = EngineSearch(member, reference, known, trust_role=trust_role)
        with closing(search):
            return search.refute(parse(gold, dialect), parse(prediction, dialect), budget=budget)
    from sqlverdict.refute.search import find_witness

    return find_witness(gold, prediction, known, budget=budget, database=file)


def _schema(schema: Schema | None, db: Reference | None) -> Schema:
    if (schema is None) == (db is None):
        raise UsageError("give the tables with one of schema= and db=")
    if db is not None:
        reference, file, engine = _database(db, None)
        if engine.in_python and file is not None and not file.exists():
            need_file(file, SchemaError)
        return load_schema(reference or "")
    if not isinstance(schema, Schema):
        raise UsageError(
            f"schema is {type(schema).__name__}; expected what load_schema() gives. A file is db="
        )
    return schema


def _database(db: Reference | None, engine: str | None) -> tuple[str | None, Path | None, Engine]:
    """The reference of a database, its file where it is one, and the engine that opens it."""
    reference = read_reference(db)
    name = None if engine is None else text_from(engine, "engine")
    if reference is None:
        return None, None, ENGINES.get(name or DEFAULT_ENGINE)
    return reference, file_of(reference), ENGINES.get(name or engine_of(reference))


def _query(sql: str, name: str) -> str:
    if not isinstance(sql, str):
        raise UsageError(f"{name} is {type(sql).__name__}; expected the text of one query")
    return plain_text(sql)
