"""Two answers side by side, with what several relations ask about them; computed once."""

from __future__ import annotations

from functools import cached_property

from sqlverdict.compare.columns import SearchExhausted, match_columns
from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.contain import columns_within, inverse
from sqlverdict.compare.related.search import Linker, find_map, map_detail
from sqlverdict.compare.related.table import AnswerTable
from sqlverdict.records import Relation


class TablePair:
    """The gold answer and the prediction's, both with at least one row.

    Args:
        gold: The gold answer.
        prediction: The prediction's answer.
        queries: The two queries, and a probe for ties.
        search: Whether the answers are small enough to search for a map of columns.
    """

    def __init__(
        self,
        gold: AnswerTable,
        prediction: AnswerTable,
        queries: QueryPair,
        *,
        search: bool = True,
    ) -> None:
        self.gold = gold
        self.prediction = prediction
        self.queries = queries
        self.search = search

    @property
    def same_height(self) -> bool:
        """Whether both answers have equally many rows."""
        return self.gold.height == self.prediction.height

    @property
    def same_width(self) -> bool:
        """Whether both answers have equally many columns."""
        return self.gold.width == self.prediction.width

    @cached_property
    def column_order(self) -> tuple[int, ...] | None:
        """The prediction's column for each gold column that makes the bags equal, if there is."""
        if not self.same_height or self.gold.width == self.gold.height == 1:
            return None
        return column_order(self.gold, self.prediction)

    @property
    def same_bag(self) -> bool:
        """Whether the rows are equal but for their order."""
        return self.column_order == tuple(range(self.gold.width))

    @cached_property
    def contained_columns(self) -> list[int] | None:
        """The prediction's column for each gold column under which one answer is in the other."""
        if self.gold.height < self.prediction.height:
            return columns_within(self.gold, self.prediction, search=self.search)
        columns = columns_within(self.prediction, self.gold, search=self.search)
        return None if columns is None else inverse(columns)


def column_order(gold: AnswerTable, prediction: AnswerTable) -> tuple[int, ...] | None:
    """The prediction's column for each gold column that makes the bags equal."""
    try:
        return match_columns(gold.rows, prediction.rows)
    except SearchExhausted:
        # Columns too alike to be told apart: nothing is claimed.
        return None


def map_relation(kind: str, tables: TablePair, linker: Linker | None = None) -> Relation | None:
    """The relation that a map of columns proves, where there is a map.

    Args:
        kind: The relation's name.
        tables: The two answers.
        linker: Makes links beyond plain equality.
    """
    if not tables.same_height:
        return None
    links = find_map(tables.gold, tables.prediction, linker)
    if links is None:
        return None
    return Relation(kind, map_detail(tables.gold, tables.prediction, links, tables.queries))
