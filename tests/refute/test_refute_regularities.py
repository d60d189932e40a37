"""What is mined from real data: found where it is, not found where it is not, and true."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from error_parts import refuses_database
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Cell
from sqlverdict.refute.data.mine.across import CopiedOver, Inclusion
from sqlverdict.refute.data.mine.columns import (
    FewValues,
    NeverNull,
    NonEmpty,
    Range,
    Repeatless,
    StorageKind,
)
from sqlverdict.refute.data.mine.kind import Regularity
from sqlverdict.refute.data.mine.pairs import Determines, OrderInRow, SameInRow
from sqlverdict.refute.data.mine.sample import read_samples, reading
from sqlverdict.refute.data.regularities import Regularities, mine
from sqlverdict.refute.witness import Instance

Build = Callable[..., Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Makes a database of a script and of rows by table."""

    def make(script: str, **rows: Iterable[tuple[Cell, ...]]) -> Path:
        path = tmp_path / f"db{len(list(tmp_path.iterdir()))}.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(script)
            for table, content in rows.items():
                for row in content:
                    marks = ", ".join("?" for _ in row)
                    connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)
            connection.commit()
        return path

    return make


def sentences(result: Regularities) -> set[str]:
    return {str(member) for member in result}


def test_says_what_columns_show(build: Build) -> None:
    rows = [
        (n, f"N{n:03}", "ab"[n % 2], n % 7 + 1.5, f"2024-01-{n % 28 + 1:02}", str(n * 3), None)
        for n in range(40)
    ]
    path = build("CREATE TABLE t (id, name, sex, score, day, number, absent)", t=rows)
    lines = sentences(mine(path))
    assert lines >= {
        "t is not empty",
        "t.id is never NULL",
        "t.name is unique",
        "t.name is never an empty string",
        "t.name is written in upper case",
        "t.sex is one of 'a', 'b'",
        "t.score is one of 1.5, 2.5, 3.5, 4.5 and 3 more",
        "t.day is written as a date",
        "t.number is written as a whole number",
        "t.number holds only texts",
    }
    assert not any("absent" in sentence for sentence in lines)


def test_each_kind_of_two_columns_says_what_it_means() -> None:
    words = {
        Determines("t", "a", "b", True): "t.a and t.b determine each other",
        Determines("t", "a", "b", False): "t.a determines t.b",
        SameInRow("t", "a", "b"): "t.a equals t.b in every row",
        OrderInRow("t", "a", "b"): "t.a is at most t.b in every row",
        FewValues("t", "a", ("x",)): "t.a is always 'x'",
    }
    assert {member: str(member) for member in words} == words


def test_too_few_rows_show_nothing(build: Build) -> None:
    nine = build("CREATE TABLE t (a, b)", t=[(f"x{n}", n) for n in range(9)])
    assert mine(nine).members == (NonEmpty("t"),)
    ten = build("CREATE TABLE t (a, b)", t=[(f"x{n}", n) for n in range(10)])
    unique = mine(ten).of(Repeatless)
    assert [each.column for each in unique] == ["a"], "ten different numbers are nothing special"
    empty = build("CREATE TABLE t (a)")
    assert not len(mine(empty))


def test_one_exception_is_enough(build: Build) -> None:
    rows = [(n, "x", n % 3, n) for n in range(30)]
    clean = set(mine(build("CREATE TABLE t (a, b, c, d)", t=rows)))
    one_value = FewValues("t", "b", ("x",))
    always = {Repeatless("t", "a"), one_value, NeverNull("t", "c"), SameInRow("t", "a", "d")}
    assert always | {FewValues("t", "c", (0, 1, 2))} <= clean
    spoilt = set(mine(build("CREATE TABLE t (a, b, c, d)", t=[*rows, (5, "y", None, 6)])))
    assert not spoilt & always


def test_values_that_occur_once_forbid_a_small_domain(build: Build) -> None:
    rows = [("a",)] * 18 + [("b",), ("c",)]
    assert not mine(build("CREATE TABLE t (a)", t=rows)).of(FewValues)


def test_ranges_reach_beyond_what_was_seen_but_not_across_zero(build: Build) -> None:
    rows = [(n % 25 + 10,) for n in range(60)]
    (result,) = mine(build("CREATE TABLE t (a)", t=rows)).of(Range)
    assert (result.low, result.high) == (0, 58)


def test_codes_and_labels(build: Build) -> None:
    rows = [(n, f"c{n % 13}", f"label {n % 13}", f"group {n % 13 % 3}") for n in range(65)]
    result = mine(build("CREATE TABLE t (id, code, label, kind)", t=rows)).of(Determines)
    assert {Determines("t", "code", "label", True), Determines("t", "code", "kind", False)} <= {
        *result
    }
    assert not any((each.column, each.other) == ("kind", "code") for each in result)
    assert not any(each.column == "id" for each in result)


def test_a_code_that_the_data_know_keeps_its_label(build: Build) -> None:
    rows = [(f"c{n % 13}", f"label {n % 13}", f"group {n % 13 % 3}") for n in range(65)]
    path = build("CREATE TABLE t (code, label, kind)", t=rows)
    schema = read_sqlite(path)
    results = {(each.column, each.other, each.both): each for each in mine(path).of(Determines)}
    both = results["code", "label", True]
    one_way = results["code", "kind", False]

    def holds(member: Determines, *row: str) -> bool:
        return member.holds(Instance(schema, {"t": (row,)}))

    assert holds(both, "c1", "label 1", "-")
    assert holds(both, "new", "new label", "-")
    assert not holds(both, "c1", "label 2", "-")
    assert not holds(both, "c1", "new label", "-")
    assert not holds(both, "new", "label 1", "-")
    # What is determined one way only may be a measure, of which the data show a part.
    assert holds(one_way, "c1", "-", "group 2")


def test_dependencies_by_accident_are_not_mined(build: Build) -> None:
    rng = Random(1)
    # Almost unique on the left, almost constant on the right: it would hold by chance.
    rows = [(n // 2 if n < 24 else n, "x" if rng.random() < 0.98 else "y") for n in range(200)]
    rows = [(a, "x") if a < 12 else (a, b) for a, b in rows]
    assert not mine(build("CREATE TABLE t (a, b)", t=rows)).of(Determines)


def test_orders_within_a_row(build: Build) -> None:
    rng = Random(2)
    rows = []
    for _ in range(60):
        start = rng.randint(1, 27)
        low = rng.randint(0, 50)
        end = rng.randint(start, 28)
        rows.append((f"2024-01-{start:02}", f"2024-01-{end:02}", low, low + rng.randint(0, 5), 900))
    script = "CREATE TABLE t (opened, closed, low, high, far)"
    result = mine(build(script, t=rows)).of(OrderInRow)
    assert {(f.column, f.other) for f in result} == {("opened", "closed"), ("low", "high")}


def test_undeclared_foreign_keys(build: Build) -> None:
    script = (
        "CREATE TABLE event (event_id, year); CREATE TABLE visit (link_to_event, year);"
        "CREATE TABLE other (id, num)"
    )
    path = build(
        script,
        event=[(f"e{n}", 2000 + n) for n in range(30)],
        visit=[(f"e{n % 12}", 2000 + n % 7) for n in range(40)],
        other=[(n % 9, n % 5) for n in range(30)],
    )
    (inclusion,) = mine(path).of(Inclusion)
    assert inclusion.column_refs == (("visit", "link_to_event"), ("event", "event_id"))
    assert str(inclusion) == "every visit.link_to_event is among event.event_id"


def test_rows_numbered_by_themselves_are_no_foreign_keys(build: Build) -> None:
    script = "CREATE TABLE a (row_id, part_no); CREATE TABLE b (row_id, part_no)"
    path = build(
        script,
        a=[(n, n % 20) for n in range(50)],
        b=[(n, n % 10) for n in range(90)],
    )
    assert not mine(path).of(Inclusion)


def test_columns_copied_over_a_join(build: Build) -> None:
    script = (
        "CREATE TABLE school (code TEXT PRIMARY KEY, county TEXT, size INT);"
        "CREATE TABLE meal (code TEXT REFERENCES school, county_name TEXT, free INT)"
    )
    path = build(
        script,
        school=[(f"s{n}", f"county {n % 7}", n) for n in range(40)],
        meal=[(f"s{n % 30}", f"county {n % 30 % 7}", n % 4) for n in range(60)],
    )
    (result,) = mine(path).of(CopiedOver)
    words = "meal.county_name equals school.county wherever meal.code = school.code"
    assert str(result) == words
    schema = read_sqlite(path)
    rows = {"school": (("s1", "x", 1),), "meal": (("s1", "x", 0), ("s9", "y", 0))}
    assert result.holds(Instance(schema, rows))
    assert not result.holds(Instance(schema, {**rows, "meal": (("s1", "y", 0),)}))


def test_what_identifiers_look_like_does_not_count(build: Build) -> None:
    script = (
        "CREATE TABLE p (id TEXT PRIMARY KEY); CREATE TABLE c (n INT, p_id TEXT REFERENCES p(id))"
    )
    path = build(
        script,
        p=[(f"K{n}",) for n in range(20)],
        c=[(n, "K1K2K3"[n % 3 * 2 :][:2]) for n in range(60)],
    )
    regularities = mine(path)
    assert not any(isinstance(m, FewValues) for m in regularities.about("c", "p_id"))
    assert not any("upper case" in str(m) for m in regularities)
    assert any(isinstance(m, Inclusion) for m in regularities.about("c", "p_id"))


def test_large_tables_are_sampled_and_then_confirmed(build: Build) -> None:
    rows: list[tuple[Cell, ...]] = [(n, f"x{n}", n % 5, n, f"l{n % 5}") for n in range(3000)]
    # The exceptions stand where the sample, every sixth row, does not look.
    rows[1000] = (None, "x7", 99, 5, "l0")
    script = "CREATE TABLE t (a, b, c, d, e)"
    path = build(script, t=rows)
    with reading(path) as connection:
        sample = read_samples(connection, read_sqlite(path).tables, 500)["t"]
    assert len(sample.rows) == 500
    assert not any(row[0] is None for row in sample.rows)
    sampled, whole = mine(path, max_rows=500), mine(path)
    assert set(sampled) <= set(whole)
    assert NeverNull("t", "a") not in sampled.members
    assert {NeverNull("t", "b"), StorageKind("t", "b", "text")} <= {*sampled}
    clean = mine(build(script, t=[row for row in rows if row[0] is not None]), max_rows=500)
    assert {Repeatless("t", "a"), Determines("t", "c", "e", True)} <= {*clean}


def test_names_are_written_as_the_schema_writes_them(build: Build) -> None:
    path = build(
        "CREATE TABLE People (Name TEXT, Age INT)", People=[(f"n{n}", n) for n in range(30)]
    )
    schema = read_ddl("CREATE TABLE people (name TEXT, missing TEXT); CREATE TABLE gone (a)", "x")
    regularities = mine(path, schema)
    assert NeverNull("people", "name") in regularities.members
    assert regularities.counts == {"people": 30}
    instance = Instance(read_sqlite(path), {"People": ((None, 1),)})
    assert not NeverNull("people", "name").holds(instance)


def test_broken_names_only_what_the_columns_bear_on(build: Build) -> None:
    path = build("CREATE TABLE t (a, b)", t=[(f"x{n}", n % 2) for n in range(30)])
    schema = read_sqlite(path)
    regularities = mine(path, schema)
    instance = Instance(schema, {"t": ((None, 7),)})
    few = FewValues("t", "b", (0, 1))
    assert {*regularities.broken(instance)} == {NeverNull("t", "a"), few}
    assert regularities.broken(instance, {("t", "b")}) == (few,)
    assert regularities.broken(Instance(schema, {})) == (NonEmpty("t"),)


def test_mining_is_remembered_and_notices_a_change(build: Build, tmp_path: Path) -> None:
    path = build("CREATE TABLE t (a)", t=[(n,) for n in range(30)])
    first = mine(path)
    assert mine(path) is first
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO t VALUES (NULL)")
        connection.commit()
    assert NeverNull("t", "a") in first.members
    assert NeverNull("t", "a") not in mine(path).members
    with refuses_database("missing"):
        mine(tmp_path / "absent.sqlite")
    broken = tmp_path / "broken.sqlite"
    broken.write_text("no database " * 100)
    with refuses_database("not_a_database"):
        mine(broken, read_ddl("CREATE TABLE t (a)", "x"))


CELLS = st.one_of(
    st.none(),
    st.integers(-2, 3),
    st.sampled_from(
        [0.5, 1.0, "", "a", "A", "1", "-7", "--1", "2024-01-02", "2024-01-02 10:00", b"x"]
    ),
)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=5),
    others=st.lists(st.tuples(CELLS, CELLS), max_size=4),
)
def test_the_sql_of_a_regularity_says_the_same_as_its_python(
    rows: list[tuple[Cell, ...]], others: list[tuple[Cell, ...]]
) -> None:
    """The engine's counterexample and ``holds`` are two accounts of one sentence."""
    from sqlverdict.refute.data.mine.columns import NeverBlank, NumberSign, StorageKind, TextForm

    schema = read_ddl("CREATE TABLE t (a, b, c); CREATE TABLE u (k, v)", "x")
    members: list[Regularity] = [
        NonEmpty("t"),
        NeverNull("t", "a"),
        NeverBlank("t", "a"),
        Repeatless("t", "a"),
        FewValues("t", "a", (1, "a", 0.5)),
        NumberSign("t", "a", True),
        NumberSign("t", "a", False),
        Range("t", "a", -1, 2),
        StorageKind("t", "a", "number"),
        StorageKind("t", "a", "text"),
        *(
            TextForm("t", "a", form)
            for form in (
                "date",
                "date and time",
                "whole number",
                "digits and signs",
                "upper case",
                "lower case",
            )
        ),
        Determines("t", "a", "b", False),
        Determines("t", "a", "b", True),
        SameInRow("t", "a", "b"),
        Inclusion("t", "a", "u", "k"),
        CopiedOver((("t", "a"), ("u", "k")), (("t", "b"), ("u", "v"))),
    ]
    if not any(isinstance(cell, bytes) for row in rows for cell in row):
        members.append(OrderInRow("t", "a", "b"))
    instance = Instance(schema, {"t": tuple(rows), "u": tuple(others)})
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript("CREATE TABLE t (a, b, c); CREATE TABLE u (k, v)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        connection.executemany("INSERT INTO u VALUES (?, ?)", others)
        for member in members:
            broken = connection.execute(member.counterexample()).fetchall()
            assert member.holds(instance) == (not broken), str(member)
