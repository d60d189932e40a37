"""Finds the relations between two unequal answers, and checks claimed ones.

:func:`relate` looks at the raw rows of two answers that a preset found different and names
the relations that hold; :func:`verify_relation` checks a claimed relation against the rows again
without searching. :class:`UnderRelation` is the rule by which a search for a witness goes, where a
relation may make a difference harmless.

An empty answer relates to nothing. Numbers are compared as Python does, 4 = 4.0; noise in
the last digits of floats is ``rounding``. Relations are tried by rank; a ``final`` one ends the
search, because the later ones would only say it less precisely.

Time is linear in the rows. Above :data:`MOST_CELLS` cells in both answers together only the
``cheap`` relations are tried, those between answers of different height with the columns in their
given order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from msgspec import structs

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.compare.related.clauses import orders
from sqlverdict.compare.related.constants import constant_columns
from sqlverdict.compare.related.proofs import RelationProof
from sqlverdict.compare.related.table import NUMBERS, AnswerTable
from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import RELATIONS, RelationKind, read_proof
from sqlverdict.records import Answer, Comparison, Contract, Relation

MOST_CELLS = 200_000
"""Cells of both answers together above which only the cheap relations are tried."""

_NOTES = ("alternatives", "constant")
"""Fields that every relation may have, whatever its kind."""


@cache
def _by_rank() -> tuple[RelationKind[Any], ...]:
    return tuple(sorted((member for _, member in RELATIONS.items()), key=lambda each: each.rank))


def relate(gold: Answer, prediction: Answer, pair: QueryPair) -> tuple[Relation, ...]:
    """The relations that hold between two answers.

    Args:
        gold: The gold answer.
        prediction: An answer that a preset found different from it.
        pair: The two queries, and a probe for ties.

    Returns:
        The relations, the most precise first; empty where there is none, or the rows are
        equal as they stand.

    Examples:
        >>> from sqlverdict.compare.preset import QueryPair
        >>> share, percent = sv.Answer(("p",), [(0.25,), (0.5,)]), sv.Answer(("p",), [(25,), (50,)])
        >>> [relation.kind for relation in sv.relate(share, percent, QueryPair())]
        ['scale']
    """
    tables = _unequal(gold, prediction, pair)
    if tables is None:
        return ()
    relations: list[Relation] = []
    for member in _by_rank():
        if not member.cheap and not tables.search:
            continue
        relation = member.find(tables)
        if relation is not None:
            relations.append(_with_notes(relation, tables))
            if member.final:
                break
    return tuple(relations)


def is_related(kind: str, gold: Answer, prediction: Answer, pair: QueryPair) -> bool:
    """Whether :func:`relate` names a relation of that kind, in less time.

    Args:
        kind: The relation's name.
        gold: The gold answer.
        prediction: An answer that a preset found different from it.
        pair: The two queries, and a probe for ties.

    Raises:
        UnknownMember: there is no relation of that kind.
    """
    member = RELATIONS.get(kind)
    tables = _unequal(gold, prediction, pair)
    if tables is None or not (member.cheap or tables.search) or member.find(tables) is None:
        return False
    # A final one before it would end the search.
    before = (other for other in _by_rank() if other.final and other.rank < member.rank)
    return not any(
        other.find(tables) is not None for other in before if other.cheap or tables.search
    )


def verify_relation(relation: Relation, gold: Answer, prediction: Answer, pair: QueryPair) -> bool:
    """Whether a relation's proof is one, checked on the rows without searching.

    Args:
        relation: What is claimed; its detail may have been through JSON.
        gold: The gold answer.
        prediction: The prediction's answer.
        pair: The two queries, and a probe for ties.

    Raises:
        UnknownMember: there is no relation of that kind.
    """
    member = RELATIONS.get(relation.kind)
    if not _have_cells(gold, prediction):
        return False
    try:
        tables = _tables(gold, prediction, pair)
        detail = {key: value for key, value in relation.detail.items() if key not in _NOTES}
        bare = Relation(relation.kind, detail)
        again = _with_notes(bare, tables).detail
        if any(again.get(key, ()) != relation.detail.get(key, ()) for key in _NOTES):
            return False
        proof = read_proof(bare)
        return proof is not None and member.holds(proof, tables)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # A detail of another form proves nothing.
        return False


def _unequal(gold: Answer, prediction: Answer, pair: QueryPair) -> TablePair | None:
    """The two answers, where both have cells and they are not the same."""
    if not _have_cells(gold, prediction) or gold.rows == prediction.rows:
        return None
    tables = _tables(gold, prediction, pair)
    return None if tables.same_bag and not orders(pair) else tables


def _have_cells(gold: Answer, prediction: Answer) -> bool:
    return all(answer.rows and answer.rows[0] for answer in (gold, prediction))


def _tables(gold: Answer, prediction: Answer, pair: QueryPair) -> TablePair:
    left, right = AnswerTable(gold.rows), AnswerTable(prediction.rows)
    cells = left.height * left.width + right.height * right.width
    return TablePair(left, right, pair, search=cells <= MOST_CELLS)


def _with_notes(relation: Relation, tables: TablePair) -> Relation:
    """The relation with what makes it worth less: constants, and numbers to choose from."""
    gold, prediction, pair = tables.gold, tables.prediction, tables.queries
    notes: RelationProof = {}
    proof, numbers = relation.proof, gold.height == 1 and not gold.kinds.isdisjoint(NUMBERS)
    if numbers and prediction.height == 1:
        alternatives = [index for index in proof.extra if prediction.columns[index].numeric]
        if alternatives:
            notes["alternatives"] = alternatives
    if pair.prediction_sql:
        constants = constant_columns(pair.prediction_sql, pair.dialect, prediction.width)
        columns = proof.columns
        if constants is None:
            notes["constant"] = None
        elif constant := [p for p in constants if columns is None or p in columns]:
            notes["constant"] = constant
    return Relation(relation.kind, {**relation.detail, **notes}) if notes else relation


@dataclass(frozen=True)
class UnderRelation:
    """A preset: the same as ``strict``, or related as the relation says.

    A relation that holds on the real data may be luck, as a match may. So its search looks for a
    database on which the prediction, seen through the relation, is not the gold: with the columns
    that stand for the gold's alone, or changed in the same way. Without it one more column would
    hide a lucky match from the search.

    Attributes:
        relation: The relation, with its detail.
    """

    relation: Relation

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries as they are."""
        return gold, prediction

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the answers agree, seen through the relation."""
        strict = PRESETS.get(DEFAULT_PRESET)
        pair = self._without_order(pair)
        plain = strict.compare(gold, prediction, pair)
        if plain.equal is not False or pair.gold_sql == pair.prediction_sql:
            return plain
        through = self._columns_that_count(gold, prediction)
        if through is not None:
            plain = strict.compare(gold, through, pair)
            if plain.equal is not False:
                return plain
        related = is_related(self.relation.kind, gold, through or prediction, pair)
        if related or self._allows_empty(gold, prediction):
            return Comparison(True)
        return plain

    def _without_order(self, pair: QueryPair) -> QueryPair:
        """The order of rows does not count where it did not on the real data."""
        any_order = RELATIONS.get(self.relation.kind).any_order
        if not any_order and self.relation.proof.order != "other":
            return pair
        return structs.replace(pair, contract=replace(pair.contract or Contract(), order="ignore"))

    def _columns_that_count(self, gold: Answer, prediction: Answer) -> Answer | None:
        """The prediction without its further columns, those left in the gold's order."""
        proof = self.relation.proof
        columns = [index for index in proof.columns or () if index is not None]
        width = len(columns) + len(proof.extra)
        if len(gold.columns) != len(columns) or len(prediction.columns) != width:
            return None
        if not columns or None in (proof.columns or ()):
            return None
        rows = [tuple(row[index] for index in columns) for row in prediction.rows]
        return Answer(tuple(prediction.columns[index] for index in columns), rows)

    def _allows_empty(self, gold: Answer, prediction: Answer) -> bool:
        """Whether the relation holds though the gold has no rows."""
        member = RELATIONS.get(self.relation.kind)
        return not gold.rows and member.allows_empty_gold(tuple(prediction.rows))
