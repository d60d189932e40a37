"""The gold counts something else than the question asks for.

Shown by: a question that asks how many of a table's things there are, by the table's name, and a
gold that counts columns of other tables only, none of which refers to that table. Or: a question
that asks how many of a column's values there are, and a gold that counts the rows of its table,
without DISTINCT, where values of the column repeat in the data.

Weight: 0.6 for another table, 0.35 for values that repeat.

Silent on a column that the knowledge tells to count, as in COUNT(event_id). Needs the schema, and
tables named in English. Misleads where the rows of two tables belong together one to one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.question_words import (
    counted_thing,
    counted_words,
    formula_columns,
    table_of_words,
)
from sqlverdict.audit.suspicion import DOUBT, SIGN, SUSPICIONS, Suspicion
from sqlverdict.parse.schema import ColumnRef, Schema, Table
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Query
from sqlverdict.refute.read.columns import Resolver
from sqlverdict.signs.columns import column_text
from sqlverdict.signs.mentions import word_stem

NAME = "gold_counts"
OTHER_TABLE = 0.6
REPEATED = 0.35


@SUSPICIONS.member
class GoldCounts:
    """Golds that count other things."""

    title = "the gold counts something else than the question asks for"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """What is counted instead."""
        schema, words = report.schema, counted_words(report.case.question)
        query = report.query if words and schema is not None else None
        if schema is None or query is None:
            return
        table = table_of_words(words, schema)
        if table is None:
            yield from _repeated(report, query, schema)
            return
        columns = list(dict.fromkeys(_count_columns(query, schema)))
        known = formula_columns(report.knowledge or "")
        if columns and all(_is_other(each, table, schema, known) for each in columns):
            names = [column_text(each) for each in columns]
            message = f"the question asks for the number of {table.name}, "
            message += f"the gold counts {', '.join(names)}"
            detail = {"table": table.name, "columns": names}
            yield Suspicion(NAME, OTHER_TABLE, message, detail=detail, feature=SIGN)


def _count_columns(query: Query, schema: Schema) -> Iterator[ColumnRef]:
    """The base columns that a query counts, with or without DISTINCT."""
    resolver = Resolver(query.tree, schema)
    for node in query.find_all(exp.Count):
        inner = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
        column_ref = resolver.column(inner) if isinstance(inner, exp.Column) else None
        if column_ref is not None:
            yield column_ref


def _is_other(column: ColumnRef, table: Table, schema: Schema, known: set[str]) -> bool:
    owner = schema.table(column[0])
    if owner is None or owner == table or column[1].lower() in known:
        return False
    return not any(
        fold(key.parent) == fold(table.name) and fold(column[1]) in map(fold, key.columns)
        for key in owner.foreign_keys
    )


def _repeated(report: GoldReport, query: Query, schema: Schema) -> Iterator[Suspicion]:
    """A column that is asked for by name and repeats its values, where all rows are counted."""
    select = query.tree
    counts = list(query.find_all(exp.Count))
    names = {node.name for node in query.find_all(exp.Table)}
    table = schema.table(names.pop()) if len(names) == 1 else None
    if (
        table is None
        or not counts
        or not isinstance(select, exp.Select)
        or select.args.get("group")
    ):
        return
    if any(isinstance(node.this, exp.Distinct) for node in counts):
        return
    stems = set(map(word_stem, counted_thing(report.case.question)))
    for column in table.columns:
        if word_stem(column.name.lower()) in stems and report.repeats(table, column.name):
            text = column_text((table.name, column.name))
            message = f"the question asks how many {text} there are; the gold counts rows, and "
            message += "values repeat in them"
            yield Suspicion(NAME, REPEATED, message, detail={"column": text}, feature=DOUBT)
            return
