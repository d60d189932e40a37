"""The shared store: one file, several processes, and whatever may happen to the file."""

from __future__ import annotations

import multiprocessing
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_data
from sqlverdict.errors import DataError
from sqlverdict.files.store import (
    OptionalStore,
    SharedStore,
    StoreLayout,
    seal,
    stored_file,
    unseal,
)

LAYOUT = StoreLayout(
    name="the store",
    application=0x1234,
    version=1,
    tables=("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, body TEXT)",),
)
SECOND = replace(LAYOUT, version=2)


def insert(key: str) -> Any:
    return lambda connection: connection.execute(
        "INSERT INTO entries (key, body) VALUES (?, 'x')", (key,)
    )


def header(path: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(path)) as connection:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    return application, version


def optional(path: Path, layout: StoreLayout = LAYOUT) -> OptionalStore:
    return OptionalStore(path, layout, "nothing is stored")


def damage(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(b"\x00" * 100 + content[100:])


def test_a_new_file_carries_its_application_and_version(tmp_path: Path) -> None:
    path = tmp_path / "new" / "store.sqlite"
    SharedStore(path, SECOND).close()
    assert header(path) == (0x1234, 2)


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    store = SharedStore(tmp_path / "store.sqlite", LAYOUT)

    def insert_twice() -> None:
        with store.transaction() as connection:
            insert("a")(connection)
            insert("a")(connection)

    with pytest.raises(sqlite3.IntegrityError):
        insert_twice()
    assert store.rows("SELECT * FROM entries") == []
    with store.transaction() as connection:
        insert("a")(connection)
    assert store.first("SELECT key FROM entries") == ("a",)
    assert store.size > 0
    store.close()


@pytest.mark.parametrize(("first", "second"), [(LAYOUT, SECOND), (SECOND, LAYOUT)])
def test_another_version_is_refused_and_stays_as_it_is(
    tmp_path: Path, first: StoreLayout, second: StoreLayout
) -> None:
    path = tmp_path / "store.sqlite"
    SharedStore(path, first).close()
    before = path.read_bytes()
    message = f"of version {first.version}; expected {second.version}. Name another file"
    with refuses_data(DataError, "another_version", message):
        SharedStore(path, second)
    store = optional(path, second)
    assert not store.usable
    assert "nothing is stored" in (store.problem or "")
    assert path.read_bytes() == before


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    before = path.read_bytes()
    store = optional(path)
    assert "another program" in (store.problem or "")
    assert store.write(insert("a")) is False
    assert store.rows("SELECT 1") == []
    assert store.first("SELECT 1") is None
    assert store.size == 0
    assert path.read_bytes() == before


def test_a_damaged_file_is_set_aside_and_a_new_one_begun(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    for number in range(2):
        store = optional(path)
        assert store.write(insert(str(number)))
        store.close()
        damage(path)
    store = optional(path)
    assert "was damaged; it is kept as" in (store.problem or "")
    assert store.rows("SELECT key FROM entries") == []
    store.close()
    # One process met two damaged files: neither may take the other's place.
    assert len(list(tmp_path.glob("store.sqlite.damaged-*"))) == 2


def test_two_that_meet_one_damaged_file_set_it_aside_once(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    lost: list[int] = []
    stores = [
        OptionalStore(path, LAYOUT, "nothing is stored", lambda n=n: lost.append(n))  # type: ignore[misc]
        for n in range(2)
    ]
    assert stores[0].write(insert("a"))
    for store in stores:
        # What SQLite raises when it meets a page that is none.
        error = sqlite3.DatabaseError("malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        store._fail(error)
    assert lost == [0, 1]
    assert len(list(tmp_path.glob("store.sqlite.damaged-*"))) == 1
    assert stores[0].write(insert("b"))
    assert stores[1].rows("SELECT key FROM entries") == [("b",)]
    assert all("damaged" in (store.problem or "") for store in stores)
    for store in stores:
        store.close()


def _add(path: Path, number: int, start: Any) -> None:
    start.wait()
    store = optional(path, SECOND)
    for entry in range(20):
        store.write(insert(f"{number} {entry}"))
    store.close()


def test_processes_that_begin_one_file_at_once_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    context = multiprocessing.get_context("fork")
    start = context.Barrier(4)
    workers = [context.Process(target=_add, args=(path, n, start)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    store = SharedStore(path, SECOND)
    assert store.first("SELECT count(*) FROM entries") == (80,)
    store.close()


def test_a_seal_covers_the_key_and_the_body() -> None:
    entry = seal(b"key", b"body")
    assert unseal(b"key", entry) == b"body"
    assert unseal(b"other", entry) is None
    assert unseal(b"key", entry[:-1] + b"x") is None
    assert unseal(b"key", b"") is None


def test_stores_lie_beside_the_cache_of_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SQLVERDICT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert stored_file("SQLVERDICT_X", "x.sqlite") == tmp_path / "sqlverdict" / "x.sqlite"
    monkeypatch.setenv("SQLVERDICT_CACHE", str(tmp_path / "a" / "answers.sqlite"))
    assert stored_file("SQLVERDICT_X", "x.sqlite") == tmp_path / "a" / "x.sqlite"
    monkeypatch.setenv("SQLVERDICT_X", str(tmp_path / "mine"))
    assert stored_file("SQLVERDICT_X", "x.sqlite") == tmp_path / "mine"
