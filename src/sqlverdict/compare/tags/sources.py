"""Tags of what is read: tables, joins, queries inside the query."""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.compare.query.columns import UNKNOWN, schema_index, split_ref
from sqlverdict.compare.query.parts import QueryParts
from sqlverdict.compare.tags.kinds import HEAVY, JOINED, TAGS, TagKind, both_sides
from sqlverdict.evidence_parts import Tag
from sqlverdict.parse.schema import Schema

TAGS.update(
    {
        "other_tables": TagKind(
            "from", "the two read different tables", "SELECT id FROM player", "SELECT id FROM game"
        ),
        "idle_table": TagKind(
            "from",
            "only one joins a table of which nothing else is read: it drops rows without a partner",
            "SELECT name FROM player",
            JOINED,
        ),
        "other_join": TagKind(
            "from",
            "tables that both read are joined by other columns",
            JOINED,
            "SELECT p.name FROM player p JOIN team t ON p.id = t.id",
        ),
        "unrelated_join": TagKind(
            "from",
            "the prediction joins columns that no foreign key connects, and the gold does not",
            JOINED,
            "SELECT p.name FROM player p JOIN team t ON p.games = t.id",
        ),
        "outer_join": TagKind(
            "from",
            "one keeps rows without a partner, the other does not",
            JOINED,
            "SELECT p.name FROM player p LEFT JOIN team t ON p.team_id = t.id",
        ),
        "subquery_missing": TagKind(
            "from",
            "the gold has more queries inside the query",
            "SELECT name FROM player WHERE weight > (SELECT AVG(weight) FROM player)",
            HEAVY,
        ),
        "subquery_extra": TagKind(
            "from",
            "the prediction has more queries inside the query",
            HEAVY,
            "SELECT name FROM (SELECT * FROM player) WHERE weight > 80",
        ),
    }
)


def source_tags(gold: QueryParts, prediction: QueryParts, schema: Schema | None) -> Iterator[Tag]:
    """How the sources of two queries differ."""
    if gold.tables != prediction.tables:
        yield Tag("other_tables", both_sides(gold.tables, prediction.tables))
    idle = (gold.idle - prediction.tables) | (prediction.idle - gold.tables)
    if idle:
        yield Tag("idle_table", ", ".join(sorted(idle)))
    common = gold.tables & prediction.tables
    ours, theirs = joins_between(gold, common), joins_between(prediction, common)
    if ours != theirs and ((ours and theirs) or gold.tables == prediction.tables):
        texts = [[" = ".join(pair) for pair in pairs] for pairs in (ours, theirs)]
        yield Tag("other_join", both_sides(*texts))
    unrelated = [
        " = ".join(pair)
        for pair in sorted(prediction.joins - gold.joins)
        if not _is_related(pair, schema)
    ]
    if unrelated:
        yield Tag("unrelated_join", ", ".join(unrelated))
    if gold.outer != prediction.outer:
        yield Tag("outer_join", both_sides(gold.outer, prediction.outer))
    if gold.nested != prediction.nested:
        name = "subquery_missing" if gold.nested > prediction.nested else "subquery_extra"
        yield Tag(name, f"{gold.nested} became {prediction.nested}")


def joins_between(parts: QueryParts, tables: set[str]) -> set[tuple[str, str]]:
    """The pairs of columns by which a query joins some tables with each other."""
    known = {*tables, UNKNOWN}
    return {
        pair
        for pair in parts.joins
        if pair[0] != pair[1] and all(split_ref(ref)[0] in known for ref in pair)
    }


def _is_related(pair: tuple[str, str], schema: Schema | None) -> bool:
    """Whether keys connect two columns; yes where that is not known."""
    if schema is None or not (keys := schema_index(schema).keys):
        return True
    columns = schema_index(schema).columns
    (table, name), (other_table, other_name) = map(split_ref, pair)
    if name not in columns.get(table, ()) or other_name not in columns.get(other_table, ()):
        return True
    # A key's name in two tables is one thing, but for the name that each has for its own key.
    same_key = name == other_name != "id" and any(map(schema_index(schema).is_key, pair))
    if same_key or pair[0] == pair[1]:
        return True
    return keys.get(pair[0], pair[0]) == keys.get(pair[1], pair[1])
