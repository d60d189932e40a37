"""Reads CoSQL: conversations between a user and an expert, on Spider's databases.

Files, below ``root``: ``sql_state_tracking/cosql_<split>.json`` (or that file in ``root``), a list
of objects with ``database_id`` and ``interaction``, a list of turns with ``utterance`` (what the
user says) and ``query`` (its gold); ``sql_state_tracking/<split>_gold.txt`` where there is no JSON
(then there are no questions). ``root`` may also be the file itself; ``--databases`` then says where
the databases are. Databases in ``database/<db>/<db>.sqlite``, or in the given folder; of those that
are missing, ``tables.json`` in ``root`` says the schema. Options: ``difficulty=off`` leaves out
Spider's hardness.

Each turn is a case; ids and predictions are as in SParC.

Oddities: this is CoSQL's task of queries alone. The dialogues in full, with the expert's words and
dialogue acts (``cosql_all_info_dialogs.json``), are another task and are not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.load.benchmark import BENCHMARKS, NO_OPTIONS, Benchmark
from sqlverdict.load.conversations import read_conversations
from sqlverdict.load.databases import Location

_FOLDER = "sql_state_tracking"


@BENCHMARKS.member
class Cosql:
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
        files = (f"cosql_{split}.json", f"{split}.json", f"{split}_gold.txt")
        names = (*(f"{_FOLDER}/{name}" for name in files), *files)
        return read_conversations("cosql", "CoSQL", root, names, databases, options)
