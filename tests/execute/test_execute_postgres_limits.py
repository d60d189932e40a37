"""What a query may take of the server, and how long it is waited for."""

from __future__ import annotations

from time import monotonic

import pytest
from postgres_parts import session

from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.engines.postgres.exchange import PostgresExchange, ServerError
from sqlverdict.records import Answer, Failure, Reason


def test_what_fills_the_memory_of_the_server_is_ended(people: str) -> None:
    endless = (
        "SELECT count(*) FROM (SELECT string_agg(repeat('a', 10000), '') AS s"
        " FROM generate_series(1, 20000)) AS x,"
        " LATERAL (SELECT generate_series(1, 1000000000000) AS g OFFSET 0) AS y"
        " WHERE length(x.s) > y.g"
    )
    with session(people, Limits(seconds=600, memory=100 * 2**20)) as opened:
        if opened._cursor._exchange._backend is None:  # type: ignore[attr-defined]
            pytest.skip("the server runs on another machine, or /proc does not tell")
        outcome = opened.run(endless)
        assert isinstance(outcome, Failure)
        assert outcome.reason is Reason.MEMORY_LIMIT
        assert ENGINES.get("postgres").limits_memory == "watched"
        assert "the server's process uses more than 104,857,600 bytes" in outcome.message
        assert not outcome.repeatable
        after = opened.run("SELECT 1")
        assert isinstance(after, Answer)
        assert after.rows == [(1,)]


def test_a_query_that_does_not_hear_the_cancel_is_waited_for(people: str) -> None:
    import psycopg

    deaf = (
        b"SELECT position('b' || repeat('a', 20000) in repeat('a', 30000 + g))"
        b" FROM generate_series(1, 10000) AS g"
    )
    with psycopg.connect(people, autocommit=True) as connection:
        exchange = PostgresExchange(connection, seconds=200.0)
        exchange.send((deaf,))
        with pytest.raises(ServerError) as error:
            list(exchange.rows(monotonic(), 2**30))
        assert error.value.cancelled
        # It was not left behind: the connection is the same.
        (result,) = exchange.ask((b"SELECT 1",), monotonic() + 600.0)
        assert result.get_value(0, 0) == b"1"
