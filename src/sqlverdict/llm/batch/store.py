"""What is known of batches, kept in the file of replies: which there are, and what waits in them.

A batch goes through these states, and never back: ``written`` (its JSONL file is complete),
``uploaded`` (the server has the file), ``running`` (the server works on it), ``done`` (its
replies are in the cache; whatever it did not answer stays noted, and may be asked again).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from sqlverdict.llm.cache import ReplyCache

State = Literal["written", "uploaded", "running", "done"]


@dataclass(frozen=True)
class Batch:
    """One batch.

    Attributes:
        name: Our name for it; the server keeps it too, so that a batch is found again even
            where its creation was interrupted.
        server: The root of the server that has it.
        model: The one model it asks.
        state: How far it is.
        file: The JSONL file of its requests.
        file_id: The server's name for that file.
        batch_id: The server's name for the batch.
        message: How it ended, where there is something to say.
    """

    name: str
    server: str
    model: str
    state: State
    file: Path
    file_id: str = ""
    batch_id: str = ""
    message: str = ""


def add(cache: ReplyCache, batch: Batch, items: Iterable[tuple[str, str]]) -> None:
    """Note a new batch and the addresses and purposes that wait in it."""
    with cache.transaction() as connection:
        connection.execute(
            "INSERT INTO batches (name, server, model, state, made, file)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (batch.name, batch.server, batch.model, batch.state, time.time(), str(batch.file)),
        )
        connection.executemany(
            "INSERT OR REPLACE INTO waiting (address, batch, purpose) VALUES (?, ?, ?)",
            ((address, batch.name, purpose) for address, purpose in items),
        )


def unfinished(cache: ReplyCache, server: str) -> list[Batch]:
    """The batches of a server that are not done, oldest first."""
    with cache.transaction() as connection:
        rows = connection.execute(
            "SELECT name, server, model, state, file, file_id, batch_id, message FROM batches"
            " WHERE server = ? AND state != 'done' ORDER BY made, name",
            (server,),
        ).fetchall()
    return [
        Batch(name, where, model, state, Path(file), file_id, batch_id, message)
        for name, where, model, state, file, file_id, batch_id, message in rows
        if state in get_args(State)
    ]


def save_batch(cache: ReplyCache, batch: Batch, answered: Iterable[str] = ()) -> Batch:
    """Note how far a batch is, and which addresses the server answered."""
    with cache.transaction() as connection:
        connection.execute(
            "UPDATE batches SET state = ?, file_id = ?, batch_id = ?, message = ? WHERE name = ?",
            (batch.state, batch.file_id, batch.batch_id, batch.message, batch.name),
        )
        connection.executemany(
            "DELETE FROM waiting WHERE batch = ? AND address = ?",
            ((batch.name, address) for address in answered),
        )
    return batch


def waiting_in(cache: ReplyCache, name: str) -> dict[str, str]:
    """The addresses that wait in a batch, with their purposes."""
    with cache.transaction() as connection:
        rows = connection.execute(
            "SELECT address, purpose FROM waiting WHERE batch = ?", (name,)
        ).fetchall()
    return dict(rows)
