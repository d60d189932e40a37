"""What no rule can reason about, told by a resolved tree and its facts.

* Aggregates that show the order of rows (``group_concat``, ``json_group_array`` ...): rules speak
  of bags.
* COLLATE: it decides which texts are equal, and travels out of the expression it stands in; so does
  a declared collation (``equal_values.py``).
* ``r IN (SELECT k + 0 ...)`` for a REAL r: it makes reals of whole numbers that ``=`` leaves alone.
* ``x IN ()``: false where x is NULL, unlike every other IN.
* A set operation inside a query that folds values of different types: 1 and 1.0 are one row, and
  which of the two it shows depends on the order of the sides.
* A derived table that refers to something outside and that an outer join fills with NULL: some
  versions of SQLite, 3.40 among them, show a column from around it where it has no row.
* Values of different kinds that meet, in dialects whose types are enforced (``value_types.py``).
* A test for NULL that a zero date passes. MariaDB and MySQL keep ``0000-00-00`` in a DATE, and
  ``WHERE d IS NULL`` holds for it where d is declared NOT NULL: behind an outer join, too, and as a
  column of a derived table. Elsewhere than in a condition by itself (in a CASE, as a column of the
  answer) it does not. ``d IS NOT NULL`` means what it says.
* A BIT, ENUM or SET of MySQL in a CASE, in COALESCE, in MAX or as a query's one value: there it is
  a number or a text, which is shown and sorted otherwise.
"""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    BAG_AGGREGATES,
    column_name,
    columns_in,
    is_closed,
    is_padded,
    leaves,
    nodes_in,
)
from sqlverdict.prove.resolve.engine_limits.aggregate_places import (
    require_aggregates_in_place,
    require_all_groups,
)
from sqlverdict.prove.resolve.engine_limits.full_joins import require_full_joins_by_equality
from sqlverdict.prove.resolve.engine_limits.text_collations import require_one_collation
from sqlverdict.prove.resolve.equal_values import (
    compared_collation,
    folds_types,
    makes_reals_of_members,
    mixes_affinities,
)
from sqlverdict.prove.resolve.folding import FOLDED, leave_texts_open
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.value_types import require_meeting_types

_DATES = re.compile(r"\s*(?:date|datetime|timestamp)\b", re.IGNORECASE)
_LABELS = re.compile(r"\s*(?:bit|enum|set)\b", re.IGNORECASE)
_CHOICES = (exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Max, exp.Min, exp.AnyValue)
_PATH_PARTS = (exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript)
_OTHER_AGGREGATES = frozenset(
    {"group_concat", "string_agg", "json_group_array", "json_group_object", "median"}
    | {"jsonb_group_array", "jsonb_group_object", "percentile", "percentile_cont"}
    | {"percentile_disc", "mode", "array_agg"}
)


def require_readable(tree: Expr, facts: Facts) -> None:
    """Refuse a resolved query about which nothing is proved.

    Where its engine chooses which of several equal texts is shown, the tree says so from here on.

    Raises:
        EngineRefusal: its engine refuses it.
        Unsupported: rules do not work on it.
    """
    if facts.record.typed:
        require_aggregates_in_place(tree)
        if facts.record.loses_groups:
            require_all_groups(tree)
        require_full_joins_by_equality(tree, facts.record)
        require_one_collation(tree, facts)
        leave_texts_open(require_meeting_types(tree, facts), facts)
    elif (objection := refusal(tree, facts)) is not None:
        raise Unsupported(objection)


def refusal(tree: Expr, facts: Facts) -> str | None:
    """Why nothing is proved about a resolved query; ``None`` where rules may work on it."""
    if facts.record.typed:
        return _typed_refusal(tree, facts)
    if (compared := compared_collation(tree, facts)) is not None:
        return compared
    for node in nodes_in(tree):
        if isinstance(node, exp.Collate) and node.expression.name.lower() != "binary":
            return "COLLATE decides which texts are equal"
        if isinstance(node, exp.JSONPathPart) and not isinstance(node, _PATH_PARTS):
            return "a JSON path with more than keys and places"
        if isinstance(node, BAG_AGGREGATES) and node.this is None:
            return f"{node.key.upper()} of nothing"
        if isinstance(node, exp.AggFunc) and not isinstance(node, BAG_AGGREGATES):
            if not isinstance(node.parent, exp.Window):
                return f"{node.sql_name().lower()} depends on the order of rows"
        elif isinstance(node, exp.Anonymous) and str(node.this).lower() in _OTHER_AGGREGATES:
            return f"{str(node.this).lower()} depends on the order of rows"
        if isinstance(node, exp.In) and not node.expressions and node.args.get("query") is None:
            return "IN with an empty list"
        if isinstance(node, exp.In) and makes_reals_of_members(node, facts):
            return "IN makes reals of whole numbers"
        if isinstance(node, exp.Subquery) and node.alias and _pads_outer_columns(node):
            return "an outer join fills a derived table that refers to something outside"
        if isinstance(node, exp.SetOperation) and folds_types(node, facts):
            return "a set operation inside a query folds values of different types"
        if isinstance(node, exp.SetOperation) and mixes_affinities(node, facts):
            return "the sides of a set operation inside a query have different affinities"
    return None


def _pads_outer_columns(item: exp.Subquery) -> bool:
    """Whether an outer join may fill a derived table that is not made of its own sources alone."""
    return is_padded(item) and not is_closed(item)


def _typed_refusal(tree: Expr, facts: Facts) -> str | None:
    """Why nothing is proved about a query in a dialect with types."""
    try:
        require_one_collation(tree, facts)
        if require_meeting_types(tree, facts):
            return FOLDED
    except Unsupported as beyond:
        return str(beyond)
    if _tests_zero_date(tree, facts):
        return "a zero date may pass a test for NULL"
    return "bits or labels become another type" if _changes_type(tree, facts) else None


def _tests_zero_date(tree: Expr, facts: Facts) -> bool:
    """Whether a resolved query asks for NULL where a zero date is taken for one."""
    return facts.record.zero_dates and any(
        isinstance(node, exp.Is)
        and isinstance(node.expression, exp.Null)
        and not _is_negated_once(node)
        and _may_be_zero_date(node.this, facts)
        for node in nodes_in(tree)
    )


def _changes_type(tree: Expr, facts: Facts) -> bool:
    """Whether a resolved query of MySQL makes a number or a text of a value that is neither."""
    return not facts.record.typed_quotes and any(
        isinstance(node, exp.Column) and _is_choice(node) and _is_label(node, facts)
        for node in nodes_in(tree)
    )


def _is_choice(node: Expr) -> bool:
    """Whether it is one of the values of a choice, or what a query for one value gives."""
    around = node.parent
    if isinstance(around, exp.Select) and node.arg_key == "expressions":
        holder = around.parent
        return isinstance(holder, exp.Subquery) and not holder.alias
    if isinstance(around, exp.Distinct):
        around = around.parent
    return isinstance(around, _CHOICES)


def _is_label(node: Expr, facts: Facts) -> bool:
    """Whether it is a column of bits or of labels, or a derived table's that is one."""
    inner: Expr | None = node
    while isinstance(inner, exp.Column):
        label, name = column_name(inner)
        table = facts.table(label)
        column = table.column(name) if table is not None else None
        if column is not None:
            return _LABELS.match(column.type) is not None
        inner = facts.projection(inner)
    return False


def _is_negated_once(test: exp.Is) -> bool:
    """Whether it is IS NOT NULL, and no further NOT turns it round."""
    around = test.parent
    if not isinstance(around, exp.Not):
        return False
    outer = around.parent
    while isinstance(outer, exp.Connector):
        outer = outer.parent
    return not isinstance(outer, exp.Not | exp.Predicate)


def _may_be_zero_date(node: Expr, facts: Facts) -> bool:
    """Whether it is a date declared NOT NULL, or a derived table's column that one is part of."""
    if not isinstance(node, exp.Column):
        return False
    label, name = column_name(node)
    table = facts.table(label)
    if table is not None:
        column = table.column(name)
        keys = map(fold, table.primary_key)
        return (
            column is not None
            and _DATES.match(column.type) is not None
            and (column.not_null or name in keys)
        )
    source = facts.home(node)
    if source is None or not isinstance(source[1], exp.Subquery):
        return True
    at = int(name[1:])
    return any(
        _may_be_zero_date(column, facts)
        for side in leaves(source[1].this)
        for column in columns_in(side.expressions[at])
    )
