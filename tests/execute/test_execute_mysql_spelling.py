"""The one spelling in which texts are sent to MySQL and MariaDB."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysql_parts import connect
from servers import mysql_server
from sqlverdict.execute.engines.mysql.sandbox import canonical
from sqlverdict.execute.engines.mysql.spelling import Spelling, spelling_of
from sqlverdict.execute.lexemes import Lex, Lexeme, lexemes
from sqlverdict.records import Failure, Reason

PIECES = (
    *("'", '"', "`", "\\", "''", '""', "``", "\\'", "--", "-- ", "--\x7f", "--\x01", "#", "\n"),
    *("/*", "*/", "/*!", "/*!50000", "/*M!", "/*+", "/**/", "\r", "\t", " ", "\x0b", "\x00"),
    *("\x7f", "\x85", "\xa0", "\u2028", "\ufeff", "a", "n", "N", "x", "_utf8", "_binary", "e", "$"),
    *("é", "1", "1.", ".5", "1e5", "1e", "0x41", "x'41'", "b'1'", "-", "+", "*", "/", "=", "<"),
    *("!", "|", "&", "->", "<=>", ":=", "@", "?", ";", ",", "(", ")", ".", "{", "}", "'a'", '"c"'),
    *("'\\\\'", "'\\''", "'\\%'", "NULL", "AS", "\\N", "\U0001f600", "'\U0001f600'"),
)
MODES = (
    "NO_ENGINE_SUBSTITUTION",
    "NO_BACKSLASH_ESCAPES",
    "ANSI_QUOTES",
    "NO_BACKSLASH_ESCAPES,ANSI_QUOTES,IGNORE_SPACE,PIPES_AS_CONCAT",
)


@pytest.mark.parametrize(
    ("sql", "sent"),
    [
        ("SELECT  count( * )\n FROM t ;", "SELECT count( * ) FROM t"),
        ("SELECT count (*), count/**/(*) FROM t", "SELECT count (*), count (*) FROM t"),
        ("SELECT a--1, a-- 1\n+2", "SELECT a- -1, a +2"),
        ("SELECT 1 --\x7f'\n, 2 -- '", "SELECT 1 , 2"),
        ("SELECT 1 # '\n, 2 # '", "SELECT 1 , 2"),
        (
            "SELECT 'it\\'s', \"it's\", 'a\\\\', 'b\\%\\n\\q'",
            r"SELECT 'it''s', 'it''s', 'a\\', 'b\\%" "\nq'",
        ),
        ("SELECT '\\0', 'a\0b'", r"SELECT '\0', 'a\0b'"),
        ("SELECT T1 . a, t.`b``c`, t.*", "SELECT T1.a, t.`b``c`, t.*"),
        ("SELECT DATE'2020-01-01', x '41', x'41'", "SELECT DATE '2020-01-01', x '41', x'41'"),
        ("SELECT 1.5e3, .5, 0x41, b'01', 1.", "SELECT 1.5e3, .5, 0x41, b'01', 1."),
        ("SELECT a=-1, b=!c, a->>'$.x'", "SELECT a= -1, b= !c, a->>'$.x'"),
        ("SELECT /*+ NO_ICP(t) */ 1", "SELECT 1"),
        ("SELECT größe FROM tür", "SELECT größe FROM tür"),
    ],
)
def test_a_text_is_written_anew(sql: str, sent: str) -> None:
    assert canonical(sql) == sent


@pytest.mark.parametrize(
    "sql",
    [
        *(f"SELECT 1{mark}, 2" for mark in "\x00\x01\x0b\x0c\x1f\x7f\x85\xa0\u2028\u3000\u200b"),
        *("SELECT 'a' 'b'", "SELECT 'a' /**/ \"b\"", "SELECT N'a'", "SELECT _utf8 'a'"),
        *("SELECT _binary x'41'", "SELECT _latin1/**/'a'", "SELECT x'4'", "SELECT b'2'"),
        *("SELECT 1a", "SELECT 1e", "SELECT 1e0INTO", "SELECT 0X41", "SELECT t.5", "SELECT 1..5"),
        *("SELECT 'a", 'SELECT "a', "SELECT `a", "SELECT ``", "SELECT /* a", "SELECT 'a\\'"),
        *("SELECT ?", "SELECT :a", "SELECT {d '2020-01-01'}", "SELECT \\N", "SELECT [a]"),
        *(
            "SELECT $a",
            "SELECT $$a$$",
            "SELECT \U00010400",
            "SELECT `\U00010400`",
            "SELECT '\ud800'",
        ),
        *("SELECT * FROM .t", "SELECT from.a FROM t", "SELECT a.'b'", "SELECT 1 --\x00, 2"),
    ],
)
def test_what_is_not_clear_is_refused(sql: str) -> None:
    outcome = canonical(sql)
    assert isinstance(outcome, Failure), outcome
    assert outcome.reason in (Reason.PARSE_ERROR, Reason.UNSUPPORTED_FEATURE)


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_a_spelling_is_its_own_and_reads_the_same_to_every_lexer(sql: str) -> None:
    spelling = spelling_of(sql)
    if isinstance(spelling, Failure):
        return
    assert spelling_of(spelling.text) == spelling
    parts = [part for part in lexemes(spelling.text, "mysql") if part.kind is not Lex.GAP]
    assert "".join(part.text for part in parts) == "".join(part.text for part in spelling.parts)
    for part in spelling.parts:
        assert spelling.text[part.start : part.end] == part.text


@pytest.mark.slow
def test_the_server_reads_the_literals_and_columns_that_the_guard_read() -> None:
    """In every mode, though the modes of our sessions never change."""
    mysql_server()
    chance = random.Random(28)
    connections = []
    try:
        for mode in MODES:
            connections.append((mode, connect()))
            connections[-1][1].cursor().execute(f"SET sql_mode = '{mode}', max_statement_time = 9")
        count = 0
        for _ in range(6_000):
            soup = "".join(chance.choices(PIECES, k=chance.randint(1, 8)))
            spelling = spelling_of(f"SELECT 1, {soup}{chance.choice(['', ', 9'])}")
            if isinstance(spelling, Failure) or "'" not in spelling.text:
                continue
            for mode, connection in connections:
                count += _agrees(spelling, connection, escapes="BACKSLASH" not in mode)
        assert count > 200
    finally:
        for _, connection in connections:
            connection.close()


def _agrees(spelling: Spelling, connection: object, *, escapes: bool) -> int:
    """How many literals the server read as the guard did."""
    import pymysql

    cursor = connection.cursor()  # type: ignore[attr-defined]
    try:
        cursor.execute(spelling.text)
        (row,) = cursor.fetchall()
    except pymysql.Error:
        return 0
    columns = _columns(spelling.parts[1:])
    assert len(columns) == len(row), spelling.text
    literals = 0
    for parts, cell in zip(columns, row, strict=True):
        if len(parts) == 1 and parts[0].kind is Lex.STRING:
            assert cell == _value(parts[0].text, escapes=escapes), spelling.text
            literals += 1
    return literals


def _columns(parts: Sequence[Lexeme]) -> list[list[Lexeme]]:
    columns: list[list[Lexeme]] = [[]]
    depth = 0
    for part in parts:
        depth += (part.text == "(") - (part.text == ")")
        if part.text == "," and not depth:
            columns.append([])
        else:
            columns[-1].append(part)
    return columns


def _value(text: str, *, escapes: bool) -> str:
    body = text[1:-1].replace("''", "'")
    return re.sub(r"\\(.)", lambda m: "\0" if m[1] == "0" else m[1], body) if escapes else body
