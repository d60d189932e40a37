"""Which situation the evidence about a case amounts to: :data:`~sqlverdict.situations.Situation`.

A difference may speak against the gold. A sign against the gold alone is worth nothing: every wrong
answer to the same question would be left to people. So the prediction has to give what the gold
gives once its error is corrected: the literal that is in no row spelled as the data spell it,
numbers that are stored as texts sorted and compared as numbers. ``signs/mend.py`` corrects.

The same evidence says whether a search for a witness was made, and whose text stood against it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.compare.related.question_columns import names_columns
from sqlverdict.compare.relation import RELATIONS
from sqlverdict.evidence import (
    Contradicted,
    Evidence,
    Failed,
    Proved,
    Refuted,
    Related,
    Signs,
    Tested,
    Undecided,
    fault_of,
)
from sqlverdict.evidence_parts import AnswerExcerpt, GeneratedRelation, StageFailure
from sqlverdict.harmless import TIED, find_harmless
from sqlverdict.reasons import Reason
from sqlverdict.records import Case
from sqlverdict.situations import Situation

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

    It uses chance, reads the clock or asks where it runs, it is beyond our tools where the gold is
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


NEAR = 0.8
"""From this overlap on, answers on generated databases are nearly the same. Chosen on the halves
of ROSE's labels in docs/measurements/agreement.md; 0.75 and 0.85 agree with people as well."""

_SUSPECT_SIGNS = frozenset({"dead_literal", "numbers_as_text"})
"""Signs against a gold that can be corrected; the labels behind each are in
docs/measurements/agreement.md."""

_UNSTEADY = frozenset({"clock_dependence"})


def find_situation(case: Case, evidence: Sequence[Evidence]) -> tuple[Situation, Evidence | None]:
    """What the evidence amounts to, and the piece of it that says so."""
    match evidence:
        case (Tested(by="compare") as alone,):
            # Most often the answers agree, and nothing else was looked for.
            return Situation.MATCH, alone
    proof: Proved | None = None
    witness: Refuted | None = None
    match_: Tested | None = None
    difference: Related | Failed | None = None
    open_: Undecided | Failed | None = None
    for piece in evidence:
        match piece:
            case Contradicted():
                return Situation.CONTRADICTION, piece
            case Proved():
                proof = proof or piece
            case Refuted():
                witness = witness or piece
            case Tested():
                match_ = match_ or piece
            case Undecided() | Failed(query="gold"):
                open_ = _weightier(open_, piece)
            case Related() | Failed():
                difference = difference or piece
    if proof is not None:
        return (Situation.PROVED, proof) if witness is None else (Situation.CONTRADICTION, _OUR_BUG)
    tied = open_ is not None and fault_of(open_) is None
    unsearched = next(filter(is_unsearched, evidence), None)
    barred = next(filter(is_barred, evidence), None)
    against = witness or unsearched
    if match_ is not None and match_.constant_prediction and against is not None:
        return Situation.CONSTANT_MATCH, against
    if witness is not None:
        by_witness = _with_witness(witness)
        # That it fits a tie is less than a match: a search may find that it fits by luck.
        if match_ is None and tied and by_witness in _USUAL:
            by_witness = Situation.TIE_WITNESS
        elif by_witness in _LUCKY and any(piece.both_empty for piece in evidence):
            by_witness = Situation.EMPTY_MATCH_WITNESS
        return by_witness, witness
    if barred is not None and (match_ is not None or tied):
        return Situation.BARRED_MATCH, barred
    if match_ is not None and not tied:
        cut = next(filter(was_cut, evidence), None)
        if cut is not None and any(piece.both_empty for piece in evidence):
            return Situation.UNSEARCHED_EMPTY, cut
        if unsearched is not None:
            return Situation.UNSEARCHED_MATCH, unsearched
        return Situation.MATCH, match_
    if difference is not None:
        by_difference = _with_difference(case, difference, unsearched)
        if by_difference is Situation.DIFFERENCE and _gold_is_suspect(evidence):
            by_difference = Situation.GOLD_SUSPECT
        return by_difference, difference
    if open_ is None:
        return Situation.OPEN, None
    if fault_of(open_) is not None:
        return Situation.FAULT, open_
    # Beside a tie a match is the search's: it looked where nothing ties, too.
    searched = match_ is not None and unsearched is None
    return (Situation.FITS_A_TIE if searched else Situation.UNSEARCHED_TIE), open_


def _weightier(
    before: Undecided | Failed | None, piece: Undecided | Failed
) -> Undecided | Failed | None:
    """Among what is open a fault counts most, then a tie; nothing else says anything."""
    if before is not None and fault_of(before) is not None:
        return before
    if fault_of(piece) is not None:
        return piece
    return before or (piece if Reason.TIE_UNDETERMINED in piece.reasons else None)


def _with_witness(witness: Refuted) -> Situation:
    grade = witness.grade
    if witness.kind == "undetermined_prediction":
        ordinary = grade in _BY_GRADE
        return Situation.UNDETERMINED_PREDICTION if ordinary else Situation.UNUSUAL_WITNESS
    if witness.reasons == (Reason.DUPLICATES_MISMATCH,):
        return Situation.DUPLICATES_WITNESS
    if _say_nothing(witness.gold, witness.prediction):
        return Situation.UNUSUAL_WITNESS
    if grade in _BY_GRADE:
        return _BY_GRADE[grade]
    if grade == "needs_null" and witness.null_in_aggregate:
        return Situation.NULL_IN_AGGREGATE
    if grade == "needs_tie" and witness.prediction.count < witness.gold.count:
        return Situation.TIED_ROWS_LOST
    return Situation.UNUSUAL_WITNESS


def _say_nothing(gold: AnswerExcerpt, prediction: AnswerExcerpt) -> bool:
    """Whether both answers hold no value, in two ways: no row, or rows of NULL alone."""
    for answer in (gold, prediction):
        if answer.failed is not None or answer.count != len(answer.rows):
            return False
        if any(cell is not None for row in answer.rows for cell in row):
            return False
    return gold.count != prediction.count


def _with_difference(
    case: Case, difference: Related | Failed, unsearched: Evidence | None
) -> Situation:
    if isinstance(difference, Failed):
        return Situation.FAILED
    relation = find_harmless(case, difference)
    if relation is None:
        if _first_relation(difference) == "null_rows":
            return Situation.MINOR_DIFFERENCE
        return _by_generated(case, difference) or Situation.DIFFERENCE
    if relation.kind == TIED and relation.proof.limited == "prediction":
        return Situation.MINOR_DIFFERENCE
    # What benchmarks do not compare counts as a match. Another form does not: it would be enough
    # to stand against the search to be forgiven.
    trivial = RELATIONS.get(relation.kind).trivial
    if trivial and is_barred(difference):
        return Situation.BARRED_MATCH
    is_cut = relation.elsewhere is not None and was_cut(relation.elsewhere)
    unmade = unsearched is not None or difference.unsearched
    if trivial and difference.both_empty and (unmade or is_cut):
        return Situation.UNSEARCHED_EMPTY
    if unmade:
        return Situation.UNSEARCHED_MATCH if trivial else Situation.UNSEARCHED_DIFFERENCE
    if not trivial:
        fewer = RELATIONS.get(relation.kind).fewer_columns
        return Situation.MINOR_DIFFERENCE if fewer else Situation.HARMLESS_DIFFERENCE
    if relation.broken is not None and difference.both_empty:
        # Rows of NULL alone are no match by luck that an ordinary witness could refute.
        return Situation.DIFFERENCE
    if relation.broken is not None:
        return _BY_GRADE.get(relation.broken.grade, Situation.UNUSUAL_WITNESS)
    return Situation.TRIVIAL_DIFFERENCE


def _first_relation(difference: Related) -> str:
    """The kind of the first relation; empty where there is none, or it may be chance."""
    match difference.relations:
        case (first, *_) if not first.proof.weak:
            return first.kind
    return ""


def _by_generated(case: Case, difference: Related) -> Situation | None:
    """What generated databases say of answers that are not at hand."""
    generated = difference.generated
    if generated is None:
        return None
    if generated.rows == "same" and generated.columns in ("same", "permuted"):
        return Situation.GENERATED_FORM
    # Answers to a wrong value, or to a cut at another place, overlap by luck.
    asks_otherwise = any(tag.name in _ANOTHER_QUESTION for tag in difference.tags or ())
    if generated.overlap >= NEAR and not asks_otherwise:
        form = generated.columns in ("extra", "permuted") or _is_whole_without(case, generated)
        return Situation.GENERATED_FORM if form else Situation.GENERATED_NEAR
    # Scorers compare columns in their order: other columns explain the recorded difference, and
    # of the rows nothing is known.
    return Situation.GENERATED_COLUMNS if generated.columns != "same" else None


_ANOTHER_QUESTION = frozenset({"limit_differs", "value_changed"})
"""Tags of a difference that no overlap makes small."""


def _is_whole_without(case: Case, generated: GeneratedRelation) -> bool:
    """Whether the same rows lack columns, and the question names none of these."""
    same = generated.rows in ("same", "repeated") and bool(generated.missing)
    return same and not names_columns(case, generated.missing)


def _gold_is_suspect(evidence: Sequence[Evidence]) -> bool:
    """Whether the gold shows an error, and the prediction is right where it is corrected."""
    signs = next((piece for piece in evidence if isinstance(piece, Signs)), None)
    # A text that nobody can read hides its signs, and a constant has none to show.
    if signs is None or signs.says_nothing or not signs.agrees_with_mend:
        return False
    # Nor does a prediction with a strong sign of its own, or one that depends on the clock or on
    # chance, say anything against the gold.
    if any(sign.strength == "strong" or sign.name in _UNSTEADY for sign in signs.prediction):
        return False
    own = {sign.name for sign in signs.prediction}
    return any(sign.name in _SUSPECT_SIGNS and sign.name not in own for sign in signs.gold)


_BY_GRADE = {
    "ordinary": Situation.ORDINARY_WITNESS,
    "ungraded": Situation.UNGRADED_WITNESS,
}

_LUCKY = frozenset({*_BY_GRADE.values(), Situation.NULL_IN_AGGREGATE, Situation.TIED_ROWS_LOST})
"""Witnesses that show a match by luck."""

_USUAL = frozenset(
    {
        Situation.ORDINARY_WITNESS,
        Situation.UNGRADED_WITNESS,
        Situation.UNDETERMINED_PREDICTION,
    }
)
"""Witnesses on data with nothing unusual in them."""

_OUR_BUG = Contradicted("toolkit", (Reason.TOOLKIT_ERROR,), against="witness")
