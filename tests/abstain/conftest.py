"""Fixtures that the tests of abstention methods share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from abstain_parts import make_database

from sqlverdict.abstain.method import Tools
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Torch on one thread: tests share few cores, and its threads would wait for each other."""
    torch = pytest.importorskip("torch", reason="the extra t5 is not installed")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The shop that the questions are about."""
    return make_database(tmp_path / "shop.sqlite")


@pytest.fixture
def tools() -> Iterator[Tools]:
    """Tools with a runner."""
    runner = QueryRunner("sqlite", Limits())
    yield Tools(runner=runner)
    runner.close()
