"""Texts that no evaluator should run unguarded on PostgreSQL, and what must become of each.

They are meant for a database with the tables ``person (id, name, age)`` and ``city (id, name)`` and
a sequence ``numbers_seq``. Whoever runs them must see nothing written, nothing read outside of the
database, and nothing running on the server afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from hostile_postgres_attacks import HOSTILE

from sqlverdict.testing.hostile.kinds import (
    ANSWERS,
    BLOCKED,
    BROKEN,
    FAILS,
    NO_ANSWER,
    NO_SQL,
    SEVERAL,
    WRONG,
    Hostile,
    numbered_texts,
)

TABLES = (
    "CREATE TABLE person (id int PRIMARY KEY, name text NOT NULL, age int)",
    "CREATE TABLE city (id int PRIMARY KEY, name text, mayor int REFERENCES person (id))",
    "CREATE SEQUENCE numbers_seq",
    "INSERT INTO person SELECT i, 'name ' || i, i % 90 FROM generate_series(1, 400) AS i",
    "INSERT INTO city SELECT i, 'city ' || i, i FROM generate_series(1, 40) AS i",
)
"""What makes the database."""


@cache
def postgres_predictions() -> tuple[Hostile, ...]:
    """The corpus, in a fixed order."""
    return (
        *_statements(),
        *_functions(),
        *_spellings(),
        *_texts(),
        *_harmless(),
        *numbered_texts("attack", NO_ANSWER, *HOSTILE),
    )


def _statements() -> Iterator[Hostile]:
    yield from numbered_texts(
        "statement",
        BLOCKED,
        "INSERT INTO person VALUES (0, 'x', 1)",
        "UPDATE person SET name = 'x'",
        "DELETE FROM person",
        "TRUNCATE person",
        "MERGE INTO person USING city ON false WHEN NOT MATCHED THEN DO NOTHING",
        "WITH x AS (DELETE FROM person RETURNING *) SELECT * FROM x",
        "WITH x AS (INSERT INTO person VALUES (0, 'x', 1) RETURNING *) SELECT * FROM x",
        "WITH x AS (SELECT 1) UPDATE person SET age = 0",
        "SELECT * INTO loot FROM person",
        "SELECT name INTO TEMP loot FROM person",
        "SELECT name FROM person FOR UPDATE",
        "SELECT name FROM person FOR KEY SHARE",
        "CREATE TABLE loot AS SELECT * FROM person",
        "CREATE TEMP TABLE loot (a int)",
        "DROP TABLE person",
        "ALTER TABLE person RENAME TO loot",
        "COPY person TO '/tmp/loot.csv'",
        "COPY person TO PROGRAM 'touch /tmp/loot'",
        "COPY (SELECT * FROM person) TO STDOUT",
        "COPY person FROM PROGRAM 'id'",
        "DO $$ BEGIN PERFORM pg_sleep(100); END $$",
        "CALL loot()",
        "SET statement_timeout = 0",
        "SET SESSION AUTHORIZATION DEFAULT",
        "RESET ALL",
        "RESET ROLE",
        "LISTEN loot",
        "NOTIFY loot",
        "PREPARE loot AS SELECT 1",
        "EXECUTE loot",
        "DEALLOCATE ALL",
        "DISCARD ALL",
        "LOCK TABLE person",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "ROLLBACK TO SAVEPOINT clean",
        "RELEASE SAVEPOINT clean",
        "DECLARE loot CURSOR FOR SELECT 1",
        "FETCH ALL FROM answer",
        "CLOSE ALL",
        "VACUUM",
        "ANALYZE person",
        "CHECKPOINT",
        "LOAD '/tmp/loot.so'",
        "GRANT ALL ON person TO PUBLIC",
        "REFRESH MATERIALIZED VIEW loot",
        "COMMENT ON TABLE person IS 'loot'",
        "IMPORT FOREIGN SCHEMA public FROM SERVER loot INTO public",
    )
    yield from numbered_texts("statement", SEVERAL, "EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1")
    yield from numbered_texts("statement", SEVERAL, "SHOW data_directory", "SHOW ALL")


def _functions() -> Iterator[Hostile]:
    yield from numbered_texts(
        "function",
        BLOCKED,
        "SELECT pg_sleep(100)",
        "SELECT pg_sleep_for('1 hour')",
        "SELECT pg_sleep_until('tomorrow')",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_read_binary_file('PG_VERSION')",
        "SELECT * FROM pg_ls_dir('.')",
        "SELECT * FROM pg_ls_logdir()",
        "SELECT pg_stat_file('PG_VERSION')",
        "SELECT pg_current_logfile()",
        "SELECT lo_import('/etc/passwd')",
        "SELECT lo_export(1, '/tmp/loot')",
        "SELECT lo_create(0)",
        "SELECT lo_from_bytea(0, 'x')",
        "SELECT loread(1, 1)",
        "SELECT set_config('statement_timeout', '0', false)",
        "SELECT set_config('role', 'none', true)",
        "SELECT set_config('transaction_read_only', 'off', true)",
        "SELECT nextval('numbers_seq')",
        "SELECT setval('numbers_seq', 100)",
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_try_advisory_xact_lock(1)",
        "SELECT pg_notify('loot', 'x')",
        "SELECT pg_terminate_backend(pg_backend_pid())",
        "SELECT pg_cancel_backend(1)",
        "SELECT pg_reload_conf()",
        "SELECT pg_rotate_logfile()",
        "SELECT pg_switch_wal()",
        "SELECT pg_export_snapshot()",
        "SELECT pg_create_restore_point('loot')",
        "SELECT pg_logical_emit_message(false, 'a', 'b')",
        "SELECT pg_stat_reset()",
        "SELECT query_to_xml('SELECT pg_sleep(100)', true, true, '')",
        "SELECT database_to_xml(true, true, '')",
        "SELECT * FROM ts_stat('SELECT pg_sleep(100)')",
        "SELECT ts_rewrite('a'::tsquery, 'SELECT pg_sleep(100)')",
        "SELECT * FROM pg_hba_file_rules",
        "SELECT * FROM pg_authid",
        "SELECT passwd FROM pg_shadow",
        "SELECT query FROM pg_stat_activity",
        "SELECT * FROM pg_config",
        "SELECT * FROM dblink('dbname=postgres', 'SELECT 1') AS t (a int)",
        "SELECT dblink_connect('host=127.0.0.1')",
        "SELECT * FROM crosstab('SELECT 1, 2, 3') AS t (a int, b int)",
    )


def _spellings() -> Iterator[Hostile]:
    """The same in other spellings."""
    yield from numbered_texts(
        "spelling",
        BLOCKED,
        'SELECT "pg_sleep"(100)',
        "SELECT pg_catalog.pg_sleep(100)",
        'SELECT "pg_catalog"."pg_sleep"(100)',
        "SELECT PG_SLEEP /* x */ (100)",
        "SELECT pg_sleep -- x\n (100)",
        "SELECT (100::float8).pg_sleep",
        "SELECT ('numbers_seq'::regclass).nextval",
        "SELECT (ARRAY['SELECT 1'::text])[1].ts_stat",
        "SELECT * FROM person WHERE pg_sleep(100) IS NULL",
        "SELECT * FROM person ORDER BY pg_sleep(100)",
        "SELECT 1 LIMIT (SELECT count(pg_sleep(100)))",
        "SELECT E'\\'', pg_sleep(100) --'",
        "SELECT $a$ $$ $a$, pg_sleep(100)",
        "SELECT 1 /* /* */ */, pg_sleep(100)",
        "VALUES (pg_sleep(100))",
        "(SELECT pg_sleep(100))",
        "TABLE pg_authid",
        "SELECT * FROM LATERAL pg_ls_dir('.') AS x",
    )
    yield from numbered_texts("spelling", BLOCKED, 'SELECT U&"pg\\005fsleep"(100)')
    yield from numbered_texts("spelling", FAILS, 'SELECT u&"x"')


def _texts() -> Iterator[Hostile]:
    yield from numbered_texts(
        "text",
        SEVERAL,
        "SELECT 1; SELECT 2",
        "SELECT 1; COMMIT; DROP TABLE person",
        "SELECT 1; ROLLBACK; BEGIN; DELETE FROM person; COMMIT",
        "SELECT ';'; SELECT ';'",
        "TABLE person; TABLE city",
    )
    yield from numbered_texts(
        "text",
        WRONG,
        "SELECT 1 AS a, nothing",
        "SELECT 1 FROM nowhere",
        "SELECT $1",
        "SELECT 1/0",
        "SELECT 'x'::int",
        "SELECT 'unterminated",
        "SELECT \ud800",
        "SELECT 'a\x00b'",
        "SELECT $$ open",
        "SELECT /* open",
        "SELECT 1) UNION (SELECT 2",
    )
    yield from numbered_texts("text", NO_SQL, "", "-- nothing", ";", "I am sorry", "```SELECT 1```")
    yield from numbered_texts("text", BROKEN, "SELEC 1", "WITH", "VALUES")
    yield from numbered_texts("text", FAILS, "SELECT person.nothing FROM person")


def _harmless() -> Iterator[Hostile]:
    """What only looks bad."""
    yield from numbered_texts(
        "harmless",
        ANSWERS,
        "SELECT 'pg_sleep(100)'",
        "SELECT $$; DROP TABLE person; $$",
        "SELECT 1 -- ; DROP TABLE person",
        "SELECT 1;",
        "SELECT name AS nextval, id AS lo_import, age AS lo_revenue FROM person",
        "SELECT age AS system, name AS update FROM person",
        "SELECT 'DELETE FROM person'",
        "TABLE city",
        "VALUES (1, 'a'), (2, 'b')",
        "(SELECT 1) UNION (SELECT 2)",
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 9)"
        " SELECT * FROM n",
        "SELECT random() IS NULL, clock_timestamp() IS NULL, gen_random_uuid() IS NULL",
        "SELECT pg_total_relation_size('person') > 0",
        "SELECT count(*) > 0 FROM information_schema.tables",
    )
