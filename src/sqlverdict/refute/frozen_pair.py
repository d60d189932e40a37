"""Two queries that read the clock, with the clock at one moment.

A query that reads the clock has another answer tomorrow. Where both read it, both are searched at
one moment: that of the run's setting ``now``, or a fixed one, never the time it is. The fixed time
stands in the text instead of the words that read the clock. So the search sees the days that the
queries ask for, and the engine need not know. A witness holds the queries as they were written,
and the moment. Where only one of the two reads the clock, the other may name the day on which it
was written: that is searched only if the run sets ``now``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from sqlverdict.execute.clock import freeze_query
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema, is_view
from sqlverdict.records import ParseResult, Query
from sqlverdict.refute.read.part import schema_part
from sqlverdict.refute.witness import Refutation, Witness, with_moment

MOMENT = datetime(2024, 8, 14, 12)
"""Noon of a Wednesday in the middle of a month and of a quarter: no border is near.

The month before has 31 days and the year before a 29 February: one month is not 30 days, and one
year not 365.
"""


@dataclass(frozen=True)
class FrozenPair:
    """Two queries with the clock at one moment.

    Attributes:
        gold: The gold query, with a fixed time in it.
        prediction: The predicted query, with the same.
        now: The moment.
        texts: The two queries as they were written.
    """

    gold: Query
    prediction: Query
    now: datetime
    texts: tuple[str, str]

    def as_written(self, refutation: Refutation) -> Refutation:
        """What a search for the frozen queries gave, about the queries as they were written."""
        if not isinstance(refutation, Witness):
            return refutation
        gold, prediction = self.texts
        now = self.now.isoformat(" ")
        words = with_moment(refutation.sentence, now) if refutation.sentence else ""
        return replace(
            refutation, gold_sql=gold, prediction_sql=prediction, now=now, sentence=words
        )


def frozen_pair(
    gold: ParseResult, prediction: ParseResult, schema: Schema, now: datetime | None
) -> FrozenPair | None:
    """The two queries at one moment; ``None`` where they are searched as they are.

    Args:
        gold: The gold query.
        prediction: The predicted query.
        schema: The tables. A view that reads the clock would show another moment.
        now: What the clock shows to the queries of the run; ``None``: the time it is.
    """
    moment = now or MOMENT
    pair = (gold, prediction)
    texts = [
        freeze_query(query.sql, moment, query.dialect) if isinstance(query, Query) else query.sql
        for query in pair
    ]
    reads = [text != query.sql for text, query in zip(texts, pair, strict=True)]
    if not any(reads) or (now is None and not all(reads)) or _view_reads_clock(pair, schema):
        return None
    ours, theirs = (
        parse(text, query.dialect) if isinstance(query, Query) else query
        for text, query in zip(texts, pair, strict=True)
    )
    if not isinstance(ours, Query) or not isinstance(theirs, Query):
        return None
    return FrozenPair(ours, theirs, moment, (gold.sql, prediction.sql))


def _view_reads_clock(pair: tuple[ParseResult, ...], schema: Schema) -> bool:
    """Whether a view reads the clock that either query reads, or a view in one."""
    queries = [query for query in pair if isinstance(query, Query)]
    part = schema_part(schema, [name for query in queries for name in query.tables])
    views = [table.sql or "" for table in part.tables if is_view(table)]
    return any(freeze_query(sql, MOMENT, queries[0].dialect) != sql for sql in views)
