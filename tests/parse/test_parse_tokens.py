"""The lexer and what is said from tokens alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlverdict.parse.tokens import (
    Kind,
    first_statement,
    fold,
    has_word,
    kind,
    leading_keyword,
    normalised,
    pieces,
    solid,
    statement_count,
    statements,
    tokens,
    without_distinct,
)
from timeouts import cpu_limit

FRAGMENTS = st.sampled_from(
    [
        "'",
        '"',
        "`",
        "[",
        "]",
        "--",
        "/*",
        "*/",
        "\n",
        " ",
        "x'",
        "1",
        ".",
        "e",
        "a",
        "é",
        ";",
        "(",
        ")",
        "-",
        ">",
        "$",
        "?",
        ":",
        "\x00",
        "\ufeff",
        "distinct",
        "SELECT",
        "''",
        "<",
        "=",
    ]
)
HOSTILE = st.one_of(st.text(max_size=80), st.lists(FRAGMENTS, max_size=40).map("".join))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ab_1$é", Kind.WORD),
        ("x", Kind.WORD),
        ("xy", Kind.WORD),
        ("\u00a0", Kind.WORD),
        ('"a ""b"" c"', Kind.QUOTED),
        ("`a``b`", Kind.QUOTED),
        ("[a b]", Kind.QUOTED),
        ("'it''s'", Kind.STRING),
        ("x'00ff'", Kind.STRING),
        ("'open", Kind.STRING),
        ("12", Kind.NUMBER),
        ("1.5e-3", Kind.NUMBER),
        (".5", Kind.NUMBER),
        ("0xFF", Kind.NUMBER),
        ("1.", Kind.NUMBER),
        ("?1", Kind.PARAMETER),
        (":name", Kind.PARAMETER),
        ("->>", Kind.OPERATOR),
        ("-", Kind.OPERATOR),
        ("/", Kind.OPERATOR),
        (".", Kind.OPERATOR),
        ("||", Kind.OPERATOR),
        ("\x00", Kind.OPERATOR),
        ("-- it's", Kind.COMMENT),
        ("/* a\n'b */", Kind.COMMENT),
        ("/* open", Kind.COMMENT),
        (" \t\n", Kind.SPACE),
        ("\ufeff", Kind.SPACE),
    ],
)
def test_one_token_is_one_piece_of_its_kind(text: str, expected: Kind) -> None:
    assert pieces(text) == [text]
    assert kind(text) is expected
    assert list(tokens(text)) == [(expected, text)]


def test_tokens_of_a_query() -> None:
    result = solid("SELECT a.b,'x;y' FROM [t;] WHERE c>=1.5 -- d\nAND \"e\"<>x'0' /* f */;")
    expected = "SELECT a . b , 'x;y' FROM [t;] WHERE c >= 1.5 AND \"e\" <> x'0' ;"
    assert " ".join(result) == expected


@settings(deadline=None)
@given(HOSTILE)
def test_pieces_join_back_to_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text
    assert all(pieces(text))


@settings(deadline=None)
@given(HOSTILE)
def test_solid_is_pieces_without_spaces_and_comments(text: str) -> None:
    dropped = (Kind.SPACE, Kind.COMMENT)
    assert solid(text) == [piece for piece in pieces(text) if kind(piece) not in dropped]


@settings(deadline=None)
@given(st.lists(st.sampled_from(["'a'", "''", '"b"', "1", "-1", ".5", "0x1", "x'00'", "1e3"])))
def test_literals_are_cut_where_sqlite_cuts_them(literals: list[str]) -> None:
    text = ",".join(literals) or "NULL"
    commas = pieces(f"SELECT {text}").count(",")
    with closing(sqlite3.connect(":memory:")) as connection:
        row = connection.execute("SELECT " + text.replace('"', "'")).fetchone()
    assert len(row) == commas + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "'" * 1000001,
        '"' * 1000001,
        "/*" * 500000,
        "--" * 500000,
        "[" * 1000000,
        "(" * 300000,
        "a " * 300000,
        "''" * 500000 + "'",
        "\x00" * 300000,
        "." * 300000,
        "1e" * 500000,
        "/*" + "*" * 1000000,
        " " * 1000000,
        "x" * 1000000,
    ],
    ids=lambda text: ascii(text[:6]),
)
def test_a_megabyte_of_anything_takes_linear_time(text: str) -> None:
    with cpu_limit(60):
        assert "".join(pieces(text)) == text
        solid(text)
        statement_count(text)


def test_has_word() -> None:
    assert has_word("select a from t Order\nby a", "ORDER")
    assert not has_word("select 'order' from t", "order")
    assert not has_word('select "order", [order], `order` from t', "order")
    assert not has_word("select a -- order\n /* order */ from orders", "order")
    assert not has_word("", "order")


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT DISTINCT a FROM t", "SELECT  a FROM t"),
        ("SELECT count(distinct a) FROM t", "SELECT count( a) FROM t"),
        ("SELECT 'DISTINCT', \"distinct\" FROM t", "SELECT 'DISTINCT', \"distinct\" FROM t"),
        ("SELECT a -- distinct\n FROM t", "SELECT a -- distinct\n FROM t"),
        ("SELECT distinct_id FROM t", "SELECT distinct_id FROM t"),
        ("SELECT DISTINCT a FROM t; DROP TABLE t", "SELECT  a FROM t"),
        ("SELECT a FROM t WHERE b = ';'", "SELECT a FROM t WHERE b = ';'"),
        ("SELECT DISTINCT a  FROM  t ;", "SELECT  a  FROM  t "),
        ("", ""),
    ],
)
def test_without_distinct(sql: str, expected: str) -> None:
    assert without_distinct(sql) == expected


def test_statements() -> None:
    text = "; -- nothing\n; SELECT ';' ; /* ; */ SELECT 2 -- ;"
    assert statements(text) == [" SELECT ';' ", " /* ; */ SELECT 2 -- ;"]
    assert statement_count(text) == 2
    assert first_statement(text) == " SELECT ';' "
    assert statements(" -- only a comment") == []
    assert first_statement("") == ""


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("SELECT a , b FROM t ;", "select A,B from T"),
        ("SELECT a\n\tFROM t -- why\n", "select /* how */ a from t;;"),
        ("SELECT count( * )", "select COUNT(*)"),
        ("SELECT a FROM t WHERE b>=1 AND c = 'X'", "SELECT a FROM t WHERE b >= 1 and c='X'"),
        ("SELECT t . a", "select t.a"),
    ],
)
def test_normalised_joins(left: str, right: str) -> None:
    assert normalised(left) == normalised(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("SELECT 'A'", "SELECT 'a'"),
        ('SELECT "A"', 'SELECT "a"'),
        ("SELECT a b", "SELECT ab"),
        ("SELECT a - -1", "SELECT a --1"),
        ("SELECT a < b", "SELECT a <= b"),
        ("SELECT x'00'", "SELECT x '00'"),
        ("SELECT 1 .5", "SELECT 1.5"),
        ("SELECT 'a' 'b'", "SELECT 'a''b'"),
    ],
)
def test_normalised_keeps_apart(left: str, right: str) -> None:
    assert normalised(left) != normalised(right)


@settings(deadline=None)
@given(HOSTILE)
def test_normalised_is_stable(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)


@settings(deadline=None)
@given(HOSTILE)
def test_normalised_keeps_the_tokens(text: str) -> None:
    characters = solid(text)
    while characters and characters[-1] == ";":
        characters.pop()
    folded = [fold(t) if kind(t) in (Kind.WORD, Kind.NUMBER) else t for t in characters]
    assert solid(normalised(text)) == folded


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("  select 1", "SELECT"),
        ("-- c\n/* d */ ((with a as (select 1) select 2))", "WITH"),
        ("", ""),
        ("'select'", ""),
        ("; select 1", ""),
        ("1", ""),
    ],
)
def test_leading_keyword(sql: str, expected: str) -> None:
    assert leading_keyword(sql) == expected


def test_fold_leaves_other_alphabets_alone() -> None:
    assert fold("ÄB") == "Äb"
    assert fold("AB") == "ab"
