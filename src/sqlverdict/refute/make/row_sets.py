"""Row sets: one row for each table of the queries, joined by equal values.

A row set satisfies the joins and, as far as the profile says, the conditions of the queries, so the
gold query has something to return. The profile decides what goes wrong in it.
"""

from __future__ import annotations

from sqlverdict.refute.make.instance_builder import InstanceBuilder

_SECOND_COPY = 0.7
"""How often a table that a query names twice gets a second row in a row set."""


def add_row_sets(builder: InstanceBuilder) -> None:
    """Add as many row sets as the builder has drawn."""
    rng, profile, plan, missing = (
        builder.rng,
        builder.profile,
        builder.plan,
        builder.profile.missing,
    )
    copies, classes = plan.reading.copies, range(len(builder.joining.values))
    empty = {table.name for table in plan.tables if profile.empty and rng.random() < profile.empty}
    for number in range(builder.row_sets):
        builder.step = number
        join_values = [builder.join_value(n) for n in classes]
        for table in plan.tables:
            if table.name in empty or (missing and rng.random() < missing):
                continue
            builder.add_row(table, join_values)
            if copies.get(table.name, 1) > 1 and rng.random() < _SECOND_COPY:
                builder.add_row(table, join_values)
