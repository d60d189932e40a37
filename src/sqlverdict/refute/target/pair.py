"""A pair of queries on an engine, in its own words and SQLite's, and what makes its instances."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlverdict.execute.in_memory import warm_scratch
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Query
from sqlverdict.refute.make.generator import InstanceGenerator
from sqlverdict.refute.read.constants import read_query
from sqlverdict.refute.read.part import schema_part
from sqlverdict.refute.target.lite import lite_query, lite_schema, with_collations
from sqlverdict.refute.target.nested import is_list_of_values
from sqlverdict.refute.target.own_types import own_types


@dataclass(frozen=True)
class EnginePair:
    """The two queries on a part of the schema, as the engine has them and as SQLite would."""

    gold: Query
    prediction: Query
    part: Schema
    lite_part: Schema
    lite: tuple[Query, Query] | None


def engine_pair(gold: Query, prediction: Query, schema: Schema) -> EnginePair:
    """The pair on the tables that it reads, with SQLite's words for it where there are any."""
    part = schema_part(schema, (*gold.tables, *prediction.tables))
    lite_gold, lite_prediction = lite_query(gold), lite_query(prediction)
    lite = None
    if lite_gold is not None and lite_prediction is not None:
        lite = (lite_gold, lite_prediction)
    return EnginePair(gold, prediction, part, lite_schema(part, gold.dialect), lite)


def pair_generator(pair: EnginePair, seed: int) -> InstanceGenerator:
    """What makes instances for the pair, from what can be read of the two queries."""
    queries = pair.lite or (pair.gold, pair.prediction)
    ours, theirs = (read_query(query, pair.lite_part) for query in queries)
    if pair.lite is not None:
        # SQLite's words lack what only the engine's own say.
        own = [read_query(query, pair.lite_part).own for query in (pair.gold, pair.prediction)]
        ours, theirs = replace(ours, own=own[0]), replace(theirs, own=own[1])
    reading = ours.merge(theirs)
    lists = [
        (table.name, column.name)
        for table in pair.part.tables
        for column in table.columns
        if is_list_of_values(column.type, pair.gold.dialect)
    ]
    reading = replace(reading, own=reading.own.with_lists_of(lists))
    part = with_collations(pair.lite_part, pair.part, pair.gold.dialect)
    scratch = warm_scratch(pair.lite_part, None, False)
    return InstanceGenerator(
        part,
        facts_of(part),
        reading,
        seed,
        scratch,
        shape=lambda pools: own_types(pools, pair.part, pair.gold.dialect, reading.own),
    )
