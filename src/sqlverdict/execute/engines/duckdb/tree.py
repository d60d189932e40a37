"""What a query may do, decided on the tree that DuckDB itself makes of the text.

A text without any suspicious word is not looked at: the words are those of the whole text, whatever
stands in quotes or comments, so no two readers can disagree about it. For all others DuckDB's own
parser gives its tree (``json_serialize_sql``), and every part of it must be of a kind that is
allowed. The engine then gets the text that was parsed: guard and engine are one parser in one
process with one set of settings, which are locked, and DuckDB runs the statement that this parser
made. Nothing is written anew: DuckDB's writer of trees loses parts (``SHOW TABLES`` comes back as
``DESCRIBE "tables"``), and its reader would have to be trusted in addition.

``PIVOT`` without a list of values is several statements inside, of which DuckDB gives no tree, and
statements that write a copy have none either: there no suspicious name may stand where a call
could be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import duckdb
import msgspec
from duckdb import DuckDBPyConnection

from sqlverdict.execute.attempt import write_blocked
from sqlverdict.execute.engines.duckdb.names import names, words_of
from sqlverdict.parse.tokens import word_set
from sqlverdict.records import Failure, Reason

_NODES = word_set("CTE_NODE RECURSIVE_CTE_NODE SELECT_NODE SET_OPERATION_NODE")
_SOURCES = word_set(
    "BASE_TABLE COLUMN_DATA EMPTY EMPTY_FROM EXPRESSION_LIST JOIN PIVOT SUBQUERY TABLE_FUNCTION"
)
_EXPRESSIONS = word_set(
    "BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION LAMBDA "
    "LAMBDA_REF OPERATOR PARAMETER POSITIONAL_REFERENCE STAR SUBQUERY TYPE WINDOW"
)
_ROLES = frozenset({"from_table", "left", "right", "source"})
_NODE, _WRITE = "_NODE", "_QUERY_NODE"
_SHOW = "SHOW_REF"
_TABLE_CALL = "function of a table"
_NO_SELECT = "not implemented"


def tree_refusal(connection: DuckDBPyConnection, sql: str) -> Failure | None:
    """Why one query is not run; ``None`` where all of it is allowed.

    Args:
        connection: The session in which it is to run.
        sql: The query, which DuckDB has parsed before.
    """
    if names().suspicious.isdisjoint(words_of(sql)):
        return None
    try:
        row = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    except duckdb.Error:
        return text_refusal(sql)
    tree = msgspec.json.decode(row[0]) if row is not None else {"error": True}
    if tree.get("error"):
        if tree.get("error_type", _NO_SELECT) == _NO_SELECT:
            return text_refusal(sql)
        return Failure(Reason.PARSE_ERROR, str(tree.get("error_message")))
    return next(_refusals(tree["statements"]), None)


def text_refusal(sql: str) -> Failure | None:
    """Why a statement without a tree is not run: a name stands where it might be a call."""
    words = words_of(sql)
    table = min(names().tables & words, default=None)
    if table is not None:
        return write_blocked(table)
    if names().table_functions.isdisjoint(words):
        return None
    call = _calls().search(sql.lower())
    return write_blocked(f"function {call[1]}()") if call is not None else None


@lru_cache(maxsize=1)
def _calls() -> re.Pattern[str]:
    """A blocked name with nothing but space, a quote or a comment before a bracket."""
    either = "|".join(map(re.escape, sorted(names().table_functions)))
    return re.compile(rf'\b({either})\b"?[^!-~]*(?:\(|/\*|--)')


def _refusals(tree: Any) -> Iterator[Failure]:
    """What is wrong with a tree, part by part. No recursion: its depth is the text's choice."""
    waiting: list[tuple[str, Any]] = [("", tree)]
    while waiting:
        role, part = waiting.pop()
        if isinstance(part, list):
            waiting += [(role, each) for each in part]
        elif isinstance(part, dict):
            failure = _refusal(role, part)
            if failure is not None:
                yield failure
            called = _kind(part) == "TABLE_FUNCTION"
            for key, each in part.items():
                waiting.append((_TABLE_CALL if called and key == "function" else key, each))


def _kind(part: dict[str, Any]) -> str:
    kind = part.get("type")
    return kind if isinstance(kind, str) else ""


def _refusal(role: str, part: dict[str, Any]) -> Failure | None:
    """Why one part is not allowed."""
    kind, group = _kind(part), part.get("class")
    if kind.endswith(_WRITE):
        return write_blocked(kind.removesuffix(_WRITE))
    if kind == _SHOW:
        text = "DESCRIBE, SHOW or SUMMARIZE gives a description, not an answer"
        return Failure(Reason.UNSUPPORTED_FEATURE, text)
    if isinstance(group, str):
        if group not in _EXPRESSIONS:
            return _unknown(group)
        name = str(part.get("function_name", "")).lower()
        calls_table = role == _TABLE_CALL
        if name in (names().table_functions if calls_table else names().functions):
            return write_blocked(f"function {name}()")
        if part.get("export_state"):
            return write_blocked("EXPORT_STATE")
    elif (role in _ROLES or kind.endswith(_NODE)) and kind not in _NODES | _SOURCES | {""}:
        return _unknown(kind)
    if kind == "BASE_TABLE":
        table = str(part.get("table_name", "")).lower()
        if table in names().tables:
            return write_blocked(table)
    return None


def _unknown(what: str) -> Failure:
    text = f"the guard does not know this part of a query: {what}"
    return Failure(Reason.UNSUPPORTED_FEATURE, text)
