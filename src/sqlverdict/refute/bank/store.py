"""Databases that told one pair of queries apart, tried first on every later pair.

One SQLite file that several processes share: instances by content, under a digest of their
schema, with the pairs that each separated. Every addition is one transaction, so a killed process
loses nothing that was added. The bank is never needed: where its file cannot be used, the search
goes on without it and ``problem`` says why.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from sqlverdict.files.store import OptionalStore, StoreLayout, stored_file
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schema import Schema, with_whole_keys
from sqlverdict.refute.witness import Content, Instance, Witness

_VERSION = 1
"""Part of a schema's digest; raise it when the digest's meaning changes."""
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode

_TABLES = (
    "CREATE TABLE IF NOT EXISTS schemas (digest BLOB PRIMARY KEY, db_id TEXT, payload BLOB)",
    "CREATE TABLE IF NOT EXISTS instances (number INTEGER PRIMARY KEY, key BLOB UNIQUE,"
    " schema BLOB NOT NULL, size INTEGER NOT NULL, payload BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS separated (instance INTEGER NOT NULL, pair BLOB NOT NULL,"
    " PRIMARY KEY (instance, pair)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS pairs (pair BLOB PRIMARY KEY, gold TEXT, prediction TEXT)",
    "CREATE INDEX IF NOT EXISTS by_schema ON instances (schema)",
)
_LAYOUT = StoreLayout(
    name="the bank",
    application=0x53515642,  # "SQVB", in the file's header
    version=1,
    tables=_TABLES,
)
_BEST = (
    "SELECT i.number, i.key, i.payload, count(s.pair) AS pairs FROM instances AS i"
    " LEFT JOIN separated AS s ON s.instance = i.number"
)
_RANK = " GROUP BY i.number ORDER BY pairs DESC, i.size, i.key"


def default_bank() -> Path:
    """``SQLVERDICT_BANK``, else ``bank.sqlite`` beside the cache of answers."""
    return stored_file("SQLVERDICT_BANK", "bank.sqlite")


def schema_digest(schema: Schema) -> bytes:
    """What two schemas share whose databases can be exchanged: names, order and facts."""
    tables = [(table.name, [column.name for column in table.columns]) for table in schema.tables]
    facts = sorted(repr(fact) for fact in facts_of(with_whole_keys(schema)))
    return _digest(repr((_VERSION, tables, facts)))


def bank_pair_digest(schema: bytes, gold: str, prediction: str) -> bytes:
    """Two queries on a schema."""
    return _digest(repr((schema, gold, prediction)))


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "backslashreplace"), digest_size=16).digest()


class Bank:
    """The shared file of instances.

    Args:
        path: The file; made, with its folder, where it is missing.
        limit: Size in bytes above which the least useful instances are dropped.
    """

    def __init__(self, path: Path | None = None, limit: int = 256 * 2**20) -> None:
        self.limit = limit
        self._store = OptionalStore(path or default_bank(), _LAYOUT, "the bank is not used")

    @property
    def path(self) -> Path:
        """The file."""
        return self._store.path

    @property
    def problem(self) -> str | None:
        """Why the bank is not used, or that it was damaged."""
        return self._store.problem

    def instances(self, schema: Schema) -> Iterator[Instance]:
        """The instances of a schema: those that separated the most pairs first."""
        return (instance for _, instance in self._ranked(schema))

    def _ranked(self, schema: Schema) -> Iterator[tuple[int, Instance]]:
        schema = with_whole_keys(schema)
        digest = schema_digest(schema)
        for number, key, payload, _ in self._store.rows(
            f"{_BEST} WHERE i.schema = ?{_RANK}", (digest,)
        ):
            # The key is a digest of the schema and the entry, and so tells a damaged entry.
            instance = _unpack(payload, schema) if key == _key(digest, payload) else None
            if instance is not None:
                yield number, instance

    def add(self, witness: Witness) -> None:
        """Keep a witness's instance, and that it separated this pair.

        Not where the pair reads the clock: what it shows is true at one moment.
        """
        if witness.now:
            return
        self.record(witness.instance, [(witness.gold_sql, witness.prediction_sql)])

    def record(self, instance: Instance, pairs: Iterable[tuple[str, str]]) -> None:
        """Keep an instance and the pairs that it separates; what is there already is not doubled.

        Whether it separates them is the caller's word.
        """
        schema = schema_digest(instance.schema)
        payload = _pack(instance)
        key = _key(schema, payload)

        def insert(connection: sqlite3.Connection) -> None:
            run = connection.execute
            run(
                "INSERT OR IGNORE INTO schemas VALUES (?, ?, ?)",
                (schema, instance.schema.db_id, msgspec.json.encode(instance.schema)),
            )
            run(
                "INSERT OR IGNORE INTO instances (key, schema, size, payload) VALUES (?, ?, ?, ?)",
                (key, schema, instance.size, payload),
            )
            (number,) = run("SELECT number FROM instances WHERE key = ?", (key,)).fetchone()
            for gold, prediction in pairs:
                pair = bank_pair_digest(schema, gold, prediction)
                run("INSERT OR IGNORE INTO pairs VALUES (?, ?, ?)", (pair, gold, prediction))
                run("INSERT OR IGNORE INTO separated VALUES (?, ?)", (number, pair))

        # A query with half of a surrogate pair cannot be stored; a later search tries it anew.
        with suppress(UnicodeEncodeError):
            self._store.write(insert)

    def pairs(self, schema: Schema) -> dict[tuple[str, str], set[int]]:
        """The recorded pairs of a schema, each with the instances that separate it.

        Instances are counted as :meth:`instances` gives them, from 0.
        """
        ranks = {number: rank for rank, (number, _) in enumerate(self._ranked(schema))}
        separated_by: dict[tuple[str, str], set[int]] = {}
        for number, gold, prediction in self._store.rows(
            "SELECT s.instance, p.gold, p.prediction FROM separated AS s"
            " JOIN pairs AS p ON p.pair = s.pair JOIN instances AS i ON i.number = s.instance"
            " WHERE i.schema = ? ORDER BY p.pair, s.instance",
            (schema_digest(schema),),
        ):
            if number in ranks:
                separated_by.setdefault((gold, prediction), set()).add(ranks[number])
        return separated_by

    def schemas(self) -> list[Schema]:
        """The schemas that have instances, by name."""
        rows = self._store.rows("SELECT payload FROM schemas ORDER BY db_id, digest")
        return [msgspec.json.decode(payload, type=Schema) for (payload,) in rows]

    def counts(self) -> list[tuple[str, int, int]]:
        """Each schema's database, its instances and its separated pairs."""
        rows = self._store.rows(
            "SELECT c.db_id, count(DISTINCT i.number), count(DISTINCT s.pair) FROM schemas AS c"
            " JOIN instances AS i ON i.schema = c.digest"
            " LEFT JOIN separated AS s ON s.instance = i.number"
            " GROUP BY c.digest ORDER BY c.db_id, c.digest"
        )
        return [(str(db_id), int(instances), int(pairs)) for db_id, instances, pairs in rows]

    @property
    def size(self) -> int:
        """The content's size in bytes."""
        return self._store.size

    def trim(self) -> int:
        """Drop the instances that separated the fewest pairs, oldest first, until it fits.

        Returns:
            How many were dropped.
        """
        dropped = 0
        while self.size > self.limit:
            # A part at a time, so that not much more goes than must.
            worst = self._store.rows(
                "SELECT i.number FROM instances AS i LEFT JOIN separated AS s"
                " ON s.instance = i.number GROUP BY i.number ORDER BY count(s.pair), i.number"
                " LIMIT (SELECT 1 + count(*) / 20 FROM instances)"
            )
            if not worst:
                break
            self._drop([number for (number,) in worst])
            dropped += len(worst)
        return dropped

    def _drop(self, numbers: list[int]) -> None:
        rows = [(number,) for number in numbers]

        def delete(connection: sqlite3.Connection) -> None:
            connection.executemany("DELETE FROM separated WHERE instance = ?", rows)
            connection.executemany("DELETE FROM instances WHERE number = ?", rows)
            connection.execute("DELETE FROM pairs WHERE pair NOT IN (SELECT pair FROM separated)")
            connection.execute(
                "DELETE FROM schemas WHERE digest NOT IN (SELECT schema FROM instances)"
            )

        self._store.write(delete)

    def close(self) -> None:
        """Keep to the size and let go of the file."""
        self.trim()
        self._store.close()

    def __enter__(self) -> Bank:
        """Use the bank for a while."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def _key(schema: bytes, payload: bytes) -> bytes:
    return blake2b(schema + payload, digest_size=16).digest()


def _pack(instance: Instance) -> bytes:
    """The rows in one spelling, whatever the order of the tables, with a checksum."""
    body = _encode([(name, list(instance.rows[name])) for name in sorted(instance.rows)])
    return zlib.crc32(body).to_bytes(4, "big") + body


def _unpack(payload: bytes, schema: Schema) -> Instance | None:
    """The stored instance; ``None`` where it cannot be read or does not fit the schema."""
    body = payload[4:]
    if zlib.crc32(body) != int.from_bytes(payload[:4], "big"):
        return None
    try:
        rows: Content = {name: tuple(map(tuple, content)) for name, content in _decode(body)}
    except (msgspec.DecodeError, ValueError, TypeError):
        return None
    return Instance(schema, rows) if fits(schema, rows) else None


def fits(schema: Schema, rows: Content) -> bool:
    """Whether rows have the tables and widths of a schema."""
    widths = {table.name: len(table.columns) for table in schema.tables}
    return all(
        name in widths and all(len(row) == widths[name] for row in content)
        for name, content in rows.items()
    )
