"""Fixtures of the tests that run queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from hostile_postgres import TABLES

from servers import fresh_postgres
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner


@pytest.fixture(scope="module")
def people(postgres: str) -> Iterator[str]:
    """A database of PostgreSQL for tests that must leave it as it is."""
    from postgres_parts import execute

    with fresh_postgres(postgres) as url:
        execute(url, *TABLES)
        yield url


@pytest.fixture
def open_runner() -> Iterator[Callable[[str], QueryRunner]]:
    """Runners that trust the role of the test's own database."""
    with ExitStack() as stack:

        def make(engine: str) -> QueryRunner:
            runner = QueryRunner(engine, Limits(seconds=60.0, trust_role=True))
            stack.callback(runner.close)
            return runner

        yield make
