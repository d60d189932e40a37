"""Files and DDL of other engines than SQLite: how they show, and what to do with them."""

from __future__ import annotations

import re

_HEADERS = (
    (re.compile(rb"(?s).{8}DUCK"), "duckdb"),
    (re.compile(rb"PGDMP|(?s:.{0,40})PostgreSQL database"), "postgres"),
    (re.compile(rb"-- (?:MySQL|MariaDB) dump|/\*M?!\d"), "mysql"),
)
_DDL = (
    (
        re.compile(
            r"::|\b(?:big)?serial\b|\busing btree\b|\bcreate (?:type|domain|extension|sequence)\b"
            r"|\bowner to\b|\bnextval\s*\(|\bpg_catalog\b",
            re.IGNORECASE,
        ),
        "postgres",
    ),
    (
        re.compile(r"\bauto_increment\b|\bengine\s*=|\benum\s*\(|\bunsigned\b", re.IGNORECASE),
        "mysql",
    ),
    (re.compile(r"\bstruct\s*\(|\bcreate macro\b|\[\]|\bhugeint\b", re.IGNORECASE), "duckdb"),
)
_WORDS = {"duckdb": "DuckDB", "postgres": "PostgreSQL", "mysql": "MySQL or MariaDB"}
_URLS = {"postgres": "postgresql", "mysql": "mysql"}


def file_hint(header: bytes) -> str:
    """What a file that is no SQLite database is, and what to do; empty where nothing is known."""
    engine = next((name for pattern, name in _HEADERS if pattern.match(header)), None)
    if engine is None:
        return ""
    if engine == "duckdb":
        return f"It is a file of DuckDB: use the engine duckdb ({_install(engine)})"
    return (
        f"It is a dump of {_WORDS[engine]}: load it into a server, and give its databases as "
        f"{_URLS[engine]}://HOST/{{db_id}} ({_install(engine)})"
    )


def ddl_hint(text: str) -> str:
    """Which engine CREATE statements are written for; empty where nothing shows it."""
    engine = next((name for pattern, name in _DDL if pattern.search(text)), None)
    if engine is None:
        return ""
    source = f"{_URLS[engine]}://HOST/DATABASE" if engine in _URLS else "FILE.duckdb"
    return (
        f"The text looks like {_WORDS[engine]}, and SQLite reads schemas of text. Make a database "
        f"with it, and give {source} as the database instead of a schema ({_install(engine)})"
    )


def _install(engine: str) -> str:
    return f"pip install 'sqlverdict[{engine}]'"
