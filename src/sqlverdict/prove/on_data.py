"""A proof beside a real database: the facts that it uses are checked there first.

A proof speaks of every database that obeys the schema. Real data may break what their schema
declares (an orphan row, a text in a column of integers); then the proof says nothing about
them. So where a fact that a proof uses is broken, the proof is sought again without it. Where
there is none, what remains is a proof under the declared schema, which decides nothing.

Rules belong to engines: those of a dialect were checked on some engines that speak it, and another
one may differ from them. On an engine whose record does not say that they were checked on it
(``rules_checked``), a query is proved to agree with its own text alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from sqlverdict.execute.engine import Engine
from sqlverdict.execute.fact_check import FactCheck, check_facts
from sqlverdict.execute.fact_queries import check_facts_by_queries
from sqlverdict.execute.session import Run
from sqlverdict.parse.facts import Fact, facts_of
from sqlverdict.parse.schema import Schema
from sqlverdict.prove import prover
from sqlverdict.prove.profile import DEFAULT_PROFILE
from sqlverdict.prove.proof import Derivation, NotProved, Proof
from sqlverdict.records import Answer, Contract, Failure, ParseFailure, ParseResult, Reason

_ROUNDS = 8
"""How often a proof is sought again without the facts that were broken so far."""


def prove_on_data(
    gold: ParseResult,
    prediction: ParseResult,
    schema: Schema,
    engine: Engine,
    database: Path | None,
    *,
    profile: str = DEFAULT_PROFILE,
    contract: Contract | None = None,
    without: frozenset[str] = frozenset(),
    run: Run | None = None,
) -> Derivation:
    """Try to prove a pair by facts that a real database keeps.

    Args:
        gold: The gold query.
        prediction: The predicted query.
        schema: The tables.
        engine: The engine that runs both queries.
        database: The SQLite file; without one nothing is checked in SQLite.
        profile: The rules to use.
        contract: How the case wants its answers compared.
        without: Rules to switch off.
        run: Runs a query on the real database; facts are checked by it elsewhere than in SQLite.

    Returns:
        A proof whose facts hold in the database, or could not be checked (``unchecked``); or
        that there is none, with the proof under the declared schema where there is one.
    """
    refusal = _refusal(gold, prediction, engine)
    if refusal is not None:
        return refusal

    def derive(facts: frozenset[Fact] | None) -> Derivation:
        return prover.prove_queries(
            gold,
            prediction,
            schema,
            facts=facts,
            profile=profile,
            contract=contract,
            without=without,
        )

    derivation = derive(None)
    is_file = database is not None and database.is_file()
    if not isinstance(derivation, Proof) or (engine.in_python and not is_file):
        return derivation
    declared, broken = derivation, dict[Fact, FactCheck]()
    declared_facts = _facts_by_words(schema, gold.dialect)
    for _ in range(_ROUNDS):
        used = [declared_facts[words] for words in derivation.facts if words in declared_facts]
        if not engine.in_python:
            checks = check_facts_by_queries(used, run, gold.dialect, schema, engine.enforces)
        else:
            assert database is not None
            checks = check_facts(database, used)
        fresh = {check.fact: check for check in checks if check.state == "broken"}
        if not fresh:
            unsure = tuple(str(check) for check in checks if check.state == "unchecked")
            left_out = tuple(sorted(map(str, broken)))
            return replace(derivation, unchecked=unsure, left_out=left_out)
        broken |= fresh
        again = derive(frozenset(declared_facts.values()).difference(broken))
        if not isinstance(again, Proof):
            break
        derivation = again
    return NotProved(
        "proved under the declared schema only: the data break it",
        Reason.FACT_BROKEN,
        rules=declared.rules,
        declared=declared,
        broken=tuple(sorted(map(str, broken.values()))),
    )


def where_both_run(derivation: Derivation, run: Run) -> Derivation:
    """A proof of queries that the engine runs; it says nothing about one that the engine refuses.

    Each query is put where it is read and not answered: only a query that fails there is run.

    Args:
        derivation: A proof, or that there is none.
        run: Runs a query on the real database.
    """
    if not isinstance(derivation, Proof):
        return derivation
    for side, sql in (("gold", derivation.gold_sql), ("prediction", derivation.prediction_sql)):
        if isinstance(run(_ONLY_READ.format(sql.strip().rstrip(";"))), Answer):
            continue
        outcome = run(sql)
        if isinstance(outcome, Failure) and outcome.reason in _REFUSALS:
            why = f"the engine does not run the {side}: {outcome.message}"
            return NotProved(why, outcome.reason, rules=derivation.rules)
    return derivation


_ONLY_READ = "SELECT 1 AS x FROM (SELECT 1 AS y) AS z WHERE 1 = 0 AND EXISTS (\n{}\n)"
_REFUSALS = (Reason.EXECUTION_ERROR, Reason.PARSE_ERROR)


def _refusal(gold: ParseResult, prediction: ParseResult, engine: Engine) -> NotProved | None:
    """Why no rule may be used on an engine; ``None`` where one may, or where none is needed."""
    if engine.rules_checked or gold.sql == prediction.sql:
        return None
    if isinstance(gold, ParseFailure) or isinstance(prediction, ParseFailure):
        # What cannot be read says so.
        return None
    return NotProved(
        f"no rule was checked on the engine {engine.name}. Run check_rule(rule, "
        f"{engine.name!r}) of sqlverdict.testing for each rule of its dialect; then set "
        "rules_checked in its record",
        Reason.UNSUPPORTED_FEATURE,
    )


@lru_cache(maxsize=64)
def _facts_by_words(schema: Schema, dialect: str) -> Mapping[str, Fact]:
    """The facts of a schema by the words in which a proof names them."""
    return {str(fact): fact for fact in facts_of(schema, dialect)}
