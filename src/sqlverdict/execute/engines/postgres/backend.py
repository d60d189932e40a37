"""The memory of the server's process behind a connection, where it runs on this machine.

A value has up to a gigabyte on PostgreSQL, a query has several, and no setting limits their sum.
Linux tells what a process uses.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import psycopg


def backend_of(connection: psycopg.Connection[Any]) -> Path | None:
    """Where the server's process tells what it uses; ``None`` where that is another machine's."""
    folder = Path("/proc") / str(connection.info.backend_pid)
    try:
        title = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
        with socket.socket(fileno=os.dup(connection.pgconn.socket)) as line:
            name = line.getsockname()
    except (OSError, psycopg.Error):
        return None
    # The server names the role, the database and the client's port in its title.
    client = f"({name[1]})" if isinstance(name, tuple) else "[local]"
    words = f" {connection.info.user} {connection.info.dbname} "
    is_ours = title.startswith("postgres: ") and words in title and client in title
    return folder / "status" if is_ours else None


def memory_of(status: Path) -> int:
    """The bytes that a process uses by itself; 0 where it is gone or Linux does not tell."""
    try:
        lines = status.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    for line in lines:
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0
