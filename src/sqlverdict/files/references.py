"""A database reference: the path of a file, or the URL of a database on a server.

References stand in cases, logs, manifests and messages, so they hold no password. A URL that
holds one is refused: drivers read passwords from the environment or from their own files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from sqlverdict.dialects import DIALECTS
from sqlverdict.errors import UsageError

Reference = str | Path
"""What functions take: the path of a file, as text or as a path, or a URL."""

_URL = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*)://")
_DRIVER = re.compile(
    r"\A((?:postgresql|postgres|mysql|mariadb|sqlite))\+(?:psycopg(?:2(?:cffi)?|_async)?|asyncpg|pg8000"
    r"|pymysql|mysqldb|mysqlconnector|mariadbconnector|aiomysql|asyncmy|pysqlite|aiosqlite)(?=://)",
    re.IGNORECASE,
)
"""SQLAlchemy names a driver behind the scheme: ``postgresql+psycopg2://``."""
_attaching = {each.name for each in DIALECTS.values() if each.attaches}
"""Schemes whose URLs may name further files."""
_ATTACH = "?attach="
_file_schemes = {each.name for each in DIALECTS.values() if not each.server}
"""Schemes whose URLs name files; the other schemes name servers."""
_RELATIVE = ":///"
"""Three slashes: to SQLAlchemy the path behind them is relative."""
_SECRET = re.compile(r"\b(?:ssl)?(?:password|passwd|pwd)\s*=", re.IGNORECASE)
_PASSWORD_HELP = {
    "postgresql": "the environment variable PGPASSWORD or the file ~/.pgpass",
    "mysql": "the environment variable MYSQL_PWD or the file ~/.my.cnf",
}
"""Where the programs behind a scheme look for a password. One in a reference is refused before any
engine is loaded that could say so."""


def scheme_of(reference: str) -> str:
    """The scheme of a URL in lower case; empty for a path."""
    match = _URL.match(reference)
    return match.group(1).lower() if match else ""


def add_file_schemes(schemes: Iterable[str]) -> None:
    """URLs of these schemes name files: an engine with files says so when it is loaded."""
    if not _file_schemes.issuperset(schemes):
        _file_schemes.update(schemes)
        is_server.cache_clear()
        _file_of.cache_clear()
        _is_relative.cache_clear()


@lru_cache(maxsize=4_096)
def is_server(reference: str) -> bool:
    """Whether the reference names a database on a server, and not a file.

    A scheme of a plug-in counts as a server's until its engine is loaded (``engine_of`` does it).
    """
    scheme = scheme_of(reference)
    return bool(scheme) and scheme not in _file_schemes


def file_of(reference: Reference) -> Path | None:
    """The file that a reference names; ``None`` for a database on a server.

    ``duckdb:///data/a.duckdb`` is the file ``/data/a.duckdb``, ``duckdb://a.duckdb`` is
    ``a.duckdb`` in the current folder. What is attached to it is told by :func:`attached_files`.
    """
    return reference if isinstance(reference, Path) else _file_of(reference)


@lru_cache(maxsize=4_096)
def _file_of(reference: str) -> Path | None:
    """The file of a text; asked for every query, and a Path takes its time to make."""
    match = _URL.match(reference)
    if match is None:
        return Path(reference)
    if is_server(reference):
        return None
    return Path(unquote(_split(reference)[0][match.end() :]))


def attached_files(reference: Reference) -> dict[str, Path]:
    """The further files that a URL names, by the names that queries have for them.

    ``duckdb:///data/a.duckdb?attach=b.duckdb&attach=old=2020/c.duckdb`` names ``/data/b.duckdb``
    as ``b`` and ``/data/2020/c.duckdb`` as ``old``: a path is relative to the first file's folder.

    Raises:
        UsageError: what stands behind the question mark is something else, or two files have one
            name.
    """
    text = "" if isinstance(reference, Path) else _split(reference)[1]
    return _attached_files(str(reference)) if text else {}


@lru_cache(maxsize=256)
def _attached_files(reference: str) -> dict[str, Path]:
    first = _file_of(reference)
    assert first is not None, "what attaches is a file"
    files: dict[str, Path] = {}
    names = {first.stem.casefold()}
    for part in _split(reference)[1].removeprefix("?").split("&"):
        option, _, value = part.partition("=")
        name, sign, path = value.partition("=")
        file = first.parent / unquote(path if sign else name)
        name = unquote(name) if sign else file.stem
        if option != "attach" or not name or not file.suffix:
            raise UsageError(
                f"{reference} is not read behind its question mark: {part!r}. Expected attach=FILE "
                "or attach=NAME=FILE, with & between two of them"
            )
        if name.casefold() in names:
            raise UsageError(
                f"{reference} names two files {name!r}. Give one of them another name: "
                "attach=NAME=FILE"
            )
        names.add(name.casefold())
        files[name] = file
    return files


def _split(reference: str) -> tuple[str, str]:
    """A reference without what it attaches, and that with its question mark."""
    if scheme_of(reference) not in _attaching:
        return reference, ""
    head, mark, tail = reference.partition(_ATTACH)
    return head, mark + tail


def absolute(reference: str) -> str:
    """The reference of the same database for a process in another folder."""
    if not _is_relative(reference):
        return reference
    try:
        path = os.path.join(os.getcwd(), _file_of(reference) or "")  # noqa: PTH109, PTH118 - quicker
    except OSError:
        # The folder is gone, and the file with it.
        return reference
    match = _URL.match(reference)
    return path if match is None else f"{match.group()}{quote(path)}{_split(reference)[1]}"


@lru_cache(maxsize=4_096)
def _is_relative(reference: str) -> bool:
    file = _file_of(reference)
    return file is not None and not file.is_absolute()


def with_database(url: str, name: str) -> str:
    """The URL of another database on the same server."""
    head, mark, options = url.partition("?")
    server = head.partition("://")
    return f"{server[0]}://{server[2].partition('/')[0]}/{name}{mark}{options}"


def is_at_hand(reference: str | None) -> bool:
    """Whether a database can be expected to answer: its file exists, or it is on a server."""
    if not reference:
        return False
    try:
        file = file_of(reference)
        return file is None or file.is_file()
    except (OSError, ValueError):
        return False


def check_reference(reference: str) -> str:
    """The reference, if it may stand in logs, without a driver that SQLAlchemy would use.

    Raises:
        UsageError: it is a URL with a password, or one that cannot be read; the message never
            repeats it.
    """
    reference = _DRIVER.sub(r"\1", reference)
    if not is_server(reference):
        if _SECRET.search(reference) and "=" in reference:
            raise UsageError(
                "a path or a URL is expected, such as postgresql://user@host/database, and not a "
                "connection string with a password. Put the password into "
                f"{_PASSWORD_HELP['postgresql']}"
            )
        scheme = scheme_of(reference)
        if scheme and not reference.partition("://")[2].strip("/"):
            raise UsageError(f"{reference} names no file; expected {scheme}:///FOLDER/FILE")
        attached_files(reference)
        return reference
    rest = reference.partition("://")[2]
    # Also where the password has signs that a URL must not hold: a slash, a question mark.
    has_password = "@" in rest and ":" in rest.rpartition("@")[0]
    if has_password or _SECRET.search(reference):
        scheme = scheme_of(reference)
        scheme = {"mariadb": "mysql", "postgres": "postgresql"}.get(scheme, scheme)
        source = _PASSWORD_HELP.get(scheme)
        raise UsageError(
            "the database URL holds a password, which would appear in logs. Remove it from the URL"
            + (f" and put it into {source}" if source else "")
        )
    try:
        urlsplit(reference)
    except ValueError as error:
        raise UsageError(f"the database URL cannot be read: {error}") from error
    return reference


def as_existing(reference: str) -> str:
    """A reference of a file that is there, where its URL can be read in two ways.

    ``duckdb:///a.duckdb`` is ``/a.duckdb`` here, and ``a.duckdb`` in the current folder to
    SQLAlchemy. Where only the second is there, it is meant. Four slashes are absolute to both.
    """
    scheme = scheme_of(reference)
    rest = reference[len(scheme) + len(_RELATIVE) :]
    if not scheme or not reference.startswith(_RELATIVE, len(scheme)) or rest.startswith("/"):
        return reference
    relative = f"{scheme}://{rest}"
    here, there = file_of(relative), file_of(reference)
    if here is None or there is None:
        return reference
    return relative if not _is_there(there) and _is_there(here) else reference


def _is_there(file: Path) -> bool:
    try:
        return file.exists()
    except (OSError, ValueError):
        return False
