"""Whether a search for a witness was made, and whose text stood against it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.evidence import Evidence, Refuted, Related, Tested, Undecided
from sqlverdict.evidence_parts import StageFailure

PREDICTION = "prediction"


def is_unsearched(evidence: Evidence) -> bool:
    """Whether it says that a search was asked for and not made, or not to its end."""
    match evidence:
        case Undecided(failure=StageFailure(stage="refute")):
            return True
        case Undecided(by="refute"):
            return evidence.cut_by_time or bool(evidence.reasons)
        case Refuted(by="refute") | Tested(by="refute"):
            return evidence.cut_by_time
    return False


def is_barred(evidence: Evidence) -> bool:
    """Whether the prediction's own text, and not the gold's, stood against a search.

    It draws by lot, reads the clock or asks where it runs, it is beyond our tools where the gold is
    not, or it does not end on other data.
    """
    match evidence:
        case Undecided(by="refute", blame=blame) | Tested(by="refute", blame=blame):
            return blame == PREDICTION
        case Related(relations=relations):
            return any(
                isinstance(each.elsewhere, Undecided) and each.elsewhere.blame == PREDICTION
                for each in relations
            )
    return False


def has_failed(evidence: Evidence) -> bool:
    """Whether a search failed, and no text stood against it: by our fault, the engine's, or time.

    Such a search says nothing: where it matters what it would have found, nothing is known.
    """
    match evidence:
        case Undecided(blame=blame) | Tested(blame=blame):
            return not blame and is_unsearched(evidence)
        case Related(relations=relations):
            return any(
                each.elsewhere is not None and has_failed(each.elsewhere) for each in relations
            )
    return False


def was_searched(evidence: Sequence[Evidence]) -> bool:
    """Whether other databases were tried, and not only the real one."""
    return any(
        isinstance(piece, Tested) and piece.by == "refute" and piece.databases for piece in evidence
    )


def was_cut(evidence: Evidence) -> bool:
    """Whether a search ended before it had tried all it could."""
    return is_unsearched(evidence) or (
        isinstance(evidence, Tested) and evidence.by == "refute" and bool(evidence.reasons)
    )
