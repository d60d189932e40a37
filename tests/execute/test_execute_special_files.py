"""A pipe, a socket, a device or a folder in the place of a database file: said at once."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sqlverdict as sv
from error_parts import refuses_data, refuses_database
from sqlverdict.errors import DatabaseError, DataError, SchemaError
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.text import need_file
from sqlverdict.records import Failure, Fault, Reason
from timeouts import fail_on_hang

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="makes pipes among files")


def make_socket(path: Path) -> None:
    # The path of a socket must be short; the file stays when it is closed.
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)
    finally:
        os.chdir(before)


KINDS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "socket": make_socket,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
}
FILE_ENGINES = [name for name in ENGINES.names() if ENGINES.get(name).suffixes]


@pytest.fixture(autouse=True)
def _fail_on_hang() -> Iterator[None]:
    with fail_on_hang():
        yield


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FILE_ENGINES)
def test_no_engine_waits_for_it(name: str, kind: str, tmp_path: Path) -> None:
    engine = ENGINES.get(name)
    path = tmp_path / f"shop{engine.suffixes[0]}"
    KINDS[kind](path)
    with pytest.raises((DatabaseError, OSError)):
        engine.digest(path)
    with refuses_database("not_a_database"):
        engine.open(path, Limits())
    with pytest.raises((DatabaseError, SchemaError)):
        engine.schema(path)  # type: ignore[attr-defined]
    runner = QueryRunner(name, Limits())
    outcome = runner.run(str(path), "SELECT 1")
    runner.close()
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.fault) == (Reason.DATABASE_UNAVAILABLE, Fault.ENGINE)
    with sv.Scorer(db=path, engine=name) as scorer:
        result = scorer.check("SELECT 1", "SELECT 1")
    assert (result.verdict, result.result.fault) == (sv.Verdict.UNSCORED, Fault.ENGINE)


@pytest.mark.parametrize("kind", KINDS)
def test_no_reader_of_inputs_waits_for_it(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    KINDS[kind](path)
    with refuses_data(DataError, "wrong_kind", "folder" if kind == "folder" else "pipe"):
        need_file(path, DataError)
    with pytest.raises(OSError, match=r"directory|not a file|No such device"):
        sha256_file(path)
    for arguments in ({"cases": path}, {"cases": [], "predictions": path}):
        with pytest.raises(sv.SqlverdictError):
            sv.evaluate(**arguments)
