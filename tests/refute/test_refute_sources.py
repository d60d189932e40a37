"""Instances like the real data: asked for once a difference is found that is not ordinary."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.execute.in_memory import warm_scratch
from sqlverdict.parse.facts import NotNull, References, Unique, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Query
from sqlverdict.refute.data.mine.kind import ColumnRegularity
from sqlverdict.refute.data.real_rows import real_rows
from sqlverdict.refute.make.generator import InstanceGenerator, shared_generator
from sqlverdict.refute.read.constants import read_query
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.sources import InstanceSources, likely_facts
from sqlverdict.refute.trial.legal import legal
from sqlverdict.refute.witness import Instance, SearchBudget, Witness

GOLD = (
    "SELECT m.label FROM atom a JOIN molecule m ON m.id = a.molecule WHERE a.element = 'h' "
    "GROUP BY m.label ORDER BY count(*) DESC LIMIT 1"
)
PREDICTION = GOLD.replace("count(*)", "count(DISTINCT a.molecule)")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("real") / "molecules.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE molecule (id TEXT PRIMARY KEY, label TEXT);"
            "CREATE TABLE atom (id INTEGER PRIMARY KEY, molecule TEXT, element TEXT, mass INTEGER);"
        )
        molecules = [(f"TR{n:03}", "+-"[n % 3 == 0]) for n in range(40)]
        atoms = [(n, f"TR{n * 7 % 40:03}", "chon"[n % 4], n % 9 + 1) for n in range(200)]
        connection.executemany("INSERT INTO molecule VALUES (?, ?)", molecules)
        connection.executemany("INSERT INTO atom VALUES (?, ?, ?, ?)", atoms)
        connection.commit()
    return path


def test_what_the_data_show_stands_as_facts(database: Path) -> None:
    facts = likely_facts(real_rows(database, read_sqlite(database)).regularities)
    assert {NotNull("molecule", "label"), NotNull("atom", "element")} <= facts
    assert References("atom", ("molecule",), "molecule", ("id",)) in facts
    assert Unique("molecule", ("label",)) not in facts


def test_instances_are_like_the_data_in_every_column(database: Path) -> None:
    schema = read_sqlite(database)
    gold, prediction = parse(GOLD), parse(PREDICTION)
    assert isinstance(gold, Query)
    assert isinstance(prediction, Query)
    reading = read_query(gold, schema).merge(read_query(prediction, schema))
    scratch = warm_scratch(schema, None, False)
    generator = InstanceGenerator(schema, facts_of(schema), reading, 0, scratch)
    sources = InstanceSources(generator, facts_of(schema), SearchBudget(), 60, database, scratch)
    sources.ordinary = True
    real = real_rows(database, schema)
    values = [
        member
        for column in reading.used
        for member in real.regularities.about(*column)
        if isinstance(member, ColumnRegularity)
    ]
    assert values
    instances = [rows for origin, rows in sources(()) if origin == "search"]
    assert len(instances) == 60
    assert any(rows["atom"] and rows["molecule"] for rows in instances)
    for rows in instances:
        instance = Instance(schema, rows)
        assert legal(instance, facts_of(schema)) == []
        assert [str(member) for member in values if not member.holds(instance)] == []


def grades(database: Path) -> list[str | None]:
    """What the search finds, by seed."""
    schema = read_sqlite(database)
    results = [
        find_witness(GOLD, PREDICTION, schema, budget=SearchBudget(seed=seed), database=database)
        for seed in range(8)
    ]
    return [one.grade if isinstance(one, Witness) else None for one in results]


@pytest.mark.slow
def test_an_ordinary_witness_is_found_and_not_by_chance(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert grades(database).count("ordinary") >= 5
    monkeypatch.setattr(InstanceSources, "_likely", lambda _: iter(()))
    assert grades(database).count("ordinary") <= 1


def test_pairs_that_read_the_same_share_instances_and_these_are_those_of_each(
    database: Path,
) -> None:
    schema = read_sqlite(database)
    facts, scratch = facts_of(schema), warm_scratch(schema, None, False)
    respelt = PREDICTION.replace("atom a", "atom x").replace("a.", "x.")
    other = PREDICTION.replace("'h'", "'c'")

    def instances(prediction: str, *, shared: bool) -> tuple[InstanceGenerator, list[object]]:
        queries = [query for query in map(parse, (GOLD, prediction)) if isinstance(query, Query)]
        reading = read_query(queries[0], schema).merge(read_query(queries[1], schema))
        make = shared_generator if shared else InstanceGenerator
        generator = make(schema, facts, reading, 0, scratch)
        sources = InstanceSources(generator, facts, SearchBudget(), 40, database, scratch)
        return generator, [(origin, dict(rows)) for origin, rows in sources(())]

    first, rows = instances(PREDICTION, shared=True)
    again, rows_again = instances(respelt, shared=True)
    assert again is first
    assert rows_again == rows == instances(respelt, shared=False)[1]
    another, other_rows = instances(other, shared=True)
    assert another is not first
    assert other_rows == instances(other, shared=False)[1] != rows
