"""What the sandbox takes for a string or a comment, the server must take for one too."""

from __future__ import annotations

import random

import pytest

from sqlverdict.execute.engines.postgres.sandbox import canonical
from tiers import sampled

QUOTES = (
    *("'", "''", '"', '""', "$$", "$a$", "/*", "*/", "--", "\n", "\r", "E'", "e'", "\\'", "\\"),
    *("U&'", 'u&"', "B'", "x'", "N'", " ", ",", " 1", "||", "\u00a0", "\u2028", "\x0b", "\x0c"),
    *("$1", "a$$", "::text"),
)
CALLS = (
    *(",nextval('fuzz')", ",\"nextval\"('fuzz')", " + nextval($$fuzz$$)"),
    *(",('fuzz'::regclass).nextval", ",nextval/**/('fuzz')", ",1nextval('fuzz')"),
)
STARTS = (
    *("SELECT 1", "SELECT ''", "(SELECT 1", "WITH a AS (SELECT 1) SELECT 1", "VALUES (1"),
    # The parser forgets these parentheses, and the text is written from its tokens.
    *("SELECT (NOT true) IS NULL", "(SELECT (NOT true) IS NULL"),
)
ENDS = ("", "'", '"', "*/", ")", "$$", "$a$", " --")


def random_text(chance: random.Random) -> str:
    """A call of ``nextval`` among quotes and comments that may or may not hide it."""
    parts = [chance.choice(QUOTES) for _ in range(chance.randint(1, 7))]
    parts.insert(chance.randint(0, len(parts)), chance.choice(CALLS))
    return chance.choice(STARTS) + "".join(parts) + chance.choice(ENDS)


@pytest.mark.sampled
def test_no_text_that_is_let_through_calls_a_blocked_function(postgres_database: str) -> None:
    import psycopg

    chance = random.Random(7)
    texts = [random_text(chance) for _ in range(sampled(4_000, 200_000))]
    passing = [text for each in texts if isinstance(text := canonical(each), str)]
    assert len(passing) > len(texts) / 100
    answered = 0
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute("CREATE SEQUENCE fuzz")
        for text in passing:
            result = connection.pgconn.exec_params(text.encode(), None)
            answered += result.status == psycopg.pq.ExecStatus.TUPLES_OK
        called = connection.execute("SELECT is_called FROM fuzz").fetchone()
    assert answered > len(passing) / 10
    assert called == (False,)
