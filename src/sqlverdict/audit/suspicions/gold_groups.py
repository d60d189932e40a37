"""The gold groups rows so that some groups are lost or merged.

Shown by: HAVING with a COUNT below a number, over inner joins, so that things without a partner,
which have 0, do not come up. Or: a question that asks for each thing of a table, and a gold that
groups by one column of that table whose values repeat in the data, such as a name.

Weight: 0.35.

Misleads where a count of 0 is not wanted, or where the name is what the question means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.question_words import each_words, table_of_words
from sqlverdict.audit.suspicion import DOUBT, SUSPICIONS, Suspicion
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Query
from sqlverdict.refute.read.columns import Resolver
from sqlverdict.signs.columns import column_text

NAME = "gold_groups"
WEIGHT = 0.35


@SUSPICIONS.member
class GoldGroups:
    """Golds with other groups than the question has."""

    title = "the gold loses or merges groups"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """The first reason, in words."""
        query = report.query
        if query is None:
            return
        for message in (*_without_partner(query), *_merged(report, query)):
            yield Suspicion(NAME, WEIGHT, message, feature=DOUBT)
            return


def _without_partner(query: Query) -> Iterator[str]:
    for having in query.find_all(exp.Having):
        select = having.parent
        joins = select.args.get("joins") or () if isinstance(select, exp.Select) else ()
        if not joins or any(join.side for join in joins):
            continue
        for node in having.find_all(exp.LT, exp.LTE, exp.EQ):
            if not isinstance(node.this, exp.Count) or not isinstance(node.expression, exp.Literal):
                continue
            if node.find_ancestor(exp.Not, exp.Select) is not select:
                continue
            if not isinstance(node, exp.EQ) or node.expression.name == "0":
                text = node.sql(dialect=query.dialect)
                yield f"HAVING {text} over an inner join leaves out what has no partner at all"


def _merged(report: GoldReport, query: Query) -> Iterator[str]:
    schema, words = report.schema, each_words(report.case.question)
    group = query.tree.args.get("group")
    if schema is None or not words or group is None or len(group.expressions) != 1:
        return
    column = _grouped_column(query, schema, group.expressions[0])
    table = table_of_words(words, schema)
    if column is None or table is None or column[0] != table.name:
        return
    if report.repeats(table, column[1]):
        text = column_text(column)
        yield f"the question asks for each {table.name}; the gold groups by {text}, which repeats"


def _grouped_column(query: Query, schema: Schema, node: exp.Expr) -> tuple[str, str] | None:
    return Resolver(query.tree, schema).column(node) if isinstance(node, exp.Column) else None
