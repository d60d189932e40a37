"""Both queries of a pair on one instance: do they differ, and are their answers determined?

What it returns is a difference on some rows, before it is a witness.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from sqlverdict.compare.preset import Preset, QueryPair
from sqlverdict.execute.in_memory import ScratchDatabase
from sqlverdict.parse.schema import Schema, is_view
from sqlverdict.parse.tokens import fold, solid
from sqlverdict.prove.reasoning.open_choices import shows_any_row
from sqlverdict.records import Answer, Comparison, Contract, Outcome, Query, Reason
from sqlverdict.refute.make.constraints import Links, foreign_keys_hold
from sqlverdict.refute.read import refusal
from sqlverdict.refute.shrink import Cost
from sqlverdict.refute.trial.determined import is_determined, is_order_free, second_answer
from sqlverdict.refute.trial.rebuild import compare_outcomes
from sqlverdict.refute.witness import Content, Origin

Rank = tuple[int, int, int]
"""How far rows are from ordinary, and whether the answers say the same on them."""
BEST: Rank = (0, 0, 0)


@dataclass
class Difference:
    """A difference on an instance, before it is shrunk."""

    rows: Content
    gold: Outcome
    prediction: Outcome
    comparison: Comparison

    @property
    def says_the_same(self) -> bool:
        """Whether both answers say the same: rows repeated, or nothing said in two ways.

        Nothing is no row, or rows that hold nothing but NULL.
        """
        if not isinstance(self.gold, Answer) or not isinstance(self.prediction, Answer):
            return False
        if self.comparison.reasons == (Reason.DUPLICATES_MISMATCH,):
            return True
        return _says_nothing(self.gold) and _says_nothing(self.prediction)


def _says_nothing(answer: Answer) -> bool:
    return all(cell is None for row in answer.rows for cell in row)


@dataclass(frozen=True)
class Separation:
    """A difference, and the instance of the search that showed it."""

    difference: Difference
    origin: Origin
    instances_tried: int


class SmallDifference(NamedTuple):
    """A difference on few rows, and how far these are from ordinary."""

    separation: Separation
    cost: Cost

    @property
    def rank(self) -> Rank:
        """What a search prefers, least first: ordinary rows, then a difference that tells more."""
        return (*self.cost, int(self.separation.difference.says_the_same))


def is_legal_difference(difference: Difference | None, rows: Content) -> bool:
    """Whether there is a difference, and the engine accepted every row."""
    return difference is not None and all(
        len(difference.rows.get(table, ())) == len(content) for table, content in rows.items()
    )


_QUOTES = "\"'`[]"


def tables_in_texts(schema: Schema, texts: Iterable[str]) -> frozenset[str]:
    """The tables whose rows these texts can read: their names stand there.

    All tables where that does not tell: a view reads others, and so may the engine's own tables;
    a name with quotes in it can be written in several ways.
    """
    names = {table.name for table in schema.tables}
    words = {fold(word.strip(_QUOTES)) for text in texts for word in solid(text)}
    if (
        any(is_view(table) for table in schema.tables)
        or any(set(_QUOTES).intersection(name) for name in names)
        or any(word.startswith("sqlite_") for word in words)
    ):
        return frozenset(names)
    return frozenset(name for name in names if fold(name) in words)


_FAR_MORE = 4
"""A prediction that takes so many times the gold's steps may have a search to itself."""


class PairTrial:
    """Runs the two queries of a pair on instances.

    Args:
        queries: The gold query and the predicted one.
        schema: The tables.
        scratches: A scratch database with keys, and one without.
        links: The foreign keys that every instance must obey.
        preset: When two answers are the same.
        contract: What the case asks of answers.

    Attributes:
        gold: The text of the gold query.
        prediction: That of the predicted one.
        stopped: On how many instances a limit stopped the prediction where the gold answered.
        gold_work: How many steps the gold took on instances.
        prediction_work: How many the prediction took.
    """

    def __init__(
        self,
        queries: tuple[Query, Query],
        schema: Schema,
        scratches: tuple[ScratchDatabase, ScratchDatabase],
        links: Links,
        preset: Preset,
        contract: Contract | None,
    ) -> None:
        self._queries, self._schema, self._scratches = queries, schema, scratches
        self.gold, self.prediction = queries[0].sql, queries[1].sql
        self._dialect = queries[0].dialect
        self._links, self._preset, self._contract = links, preset, contract
        self.stopped = self.gold_work = self.prediction_work = 0
        self._names = tables_in_texts(schema, (self.gold, self.prediction))

    @property
    def takes_far_more(self) -> bool:
        """Whether the prediction takes far more steps than the gold."""
        return self.prediction_work > _FAR_MORE * self.gold_work

    def stored(self, difference: Difference) -> Difference:
        """The difference with rows as the engine stores them: 1 is '1' in a column of texts."""
        scratch = self._scratches[0]
        scratch.load(difference.rows)
        return replace(difference, rows=scratch.stored(difference.rows))

    def determined_difference(self, rows: Content) -> Difference | None:
        """The difference between the two queries on these rows, if both answers are determined."""
        difference = self.legal_difference(rows)
        if difference is None or not self.is_determined(difference):
            return None
        return self.stored(difference)

    def is_determined(self, difference: Difference) -> bool:
        """Whether both answers are the queries' own, whatever the order of the rows."""
        gold, prediction = difference.gold, difference.prediction
        if isinstance(gold, Answer) and isinstance(prediction, Answer):
            if self._order_free:
                return True
            if self._gold_is_open and len(gold.rows) == len(prediction.rows):
                return False
        outcomes = ((self.gold, gold), (self.prediction, prediction))
        return is_determined(
            *outcomes, difference.rows, self._scratches, self._preset, self._dialect
        )

    @cached_property
    def _order_free(self) -> bool:
        return all(is_order_free(query, self._schema) for query in self._queries)

    @cached_property
    def _gold_is_open(self) -> bool:
        """Whether the gold shows a column of any row of a group: nothing of it is decided."""
        return shows_any_row(self._queries[0], self._schema)

    @property
    def is_prediction_order_free(self) -> bool:
        """Whether nothing in the prediction can depend on the order of rows."""
        return is_order_free(self._queries[1], self._schema)

    def legal_difference(self, rows: Content) -> Difference | None:
        """A difference on legal rows, determined or not."""
        difference = self._difference(rows)
        if difference is None:
            return None
        scratch = self._scratches[0]
        stored = rows if scratch.whole and scratch.literal else scratch.stored(rows)
        # A CHECK may have refused a parent; then the instance is not legal.
        if not foreign_keys_hold(stored, self._links):
            return None
        parents = {link.parent for table in stored for link in self._links.get(table, ())}
        if parents and scratch.orphaned(parents):
            return None
        return replace(difference, rows=stored)

    def _difference(self, rows: Content) -> Difference | None:
        """A difference on these rows, or on those of them that the engine accepts."""
        scratch, names = self._scratches[0], self._names
        # Parents that no query reads count where the queries differ: most instances show nothing.
        read = {table: content for table, content in rows.items() if table in names}
        scratch.load(read)
        before = scratch.work
        gold, between = scratch.run(self.gold), scratch.work
        prediction = scratch.run(self.prediction)
        self.gold_work += between - before
        self.prediction_work += scratch.work - between
        if (
            isinstance(gold, Answer)
            and isinstance(prediction, Answer)
            and gold.rows == prediction.rows
        ):
            return None
        self.stopped += isinstance(gold, Answer) and refusal.is_stopped(prediction)
        comparison = self._compare(gold, prediction)
        if comparison.equal is not False:
            return None
        scratch.load(rows)
        return Difference(rows, gold, prediction, comparison)

    def _compare(self, gold: Outcome, prediction: Outcome) -> Comparison:
        pair = QueryPair(
            self.gold, self.prediction, self._dialect, self._contract, self._scratches[0].run
        )
        return compare_outcomes(gold, prediction, self._preset, pair)

    def second_answer(self, difference: Difference) -> Answer | None:
        """Another answer that the prediction may give, where the gold gives only one."""
        if self._gold_is_open:
            return None
        outcomes = (
            (self.gold, difference.gold),
            (self.prediction, difference.prediction),
        )
        return second_answer(
            *outcomes, difference.rows, self._scratches, self._preset, self._dialect
        )

    def differs(self, rows: Content, *, in_meaning: bool = False) -> bool:
        """Whether the queries differ on these rows; not whether their answers are determined.

        ``in_meaning``: the answers must not say the same.
        """
        difference = self._difference(rows)
        if difference is None or (in_meaning and difference.says_the_same):
            return False
        return self._scratches[0].whole

    def differs_determined(self, rows: Content, *, in_meaning: bool = False) -> bool:
        """Whether the queries differ on all of these rows with determined answers."""
        difference = self.determined_difference(rows)
        if difference is not None and in_meaning and difference.says_the_same:
            return False
        return is_legal_difference(difference, rows)

    def leaves_open(self, rows: Content) -> bool:
        """Whether the prediction leaves open on all of these rows what the gold decides."""
        difference = self.legal_difference(rows)
        if difference is None or not is_legal_difference(difference, rows):
            return False
        return self.second_answer(difference) is not None
