"""The current date has many names.

Statement
    STRFTIME('%Y', CURRENT_TIMESTAMP)   ==   STRFTIME('%Y', 'now')
    STRFTIME('%Y', DATE('now'))         ==   STRFTIME('%Y', 'now')

Holds when
    The format asks only for parts of the date: %Y, %m, %d.

Why
    All of them are the current moment in UTC, to the second or to the day.

Limits
    Formats with hours, minutes or seconds are left alone, and so are 'localtime' and other
    modifiers.

Source
    SQLite's documentation of its date functions.
"""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule

_DATE_PARTS = re.compile(r"(?:[^%]|%[Ymd])*")


@rule(
    trust="tested",
    schema="CREATE TABLE t (k INTEGER, d TEXT)",
    equal=[
        Pair(
            "SELECT STRFTIME('%Y', CURRENT_TIMESTAMP) - STRFTIME('%Y', d) FROM t",
            "SELECT STRFTIME('%Y', 'now') - STRFTIME('%Y', d) FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT STRFTIME('%Y', d) FROM t",
            "SELECT STRFTIME('%m', d) FROM t",
            because="the year is not the month",
        ),
    ],
)
def now_has_many_names(node: exp.TimeToStr, facts: Facts) -> Expr | None:
    """Write 'now'."""
    del facts
    time_format = node.args.get("format")
    if not isinstance(time_format, exp.Literal) or not _DATE_PARTS.fullmatch(str(time_format.this)):
        return None
    holder: Expr = node
    moment: Expr = node.this
    while isinstance(moment, exp.TsOrDsToTimestamp) and len(list(moment.iter_expressions())) == 1:
        holder, moment = moment, moment.this
    now = isinstance(moment, exp.CurrentTimestamp | exp.CurrentDate) or _is_date_of_now(moment)
    if not now and not (_says_now(moment) and moment.this != "now"):
        return None
    holder.set("this", exp.Literal.string("now"))
    return node


def _says_now(node: Expr | None) -> bool:
    return isinstance(node, exp.Literal) and node.is_string and str(node.this).lower() == "now"


def _is_date_of_now(node: Expr) -> bool:
    """Whether a node is ``DATE('now')`` or ``DATETIME('now')``, without modifiers."""
    if isinstance(node, exp.Anonymous):
        if str(node.this).lower() not in ("date", "datetime"):
            return False
    elif not isinstance(node, exp.Date | exp.Datetime | exp.TsOrDsToDate):
        return False
    inner = list(node.iter_expressions())
    return len(inner) == 1 and _says_now(inner[0])
