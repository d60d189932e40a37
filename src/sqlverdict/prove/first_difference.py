"""The first place where two normal forms part, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.shape import items, joins, leaves
from sqlverdict.prove.resolve.readable import readable_sql, with_own_words
from sqlverdict.prove.resolve.text import resolved_sql
from sqlverdict.prove.spelled_names import with_spelled_names
from sqlverdict.prove.tree_key import clause_keys, tree_key

_LONGEST = 80
_DERIVED = "a derived table"
_VERBS = {
    "where": "asks for",
    "group": "groups by",
    "having": "asks its groups for",
    "columns": "shows",
    "order": "orders by",
}
"""What a query does with the parts of a clause, in the order in which clauses are compared."""


def first_difference(gold: Expr, prediction: Expr, schema: Schema) -> str:
    """Where two resolved trees part: tables first, then conditions, groups, columns and order.

    Args:
        gold: The gold's normal form.
        prediction: The prediction's.
        schema: The tables, as which names are spelled.

    Returns:
        A sentence without a full stop.
    """
    kinds = (_kind(gold), _kind(prediction))
    if kinds[0] != kinds[1]:
        return f"the gold is {kinds[0]}, the prediction {kinds[1]}"
    widths = [len(next(iter(leaves(tree))).expressions) for tree in (gold, prediction)]
    if widths[0] != widths[1]:
        return f"the gold shows {_columns(widths[0])}, the prediction {widths[1]}"
    if isinstance(gold, exp.SetOperation):
        return _sides(gold, prediction, schema)
    return (
        _sources(gold, prediction, schema)
        or _clauses(gold, prediction, schema)
        or _limits(gold, prediction, schema)
        or "the same parts are put together in different ways"
    )


def _kind(tree: Expr) -> str:
    return f"a {tree.key.upper()}" if isinstance(tree, exp.SetOperation) else "a single SELECT"


def _columns(count: int) -> str:
    return f"{count} column{'' if count == 1 else 's'}"


def _sides(gold: Expr, prediction: Expr, schema: Schema) -> str:
    ours, theirs = list(leaves(gold)), list(leaves(prediction))
    if len(ours) != len(theirs):
        return f"the gold combines {len(ours)} queries, the prediction {len(theirs)}"
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True), 1):
        if tree_key(one) != tree_key(other):
            return f"in query {number} of them {first_difference(one, other, schema)}"
    return _limits(gold, prediction, schema) or "the queries are combined in different ways"


def _sources(gold: Expr, prediction: Expr, schema: Schema) -> str | None:
    ours, theirs = (
        Counter(_source(item, schema) for item in items(tree)) for tree in (gold, prediction)
    )
    for name in [*ours, *theirs]:
        if ours[name] != theirs[name]:
            return (
                f"the gold reads {name} {_times(ours[name])}, the prediction {_times(theirs[name])}"
            )
    sides = [
        sorted(
            f"{join.side} JOIN {_source(join.this, schema)}".strip()
            for join in joins(tree)
            if join.side
        )
        for tree in (gold, prediction)
    ]
    if sides[0] != sides[1]:
        words = [", ".join(side) or "inner joins alone" for side in sides]
        return f"the gold has {words[0]}, the prediction {words[1]}"
    inner = [
        [item.this for item in items(tree) if isinstance(item, exp.Subquery)]
        for tree in (gold, prediction)
    ]
    for one, other in zip(*inner, strict=True):
        if tree_key(one) != tree_key(other):
            return f"inside {_DERIVED} {first_difference(one, other, schema)}"
    return None


def _source(item: Expr, schema: Schema) -> str:
    if isinstance(item, exp.Subquery):
        return _DERIVED
    return with_spelled_names(quote_name(fold(item.name)), schema)


def _times(number: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(number, f"{number} times")


def _clauses(gold: Expr, prediction: Expr, schema: Schema) -> str | None:
    ours, theirs = clause_keys(gold), clause_keys(prediction)
    for clause, verb in _VERBS.items():
        keys = [[key for key, _ in parts[clause]] for parts in (ours, theirs)]
        if sorted(keys[0]) == sorted(keys[1]) and (clause != "order" or keys[0] == keys[1]):
            continue
        one, other = _only(ours[clause], keys[1], schema), _only(theirs[clause], keys[0], schema)
        if one and other:
            return f"the gold {verb} {one}, the prediction {verb} {other}"
        if one or other:
            return f"only the {'gold' if one else 'prediction'} {verb} {one or other}"
        return f"the gold {verb} the same as the prediction, in another order or number"
    if bool(gold.args.get("distinct")) != bool(prediction.args.get("distinct")):
        return f"only the {'gold' if gold.args.get('distinct') else 'prediction'} has DISTINCT"
    return None


def _only(parts: Sequence[tuple[str, Expr]], others: Sequence[str], schema: Schema) -> str:
    """The first of the parts that the other query lacks, as text."""
    for key, node in parts:
        if key not in others:
            text = _text(node, schema)
            return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    return ""


def _limits(gold: Expr, prediction: Expr, schema: Schema) -> str | None:
    for name in ("order", "limit", "offset"):
        clauses = [tree.args.get(name) for tree in (gold, prediction)]
        texts = [_text(c, schema) if c else "" for c in clauses]
        if texts[0] == texts[1]:
            continue
        if texts[0] and texts[1]:
            return f"the gold has {texts[0]}, the prediction {texts[1]}"
        return f"only the {'gold' if texts[0] else 'prediction'} has {texts[0] or texts[1]}"
    return None


def _text(node: Expr, schema: Schema) -> str:
    text = readable_sql(with_own_words(resolved_sql(node))).strip()
    return with_spelled_names(text, schema)
