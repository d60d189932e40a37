"""prove(): whether two queries agree on every legal database, by rules."""

from __future__ import annotations

from functools import lru_cache

from sqlverdict.parse.accepted import complaint
from sqlverdict.parse.facts import Fact, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import normalised
from sqlverdict.prove.profile import DEFAULT_PROFILE, PROFILES, ProofQuestion
from sqlverdict.prove.proof import Derivation, NotProved, Proof
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

    Returns:
        A proof with its steps, or the word that none was found; never raises for any query.
    """
    return prove_queries(
        parse(gold),
        parse(prediction),
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
    queries = []
    for role, query in (("gold", gold), ("prediction", prediction)):
        if isinstance(query, ParseFailure):
            return NotProved(f"the {role} cannot be read: {query.message}", query.reason)
        problem = complaint(query.sql, schema)
        if problem is not None:
            return NotProved(f"the {role} does not run: {problem}", Reason.EXECUTION_ERROR)
        queries.append(query)
    if _is_same_text(gold.sql, prediction.sql):
        return Proof(gold.sql, prediction.sql, profile, form=gold.sql)
    assumed = _declared(schema) if facts is None else facts
    return member.derive(ProofQuestion(queries[0], queries[1], schema, assumed, contract, without))


def _is_same_text(one: str, other: str) -> bool:
    """Whether two texts differ in spacing, comments and the case of words at most."""
    letters = ["".join(sql.lower().split()).rstrip(";") for sql in (one, other)]
    has_comment = any(sign in sql for sql in (one, other) for sign in ("--", "/*"))
    # Most texts differ at first sight; to read them as tokens takes longer.
    return (has_comment or letters[0] == letters[1]) and normalised(one) == normalised(other)


@lru_cache(maxsize=256)
def _declared(schema: Schema) -> frozenset[Fact]:
    return facts_of(schema)
