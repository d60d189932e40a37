"""The situations: what the evidence about an answered, answerable case amounts to. One table.

A situation says what was shown. What follows from it is a policy's: ``results`` is the benchmark's
own comparison; ``strict`` follows FLEX's experts, to whom a match by luck is wrong; ``intent`` asks
whether the answer serves the question, and is the default. The labels behind every row are counted
in ``docs/measurements/agreement.md``.

A new situation is one row here, and the line in :mod:`sqlverdict.find_situation` that recognises
it. The policies (:mod:`sqlverdict.verdicts`), the order of probabilities
(:mod:`sqlverdict.confidence.counts`), the reports and the page ``docs/judge.md`` are made from the
rows.

Two rows with the same columns have a reason to be two (``ALIKE`` in ``tests/test_situations.py``).
``fits_a_tie`` decides as ``match`` does, but its answers differ, and the label sets have no labels
of it: it is logged by its own name, so that labels can tell whether people see it alike.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, NamedTuple

Decision = Literal["correct", "incorrect", "needs_review", "unscored", "ask"]

Step = Literal[
    "proved",
    "match after a search",
    "harmless or unusual difference, or no search",
    "ordinary witness",
    "near difference",
    "difference",
    "does not run",
]
"""The steps of probability, the one that says most for an answer first."""


class Row(NamedTuple):
    """The columns of a situation.

    Attributes:
        name: Its name in run logs, reports and label counts.
        when: What the evidence shows.
        decisions: What ``results``, ``strict`` and ``intent`` say of it, in this order.
        because: The sentence that a reader is told.
        part: The part of the report's evidence bar that such a case is in.
        step: Its step of probability; ``None`` where it says nothing about an answer.
        asks: The policies that ask a judge, where there is one.
        question: What the judge is asked.
    """

    name: str
    when: str
    decisions: tuple[Decision, Decision, Decision]
    because: str
    part: str
    step: Step | None = None
    asks: tuple[str, ...] = ()
    question: str = ""


class Situation(StrEnum):
    """What the evidence about an answered, answerable case amounts to.

    The first row that applies counts.
    """

    def __new__(cls, name: str, *_: object) -> Situation:
        """A member whose value is its name."""
        member = str.__new__(cls, name)
        member._value_ = name
        return member

    def __init__(self, *columns: Any) -> None:
        """Keep the columns: ``situation.row.because``."""
        self.row = Row(*columns)

    CONTRADICTION = Row(
        "contradiction",
        "a proof and a witness, or a proof and results that differ: our bug, saved under "
        "`contradictions/`, exit code 5",
        ("unscored", "unscored", "unscored"),
        because="a proof and a witness cannot both be right: the bug is ours",
        part="unscored",
    )
    PROVED = Row(
        "proved",
        "a derivation by sound rules",
        ("correct", "correct", "correct"),
        because="the queries agree on every legal database",
        part="proved",
        step="proved",
    )
    TIE_WITNESS = Row(
        "tie_witness",
        "the gold's LIMIT cuts through a tie and this answer is one it might have given, but a "
        "witness with nothing unusual in it tells the two apart: it fits by luck",
        ("incorrect", "incorrect", "incorrect"),
        because="the answer fits a tie of the gold, and differs where nothing ties",
        part="ties",
        step="near difference",
        asks=("strict", "intent"),
        question="the prediction fits a tie of the gold, but differs on a witness: does it answer "
        "the question?",
    )
    CONSTANT_MATCH = Row(
        "constant_match",
        "results match, no column of the prediction reads a row of the database, and a witness "
        "tells the two apart or no search could be made",
        ("correct", "incorrect", "needs_review"),
        because="the prediction reads no row: it fits one state of the data",
        part="refuted",
        step="ordinary witness",
    )
    UNDETERMINED_PREDICTION = Row(
        "undetermined_prediction",
        "the prediction leaves open what the gold decides (`LIMIT 1` without an order, a ranking "
        "that ties everything): two of its legal answers are shown, on data with nothing unusual "
        "in them",
        ("correct", "incorrect", "needs_review"),
        because="the prediction leaves open what the gold decides",
        part="ties",
        step="ordinary witness",
        asks=("strict", "intent"),
        question="the results match, but the prediction leaves open what the gold decides: does "
        "the question care?",
    )
    DUPLICATES_WITNESS = Row(
        "duplicates_witness",
        "results match; on a witness they are the same rows, some of them repeated",
        ("correct", "correct", "correct"),
        because="on other data some rows are repeated; all rows are the same",
        part="duplicates",
        step="harmless or unusual difference, or no search",
    )
    EMPTY_MATCH_WITNESS = Row(
        "empty_match_witness",
        "results match, and hold no value (no row, or NULLs alone); a witness of one of the next "
        "four lines tells the queries apart. Any query that finds nothing matches there",
        ("correct", "incorrect", "needs_review"),
        because="neither answer holds a value here, like the answer of any query that finds "
        "nothing; the queries differ on other data",
        part="refuted",
        step="ordinary witness",
        asks=("strict", "intent"),
        question="the results are empty, and differ on a witness: does the prediction answer the "
        "question?",
    )
    ORDINARY_WITNESS = Row(
        "ordinary_witness",
        "results match; they differ on data like the real data",
        ("correct", "incorrect", "correct"),
        because="the answers match here, and differ on data like the real data",
        part="lucky",
        step="ordinary witness",
        asks=("strict",),
        question="the results match, but not on a witness: does the question care?",
    )
    UNGRADED_WITNESS = Row(
        "ungraded_witness",
        "results match; they differ on data with nothing unusual in them, and there are no real "
        "data to compare these with",
        ("correct", "incorrect", "correct"),
        because="the answers match here, and differ on data with nothing unusual in them",
        part="refuted",
        step="ordinary witness",
        asks=("strict",),
        question="the results match, but not on a witness: may realistic data of its kind occur "
        "here, and does the question care?",
    )
    NULL_IN_AGGREGATE = Row(
        "null_in_aggregate",
        "results match; the witness has a NULL in a column whose sum, count or average is returned",
        ("correct", "incorrect", "correct"),
        because="the answers match here; elsewhere a NULL changes the number that is returned",
        part="unusual",
        step="ordinary witness",
    )
    TIED_ROWS_LOST = Row(
        "tied_rows_lost",
        "results match; the witness has a tie, and the prediction returns fewer of the tied rows "
        "than the gold",
        ("correct", "incorrect", "correct"),
        because="of rows that tie, the prediction returns fewer than the gold",
        part="ties",
        step="ordinary witness",
        asks=("strict",),
        question="the results match, but rows that tie are lost: may there be ties?",
    )
    UNUSUAL_WITNESS = Row(
        "unusual_witness",
        "any other witness: it needs a NULL, a tie, a missing partner, an empty table, or breaks "
        "a regularity of the real data or a declared date; or one query returns no row and the "
        "other nothing but NULL",
        ("correct", "correct", "correct"),
        because="the answers match here, and differ only on unusual data, or only in how an empty "
        "answer looks",
        part="unusual",
        step="harmless or unusual difference, or no search",
        asks=("strict",),
        question="the results match, but not on unusual data: may realistic data be unusual in "
        "that way, and does the question care?",
    )
    BARRED_MATCH = Row(
        "barred_match",
        "results match, and the prediction's own text keeps them from being searched: it uses "
        "random values, reads the clock or asks where it runs, it is beyond our tools or does not "
        "end on other data, and the gold is none of these",
        ("correct", "incorrect", "needs_review"),
        because="the answers agree, but the prediction's own text keeps them from being compared "
        "on other data: it uses random values, reads the clock, is beyond our tools or does not "
        "end",
        part="open",
        step="ordinary witness",
    )
    UNSEARCHED_EMPTY = Row(
        "unsearched_empty",
        "results match, and hold no value; the search was not made, or not to its end",
        ("correct", "needs_review", "needs_review"),
        because="neither answer holds a value here, like the answer of any query that finds "
        "nothing, and the search for a database where they differ was not completed",
        part="open",
        step="ordinary witness",
    )
    UNSEARCHED_MATCH = Row(
        "unsearched_match",
        "results match, but the search could not be made, or the clock cut it, and there is no "
        "proof; the reason stays beside the verdict",
        ("correct", "needs_review", "correct"),
        because="the answers agree, but the search for a database where they differ could not be "
        "run, or ran out of time",
        part="equal",
        step="harmless or unusual difference, or no search",
    )
    MATCH = Row(
        "match",
        "results match, and no witness was found",
        ("correct", "correct", "correct"),
        because="the answers agree, and no database was found where they differ",
        part="equal",
        step="match after a search",
    )
    FAILED = Row(
        "failed",
        "the prediction does not run",
        ("incorrect", "incorrect", "incorrect"),
        because="the prediction does not run",
        part="failed",
        step="does not run",
    )
    TRIVIAL_DIFFERENCE = Row(
        "trivial_difference",
        "results differ in what public benchmarks do not compare: repeated rows, an order nobody "
        "asked for, the order of columns",
        ("incorrect", "correct", "correct"),
        because="the answers differ in what benchmarks do not compare: repeated rows, an order "
        "nobody asked for, the order of columns",
        part="harmless",
        step="harmless or unusual difference, or no search",
    )
    UNSEARCHED_DIFFERENCE = Row(
        "unsearched_difference",
        "results differ by a relation of the next line, or lack columns that the question does "
        "not name, but the search for a database where the relation does not hold could not be "
        "made",
        ("incorrect", "needs_review", "needs_review"),
        because="the answers differ in form, and no search could be run for a database where they "
        "differ in another way",
        part="open",
        step="near difference",
        asks=("strict", "intent"),
        question="the results differ in form, and no other data could be tried: is the prediction "
        "right all the same?",
    )
    HARMLESS_DIFFERENCE = Row(
        "harmless_difference",
        "results differ by another relation that does not change the answer (below)",
        ("incorrect", "correct", "needs_review"),
        because="the answers differ in form, by a relation that people accept",
        part="harmless",
        step="harmless or unusual difference, or no search",
        asks=("intent",),
        question="the results differ in form: does the question allow for it?",
    )
    MINOR_DIFFERENCE = Row(
        "minor_difference",
        "results differ in rows that tie, which the prediction's LIMIT cuts through and the gold "
        "has all; in columns of the gold that the question does not name, and a search found no "
        "database where the other columns differ; or in rows that hold nothing but NULL",
        ("incorrect", "incorrect", "needs_review"),
        because="the answers differ in little: rows that tie, columns that the question does not "
        "name, or rows that hold nothing but NULL",
        part="open",
        step="near difference",
        asks=("strict", "intent"),
        question="the results differ in little (rows that tie, columns that the question does not "
        "name, or rows of NULLs alone): is the answer whole?",
    )
    GENERATED_FORM = Row(
        "generated_form",
        "results are recorded as different and not at hand; on every generated database they are "
        "the same, the order of columns apart; or four fifths of the rows are the same while the "
        "columns are in another order, or there are more of them; or the same rows lack columns "
        "that the question does not name",
        ("incorrect", "incorrect", "correct"),
        because="the record says that the answers differ; on generated databases the rows are the "
        "same or nearly the same, and the columns differ at most in form: another order, more of "
        "them, or fewer where the question does not name them",
        part="open",
        step="harmless or unusual difference, or no search",
        asks=("strict",),
        question="the results differ, and on generated data hardly or in their columns alone: is "
        "the prediction right all the same?",
    )
    GENERATED_NEAR = Row(
        "generated_near",
        "results are recorded as different and not at hand; on generated databases four fifths of "
        "the rows are the same; not where a LIMIT or a value differs (tags `limit_differs`, "
        "`value_changed`), nor where both answers are empty or zero on most of these databases",
        ("incorrect", "incorrect", "correct"),
        because="the record says that the answers differ; on generated databases they are nearly "
        "the same",
        part="open",
        step="near difference",
        asks=("strict", "intent"),
        question="the results differ, and hardly on generated data: is the prediction right all "
        "the same?",
    )
    GENERATED_COLUMNS = Row(
        "generated_columns",
        "results are recorded as different and not at hand; the columns differ in number or "
        "order: that explains the recorded difference, and says nothing of the rows",
        ("incorrect", "incorrect", "needs_review"),
        because="the record says that the answers differ, and their columns differ in number or "
        "order: nothing is known about their rows",
        part="open",
        step="near difference",
        asks=("strict", "intent"),
        question="the results have other columns: is the prediction right all the same?",
    )
    GOLD_SUSPECT = Row(
        "gold_suspect",
        "results differ, the gold shows an error that the prediction does not show, and the "
        "prediction gives the rows that the gold gives with the error corrected: a literal "
        "spelled as the data spell it, numbers that are stored as texts compared as numbers",
        ("incorrect", "incorrect", "needs_review"),
        because="the answers differ; they agree once an error in the gold is corrected",
        part="open",
        step="near difference",
        asks=("strict", "intent"),
        question="the results differ, and agree with an error of the gold mended: which query "
        "answers the question?",
    )
    DIFFERENCE = Row(
        "difference",
        "results differ otherwise",
        ("incorrect", "incorrect", "incorrect"),
        because="the answers differ",
        part="wrong",
        step="difference",
        asks=("strict", "intent"),
        question="the results differ: is the prediction right all the same?",
    )
    FAULT = Row(
        "fault",
        "the gold fails, the database is missing, a bug of ours",
        ("unscored", "unscored", "unscored"),
        because="nothing could be found out, and the model is not to blame",
        part="unscored",
    )
    FITS_A_TIE = Row(
        "fits_a_tie",
        "the gold's LIMIT cuts through a tie, this answer is one it might have given, and a "
        "search found no database where the two differ",
        ("correct", "correct", "correct"),
        because="the gold leaves the answer open, this one fits it, and no database was found "
        "where the two differ",
        part="equal",
        step="match after a search",
    )
    UNSEARCHED_TIE = Row(
        "unsearched_tie",
        "the answer fits a tie of the gold, but no search was made or could be made: a constant "
        "may fit a tie too",
        ("needs_review", "needs_review", "needs_review"),
        because="the gold leaves the answer open and this one fits it, but no search was made: a "
        "wrong query may fit by luck",
        part="open",
        step="harmless or unusual difference, or no search",
        asks=("strict", "intent"),
        question="the gold leaves the answer open and the prediction fits it: does it answer the "
        "question?",
    )
    OPEN = Row(
        "open",
        "nothing was found out",
        ("needs_review", "needs_review", "needs_review"),
        because="nothing decided it",
        part="open",
    )
