"""What the tests of workers share: queries that hang, and an engine that some queries kill."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.execute.engine import ENGINES, Limits, Session
from sqlverdict.records import Outcome

HANGS = "SELECT instr(hex(zeroblob(8000000)), hex(zeroblob(4000000)) || 'x')"
"""One opcode that runs for a minute; no handler is called meanwhile."""


@dataclass(frozen=True)
class Fragile:
    """SQLite, but some queries end the process."""

    name = "fragile"
    dialect = "sqlite"
    suffixes = (".sqlite",)
    version = "1"

    def digest(self, database: Path) -> str:
        return ENGINES.get("sqlite").digest(database)

    def open(self, database: Path, limits: Limits) -> Session:
        return FragileSession(ENGINES.get("sqlite").open(database, limits))


@dataclass(frozen=True)
class FragileSession:
    session: Session

    def run(self, sql: str) -> Outcome:
        if "deadly" in sql:
            os.kill(os.getpid(), signal.SIGKILL)
        if "leaves" in sql:
            os._exit(9)
        return self.session.run(sql)

    def clock(self, queries: Any, rounds: int) -> list[list[float]]:
        return self.session.clock(queries, rounds)

    def close(self) -> None:
        self.session.close()
