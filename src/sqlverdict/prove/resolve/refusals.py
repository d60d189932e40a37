"""What no rule can reason about, told by a resolved tree and its facts.

* Aggregates that show the order of rows (``group_concat``, ``json_group_array`` ...): rules speak
  of bags.
* COLLATE: it decides which texts are equal, and travels out of the expression it stands in; so does
  a declared collation (``equal_values.py``).
* ``x IN ()``: false where x is NULL, unlike every other IN.
* A set operation inside a query that folds values of different types: 1 and 1.0 are one row, and
  which of the two it shows depends on the order of the sides.
* Values of different kinds that meet, in dialects whose types are enforced (``value_types.py``).
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import nodes_in
from sqlverdict.prove.resolve.equal_values import (
    compared_collation,
    folds_types,
    mixes_affinities,
)
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.value_types import require_meeting_types

_BAG_AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.Max, exp.Min)
_OTHER_AGGREGATES = frozenset(
    {"group_concat", "string_agg", "json_group_array", "json_group_object", "median"}
    | {"jsonb_group_array", "jsonb_group_object", "percentile", "percentile_cont"}
    | {"percentile_disc", "mode", "array_agg"}
)


def refusal(tree: Expr, facts: Facts) -> str | None:
    """Why nothing is proved about a resolved query; ``None`` where rules may work on it."""
    if facts.record.typed:
        try:
            require_meeting_types(tree, facts)
        except Unsupported as beyond:
            return str(beyond)
        return None
    if (compared := compared_collation(tree, facts)) is not None:
        return compared
    for node in nodes_in(tree):
        if isinstance(node, exp.Collate) and node.expression.name.lower() != "binary":
            return "COLLATE decides which texts are equal"
        if isinstance(node, exp.AggFunc) and not isinstance(node, _BAG_AGGREGATES):
            if not isinstance(node.parent, exp.Window):
                return f"{node.sql_name().lower()} depends on the order of rows"
        elif isinstance(node, exp.Anonymous) and str(node.this).lower() in _OTHER_AGGREGATES:
            return f"{str(node.this).lower()} depends on the order of rows"
        if isinstance(node, exp.In) and not node.expressions and node.args.get("query") is None:
            return "IN with an empty list"
        if isinstance(node, exp.SetOperation) and folds_types(node, facts):
            return "a set operation inside a query folds values of different types"
        if isinstance(node, exp.SetOperation) and mixes_affinities(node, facts):
            return "the sides of a set operation inside a query have different affinities"
    return None
