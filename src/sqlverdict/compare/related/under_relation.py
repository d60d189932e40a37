"""Two answers that agree once a relation is taken into account: the rule a search goes by.

A relation that holds on the real data may be luck, as a match may. So its search looks for a
database on which the prediction, seen through the relation, is not the gold: with the columns
that stand for the gold's alone, or changed in the same way. Without it one more column would
hide a lucky match from the search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgspec import structs

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, Preset, QueryPair
from sqlverdict.compare.related.relate import is_related
from sqlverdict.compare.relation import RELATIONS
from sqlverdict.records import Answer, Comparison, Contract, Relation


@dataclass(frozen=True)
class UnderRelation(Preset):
    """A preset: the same as ``strict``, or related as the relation says.

    Attributes:
        relation: The relation, with its detail.
    """

    relation: Relation

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
