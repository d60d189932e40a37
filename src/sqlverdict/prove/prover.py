"""prove(): whether two queries agree on every legal database, by rules."""

from __future__ import annotations

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.parse.facts import Fact, facts_of
from sqlverdict.parse.qualified import with_plain_names
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import same_text
from sqlverdict.prove.profile import DEFAULT_PROFILE, PROFILES, Profile, ProofQuestion
from sqlverdict.prove.proof import Derivation, NotProved, Proof
from sqlverdict.prove.resolve.own_words import failure_of_query, same_to_engine
from sqlverdict.records import Contract, ParseFailure, ParseResult, Reason


def prove(
    gold: str,
    prediction: str,
    schema: Schema,
    *,
    facts: frozenset[Fact] | None = None,
    profile: str = DEFAULT_PROFILE,
    contract: Contract | None = None,
    without: frozenset[str] = frozenset(),
    dialect: str = DEFAULT_DIALECT,
) -> Derivation:
    """Try to prove that a prediction answers as the gold on every legal database.

    Args:
        gold: The gold query, as text.
        prediction: The predicted query, as text.
        schema: The tables.
        facts: What holds in every legal database; all that the schema says, where not given.
        profile: The rules to use: ``sound`` or ``etm_paper``.
        contract: How the case wants its answers compared.
        without: Rules to switch off.
        dialect: The dialect of both queries: ``sqlite``, ``duckdb``, ``postgres`` or ``mysql``.

    Returns:
        A proof with its steps, or the record that none was found; never raises for any query.
    """
    return prove_queries(
        parse(gold, dialect),
        parse(prediction, dialect),
        schema,
        facts=facts,
        profile=profile,
        contract=contract,
        without=without,
    )


def prove_queries(
    gold: ParseResult,
    prediction: ParseResult,
    schema: Schema,
    *,
    facts: frozenset[Fact] | None = None,
    profile: str = DEFAULT_PROFILE,
    contract: Contract | None = None,
    without: frozenset[str] = frozenset(),
) -> Derivation:
    """As :func:`prove`, for queries that are parsed already."""
    member = PROFILES.get(profile)
    if gold.dialect != prediction.dialect:
        message = f"the gold is {gold.dialect} and the prediction {prediction.dialect}"
        return NotProved(message, Reason.UNSUPPORTED_FEATURE)
    if not dialect_of(gold.dialect).rules:
        return NotProved(f"nothing is proved in {gold.dialect}", Reason.UNSUPPORTED_FEATURE)
    if dialect_of(gold.dialect).in_python:
        # It has no schemas but its own: the tables of a schema file go by their plain names.
        gold, prediction = (_with_plain_names(query, schema) for query in (gold, prediction))
    queries = []
    for role, query in (("gold", gold), ("prediction", prediction)):
        if isinstance(query, ParseFailure):
            return NotProved(f"the {role} cannot be read: {query.message}", query.reason)
        queries.append(query)
    assumed = facts_of(schema, gold.dialect) if facts is None else facts
    question = ProofQuestion(queries[0], queries[1], schema, assumed, contract, without)
    in_python = dialect_of(gold.dialect).in_python
    # Elsewhere the engine's own part is asked, which takes longer: only about what is proved.
    failure = _failure(question) if in_python else None
    if failure is None:
        derivation = _derivation(question, member)
        failure = None if in_python or isinstance(derivation, NotProved) else _failure(question)
    return failure or derivation


def _derivation(question: ProofQuestion, profile: Profile) -> Derivation:
    """A proof of two queries that run."""
    gold, prediction, dialect = question.gold.sql, question.prediction.sql, question.gold.dialect
    by_text = Proof(gold, prediction, profile.name, form=gold, dialect=dialect)
    if same_text(gold, prediction, dialect):
        return by_text
    if question.schema.objection is not None:
        return NotProved(question.schema.objection, Reason.UNSUPPORTED_FEATURE)
    derivation = profile.derive(question)
    if not isinstance(derivation, NotProved) or derivation.reason is Reason.EXECUTION_ERROR:
        return derivation
    return by_text if same_to_engine(gold, prediction, dialect) else derivation


def _failure(question: ProofQuestion) -> NotProved | None:
    """The record that one of the queries always fails."""
    for role, query in (("gold", question.gold), ("prediction", question.prediction)):
        problem = failure_of_query(query.sql, query.dialect, question.schema)
        if problem is not None:
            return NotProved(f"the {role} does not run: {problem}", Reason.EXECUTION_ERROR)
    return None


def _with_plain_names(query: ParseResult, schema: Schema) -> ParseResult:
    """The query with plain names; itself where it has them already."""
    tables = () if isinstance(query, ParseFailure) else map(schema.table, query.tables)
    if any(table is not None and table.is_hidden for table in tables):
        return query
    return with_plain_names(query, schema)
