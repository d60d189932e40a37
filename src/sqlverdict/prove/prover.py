"""prove(): whether two queries agree on every legal database, by rules."""

from __future__ import annotations

from functools import lru_cache

from sqlverdict.parse.facts import Fact, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import normalised
from sqlverdict.prove.accepted import complaint
from sqlverdict.prove.held import Held
from sqlverdict.prove.measure import beyond_measure
from sqlverdict.prove.profile import DEFAULT_PROFILE, PROFILES, Question
from sqlverdict.prove.proof import Derivation, NotProved, Proof
from sqlverdict.records import Contract, ParseFailure, Reason


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
        gold: The gold query.
        prediction: The predicted query.
        schema: The tables.
        facts: What holds in every legal database; all that the schema says, where not given.
        profile: The rules to use: ``sound`` or ``etm_paper``.
        contract: How the case wants its answers compared.
        without: Rules to switch off.

    Returns:
        A proof with its steps, or the word that none was found; never raises for any query.
    """
    found = PROFILES.get(profile)
    parsed = []
    for role, sql in (("gold", gold), ("prediction", prediction)):
        excess = beyond_measure(sql)
        if excess is not None:
            return NotProved(f"the {role} is not read: {excess}", Reason.BUDGET_EXHAUSTED)
        query = parse(sql, "sqlite")
        if isinstance(query, ParseFailure):
            return NotProved(f"the {role} cannot be read: {query.message}", query.reason)
        problem = complaint(sql, schema)
        if problem is not None:
            return NotProved(f"the {role} does not run: {problem}", Reason.EXECUTION_ERROR)
        parsed.append(query)
    if normalised(gold) == normalised(prediction):
        return Proof(gold, prediction, profile, form=gold)
    known = _facts(Held(schema)) if facts is None else facts
    return found.derive(Question(parsed[0], parsed[1], schema, known, contract, without))


@lru_cache(maxsize=256)
def _facts(held: Held) -> frozenset[Fact]:
    return facts_of(held.schema)
