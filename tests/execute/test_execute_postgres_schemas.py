"""Schemas of a PostgreSQL database: the search path, names, keys and views over several."""

from __future__ import annotations

from collections.abc import Iterator
from secrets import token_hex
from urllib.parse import urlsplit

import pytest
from postgres_parts import execute

import sqlverdict as sv
from servers import fresh_postgres
from sqlverdict.execute.engine import ENGINES
from sqlverdict.parse.schema import ForeignKey, Schema, Table
from sqlverdict.refute.witness import NotRefuted, Witness

POSTGRES = ENGINES.get("postgres")
TABLES = (
    "CREATE SCHEMA first",
    "CREATE SCHEMA second",
    'CREATE SCHEMA "Third"',
    "CREATE TABLE first.item (id int PRIMARY KEY, price int)",
    "CREATE TABLE second.item (id int PRIMARY KEY, price int)",
    "CREATE TABLE second.box (id int PRIMARY KEY, item_id int NOT NULL REFERENCES first.item,"
    " other_id int NOT NULL REFERENCES second.item)",
    'CREATE TABLE "Third"."Item" (id int PRIMARY KEY, price int)',
    'CREATE UNIQUE INDEX cheap ON "Third"."Item" ((price / 10)) WHERE price < 100',
    'CREATE VIEW "Third".shown AS SELECT b.id, i.price FROM second.box b'
    " JOIN second.item i ON i.id = b.other_id",
    "INSERT INTO first.item VALUES (1, 10), (2, 20)",
    "INSERT INTO second.item VALUES (1, 10), (2, 20)",
    "INSERT INTO second.box VALUES (1, 1, 1), (2, 2, 2)",
)


@pytest.fixture(scope="module")
def url(postgres: str) -> Iterator[str]:
    with fresh_postgres(postgres) as database:
        execute(database, *TABLES)
        name = urlsplit(database).path.removeprefix("/")
        execute(database, f'ALTER DATABASE "{name}" SET search_path = first, second')
        yield database


@pytest.fixture(scope="module")
def schema(url: str) -> Schema:
    return POSTGRES.schema(url)


def table(schema: Schema, name: str) -> Table:
    result = schema.table(name)
    assert result is not None
    return result


def test_the_first_schema_of_the_search_path_hides_the_others(schema: Schema) -> None:
    names = {each.name: each.paths[0] for each in schema.tables}
    assert names == {
        "item": ("first", "item"),
        "box": ("second", "box"),
        "second.item": ("second", "item"),
        "Third.Item": ("Third", "Item"),
        "Third.shown": ("Third", "shown"),
    }
    assert list(names)[:2] == ["item", "box"]


def test_a_foreign_key_points_to_the_table_of_its_schema(schema: Schema) -> None:
    assert set(table(schema, "box").foreign_keys) == {
        ForeignKey(("item_id",), "item", ("id",)),
        ForeignKey(("other_id",), "second.item", ("id",)),
    }


def test_a_proof_uses_the_key_to_the_right_table(url: str) -> None:
    boxes = "SELECT id FROM box"
    joined = "SELECT b.id FROM second.box AS b JOIN second.item AS i ON i.id = b.other_id"
    assert sv.prove_pair(boxes, joined, db=url).proved
    elsewhere = joined.replace("second.item", "item")
    assert not sv.prove_pair(boxes, elsewhere, db=url).proved
    assert isinstance(sv.refute_pair(boxes, elsewhere, db=url, instances=100), Witness)


def test_a_witness_keeps_the_indexes_of_a_table_in_another_schema(url: str) -> None:
    # Two prices below 100 never share their tens.
    gold = 'SELECT count(price) FROM "Third"."Item" WHERE price IN (51, 52)'
    at_most_one = 'SELECT least(1, count(price)) FROM "Third"."Item" WHERE price IN (51, 52)'
    refutation = sv.refute_pair(gold, at_most_one, db=url, instances=200)
    assert isinstance(refutation, NotRefuted), refutation
    assert refutation.instances > 0


def test_a_view_over_several_schemas_is_searched(url: str) -> None:
    gold = 'SELECT price FROM "Third".shown WHERE price > 15'
    other = 'SELECT s.price FROM "Third".shown AS s WHERE s.price > 18'
    refutation = sv.refute_pair(gold, other, db=url, instances=100)
    assert isinstance(refutation, Witness)
    assert set(refutation.instance.rows) == {"box", "item", "second.item"}


def test_what_the_search_path_finds_goes_before_what_a_common_table_hides(url: str) -> None:
    plain = "SELECT id FROM first.item WHERE price > 5"
    common = "WITH item AS (SELECT * FROM item WHERE price > 5) SELECT item.id FROM item"
    assert sv.prove_pair(plain, common, db=url).proved
    second = common.replace("* FROM item", "* FROM second.item")
    assert not sv.prove_pair(plain, second, db=url).proved
    assert isinstance(sv.refute_pair(plain, second, db=url, instances=100), Witness)


def test_a_schema_that_the_role_may_not_use_is_not_read(url: str) -> None:
    role = f"sqlverdict_t_{token_hex(4)}"
    reader = url.replace("postgres@", f"{role}@", 1)
    execute(url, f"CREATE ROLE {role} LOGIN", f"GRANT USAGE ON SCHEMA first TO {role}")
    try:
        execute(url, f"GRANT SELECT ON ALL TABLES IN SCHEMA first TO {role}")
        try:
            names = [each.name for each in POSTGRES.schema(reader).tables]
        except sv.DatabaseError as error:
            pytest.skip(f"the server lets no new role in: {error}")
        assert names == ["item"]
    finally:
        execute(url, f"DROP OWNED BY {role}", f"DROP ROLE {role}")
