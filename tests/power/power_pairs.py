"""The pairs of ``pairs.jsonl`` and the schemas they stand on, for every test of this folder."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class PowerPair:
    """One line of ``pairs.jsonl``; README.md says what each field means."""

    id: str
    kind: str
    schema: str
    gold: str
    prediction: str
    different: bool
    because: str
    witness: str | None = None
    typed: bool = False
    since: str = "3.37"

    @property
    def runs_here(self) -> bool:
        """Whether this machine's SQLite is new enough for both queries."""
        version = tuple(int(part) for part in self.since.split("."))
        return sqlite3.sqlite_version_info >= version


@cache
def power_pairs() -> tuple[PowerPair, ...]:
    """Every pair, in the file's order."""
    lines = (HERE / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(PowerPair(**json.loads(line)) for line in lines)


def different_pairs() -> list[PowerPair]:
    """The pairs that a legal database separates and this SQLite can run."""
    return [pair for pair in power_pairs() if pair.different and pair.runs_here]


def equivalent_pairs() -> list[PowerPair]:
    """The pairs that no legal database separates and this SQLite can run."""
    return [pair for pair in power_pairs() if not pair.different and pair.runs_here]


@cache
def schema_sql(name: str) -> str:
    """The CREATE statements of a schema."""
    return (HERE / "schemas" / f"{name}.sql").read_text(encoding="utf-8")


def open_database(schema: str, witness: str = "") -> sqlite3.Connection:
    """A database in memory with these rows, every constraint enforced.

    Foreign keys are checked at the end, so that rows of a cycle may come in any order.
    """
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.executescript(schema_sql(schema))
    connection.executescript(f"BEGIN; PRAGMA defer_foreign_keys = ON; {witness} COMMIT;")
    return connection
