"""References of an instance in the making get their parents."""

from __future__ import annotations

from sqlverdict.records import Cell
from sqlverdict.refute.make.constraints import KeyLink
from sqlverdict.refute.make.instance_builder import InstanceBuilder
from sqlverdict.refute.make.values import takes

_ROUNDS = 4
"""How often a table that references itself may do so."""


def close(draft: InstanceBuilder) -> None:
    """Give every reference its parent; where that fails, drop the child."""
    # A chain of parents is at most as long as there are references, but for one to itself.
    for _ in range(len(draft.plan.links) + _ROUNDS):
        if not sum(_mend(draft, link) for link in draft.plan.links):
            return
    while sum(_prune(draft, link) for link in draft.plan.links):
        pass


def _orphans(draft: InstanceBuilder, link: KeyLink) -> list[list[Cell]]:
    children = draft.content.get(link.table)
    if not children:
        return []
    parents = draft.content.get(link.parent, ())
    if len(link.child) == 1:
        (child,), (key,) = link.child, link.key
        values = {row[key] for row in parents}
        return [r for r in children if r[child] is not None and r[child] not in values]
    known = {tuple([row[n] for n in link.key]) for row in parents}
    found = []
    for row in children:
        value = tuple([row[n] for n in link.child])
        if None not in value and value not in known:
            found.append(row)
    return found


def _mend(draft: InstanceBuilder, link: KeyLink) -> bool:
    orphans = _orphans(draft, link)
    if not orphans:
        return False
    parent = draft.plan.ground.tables[link.parent]
    keys = {n: draft.plan.pools[(parent.name, parent.columns[n].name)] for n in link.key}
    for row in orphans:
        if link.nullable and not draft.firm and draft.rng.random() < 0.2:
            for n in link.child:
                row[n] = None
            continue
        fresh = list(draft.plan.blanks[parent.name])
        for n, place in draft.plan.varied[parent.name]:
            fresh[n] = draft.value(place)
        for n, source in zip(link.key, link.child, strict=True):
            if not takes(keys[n].kind, row[source]):
                # A text that refers to a number.
                row[source] = keys[n].plain[0]
            fresh[n] = row[source]
        draft.keep(parent, fresh)
    return True


def _prune(draft: InstanceBuilder, link: KeyLink) -> bool:
    orphans = _orphans(draft, link)
    if not orphans:
        return False
    gone = set(map(id, orphans))
    draft.content[link.table] = [r for r in draft.content[link.table] if id(r) not in gone]
    return True
