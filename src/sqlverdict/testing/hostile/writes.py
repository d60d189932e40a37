"""Texts that would write, attach, change settings or touch files."""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.testing.hostile.kinds import (
    BLOCKED,
    BROKEN,
    FAILS,
    NO_SQL,
    WRONG,
    Hostile,
    numbered_texts,
)


def writes() -> Iterator[Hostile]:
    """DDL, DML, ATTACH, VACUUM, PRAGMA, transactions."""
    yield from numbered_texts(
        "ddl",
        BLOCKED,
        "CREATE TABLE loot (a)",
        "CREATE TABLE IF NOT EXISTS person (a)",
        "CREATE TABLE loot AS SELECT * FROM person",
        "CREATE TABLE loot (a INT PRIMARY KEY) WITHOUT ROWID",
        "CREATE TABLE loot (a INT) STRICT",
        "CREATE TEMP TABLE loot (a)",
        "CREATE TEMPORARY TABLE loot AS SELECT * FROM person",
        "CREATE VIEW loot AS SELECT 1",
        "CREATE TEMP VIEW loot AS SELECT 1",
        "CREATE INDEX loot ON person (name)",
        "CREATE UNIQUE INDEX loot ON person (name, id)",
        "CREATE TRIGGER loot AFTER INSERT ON person BEGIN DELETE FROM city; END",
        "CREATE TEMP TRIGGER loot AFTER INSERT ON person BEGIN DELETE FROM city; END",
        "CREATE VIRTUAL TABLE loot USING fts5(a)",
        "CREATE VIRTUAL TABLE loot USING rtree(a, b, c)",
        "CREATE VIRTUAL TABLE loot USING csv(filename='/etc/passwd')",
        "DROP TABLE person",
        "DROP TABLE IF EXISTS nothing",
        "drop table main.person",
        "DROP VIEW adult",
        "DROP INDEX by_age",
        "DROP TRIGGER IF EXISTS nothing",
        "ALTER TABLE person RENAME TO loot",
        "ALTER TABLE person RENAME COLUMN name TO loot",
        "ALTER TABLE person ADD COLUMN loot",
        "ALTER TABLE person DROP COLUMN photo",
        "/* harmless */ DROP TABLE city",
        "-- SELECT\n\tdRoP\nTaBlE person",
        "(DROP TABLE person)",
    )
    yield from numbered_texts(
        "dml",
        BLOCKED,
        "INSERT INTO person (name) VALUES ('x')",
        "INSERT INTO person SELECT * FROM person",
        "INSERT OR REPLACE INTO person (id, name) VALUES (1, 'x')",
        "INSERT INTO person (id, name) VALUES (1, 'x') ON CONFLICT DO UPDATE SET name = 'y'",
        "INSERT INTO person (name) VALUES ('x') RETURNING id",
        "INSERT INTO city DEFAULT VALUES",
        "REPLACE INTO person (id, name) VALUES (1, 'x')",
        "UPDATE person SET name = 'x'",
        "UPDATE OR IGNORE person SET id = 1",
        "UPDATE person SET name = city.name FROM city WHERE city.mayor = person.id",
        "UPDATE person SET name = 'x' RETURNING *",
        "DELETE FROM person",
        "DELETE FROM person WHERE id = 1 RETURNING name",
        "WITH x AS (SELECT 1) DELETE FROM person",
        "WITH x AS (SELECT 1) DELETE FROM person RETURNING *",
        "WITH x AS (SELECT 1 AS a) INSERT INTO city (id) SELECT a FROM x",
        "WITH x AS (SELECT 1) UPDATE person SET age = 0",
        "WITH x AS (SELECT 1 AS a) REPLACE INTO city (id) SELECT a FROM x",
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)"
        " INSERT INTO city (name) SELECT i FROM n",
        "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 0, 'x')",
        "UPDATE sqlite_master SET sql = 'x'",
        "DELETE FROM sqlite_schema",
        "UPDATE sqlite_sequence SET seq = 9",
        "/**/DELETE/**/FROM/**/person",
    )
    yield from numbered_texts(
        "dml", BROKEN, "TRUNCATE TABLE person", "MERGE INTO person USING city ON 1"
    )
    yield from numbered_texts(
        "attach",
        BLOCKED,
        "ATTACH 'loot.sqlite' AS loot",
        "ATTACH DATABASE '/tmp/loot.sqlite' AS loot",
        "ATTACH ':memory:' AS loot",
        "ATTACH '' AS loot",
        "ATTACH 'file:loot.sqlite?mode=rwc' AS loot",
        "attach/**/database/**/'loot.sqlite'/**/as/**/loot",
        "DETACH DATABASE main",
        "DETACH temp",
        "VACUUM",
        "VACUUM main",
        "VACUUM INTO 'loot.sqlite'",
        "VACUUM main INTO '/tmp/loot.sqlite'",
        "/* x */ vacuum into 'file:loot.sqlite'",
        "\ufeffVACUUM INTO 'loot.sqlite'",
    )
    yield from numbered_texts(
        "pragma",
        BLOCKED,
        "PRAGMA writable_schema = 1",
        "PRAGMA writable_schema = RESET",
        "PRAGMA query_only = 0",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA main.journal_mode = WAL",
        "PRAGMA user_version = 7",
        "PRAGMA application_id(7)",
        "PRAGMA temp_store_directory = '/tmp'",
        "PRAGMA hard_heap_limit = 1",
        "PRAGMA cache_size = 1000000",
        "PRAGMA mmap_size = 1000000000",
        "PRAGMA trusted_schema = 1",
        "PRAGMA incremental_vacuum",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA optimize",
        "PRAGMA integrity_check",
        "PRAGMA table_info(person)",
        "PRAGMA database_list",
        "SELECT * FROM pragma_table_info('person')",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM pragma_table_list()",
        "SELECT name, (SELECT count(*) FROM pragma_table_info(m.name)) FROM sqlite_master AS m",
        "SELECT * FROM pragma_integrity_check",
        "SELECT * FROM pragma_compile_options",
    )
    # Newer versions of SQLite count the arguments before they ask whether it is allowed.
    yield from numbered_texts("pragma", BLOCKED | BROKEN, "SELECT * FROM pragma_writable_schema(1)")
    yield from numbered_texts(
        "transaction",
        BLOCKED,
        "BEGIN",
        "BEGIN EXCLUSIVE TRANSACTION",
        "BEGIN IMMEDIATE",
        "COMMIT",
        "END TRANSACTION",
        "ROLLBACK",
        "ROLLBACK TO s",
        "SAVEPOINT s",
        "RELEASE s",
        "REINDEX",
        "REINDEX by_age",
        "REINDEX NOCASE",
        "ANALYZE",
        "ANALYZE main.person",
    )


def files() -> Iterator[Hostile]:
    """Functions and statements that read or write files, or run programs."""
    yield from numbered_texts(
        "file",
        BLOCKED | FAILS,
        "SELECT load_extension('/tmp/loot.so')",
        "SELECT load_extension('/tmp/loot.so', 'main')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('loot.txt', 'x')",
        "SELECT edit('x', 'vi')",
        "SELECT fts3_tokenizer('simple')",
        "SELECT fts3_tokenizer('simple', x'0000000000000000')",
        "SELECT sqlite_log(1, 'x')",
        "SELECT name FROM person WHERE load_extension('x') IS NULL",
        "SELECT * FROM fsdir('/')",
        "SELECT * FROM sqlite_dbpage",
        "SELECT count(*) FROM SQLITE_DBPAGE",
        "SELECT sql FROM sqlite_stmt",
        "SELECT count(*) FROM main.sqlite_stmt",
        "SELECT * FROM zipfile('loot.zip')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT LOAD_FILE('/etc/passwd')",
    )
    yield from numbered_texts(
        "file",
        WRONG,
        "SELECT * FROM person INTO OUTFILE '/tmp/loot.csv'",
        "SELECT * INTO loot FROM person",
        "SELECT name INTO TEMP loot FROM person",
        "COPY person TO '/tmp/loot.csv'",
        "COPY person FROM PROGRAM 'id'",
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE person",
        "EXEC xp_cmdshell 'id'",
    )
    yield from numbered_texts("file", NO_SQL, ".shell touch loot", ".output loot.txt")
