"""The query without tables that it only joins.

Candidate: tables are left out of which nothing is used but one column, in equalities with other
tables; those tables are then joined with each other. Left out as long as there is one.

Applies to SELECTs of inner joins over tables, without a star. A join with an unused table repeats
rows or drops those without a partner.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from sqlverdict.audit.edits import sources_of
from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject
from sqlverdict.parse.tokens import fold
from sqlverdict.refute.read.columns import Resolver

NAME = "needed_tables"
_Condition = tuple[frozenset[str], exp.Expr]
"""A part of the join conditions, with the sources that it names."""


@REPAIRS.member
class NeededTables:
    """Golds that join a table for nothing."""

    title = "no table that is only joined"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold with fewer tables, one SELECT at a time."""
        for tree, select in gold.selects():
            resolver = Resolver(tree, gold.subject.schema)
            tables = _leave_out(select, resolver)
            if tables:
                yield CandidateGold(gold.text(tree), NAME, f"leaves out {', '.join(tables)}")


def _leave_out(select: exp.Select, resolver: Resolver) -> list[str]:
    """Change a SELECT; the names of the tables that it no longer reads."""
    joins = select.args.get("joins") or []
    sources = {fold(each.alias_or_name): each for each in sources_of(select)}
    if not joins or len(sources) != len(joins) + 1 or any(map(_is_other_join, joins)):
        return []
    if not all(isinstance(each, exp.Table) for each in sources.values()):
        return []
    if any(True for _ in select.find_all(exp.Star)):
        return []
    # By identity: equal columns of two places may mean two tables.
    owners = {id(node): _owner(node, sources, resolver) for node in select.find_all(exp.Column)}
    conditions: list[_Condition] = []
    for join in joins:
        for part in join.args["on"].flatten() if _is_and(join) else [join.args["on"]]:
            names = frozenset(owners[id(node)] for node in part.find_all(exp.Column))
            conditions.append((names, part))
    inside = {id(node) for _, part in conditions for node in part.find_all(exp.Column)}
    used = {name for node, name in owners.items() if node not in inside}
    if "" in used or any("" in names for names, _ in conditions):
        return []
    left_out: list[str] = []
    for name in list(sources):
        rest = _without(name, conditions) if name not in used and len(sources) > 1 else None
        if rest is not None:
            conditions = rest
            left_out.append(sources.pop(name).name)
    return left_out if left_out and _rebuild(select, sources, conditions) else []


def _is_and(join: exp.Join) -> bool:
    return isinstance(join.args["on"], exp.And)


def _is_other_join(join: exp.Join) -> bool:
    plain = not join.side and join.kind in ("", "INNER") and not join.method
    return not plain or join.args.get("on") is None


def _owner(node: exp.Column, sources: Mapping[str, exp.Expr], resolver: Resolver) -> str:
    """The source of a column, by the name that the query uses; empty: not known."""
    if node.table:
        return fold(node.table)
    column = resolver.column(node)
    names = [
        name for name, each in sources.items() if column and fold(each.name) == fold(column[0])
    ]
    return names[0] if len(names) == 1 else ""


def _without(name: str, conditions: Sequence[_Condition]) -> list[_Condition] | None:
    """The conditions once a source is gone; ``None``: it is needed."""
    own = [(names, part) for names, part in conditions if name in names]
    partners: list[tuple[str, exp.Expr]] = []
    columns = set()
    for names, part in own:
        if len(names) != 2 or not isinstance(part, exp.EQ):
            return None
        for side in (part.this, part.expression):
            if not isinstance(side, exp.Column) or not side.table:
                return None
            if fold(side.table) == name:
                columns.add(fold(side.name))
            else:
                partners.append((fold(side.table), side))
    if not own or len(columns) != 1:
        return None
    rest = [each for each in conditions if name not in each[0]]
    first, column = partners[0]
    for other, side in partners[1:]:
        equal = exp.EQ(this=column.copy(), expression=side.copy())
        rest.append((frozenset((first, other)), equal))
    return rest


def _rebuild(
    select: exp.Select, sources: Mapping[str, exp.Expr], conditions: Sequence[_Condition]
) -> bool:
    """Join what is left, in the order of the query; whether that is possible."""
    waiting = list(sources)
    known = {waiting.pop(0)}
    first = sources[next(iter(known))]
    joins = []
    open_conditions = list(conditions)
    while waiting:
        for name in waiting:
            fitting = [each for each in open_conditions if each[0] <= known | {name}]
            if any(name in names for names, _ in fitting):
                break
        else:
            return False
        waiting.remove(name)
        known.add(name)
        open_conditions = [each for each in open_conditions if each not in fitting]
        on = exp.and_(*(part.copy() for _, part in fitting))
        joins.append(exp.Join(this=sources[name].copy(), kind="INNER", on=on))
    for _, part in open_conditions:
        select.where(part.copy(), copy=False)
    select.set("from_", exp.From(this=first.copy()))
    select.set("joins", joins)
    return True
