"""Makes a witness of a difference: few rows, simple values, and as ordinary as they can be."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property, partial

from sqlverdict.parse.schema import Schema
from sqlverdict.records import Cell
from sqlverdict.refute.data.grade import Grader
from sqlverdict.refute.data.ordinary_part import OrdinaryPart
from sqlverdict.refute.data.regularities import Regularities
from sqlverdict.refute.make.constraints import SchemaConstraints
from sqlverdict.refute.meter import Meter
from sqlverdict.refute.shrink import Cost, Differ, Shrinker
from sqlverdict.refute.trial.pair_trial import (
    Difference,
    PairTrial,
    Rank,
    Separation,
    SmallDifference,
)
from sqlverdict.refute.witness import Content, Instance, SearchBudget, Witness

_REEXAMINED = 8
"""How many differences are examined again where none is determined; a few, because each of them is
shrunk."""


class WitnessReducer:
    """Reduces the differences of one search.

    Args:
        trial: Runs the two queries.
        schema: The tables.
        constraints: What every instance must obey.
        real: What the real database shows; ``None`` where there is none.
        query_values: The constants of both queries: simple values that say something.
        budget: What the search may spend.
        meter: What it has spent.

    Attributes:
        undetermined: How many differences rest on the order of rows alone.
    """

    def __init__(
        self,
        trial: PairTrial,
        schema: Schema,
        constraints: SchemaConstraints,
        real: Regularities | None,
        query_values: Collection[Cell],
        budget: SearchBudget,
        meter: Meter,
    ) -> None:
        self._trial, self._schema, self._constraints = trial, schema, constraints
        self._real, self._query_values = real, query_values
        self._budget, self._meter = budget, meter
        self._first: list[Separation] = []
        self._left_open: list[Separation] = []
        self.undetermined = 0

    def small(self, separation: Separation, below: Rank | None) -> SmallDifference | None:
        """The same difference on fewer rows, if it is a determined one of a lower rank.

        Where no difference was undetermined so far, the few rows that are left are tested first:
        they have few orders. Once there is a witness, that is tested last of all.

        Args:
            separation: The difference, and the instance that shows it.
            below: The rank of the best witness so far; ``None`` where there is none.
        """
        if len(self._first) < _REEXAMINED:
            self._first.append(separation)
        trial, difference, grader = self._trial, separation.difference, self._grader
        if below is None and self.undetermined and not trial.is_determined(difference):
            self._leave_open(separation)
            return None

        if below is not None and not self._may_be_better(difference, below):
            return None

        def hopeless(rows: Content) -> bool:
            return below is not None and (grader.least(Instance(self._schema, rows)), 0, 0) >= below

        for differ in self._differs(difference):
            rows = self._shrinker(differ, grader).fewer(difference.rows, hopeless)
            if rows is None:
                return None
            cost = self._cost(rows, grader)
            if below is not None and (*cost, 0) >= below:
                return None
            last = trial.determined_difference(rows)
            if last is not None:
                small = SmallDifference(replace(separation, difference=last), cost)
                return None if below is not None and small.rank >= below else small
            if not trial.is_determined(difference):
                self._leave_open(separation)
                return None
        return None

    def _may_be_better(self, difference: Difference, below: Rank) -> bool:
        """Whether to shrink a difference may lead to one of a lower rank; it seldom does else.

        Without real data few instances are ordinary by themselves: all are shrunk.
        """
        severity, broken, same = below
        if self._real is None:
            return True
        if not (severity or broken):
            # What says the same on many rows does so on few of them.
            return not difference.says_the_same
        if broken > 1:
            return True
        rows = self._ordinary_part(difference.rows, severity if same else severity - 1)
        if rows is None:
            return False
        size = sum(map(len, difference.rows.values()))
        return sum(map(len, rows.values())) == size or self._trial.differs(rows)

    def determined_beside(self) -> SmallDifference | None:
        """A determined difference beside an undetermined one: one row less may break a tie."""
        grader = self._grader
        for separation in self._left_open:
            _, differ = self._differs(separation.difference)
            shrinker = self._shrinker(differ, grader)
            rows = shrinker.one_less(separation.difference.rows)
            if rows is None:
                continue
            last = self._trial.determined_difference(shrinker.fewer(rows) or rows)
            if last is not None:
                determined = replace(separation, difference=last)
                return SmallDifference(determined, self._cost(last.rows, grader))
        return None

    def witness(self, small: SmallDifference) -> Witness:
        """The witness, with simple values."""
        simple = replace(small.separation, difference=self._simple(small))
        return self._graded(simple, self._grader)

    def undetermined_witness(self) -> Witness | None:
        """A database on which the prediction leaves open what the gold decides."""
        trial = self._trial
        if trial.is_prediction_order_free:
            return None
        others = [each for each in self._first if all(each is not o for o in self._left_open)]
        for separation in (*self._left_open, *others):
            difference = separation.difference
            if trial.second_answer(difference) is None:
                continue
            # Only a tie of the gold's own ranking is unusual: the prediction chose its own.
            grader = Grader(
                self._schema, self._real, trial.gold, trial.prediction, ranked=(trial.gold,)
            )
            shrinker = self._shrinker(trial.leaves_open, grader)
            rows = shrinker.fewer(difference.rows) or difference.rows
            rows = shrinker.simpler(rows, self._cost(rows, grader), self._query_values)
            last = trial.stored(trial.legal_difference(rows) or difference)
            other = trial.second_answer(last)
            if other is not None:
                witness = self._graded(replace(separation, difference=last), grader)
                return replace(witness, kind="undetermined_prediction", other=other)
        return None

    def _leave_open(self, separation: Separation) -> None:
        self.undetermined += 1
        if len(self._left_open) < _REEXAMINED:
            self._left_open.append(separation)

    def _differs(self, difference: Difference) -> tuple[Differ, Differ]:
        """Whether rows show the difference still, without and with determined answers."""
        in_meaning = not difference.says_the_same
        return (
            partial(self._trial.differs, in_meaning=in_meaning),
            partial(self._trial.differs_determined, in_meaning=in_meaning),
        )

    def _simple(self, small: SmallDifference) -> Difference:
        """The same difference with simple values."""
        difference = small.separation.difference
        for differ in self._differs(difference):
            shrinker = self._shrinker(differ, self._grader)
            rows = shrinker.simpler(difference.rows, small.cost, self._query_values)
            simple = self._trial.determined_difference(rows)
            if simple is not None:
                return simple
        return difference

    def _shrinker(self, differ: Differ, grader: Grader) -> Shrinker:
        """A shrinker that keeps instances as ordinary as they are."""
        return Shrinker(
            self._constraints,
            differ,
            self._budget.shrink,
            lambda rows: partial(self._cost, grader=grader.within(Instance(self._schema, rows))),
            partial(self._cost, grader=grader),
            self._is_over,
        )

    def _is_over(self) -> bool:
        return self._meter.over

    def _cost(self, rows: Content, grader: Grader) -> Cost:
        self._meter.spend(grader.weight * sum(map(len, rows.values())))
        return grader.cost(Instance(self._schema, rows))

    def _graded(self, separation: Separation, grader: Grader) -> Witness:
        difference = separation.difference
        rows = {table: content for table, content in difference.rows.items() if content}
        instance = Instance(self._schema, rows)
        grade, broken = grader.grade(instance)
        return Witness(
            self._trial.gold,
            self._trial.prediction,
            instance,
            difference.gold,
            difference.prediction,
            difference.comparison.reasons,
            separation.origin,
            separation.instances_tried,
            grade,
            broken,
            cut_by_time=self._meter.late,
        )

    @cached_property
    def _ordinary_part(self) -> OrdinaryPart:
        return OrdinaryPart(self._grader, self._constraints.links)

    @cached_property
    def _grader(self) -> Grader:
        return Grader(self._schema, self._real, self._trial.gold, self._trial.prediction)
