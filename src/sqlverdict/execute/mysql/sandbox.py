"""What a text may not contain on MySQL and MariaDB, and what the server's errors mean.

Every query runs in a read-only transaction. Such a transaction still writes files (INTO OUTFILE),
reads them (LOAD_FILE), sleeps, locks, sets variables and sees other databases. All of that is
refused by name before the text is sent, and so is code in comments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from sqlverdict.execute.frozen_text import clock_use, clock_words
from sqlverdict.execute.lexemes import Lex, Lexeme, lexemes
from sqlverdict.execute.servers.refusals import (
    holds_any,
    query_refusal,
    shortest,
    timed_out,
    write_blocked,
)
from sqlverdict.execute.servers.session import unavailable
from sqlverdict.parse.measure import MOST_LEVELS
from sqlverdict.parse.tokens import word_set
from sqlverdict.records import Failure, Reason

DIALECT: Final = "mysql"
_WRITERS = word_set(
    "alter analyze begin binlog cache call change check checksum commit create deallocate delete "
    "delimiter do drop execute flush grant handler import insert install kill load lock "
    "optimize prepare purge release rename repair replace reset resignal revoke rollback "
    "savepoint set shutdown signal start stop truncate uninstall unlock update use xa"
)
_PLANS = word_set("desc describe explain help show")
_BLOCKED_WORDS = word_set("delete into procedure update")
"""Reserved words that no reading query contains: SELECT ... INTO, PROCEDURE ANALYSE, FOR UPDATE."""
_BLOCKED_STARTS = word_set("insert replace")
"""Words that are functions where a parenthesis follows, and statements where none does."""
BLOCKED_FUNCTIONS: Final = word_set(
    "benchmark get_lock is_free_lock is_used_lock last_insert_id lastval lib_mysqludf_sys_info "
    "load_file master_gtid_wait master_pos_wait nextval release_all_locks release_lock setval "
    "sleep source_pos_wait sys_bineval sys_eval sys_exec sys_get sys_set "
    "wait_for_executed_gtid_set wait_until_sql_thread_after_gtids"
)
SYSTEM: Final = word_set("information_schema mysql performance_schema sys")
_TABLES_FOLLOW = word_set("from join straight_join")
_CLAUSES = _TABLES_FOLLOW | word_set(
    "select where on using group having order limit window union except intersect"
)
_SESSION_FUNCTIONS = word_set("connection_id found_rows row_count")
_SUSPICIOUS = _BLOCKED_WORDS | _BLOCKED_STARTS | BLOCKED_FUNCTIONS | SYSTEM | {"lock", "share"}
_MAY_CHANGE: Final = shortest(clock_words(DIALECT) | _SESSION_FUNCTIONS)
"""In every text that names a function which reads the clock, chance or the connection."""
_SIGNS = re.compile(r";(?!\s*\Z)|/\*|--|[@#\x00]")
_WORDS = re.compile(r"[\w$]+")
_HINT = re.compile(r"set_var|max_execution_time|resource_group", re.IGNORECASE)


def refusal(sql: str, others: frozenset[str] = frozenset()) -> Failure | None:
    """Why a text is not sent to the server; ``None`` where it may be.

    Args:
        sql: The text.
        others: The names of the other databases on the server, in lower case.
    """
    if _is_plain(sql, others):
        return None
    parts, reply = solid_parts(sql)
    if reply is not None:
        return reply
    reply = query_refusal(parts, _WRITERS, _PLANS)
    if reply is not None:
        return reply
    if _depth(parts) > MOST_LEVELS:
        return Failure(Reason.PARSE_ERROR, f"nested deeper than {MOST_LEVELS} levels")
    return _blocked_part(parts, others)


def solid_parts(sql: str) -> tuple[list[Lexeme], Failure | None]:
    """A text without gaps and without semicolons at its end; and why its comments are refused."""
    parts: list[Lexeme] = []
    for part in _lexemes(sql):
        if part.kind is not Lex.GAP:
            parts.append(part)
        elif part.text.startswith(("/*!", "/*M!")):
            return parts, write_blocked("code in a comment (/*! ... */)")
        elif part.text.startswith("/*+") and _HINT.search(part.text):
            return parts, write_blocked("a hint that changes settings")
    while parts and parts[-1].text == ";":
        parts.pop()
    return parts, None


def _is_plain(sql: str, others: frozenset[str]) -> bool:
    """Whether a text is sure to be a reading query: no word or sign in it tells otherwise.

    To cut a text into lexemes takes longer than many a query.
    """
    if _SIGNS.search(sql) or sql.count("(") > MOST_LEVELS:
        return False
    text = sql.lower()
    # A word may stand right behind a number: 1e0INTO.
    return text.lstrip(" \t\r\n(").startswith("select") and not holds_any(text, _suspicious(others))


@lru_cache(maxsize=32)
def _suspicious(others: frozenset[str]) -> tuple[str, ...]:
    return shortest(_SUSPICIOUS | others)


def words_in(sql: str) -> set[str]:
    """Every word in a text in lower case, whatever it is: code, a name, or in a string."""
    return set(_WORDS.findall(sql.lower()))


@lru_cache(maxsize=8)
def _lexemes(sql: str) -> tuple[Lexeme, ...]:
    """A query is looked at several times before it is sent."""
    return tuple(lexemes(sql, DIALECT))


def may_change(sql: str, *, frozen: bool) -> bool:
    """Whether a text reads chance, the connection, or a clock that is not frozen."""
    if not holds_any(sql.lower(), _MAY_CHANGE):
        return False
    use = clock_use(sql, DIALECT)
    return use.chance or (use.reads and not frozen) or bool(_SESSION_FUNCTIONS & names_in(sql))


def names_in(sql: str) -> frozenset[str]:
    """Every name in a text in lower case, quoted or not."""
    return frozenset(
        part.name.lower() for part in _lexemes(sql) if part.kind in (Lex.WORD, Lex.NAME)
    )


def _depth(parts: Sequence[Lexeme]) -> int:
    depth = most = 0
    for part in parts:
        depth += (part.text == "(") - (part.text == ")")
        most = max(most, depth)
    return most


def _blocked_part(parts: Sequence[Lexeme], others: frozenset[str]) -> Failure | None:
    names = [part.name.lower() if part.kind in (Lex.WORD, Lex.NAME) else "" for part in parts]
    behind = [part.text for part in parts[1:]] + [""]
    before = ["", *(part.text.lower() for part in parts[:-1])]
    for index, part in enumerate(parts):
        name, next_text = names[index], behind[index]
        if part.text == "@":
            return write_blocked("variables (@)")
        if not name or (before[index] == "." and next_text != "("):
            continue
        if part.kind is Lex.WORD:
            if name in _BLOCKED_WORDS or (name in _BLOCKED_STARTS and next_text != "("):
                return write_blocked(name.upper())
            if (name, next_text.lower()) in (("for", "share"), ("lock", "in")):
                return write_blocked("locks")
        if next_text == "(" and name in BLOCKED_FUNCTIONS:
            return write_blocked(f"{name}()")
        if next_text == "." and (
            name in SYSTEM or (name in others and _is_database(parts, names, index))
        ):
            return write_blocked(f"the database {name}")
    return None


def _is_database(parts: Sequence[Lexeme], names: Sequence[str], index: int) -> bool:
    """Whether a name before a dot is a database: it stands for a table, or is no alias."""
    stands_for_table = [False]
    for part, before in zip(parts[:index], ["", *(part.text for part in parts)], strict=False):
        if part.text == "(":
            stands_for_table.append(stands_for_table[-1])
        elif part.text == ")" and len(stands_for_table) > 1:
            stands_for_table.pop()
        elif part.kind is Lex.WORD and before != "." and part.name in _CLAUSES:
            stands_for_table[-1] = part.name in _TABLES_FOLLOW
    if stands_for_table[-1]:
        return True
    behind = [*(part.text for part in parts[1:]), ""]
    return all(behind[other] == "." for other, name in enumerate(names) if name == names[index])


_PARSE_ERRORS: Final = frozenset({1064, 1149, 1436, 1463, 3104})
"""Syntax; and a text so deep that the server's stack does not hold it."""
_MEMORY_ERRORS: Final = frozenset({5, 1037, 1038, 1041, 1114, 1153, 1301})
_TIME_ERRORS: Final = frozenset({1317, 1969, 3024})
_UNAVAILABLE_ERRORS: Final = frozenset(
    {3, 9, 23, 24, 28, 1021, 1016, 1017, 1034, 1105, 1194, 1195, 1205, 1213}
)
_DENIED: Final = frozenset({1044, 1142, 1143, 1227, 1290, 1370, 1792})


def failure_of(number: int, message: str, seconds: float, limit: float) -> Failure:
    """Name what the server said.

    Args:
        number: The number of the error.
        message: Its message.
        seconds: How long the query ran.
        limit: The time limit in seconds.
    """
    if number in _TIME_ERRORS:
        return timed_out(limit, seconds)
    if number in _UNAVAILABLE_ERRORS:
        return unavailable(f"the database cannot be read: {message}")
    if number in _PARSE_ERRORS:
        return Failure(Reason.PARSE_ERROR, message)
    if number in _MEMORY_ERRORS or "max-session-mem-used" in message:
        return Failure(Reason.MEMORY_LIMIT, f"the engine's memory limit was reached: {message}")
    if number in _DENIED:
        return Failure(Reason.WRITE_BLOCKED, f"only reading is allowed; blocked: {message}")
    return Failure(Reason.EXECUTION_ERROR, message, seconds=seconds)
