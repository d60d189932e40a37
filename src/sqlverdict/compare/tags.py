"""What differs between a prediction and its gold, named without a language model.

A tag is a fact about the two queries' trees (:mod:`~sqlverdict.compare.query_parts`), about how
the two results relate, or about why there is none. It says where they differ, never who is right
or whether it matters. ``tag_labels.py`` maps tags to FLEX's categories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlverdict.compare.query_parts import Condition, QueryParts, parts_of_both
from sqlverdict.compare.query_text import UNKNOWN
from sqlverdict.parse.schema import Schema
from sqlverdict.records import ParseFailure, Reason

Clause = Literal[
    "select",
    "from",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "set operation",
    "distinct",
    "result",
    "query",
]

TAGS: Mapping[str, tuple[Clause, str]] = {
    "other_tables": ("from", "the two read different tables"),
    "other_join": ("from", "tables are joined by other columns"),
    "outer_join": ("from", "one keeps rows without a partner, the other does not"),
    "other_columns": ("select", "the two output different columns"),
    "other_outputs": ("select", "the output columns are computed otherwise"),
    "more_outputs": ("select", "the prediction has more output columns"),
    "fewer_outputs": ("select", "the prediction has fewer output columns"),
    "output_order": ("select", "the same output columns in another order"),
    "aggregate_missing": ("select", "the gold aggregates, the prediction lists rows"),
    "aggregate_extra": ("select", "the prediction aggregates, the gold lists rows"),
    "nullable_count": ("select", "a column that may be NULL is counted in only one of them"),
    "nullable_average": ("select", "an average in one divides by all rows in the other"),
    "null_condition": ("where", "only one leaves out, or asks for, NULL in a nullable column"),
    "condition_missing": ("where", "a condition of the gold is missing"),
    "condition_extra": ("where", "there is a condition that the gold does not have"),
    "condition_changed": ("where", "a condition on the same columns is another one"),
    "column_changed": ("where", "the same value is asked of another column"),
    "value_changed": ("where", "the same condition with another value"),
    "scalar_subquery": ("where", "one takes a single value where the other takes all that fit"),
    "having_differs": ("having", "the conditions on groups differ"),
    "group_missing": ("group", "the gold groups, the prediction does not"),
    "group_extra": ("group", "the prediction groups, the gold does not"),
    "group_keys": ("group", "the two group by different keys"),
    "distinct_missing": ("distinct", "the gold drops repeated rows, the prediction does not"),
    "distinct_extra": ("distinct", "the prediction drops repeated rows, the gold does not"),
    "ties": ("limit", "one takes a first row where the other takes all that tie for it"),
    "limit_missing": ("limit", "the gold limits its rows, the prediction does not"),
    "limit_extra": ("limit", "the prediction limits its rows, the gold does not"),
    "limit_differs": ("limit", "the two limit their rows to different numbers"),
    "order_missing": ("order", "the gold sorts its rows, the prediction does not"),
    "order_extra": ("order", "the prediction sorts its rows, the gold does not"),
    "order_keys": ("order", "the two sort by different keys"),
    "set_operation": ("set operation", "UNION, INTERSECT or EXCEPT in only one of them"),
    "column_order": ("result", "the same rows, columns in another order"),
    "extra_columns": ("result", "the gold's rows with further columns"),
    "missing_columns": ("result", "the gold's rows without some columns"),
    "representation": ("result", "the same values, written otherwise"),
    "arrangement": ("result", "the same values, arranged otherwise"),
    "repeated_rows": ("result", "the same rows, some more or less often"),
    "row_order": ("result", "the same rows in another order"),
    "tied_rows": ("result", "a LIMIT cuts through a tie, and one of them returns all of it"),
    "rows_missing": ("result", "some of the gold's rows are missing"),
    "rows_extra": ("result", "the gold's rows and others"),
    "empty": ("result", "the prediction returns nothing, the gold does"),
    "fails": ("query", "the prediction gives no answer"),
    "not_read": ("query", "a query is beyond our parser"),
    "same_trees": ("query", "nothing but spelling differs in the two queries"),
}
"""Every tag, with the clause that it is about and what it says."""

RELATION_TAGS: Mapping[str, str] = {
    "column_permutation": "column_order",
    "extra_columns": "extra_columns",
    "missing_columns": "missing_columns",
    "rounding": "representation",
    "scale": "representation",
    "formats": "representation",
    "yes_no": "representation",
    "concatenated": "arrangement",
    "transposed": "arrangement",
    "sum_of_list": "arrangement",
    "duplicates_only": "repeated_rows",
    "order_only": "row_order",
    "tie_superset": "tied_rows",
    "row_subset": "rows_missing",
    "row_superset": "rows_extra",
}
"""The tag of each relation between two results."""

_FAILURES = frozenset(
    {
        Reason.EXECUTION_ERROR,
        Reason.EXECUTION_TIMEOUT,
        Reason.PARSE_ERROR,
        Reason.WRITE_BLOCKED,
        Reason.ROW_LIMIT,
        Reason.MEMORY_LIMIT,
        Reason.NO_SQL_PRODUCED,
    }
)
_LISTING = frozenset({"count", "sum", "avg", "groupconcat"})


@dataclass(frozen=True)
class Tag:
    """One difference: its name, and what shows it."""

    name: str
    detail: str = ""

    @property
    def clause(self) -> Clause:
        """The clause that it is about."""
        return TAGS[self.name][0]

    @property
    def meaning(self) -> str:
        """What it says, in words."""
        return TAGS[self.name][1]


def find_tags(
    gold: str,
    prediction: str,
    schema: Schema | None = None,
    *,
    relations: Iterable[str] = (),
    reasons: Iterable[str] = (),
    dialect: str = "sqlite",
) -> tuple[Tag, ...]:
    """The differences between a prediction and its gold, each tag once.

    Args:
        gold: The gold query.
        prediction: The predicted query.
        schema: Their schema; without it a column counts as nullable.
        relations: How the two results relate, by name.
        reasons: Reason codes of the comparison.
        dialect: Whose SQL it is.
    """
    found = list(_from_results(relations, reasons))
    if not any(tag.name == "fails" for tag in found):
        found += _from_queries(gold, prediction, schema, dialect)
    return tuple({tag.name: tag for tag in reversed(found)}.values())[::-1]


def _from_results(relations: Iterable[str], reasons: Iterable[str]) -> Iterator[Tag]:
    for reason in reasons:
        if reason in _FAILURES:
            yield Tag("fails", str(reason))
        if reason == Reason.EMPTY_RESULT:
            yield Tag("empty")
    for kind in relations:
        if kind in RELATION_TAGS:
            yield Tag(RELATION_TAGS[kind], kind)


def _from_queries(
    gold_sql: str, prediction_sql: str, schema: Schema | None, dialect: str
) -> Iterator[Tag]:
    from sqlverdict.parse.query import parse

    gold, prediction = parse(gold_sql, dialect), parse(prediction_sql, dialect)
    for query in (gold, prediction):
        if isinstance(query, ParseFailure):
            yield Tag("not_read", query.message)
            return
    assert not isinstance(gold, ParseFailure)
    assert not isinstance(prediction, ParseFailure)
    ours, theirs = parts_of_both(gold, prediction, schema)
    tags = [*_sources(ours, theirs), *_conditions(ours, theirs, schema)]
    tags += [*_rows(ours, theirs), *_outputs(ours, theirs, schema)]
    yield from tags or [Tag("same_trees")]


def _sources(gold: QueryParts, prediction: QueryParts) -> Iterator[Tag]:
    if gold.tables != prediction.tables:
        yield Tag("other_tables", _said(gold.tables, prediction.tables))
    elif gold.joins != prediction.joins:
        yield Tag("other_join", _said(gold.joins, prediction.joins))
    if gold.outer != prediction.outer:
        yield Tag("outer_join", _said(gold.outer, prediction.outer))
    # Outputs that both have say nothing; further ones alone are another tag.
    ours, theirs = (
        {column for output in one.columns for column in one.columns[output] if output not in other}
        for one, other in ((gold, prediction.columns), (prediction, gold.columns))
    )
    if ours and theirs and any(_differing(ours, theirs)):
        yield Tag("other_columns", _said(*_differing(ours, theirs)))


def _conditions(gold: QueryParts, prediction: QueryParts, schema: Schema | None) -> Iterator[Tag]:
    ours, theirs = _lone(gold, prediction), _lone(prediction, gold)
    for lone, query in ((ours, gold), (theirs, prediction)):
        for condition in list(lone):
            if condition.null:
                lone.remove(condition)
                if any(_matters(column, query, condition, schema) for column in condition.columns):
                    yield Tag("null_condition", condition.text)
    for name, alike in _ALIKE:
        for condition in list(ours):
            other = next((one for one in theirs if alike(condition, one)), None)
            if other is not None:
                yield Tag(name, f"{condition.text} became {other.text}")
                ours.remove(condition)
                theirs.remove(other)
    if ours:
        yield Tag("condition_missing", "; ".join(condition.text for condition in ours))
    if theirs:
        yield Tag("condition_extra", "; ".join(condition.text for condition in theirs))
    if gold.having.keys() != prediction.having.keys():
        yield Tag("having_differs")


def _lone(query: QueryParts, other: QueryParts) -> list[Condition]:
    return [query.conditions[key] for key in query.conditions if key not in other.conditions]


def _same_names(one: Condition, other: Condition) -> bool:
    names = [{column.partition(".")[2] for column in c.columns} for c in (one, other)]
    return bool(names[0]) and names[0] == names[1]


_ALIKE: tuple[tuple[str, Callable[[Condition, Condition], bool]], ...] = (
    ("value_changed", lambda one, other: one.shape == other.shape),
    ("condition_changed", lambda one, other: bool(one.columns) and one.columns == other.columns),
    ("column_changed", lambda one, other: bool(one.values) and one.values == other.values),
    ("condition_changed", _same_names),
)
"""How a condition of the gold may come back in the prediction, the closest first."""


def _matters(column: str, query: QueryParts, condition: Condition, schema: Schema | None) -> bool:
    """Whether ``IS [NOT] NULL`` says something: nothing else passes NULL over."""
    others = [c for c in query.conditions.values() if c.key != condition.key and not c.null]
    implied = any(column in other.columns for other in others)
    aggregated = query.counted | query.distinct_counts | query.summed | query.averaged
    return not implied and column not in aggregated and is_nullable(column, schema)


def is_nullable(place: str, schema: Schema | None) -> bool:
    """Whether ``table.column`` may hold NULL; yes where that is not known."""
    table_name, _, name = place.partition(".")
    if schema is None or table_name == UNKNOWN:
        return True
    table = schema.table(table_name)
    column = table.column(name) if table is not None else None
    return column is None or not column.not_null


def _rows(gold: QueryParts, prediction: QueryParts) -> Iterator[Tag]:
    """How many rows there are: DISTINCT, GROUP BY, LIMIT, ties, set operations."""
    tied = gold.extreme != prediction.extreme and gold.cut != prediction.cut
    if tied:
        yield Tag("ties", "MIN or MAX in the one, ORDER BY with LIMIT in the other")
    if gold.scalar != prediction.scalar:
        yield Tag("scalar_subquery", f"in the {'gold' if gold.scalar else 'prediction'}")
    for name, ours, theirs in (
        ("distinct", _drops(gold), _drops(prediction)),
        ("group", gold.groups, prediction.groups),
        ("order", gold.order, prediction.order),
        ("limit", gold.limit, prediction.limit),
    ):
        if bool(ours) != bool(theirs):
            moved = name in ("order", "limit") and gold.cut and prediction.cut
            first = (prediction.limit or gold.limit) in ("", "1")
            told = tied and (name == "order" or (name == "limit" and first))
            if not (moved or told):
                yield Tag(f"{name}_missing" if ours else f"{name}_extra")
    if gold.groups and prediction.groups and gold.groups != prediction.groups:
        yield Tag("group_keys", _said(gold.groups, prediction.groups))
    if gold.order and prediction.order and gold.order != prediction.order:
        yield Tag("order_keys", f"{', '.join(gold.order)} became {', '.join(prediction.order)}")
    if gold.limit and prediction.limit and gold.limit != prediction.limit:
        yield Tag("limit_differs", f"{gold.limit} became {prediction.limit}")
    if gold.set_operations != prediction.set_operations:
        yield Tag("set_operation")


def _drops(query: QueryParts) -> bool:
    return query.distinct or bool(query.distinct_counts)


def _outputs(gold: QueryParts, prediction: QueryParts, schema: Schema | None) -> Iterator[Tag]:
    ours, theirs = gold.outputs, prediction.outputs
    if len(ours) != len(theirs):
        yield Tag("more_outputs" if len(theirs) > len(ours) else "fewer_outputs")
    elif ours != theirs:
        yield Tag("output_order" if sorted(ours) == sorted(theirs) else "other_outputs")
    listed = (gold.aggregates & _LISTING, prediction.aggregates & _LISTING)
    if bool(listed[0]) != bool(listed[1]):
        yield Tag("aggregate_missing" if listed[0] else "aggregate_extra")
    counted = gold.counted ^ prediction.counted
    if gold.counted and prediction.counted:
        nullable = [place for place in counted if _is_place(place) and is_nullable(place, schema)]
        # Two columns that may both be NULL are another choice of column, not of NULLs.
        if nullable and len(nullable) < len(counted):
            yield Tag("nullable_count", ", ".join(sorted(nullable)))
    for one, other in ((gold, prediction), (prediction, gold)):
        divided = one.averaged & other.summed
        places = [place for place in divided if _is_place(place) and is_nullable(place, schema)]
        if places and other.counted and not (set(places) <= other.counted):
            yield Tag("nullable_average", ", ".join(sorted(places)))


def _is_place(text: str) -> bool:
    return "." in text and "(" not in text and "'" not in text


def _differing(ours: set[str], theirs: set[str]) -> tuple[set[str], set[str]]:
    """Columns that only one of them has; a column of an unknown table may be any of that name."""

    def alone(one: set[str], other: set[str]) -> set[str]:
        names = {place.partition(".")[2] for place in other if place.startswith(UNKNOWN)}
        known = {place.partition(".")[2] for place in other}
        return {
            place
            for place in one - other
            if place.partition(".")[2] not in (known if place.startswith(UNKNOWN) else names)
        }

    return alone(ours, theirs), alone(theirs, ours)


def _said(ours: Iterable[str], theirs: Iterable[str]) -> str:
    one, other = sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours))
    return f"gold: {', '.join(one) or 'none'}; prediction: {', '.join(other) or 'none'}"


def clauses_of(tags: Sequence[Tag]) -> tuple[Clause, ...]:
    """The clauses that differ, in the order of the tags."""
    return tuple(dict.fromkeys(tag.clause for tag in tags if tag.clause not in ("result", "query")))
