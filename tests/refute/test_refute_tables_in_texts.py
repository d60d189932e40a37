"""Which tables an instance needs for two queries to run: those whose names stand in their texts."""

from __future__ import annotations

import pytest

from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.trial.pair_trial import tables_in_texts
from sqlverdict.refute.witness import Witness

KIN = """
CREATE TABLE Land (code TEXT PRIMARY KEY, name TEXT);
CREATE TABLE town (id INTEGER PRIMARY KEY, land TEXT REFERENCES Land (code), people INTEGER);
"""
ALL = {"Land", "town"}


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT id FROM town", {"town"}),
        ("SELECT id FROM TOWN AS x", {"town"}),
        ('SELECT id FROM "town"', {"town"}),
        ("SELECT id FROM [Town] -- land", {"town"}),
        ("SELECT id FROM main.town", {"town"}),
        ("SELECT id FROM 'town' WHERE land IN `land`", ALL),
        ("SELECT 1", set()),
        ("SELECT count(*) FROM sqlite_master", ALL),
    ],
)
def test_tables_whose_names_stand_in_the_text(sql: str, names: set[str]) -> None:
    assert tables_in_texts(read_ddl(KIN, "kin"), (sql,)) == names


@pytest.mark.parametrize(
    "more",
    [
        "CREATE VIEW lands AS SELECT code FROM Land;",
        'CREATE TABLE "a""b" (c INTEGER);',
    ],
)
def test_views_and_odd_names_ask_for_all_tables(more: str) -> None:
    schema = read_ddl(KIN + more, "kin")
    names = {table.name for table in schema.tables}
    assert tables_in_texts(schema, ("SELECT id FROM town",)) == names


def test_a_parent_that_no_query_reads_is_part_of_the_witness() -> None:
    schema = read_ddl(KIN, "kin")
    witness = find_witness(
        "SELECT id FROM town WHERE land IS NOT NULL",
        "SELECT id FROM town WHERE land IS NULL",
        schema,
    )
    assert isinstance(witness, Witness)
    lands = {row[1] for row in witness.instance.rows["town"]} - {None}
    assert lands <= {row[0] for row in witness.instance.rows.get("Land", ())}


def test_a_table_behind_in_is_read() -> None:
    """``x IN table`` reads a table that no FROM names."""
    schema = read_ddl(KIN.replace(", name TEXT", ""), "kin")
    refutation = find_witness(
        "SELECT id FROM town WHERE land IN Land",
        "SELECT id FROM town WHERE land IS NOT NULL",
        schema,
    )
    assert not refutation.refuted
