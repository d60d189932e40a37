"""Queries that ask the clock, compared at one moment: the search for witnesses refuses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlverdict.parse.facts import Fact
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Answer, Failure, Query, Reason

if TYPE_CHECKING:
    from sqlverdict.records import Outcome
    from sqlverdict.refute.trial.scratch_database import ScratchDatabase
    from sqlverdict.refute.witness import Refutation

_TURNS = 5
"""How often two queries are asked again where the clock has moved on between them."""


def asks_the_clock(query: Query, schema: Schema, facts: frozenset[Fact]) -> bool:
    """Whether a query's answer depends on the clock, or on chance."""
    from sqlverdict.refute.trial.scratch_database import warm_scratch

    scratch = warm_scratch(schema, facts, False)
    scratch.load({})
    outcome = scratch.run(query.sql)
    return isinstance(outcome, Answer) and outcome.volatile


def at_one_moment(
    left: Query, right: Query, schema: Schema, facts: frozenset[Fact], instances: int
) -> Refutation:
    """Run both queries on generated databases, each time within one moment.

    Returns:
        The first database on which they differ, as it was made; or how many were tried. Where
        an answer never stays the same for a moment, chance is in it: nothing can be said.
    """
    from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
    from sqlverdict.refute.make.generator import InstanceGenerator
    from sqlverdict.refute.read.constants import read_query
    from sqlverdict.refute.trial.scratch_database import warm_scratch
    from sqlverdict.refute.witness import Instance, NotRefuted, Witness

    scratch, preset = warm_scratch(schema, facts, False), PRESETS.get(DEFAULT_PRESET)
    generator = InstanceGenerator(
        schema, facts, read_query(left, schema).merge(read_query(right, schema))
    )
    pair = QueryPair(left.sql, right.sql, left.dialect, probe=scratch.run)
    for number in range(instances):
        rows = generator.instance(number)
        scratch.load(rows)
        answers = _answers(left.sql, right.sql, scratch)
        if answers is None:
            message = "an answer changes from one moment to the next"
            return NotRefuted(number, reason=Reason.UNSUPPORTED_FEATURE, message=message)
        ours, theirs = answers
        if isinstance(ours, Answer) and isinstance(theirs, Answer):
            comparison = preset.compare(ours, theirs, pair)
            if comparison.equal is not False:
                continue
            reasons = comparison.reasons
        else:
            failed = [outcome.reason for outcome in answers if isinstance(outcome, Failure)]
            if len(failed) == len(answers):
                continue
            reasons = tuple(failed)
        tables = {table: content for table, content in scratch.stored(rows).items() if content}
        instance = Instance(schema, tables)
        return Witness(
            left.sql, right.sql, instance, ours, theirs, reasons, instances_tried=number + 1
        )
    return NotRefuted(instances)


def _answers(left: str, right: str, scratch: ScratchDatabase) -> tuple[Outcome, Outcome] | None:
    """What both answer at one moment: asked by turns, each answers the same twice."""
    for _ in range(_TURNS):
        ours, theirs = scratch.run(left), scratch.run(right)
        if (_rows_or_reason(ours), _rows_or_reason(theirs)) == (
            _rows_or_reason(scratch.run(left)),
            _rows_or_reason(scratch.run(right)),
        ):
            return ours, theirs
    return None


def _rows_or_reason(outcome: Outcome) -> object:
    return outcome.rows if isinstance(outcome, Answer) else outcome.reason
