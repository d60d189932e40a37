"""Foreign keys of an instance in the making: every reference gets its parent."""

from __future__ import annotations

from sqlverdict.records import Cell
from sqlverdict.refute.make.constraints import KeyLink
from sqlverdict.refute.make.instance_builder import InstanceBuilder
from sqlverdict.refute.make.values import takes

_SELF_REFERENCES = 4
"""How long a chain of parents may be in a table that references itself."""
_NULL_REFERENCE = 0.2
"""How often a reference without a parent becomes NULL instead of getting one."""


def add_parents(builder: InstanceBuilder) -> None:
    """Give every reference its parent; where that fails, drop the child."""
    # A chain of parents is at most as long as there are references, but for one to itself.
    for _ in range(len(builder.plan.links) + _SELF_REFERENCES):
        if not sum(_add_parents(builder, link) for link in builder.plan.links):
            return
    while sum(_drop_orphans(builder, link) for link in builder.plan.links):
        pass


def _orphans(builder: InstanceBuilder, link: KeyLink) -> list[list[Cell]]:
    children = builder.rows.get(link.table)
    if not children:
        return []
    parents = builder.rows.get(link.parent, ())
    if len(link.child) == 1:
        (child,), (key,) = link.child, link.key
        values = {row[key] for row in parents}
        return [r for r in children if r[child] is not None and r[child] not in values]
    known = {tuple([row[n] for n in link.key]) for row in parents}
    orphans = []
    for row in children:
        value = tuple([row[n] for n in link.child])
        if None not in value and value not in known:
            orphans.append(row)
    return orphans


def _add_parents(builder: InstanceBuilder, link: KeyLink) -> bool:
    orphans = _orphans(builder, link)
    if not orphans:
        return False
    plan = builder.plan
    parent = plan.constraints.tables[link.parent]
    keys = {n: plan.pools[(parent.name, parent.columns[n].name)] for n in link.key}
    for row in orphans:
        if link.nullable and not builder.exact and builder.rng.random() < _NULL_REFERENCE:
            for n in link.child:
                row[n] = None
            continue
        fresh = list(plan.blanks[parent.name])
        for n, column in plan.varied[parent.name]:
            fresh[n] = builder.value(column)
        for n, source in zip(link.key, link.child, strict=True):
            if not takes(keys[n].kind, row[source]):
                # A text that refers to a number.
                row[source] = keys[n].plain[0]
            fresh[n] = row[source]
        builder.keep(parent, fresh)
    return True


def _drop_orphans(builder: InstanceBuilder, link: KeyLink) -> bool:
    orphans = _orphans(builder, link)
    if not orphans:
        return False
    builder.drop(link.table, orphans)
    return True
