"""Files and DDL of other engines than SQLite: how they show, and what to do with them."""

from __future__ import annotations

from sqlverdict.dialects import guessing_order


def file_hint(header: bytes) -> str:
    """What a file that is no SQLite database is, and what to do; empty where nothing is known."""
    for dialect in guessing_order():
        if dialect.file_header is None or not dialect.file_header.match(header):
            continue
        if not dialect.server:
            return (
                f"It is a file of {dialect.title}: use the engine {dialect.name} "
                f"({_install(dialect.name)})"
            )
        return (
            f"It is a dump of {dialect.title}: load it into a server, and give its databases "
            f"as {dialect.source}{{db_id}} ({_install(dialect.name)})"
        )
    return ""


def ddl_hint(text: str) -> str:
    """Which engine CREATE statements are written for; empty where nothing shows it."""
    for dialect in guessing_order():
        if dialect.ddl_words is None or not dialect.ddl_words.search(text):
            continue
        source = f"{dialect.source}DATABASE" if dialect.server else dialect.source
        return (
            f"The text looks like {dialect.title}, and SQLite reads schemas of text. Make a "
            f"database with it, and give {source} as the database instead of a schema "
            f"({_install(dialect.name)})"
        )
    return ""


def _install(extra: str) -> str:
    return f"pip install 'sqlverdict[{extra}]'"
