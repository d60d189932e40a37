"""The servers that the attack on engines attacks."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from attack_targets import OTHER, ROWS, TABLES, Target
from attack_texts import SECRET
from sqlverdict.records import Failure

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "execute"))
import hostile_mysql as mysql_texts
import hostile_postgres as postgres_texts
import hostile_postgres_attacks as postgres_attacks


def own_names() -> tuple[str, str]:
    """The names of two databases: one that is attacked, and one that it must not reach."""
    name = f"attack_{os.getpid()}_{token_hex(4)}"
    return name, f"{name}_other"


class Postgres(Target):
    """A database on a server, attacked through the URL of a superuser."""

    name = "postgres"
    styles = (
        *Target.styles,
        *("E'{}'", "e'{}'", "U&'{}'", "N'{}'", "$${}$$", "$a${}$a$", "B'{}'", "X'{}'"),
        "U&'{}' UESCAPE '!'",
    )

    def set_up(self) -> None:
        import psycopg

        server = self.server or "postgresql://postgres@127.0.0.1:5432/test"
        self._names = own_names()
        self._admin = psycopg.connect(server, autocommit=True)
        for name in self._names:
            self._admin.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        self._urls = [
            urlunsplit(urlsplit(server)._replace(path=f"/{name}")) for name in self._names
        ]
        self._admin.execute(f"ALTER DATABASE {self._names[0]} SET attack.secret = '{SECRET}'")
        self._admin.execute(
            f"ALTER DATABASE {self._names[0]} SET standard_conforming_strings = off"
        )
        contents = ((*TABLES, ROWS, "CREATE SEQUENCE numbers", *postgres_texts.TABLES), OTHER)
        for url, statements in zip(self._urls, contents, strict=True):
            with psycopg.connect(url, autocommit=True) as connection:
                for statement in statements:
                    connection.execute(statement)
        self._plain = psycopg.connect(self._urls[0], autocommit=True)
        self._plain.execute("SET standard_conforming_strings = on")
        self._plain.execute("SET default_transaction_read_only = on")
        read = f"pg_read_file(''{self.file}'')"
        self.calls = (
            f"pg_read_file('{self.file}')",
            f"pg_catalog.pg_read_file('{self.file}')",
            f"convert_from(pg_read_binary_file('{self.file}'), 'UTF8')",
            "current_setting('attack.secret')",
            "current_setting('attack.secret', true)",
            "(SELECT setting FROM pg_settings WHERE name = 'attack.secret')",
            "(SELECT min(setconfig::text) FROM pg_db_role_setting)",
            f"query_to_xml('SELECT {read}', true, true, '')",
            f"(SELECT * FROM query_to_xml('SELECT {read}', true, true, ''))",
            "query_to_xml('SELECT current_setting(''attack.secret'')', true, true, '')",
            "(SELECT min(rolpassword) FROM pg_authid)",
            "(SELECT min(query) FROM pg_stat_activity)",
            "(SELECT min(passwd) FROM pg_shadow)",
            "pg_sleep(0.01)",
            "pg_advisory_lock(77)",
            "pg_try_advisory_lock(77)",
            "set_config('statement_timeout', '0', false)",
            "set_config('role', 'postgres', false)",
            "lo_from_bytea(0, 'x')",
            "lo_create(0)",
            "nextval('numbers')",
            "setval('numbers', 99)",
            "pg_notify('x', 'y')",
            "pg_ls_dir('.')",
            "pg_terminate_backend(0)",
            "pg_cancel_backend(0)",
            "pg_reload_conf()",
            "pg_logical_emit_message(true, 'a', 'b')",
            "txid_current()",
            "ts_stat('SELECT 1')",
            "table_to_xml('pg_settings', true, true, '')",
            "database_to_xml(true, true, '')",
        )

    def corpus(self) -> Iterator[str]:
        yield from (each.sql for each in postgres_texts.postgres_predictions())
        yield from postgres_attacks.HOSTILE

    def reference(self) -> str:
        return self._urls[0]

    def tear_down(self) -> None:
        self._plain.close()
        for name in self._names:
            self._admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        self._admin.close()

    def canonical(self, text: str) -> str | Failure | None:
        from sqlverdict.execute.engines.postgres.sandbox import canonical

        return canonical(text)

    def _raw(self, text: str) -> Sequence[object] | None:
        import psycopg

        try:
            rows = self._plain.execute(text.encode()).fetchall()
        except (psycopg.Error, UnicodeError):
            return None
        return rows[0] if len(rows) == 1 else None

    def state(self) -> dict[str, object]:
        import psycopg

        def rows(connection: psycopg.Connection[Any], sql: str) -> str:
            return str(connection.execute(sql).fetchall())

        with psycopg.connect(self._urls[0], autocommit=True) as own:
            inside = {
                sql: rows(own, sql)
                for sql in (
                    "SELECT * FROM item ORDER BY id",
                    "SELECT last_value, is_called FROM numbers",
                    "SELECT relname, relacl FROM pg_class WHERE relnamespace = 2200 ORDER BY 1",
                    "SELECT count(*) FROM pg_largeobject_metadata",
                    "SELECT proname FROM pg_proc WHERE pronamespace = 2200 ORDER BY 1",
                )
            }
        which = "LIKE '%'" if self.alone else "LIKE 'loot%'"
        outside = {
            sql: rows(self._admin, sql)
            for sql in (
                f"SELECT datname FROM pg_database WHERE datname {which} ORDER BY 1",
                f"SELECT rolname, rolsuper FROM pg_roles WHERE rolname {which} ORDER BY 1",
                "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND "
                f"database = (SELECT oid FROM pg_database WHERE datname = '{self._names[0]}')",
                f"SELECT setconfig FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM "
                f"pg_database WHERE datname = '{self._names[0]}')",
                f"SELECT gid FROM pg_prepared_xacts WHERE gid {which}",
                "SELECT name, setting FROM pg_file_settings ORDER BY 1, 2",
            )
        }
        return {**super().state(), **inside, **outside}


class Mysql(Target):
    """A database on a server, attacked through the URL of its administrator."""

    name = "mysql"
    styles = (
        *Target.styles,
        *("N'{}'", "_utf8mb4'{}'", "_latin1 '{}'", "x'{}'", "b'{}'", "'{}' '{}'", '"{}"', "0x41"),
    )

    escapes = True

    def set_up(self) -> None:
        import pymysql

        parts = urlsplit(self.server or "mysql://root@127.0.0.1:3306")
        self._base = urlunsplit(parts._replace(path=""))
        self._login: dict[str, Any] = {
            "host": parts.hostname,
            "port": parts.port or 3306,
            "user": parts.username,
            "password": os.environ.get("MYSQL_PWD", ""),
            "charset": "utf8mb4",
            "autocommit": True,
        }
        self._names = own_names()
        self._admin = pymysql.connect(**self._login)
        own = (*TABLES, ROWS, "CREATE TABLE t (id INT, name VARCHAR(20))")
        vault = ("CREATE TABLE vault AS SELECT name AS secret FROM secret",)
        for name, statements in zip(self._names, (own, (*OTHER, *vault)), strict=True):
            for statement in (f"CREATE DATABASE {name}", f"USE {name}", *statements):
                self._ask(self._admin, statement)
        self._plain = pymysql.connect(**self._login)
        self._ask(self._plain, "SET SESSION sql_mode = 'NO_ENGINE_SUBSTITUTION'")
        self._ask(self._plain, "SET SESSION TRANSACTION READ ONLY")
        self._modes = [pymysql.connect(**self._login) for _ in range(2)]
        self._ask(self._modes[0], "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'")
        self._ask(self._modes[1], "SET SESSION sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'")
        other = self._names[1]
        self.calls = (
            f"load_file('{self.file}')",
            f"load_file(0x{str(self.file).encode().hex()})",
            f"extractvalue(1, concat('~', load_file('{self.file}')))",
            f"(SELECT name FROM {other}.secret)",
            f"(SELECT name FROM `{other}`.`secret`)",
            f"(SELECT {other}.name FROM item AS {other}, {other}.secret)",
            f"(SELECT max({other}.id) FROM item JOIN item {other} ON 1 = 1, {other}.secret)",
            "(SELECT min(authentication_string) FROM mysql.user)",
            "(SELECT min(variable_value) FROM information_schema.global_variables)",
            "(SELECT min(info) FROM information_schema.processlist)",
            "@@datadir",
            "@@global.secure_file_priv",
            "@a := 5",
            "sleep(0.01)",
            "benchmark(10, md5('a'))",
            f"get_lock('{self._names[0]}', 0)",
            f"release_lock('{self._names[0]}')",
            f"is_free_lock('{self._names[0]}')",
            "last_insert_id(5)",
            "master_pos_wait('a', 1)",
            f"1 INTO OUTFILE '{self.loot}/a'",
            f"1 INTO DUMPFILE '{self.loot}/b'",
            "1 INTO @x",
            "current_user()",
        )

    def corpus(self) -> Iterator[str]:
        for text in mysql_texts.HOSTILE:
            yield (
                text.replace(mysql_texts.OTHER, self._names[1])
                .replace(mysql_texts.FILE, str(self.file))
                .replace(mysql_texts.LOOT, str(self.loot / "c"))
            )

    def reference(self) -> str:
        return f"{self._base}/{self._names[0]}"

    def tear_down(self) -> None:
        for name in self._names:
            self._ask(self._admin, f"DROP DATABASE IF EXISTS {name}")
        for connection in (self._admin, self._plain, *self._modes):
            connection.close()
        shutil.rmtree(self.loot, ignore_errors=True)

    def canonical(self, text: str) -> str | Failure | None:
        from sqlverdict.execute.engines.mysql.sandbox import canonical

        return canonical(text)

    def columns_in_other_modes(self, text: str) -> list[int]:
        sent = self.canonical(text)
        return [len(self._ask(connection, str(sent))[0]) for connection in self._modes]

    def _raw(self, text: str) -> Sequence[object] | None:
        import pymysql

        try:
            rows = self._ask(self._plain, text)
        except (pymysql.Error, UnicodeError):
            return None
        return rows[0] if len(rows) == 1 else None

    @staticmethod
    def _ask(connection: Any, sql: str) -> list[tuple[object, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def state(self) -> dict[str, object]:
        name, other = self._names
        which = "LIKE '%'" if self.alone else "LIKE 'loot%'"
        rows = {
            sql: str(self._ask(self._admin, sql))
            for sql in (
                f"CHECKSUM TABLE {name}.item, {other}.secret",
                f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{name}'",
                f"SHOW DATABASES {which}",
                f"SELECT user, host FROM mysql.user WHERE user {which} ORDER BY 1, 2",
                f"SELECT is_used_lock('{name}')",
                *(
                    ("SELECT is_used_lock('loot')", "SHOW GLOBAL VARIABLES LIKE '%timeout%'")
                    if self.alone
                    else ()
                ),
            )
        }
        return {**super().state(), **rows}
