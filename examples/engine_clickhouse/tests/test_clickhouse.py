"""The engine against the real ClickHouse."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlverdict as sv
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.prove.proof import NotProved
from sqlverdict.records import Answer, Failure, Reason
from sqlverdict.testing import check_engine
from sqlverdict.testing.engine_data import NUMBERS

STATEMENTS = f"""
CREATE TABLE cells (i Int64, f Float64, t String, n Nullable(String), b String) ENGINE = Memory;
INSERT INTO cells VALUES (7, 2.5, 'é\\'x', NULL, unhex('00ff'));
CREATE TABLE numbers (i Int64, t String) ENGINE = Memory;
INSERT INTO numbers SELECT number + 1, repeat('x', 100) FROM system.numbers LIMIT {NUMBERS};
"""


def make_database(folder: Path) -> Path:
    """The tables of the conformance suite."""
    database = folder / "suite.clickhouse"
    database.write_text(STATEMENTS, encoding="utf-8")
    return database


def test_it_keeps_what_every_engine_promises() -> None:
    check_engine("clickhouse", make_database)


def test_a_pair_is_scored_and_nothing_is_proved(tmp_path: Path) -> None:
    database = make_database(tmp_path)
    gold, other = "SELECT i FROM numbers WHERE i > 1999", "SELECT i FROM numbers WHERE 1999 < i"
    assert sv.check(gold, other, db=database).correct
    assert isinstance(sv.prove_pair(gold, other, db=database), NotProved)


def test_it_reads_the_schema(tmp_path: Path) -> None:
    schema = sv.load_schema(make_database(tmp_path))
    types = {table.name: [each.type for each in table.columns] for table in schema.tables}
    assert types["cells"] == ["Int64", "Float64", "String", "Nullable(String)", "String"]
    assert not any(table.primary_key for table in schema.tables)


def test_values_keep_their_meaning(tmp_path: Path) -> None:
    session = ENGINES.get("clickhouse").open(make_database(tmp_path), Limits())
    sql = (
        "SELECT toDate('2024-02-29'), toDecimal64(1.5, 2), toInt128('-12345678901234567890'), "
        "nan, [1, 2], true, toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), 3 / 1"
    )
    try:
        outcome = session.run(sql)
        volatile = session.run("SELECT rand(), now()")
    finally:
        session.close()
    assert isinstance(outcome, Answer)
    day, money, huge, odd, both, yes, name, three = outcome.rows[0]
    assert (day, money, str(huge), both) == ("2024-02-29", 1.5, "-12345678901234567890", "[1,2]")
    assert (yes, name) == (1, "61f0c404-5cb3-11e7-907b-a6006ad3dba0")
    assert (str(odd), three, type(three)) == ("nan", 3.0, float)
    assert isinstance(volatile, Answer)
    assert volatile.volatile
    assert not outcome.volatile


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM cells INTO OUTFILE '{loot}'",
        "SELECT * FROM cells FORMAT CSV",
        "SELECT 1 SETTINGS readonly = 0",
        "SELECT 1; SELECT 2 INTO OUTFILE '{loot}'",
        "SELECT file('/etc/passwd')",
        "SELECT lower(file('/etc/passwd')) FROM cells",
        "SELECT * FROM file('/etc/passwd', 'LineAsString')",
        "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
        "SELECT * FROM executable('id', 'LineAsString', 'x String')",
        "SELECT * FROM system.settings",
        "SELECT * FROM Python(sys)",
        "SELECT * FROM `system`.`settings`",
        "SELECT 1 IN system.one",
        "SELECT hostName()",
        "SELECT fullHostName()",
        "SELECT sleep(3)",
        "SELECT getSetting('readonly')",
        "EXPLAIN SELECT 1",
        "SHOW TABLES",
        "INSERT INTO FUNCTION file('{loot}') SELECT 1",
    ],
)
def test_it_reads_nothing_but_its_tables(sql: str, tmp_path: Path) -> None:
    session = ENGINES.get("clickhouse").open(make_database(tmp_path), Limits())
    loot = tmp_path / "loot"
    try:
        outcome = session.run(sql.format(loot=loot))
        assert isinstance(outcome, Failure)
        assert outcome.reason in (Reason.WRITE_BLOCKED, Reason.UNSUPPORTED_FEATURE)
    finally:
        session.close()
    assert not loot.exists()
