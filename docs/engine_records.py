"""The records of engines and dialects as tables, for the page of engines."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import fields

from sqlverdict.dialects import DEFAULT_DIALECT, DIALECTS, Dialect, dialect_of
from sqlverdict.execute.apart.brief import BriefEngine
from sqlverdict.execute.common_text import ParserEngine
from sqlverdict.execute.engine import (
    ENGINES,
    Engine,
    FileEngine,
    ScratchEngine,
    ServerEngine,
    WorkspaceEngine,
)
from sqlverdict.execute.fault_probe import SelfChecking
from sqlverdict.execute.in_memory import InMemoryEngine

_MOST_WORDS = 50
"""How many words a cell lists."""
_PARTS = (
    *(InMemoryEngine, ScratchEngine, WorkspaceEngine, FileEngine, ServerEngine, BriefEngine),
    *(SelfChecking, ParserEngine),
)
"""What only some engines are, which code asks for by its type."""


def engine_records() -> str:
    """The records of engines and dialects: what differs, as tables."""
    engines = dict(ENGINES.items())
    parts = [name for name, part in vars(Engine).items() if isinstance(part, property)]
    own = [name for name in parts if name not in ("name", "version")]
    plain_fields = [
        part.name
        for part in fields(Dialect)
        if isinstance(getattr(dialect_of(DEFAULT_DIALECT), part.name), bool | str | frozenset)
    ]
    return "\n\n".join(
        (
            "An engine's record says what it can do; `execute/engine.py` explains each line. An "
            "engine, a plug-in too, inherits from `sqlverdict.execute.engine.Engine`, which has "
            "the defaults: they promise nothing.",
            _record_table(own, engines),
            "Some engines have more, which code asks for by its type; with what it costs, and what "
            "fails without it:",
            _part_table(engines),
            "[Measurements](measurements/engines.md): proofs, witnesses and milliseconds on each.",
            "Its dialect's record says what its SQL means; `dialects.py` explains each line.",
            _record_table(plain_fields, DIALECTS),
        )
    )


def _record_table(names: Sequence[str], records: Mapping[str, object]) -> str:
    rows = [f"| | {' | '.join(records)} |", "| --- " * (len(records) + 1) + "|"]
    for name in names:
        cells = (_cell(getattr(record, name)) for record in records.values())
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def _part_table(engines: Mapping[str, Engine]) -> str:
    rows = [f"| | {' | '.join(engines)} | |", "| --- " * (len(engines) + 2) + "|"]
    for part in _PARTS:
        own = [name for name in vars(part) if not name.startswith("_") and hasattr(part, name)]
        cells = ("yes" if isinstance(engine, part) else "" for engine in engines.values())
        what = " ".join((inspect.getdoc(part) or "").split())
        names = ", ".join(f"`{name}`" for name in own)
        rows.append(f"| {names} | {' | '.join(cells)} | {what.replace('``', '`')} |")
    return "\n".join(rows)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, frozenset) and len(value) > _MOST_WORDS:
        return f"{len(value)} words"
    if isinstance(value, frozenset | tuple):
        return ", ".join(map(_cell, sorted(value)))
    # A code span that is a backquote takes two around it.
    return f"`` {value} ``" if value == "`" else f"`{value}`" if value else ""
