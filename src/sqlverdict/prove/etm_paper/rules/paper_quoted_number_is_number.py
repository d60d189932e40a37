"""A number in quotes is the number, and 5 is 5.0.

Statement
    SELECT _ FROM _ WHERE c = '5'   ==   SELECT _ FROM _ WHERE c = 5   ==   c = 5.0

Holds when
    The number does not start with zero, a point, or anything but a digit or a minus.

Why
    A column of numbers makes a number of the text that it is compared with.

Limits
    Only a column with INTEGER, REAL or NUMERIC affinity does so: ``STRFTIME('%Y', d) = '2012'``
    compares text and can be true, ``= 2012`` never is; with the text '1.10' in a TEXT column,
    ``c = '1.10'`` finds it and ``c = 1.1`` does not. Numbers of more than 15 digits are cut to
    what a float holds: 12345678901234567 and 12345678901234568 become one. ``ROUND(c, '1')``,
    ``HAVING COUNT(*) > '1'`` (never true: text is greater than any number) are not looked at.

Source
    ETM (Ascoli et al.), table 2, rule 12.
"""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule

_NUMBER = re.compile(r"(?:[1-9][0-9]*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("12",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER, s TEXT)",
    equal=[
        Pair("SELECT k FROM t WHERE v = '5'", "SELECT k FROM t WHERE v = 5"),
        Pair("SELECT k FROM t WHERE v > 5.0", "SELECT k FROM t WHERE v > 5"),
    ],
    different=[
        Pair("SELECT k FROM t WHERE v = '5'", "SELECT k FROM t WHERE v = 6", because="5 is not 6"),
    ],
    corners=[
        Pair(
            "SELECT k FROM t WHERE STRFTIME('%Y', s) = '2012'",
            "SELECT k FROM t WHERE STRFTIME('%Y', s) = 2012",
            because="STRFTIME gives text, and text is no number",
        ),
        Pair(
            "SELECT k FROM t WHERE s = '1.10'",
            "SELECT k FROM t WHERE s = 1.1",
            because="a column of text compares 1.1 as the text '1.1'",
        ),
        Pair(
            "SELECT k FROM t GROUP BY k HAVING COUNT(*) > '1'",
            "SELECT k FROM t GROUP BY k HAVING COUNT(*) > 1",
            because="every text is greater than a number",
        ),
    ],
)
def paper_quoted_number_is_number(node: exp.Literal, facts: Facts) -> Expr | None:
    """Write the number as Python writes a float."""
    del facts
    if node.index is not None or not _NUMBER.fullmatch(node.name):
        return None
    plain = str(float(node.name))
    if plain == node.name and not node.is_string:
        return None
    return exp.Literal.number(plain)
