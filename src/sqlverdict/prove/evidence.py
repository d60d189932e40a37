"""A derivation as evidence for a verdict."""

from __future__ import annotations

from typing import Any

from sqlverdict.prove.proof import Derivation, Proof
from sqlverdict.records import Evidence, Reason, Rung


def evidence_of(found: Derivation) -> Evidence:
    """What a derivation says: a proof, or that it is not known.

    A proof under the declared schema that the real data break is no proof: it is shown
    (``declared``), with what is broken, and decides nothing.
    """
    if isinstance(found, Proof):
        more = {"unchecked": list(found.unchecked)} if found.unchecked else {}
        return Evidence(Rung.PROVED, "prove", True, detail={**_steps(found), **more})
    reasons = (found.reason,) if found.reason is not None else ()
    if found.declared is not None:
        return _declared(found.declared, reasons, broken=list(found.broken))
    return Evidence(Rung.UNKNOWN, "prove", None, reasons, detail={"message": found.message})


def declared_only(proof: Evidence) -> Evidence:
    """A proof whose facts could not be checked, beside answers that differ: they decide."""
    reasons = (Reason.FACT_BROKEN,)
    return Evidence(Rung.UNKNOWN, "prove", None, reasons, None, {"declared": True, **proof.detail})


def _declared(proof: Proof, reasons: tuple[Reason, ...], **more: Any) -> Evidence:
    detail = {"declared": True, **_steps(proof), **more}
    return Evidence(Rung.UNKNOWN, "prove", None, reasons, detail=detail)


def _steps(proof: Proof) -> dict[str, Any]:
    return {
        "profile": proof.profile,
        "trust": proof.trust,
        "rules": list(proof.rules),
        "steps": [f"{step.side}: {step}" for step in proof.steps],
        "form": proof.form,
    }
