"""Two answers that agree once a relation is taken into account: the rule a search goes by.

A relation that holds on the real data may be luck, as a match may. So its search looks for a
database on which the prediction, seen through the relation, is not the gold: with the columns
that stand for the gold's alone, or changed in the same way. Without it one more column would
hide a lucky match from the search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.compare.relations import relate
from sqlverdict.records import Answer, Comparison, Contract, Relation


@dataclass(frozen=True)
class UnderRelation:
    """A preset: the same as ``strict``, or related as the relation says.

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
        kinds = {relation.kind for relation in relate(gold, through or prediction, pair)}
        if self.relation.kind in kinds or self._sum_of_nothing(gold, prediction):
            return Comparison(True)
        return plain

    def _without_order(self, pair: QueryPair) -> QueryPair:
        """The order of rows does not count where it did not on the real data."""
        free = self.relation.kind in ("order_only", "transposed")
        if not free and self.relation.detail.get("order") != "other":
            return pair
        return replace(pair, contract=replace(pair.contract or Contract(), order="ignore"))

    def _columns_that_count(self, gold: Answer, prediction: Answer) -> Answer | None:
        """The prediction without its further columns, those left in the gold's order."""
        columns = self.relation.detail.get("columns") or ()
        extra = self.relation.detail.get("extra")
        width = len(columns) + (len(extra) if isinstance(extra, list) else 0)
        if len(gold.columns) != len(columns) or len(prediction.columns) != width:
            return None
        if not columns or None in columns:
            return None
        rows = [tuple(row[place] for place in columns) for row in prediction.rows]
        return Answer(tuple(prediction.columns[place] for place in columns), rows)

    def _sum_of_nothing(self, gold: Answer, prediction: Answer) -> bool:
        """A sum over an empty list is NULL or 0."""
        empty = self.relation.kind == "sum_of_list" and not gold.rows
        return empty and prediction.rows in ([(None,)], [(0,)])
