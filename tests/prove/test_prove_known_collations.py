"""Texts under collations that are known by their names: what is proved holds on MySQL or MariaDB."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_uppercase
from urllib.parse import urlsplit

import pytest

import sqlverdict as sv
from small_databases import database_of
from sqlverdict.dialects import dialect_of
from sqlverdict.prove.proof import Proof

pytestmark = pytest.mark.slow

TEXTS = (
    "a",
    "A",
    "a ",
    "á",
    "ß",
    "ẞ",
    "ss",
    "s",
    "",
    " ",
    "b",
    "B ",
    "i",
    "I",
    "\u0131",
    "\u0130",
    "a_",
    "ab",
)
TABLES = (
    "CREATE TABLE t (id INT PRIMARY KEY, n INT, s VARCHAR(9) COLLATE utf8mb4_general_ci,"
    " e VARCHAR(9) COLLATE utf8mb4_bin)",
    "CREATE TABLE u (s VARCHAR(9) COLLATE utf8mb4_general_ci UNIQUE, w INT,"
    " x VARCHAR(9) COLLATE utf8mb4_unicode_ci UNIQUE)",
    "INSERT INTO t VALUES "
    + ", ".join(f"({at}, {at % 3}, '{text}', '{text}')" for at, text in enumerate(TEXTS)),
    "INSERT INTO u VALUES ('A', 1, 'b'), ('b', 2, 'A'), (NULL, 3, NULL), ('i', 4, 'c')",
)
EQUAL = [
    ("SELECT id FROM t WHERE s = 'a'", "SELECT id FROM t WHERE s = 'A  '"),
    ("SELECT id FROM t WHERE s > 'B'", "SELECT id FROM t WHERE s > 'b '"),
    ("SELECT id FROM t WHERE s IN ('A', 'b ')", "SELECT id FROM t WHERE s = 'B' OR s = 'a'"),
    ("SELECT id FROM t WHERE s LIKE 'A%'", "SELECT id FROM t WHERE s LIKE 'a%'"),
    ("SELECT id FROM t WHERE e = 'A'", "SELECT id FROM t WHERE e = 'A '"),
    ("SELECT t.id FROM t LEFT JOIN u ON t.s = u.s", "SELECT id FROM t"),
    (
        "SELECT id, (SELECT w FROM u WHERE u.s = t.s) FROM t",
        "SELECT id, w FROM t LEFT JOIN u ON u.s = t.s",
    ),
    ("SELECT DISTINCT w FROM u WHERE s = 'a'", "SELECT w FROM u WHERE s = 'A'"),
    (
        "SELECT DISTINCT t.id, u.s FROM t JOIN u ON t.s = u.s",
        "SELECT t.id, u.s FROM t, u WHERE t.s = u.s",
    ),
    (
        "SELECT COUNT(*) FROM t GROUP BY s HAVING COUNT(*) > 1",
        "SELECT COUNT(id) FROM t GROUP BY s HAVING COUNT(*) >= 2",
    ),
]
DIFFERENT = [
    ("SELECT id FROM t WHERE s LIKE 'a '", "SELECT id FROM t WHERE s LIKE 'a'"),
    ("SELECT id FROM t WHERE e = 'A'", "SELECT id FROM t WHERE e = 'a'"),
    ("SELECT s FROM t WHERE s = 'a'", "SELECT 'a' FROM t WHERE s = 'a'"),
    ("SELECT t.s FROM t JOIN u ON t.s = u.s", "SELECT u.s FROM t JOIN u ON t.s = u.s"),
]
OPEN = [
    # Two collations: which one compares the two columns is not known here.
    ("SELECT t.id FROM t LEFT JOIN u ON t.e = u.s", "SELECT id FROM t"),
]
GROUPS_OF_TEXTS = [
    # A group may show any of the texts that are equal.
    ("SELECT s, COUNT(*) FROM t GROUP BY s", "SELECT s, COUNT(id) FROM t GROUP BY s"),
    ("SELECT DISTINCT n, s FROM t", "SELECT n, s FROM t GROUP BY n, s"),
]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with database_of("mysql", tmp_path_factory.mktemp("db"), *TABLES) as database:
        yield database


def rows_of(db: str, sql: str) -> list[str]:
    """A query's rows on the server, sorted."""
    from mysql_parts import execute

    return sorted(map(repr, execute(urlsplit(db).path[1:], sql)))


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_what_is_proved_holds_on_the_server(db: str, one: str, other: str) -> None:
    assert sv.prove_pair(one, other, db=db).proved
    assert rows_of(db, one) == rows_of(db, other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_differs_there_is_not_proved(db: str, one: str, other: str) -> None:
    assert not sv.prove_pair(one, other, db=db).proved
    assert rows_of(db, one) != rows_of(db, other)


@pytest.mark.parametrize(("one", "other"), OPEN)
def test_what_is_not_known_is_not_proved(db: str, one: str, other: str) -> None:
    assert not sv.prove_pair(one, other, db=db).proved


@pytest.mark.parametrize(("one", "other"), GROUPS_OF_TEXTS)
def test_the_text_that_a_group_shows_is_an_open_choice(db: str, one: str, other: str) -> None:
    proof = sv.prove_pair(one, other, db=db)
    assert isinstance(proof, Proof)
    assert proof.open_choices == (
        "which of the texts of t.s that its collation takes for one is shown",
    )


def test_the_record_says_of_collations_what_the_server_does(db: str) -> None:
    record, database = dialect_of("mysql"), urlsplit(db).path[1:]
    from mysql_parts import execute

    names = [row[0] for row in execute(database, "SHOW COLLATION")]
    known = [
        name
        for name in names
        if record.padded_collations.fullmatch(name) or record.caseless_collations.fullmatch(name)
    ]
    assert {"utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_bin"} <= set(known)
    capitals = ascii_uppercase
    for name in known:
        text = f"CONVERT('{{}}' USING {name.partition('_')[0]}) COLLATE {name}"
        if record.padded_collations.fullmatch(name):
            ends = execute(
                database, f"SELECT {text.format('a')} = 'a  ', {text.format('a ')} > 'a'"
            )
            assert list(ends) == [(1, 0)], name
        if record.caseless_collations.fullmatch(name):
            same = [f"{text.format(each)} = '{each.lower()}'" for each in capitals]
            like = [f"{text.format(each)} LIKE '{each.lower()}%'" for each in capitals]
            assert set(execute(database, f"SELECT {', '.join(same + like)}")[0]) == {1}, name
