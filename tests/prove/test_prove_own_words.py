"""Reasons of the prover quote queries in their own words, not by the names of unknown functions."""

from __future__ import annotations

import pytest

import sqlverdict as sv
from sqlverdict.execute.common_text import (
    NoCommonText,
    text_in_common_sql,
    unknown_call_text,
    unknown_name,
)
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import NotProved
from sqlverdict.prove.prover import prove
from sqlverdict.prove.resolve.readable import with_own_words

SCHEMA = read_ddl("CREATE TABLE t (id INTEGER PRIMARY KEY, at TIMESTAMP, c TEXT, n INTEGER)", "s")
PAIRS = [
    (
        "postgres",
        "SELECT id FROM t WHERE date_trunc('month', at) = '2020-01-02'",
        "SELECT id FROM t WHERE id > 1",
        "date_trunc('month', t.at) = '2020-01-02'",
    ),
    (
        "postgres",
        "SELECT id FROM t WHERE c ~ '^$1' AND n % 2 = 0",
        "SELECT id FROM t WHERE n % 2 = 0",
        "t.c ~ '^$1'",
    ),
    (
        "duckdb",
        "SELECT id FROM t WHERE regexp_matches(c, '^a')",
        "SELECT id FROM t WHERE id > 1",
        "regexp_matches(t.c, '^a')",
    ),
    (
        "mysql",
        "SELECT id FROM t WHERE date_format(at, '%Y') = '2020'",
        "SELECT id FROM t WHERE id > 1",
        "date_format(t.at, '%Y') = '2020'",
    ),
]


@pytest.mark.parametrize(("dialect", "gold", "prediction", "words"), PAIRS)
def test_a_reason_has_the_spelling_of_the_query(
    dialect: str, gold: str, prediction: str, words: str
) -> None:
    module = {"postgres": "postgast", "duckdb": "duckdb"}.get(dialect, "sqlglot")
    pytest.importorskip(module, reason=f"the extra {dialect} is not installed")
    for _ in range(2):
        result = prove(gold, prediction, SCHEMA, dialect=dialect)
        assert isinstance(result, NotProved)
        assert words in result.message
        assert "function_" not in result.message
        assert "sqlverdict_" not in with_own_words(result.gold_form).lower()


def test_a_function_of_another_process_keeps_its_name() -> None:
    text = "sqlverdict_boolean_total_0123456789abcdef0123(t.a, 'x')"
    assert with_own_words(f"SELECT {text} AND (b)") == f"SELECT {text} AND (b)"


def test_calls_inside_calls_are_written_out() -> None:
    inner = unknown_name("text", "total", b"inner", lambda _, texts: f"low({texts[0]})")
    outer = unknown_name("text", "total", b"outer", lambda _, texts: f"{texts[1]} || {texts[0]}")
    text = f"{outer.upper()}(max({inner}(a)), 'x, (')"
    assert with_own_words(text) == "'x, (' || max(low(a))"


def test_what_cannot_be_written_has_no_words() -> None:
    def spell(*_: object) -> str:
        raise NoCommonText

    assert unknown_call_text(unknown_name("text", "total", b"none", spell), []) is None


def test_words_are_known_again_where_a_text_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("postgast", reason="the extra postgres is not installed")
    sql = PAIRS[0][1]
    text = text_in_common_sql(sql, "postgres", True, SCHEMA)
    monkeypatch.setattr("sqlverdict.execute.common_text._words", {})
    assert text is not None
    assert "sqlverdict_" in with_own_words(text)
    assert text_in_common_sql(sql, "postgres", True, SCHEMA) == text
    assert "sqlverdict_" not in with_own_words(text)


def test_a_proof_of_the_api_shows_them_too() -> None:
    pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    derivation = sv.prove_pair(PAIRS[2][1], PAIRS[2][2], schema=SCHEMA, engine="duckdb")
    assert "regexp_matches" in str(derivation)
