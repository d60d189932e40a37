"""The scratch keeps what it was given, whatever came before, and few rows have few orders."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.execute.in_memory import in_memory_engine
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Answer, Row
from sqlverdict.refute.make.constraints import constraints_of, foreign_keys_hold
from sqlverdict.refute.trial.determined import arrangements

SCHEMA = read_ddl(
    """
    CREATE TABLE house (id INTEGER PRIMARY KEY, street TEXT DEFAULT 'main', built DATE, size);
    CREATE TABLE room (house INTEGER REFERENCES house (id), name TEXT NOT NULL UNIQUE);
    """,
    "houses",
)
_cells = st.sampled_from([None, 1, 1.0, 2, "1", "a", b"a", 2.5])
_houses = st.lists(st.tuples(st.integers(1, 4), _cells, _cells, _cells), max_size=4)
_rooms = st.lists(st.tuples(st.none() | st.integers(1, 4), st.sampled_from("abc")), max_size=4)
_contents = st.fixed_dictionaries({}, optional={"house": _houses, "room": _rooms})


def _typed(rows: dict[str, tuple[Row, ...]]) -> dict[str, list[list[tuple[type, object]]]]:
    """With their types: 1 and 1.0 are equal."""
    return {
        table: [[(type(cell), cell) for cell in row] for row in content]
        for table, content in rows.items()
    }


@given(st.lists(_contents, min_size=2, max_size=5), st.data())
def test_a_used_scratch_database_is_as_good_as_a_new_one(
    contents: list[dict[str, list[Row]]], data: st.DataObject
) -> None:
    """Rows that stay are not put in again; that must never show."""
    used = in_memory_engine().scratch_database(SCHEMA)
    for number, content in enumerate(contents):
        shared = dict(content)
        if number and data.draw(st.booleans()):
            # Some tables keep the very same rows.
            shared |= {t: c for t, c in contents[number - 1].items() if data.draw(st.booleans())}
        contents[number] = shared
        fresh = in_memory_engine().scratch_database(SCHEMA)
        for scratch in (used, fresh):
            scratch.load(shared)
        everything = [table.name for table in SCHEMA.tables]
        stored = fresh.stored(everything)
        assert _typed(used.stored(everything)) == _typed(stored)
        complete = all(len(stored[table]) == len(rows) for table, rows in shared.items())
        assert (used.whole, fresh.whole) == (complete, complete)


def test_null_is_null_and_not_the_default() -> None:
    scratch = in_memory_engine().scratch_database(SCHEMA)
    scratch.load({"house": [(1, None, None, None)]})
    assert scratch.stored(["house"]) == {"house": ((1, None, None, None),)}
    scratch.load({"house": [(None, None, None, None), (None, "b", None, None)]})
    assert [row[1] for row in scratch.stored(["house"])["house"]] == [None, "b"]


def test_equal_rows_of_another_type_are_put_in() -> None:
    scratch = in_memory_engine().scratch_database(SCHEMA)
    for size in (1, 1.0, 1):
        scratch.load({"house": [(1, None, None, size)]})
        ((_, _, _, stored),) = scratch.stored(["house"])["house"]
        assert type(stored) is type(size)


def test_rows_that_cannot_be_do_no_lasting_harm() -> None:
    scratch = in_memory_engine().scratch_database(SCHEMA)
    good = {"house": [(1, "a", None, None)]}
    scratch.load(good)
    scratch.load({"house": [(2, "b", None, None), (2**70, "c", None, None)]})
    assert not scratch.whole
    assert scratch.stored(["house"]) == {"house": ((2, "b", None, None),)}
    scratch.load(good)
    assert scratch.stored(["house"]) == {"house": ((1, "a", None, None),)}
    with pytest.raises(LookupError):
        scratch.load({"garden": [(1,)]})
    with pytest.raises(sqlite3.Error):
        scratch.load({"room": [(1, "a", "too many")]})
    scratch.load({"house": []})
    assert scratch.stored(["house", "room"]) == {"house": (), "room": ()}
    scratch.load(good)
    assert scratch.stored(["house"]) == {"house": ((1, "a", None, None),)}


def test_an_answer_has_its_columns_every_time() -> None:
    scratch = in_memory_engine().scratch_database(SCHEMA)
    for size in (1, 2):
        scratch.load({"room": [(None, f"r{n}") for n in range(size)]})
        answer = scratch.run("SELECT count(*) AS n FROM room")
        assert isinstance(answer, Answer)
        assert (answer.columns, answer.rows) == (("n",), [(size,)])


@pytest.mark.parametrize(("sizes", "orders"), [((), 1), ((1, 1), 1), ((2, 1), 2), ((5, 5), 8)])
def test_each_order_of_the_rows_comes_once(sizes: tuple[int, ...], orders: int) -> None:
    rows = {f"t{n}": [(cell, n) for cell in range(size)] for n, size in enumerate(sizes)}
    items = list(arrangements(rows))
    assert len(items) == orders
    assert items[0] == {table: content[::-1] for table, content in rows.items()}
    assert rows == items[min(1, orders - 1)]
    for table, content in rows.items():
        assert {order[table][0] for order in items} == set(content), "each row is first once"
        assert {order[table][-1] for order in items} == set(content), "and last"


def test_equal_rows_of_other_types_are_other_rows() -> None:
    rows: dict[str, list[Row]] = {"t": [(1,), (1.0,)]}
    assert len(list(arrangements(rows))) == 2


def test_links_are_followed_to_the_parents_and_no_further() -> None:
    constraints = constraints_of(SCHEMA, facts_of(SCHEMA))
    assert [(link.table, link.parent) for link in constraints.reached(["room"])] == [
        ("room", "house")
    ]
    assert constraints.reached(["house"]) == []
    assert foreign_keys_hold({"room": [(None, "a")]}, constraints.links)
    assert not foreign_keys_hold({"room": [(1, "a")]}, constraints.links)


def test_the_work_of_a_pair_does_not_depend_on_what_the_last_one_left() -> None:
    rows: dict[str, list[Row]] = {"house": [(1, "a", None, 2)]}
    scratch = in_memory_engine().scratch_database(SCHEMA)
    works = []
    for _ in range(2):
        scratch.begin()
        scratch.load(rows)
        works.append(scratch.work)
    assert works[0] == works[1] > 0
