"""As whom untrusted queries log in: somebody who may only read one database, until we end."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from multiprocessing.util import Finalize

from sqlverdict.errors import DatabaseError
from sqlverdict.files.references import Reference

PREFIX = "sqlverdict_reader_"
"""How the names of short-lived roles and users begin."""


def excess_refusal(
    database: Reference, rights: Sequence[str], statements: Sequence[str]
) -> DatabaseError:
    """Why queries are not run as the role of a URL, and what an administrator can do.

    Args:
        database: The URL.
        rights: What the role may do more than read.
        statements: What makes a role that may only read.
    """
    return DatabaseError(
        f"{database}: its role may do more than read ({', '.join(rights)}), and may not make a "
        "role that only reads. Predictions are untrusted text: give the URL of a role that may "
        f"only read, which an administrator makes by: {' '.join(statements)} If predictions may "
        "act with these rights, use --set trust-role=true (from Python: Limits(trust_role=True))",
        reason="refused",
    )


def call_at_end(drop: Callable[[], None]) -> None:
    """Drop what this process made when it ends: the interpreter of a program, or a worker.

    Args:
        drop: Drops it; it may be called twice.
    """
    atexit.unregister(drop)
    atexit.register(drop)
    # A worker that was forked ends without the former.
    Finalize(None, drop, exitpriority=1)
