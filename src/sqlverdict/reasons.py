"""Reason codes and faults: closed sets of words that run logs hold."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Reason(StrEnum):
    """Why something is not simply right: a closed set, written in run logs."""

    EMPTY_RESULT = "EMPTY_RESULT"
    RESULT_MISSING_ROWS = "RESULT_MISSING_ROWS"
    RESULT_EXTRA_ROWS = "RESULT_EXTRA_ROWS"
    RESULT_MISSING_COLUMNS = "RESULT_MISSING_COLUMNS"
    RESULT_EXTRA_COLUMNS = "RESULT_EXTRA_COLUMNS"
    VALUE_MISMATCH = "VALUE_MISMATCH"
    ORDER_MISMATCH = "ORDER_MISMATCH"
    DUPLICATES_MISMATCH = "DUPLICATES_MISMATCH"
    TIE_UNDETERMINED = "TIE_UNDETERMINED"
    PARSE_ERROR = "PARSE_ERROR"
    EXECUTION_ERROR = "EXECUTION_ERROR"
    EXECUTION_TIMEOUT = "EXECUTION_TIMEOUT"
    GOLD_EXECUTION_ERROR = "GOLD_EXECUTION_ERROR"
    GOLD_EXECUTION_TIMEOUT = "GOLD_EXECUTION_TIMEOUT"
    WRITE_BLOCKED = "WRITE_BLOCKED"
    ROW_LIMIT = "ROW_LIMIT"
    MEMORY_LIMIT = "MEMORY_LIMIT"
    NO_SQL_PRODUCED = "NO_SQL_PRODUCED"
    REFUSED_IN_WORDS = "REFUSED_IN_WORDS"
    NO_TEST_SUITE = "NO_TEST_SUITE"
    RESULT_ALONE = "RESULT_ALONE"
    UNSUPPORTED_FEATURE = "UNSUPPORTED_FEATURE"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"
    JUDGE_UNPARSEABLE = "JUDGE_UNPARSEABLE"
    JUDGE_UNAVAILABLE = "JUDGE_UNAVAILABLE"
    GOLD_SUSPECT = "GOLD_SUSPECT"
    AMBIGUOUS_QUESTION = "AMBIGUOUS_QUESTION"
    DATABASE_UNAVAILABLE = "DATABASE_UNAVAILABLE"
    ANSWERED_UNANSWERABLE = "ANSWERED_UNANSWERABLE"
    FACT_BROKEN = "FACT_BROKEN"
    TOOLKIT_ERROR = "TOOLKIT_ERROR"


REASONS: Mapping[Reason, str] = {
    Reason.EMPTY_RESULT: "the prediction returned no row, the gold did",
    Reason.RESULT_MISSING_ROWS: "rows of the gold are missing",
    Reason.RESULT_EXTRA_ROWS: "there are rows that the gold does not have",
    Reason.RESULT_MISSING_COLUMNS: "fewer columns than the gold",
    Reason.RESULT_EXTRA_COLUMNS: "more columns than the gold",
    Reason.VALUE_MISMATCH: "values differ",
    Reason.ORDER_MISMATCH: "the right rows in an order that the gold's ORDER BY forbids",
    Reason.DUPLICATES_MISMATCH: "the right rows, some repeated too often or too rarely",
    Reason.TIE_UNDETERMINED: "the gold's LIMIT cuts through a tie, and this answer fits it too",
    Reason.PARSE_ERROR: "not valid SQL for this engine",
    Reason.EXECUTION_ERROR: "the engine refused it: an unknown column or table, a wrong call",
    Reason.EXECUTION_TIMEOUT: "stopped at the step or time limit",
    Reason.GOLD_EXECUTION_ERROR: "the gold query itself fails",
    Reason.GOLD_EXECUTION_TIMEOUT: "the gold query itself reaches a limit",
    Reason.WRITE_BLOCKED: "it would write, or touch what is not the database",
    Reason.ROW_LIMIT: "more rows than the limit allows",
    Reason.MEMORY_LIMIT: "more memory than is allowed",
    Reason.NO_SQL_PRODUCED: "the reply holds no SQL, or nothing at all; not an abstention",
    Reason.REFUSED_IN_WORDS: "an abstention in words, which is not marked as one",
    Reason.NO_TEST_SUITE: "the case has one database alone, so test-suite accuracy would be EX",
    Reason.RESULT_ALONE: "the gold or the prediction is a result file: there is no query to read",
    Reason.UNSUPPORTED_FEATURE: "beyond our tools: several statements, EXPLAIN, SQL that our "
    "parser cannot read, or an engine on which nothing is proved or searched",
    Reason.BUDGET_EXHAUSTED: "the search for an answer was given up",
    Reason.JUDGE_UNPARSEABLE: "the judge's reply could not be read",
    Reason.JUDGE_UNAVAILABLE: "the judge could not be asked",
    Reason.GOLD_SUSPECT: "there is evidence against the gold",
    Reason.AMBIGUOUS_QUESTION: "the question has several readings",
    Reason.DATABASE_UNAVAILABLE: "the database is missing or cannot be read",
    Reason.ANSWERED_UNANSWERABLE: "SQL was given for a question that has no answer here",
    Reason.FACT_BROKEN: "a proof rests on a promise of the schema that the data break",
    Reason.TOOLKIT_ERROR: "a bug of ours (please report it), or a process ended from outside",
}
"""What each reason means, in words."""


def reason_words(code: str) -> str:
    """A reason in words; the code itself where this version does not know it."""
    return REASONS[Reason(code)] if code in set(Reason) else code


WITHOUT_SQL = frozenset({Reason.NO_SQL_PRODUCED, Reason.REFUSED_IN_WORDS})
"""Of these there is a reply and no query."""
LIMIT_REASONS = frozenset({Reason.EXECUTION_TIMEOUT, Reason.ROW_LIMIT, Reason.MEMORY_LIMIT})
"""What a query fails with where it reaches a limit. The message does not quote its text."""


class Fault(StrEnum):
    """Whose fault it is that a case is unscored. Never the model's."""

    GOLD = "gold"
    ENGINE = "engine"
    TOOLKIT = "toolkit"
