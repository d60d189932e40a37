"""What the evidence about an answered, answerable case amounts to: one of a few situations.

A situation says what was shown, never what follows from it: that is a policy's, in
:mod:`sqlverdict.policies`. The first line that applies counts:

===========================  ==========================================================
contradiction                a proof and a witness, or a proof and answers that differ
proved                       a proof
tie_witness                  the answer fits a tie of the gold, and a witness tells them apart
duplicates_witness           a witness: the same rows, some of them repeated
undetermined_prediction      a witness: the prediction leaves open what the gold decides
constant_match               the answers agree, and the prediction reads no row of the data
empty_match_witness          the answers hold no value, and one of the next four tells them apart
ordinary_witness             a witness on data like the real data
ungraded_witness             a witness, without real data to be held against
null_in_aggregate            a witness: a NULL changes the number that is returned
tied_rows_lost               a witness: of rows that tie, the prediction returns fewer
unusual_witness              a witness on unusual data, or one where both answers hold no value
barred_match                 the answers agree; the prediction's own text keeps a search from them
unsearched_empty             the answers hold no value; a search was not made to its end
unsearched_match             the answers agree; no search for a witness could be made
match                        the answers agree, and no witness was found
failed                       the prediction does not run
tied_difference              of rows that tie, the prediction returns fewer than the gold
trivial_difference           repeated rows, an order nobody asked for, columns in another order
unsearched_difference        the same as the next line, and no search could be made
fewer_columns                the same rows without columns that the question does not name
harmless_difference          another difference that :mod:`sqlverdict.harmless` knows
null_rows_difference         rows that hold nothing but NULL
generated_same               answers said to differ, not at hand; on generated databases the same
generated_form               the same, nearly the same, and the columns differ as people allow
generated_near               the same, and on generated databases nearly the same
generated_columns            the same, and the columns differ in number or order
gold_suspect                 the answers differ; with an error of the gold mended they agree
difference                   the answers differ
fault                        nothing could be found out, and the model is not to blame
fits_a_tie                   the gold leaves the answer open and this one fits it
unsearched_tie               the same, and no search could be made
open                         none of these
===========================  ==========================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from sqlverdict.compare.related.question_columns import names_columns
from sqlverdict.compare.relation import RELATIONS
from sqlverdict.evidence import (
    Contradicted,
    Evidence,
    Failed,
    Proved,
    Refuted,
    Related,
    Tested,
    Undecided,
    fault_of,
)
from sqlverdict.evidence_parts import AnswerExcerpt, GeneratedRelation
from sqlverdict.harmless import TIED, find_harmless
from sqlverdict.reasons import Reason
from sqlverdict.records import Case
from sqlverdict.suspect_gold import gold_is_suspect
from sqlverdict.unsearched import is_barred, is_unsearched, was_cut

NEAR = 0.8
"""From this overlap on, answers on generated databases are nearly the same. Chosen on the halves
of ROSE's labels in docs/measurements/agreement.md; 0.75 and 0.85 agree with people as well."""


class Situation(StrEnum):
    """What the evidence about an answered, answerable case amounts to."""

    CONTRADICTION = "contradiction"
    PROVED = "proved"
    TIE_WITNESS = "tie_witness"
    DUPLICATES_WITNESS = "duplicates_witness"
    CONSTANT_MATCH = "constant_match"
    EMPTY_MATCH_WITNESS = "empty_match_witness"
    ORDINARY_WITNESS = "ordinary_witness"
    UNGRADED_WITNESS = "ungraded_witness"
    NULL_IN_AGGREGATE = "null_in_aggregate"
    TIED_ROWS_LOST = "tied_rows_lost"
    UNDETERMINED_PREDICTION = "undetermined_prediction"
    UNUSUAL_WITNESS = "unusual_witness"
    BARRED_MATCH = "barred_match"
    UNSEARCHED_EMPTY = "unsearched_empty"
    UNSEARCHED_MATCH = "unsearched_match"
    MATCH = "match"
    FAILED = "failed"
    TIED_DIFFERENCE = "tied_difference"
    TRIVIAL_DIFFERENCE = "trivial_difference"
    UNSEARCHED_DIFFERENCE = "unsearched_difference"
    FEWER_COLUMNS = "fewer_columns"
    HARMLESS_DIFFERENCE = "harmless_difference"
    NULL_ROWS_DIFFERENCE = "null_rows_difference"
    GENERATED_SAME = "generated_same"
    GENERATED_FORM = "generated_form"
    GENERATED_NEAR = "generated_near"
    GENERATED_COLUMNS = "generated_columns"
    GOLD_SUSPECT = "gold_suspect"
    DIFFERENCE = "difference"
    FAULT = "fault"
    FITS_A_TIE = "fits_a_tie"
    UNSEARCHED_TIE = "unsearched_tie"
    OPEN = "open"


BECAUSE: Mapping[Situation, str] = {
    Situation.CONTRADICTION: "a proof and a witness cannot both be right: the bug is ours",
    Situation.PROVED: "the queries agree on every legal database",
    Situation.TIE_WITNESS: "the answer fits a tie of the gold, and differs where nothing ties",
    Situation.DUPLICATES_WITNESS: "on other data some rows are repeated; all rows are the same",
    Situation.CONSTANT_MATCH: "the prediction reads no row: it fits one state of the data",
    Situation.EMPTY_MATCH_WITNESS: "neither answer holds a value here, like the answer of "
    "any query that finds nothing; the queries differ on other data",
    Situation.ORDINARY_WITNESS: "the answers match here, and differ on data like the real data",
    Situation.UNGRADED_WITNESS: "the answers match here, and differ on data with nothing "
    "unusual in them",
    Situation.NULL_IN_AGGREGATE: "the answers match here; elsewhere a NULL changes the number "
    "that is returned",
    Situation.TIED_ROWS_LOST: "of rows that tie, the prediction returns fewer than the gold",
    Situation.UNDETERMINED_PREDICTION: "the prediction leaves open what the gold decides",
    Situation.UNUSUAL_WITNESS: "the answers match here, and differ only on unusual data, or only "
    "in how an empty answer looks",
    Situation.BARRED_MATCH: "the answers agree, but the prediction's own text keeps them from "
    "being compared on other data: it uses random values, reads the clock, is beyond our tools "
    "or does not end",
    Situation.UNSEARCHED_EMPTY: "neither answer holds a value here, like the answer of any query "
    "that finds nothing, and the search for a database where they differ was not completed",
    Situation.UNSEARCHED_MATCH: "the answers agree, but the search for a database where they "
    "differ could not be run, or ran out of time",
    Situation.MATCH: "the answers agree, and no database was found where they differ",
    Situation.FAILED: "the prediction does not run",
    Situation.TIED_DIFFERENCE: "the answers differ in rows that tie: the prediction's LIMIT cuts "
    "through them, and the gold has them all",
    Situation.TRIVIAL_DIFFERENCE: "the answers differ in what benchmarks do not compare: repeated "
    "rows, an order nobody asked for, the order of columns",
    Situation.UNSEARCHED_DIFFERENCE: "the answers differ in form, and no search could be run for "
    "a database where they differ in another way",
    Situation.FEWER_COLUMNS: "the rows are the same, without columns that the question does not "
    "name",
    Situation.HARMLESS_DIFFERENCE: "the answers differ in form, by a relation that people accept",
    Situation.NULL_ROWS_DIFFERENCE: "the answers differ in rows that hold nothing but NULL",
    Situation.GENERATED_SAME: "the record says that the answers differ; on every "
    "generated database they are the same, apart from the order of columns",
    Situation.GENERATED_FORM: "the record says that the answers differ; on generated databases the "
    "rows are nearly the same, and the columns differ in form: another order, more of them, or "
    "fewer where the question does not name them",
    Situation.GENERATED_NEAR: "the record says that the answers differ; on generated "
    "databases they are nearly the same",
    Situation.GENERATED_COLUMNS: "the record says that the answers differ, and their columns "
    "differ in number or order: nothing is known about their rows",
    Situation.GOLD_SUSPECT: "the answers differ; they agree once an error in the gold is corrected",
    Situation.DIFFERENCE: "the answers differ",
    Situation.FAULT: "nothing could be found out, and the model is not to blame",
    Situation.FITS_A_TIE: "the gold leaves the answer open, this one fits it, and no database "
    "was found where the two differ",
    Situation.UNSEARCHED_TIE: "the gold leaves the answer open and this one fits it, but no "
    "search was made: a wrong query may fit by luck",
    Situation.OPEN: "nothing decided it",
}
"""Each situation in words."""

QUESTIONS: Mapping[Situation, str] = {
    Situation.TIE_WITNESS: "the prediction fits a tie of the gold, but differs on a witness: does "
    "it answer the question?",
    Situation.EMPTY_MATCH_WITNESS: "the results are empty, and differ on a witness: does the "
    "prediction answer the question?",
    Situation.ORDINARY_WITNESS: "the results match, but not on a witness: does the question care?",
    Situation.UNGRADED_WITNESS: "the results match, but not on a witness: may realistic data of "
    "its kind occur here, and does the question care?",
    Situation.TIED_ROWS_LOST: "the results match, but rows that tie are lost: may there be ties?",
    Situation.UNDETERMINED_PREDICTION: "the results match, but the prediction leaves open what "
    "the gold decides: does the question care?",
    Situation.UNUSUAL_WITNESS: "the results match, but not on unusual data: may realistic data "
    "be unusual in that way, and does the question care?",
    Situation.UNSEARCHED_TIE: "the gold leaves the answer open and the prediction fits it: does "
    "it answer the question?",
    Situation.TIED_DIFFERENCE: "the results differ in rows that tie: does the question want them "
    "all?",
    Situation.UNSEARCHED_DIFFERENCE: "the results differ in form, and no other data could be "
    "tried: is the prediction right all the same?",
    Situation.FEWER_COLUMNS: "the results are the same rows, without columns that the question "
    "does not name: is the answer whole?",
    Situation.HARMLESS_DIFFERENCE: "the results differ in form: does the question allow for it?",
    Situation.NULL_ROWS_DIFFERENCE: "the results differ in rows of NULLs alone: does the question "
    "care?",
    Situation.GENERATED_SAME: "the results differ, and not on generated data: is the prediction "
    "right all the same?",
    Situation.GENERATED_FORM: "the results differ, and on generated data hardly but in their "
    "columns: is the prediction right all the same?",
    Situation.GENERATED_NEAR: "the results differ, and hardly on generated data: is the "
    "prediction right all the same?",
    Situation.GENERATED_COLUMNS: "the results have other columns: is the prediction "
    "right all the same?",
    Situation.GOLD_SUSPECT: "the results differ, and agree with an error of the gold mended: "
    "which query answers the question?",
    Situation.DIFFERENCE: "the results differ: is the prediction right all the same?",
}
"""What a judge is asked, or would be."""


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
        if match_ is None and tied and by_witness in _TELLING:
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
        if by_difference is Situation.DIFFERENCE and gold_is_suspect(evidence):
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
            return Situation.NULL_ROWS_DIFFERENCE
        return _told_by_generated(case, difference) or Situation.DIFFERENCE
    if relation.kind == TIED and relation.proof.limited == "prediction":
        return Situation.TIED_DIFFERENCE
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
        return Situation.FEWER_COLUMNS if fewer else Situation.HARMLESS_DIFFERENCE
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


def _told_by_generated(case: Case, difference: Related) -> Situation | None:
    """What generated databases say of answers that are not at hand."""
    generated = difference.generated
    if generated is None:
        return None
    if generated.rows == "same" and generated.columns in ("same", "permuted"):
        return Situation.GENERATED_SAME
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


_BY_GRADE = {
    "ordinary": Situation.ORDINARY_WITNESS,
    "ungraded": Situation.UNGRADED_WITNESS,
}

_LUCKY = frozenset({*_BY_GRADE.values(), Situation.NULL_IN_AGGREGATE, Situation.TIED_ROWS_LOST})
"""Witnesses that show a match by luck."""

_TELLING = frozenset(
    {
        Situation.ORDINARY_WITNESS,
        Situation.UNGRADED_WITNESS,
        Situation.UNDETERMINED_PREDICTION,
    }
)
"""Witnesses on data with nothing unusual in them."""

_OUR_BUG = Contradicted("toolkit", (Reason.TOOLKIT_ERROR,), against="witness")
