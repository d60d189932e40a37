"""Why no search can be made for two queries: they do not parse, do not run, or need too much."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from sqlverdict.errors import SchemaError
from sqlverdict.execute.common_text import is_our_limit
from sqlverdict.execute.in_memory import ScratchDatabase
from sqlverdict.files.text import count
from sqlverdict.parse.schema import Schema
from sqlverdict.records import LIMIT_REASONS, Failure, Outcome, ParseFailure, Query, Reason
from sqlverdict.refute.meter import Meter
from sqlverdict.refute.trial.rebuild import touched
from sqlverdict.refute.witness import NotRefuted

_BOOKKEEPING = re.compile(r"sqlite_(sequence|stat\d|(temp_)?(master|schema))", re.IGNORECASE)

_OFTEN = 10
"""The prediction may be stopped on one database of so many."""


class TableNotMade(SchemaError):
    """A table that a query needs cannot be made; ``blame`` is whose query, where it is known."""

    def __init__(self, why: str, blame: str) -> None:
        super().__init__(why, reason="unsupported")
        self.blame = blame


def unreadable(parsed: Sequence[Query | ParseFailure]) -> NotRefuted | None:
    """Why the first of the gold and the prediction that cannot be searched cannot be.

    Our parser does not read it, or it reads what SQLite notes about a file for itself, which is
    no part of the data that a search makes. The gold is looked at first: where the prediction is
    to blame, it is so alone.
    """
    for which, query in zip(("gold", "prediction"), parsed, strict=True):
        if isinstance(query, ParseFailure):
            message, reason = f"the {which}: {query.message}", query.reason
            if is_our_limit(query):
                reason = Reason.UNSUPPORTED_FEATURE
                message = f"our parser does not read the {which}: {query.message}"
            return NotRefuted(0, reason=reason, message=message, blame=which)
        for name in query.tables:
            if _BOOKKEEPING.fullmatch(name):
                message = f"the {which} reads {name}, which SQLite keeps for itself"
                unable = Reason.UNSUPPORTED_FEATURE
                return NotRefuted(0, reason=unable, message=message, blame=which)
    return None


def unrunnable(scratch: ScratchDatabase, gold: str, prediction: str) -> NotRefuted | None:
    """Why two queries are not searched: one fails on tables without rows, or is not repeatable."""
    scratch.load({})
    for which, sql in (("gold", gold), ("prediction", prediction)):
        outcome = scratch.run(sql)
        if isinstance(outcome, Failure):
            late = is_stopped(outcome)
            if which == "gold":
                reason = Reason.GOLD_EXECUTION_TIMEOUT if late else Reason.GOLD_EXECUTION_ERROR
            else:
                reason = outcome.reason
            message = f"the {which}: {outcome.message}"
            return NotRefuted(0, reason=reason, message=message, blame=which)
        if outcome.volatile:
            message = f"the {which} depends on the clock or on chance"
            unable = Reason.UNSUPPORTED_FEATURE
            return NotRefuted(0, reason=unable, message=message, blame=which)
    return None


def is_stopped(outcome: Outcome) -> bool:
    """Whether a limit stopped a query."""
    return isinstance(outcome, Failure) and outcome.reason in LIMIT_REASONS


def is_often(stopped: int, instances_tried: int) -> bool:
    """Whether a prediction was stopped more often than chance explains: databases are tiny."""
    return _OFTEN * stopped > instances_tried


def not_refuted(
    instances_tried: int,
    undetermined: int,
    stopped: int,
    meter: Meter,
    by_prediction: bool,
) -> NotRefuted:
    """The end of a search without a witness.

    Args:
        instances_tried: How many databases were tried.
        undetermined: On how many the answers differ by the order of rows alone.
        stopped: On how many a limit stopped the prediction, where the gold answered.
        meter: What was spent.
        by_prediction: Whether the prediction alone spent it, on less than half of the databases.
    """
    late = meter.late
    if is_often(stopped, instances_tried) and not late:
        # A query may run for ever wherever it would show that it is wrong.
        message = (
            f"the prediction was stopped at a limit on {stopped:,} of {instances_tried:,} databases"
        )
        return NotRefuted(0, 0, Reason.EXECUTION_TIMEOUT, message, blame="prediction")
    if not meter.over:
        return NotRefuted(instances_tried, undetermined)
    if by_prediction:
        # On databases of a few rows: work that says nothing would buy a short search.
        message = f"the prediction alone spent the budget on {count(instances_tried, 'database')}"
        reason = Reason.BUDGET_EXHAUSTED
        return NotRefuted(0, 0, reason, message, cut_by_time=late, blame="prediction")
    message = f"cut by {'time' if late else 'its budget of work'}"
    return NotRefuted(
        instances_tried, undetermined, Reason.BUDGET_EXHAUSTED, message, cut_by_time=late
    )


def check_tables(
    missing: Mapping[str, str],
    schema: Schema,
    sqls: tuple[str, str],
    tables: Iterable[str],
    gold_tables: Iterable[str],
) -> None:
    """Refuse queries that need a table or view which cannot be made.

    Args:
        missing: Why tables and views could not be made, by name.
        schema: The tables.
        sqls: The gold and the prediction.
        tables: The base tables that get rows for them.
        gold_tables: Those that the gold reads.

    Raises:
        TableNotMade: they do.
    """
    why = _missing_table(missing, schema, sqls, tables)
    if why is not None:
        alone = _missing_table(missing, schema, sqls[:1], gold_tables)
        raise TableNotMade(why, "prediction" if alone is None else "")


def no_database(error: SchemaError) -> NotRefuted:
    """The outcome of a search for which no database can be made."""
    blame = error.blame if isinstance(error, TableNotMade) else ""
    return NotRefuted(0, reason=Reason.UNSUPPORTED_FEATURE, message=str(error), blame=blame)


def _missing_table(
    missing: Mapping[str, str], schema: Schema, sqls: Sequence[str], tables: Iterable[str]
) -> str | None:
    """Why queries cannot be searched; ``None`` where they can."""
    if not missing:
        return None
    needed = {*tables, *(table.name for table in touched(schema, sqls, {}))}
    return next((why for name, why in sorted(missing.items()) if name in needed), None)
