"""Witnesses on a small firm, as the engine itself sees them."""

from __future__ import annotations

from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.execute.in_memory import in_memory_engine
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Answer, Reason, Row
from sqlverdict.refute.witness import Instance, Witness

SCHEMA = read_ddl(
    """
    CREATE TABLE department (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, age INT, salary REAL, phone TEXT,
                           dept_id INT REFERENCES department (id));
    CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INT);
    CREATE VIEW best AS SELECT max(score) AS score FROM players;
    """,
    "firm",
)


def on(gold: str, prediction: str, **rows: list[Row]) -> Witness:
    """A witness as the engine itself sees it."""
    scratch = in_memory_engine().scratch_database(SCHEMA)
    content = {name: tuple(table_rows) for name, table_rows in rows.items()}
    scratch.load(content)
    ours, theirs = scratch.run(gold), scratch.run(prediction)
    reasons: tuple[Reason, ...] = (Reason.EXECUTION_ERROR,)
    if isinstance(ours, Answer) and isinstance(theirs, Answer):
        pair = QueryPair(gold, prediction, probe=scratch.run)
        compared = PRESETS.get("strict").compare(ours, theirs, pair)
        assert compared.equal is False, "no witness: the answers are the same"
        reasons = compared.reasons
    scratch.close()
    return Witness(gold, prediction, Instance(SCHEMA, content), ours, theirs, reasons)
