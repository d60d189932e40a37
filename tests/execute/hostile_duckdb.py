"""Texts that no evaluator should run unguarded on DuckDB, and what must become of each.

They are meant for a file with what :data:`TABLES` makes, in a folder with a file ``secret.csv``
that holds :data:`PLANTED`, beside another database ``other.duckdb`` that holds it too, in a process
whose environment holds it as ``SQLVERDICT_PLANTED``. Whoever runs them must see none of it, no path
of the folder and no setting in an answer, nothing written, and every text end in time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from sqlverdict.testing.hostile.kinds import (
    ANSWERS,
    ANY,
    BLOCKED,
    NO_SQL,
    SEVERAL,
    WRONG,
    Expected,
    Hostile,
    numbered_texts,
)

PLANTED = "zq7-planted-text"
TABLES = (
    "CREATE TABLE person (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, age INTEGER)",
    "CREATE TABLE city (id INTEGER PRIMARY KEY, name VARCHAR, mayor INTEGER)",
    "CREATE SEQUENCE numbering",
    "CREATE MACRO many(t, n) AS repeat(t, n)",
    "CREATE VIEW adult AS SELECT * FROM person WHERE age >= 18",
    "INSERT INTO person SELECT i, 'name ' || i, i % 90 FROM range(1, 401) AS r (i)",
    "INSERT INTO city SELECT i, 'city ' || i, i FROM range(1, 41) AS r (i)",
)
"""What makes the database."""

_NO_ANSWER: Expected = BLOCKED | WRONG | SEVERAL
_FILE = "'{folder}/secret.csv'"
_OTHER = "'{folder}/other.duckdb'"


@cache
def duckdb_predictions(folder: str) -> tuple[Hostile, ...]:
    """The corpus, in a fixed order, for the folder of the database."""
    return (
        *numbered_texts("file", _NO_ANSWER, *_in(folder, _files())),
        *numbered_texts("setting", _NO_ANSWER, *_in(folder, _settings())),
        *numbered_texts("write", _NO_ANSWER, *_in(folder, _writes())),
        *numbered_texts("text", _NO_ANSWER | NO_SQL | ANSWERS, *_in(folder, _texts())),
        *(Hostile(f"bomb/{sql[:60]}", sql, ANY, hangs=True) for sql in _bombs()),
    )


def _in(folder: str, texts: Iterator[str]) -> Iterator[str]:
    quoted = folder.replace("'", "''")
    return (text.replace("{folder}", quoted) for text in texts)


def _files() -> Iterator[str]:
    for reader in (
        *("read_csv", "read_csv_auto", "read_text", "read_blob", "read_json", "read_json_auto"),
        *("read_ndjson", "read_json_objects", "read_parquet", "parquet_scan", "parquet_metadata"),
        *("sniff_csv", "glob", "read_duckdb", "parquet_schema", "read_ndjson_objects"),
    ):
        yield f"SELECT * FROM {reader}({_FILE})"
    for spelling in (
        "\"read_text\"({0})", "READ_TEXT({0})", "read_text/* x */({0})", "read_text -- x\n({0})",
        "system.main.read_text({0})", "main.read_text({0})",
        "\"system\".\"main\".\"read_text\"({0})",
        "read_text([{0}])", "read_text({0}) AS t", "lateral read_text({0})",
    ):  # fmt: skip
        yield f"SELECT * FROM {spelling.format(_FILE)}"
    yield f"FROM {_FILE}"
    yield f"SELECT * FROM {_OTHER}"
    yield 'SELECT * FROM "{folder}/secret.csv"'
    yield 'SELECT * FROM "{folder}/other.duckdb".loot'
    yield "SELECT * FROM other.loot"
    yield "SELECT * FROM other.main.loot"
    yield f"FROM t: read_text({_FILE})"
    yield f"SELECT (SELECT content FROM read_text({_FILE}))"
    yield f"SELECT name FROM person WHERE name IN (SELECT content FROM read_text({_FILE}))"
    yield f"WITH f AS (FROM read_text({_FILE})) SELECT * FROM f"
    yield f"SELECT name FROM person UNION ALL SELECT content FROM read_text({_FILE})"
    yield f"PIVOT (FROM read_text({_FILE})) ON filename"
    yield f"SELECT * FROM query('FROM read_text(''{_FILE[1:-1]}'')')"
    yield "SELECT * FROM query('SEL' || 'ECT 1')"
    yield "SELECT * FROM query_table('pg_' || 'settings')"
    yield "SELECT * FROM query_table(['person', 'city'])"
    yield "FROM histogram('pg_settings', 'name')"
    yield "FROM histogram_values(pg_settings, name)"
    yield "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))"
    yield f"SELECT json_serialize_plan('FROM read_text(''{_FILE[1:-1]}'')')"
    yield "SELECT json_serialize_plan('SELECT current_setting(''threads'')', optimize := true)"
    yield "SELECT json_deserialize_sql(json_serialize_sql('SELECT 1'))"
    yield "SELECT * FROM pandas_scan(1)"
    yield "SELECT * FROM arrow_scan(1, 2, 3)"
    yield "SELECT * FROM seq_scan()"
    yield "SELECT * FROM test_all_types()"
    yield "SELECT * FROM 'https://localhost/x.csv'"
    yield "SELECT * FROM 's3://bucket/x.parquet'"
    yield f"SELECT * FROM sqlite_scan({_FILE}, 't')"


def _settings() -> Iterator[str]:
    for name in (
        *("duckdb_settings", "duckdb_secrets", "duckdb_databases", "duckdb_extensions"),
        *("duckdb_temporary_files", "duckdb_memory", "duckdb_logs", "duckdb_log_contexts"),
        *("duckdb_optimizers", "duckdb_variables", "duckdb_functions", "duckdb_dependencies"),
        *("duckdb_prepared_statements", "duckdb_external_file_cache", "duckdb_keywords"),
        *("duckdb_profiling_settings", "duckdb_logs_parsed", "duckdb_secret_types"),
        *("pragma_version", "pragma_database_size", "pragma_platform", "pragma_user_agent"),
        *("pragma_storage_info", "pragma_show", "pragma_table_info", "pragma_metadata_info"),
        *("pragma_collations", "which_secret", "icu_calendar_names", "pg_timezone_names"),
    ):
        yield f"SELECT * FROM {name}()"
    for table in (
        *("duckdb_databases", "pragma_database_list", "pg_settings", "duckdb_logs"),
        *("pg_catalog.pg_settings", "system.main.duckdb_databases", "main.pragma_database_list"),
        *('"duckdb_databases"', "DUCKDB_DATABASES", "pg_database", "pg_prepared_statements"),
        *('system.pg_catalog."pg_settings"', "pg_tablespace"),
    ):
        yield f"SELECT * FROM {table}"
    yield "FROM duckdb_databases"
    yield "SELECT path FROM duckdb_databases() WHERE path IS NOT NULL"
    yield "SELECT (SELECT max(path) FROM duckdb_databases)"
    yield "SELECT name FROM person WHERE name = (SELECT max(path) FROM duckdb_databases)"
    yield "WITH d AS (SELECT * FROM pragma_database_list) SELECT * FROM d"
    yield "PIVOT duckdb_databases ON path"
    yield "SELECT * FROM (DESCRIBE duckdb_databases)"
    yield "SELECT * FROM (SUMMARIZE duckdb_databases)"
    yield "SELECT * FROM (SHOW DATABASES)"
    yield "SELECT current_setting('home_directory')"
    yield "SELECT \"current_setting\"('secret_directory')"
    yield "SELECT system.main.current_setting('threads')"
    yield "SELECT 'threads'.current_setting()"
    yield "SELECT getenv('SQLVERDICT_PLANTED')"
    yield "SELECT getvariable('x')"
    yield "SELECT get_block_size(current_database())"
    yield "SELECT stats(id) FROM person"
    yield "SELECT vector_type(id) FROM person"
    yield "SELECT write_log('x')"
    yield "SELECT parse_duckdb_log_message('x', 'y')"
    yield "SELECT sum(id) EXPORT_STATE FROM person"
    yield "SELECT finalize(x) FROM (SELECT sum(id) EXPORT_STATE AS x FROM person)"
    yield "SELECT combine(NULL, NULL)"
    yield "SELECT __internal_decompress_string('aaaaaaaaaaaaaaaa'::UHUGEINT)"
    yield "SHOW ALL TABLES"
    yield "SHOW SETTINGS"
    yield "EXPLAIN ANALYZE SELECT 1"


def _writes() -> Iterator[str]:
    yield from (
        f"ATTACH {_OTHER} AS loot", "ATTACH ':memory:' AS loot", "DETACH memory", "USE memory",
        "COPY person TO '{folder}/loot.csv'", f"COPY person FROM {_FILE}",
        "COPY (SELECT 1) TO '{folder}/loot.parquet'", "COPY FROM DATABASE memory TO loot",
        "EXPORT DATABASE '{folder}/loot'", "IMPORT DATABASE '{folder}/loot'",
        "INSTALL httpfs", "LOAD httpfs", "FORCE INSTALL httpfs", "UPDATE EXTENSIONS",
        "SET threads = 8", "SET GLOBAL memory_limit = '100GB'", "RESET threads",
        "SET VARIABLE x = 1", "SET enable_external_access = true", "PRAGMA threads = 8",
        "PRAGMA database_list", "PRAGMA enable_logging", "CALL enable_logging()",
        "CALL pragma_version()", "CHECKPOINT", "FORCE CHECKPOINT", "VACUUM", "ANALYZE",
        "BEGIN", "COMMIT", "ROLLBACK", "PREPARE p AS SELECT 1", "EXECUTE p", "DEALLOCATE p",
        "INSERT INTO person VALUES (1000, 'x', 1)", "UPDATE person SET age = 0",
        "DELETE FROM person", "TRUNCATE person", "DROP TABLE person", "DROP VIEW adult",
        "ALTER TABLE person ADD COLUMN loot INTEGER", "CREATE TABLE loot (a INTEGER)",
        "CREATE TEMP TABLE person AS SELECT 1 AS id", "CREATE OR REPLACE TEMP MACRO upper(x) AS 1",
        "CREATE SECRET s (TYPE http)", "CREATE PERSISTENT SECRET s (TYPE http)",
        "CREATE INDEX i ON person (age)", "CREATE SEQUENCE s", "CREATE SCHEMA s",
        "CREATE TYPE mood AS ENUM ('a')", "COMMENT ON TABLE person IS 'x'",
        "MERGE INTO person USING city ON person.id = city.id WHEN MATCHED THEN DELETE",
        "WITH w AS (INSERT INTO person VALUES (1000, 'x', 1) RETURNING id) SELECT * FROM w",
        "WITH w AS (UPDATE person SET age = 0 RETURNING id) SELECT * FROM w",
        "WITH w AS (DELETE FROM person RETURNING id) SELECT * FROM w",
        "SELECT * FROM (DELETE FROM person RETURNING id)",
        "SELECT nextval('numbering')", "SELECT setval('numbering', 5)",
        "SELECT 1; DROP TABLE person", "SELECT 1; SET threads = 8; SELECT 2",
        "SELECT pg_sleep(100)", "SELECT sleep_ms(100000)", "SELECT system.main.sleep_ms(100000)",
        "SELECT * FROM checkpoint()", "SELECT * FROM enable_profiling()",
        "SELECT * FROM truncate_duckdb_logs()", "SELECT * FROM force_checkpoint('memory')",
    )  # fmt: skip


def _texts() -> Iterator[str]:
    """Quotes, comments and escapes around a call: two readers may cut them differently."""
    call = f"(SELECT max(content) FROM read_text({_FILE}))"
    yield f"SELECT 1 --\x7f'\n, {call} -- '"
    yield f"SELECT E'a'\n'\\'', {call}, 'x'"
    yield f"SELECT 'a\\', {call} -- '"
    yield f"SELECT $$ ' $$, {call} -- '"
    yield f"SELECT $a$ $$ ' $a$, {call}"
    yield f"SELECT /* /* */ ' */ {call} -- '"
    yield f"SELECT /* ' */ {call} /* ' */"
    yield f'SELECT "a""(", {call}'
    yield f"SELECT U&'\\0027', {call}"
    yield f"SELECT 'x' 'y', {call}"
    yield f"SELECT 1 # '\n, {call}"
    yield f"SELECT 1\u00a0,\u2003{call}"
    yield f"SELECT 1, {call.replace('read_text', 'read_text' + chr(0x200B))}"
    yield f'SELECT 1 AS "--", {call}'
    yield f"\ufeffSELECT {call}"
    yield f"SELECT 1 \x0b, {call}"
    yield f"SELECT 'a' ''' ', {call}"
    yield f"SELECT x'00', {call}"
    yield f"SELECT 1 -- \r, {call}"
    yield f"SELECT r'\\', {call} -- '"
    yield "SELECT '\ud800'"
    yield "SELECT \x00"
    yield "SELECT current_database(), current_schema(), current_query()"
    yield "SELECT COLUMNS(c -> c LIKE 'n%') FROM person LIMIT 1"
    yield "SELECT $1"
    yield "SELECT sql FROM sqlite_master"
    yield "SELECT table_catalog, table_name FROM information_schema.tables"


def _bombs() -> Iterator[str]:
    """Steps that no interrupt reaches into, and texts and lists that no engine counts."""
    yield "SELECT length(system.main.repeat('x', 3000000000))"
    yield "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))"
    yield "SELECT length(many('x', 3000000000))"
    yield "SELECT length('x'.repeat(3000000000))"
    yield "SELECT length(replace(repeat('a', 100000000), 'a', 'bbbbbbbbbbbbbbbbbbbb'))"
    yield "SELECT len(list_resize([1], 2000000000))"
    yield "SELECT len(range(2000000000))"
    yield "SELECT sum(i) FROM range(100000000000) AS r (i)"
    yield "SELECT length(regexp_replace(repeat('a', 30000000), '(a|b|ab)*', 'xyz', 'g'))"
    yield "SELECT length(lpad('x', 2000000000, 'y'))"
    yield "SELECT length(printf('%2000000000d', 1))"
    yield "SELECT length(format('{:>2000000000}', 1))"
    yield "SELECT damerau_levenshtein(repeat('a', 30000), repeat('b', 30000))"
    yield "SELECT jaccard(repeat('ab', 30000000), repeat('bc', 30000000))"
    yield "SELECT jaro_similarity(repeat('a', 3000000), repeat('b', 3000000))"
    yield "SELECT trim(repeat('a', 3000000), repeat('b', 3000000))"
    yield "SELECT length(translate(repeat('a', 30000000), repeat('b', 999), repeat('c', 999)))"
    yield "SELECT repeat('a', 40000) LIKE '%' || repeat('a%_', 40) || 'b'"
    yield "SELECT regexp_matches(repeat('a', 30000000), '(x+x+)+y')"
    yield "SELECT len(string_split(repeat('a,', 100000000), ','))"
    yield "SELECT length(string_agg(a.name || b.name || c.name)) FROM person a, person b, person c"
    yield "SELECT len(list(a.name)) FROM person a, person b, person c, person d"
    yield "SELECT median(a.id + b.id + c.id) FROM person a, person b, person c, person d"
    yield "WITH RECURSIVE n(t) AS (VALUES ('x') UNION ALL SELECT t || t FROM n) FROM n"
    yield "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    yield "SELECT count(*) FROM person a, person b, person c, person d, person e"
    yield "SELECT * FROM person a, person b, person c, person d ORDER BY a.age * b.age"
    yield "SELECT length(list_reduce(range(40)::VARCHAR[], lambda x, y: x || x || y))"
    yield "SELECT list_sort(list_transform(range(100000000), lambda x: hash(x)))[1]"
    yield "SELECT [[x + y for x in range(30000)] for y in range(30000)]"
    yield "SELECT bit_count(bitstring('1', 2000000000))"
    yield "SELECT factorial(33) ^ 400"
    yield "SELECT length(md5(repeat('a', 2000000000)))"
    yield "SELECT length(repeat(repeat('x', 10000), 100000)) FROM person"
    yield f"SELECT 1 FROM {', '.join(f'city AS c{n}' for n in range(120))}"
    yield (
        "SELECT count(*) FROM city GROUP BY CUBE ("
        + ", ".join(f"id + {n}" for n in range(14))
        + ")"
    )
    yield "SELECT unnest(generate_series(1, 1000000000))"
    yield "PIVOT (SELECT i, i % 100000 AS k FROM range(10000000) AS r (i)) ON k USING sum(i)"
