"""Does every gold determine its answer, however the rows are stored?

Shown from the data, in this order: the outermost LIMIT cuts through rows that tie but differ,
or stands without ORDER BY while there are more rows than it keeps; a group holds several
values of a column that is neither grouped by nor aggregated; the answer changes on a copy of
the database with its rows in reverse order, compared under ``strict``, which leaves the order
of tied rows free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData, GoldQuery
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.records import Answer, Query, Row
from sqlverdict.signs.open_limits import (
    explain_loose,
    find_bare,
    find_open_cut,
    reads_clock_or_chance,
    tied_row_text,
)

NAME = "gold_undetermined"
_ORDER = "add a key to the ORDER BY that tells the rows apart, or accept every tied row"


@CHECKS.member
class GoldUndetermined(Check):
    """Golds whose answer the data leave open."""

    title = "golds whose answer is not determined"

    def gold(self, data: AuditData, gold: GoldQuery) -> Iterable[AuditFinding]:
        """The first thing that shows it."""
        if gold.answer is None or reads_clock_or_chance(gold.sql):
            return
        for kind, message, hint in _reasons(data, gold, gold.answer):
            data.figures["golds_undetermined"] += 1
            data.figures[f"golds_undetermined_{kind}"] += 1
            detail = {"kind": kind, "sql": gold.sql}
            yield AuditFinding(NAME, "warning", gold.subject, message, hint, detail)
            return


def _reasons(data: AuditData, gold: GoldQuery, answer: Answer) -> Iterator[tuple[str, str, str]]:
    probe = partial(data.runner.run, str(gold.case.database))
    query = gold.query
    if query is not None:
        cut = find_open_cut(query, answer, probe)
        if cut is not None:
            rows = f"{tied_row_text(cut.examples[0])} or {tied_row_text(cut.examples[1])}"
            if cut.ordered:
                message = f"LIMIT cuts through a tie: {cut.tied} rows tie for {cut.places}: {rows}"
                yield "tie_at_limit", message, _ORDER
            else:
                message = f"LIMIT without ORDER BY keeps {cut.places} of {cut.tied} rows: {rows}"
                yield "limit_without_order", message, "add an ORDER BY, or drop the LIMIT"
        bare = find_bare(query, answer, probe)
        if bare is not None:
            message = (
                f"{bare.column} is neither grouped by nor aggregated; one group holds "
                f"{bare.values} values of it: {tied_row_text(bare.group)}"
            )
            yield "bare_column", message, "group by the column, or aggregate it"
    other = gold.run_reversed(gold.sql)
    if other is None:
        return
    pair = QueryPair(gold.sql, gold.sql, contract=gold.case.contract, probe=probe)
    if PRESETS.get(DEFAULT_PRESET).compare(answer, other, pair).equal is not True:
        yield _reversal_change(answer, other, query)


def _reversal_change(answer: Answer, other: Answer, query: Query | None) -> tuple[str, str, str]:
    """What changed when the rows were stored in reverse order, and the likely cause."""
    when = "when the rows are stored in reverse order"
    if Counter(answer.rows) == Counter(other.rows):
        hint = "rows tie under the ORDER BY; add a key that tells them apart"
        return "order_of_rows", f"the same rows come in another order {when}", hint
    cause = explain_loose(query)
    if Counter(map(_rounded, answer.rows)) == Counter(map(_rounded, other.rows)):
        cause = "a sum of floats, whose last digits depend on the order of adding"
    return "row_order", f"{_change(answer, other)} {when}", f"the cause may be {cause}"


def _rounded(row: Row) -> Row:
    return tuple([float(f"{cell:.9g}") if isinstance(cell, float) else cell for cell in row])


def _change(answer: Answer, other: Answer) -> str:
    here, there = answer.rows, other.rows
    if len(here) != len(there):
        return f"{len(here)} rows become {len(there)}"
    differing = [(a, b) for a, b in zip(here, there, strict=True) if a != b]
    first, second = differing[0] if differing else (here[0], there[0])
    return f"{tied_row_text(first)} becomes {tied_row_text(second)}"
