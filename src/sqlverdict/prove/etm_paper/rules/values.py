"""Constants and functions of one value: numbers, texts, dates, IIF."""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.shapes import same_node
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import all_of, parts
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
    del facts
    if node.index is not None or not _NUMBER.fullmatch(node.name):
        return None
    plain = str(float(node.name))
    if plain == node.name and not node.is_string:
        return None
    return exp.Literal.number(plain)


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("16",),
    schema="CREATE TABLE t (k INTEGER, v TEXT)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v LIKE '12-%'",
            "SELECT k FROM t WHERE SUBSTR(v, 1, 3) = '12-'",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v LIKE '%1%'",
            "SELECT k FROM t WHERE SUBSTR(v, 1, 1) = '1'",
            because="the 1 may stand anywhere",
        ),
    ],
    corners=[
        Pair(
            "SELECT k FROM t WHERE v LIKE 'a%'",
            "SELECT k FROM t WHERE SUBSTR(v, 1, 1) = 'a'",
            because="LIKE takes A for a",
        ),
        Pair(
            "SELECT k FROM t WHERE v LIKE '1_%'",
            "SELECT k FROM t WHERE SUBSTR(v, 1, 2) = '1_'",
            because="_ stands for any letter in LIKE",
        ),
    ],
)
def paper_like_prefix_is_substr(node: exp.Like, facts: Facts) -> Expr | None:
    """LIKE with one wildcard at the end is a comparison of the prefix.

    Statement
        c LIKE 'x%'   ==   SUBSTR(c, 1, n) = 'x', where x has n letters

    Holds when
        The pattern has one ``%``, its last letter.

    Why
        Both ask whether the text starts with x.

    Limits
        LIKE ignores the case of ASCII letters: 'Xy' is LIKE 'x%', and its first letter is not 'x'.
        ``_`` in the pattern stands for any letter, and is a letter on the right.

    Source
        ETM (Ascoli et al.), table 2, rule 16.
    """
    del facts
    pattern = node.expression
    if not isinstance(pattern, exp.Literal) or pattern.name.find("%") != len(pattern.name) - 1:
        return None
    prefix = pattern.name[:-1]
    if not pattern.name:
        return None
    cut = exp.Substring(
        this=node.this,
        start=exp.Literal.number("1.0"),
        length=exp.Literal.number(f"{len(prefix)}.0"),
    )
    return exp.EQ(this=cut, expression=exp.Literal.string(prefix))


_ORDERED = (exp.GT, exp.GTE, exp.LT, exp.LTE)


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("15",),
    schema="CREATE TABLE t (k INTEGER, v TEXT)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE SUBSTR(v, 1, 1) = 'a' AND SUBSTR(v, 2, 9) >= 'b' AND v < 'b'",
            "SELECT k FROM t WHERE v >= 'ab' AND v < 'b'",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE SUBSTR(v, 1, 2) = 'ab' AND SUBSTR(v, 4, 1) >= 'c'",
            "SELECT k FROM t WHERE v >= 'abc'",
            because="the third letter is not looked at",
        ),
    ],
    corners=[
        Pair(
            "SELECT k FROM t WHERE SUBSTR(v, 1, 1) = 'a' AND SUBSTR(v, 2, 1) > 'b'",
            "SELECT k FROM t WHERE v > 'ab'",
            because="the second lets other first letters pass",
        ),
        Pair(
            "SELECT k FROM t WHERE v < 'abd' AND SUBSTR(v, 1, 1) = 'a' AND SUBSTR(v, 2, 1) > 'b'",
            "SELECT k FROM t WHERE v < 'abd' AND v > 'ab'",
            because="the second looks at what follows the second letter",
        ),
    ],
)
def paper_prefix_and_rest_is_whole(node: exp.And, facts: Facts) -> Expr | None:
    """A comparison of a text's rest, its prefix being known, is a comparison of the text.

    Statement
        SUBSTR(c, 1, a) = x AND SUBSTR(c, a + 1, n) >= y   ==   c >= xy   (also >, <, <=)

    Holds when
        The second part starts where the first ends.

    Why
        Texts are compared letter by letter, so that of two with the same prefix the rest decides.

    Limits
        The left side bounds the prefix and the right side does not: 'c' is not below 'ab', and its
        first letter is not 'a'. What stands behind the second part counts on the right alone: with
        SUBSTR(c, 2, 1) > 'b' against c > 'ab', the text 'abc' satisfies the second only.

    Source
        ETM (Ascoli et al.), table 2, rule 15.
    """
    del facts
    if isinstance(node.parent, exp.And):
        return None
    conditions = parts(node)
    for equality in conditions:
        prefix = _cut(equality) if isinstance(equality, exp.EQ) else None
        if prefix is None or prefix[1] != 1 or prefix[2] is None:
            continue
        for other in conditions:
            rest = _cut(other) if isinstance(other, _ORDERED) else None
            if (
                rest is None
                or rest[1] != prefix[1] + prefix[2]
                or not same_node(rest[0], prefix[0])
            ):
                continue
            whole = exp.Literal.string(_plain(prefix[3]) + _plain(rest[3]))
            comparison = type(other)(this=rest[0].copy(), expression=whole)
            others = [part for part in conditions if part is not equality and part is not other]
            return all_of([*others, comparison])
    return None


def _cut(condition: Expr) -> tuple[Expr, float, float | None, Expr] | None:
    """For ``SUBSTR(c, start, length) <> literal``: c, start, length and the literal."""
    left, right = condition.this, condition.expression
    if isinstance(right, exp.Substring):
        left, right = right, left
    if not isinstance(left, exp.Substring) or not isinstance(right, exp.Literal):
        return None
    start, length = _number(left.args.get("start")), _number(left.args.get("length"))
    return (left.this, start, length, right) if start is not None else None


def _number(node: Expr | None) -> float | None:
    try:
        return float(node.name) if isinstance(node, exp.Literal) else None
    except ValueError:
        return None


def _plain(literal: Expr) -> str:
    return literal.name.removesuffix(".0")


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("17",),
    schema="CREATE TABLE t (k INTEGER, v TEXT)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v = '2020-01-01' ORDER BY JULIANDAY(v)",
            "SELECT k FROM t WHERE v = '2020-01-01' ORDER BY v",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t ORDER BY JULIANDAY(v) DESC",
            "SELECT k FROM t ORDER BY v",
            because="one of them goes downwards",
        ),
    ],
    corners=[
        Pair(
            "SELECT v FROM t ORDER BY JULIANDAY(v)",
            "SELECT v FROM t ORDER BY v",
            because="text that is no date has no day number, and NULL comes first",
        ),
    ],
)
def paper_julianday_keeps_order(node: exp.Order, facts: Facts) -> Expr | None:
    """Ordering by the day number of a date is ordering by the date.

    Statement
        SELECT _ FROM _ ORDER BY JULIANDAY(c)   ==   SELECT _ FROM _ ORDER BY c

    Holds when
        It is the only term of ORDER BY.

    Why
        Dates as ISO text sort as their day numbers do.

    Limits
        Other text does not: JULIANDAY('1/2/2020') is NULL, and sorts first however the text sorts.
        '2020-01-01' and '2020-01-01 00:00' have one day number and are two texts.

    Source
        ETM (Ascoli et al.), table 3, rule 17.
    """
    del facts
    if len(node.expressions) != 1 or not isinstance(node.parent, exp.Select):
        return None
    term = node.expressions[0]
    call = term.this
    if not isinstance(call, exp.Anonymous) or str(call.this).lower() != "julianday":
        return None
    if not call.expressions:
        return None
    term.set("this", call.expressions[0])
    return node


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("24",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT SUM(IIF(v > 1, k, 0)) FROM t",
            "SELECT SUM(CASE WHEN v > 1 THEN k ELSE 0 END) FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(IIF(v > 1, k, 0)) FROM t",
            "SELECT SUM(CASE WHEN v > 1 THEN 0 ELSE k END) FROM t",
            because="the branches are swapped",
        ),
    ],
)
def paper_iif_is_case(node: exp.If, facts: Facts) -> Expr | None:
    """IIF is a CASE of one branch.

    Statement
        IIF(d, x, y)   ==   CASE WHEN d THEN x ELSE y END

    Holds when
        Always.

    Why
        SQLite's documentation defines IIF so.

    Limits
        An IIF that is itself an output column, or one of several arguments, is left alone, as in
        the paper's script. No two queries that it joins are known to differ.

    Source
        ETM (Ascoli et al.), table 3, rule 24.
    """
    del facts
    otherwise = node.args.get("false")
    if otherwise is None or node.index is not None:
        return None
    branch = exp.If(this=node.this, true=node.args["true"])
    return exp.Case(ifs=[branch], default=otherwise)
