"""Where a query picks by rank, whether what it picks from ties.

A probe shows the sort keys of one ORDER BY, MAX, MIN or window of a query, wherever it stands,
in the order in which the query ranks them; or the two aggregates of all rows that a query holds
against each other, as in ``iif(avg(a) > avg(b), ...)``. Probes of subqueries that look at the
query around them cannot run by themselves; they show no tie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.query import parse
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Failure, ParseFailure, Row

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_RANKING = ("order", "max", "min", "over", "<", ">")
_DROPPED = ("order", "limit", "offset", "having", "group", "distinct", "windows", "qualify")


@dataclass(frozen=True)
class RankProbe:
    """A query whose rows are a group's columns and then the sort key, best first.

    Attributes:
        sql: The query.
        group: How many columns say which group a row is in.
        keys: How many columns behind them are the sort key; further columns do not count.
        reach: How many rows of a group are picked; ``None``: all of them.
    """

    sql: str
    group: int
    keys: int
    reach: int | None

    def ties(self, rows: Iterable[Row]) -> bool:
        """Whether a row that is picked has the same key as the row behind it."""
        before: Row | None = None
        rank = 0
        for row in rows:
            key = row[: self.group + self.keys]
            if before is not None and key[: self.group] == before[: self.group]:
                rank += 1
                picked = self.reach is None or rank <= self.reach
                if picked and key == before and None not in key[self.group :]:
                    return True
            else:
                rank = 0
            before = key
        return False


def has_tie(sqls: Iterable[str], run: Callable[[str], list[Row] | Failure]) -> bool:
    """Whether one of the queries ranks rows that tie on the database that ``run`` asks."""
    for sql in sqls:
        for probe in rank_probes(sql):
            rows = run(probe.sql)
            if not isinstance(rows, Failure) and probe.ties(rows):
                return True
    return False


@lru_cache(maxsize=512)
def rank_probes(sql: str) -> tuple[RankProbe, ...]:
    """The probes of a query; none where it cannot be parsed or ranks nothing."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    if not any(word in sql.lower() for word in _RANKING):
        return ()
    query = parse(sql)
    if isinstance(query, ParseFailure):
        return ()
    probes: list[RankProbe] = []
    for node in query.tree.find_all(exp.Select, exp.SetOperation):
        try:
            probes += _probes(node, query.tree)
        except (SqlglotError, ValueError, AttributeError):
            # A tree that sqlglot cannot write back shows nothing.
            continue
    return tuple(dict.fromkeys(probes))


def _probes(node: Expr, root: Expr) -> Iterator[RankProbe]:
    from sqlglot import exp

    if node.args.get("order") is not None:
        yield _of_order(node, root)
    if not isinstance(node, exp.Select):
        return
    for inner in _own(node):
        if isinstance(inner, exp.Max | exp.Min) and not inner.expressions:
            if inner.find_ancestor(exp.Having, exp.Select) is not node:
                continue
            window = inner.parent if isinstance(inner.parent, exp.Window) else None
            group = node.args.get("group")
            parts = window.args.get("partition_by") if window else group and group.expressions
            key = exp.Ordered(this=inner.this.copy(), desc=isinstance(inner, exp.Max))
            yield _of_rows(node, root, parts or [], key, 1)
        elif isinstance(inner, exp.Window) and inner.args.get("order") is not None:
            first = inner.args["order"].expressions[0]
            yield _of_rows(node, root, inner.args.get("partition_by") or [], first, None)
        elif (
            isinstance(inner, exp.GT | exp.LT | exp.GTE | exp.LTE)
            and node.args.get("group") is None
            and _are_aggregates(inner.this, inner.expression)
        ):
            yield _of_comparison(node, root, inner)


def _own(select: Expr) -> Iterator[Expr]:
    """The nodes of a query that are not part of a query inside it."""
    from sqlglot import exp

    for node in select.walk(prune=lambda n: n is not select and isinstance(n, exp.Query)):
        if node is not select:
            yield node


def _of_order(node: Expr, root: Expr) -> RankProbe:
    """All rows of a query by its sort keys; only the first key where one row is picked."""
    from sqlglot import exp

    limit, offset = _count(node.args.get("limit")), _count(node.args.get("offset")) or 0
    keys = node.args["order"].expressions[: 1 if limit == 1 else None]
    bare = node.copy()
    for name in ("order", "limit", "offset"):
        bare.set(name, None)
    sort_keys = [_resolved_key(key.this, node) for key in keys]
    if isinstance(bare, exp.Select):
        # DISTINCT counts the rows that the query shows, not their keys.
        bare.set("expressions", sort_keys + (bare.expressions if bare.args.get("distinct") else []))
    else:
        ranked = exp.Subquery(this=bare, alias=exp.TableAlias(this=exp.to_identifier("ranked")))
        bare = exp.Select(expressions=sort_keys).from_(ranked)
    descending = [bool(key.args.get("desc")) for key in keys]
    reach = limit + offset if limit is not None else None
    return RankProbe(_probe_sql(bare, descending, node, root), 0, len(keys), reach)


def _of_rows(
    node: Expr, root: Expr, parts: Sequence[Expr], key: Expr, reach: int | None
) -> RankProbe:
    """The rows that a query's aggregate or window ranks, in their groups."""
    bare = node.copy()
    for name in _DROPPED:
        bare.set(name, None)
    outputs = [_resolved_key(part, node) for part in (*parts, key.this)]
    bare.set("expressions", outputs)
    descending = [False] * len(parts) + [bool(key.args.get("desc"))]
    return RankProbe(_probe_sql(bare, descending, node, root), len(parts), 1, reach)


def _are_aggregates(*sides: Expr) -> bool:
    from sqlglot import exp

    return all(
        side.find(exp.AggFunc) is not None and side.find(exp.Window) is None for side in sides
    )


def _of_comparison(node: Expr, root: Expr, comparison: Expr) -> RankProbe:
    """The two numbers that a comparison ranks."""
    from sqlglot import exp

    sides: list[Expr] = []
    for side in (comparison.this, comparison.expression):
        bare = node.copy()
        for name in (*_DROPPED, "with_"):
            bare.set(name, None)
        bare.set("expressions", [_resolved_key(side, node)])
        sides.append(bare)
    one, two = sides
    probe = exp.Union(this=one, expression=two, distinct=False)
    own = node.args.get("with_") or root.args.get("with_")
    probe.set("with_", own.copy() if own is not None else None)
    return RankProbe(_probe_sql(probe, [False], node, root), 0, 1, None)


def _resolved_key(key: Expr, node: Expr) -> Expr:
    """A sort key without aliases and positions: what they mean among the output columns."""
    from sqlglot import exp

    select = node
    while isinstance(select, exp.SetOperation):
        select = select.this
    if isinstance(node, exp.SetOperation):
        outputs: list[Expr] = [exp.column(o.alias_or_name) for o in select.expressions]
        aliases: dict[str, Expr] = {}
    else:
        outputs = [o.unalias() for o in select.expressions]
        aliases = {fold(o.alias): o.this for o in select.expressions if isinstance(o, exp.Alias)}
    if isinstance(key, exp.Literal) and key.is_int and 0 < int(key.name) <= len(outputs):
        return outputs[int(key.name) - 1].copy()

    def behind(part: Expr) -> Expr:
        if isinstance(part, exp.Column) and not part.table and fold(part.name) in aliases:
            return aliases[fold(part.name)].copy()
        return part

    return key.copy().transform(behind)


def _probe_sql(probe: Expr, descending: Sequence[bool], node: Expr, root: Expr) -> str:
    from sqlglot import exp

    by = [
        exp.Ordered(this=exp.Literal.number(at), desc=down) for at, down in enumerate(descending, 1)
    ]
    probe.set("order", exp.Order(expressions=by))
    with_ = root.args.get("with_")
    if with_ is not None and node is not root and probe.args.get("with_") is None:
        probe.set("with_", with_.copy())
    return str(probe.sql(dialect=DEFAULT_DIALECT))


def _count(clause: Expr | None) -> int | None:
    """The number of a LIMIT or OFFSET, where it is a plain one."""
    value = clause.expression if clause is not None else None
    return int(value.name) if value is not None and value.is_int else None
