"""Reads SParC: conversations of questions that build on each other, on Spider's databases.

Files, below ``root``: ``<split>.json``, a list of objects with ``database_id`` and
``interaction``, a list of turns with ``utterance`` (the question) and ``query`` (its gold);
``<split>_gold.txt`` where there is no JSON (then there are no questions): ``SQL<TAB>db_id`` a line,
a blank line between two conversations. ``root`` may also be the file itself. Databases in
``database/<db>/<db>.sqlite``, or in the given folder; of those that are missing, ``tables.json``
says the schema. Options: ``difficulty=off`` leaves out Spider's hardness.

Each turn is a case. Its id is the position of the conversation, from 0, and the turn, from 1:
``12_3``. A file of predictions by position has a line for each turn, with or without blank lines
between the conversations.

Oddities: ``final``, the goal of a conversation, is not read: it is no turn, and would tell a judge
what nobody asked yet. Some published golds do not run; their cases are unscored, and so is
the conversation.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.load.benchmark import BENCHMARKS, NO_OPTIONS, Benchmark
from sqlverdict.load.conversations import read_conversations
from sqlverdict.load.databases import Location


@BENCHMARKS.member
class Sparc:
    """Reads a split."""

    def read(
        self,
        root: Path,
        *,
        split: str = "dev",
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read a benchmark; see :class:`~sqlverdict.load.benchmark.BenchmarkReader`."""
        names = (f"{split}.json", f"{split}_gold.txt")
        return read_conversations("sparc", "SParC", root, names, databases, options)
