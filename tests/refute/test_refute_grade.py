"""How ordinary a witness is: each grade, their order, and what does not count."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Row
from sqlverdict.refute.data.grade import SEVERITY, Grader, used
from sqlverdict.refute.data.regularities import Regularities, mine
from sqlverdict.refute.trial.ties import rank_probes
from sqlverdict.refute.witness import Grade, Instance

SCRIPT = """
CREATE TABLE club (id INTEGER PRIMARY KEY, name TEXT, city TEXT, code TEXT, town TEXT);
CREATE TABLE member (id INTEGER PRIMARY KEY, club_id INTEGER REFERENCES club(id), age INTEGER,
                     email TEXT, mentor INTEGER);
CREATE TABLE unused (a TEXT);
"""


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[Schema, Regularities]:
    """Clubs without members, members without a club; the city is sometimes not known."""
    path: Path = tmp_path_factory.mktemp("real") / "real.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCRIPT)
        clubs = [
            (n, f"Club {n}", None if n % 9 == 0 else f"City {n % 15}", f"c{n % 4}", f"Town {n % 4}")
            for n in range(1, 61)
        ]
        members = [
            (n, None if n % 11 == 0 else n % 50 + 1, n % 40 + 18, f"m{n}@x.org", None)
            for n in range(1, 201)
        ]
        connection.executemany("INSERT INTO club VALUES (?, ?, ?, ?, ?)", clubs)
        connection.executemany("INSERT INTO member VALUES (?, ?, ?, ?, ?)", members)
        connection.commit()
    schema = read_sqlite(path)
    return schema, mine(path, schema)


CLUB = (1, "Club 1", "City 1", "c1", "Town 1")
OTHER_CLUB = (2, "Club 2", "City 2", "c2", "Town 2")
MEMBER = (1, 1, 20, "a@x.org", None)
YOUNGER = (2, 1, 19, "b@x.org", None)
SAME_AGE = (3, 1, 20, "c@x.org", None)
NAMES = "SELECT name FROM club"
JOINED = "SELECT name FROM club JOIN member ON club.id = member.club_id"
OLDEST = "SELECT email FROM member ORDER BY age DESC LIMIT 1"


def graded(
    real: tuple[Schema, Regularities], rows: Mapping[str, tuple[Row, ...]], gold: str, other: str
) -> tuple[Grade, tuple[str, ...]]:
    return Grader(*real, gold, other).grade(Instance(real[0], rows))


def test_ordinary(real: tuple[Schema, Regularities]) -> None:
    rows = {"club": (CLUB,), "member": (MEMBER, YOUNGER)}
    assert graded(real, rows, JOINED, JOINED.replace("name", "DISTINCT name")) == ("ordinary", ())


def test_breaks_a_regularity_and_names_it(real: tuple[Schema, Regularities]) -> None:
    rows = {"club": (CLUB, (2, "Club 1", None, "c1", "Town 1"))}
    result = graded(real, rows, NAMES, "SELECT DISTINCT name FROM club")
    assert result == ("breaks_regularity", ("club.name is unique",))
    rows = {"club": (CLUB, (2, None, "City 2", "c1", "Town 2"))}
    by_code, by_town = "SELECT code FROM club GROUP BY code", "SELECT town FROM club GROUP BY town"
    result = graded(real, rows, by_code, by_town)
    assert result == ("breaks_regularity", ("club.code and club.town determine each other",))


def test_columns_that_no_query_uses_do_not_count(real: tuple[Schema, Regularities]) -> None:
    rows = {"club": ((1, "Club 1", None, "c1", "nowhere"), (2, "Club 2", None, "c1", None))}
    assert graded(real, rows, NAMES, NAMES + " WHERE id > 1")[0] == "ordinary"
    assert graded(real, rows, NAMES, "SELECT city FROM club")[0] == "needs_null"
    assert graded(real, rows, NAMES, "SELECT * FROM club")[0] == "breaks_regularity"
    assert graded(real, rows, NAMES, "SELECT COUNT(*), name FROM club")[0] == "ordinary"


def test_needs_an_empty_table(real: tuple[Schema, Regularities]) -> None:
    rows = {"club": ((1, "Club 1", None, "c1", "Town 1"),)}
    assert graded(real, rows, NAMES, "SELECT city FROM club, member")[0] == "needs_empty_table"
    # That table is empty in the real database too.
    assert graded(real, rows, NAMES, "SELECT name FROM club, unused")[0] == "ordinary"


def test_needs_null_only_where_the_real_column_has_some(real: tuple[Schema, Regularities]) -> None:
    city = "SELECT COUNT(city) FROM club"
    rows = {"club": ((1, "Club 1", None, "c1", "Town 1"),)}
    assert graded(real, rows, city, "SELECT COUNT(*) FROM club") == ("needs_null", ())
    rows = {"club": ((1, None, "City 1", "c1", "Town 1"),)}
    result = graded(real, rows, "SELECT COUNT(name) FROM club", "SELECT COUNT(*) FROM club")
    assert result == ("breaks_regularity", ("club.name is never NULL",))


def test_needs_a_missing_partner(real: tuple[Schema, Regularities]) -> None:
    childless = {"club": (CLUB, OTHER_CLUB), "member": (MEMBER,)}
    left = JOINED.replace("JOIN", "LEFT JOIN")
    assert graded(real, childless, JOINED, left)[0] == "needs_missing_partner"
    # Without the join between them, the two tables have no partners to miss.
    apart = "SELECT age FROM member"
    assert graded(real, childless, NAMES, apart)[0] == "ordinary"
    within = "SELECT name FROM club WHERE id IN (SELECT club_id FROM member)"
    assert graded(real, childless, within, NAMES)[0] == "needs_missing_partner"


def test_needs_a_tie(real: tuple[Schema, Regularities]) -> None:
    tied, apart = {"member": (MEMBER, SAME_AGE)}, {"member": (MEMBER, YOUNGER)}
    top = "SELECT email FROM member WHERE age = (SELECT MAX(age) FROM member)"
    assert graded(real, tied, OLDEST, top)[0] == "needs_tie"
    assert graded(real, apart, OLDEST, top)[0] == "ordinary"


def test_severity_is_in_the_stated_order(real: tuple[Schema, Regularities]) -> None:
    order: list[Grade] = [
        "breaks_regularity",
        "needs_empty_table",
        "needs_null",
        "needs_missing_partner",
        "needs_tie",
        "ordinary",
    ]
    assert sorted(order, key=SEVERITY.__getitem__, reverse=True) == order
    # One witness after the other loses its oddest feature.
    gold = f"SELECT club.name, city, age FROM club JOIN member ON club.id = club_id ORDER BY age LIMIT 1"  # noqa: F541
    other = (
        gold.replace("LIMIT 1", "")
        .replace("city", "unused.a")
        .replace("club JOIN", "unused, club JOIN")
    )
    both = (MEMBER, SAME_AGE)
    null = (2, "Club 2", None, "c2", "Town 2")
    steps: list[tuple[Mapping[str, tuple[Row, ...]], Grade]] = [
        ({"club": (null, (3, None, None, "c3", "Town 3")), "member": ()}, "breaks_regularity"),
        ({"club": (null, CLUB)}, "needs_empty_table"),
        ({"club": (CLUB, null), "member": both}, "needs_null"),
        ({"club": (CLUB, OTHER_CLUB), "member": both}, "needs_missing_partner"),
        ({"club": (CLUB,), "member": both}, "needs_tie"),
        ({"club": (CLUB,), "member": (MEMBER, YOUNGER)}, "ordinary"),
    ]
    for rows, expected in steps:
        assert graded(real, rows, gold, other)[0] == expected
    grader = Grader(real[0], real[1], gold, other)
    costs = [grader.cost(Instance(real[0], rows)) for rows, _ in steps]
    assert costs == sorted(costs, reverse=True)


def test_a_grader_for_parts_grades_every_part_as_the_whole_grader_does(
    real: tuple[Schema, Regularities],
) -> None:
    """A shrinker asks it at every step; it looks only at what taking rows away can change."""
    schema = real[0]
    rows = {
        "club": (
            CLUB,
            OTHER_CLUB,
            (3, None, None, "c1", "Town 9"),
            (2, "Club 1", "City 1", "", ""),
        ),
        "member": (MEMBER, SAME_AGE, (4, 9, -5, "d", None), (5, None, 90, "a@x.org", 4)),
    }
    queries = (
        f"{JOINED} WHERE age > 18 AND city <> ''",
        f"SELECT code, town, mentor FROM ({OLDEST})",
    )
    for regularities in (real[1], None):
        grader = Grader(schema, regularities, *queries)
        part_grader = grader.within(Instance(schema, rows))
        assert part_grader.weight == grader.weight
        sizes = range(1 << len(rows["club"]))
        for clubs, members in product(sizes, sizes):
            part = Instance(
                schema,
                {
                    table: tuple(row for n, row in enumerate(rows[table]) if table_rows >> n & 1)
                    for table, table_rows in (("club", clubs), ("member", members))
                },
            )
            assert part_grader.grade(part) == grader.grade(part)


def test_without_real_data_nothing_is_called_ordinary(real: tuple[Schema, Regularities]) -> None:
    schema = real[0]
    plain = Instance(schema, {"club": (CLUB,)})
    grader = Grader(schema, None, NAMES, NAMES + " LIMIT 0")
    assert grader.grade(plain) == ("ungraded", ())
    null = Instance(schema, {"club": ((1, None, None, None, None),)})
    assert grader.grade(null) == ("needs_null", ())
    empty = Grader(schema, None, NAMES, "SELECT 1").grade(Instance(schema, {}))
    assert empty[0] == "needs_empty_table"


def test_a_query_beyond_the_parser_is_read_by_its_words(real: tuple[Schema, Regularities]) -> None:
    result = used(real[0], "SELEC name FRM club WHERE x = 'member'")
    assert result.tables == {"club"}
    assert result.column_refs == {("club", "name")}
    rows = {"club": ((1, None, "City 1", "c1", "Town 1"),)}
    assert graded(real, rows, "SELEC name FRM club", "SELECT 1")[0] == "breaks_regularity"


RANKED = [
    ("SELECT a FROM t ORDER BY b DESC LIMIT 1", True, "the first key"),
    ("SELECT a FROM t ORDER BY b DESC, a LIMIT 1", True, "the first key decides who is top"),
    ("SELECT a AS b, b AS x FROM t ORDER BY x DESC LIMIT 1", True, "an alias"),
    ("SELECT b, a FROM t ORDER BY 1 DESC LIMIT 1", True, "a place"),
    ("SELECT a FROM t ORDER BY b LIMIT 1", False, "the tie is at the other end"),
    ("SELECT a FROM t ORDER BY b LIMIT 2", True, "the tie stands across the limit"),
    ("SELECT a FROM t ORDER BY b", True, "two neighbours tie"),
    ("SELECT a FROM t ORDER BY b, a", False, "the whole key does not tie"),
    ("SELECT DISTINCT b FROM t ORDER BY b DESC LIMIT 1", False, "DISTINCT leaves one"),
    ("SELECT a FROM t WHERE b = (SELECT MAX(b) FROM t)", True, "MAX in a subquery"),
    ("SELECT a FROM t WHERE b = (SELECT MIN(b) FROM t)", False, "one row is lowest"),
    ("SELECT MAX(b) FROM t GROUP BY a", False, "no tie within a group"),
    ("SELECT MAX(b) FROM t GROUP BY a > 1", True, "a tie within a group"),
    ("SELECT MAX(a, b) FROM t", False, "MAX of two values is no aggregate"),
    ("SELECT a FROM t GROUP BY a ORDER BY COUNT(*) DESC LIMIT 1", True, "groups of one size"),
    ("SELECT b FROM t GROUP BY b ORDER BY COUNT(*) DESC LIMIT 1", False, "groups of two sizes"),
    ("SELECT a, RANK() OVER (ORDER BY b) FROM t", True, "a window"),
    ("SELECT a, RANK() OVER (PARTITION BY a ORDER BY b) FROM t", False, "a window's part"),
    ("WITH x AS (SELECT b FROM t) SELECT MAX(b) FROM x", True, "through a common table"),
    ("SELECT b FROM t UNION ALL SELECT b FROM t ORDER BY b LIMIT 1", True, "a union's order"),
    ("SELECT b FROM t UNION SELECT b FROM t ORDER BY b", False, "a union without repetitions"),
    ("SELECT iif(max(a, 0) > 1, 1, 0) FROM t", False, "no aggregate is compared"),
    ("SELECT iif(sum(b) > sum(b), 1, 0) FROM t", True, "two sums are equal"),
    ("SELECT iif(sum(a) > sum(b), 1, 0) FROM t", False, "two sums differ"),
    ("SELECT iif(sum(a) > 6, 1, 0) FROM t", False, "a sum beside a number"),
    ("SELECT a FROM t GROUP BY a HAVING sum(b) > sum(b)", False, "sums of groups"),
    (
        "WITH x AS (SELECT b FROM t) SELECT CASE WHEN avg(b) < avg(b) THEN 1 END FROM x",
        True,
        "two averages through a common table",
    ),
    ("SELECT a FROM t", False, "nothing is ranked"),
]


@pytest.mark.parametrize(("sql", "tie", "because"), RANKED, ids=[r[2] for r in RANKED])
def test_ties(sql: str, tie: bool, because: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a, b)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, 1), (2, 5), (3, 5)])
        results = [probe.ties(connection.execute(probe.sql)) for probe in rank_probes(sql)]
    assert any(results) == tie, because


@pytest.mark.parametrize("orphan", [False, True])
def test_a_foreign_key_that_the_real_data_break_is_no_regularity(
    tmp_path: Path, orphan: bool
) -> None:
    """Both queries use both columns of the key and none joins them."""
    path = tmp_path / "real.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCRIPT)
        connection.execute("INSERT INTO club (id) VALUES (1), (2)")
        connection.execute("INSERT INTO member (id, club_id) VALUES (1, ?)", (7 if orphan else 1,))
        connection.commit()
    schema = read_sqlite(path)
    rows = {"club": (CLUB, OTHER_CLUB), "member": (MEMBER,)}
    gold, other = "SELECT id FROM club", "SELECT club_id FROM member"
    result, _ = Grader(schema, mine(path, schema), gold, other).grade(Instance(schema, rows))
    assert result == ("ordinary" if orphan else "needs_missing_partner")
