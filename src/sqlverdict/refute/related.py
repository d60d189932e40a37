"""How two queries relate on generated databases: what a difference amounts to without the data.

Where the answers are known to differ and cannot be looked at, or where one database shows a
relation that may be luck, both queries run on databases that the generator makes. What holds on
every one of them is likely to be the queries' own: the same rows but for repetitions, the same
columns in another order, all rows of the gold and more.

One map of columns is held against all databases: a choice of columns for each of them would be
chance. Databases on which either answer depends on the order of rows are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Literal

from sqlverdict.errors import SchemaError
from sqlverdict.execute.in_memory import ScratchDatabase
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Answer, Cell, Outcome, ParseFailure, ParseResult, Row
from sqlverdict.refute.make.generator import InstanceGenerator
from sqlverdict.refute.meter import Meter
from sqlverdict.refute.read.constants import read_query
from sqlverdict.refute.read.part import schema_part
from sqlverdict.refute.search import scratches_for
from sqlverdict.refute.sources import InstanceSources
from sqlverdict.refute.witness import Content, SearchBudget

INSTANCES = 60
"""How many databases are made."""
ENOUGH = 4
"""On so many databases one of the queries must return rows, or nothing is said."""
_MOST_MAPS = 720
"""So many maps of columns are followed: all orders of six columns."""
_DIGITS = 9
"""Digits of a number that count where rows are compared."""

ColumnRelation = Literal["same", "permuted", "extra", "missing"]
RowRelation = Literal["same", "repeated", "more", "fewer", "other"]


@dataclass(frozen=True)
class RelatedOnInstances:
    """What generated databases show.

    Attributes:
        instances: On how many databases one of the two queries returned rows, and both answers
            were their own.
        columns: ``same``, ``permuted``, ``extra`` (the prediction has all of the gold's and
            more), or ``missing`` (the gold has all of the prediction's and more).
        rows: ``same`` on every database, ``repeated`` (the same but for repetitions), ``more``
            (all of the gold's, and further ones), ``fewer``, or ``other``.
        overlap: How much the sets of rows overlap, from 0 to 1: the mean of their F1, over all
            databases or over those where an answer says something (a value that is neither NULL
            nor zero), whichever is less. 0 where these are fewer than half of all: nearly every
            pair of queries agrees on nothing.
        missing: The gold's columns, from 0, that nothing in the prediction stands for.
    """

    instances: int
    columns: ColumnRelation
    rows: RowRelation
    overlap: float
    missing: tuple[int, ...] = ()


class _Map:
    """One way to set columns beside each other, and on how many databases what holds under it."""

    def __init__(self, gold: tuple[int, ...], prediction: tuple[int, ...]) -> None:
        self.gold, self.prediction = gold, prediction
        self.overlap = self.overlap_with_values = 0.0
        self.with_values = 0
        self.holds: dict[RowRelation, int] = {"same": 0, "repeated": 0, "more": 0, "fewer": 0}

    def see(self, gold: Sequence[Row], prediction: Sequence[Row]) -> None:
        """Take note of two answers, one of which has rows."""
        ours = Counter([tuple([row[n] for n in self.gold]) for row in gold])
        theirs = Counter([tuple([row[n] for n in self.prediction]) for row in prediction])
        rows, others = ours.keys(), theirs.keys()
        overlap = 2 * len(rows & others) / (len(rows) + len(others))
        self.overlap += overlap
        if any(cell for row in (*rows, *others) for cell in row):
            self.with_values += 1
            self.overlap_with_values += overlap
        self.holds["same"] += ours == theirs
        self.holds["repeated"] += rows == others
        self.holds["more"] += rows <= others
        self.holds["fewer"] += others <= rows

    def relation(self, instances: int, wider: int) -> RelatedOnInstances:
        """What holds on all of so many databases; ``wider``: columns more than the gold's."""
        always = (name for name, times in self.holds.items() if times == instances)
        columns: ColumnRelation = "same" if self.gold == self.prediction else "permuted"
        if wider:
            columns = "extra" if wider > 0 else "missing"
        overlap = 0.0
        if 2 * self.with_values >= instances:
            least = min(self.overlap / instances, self.overlap_with_values / self.with_values)
            overlap = round(least, 4)
        missing = sorted({*range(len(self.gold) - min(wider, 0))} - {*self.gold})
        rows: RowRelation = next(always, "other")
        return RelatedOnInstances(instances, columns, rows, overlap, tuple(missing))


def relate_on_instances(
    gold: ParseResult,
    prediction: ParseResult,
    schema: Schema,
    *,
    budget: SearchBudget | None = None,
    database: Path | None = None,
) -> RelatedOnInstances | None:
    """How the answers of two queries relate on generated databases.

    Args:
        gold: The gold query.
        prediction: The predicted query.
        schema: The tables.
        budget: How much work may be spent, and the seed.
        database: The real database; some databases are then made of its rows.

    Returns:
        What holds on all of them; ``None`` where a query cannot be read or run there, where too
        few databases say anything, or where the clock ended it.
    """
    limits = budget or SearchBudget()
    if isinstance(gold, ParseFailure) or isinstance(prediction, ParseFailure):
        return None
    part = schema_part(schema, (*gold.tables, *prediction.tables))
    try:
        facts, scratches = scratches_for(part, None)
        reading = read_query(gold, part).merge(read_query(prediction, part))
        generator = InstanceGenerator(part, facts, reading, limits.seed, scratches[0])
        sources = InstanceSources(generator, facts, limits, INSTANCES, database, scratches[0])
    except SchemaError:
        return None
    meter = Meter(limits, scratches)
    maps: list[_Map] = []
    wider = instances = 0
    for _, rows in sources(()):
        if meter.over:
            break
        answers = [_determined(sql, rows, scratches) for sql in (gold.sql, prediction.sql)]
        before, after = answers
        if before is None or after is None or not (before.rows or after.rows):
            continue
        if not instances:
            wider = len(after.columns) - len(before.columns)
            maps = list(_maps(len(before.columns), len(after.columns)))
        instances += 1
        gold_rows, prediction_rows = _rounded(before.rows), _rounded(after.rows)
        for one in maps:
            one.see(gold_rows, prediction_rows)
    if instances < ENOUGH or meter.late:
        return None
    # Among maps that overlap equally the first stands: the columns in their given order.
    return max(maps, key=lambda one: one.overlap).relation(instances, wider)


def _determined(
    sql: str, rows: Content, scratches: tuple[ScratchDatabase, ScratchDatabase]
) -> Answer | None:
    """What a query gives on these rows, where it gives the same with the rows turned round."""
    forward, keyless = scratches
    reversed_rows = {table: list(reversed(content)) for table, content in rows.items()}
    outcomes: list[Outcome] = []
    for scratch, content in ((forward, rows), (keyless, reversed_rows)):
        scratch.load(content)
        outcomes.append(scratch.run(sql))
    first, second = outcomes
    if not isinstance(first, Answer) or not isinstance(second, Answer) or first.volatile:
        return None
    same = Counter(_rounded(first.rows)) == Counter(_rounded(second.rows))
    return first if same else None


def _rounded(rows: Sequence[Row]) -> list[Row]:
    return [tuple([_cell(cell) for cell in row]) for row in rows]


def _cell(cell: Cell) -> Cell:
    return round(cell, _DIGITS) if isinstance(cell, float) else cell


def _maps(gold: int, prediction: int) -> Iterator[_Map]:
    """The ways to give each column of the narrower answer one of the wider."""
    narrow, wide = sorted((gold, prediction))
    identity = tuple(range(narrow))
    for number, order in enumerate(permutations(range(wide), narrow)):
        if number >= _MOST_MAPS:
            return
        yield _Map(identity, order) if gold <= prediction else _Map(order, identity)
