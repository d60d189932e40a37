"""Proof as a stage: which schema, which profile, and what becomes of a contradiction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Outcome, ParseResult, Reason

if TYPE_CHECKING:
    from sqlverdict.prove.proof import Derivation

SOUND = "sound"
"""The profile whose derivations are proofs; those of others are not evidence."""


def prove_case(
    case: Case,
    golds: Sequence[ParseResult],
    prediction: ParseResult,
    schema: Schema | None,
    profile: str,
    run: Callable[[str], Outcome] | None = None,
) -> Derivation:
    """A proof against any gold of the case, or that there is none.

    Under the profile ``sound`` the facts that a proof uses are checked on the case's database: a
    SQLite file directly, that of another engine by queries that ``run`` runs there.
    """
    # The prover loads the parser and its rules, which is slow; runs without it need not wait.
    from sqlverdict.prove.on_data import prove_on_data
    from sqlverdict.prove.proof import NotProved

    if schema is None:
        return NotProved("no schema is known", Reason.DATABASE_UNAVAILABLE)
    # A profile that reproduces a metric looks at trees alone.
    database = Path(case.database) if profile == SOUND and case.database else None
    best: Derivation = NotProved("the case has no gold")
    for gold in golds:
        derivation = prove_on_data(
            gold, prediction, schema, database, profile=profile, contract=case.contract, run=run
        )
        if derivation.proved:
            return derivation
        if not _is_declared(best):
            best = derivation
    return best


def _is_declared(derivation: Derivation) -> bool:
    return getattr(derivation, "declared", None) is not None
