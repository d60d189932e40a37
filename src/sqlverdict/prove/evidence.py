"""A derivation as evidence for a verdict."""

from __future__ import annotations

from sqlverdict.evidence import Proved, Undecided
from sqlverdict.prove.proof import Derivation, Proof
from sqlverdict.reasons import Reason

PROVE = "prove"
"""The name of this stage in evidence (``by``)."""


def derivation_evidence(derivation: Derivation) -> Proved | Undecided:
    """What a derivation says: a proof, or that it is not known.

    A proof under the declared schema that the real data break is no proof: it is shown
    (``declared``), with what is broken, and decides nothing.
    """
    if isinstance(derivation, Proof):
        return _proved(derivation)
    reasons = (derivation.reason,) if derivation.reason is not None else ()
    if derivation.declared is not None:
        return Undecided(
            PROVE, reasons, declared=_proved(derivation.declared), broken=derivation.broken
        )
    return Undecided(PROVE, reasons, derivation.message)


def declared_only(proof: Proved) -> Undecided:
    """A proof whose facts could not be checked, beside answers that differ: they decide."""
    return Undecided(PROVE, (Reason.FACT_BROKEN,), declared=proof)


def _proved(proof: Proof) -> Proved:
    return Proved(
        PROVE,
        profile=proof.profile,
        trust=proof.trust,
        rules=proof.rules,
        steps=tuple(f"{step.side}: {step}" for step in proof.steps),
        form=proof.form,
        unchecked=proof.unchecked,
        open_choices=proof.open_choices,
    )
