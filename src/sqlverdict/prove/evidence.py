"""A derivation as evidence for a verdict."""

from __future__ import annotations

from sqlverdict.prove.proof import Derivation, Proof
from sqlverdict.records import Evidence, Rung


def evidence_of(found: Derivation) -> Evidence:
    """What a derivation says: a proof, or that it is not known."""
    if isinstance(found, Proof):
        detail = {
            "profile": found.profile,
            "trust": found.trust,
            "rules": list(found.rules),
            "steps": [f"{step.side}: {step}" for step in found.steps],
            "form": found.form,
        }
        return Evidence(Rung.PROVED, "prove", True, detail=detail)
    detail = {"message": found.message}
    reasons = (found.reason,) if found.reason is not None else ()
    return Evidence(Rung.UNKNOWN, "prove", None, reasons, detail=detail)
