"""The number of pieces grows only where the changelog says why."""

from __future__ import annotations

import re
from pathlib import Path

from pieces import commands, record_types
from sqlverdict.situations import Situation

CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"
LINE = re.compile(
    r"(?P<commands>\d+)\s+commands,\s+(?P<options>\d+)\s+options,\s+(?P<situations>\d+)"
    r"\s+situations\s+and\s+(?P<record_types>\d+)\s+record\s+types"
)
MOST_COMMANDS = 26


def test_a_new_piece_replaces_one_or_has_a_reason() -> None:
    options = dict(commands())
    now = {
        "commands": len(options),
        "options": sum(options.values()),
        "situations": len(Situation),
        "record_types": len(record_types()),
    }
    line = LINE.search(CHANGELOG.read_text("utf-8"))
    assert line is not None, "CHANGELOG.md, section Pieces, counts what there is"
    assert {name: int(count) for name, count in line.groupdict().items()} == now, (
        "remove a piece for each new one, or write a sentence that says why into the section "
        "Pieces of CHANGELOG.md; then write the new numbers there"
    )


def test_what_inherits_from_a_record_type_is_one() -> None:
    records = record_types()
    assert "compare.relations.tie_superset.TieProof" in records, "by RelationProof and TypedDict"
    assert "score.statistics.significance.Group" in records
    assert "cli.main.Commands" not in records, "a Group of click, which is none of ours"


def test_the_commands_can_be_seen_at_once() -> None:
    assert len(dict(commands())) <= MOST_COMMANDS
