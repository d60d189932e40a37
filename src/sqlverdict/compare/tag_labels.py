"""FLEX's categories from tags: six kinds of error, five kinds of acceptable difference.

Which list applies is not for tags to say: the six are for predictions that are held wrong
(matching results or not), the five for predictions that are held right though results differ.

A prediction that is held wrong has the labels of its tags, or ``other_fatal``:

====================  ======================================================================
schema_linking        other_tables, other_columns, same_name_column, key_for_name, other_join,
                      unrelated_join, outer_join, column_changed, group_keys, unknown_table,
                      unknown_column, misplaced_column, unread_table, unused_alias,
                      ambiguous_column, name_as_text
filtering             condition_missing, condition_extra, condition_moved, condition_changed,
                      operator_changed, connective_changed, value_changed, value_spelling,
                      having_differs, limit_differs
nullable_column       nullable_count, nullable_average, null_condition, null_output
several_rows          ties, scalar_subquery, first_row_subquery, distinct_missing,
                      aggregate_missing, group_missing, limit_missing
abused_clauses        distinct_extra, group_extra, limit_extra, aggregate_extra
====================  ======================================================================

For one that is held right, a result that holds the same values otherwise arranged explains the
difference. Where nothing about structure, values or ties does, and the queries differ by a tag of
the table above, the two ask for different things: if the prediction is right, the gold is not.
That last step is by elimination; a judge or a person must have held the prediction right first.

====================  ======================================================================
output_structure      column_order, extra_columns, missing_columns, arrangement,
                      repeated_rows, row_order, more_outputs, fewer_outputs,
                      composed_output
value_representation  representation
several_answers       tied_rows
wrong_gold            by elimination
other_minor           anything else
====================  ======================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlverdict.evidence_parts import Tag

FATAL: Mapping[str, str] = {
    "schema_linking": "tables or columns that are not what the question asks about",
    "filtering": "a condition that is wrong, missing or added",
    "nullable_column": "a column that may be NULL, read as if it could not",
    "several_rows": "wrong where several rows satisfy a condition",
    "abused_clauses": "a clause nobody asked for changes the answer",
    "other_fatal": "another fault that makes the answer wrong",
}
"""What can be wrong with an incorrect prediction."""
MINOR: Mapping[str, str] = {
    "output_structure": "other columns, or another order",
    "value_representation": "values that mean the same and look different",
    "wrong_gold": "the gold query does not answer the question",
    "several_answers": "the question has several right answers",
    "other_minor": "another difference that leaves the answer right",
}
"""What can set a correct prediction apart from its gold."""

ERRORS = tuple(FATAL)
"""FLEX's labels of what makes a prediction wrong."""

DIFFERENCES = tuple(MINOR)
"""FLEX's labels of why a right prediction's result differs from the gold's."""

_SCHEMA, _FILTER, _NULL, _ROWS, _ABUSE, _OTHER_ERROR = ERRORS
_STRUCTURE, _VALUES, _GOLD, _SEVERAL, _OTHER_DIFFERENCE = DIFFERENCES

ERROR_LABELS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "other_tables",
            "other_columns",
            "same_name_column",
            "key_for_name",
            "other_join",
            "unrelated_join",
            "outer_join",
            "column_changed",
            "group_keys",
            "unknown_table",
            "unknown_column",
            "misplaced_column",
            "unread_table",
            "unused_alias",
            "ambiguous_column",
            "name_as_text",
        ),
        _SCHEMA,
    ),
    **dict.fromkeys(
        (
            "condition_missing",
            "condition_extra",
            "condition_moved",
            "condition_changed",
            "operator_changed",
            "connective_changed",
            "value_changed",
            "value_spelling",
            "having_differs",
            "limit_differs",
        ),
        _FILTER,
    ),
    **dict.fromkeys(("nullable_count", "nullable_average", "null_condition", "null_output"), _NULL),
    **dict.fromkeys(
        (
            "ties",
            "scalar_subquery",
            "first_row_subquery",
            "distinct_missing",
            "aggregate_missing",
            "group_missing",
            "limit_missing",
        ),
        _ROWS,
    ),
    **dict.fromkeys(("distinct_extra", "group_extra", "limit_extra", "aggregate_extra"), _ABUSE),
}
"""The error label of each tag that has one."""

DIFFERENCE_LABELS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "column_order",
            "extra_columns",
            "missing_columns",
            "arrangement",
            "repeated_rows",
            "row_order",
            "more_outputs",
            "fewer_outputs",
            "composed_output",
        ),
        _STRUCTURE,
    ),
    "representation": _VALUES,
    "tied_rows": _SEVERAL,
}
"""The difference label of each tag that has one."""

_EXPLAINS = frozenset(
    {
        "column_order",
        "extra_columns",
        "missing_columns",
        "representation",
        "arrangement",
        "repeated_rows",
        "row_order",
        "tied_rows",
    }
)
"""Tags of results that hold the same values: the gold need not be wrong."""


def error_labels(tags: Iterable[Tag]) -> tuple[str, ...]:
    """FLEX's error labels of a prediction that is held wrong, in FLEX's order."""
    labels = {ERROR_LABELS[tag.name] for tag in tags if tag.name in ERROR_LABELS}
    return tuple(label for label in ERRORS if label in labels) or (_OTHER_ERROR,)


def difference_labels(tags: Iterable[Tag]) -> tuple[str, ...]:
    """FLEX's labels of a prediction that is held right though its result differs."""
    names = {tag.name for tag in tags}
    labels = {DIFFERENCE_LABELS[name] for name in names if name in DIFFERENCE_LABELS}
    logic = any(name in ERROR_LABELS for name in names)
    if logic and not names & _EXPLAINS:
        labels.add(_GOLD)
    return tuple(label for label in DIFFERENCES if label in labels) or (_OTHER_DIFFERENCE,)
