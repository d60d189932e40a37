"""What a text may not contain on MySQL and MariaDB, and what the server's errors mean.

Every query runs in a read-only transaction. Such a transaction still writes files (INTO OUTFILE),
reads them (LOAD_FILE), sleeps, locks, sets variables and sees other databases. All of that is
refused among the tokens of the text, and the server gets those tokens (``spelling``), never the
text. A function must be known to be harmless, and a table must be of this database.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from sqlverdict.execute.attempt import out_of_memory, timed_out, unavailable, write_blocked
from sqlverdict.execute.engines.mysql.functions import BLOCKED_FUNCTIONS, FUNCTIONS, KEYWORDS, TYPES
from sqlverdict.execute.engines.mysql.spelling import LONGEST_IN_CACHE, spelling_of
from sqlverdict.execute.frozen_text import clock_use, clock_words
from sqlverdict.execute.lexemes import Lex, Lexeme, lexemes, solid_lexemes
from sqlverdict.execute.servers.reader import PREFIX
from sqlverdict.execute.servers.refusals import holds_any, query_refusal, shortest
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
_BLOCKED_WORDS = word_set(
    "current_role current_user delete into procedure sql_calc_found_rows update"
)
"""Words that no reading query contains: SELECT ... INTO, PROCEDURE ANALYSE, FOR UPDATE."""
_BLOCKED_STARTS = word_set("insert replace")
"""Words that are functions where a parenthesis follows, and statements where none does."""
_BLOCKED_PAIRS: Final = {
    ("for", "share"): "locks",
    ("lock", "in"): "locks",
    ("value", "for"): "sequences",
}
_SUSPICIOUS = _BLOCKED_WORDS | _BLOCKED_STARTS | {word for word, _ in _BLOCKED_PAIRS}
_JOINS = word_set("join straight_join")
_ENDS = word_set("where having limit union")
_CLAUSES = word_set("group order")
_STRUCTURE = _JOINS | _ENDS | _CLAUSES | word_set("select from on table")
"""Reserved words, whatever the server: where one stands, tables begin or end to stand."""
_TABLES_FOLLOW = _JOINS | {"from", "table", ",", "("}
_SESSION_FUNCTIONS = word_set("connection_id database found_rows row_count schema")
"""What tells of the connection, or tells a database of ours from the real one."""
_MAY_CHANGE: Final = shortest(clock_words(DIALECT) | _SESSION_FUNCTIONS)
"""In every text that names a function which reads the clock, chance or the connection."""


class Reach(NamedTuple):
    """What a query may name.

    Attributes:
        database: The name of its database.
        folds_case: Whether upper and lower case are the same in names of databases.
        functions: The functions of this database that run with the rights of who calls them, and
            set nothing in the session; in lower case, as the others.
        owned: Those that run with the rights of their owner.
        setters: Those that set variables of the session.
    """

    database: str = ""
    folds_case: bool = False
    functions: frozenset[str] = frozenset()
    owned: frozenset[str] = frozenset()
    setters: frozenset[str] = frozenset()

    def is_here(self, name: str) -> bool:
        """Whether a name before a table's is that of this database."""
        if self.folds_case:
            return name.lower() == self.database.lower()
        return name == self.database


NOWHERE: Final = Reach()
_WORD, _NAME = Lex.WORD, Lex.NAME


def canonical(sql: str, reach: Reach = NOWHERE) -> str | Failure:
    """The text that is sent for a query, or why nothing is sent.

    Args:
        sql: The untrusted text.
        reach: What it may name.
    """
    return _canonical_once(sql, reach) if len(sql) <= LONGEST_IN_CACHE else _canonical(sql, reach)


def _canonical(sql: str, reach: Reach) -> str | Failure:
    spelling = spelling_of(sql)
    if isinstance(spelling, Failure):
        return spelling
    parts = spelling.parts
    reply = query_refusal(parts, _WRITERS, _PLANS)
    if reply is None:
        reply = _blocked_part(parts, reach)
    return spelling.text if reply is None else reply


_canonical_once = lru_cache(maxsize=256)(_canonical)
"""A query is often run several times, on one database or on many instances."""


def may_change(sql: str, *, frozen: bool) -> bool:
    """Whether a text reads chance, the connection, or a clock that is not frozen."""
    if not holds_any(sql.lower(), _MAY_CHANGE):
        return False
    use = clock_use(sql, DIALECT)
    return use.chance or (use.reads and not frozen) or reads_session(sql)


def reads_session(sql: str) -> bool:
    """Whether a text asks for its connection, or for the name of its database."""
    spelling = spelling_of(sql)
    parts = solid_lexemes(sql, DIALECT) if isinstance(spelling, Failure) else spelling.parts
    return any(
        part.kind in (Lex.WORD, Lex.NAME)
        and part.name.lower() in _SESSION_FUNCTIONS
        and behind.text == "("
        for part, behind in pairwise(parts)
    )


def names_in(sql: str) -> frozenset[str]:
    """Every name in a text in lower case, quoted or not."""
    spelling = spelling_of(sql)
    parts = lexemes(sql, DIALECT) if isinstance(spelling, Failure) else spelling.parts
    return frozenset(part.name.lower() for part in parts if part.kind in (Lex.WORD, Lex.NAME))


class _TablePosition:
    """What stands between two parentheses, as far as it was read.

    Attributes:
        tables: Tables stand here: a name before a dot is a database.
        joins: This is the condition of a join; a comma ends it, and tables follow.
        selects: SELECT stood here, so that FROM is not a part of a function's arguments.
    """

    __slots__ = ("joins", "selects", "tables")

    def __init__(self, *, tables: bool = False) -> None:
        self.tables = tables
        self.joins = False
        self.selects = False

    def read(self, word: str, before: str, behind: str) -> None:
        """Go on behind a reserved word. In doubt tables go on: they are held to more."""
        if word == "select":
            self.tables, self.joins, self.selects = False, False, True
        elif word == "from":
            self.tables, self.joins = self.tables or self.selects, False
        elif word == "table":
            self.tables = True
        elif word == "on":
            self.tables, self.joins = False, self.tables or self.joins
        elif word in _JOINS:
            self.tables, self.joins = self.tables or self.joins, False
        elif word in _ENDS or (behind == "by" and before != "for"):
            # An index is used FOR ORDER BY, and more tables follow.
            self.tables = self.joins = False


def _blocked_part(parts: Sequence[Lexeme], reach: Reach) -> Failure | None:
    nesting = [_TablePosition()]
    texts = ["", *(part.text.lower() for part in parts), "", "", ""]
    for index, part in enumerate(parts):
        kind, text = part[0], texts[index + 1]
        if kind is not _WORD and kind is not _NAME:
            if text == "(":
                position, before = nesting[-1], texts[index]
                nesting.append(_TablePosition(tables=position.tables and before in _TABLES_FOLLOW))
                if len(nesting) > MOST_LEVELS + 1:
                    message = f"nested deeper than {MOST_LEVELS} levels"
                    return Failure(Reason.PARSE_ERROR, message)
            elif text == ")":
                if len(nesting) > 1:
                    nesting.pop()
            elif text == "," and nesting[-1].joins:
                nesting[-1].tables, nesting[-1].joins = True, False
            continue
        before, behind, position = texts[index], texts[index + 2], nesting[-1]
        reply = None
        if before == ".":
            if behind == "(":
                reply = write_blocked("functions of other databases")
        elif behind == ".":
            reply = _qualifier(part, position.tables or texts[index + 4] == ".", reach)
        else:
            if kind is _WORD:
                if text in _STRUCTURE:
                    position.read(text, before, behind)
                if text in _SUSPICIOUS:
                    reply = _blocked_word(text, behind)
            if reply is None and behind == "(":
                reply = _call(parts, index, reach)
        if reply is not None:
            return reply
    return None


def _qualifier(part: Lexeme, is_database: bool, reach: Reach) -> Failure | None:
    """Why a name before a dot is refused."""
    if part.kind is Lex.WORD and part.name in _STRUCTURE:
        return Failure(Reason.PARSE_ERROR, f"a reserved word before a dot: {part.text}")
    name = part.text if part.kind is Lex.WORD else part.name
    if is_database and not reach.is_here(name):
        message = f"{name[:64]} is another database than that of the URL, which alone is read"
        return Failure(Reason.WRITE_BLOCKED, message)
    return None


def _blocked_word(word: str, behind: str) -> Failure | None:
    if word in _BLOCKED_WORDS or (word in _BLOCKED_STARTS and behind != "("):
        return write_blocked(word.upper())
    what = _BLOCKED_PAIRS.get((word, behind))
    return None if what is None else write_blocked(what)


def _call(parts: Sequence[Lexeme], index: int, reach: Reach) -> Failure | None:
    """Why what stands before a parenthesis is refused."""
    part = parts[index]
    name = part.name.lower()
    if name in reach.owned:
        return write_blocked(
            f"{name}(), which runs with the rights of its owner; an administrator can say "
            f"ALTER FUNCTION {name} SQL SECURITY INVOKER"
        )
    if name in reach.setters:
        return write_blocked(f"{name}(), which sets variables for the queries after it")
    if part.kind is Lex.WORD and (name in KEYWORDS or name in TYPES):
        return None
    # A letter beyond ASCII may become one of ASCII in lower case.
    if part.text.isascii() and (name in FUNCTIONS or name in reach.functions):
        return None
    if name in BLOCKED_FUNCTIONS:
        return write_blocked(f"{name}()")
    if _has_column_list(parts, index):
        return None
    return Failure(
        Reason.EXECUTION_ERROR, f"the function {name[:64]} does not exist, or may not be called"
    )


def _has_column_list(parts: Sequence[Lexeme], index: int) -> bool:
    """Whether names of columns stand behind: ``w (a, b) AS (``, or ``AS t (a, b)``."""
    if index and parts[index - 1].kind is Lex.WORD and parts[index - 1].name == "as":
        return True
    at = index + 2
    while at + 1 < len(parts) and parts[at].kind in (Lex.WORD, Lex.NAME):
        if parts[at + 1].text == ")":
            rest = [part.text.lower() for part in parts[at + 2 : at + 4]]
            return rest == ["as", "("]
        if parts[at + 1].text != ",":
            return False
        at += 2
    return False


_PARSE_ERRORS: Final = frozenset({1064, 1149, 1436, 1463, 3104})
"""Syntax; and a text so deep that the server's stack does not hold it."""
_MEMORY_ERRORS: Final = frozenset({3, 5, 28, 1021, 1037, 1038, 1041, 1114, 1135, 1153, 1301})
"""Memory, temporary tables and the disk that they lie on."""
_MEMORY_WORDS: Final = ("max-session-mem-used", "memory limit", "temporary space limit")
_TIME_ERRORS: Final = frozenset({1317, 1969, 3024})
_UNAVAILABLE_ERRORS: Final = frozenset({9, 23, 24, 1016, 1017, 1034, 1194, 1195, 1205, 1213})
"""States of the server that no reading text brings about: damaged or missing files, locks."""
_NO_ROUTINE: Final = 1370
_READER: Final = re.compile(rf"'?{re.escape(PREFIX)}[0-9a-f]+'?(?:@'[^']*')?")
"""The short-lived user in a message; its name is another one next time."""
_ROUTINE: Final = re.compile(r"\.(\w+)'\Z")
_DENIED: Final = frozenset({1044, 1142, 1143, 1227, 1290, 1370, 1792})


def failure_of(number: int, message: str, seconds: float, limit: float) -> Failure:
    """The failure for an error of the server: its reason and message.

    Args:
        number: The number of the error.
        message: Its message.
        seconds: How long the query ran.
        limit: The time limit in seconds.
    """
    message = _READER.sub("the reader", message)
    if number in _TIME_ERRORS:
        return timed_out(limit, seconds)
    if number in _UNAVAILABLE_ERRORS:
        return unavailable(f"the database cannot be read: {message}")
    if number in _PARSE_ERRORS:
        return Failure(Reason.PARSE_ERROR, message)
    if number in _MEMORY_ERRORS or holds_any(message.lower(), _MEMORY_WORDS):
        return out_of_memory(message)
    routine = _ROUTINE.search(message)
    if number == _NO_ROUTINE and routine is not None and routine[1].lower() in FUNCTIONS:
        # A function that the other server has: it is looked for among those of the database.
        return Failure(Reason.EXECUTION_ERROR, f"the function {routine[1]} does not exist")
    if number in _DENIED and not message.startswith("SELECT "):
        return write_blocked(message)
    return Failure(Reason.EXECUTION_ERROR, message, seconds=seconds)
