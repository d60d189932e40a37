"""On MySQL a query around another one that only passes its rows on is that one, whatever it says."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from engine_databases import scratch_of

from sqlverdict.execute.engines.mysql.common.plain_text import plain_text
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Answer, Failure, Row
from tiers import sampled

SCHEMA = read_ddl(
    "CREATE TABLE t (id INTEGER, s VARCHAR(20), r DOUBLE, n DECIMAL(8,2), d DATE, h TIME)", "made"
)
PASSED_ON = [
    "SELECT CAST((SELECT n FROM t WHERE LOWER(s) LIKE '%a%') AS DOUBLE) / NULLIF(MAX(r), 0) FROM t",
    "SELECT AVG(DATEDIFF(d, '2020-01-01')), COUNT(DISTINCT s) FROM t WHERE h < '13:00:00'",
    "SELECT id, CONCAT(s, '(', r, ', ', n) FROM t WHERE SOUNDEX(s) <> 'A500' OR h IS NULL",
    "SELECT a.id, b.s FROM t a JOIN (SELECT id, MIN(s) AS s FROM t GROUP BY id) b ON a.id = b.id",
    "WITH m AS (SELECT id, r FROM t) SELECT id, ROUND(r / 3, 3) FROM m WHERE FLOOR(r) IN (0, 1, 2)",
    "SELECT STDDEV(r), GROUP_CONCAT(DISTINCT id ORDER BY id SEPARATOR '-') FROM t",
    "SELECT -r, d - INTERVAL id DAY, TIME_FORMAT(h, '%H'), n / 7 FROM t",
]
NAMES = ("a", "b", "c", "d")
CHOOSING = [
    "SELECT s FROM t ORDER BY id",
    "SELECT s FROM t LIMIT 1",
    "SELECT DISTINCT SOUNDEX(s) FROM t",
    "SELECT SOUNDEX(s) FROM t GROUP BY SOUNDEX(s)",
    "SELECT SOUNDEX(s) FROM t UNION SELECT 'x' FROM t",
    "SELECT (SELECT SOUNDEX(s) FROM t LIMIT 1) FROM t",
]
OTHERS = [
    "WITH w(a) AS (SELECT SOUNDEX(s), id FROM t) SELECT * FROM w",
    "WITH w(a, b) AS (SELECT * FROM t) SELECT * FROM w",
    "WITH w(a, A) AS (SELECT SOUNDEX(s), id FROM t) SELECT * FROM w",
    "WITH w(a, b) AS (SELECT SOUNDEX(s), id FROM t) SELECT * FROM v",
    "WITH w(a, b) AS (SELECT SOUNDEX(s), id FROM t) SELECT b FROM w",
    "WITH w(a, b) AS (SELECT SOUNDEX(s), id FROM t) SELECT * FROM w WHERE b = 1",
    "WITH w(a, b) AS (SELECT SOUNDEX(s), id FROM t), v(a) AS (SELECT 1) SELECT * FROM w",
    "WITH w(a, b) AS (SELECT SOUNDEX(s), id FROM t) SELECT * FROM w LIMIT 1",
    "WITH w(a, b) AS (SELECT SOUNDEX (s), id FROM t) SELECT * FROM w",
    "WITH w(a, b) AS (SELECT SOUNDEX(s), id FROM t) SELECT * FROM W",
    "WITH w(a, order) AS (SELECT SOUNDEX(s), id FROM t) SELECT * FROM w",
    "WITH recursive(a, b) AS (SELECT SOUNDEX(s), id FROM t) SELECT * FROM recursive",
    "WITH w(a, b) AS (SELECT ALL SOUNDEX(s), id FROM t) SELECT * FROM w",
]


def around(query: str, width: int) -> str:
    return f"WITH w({', '.join(NAMES[:width])}) AS ({query}) SELECT * FROM w"


def width_of(query: str) -> int:
    return next(n for n in range(1, 5) if plain_text(around(query, n)) == query)


@pytest.mark.parametrize("query", PASSED_ON)
def test_a_query_that_passes_rows_on_is_the_query_inside(query: str) -> None:
    proof = prove(query, around(query, width_of(query)), SCHEMA, dialect="mysql")
    assert isinstance(proof, Proof), proof
    assert check_proof(proof, SCHEMA).holds


@pytest.mark.parametrize("query", CHOOSING)
def test_a_query_that_leaves_something_to_choose_stays_inside(query: str) -> None:
    assert plain_text(around(query, 1)) == around(query, 1)


@pytest.mark.parametrize("other", OTHERS)
def test_a_query_that_does_more_is_another_one(other: str) -> None:
    assert not prove("SELECT SOUNDEX(s), id FROM t", other, SCHEMA, dialect="mysql").proved


@pytest.mark.parametrize("text", ["SELECT 'a\\' FROM t", "SELECT 1 /* + */", "SELECT 1 -- 2"])
def test_what_the_server_may_cut_in_another_way_has_no_plain_text(text: str) -> None:
    assert plain_text(text) is None


def _rows(rng: Random) -> tuple[Row, ...]:
    return tuple(
        (
            rng.choice((None, 1, 2, 2, 7)),
            rng.choice((None, "a", "A", "a ", "ann", "é", "")),
            rng.choice((None, 0.0, -0.0, 1.5, 2.25, 1e17)),
            rng.choice((None, 0, 1.05, -3.33)),
            rng.choice((None, "2020-02-29", "2020-01-01", "2021-12-31")),
            rng.choice((None, "00:00:00", "13:00:00", "101:10:10")),
        )
        for _ in range(rng.randrange(6))
    )


@pytest.mark.slow
@pytest.mark.sampled
def test_the_server_gives_both_the_same_rows() -> None:
    rng = Random(5)
    with scratch_of("mysql", SCHEMA) as scratch:
        answered = 0
        for _ in range(sampled(8, 60)):
            assert scratch.load({"t": _rows(rng)})
            for query in PASSED_ON:
                one, other = (scratch.run(q) for q in (query, around(query, width_of(query))))
                assert _content(one) == _content(other), query
                answered += isinstance(one, Answer)
        assert answered > len(PASSED_ON)


def _content(outcome: Answer | Failure) -> object:
    return Counter(outcome.rows) if isinstance(outcome, Answer) else outcome.reason
