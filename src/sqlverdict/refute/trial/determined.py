"""Whether a difference is the queries' own: the same whatever the order in which rows lie.

Ties under LIMIT, bare columns beside an aggregate and group_concat can make an answer
depend on the order of rows. Such an answer proves nothing, so both queries are asked again
with ties under LIMIT broken one way and the other, and with rows put in the other way round,
shuffled, walked backwards, and without keys.

The gold must keep its answer. The prediction must keep its answer, or at least its number of
rows where that is not the gold's: whichever rows it picks, there are too many or too few.
A prediction that does not, beside a gold that does, leaves open what the gold decides: a
witness of its own kind.

Most queries need not be run again: a short list says which trees are surely free of the order.
What is not on the list is run: anything with LIMIT, a window, a sum of numbers (floats add up
differently in another order), a column beside an aggregate that is no key of the groups, a
subquery of which the first row is taken, a collation (the first of two texts that count as equal
is shown), or a rowid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.compare.preset import Preset, QueryPair
from sqlverdict.execute.in_memory import ScratchDatabase
from sqlverdict.execute.session import TableRows
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Answer, Outcome, Query, Row
from sqlverdict.refute.read.columns import nodes_of
from sqlverdict.refute.trial.tie_breaks import broken_ties

_TURNS = 8
"""How many rotations of the rows are tried."""
_SHUFFLES, _SHUFFLE_SEED = 2, 7
"""How many shuffles are tried, the same ones always."""


def arrangements(rows: TableRows) -> Iterator[dict[str, list[Row]]]:
    """The same rows in other orders, the other way round first; few rows have few orders."""
    known: set[tuple[int, ...]] = set()
    for other in _orders(rows):
        # Which row stands where, not what it holds: 1 and 1.0 are equal, yet not the same.
        identity = tuple([id(row) for content in other.values() for row in content])
        if identity not in known:
            known.add(identity)
            yield other


def _orders(rows: TableRows) -> Iterator[dict[str, list[Row]]]:
    yield {table: list(reversed(content)) for table, content in rows.items()}
    yield {table: list(content) for table, content in rows.items()}
    rng = Random(_SHUFFLE_SEED)  # noqa: S311 - repeatable, not secret
    for _ in range(_SHUFFLES):
        yield {table: rng.sample(list(content), len(content)) for table, content in rows.items()}
    # Each row comes first once, and last: a bare column shows the one or the other.
    for turn in range(1, min(_TURNS, max(map(len, rows.values()), default=0))):
        yield {
            table: [*content[turn % len(content) :], *content[: turn % len(content)]]
            for table, content in rows.items()
            if content
        }


def is_determined(
    gold: tuple[str, Outcome],
    prediction: tuple[str, Outcome],
    rows: TableRows,
    scratches: tuple[ScratchDatabase, ScratchDatabase],
    preset: Preset,
    dialect: str,
) -> bool:
    """Whether the two queries differ on every arrangement of the rows.

    Args:
        gold: The gold query and what it gave.
        prediction: The predicted query and what it gave.
        rows: The instance.
        scratches: The one they ran on, and one without keys that walks backwards.
        preset: When two answers are the same.
        dialect: Of the queries.
    """
    before, after = gold[1], prediction[1]
    row_count = (
        isinstance(before, Answer)
        and isinstance(after, Answer)
        and len(before.rows) != len(after.rows)
    )
    for scratch, ours, theirs in _variants(gold[0], prediction[0], rows, scratches):
        if ours is not None and not _same(gold, ours, scratch, preset, dialect):
            return False
        # The prediction must keep what counts of its answer.
        if theirs is not None and not (
            _same(prediction, theirs, scratch, preset, dialect)
            or (row_count and _as_many(after, theirs))
        ):
            return False
    return True


def second_answer(
    gold: tuple[str, Outcome],
    prediction: tuple[str, Outcome],
    rows: TableRows,
    scratches: tuple[ScratchDatabase, ScratchDatabase],
    preset: Preset,
    dialect: str,
) -> Answer | None:
    """Another answer that the prediction may give where the gold gives one and the same.

    The gold's own answer is preferred. ``None`` where the gold is open too, or the prediction is
    not; the arguments are those of :func:`is_determined`.
    """
    if not isinstance(gold[1], Answer) or not isinstance(prediction[1], Answer):
        return None
    answer: Answer | None = None
    fits = False
    for scratch, ours, theirs in _variants(gold[0], prediction[0], rows, scratches):
        if ours is not None and not _same(gold, ours, scratch, preset, dialect):
            return None
        if not isinstance(theirs, Answer) or theirs.volatile or fits:
            continue
        if not _same(prediction, theirs, scratch, preset, dialect):
            pair = QueryPair(gold[0], prediction[0], dialect, probe=scratch.run)
            fits = bool(preset.compare(gold[1], theirs, pair).equal)
            answer = theirs if fits or answer is None else answer
    return answer


def _variants(
    gold: str, prediction: str, rows: TableRows, scratches: tuple[ScratchDatabase, ScratchDatabase]
) -> Iterator[tuple[ScratchDatabase, Outcome | None, Outcome | None]]:
    """What else the queries may give: ties broken both ways, rows in other orders.

    ``None`` for a query that was not asked.
    """
    forward, keyless = scratches
    forward.load(rows)
    for sql in broken_ties(gold):
        if isinstance(now := forward.run(sql), Answer):
            yield forward, now, None
    for sql in broken_ties(prediction):
        if isinstance(now := forward.run(sql), Answer):
            yield forward, None, now
    for turn, other in enumerate(arrangements(rows)):
        keyless.load(other)
        yield keyless, keyless.run(gold), None
        yield keyless, None, keyless.run(prediction)
        # It was asked about the rows as they are; one row is its own other way round.
        if turn == 0 and any(len(content) > 1 for content in rows.values()):
            forward.load(other)
            yield forward, forward.run(gold), None
            yield forward, None, forward.run(prediction)


def _as_many(before: Outcome, now: Outcome) -> bool:
    return (
        isinstance(before, Answer)
        and isinstance(now, Answer)
        and len(before.rows) == len(now.rows)
        and not now.volatile
    )


def _same(
    outcome: tuple[str, Outcome],
    now: Outcome,
    scratch: ScratchDatabase,
    preset: Preset,
    dialect: str,
) -> bool:
    sql, before = outcome
    return keeps_answer(before, now, preset, QueryPair(sql, sql, dialect, probe=scratch.run))


def keeps_answer(before: Outcome, now: Outcome, preset: Preset, pair: QueryPair) -> bool:
    """Whether a query gives what it gave before: the same to a preset, or no answer again.

    Args:
        before: What it gave.
        now: What it gives.
        preset: When two answers are the same.
        pair: The query beside itself.
    """
    if not isinstance(before, Answer) or not isinstance(now, Answer):
        return type(before) is type(now)
    if before.volatile or now.volatile:
        return False
    if before.rows == now.rows:
        return True
    # Undetermined (None) is as bad as different.
    return bool(preset.compare(before, now, pair).equal)


_SUSPECT = re.compile(r"\b(limit|over|collate|recursive|rowid|_rowid_|oid)\b|json", re.IGNORECASE)
_COLLATION = re.compile(r"\bcollate\b", re.IGNORECASE)
_PICKED = (exp.Count, exp.Max, exp.Min)
_PARTS = ("expressions", "having", "order", "qualify")


def is_order_free(query: Query, schema: Schema) -> bool:
    """Whether the rows of the answer are the same in whatever order the tables hold theirs.

    The order of the answer's own rows is another matter: a comparison looks at it.
    """
    if _SUSPECT.search(query.sql) or _has_collation(schema):
        return False
    for node in nodes_of(query.tree):
        if isinstance(node, exp.AggFunc) and not isinstance(node, _PICKED):
            return False
        if isinstance(node, exp.Anonymous | exp.Window | exp.UserDefinedFunction):
            return False
        if isinstance(node, exp.Select) and not (_is_free(node) and _is_set(node)):
            return False
    return True


@lru_cache(maxsize=64)
def _has_collation(schema: Schema) -> bool:
    return any(_COLLATION.search(table.sql or "") for table in schema.tables)


def _is_set(select: Expr) -> bool:
    """Whether all rows of a query count, not the first one only."""
    inner, around = select, select.parent
    while isinstance(around, exp.SetOperation | exp.Subquery):
        inner, around = around, around.parent
    if around is None or isinstance(around, exp.CTE | exp.From | exp.Join | exp.Exists):
        return True
    if isinstance(around, exp.In) and around.args.get("query") is inner:
        return True
    # One row, if nothing is grouped: the first is all there is.
    return (
        isinstance(inner, exp.Subquery)
        and inner.this is select
        and select.args.get("group") is None
        and any(_aggregates(part) for part in select.expressions)
    )


def _is_free(select: Expr) -> bool:
    """Whether a query that makes groups shows nothing of them but aggregates and their keys."""
    group = select.args.get("group")
    parts = [part for name in _PARTS for part in _as_list(select.args.get(name))]
    if group is None and not any(_aggregates(part) for part in parts):
        return True
    keys = {_name(key) for key in group.expressions} if group is not None else set()
    keys |= {("", fold(part.alias)) for part in select.expressions if isinstance(part, exp.Alias)}
    return None not in keys and all(_shows_only(part, keys) for part in parts)


def _as_list(part: Expr | list[Expr] | None) -> list[Expr]:
    return part if isinstance(part, list) else [] if part is None else [part]


def _aggregates(part: Expr) -> bool:
    return any(isinstance(node, exp.AggFunc) for node in nodes_of(part))


def _name(key: Expr) -> tuple[str, str] | None:
    return (fold(key.table), fold(key.name)) if isinstance(key, exp.Column) else None


def _shows_only(part: Expr, keys: set[tuple[str, str] | None]) -> bool:
    """Whether columns outside of aggregates are keys; a query inside is not looked into."""
    if isinstance(part, exp.AggFunc):
        return True
    if isinstance(part, exp.Query | exp.Star):
        return False
    if isinstance(part, exp.Column):
        return _name(part) in keys
    return all(_shows_only(inner, keys) for inner in part.iter_expressions())
