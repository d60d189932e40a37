"""What a text may not contain on PostgreSQL, and what the server's errors mean.

A text is read by the server's own parser and written anew; that text alone is sent. It must be one
SELECT, WITH, VALUES or TABLE that writes, locks and stores nothing, made of nodes that are listed
(``guard/parser.py``). A query could still read files, sleep, lock, notify and set options through
functions, and settings through relations: those are refused by name (``guard/names.py``), before
the text is sent; ``catalogue.py`` adds the names that the server knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sqlverdict.execute.attempt import NO_SQL, SEVERAL, unavailable, write_blocked
from sqlverdict.execute.engines.postgres.guard.contents import (
    Contents,
    DepthError,
    NodeError,
    contents,
)
from sqlverdict.execute.engines.postgres.guard.names import (
    BLOCKED_TYPES,
    is_blocked_function,
    is_blocked_relation,
)
from sqlverdict.execute.engines.postgres.guard.parser import (
    QUERY_NODES,
    ParserError,
    Tree,
    parse_statements,
)
from sqlverdict.execute.lexemes import Lex, solid_lexemes
from sqlverdict.execute.servers.refusals import query_refusal
from sqlverdict.parse.tokens import word_set
from sqlverdict.records import Failure, Reason

DIALECT: Final = "postgres"
_WRITERS = word_set(
    "abort alter analyze begin call checkpoint close cluster comment commit copy create deallocate "
    "declare delete discard do drop end execute fetch grant import insert listen load lock merge "
    "move notify prepare reassign refresh reindex release reset revoke rollback savepoint security "
    "set start truncate unlisten update vacuum"
)
_PLANS = word_set("explain show")
_PLAN_NODES: Final = {"ExplainStmt": "EXPLAIN", "VariableShowStmt": "SHOW"}
_CLAUSES: Final = {
    "LockingClause": "FOR UPDATE or FOR SHARE",
    "SelectStmt.intoClause": "SELECT ... INTO",
    "DeleteStmt": "WITH ... DELETE",
    "InsertStmt": "WITH ... INSERT",
    "UpdateStmt": "WITH ... UPDATE",
    "MergeStmt": "WITH ... MERGE",
}
_SHORT: Final = 20_000
"""Characters of a text that is kept with what it says."""
_WORD: Final = re.compile(r"[a-z_][a-z0-9_$]*")


@dataclass(frozen=True)
class Reading:
    """A text as it is sent, and what it names.

    Attributes:
        text: The text, as the parser writes it.
        contents: Its functions, relations and types.
        writes: It is no query, but a statement that may write.
    """

    text: str
    contents: Contents
    writes: bool = False


def canonical(sql: str) -> str | Failure:
    """The text that is sent to a server for a query; a failure where none is.

    The catalogue of a database may still refuse it, for a function that is the database's own.
    """
    reading = read(sql)
    if isinstance(reading, Failure):
        return reading
    failure = blocked_name(reading.contents)
    return reading.text if failure is None else failure


def read(sql: str) -> Reading | Failure:
    """A query as it is sent, or why it is not; its names are not looked at.

    Raises:
        MissingExtra: the parser is not installed.
    """
    return _read_once(sql) if len(sql) <= _SHORT else _read(sql)


def parse_text(sql: str) -> Tree | Failure:
    """The tree of a text, or why there is none.

    Raises:
        MissingExtra: the parser is not installed.
    """
    try:
        text = sql.encode()
    except UnicodeEncodeError as error:
        return Failure(Reason.PARSE_ERROR, f"the SQL text cannot be sent: {error}")
    if b"\0" in text:
        return Failure(Reason.PARSE_ERROR, "the SQL text contains a NUL byte")
    try:
        tree = parse_statements(sql)
    except ParserError as error:
        reason = Reason.PARSE_ERROR if error.is_syntax else Reason.UNSUPPORTED_FEATURE
        return Failure(reason, str(error))
    return tree if tree.statements else NO_SQL


def _read(sql: str) -> Reading | Failure:
    tree = parse_text(sql)
    if isinstance(tree, Failure):
        return _more_precise(sql, tree)
    kind, statement = tree.statements[0]
    if kind in _PLAN_NODES:
        message = f"{_PLAN_NODES[kind]} describes a query and does not answer"
        return Failure(Reason.UNSUPPORTED_FEATURE, message)
    if kind != "SelectStmt":
        return write_blocked(tree.text.split(maxsplit=1)[0].upper())
    if len(tree.statements) > 1:
        return SEVERAL
    try:
        result = contents(kind, statement, QUERY_NODES)
    except NodeError as error:
        return write_blocked(_CLAUSES.get(error.node, error.node))
    except DepthError:
        return Failure(Reason.PARSE_ERROR, "the text is nested too deeply")
    return Reading(tree.text, result)


_read_once = lru_cache(maxsize=512)(_read)


def _more_precise(sql: str, failure: Failure) -> Failure:
    """What a text that the parser does not accept seems to be: a command, several statements."""
    if failure.reason is not Reason.PARSE_ERROR or len(sql) > _SHORT:
        return failure
    parts = solid_lexemes(sql, DIALECT)
    while parts and parts[-1].text == ";":
        parts.pop()
    reply = query_refusal(parts, _WRITERS, _PLANS)
    return failure if reply is None or reply.reason is Reason.PARSE_ERROR else reply


def blocked_name(result: Contents, own: frozenset[str] = frozenset()) -> Failure | None:
    """The refusal of the first name that no text may use.

    Args:
        result: What a text names.
        own: Names that begin as the server's do, and are of the database's own.
    """
    functions = {name for _, name in result.functions} | result.members
    for name in sorted(functions - own):
        if is_blocked_function(name):
            return write_blocked(f"{name}()")
    for schema, name in sorted(result.relations):
        if is_blocked_relation(schema, name) and (schema or name not in own):
            return write_blocked(f"{schema}.{name}" if schema else name)
    for name in sorted(result.types & BLOCKED_TYPES):
        return write_blocked(f"the type {name}")
    return None


@lru_cache(maxsize=8)
def words_of(text: str) -> frozenset[str]:
    """Every word of a text, those in strings too."""
    return frozenset(_WORD.findall(text.lower()))


def names_in(sql: str) -> frozenset[str]:
    """Every name in a text that the parser wrote, quoted or not; more where they are easily told.

    It holds no comments, no escapes but a doubled backslash, and no strings in dollars.
    """
    if sql.isascii() and '"' not in sql:
        return words_of(sql)
    parts = solid_lexemes(sql, DIALECT)
    return frozenset(part.name for part in parts if part.kind in (Lex.WORD, Lex.NAME))


_REASONS: Final = {
    "25006": Reason.WRITE_BLOCKED,  # a read-only transaction
    "42P11": Reason.WRITE_BLOCKED,  # a cursor over what writes
    "42601": Reason.PARSE_ERROR,
    "42P02": Reason.PARSE_ERROR,
    "08P01": Reason.PARSE_ERROR,  # $1 without a value
    "42622": Reason.PARSE_ERROR,
    "54001": Reason.PARSE_ERROR,  # the stack is not deep enough
    "54011": Reason.PARSE_ERROR,
    "54023": Reason.PARSE_ERROR,
    "54000": Reason.MEMORY_LIMIT,
    "53200": Reason.MEMORY_LIMIT,
    "53400": Reason.MEMORY_LIMIT,
    "53100": Reason.MEMORY_LIMIT,
}
_WRITES: Final = re.compile(r' INTO |"(?i:insert|update|delete|merge)"')
_FULL_SERVER: Final = frozenset({"53100", "53200"})
"""A full disk and a full memory: another machine, or another moment, has more."""
_UNAVAILABLE: Final = ("55P03", "58", "XX001", "XX002", "53300")
"""A lock that somebody holds, a disk that fails, data that are damaged."""


def failure_of(state: str, message: str, seconds: float) -> Failure:
    """The failure for an error of the server: its reason and message.

    Args:
        state: The SQLSTATE of the error.
        message: Its message.
        seconds: How long the query ran.
    """
    if state.startswith(_UNAVAILABLE):
        return unavailable(f"the database cannot be read: {message}")
    reason = _REASONS.get(state, Reason.EXECUTION_ERROR)
    if "memory alloc request size" in message or "enlarge string buffer" in message:
        reason = Reason.MEMORY_LIMIT
    # Keywords are in every language's messages: a cursor over WITH ... DELETE, over SELECT INTO,
    # and a syntax error at the verb of WITH ... UPDATE.
    if _WRITES.search(message) if state == "42601" else state == "0A000" and "DECLARE" in message:
        reason = Reason.WRITE_BLOCKED
    if reason is Reason.WRITE_BLOCKED:
        message = f"only reading is allowed; blocked: {message}"
    elif reason is Reason.MEMORY_LIMIT:
        message = f"the engine's memory limit was reached: {message}"
    return Failure(reason, message, seconds=seconds, repeatable=state not in _FULL_SERVER)
