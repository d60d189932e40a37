"""Proof as a stage: which schema, which profile, and the steps of what is proved.

The prover loads the parser and its rules, which is slow: its modules are imported inside the
functions that need them, and runs without proofs need not wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sqlverdict.evidence import Evidence, Proved, Undecided
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.evidence import derivation_evidence
from sqlverdict.prove.proof import NotProved, Proof
from sqlverdict.records import ParseResult, Reason
from sqlverdict.run.attempt import Attempt
from sqlverdict.run.inputs import PATIENCE, StageInputs, engine_of_case
from sqlverdict.run.plan import SOUND

if TYPE_CHECKING:
    from sqlverdict.prove.proof import Derivation


def prove_case(inputs: StageInputs, profile: str = SOUND) -> Derivation:
    """A proof that the prediction answers as a gold does, or that none was found.

    Under the profile ``sound`` the facts that a proof uses are checked on the case's database: a
    SQLite file directly, that of another engine by queries that are run there.
    """
    derivation: Derivation | None = inputs.results.get(("prove", profile))
    if derivation is None:
        derivation = inputs.results["prove", profile] = _prove(inputs, profile)
    return derivation


def _prove(inputs: StageInputs, profile: str) -> Derivation:
    source = inputs.source
    if source.answers_alone:
        return NotProved(source.answers_alone, source.reason)
    golds, prediction, schema = inputs.gold_queries(), inputs.predicted_query(), inputs.schema()
    if schema is None:
        return NotProved("no schema is known", Reason.DATABASE_UNAVAILABLE)
    derivation: Derivation | None = inputs.recall(("prove", profile))
    if derivation is None:
        work = partial(_prove_any, inputs, golds, prediction, schema, profile)
        derivation = source.watched(f"prove {profile} {prediction.sql}", work, more=PATIENCE)
        if derivation is None:
            return NotProved("it had to be stopped", Reason.BUDGET_EXHAUSTED)
        inputs.remember(("prove", profile), derivation)
    return derivation


def _prove_any(
    inputs: StageInputs,
    golds: Sequence[ParseResult],
    prediction: ParseResult,
    schema: Schema,
    profile: str,
) -> Derivation:
    """A proof against any gold of the case, or that there is none."""
    from sqlverdict.prove.on_data import prove_on_data

    case = inputs.case
    # A profile that reproduces a metric looks at trees alone.
    database = Path(case.database) if profile == SOUND and case.database else None
    engine = engine_of_case(case, inputs.plan)
    best: Derivation = NotProved("the case has no gold")
    for gold in golds:
        derivation = prove_on_data(
            gold,
            prediction,
            schema,
            engine,
            database,
            profile=profile,
            contract=case.contract,
            run=inputs.run,
        )
        if derivation.proved:
            return derivation
        if not _is_declared(best):
            best = derivation
    return best


def _is_declared(derivation: Derivation) -> bool:
    """Whether there is a proof under the declared schema, which the data does not keep."""
    return getattr(derivation, "declared", None) is not None


def proof_evidence(inputs: StageInputs, errors: list[Evidence]) -> Proved | Undecided | None:
    """A proof, also one under the declared schema alone; ``None`` where there is neither.

    Under policies that explain it has the SQL that its steps change, if the plan annotates.
    """
    proof = None
    with Attempt("prove", errors):
        proof = _evidence(inputs)
    if proof is not None and inputs.plan.explains and inputs.plan.annotates:
        with Attempt("steps", errors):
            proof = _with_changes(inputs, proof)
    return proof


def _evidence(inputs: StageInputs) -> Proved | Undecided | None:
    derivation = prove_case(inputs)
    exists = derivation.proved or _is_declared(derivation)
    return derivation_evidence(derivation) if exists else None


def _with_changes(inputs: StageInputs, proof: Proved | Undecided) -> Proved | Undecided:
    """The proof with the SQL that its steps change.

    Raises:
        RejectedProof: the checker, which does it again, rejects it.
    """
    from sqlverdict.prove.changes import step_changes

    derivation, schema = prove_case(inputs), inputs.schema()
    derived = derivation if isinstance(derivation, Proof) else derivation.declared
    if derived is None or schema is None:
        return proof
    contract = inputs.case.contract
    fixed = contract is not None and contract.columns == "same_order"
    changes = inputs.recall(("steps",))
    if changes is None:
        changes = step_changes(derived, schema, fixed_columns=fixed)
        inputs.remember(("steps",), changes)
    match proof:
        case Undecided(declared=Proved() as declared):
            return replace(proof, declared=replace(declared, changes=changes))
        case Proved():
            return replace(proof, changes=changes)
    return proof
