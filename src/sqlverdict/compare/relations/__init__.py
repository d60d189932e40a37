"""How two unequal answers relate, each relation with its proof.

:func:`relate` looks at the raw rows of two answers that a preset found different and names
the relations that hold; :func:`verify` checks a claimed relation against the rows again
without searching. One file a relation says what it states, what its proof holds and when
it can mislead. A relation is evidence, never a verdict: that the prediction has gold's
columns and one more does not say whether the question allows for it.

Proofs are JSON. Fields that several relations share:

* ``columns``: the prediction's column for each gold column, from 0; null where none
  stands for it. ``extra`` and ``missing`` list the columns left over.
* ``order``: ``free`` where gold does not order its rows, else ``same`` or ``other``.
* ``changed``: the columns that are equal only after a transformation, and which.
* ``weak``: true where the proof may be chance: it rests on one row of tiny values (NULL,
  one character, one significant digit) or on several rows of one value. Absent otherwise.
* ``constant``: the prediction's columns that stand for gold's and read no row of the
  database, or all of its columns where there is no map; null where its text could not be
  followed. Absent where every one of them reads.
* ``alternatives``: in answers of one row, the further columns that hold numbers beside a gold
  that does: each could be the answer as well. Absent where there are none.

An empty answer relates to nothing. Numbers are compared as Python does, 4 = 4.0; noise in
the last digits of floats is ``rounding``. The first relation between equally many rows
ends the search, because the later ones would only say it less precisely.

Time is linear in the rows. Above :data:`MOST_CELLS` cells in both answers together only
the cheap relations are tried: ``column_permutation``, ``extra_columns``,
``missing_columns``, ``null_rows``, ``order_only``, ``sum_of_list``, ``transposed``, and
``duplicates_only``, ``row_subset``, ``row_superset`` and ``tie_superset`` with the columns
in their given order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.constants import constant_columns
from sqlverdict.compare.related.table import NUMBERS, AnswerTable
from sqlverdict.compare.relations import (
    column_permutation,
    concatenated,
    duplicates_only,
    extra_columns,
    formats,
    missing_columns,
    null_rows,
    order_only,
    rounding,
    row_subset,
    row_superset,
    scale,
    sum_of_list,
    tie_superset,
    transposed,
    yes_no,
)
from sqlverdict.errors import UnknownMember
from sqlverdict.records import Answer, Relation

__all__ = ["KINDS", "MOST_CELLS", "constant_columns", "relate", "verify"]

MOST_CELLS = 200_000
"""Cells of both answers together above which only the cheap relations are tried."""

Checker = Callable[[Mapping[str, Any], AnswerTable, AnswerTable, QueryPair], bool]
KINDS: Mapping[str, Checker] = {
    member.KIND: member.holds
    for member in (
        column_permutation,
        concatenated,
        duplicates_only,
        extra_columns,
        formats,
        missing_columns,
        null_rows,
        order_only,
        rounding,
        row_subset,
        row_superset,
        scale,
        sum_of_list,
        tie_superset,
        transposed,
        yes_no,
    )
}
"""Every kind of relation, with the function that checks its proof."""


def relate(gold: Answer, prediction: Answer, pair: QueryPair) -> tuple[Relation, ...]:
    """The relations that hold between two answers.

    Args:
        gold: The gold answer.
        prediction: An answer that a preset found different from it.
        pair: The two queries, and a probe for ties.

    Returns:
        The relations, most telling first; empty where there is none, or the rows are
        equal as they stand.
    """
    if not gold.rows or not prediction.rows or not gold.rows[0] or not prediction.rows[0]:
        return ()
    if gold.rows == prediction.rows:
        return ()
    left, right = AnswerTable(gold.rows), AnswerTable(prediction.rows)
    cells = left.height * left.width + right.height * right.width
    if left.height != right.height:
        relations = _other_height(left, right, pair, search=cells <= MOST_CELLS)
    else:
        found = _same_height(left, right, pair, search=cells <= MOST_CELLS)
        relations = () if found is None else (found,)
    return tuple(_with_notes(relation, left, right, pair) for relation in relations)


def verify(relation: Relation, gold: Answer, prediction: Answer, pair: QueryPair) -> bool:
    """Whether a relation's proof is one, checked on the rows without searching.

    Args:
        relation: What is claimed; its detail may have been through JSON.
        gold: The gold answer.
        prediction: The prediction's answer.
        pair: The two queries, and a probe for ties.

    Raises:
        UnknownMember: there is no relation of that kind.
    """
    checker = KINDS.get(relation.kind)
    if checker is None:
        raise UnknownMember(
            f"there is no relation called {relation.kind!r}. Known: {', '.join(KINDS)}"
        )
    if not gold.rows or not prediction.rows or not gold.rows[0] or not prediction.rows[0]:
        return False
    try:
        left, right = AnswerTable(gold.rows), AnswerTable(prediction.rows)
        detail = {key: value for key, value in relation.detail.items() if key not in _NOTES}
        again = _with_notes(Relation(relation.kind, detail), left, right, pair).detail
        if any(again.get(key, ()) != relation.detail.get(key, ()) for key in _NOTES):
            return False
        return checker(detail, left, right, pair)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # A detail of another form proves nothing.
        return False


_NOTES = ("alternatives", "constant")
"""Fields that every relation may have, whatever its kind."""


def _with_notes(
    relation: Relation, gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> Relation:
    """The relation with what makes it worth less: constants, and numbers to choose from."""
    notes: dict[str, Any] = {}
    detail, numbers = relation.detail, gold.height == 1 and not gold.kinds.isdisjoint(NUMBERS)
    extra = detail.get("extra") if numbers and prediction.height == 1 else None
    if isinstance(extra, list):
        alternatives = [place for place in extra if prediction.columns[place].numeric]
        notes |= {"alternatives": alternatives} if alternatives else {}
    if pair.prediction_sql:
        found = constant_columns(pair.prediction_sql, pair.dialect, prediction.width)
        columns = detail.get("columns")
        if found is None:
            notes["constant"] = None
        elif constant := [p for p in found if columns is None or p in columns]:
            notes["constant"] = constant
    return Relation(relation.kind, {**detail, **notes}) if notes else relation


def _same_height(
    gold: AnswerTable, prediction: AnswerTable, pair: QueryPair, *, search: bool
) -> Relation | None:
    if gold.width == prediction.width:
        if gold.width > 1 or gold.height > 1:
            columns = column_permutation.matched(gold, prediction)
            if columns is not None:
                found = column_permutation.find(gold, prediction, pair, columns)
                return found or order_only.find(gold, prediction, pair)
            same_set = duplicates_only.find(gold, prediction, search=search)
            if same_set is not None:
                return same_set
    else:
        found = extra_columns.find(gold, prediction, pair)
        found = found or missing_columns.find(gold, prediction, pair)
        if found is not None:
            return found
    if not search:
        return None
    found = (
        rounding.find(gold, prediction, pair)
        or scale.find(gold, prediction, pair)
        or formats.find(gold, prediction, pair)
        or yes_no.find(gold, prediction, pair)
    )
    return found or concatenated.find(gold, prediction)


def _other_height(
    gold: AnswerTable, prediction: AnswerTable, pair: QueryPair, *, search: bool
) -> tuple[Relation, ...]:
    """Several may hold here: the greatest of a list is also a row of it."""
    limited = "gold" if gold.height < prediction.height else "prediction"
    part = row_superset if limited == "gold" else row_subset
    tie: Relation | None = None
    contained = part.find(gold, prediction, search=search)
    if contained is not None and tie_superset.applies(pair, limited):
        tie = tie_superset.find(gold, prediction, pair, contained)
    same_set = duplicates_only.find(gold, prediction, search=search)
    if same_set is not None:
        return (same_set,) if tie is None else (tie, same_set)
    found = [
        null_rows.find(gold, prediction),
        tie,
        contained,
        sum_of_list.find(gold, prediction),
        transposed.find(gold, prediction),
    ]
    return tuple(relation for relation in found if relation is not None)
