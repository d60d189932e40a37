"""Witnesses on an engine for a prediction that leaves open what the gold decides."""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.parse.schema import Schema
from sqlverdict.prove.reasoning.open_choices import shows_any_row
from sqlverdict.records import Answer, Query
from sqlverdict.refute.make.constraints import SchemaConstraints
from sqlverdict.refute.shrink import Shrinker
from sqlverdict.refute.target.trial import EngineTrial
from sqlverdict.refute.trial.pair_trial import Difference


def open_answer(
    trial: EngineTrial,
    gold: Query,
    schema: Schema,
    differences: Iterable[Difference],
    shrinking: tuple[SchemaConstraints, int] | None = None,
) -> tuple[Difference, Answer] | None:
    """A difference where the gold gives one answer, and the other one that the prediction may give.

    It is the first of some differences that shows it, on fewer rows where it is to be shrunk.

    Args:
        trial: Runs the two queries.
        gold: The gold query.
        schema: Its tables.
        differences: Differences of which one answer is not determined.
        shrinking: What smaller instances must obey, and how many are tried.
    """
    if shows_any_row(gold, schema):
        # Nothing of the gold is decided.
        return None
    for difference in differences:
        other = trial.second_answer(difference)
        if other is None:
            continue
        if shrinking is not None:
            constraints, tries = shrinking
            small = Shrinker(constraints, trial.leaves_open, tries).fewer(difference.rows)
            last = trial.difference(small) if small is not None else None
            last_other = trial.second_answer(last) if last is not None else None
            if last is not None and last_other is not None:
                return last, last_other
        return difference, other
    return None
