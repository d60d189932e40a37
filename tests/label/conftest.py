"""A run, its database and a session on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from label_runs import SECRET, OpenSession, write_database, write_run
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.queue import assign, build_queue
from sqlverdict.label.session import LabelSession
from sqlverdict.label.session_key import KEY_FILE, SessionKey, open_key, save_key
from sqlverdict.label.vote_log import VoteLog
from sqlverdict.load.databases import DatabaseLocation, find_databases
from sqlverdict.runlog.run import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return write_run(tmp_path / "run")


@pytest.fixture
def databases(tmp_path: Path) -> Iterator[CaseDatabases]:
    folder = write_database(tmp_path / "databases")
    runner = QueryRunner("sqlite", Limits())
    yield CaseDatabases(
        runner, folder=find_databases(Path(), (".",), DatabaseLocation(str(folder)))
    )
    runner.close()


@pytest.fixture
def open_session(run: Run, tmp_path: Path) -> Iterator[OpenSession]:
    """Opens a session of ann and bob; what it saved is there when it is opened again."""
    with ExitStack() as stack:

        def open_one(
            blind: bool = True, seed: int = 0, without_sql: Sequence[str] = ()
        ) -> LabelSession:
            log = VoteLog(tmp_path / "labels")
            stack.callback(log.close)
            queue = build_queue([run], "random", 100, seed, log.content.pairs)
            if not (tmp_path / "labels" / KEY_FILE).exists():
                save_key(tmp_path / "labels", SessionKey(SECRET))
            key = open_key(tmp_path / "labels")
            work = assign(queue.order, ("ann", "bob"), 1.0, key.secret)
            return LabelSession(queue, work, log, key, blind, "random", without_sql)

        yield open_one
