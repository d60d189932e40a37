"""DuckDB's own tree of a text, without a database, and the parts of such trees.

``json_serialize_sql`` gives the tree. It is read here without the places in the text and without
what is empty, so that two trees are equal where DuckDB's parser read the same. Keys that begin with
``#`` are ours: what is known of a part, which no text shows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import duckdb
import msgspec
from duckdb import DuckDBPyConnection

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.common_text import NoCommonText
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.duckdb.connect import open_empty, set_guards
from sqlverdict.execute.engines.duckdb.guard import not_a_query
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.tokens import fold, word_set

Node = dict[str, Any]
"""A part of a tree."""

LONGEST = 8_000
"""Characters; a longer text is not worth the time."""
_PLACES = word_set("query_location query_location_length is_operator is_implicit export_state")
_NO_ORDER = {"type": "ORDER_MODIFIER"}
_KNOWN = "#"


@lru_cache(maxsize=1)
def _connection(process: int) -> DuckDBPyConnection:
    """An empty database under every guard; each process has one of its own."""
    del process
    connection = open_empty(Limits())
    set_guards(connection, None)
    return connection


def first_row(statement: str, *parameters: str) -> tuple[Any, ...] | None:
    """The first row of a statement of ours on an empty database.

    Raises:
        duckdb.Error: DuckDB refuses it.
    """
    row: tuple[Any, ...] | None = (
        _connection(os.getpid()).cursor().execute(statement, parameters).fetchone()
    )
    return row


def parse_tree(sql: str) -> Node:
    """The tree of one query.

    Raises:
        NoCommonText: DuckDB's parser reads something else, or gives no tree.
    """
    node: Node = _plain(_statement(sql))["node"]
    return node


def require_one_query(sql: str) -> None:
    """Refuse what :func:`parse_tree` refuses.

    Raises:
        NoCommonText: DuckDB's parser reads something else, or gives no tree.
    """
    _statement(sql)


def _statement(sql: str) -> Node:
    if len(sql) > LONGEST or not_a_query(sql) is not None:
        raise NoCommonText("a text that is too long, or no query")
    try:
        tree = _serialized(sql)
    except (duckdb.Error, DatabaseError, msgspec.DecodeError) as error:
        # Infinity has no place in JSON.
        raise NoCommonText("a text that DuckDB cannot read") from error
    if tree.get("error") or len(tree["statements"]) != 1:
        raise NoCommonText("a statement of which DuckDB gives no tree")
    statement: Node = tree["statements"][0]
    return statement


def syntax_error(sql: str) -> str | None:
    """What the parser holds against a text; ``None`` where it reads it, or gives no tree of it."""
    if len(sql) > LONGEST or not_a_query(sql) is not None:
        return None
    try:
        tree = _serialized(sql)
    except (duckdb.Error, DatabaseError, msgspec.DecodeError):
        return None
    return str(tree["error_message"]) if tree.get("error_type") == "parser" else None


@lru_cache(maxsize=32)
def _serialized(sql: str) -> Node:
    """What DuckDB says of a text: its tree, which nobody changes, or the parser's error."""
    row = first_row("SELECT json_serialize_sql(?)", sql)
    try:
        tree: Node = msgspec.json.decode(row[0]) if row is not None else {"error": True}
    except msgspec.DecodeError:
        # An endless number is no JSON.
        return {"error": True}
    return tree


def _plain(part: Any) -> Any:
    if isinstance(part, list):
        return [_plain(each) for each in part]
    if not isinstance(part, dict):
        return part
    plain = {key: _plain(each) for key, each in part.items() if key not in _PLACES}
    if len(plain.get("qualified_name", {}).get("path", ())) <= 2:
        # The other keys say the same.
        plain.pop("qualified_name", None)
    return {key: each for key, each in plain.items() if not _is_empty(each)}


def _is_empty(value: Any) -> bool:
    return value is None or value is False or value in ("", [], {}, {"map": []}, _NO_ORDER)


def without_notes(part: Any) -> Any:
    """A copy of a part without what we know of it."""
    if isinstance(part, list):
        return [without_notes(each) for each in part]
    if isinstance(part, dict):
        return {key: without_notes(each) for key, each in part.items() if key[0] != _KNOWN}
    return part


def same(one: Node, other: Node) -> bool:
    """Whether two parts are the same but for their aliases and the case of names."""
    return meaning_bytes(one) == meaning_bytes(other)


def meaning_bytes(node: Node) -> bytes:
    """What an expression says, as bytes: without its alias and the case of names."""
    content = {key: value for key, value in node.items() if key != "alias"}
    return msgspec.json.encode(_folded(without_notes(content)), order="sorted")


def _folded(part: Any) -> Any:
    if isinstance(part, list):
        return [_folded(each) for each in part]
    if isinstance(part, dict):
        folds = part.get("class") == "COLUMN_REF"
        return {
            key: list(map(fold, each)) if folds and key == "column_names" else _folded(each)
            for key, each in part.items()
        }
    return part


def inner_parts(node: Node) -> Iterator[Node]:
    """The expressions right inside an expression; queries in it are not looked at."""
    for key, value in node.items():
        if key[0] == _KNOWN or key == "subquery":
            continue
        for each in value if isinstance(value, list) else (value,):
            if isinstance(each, dict):
                if "class" in each:
                    yield each
                else:
                    yield from inner_parts(each)


def all_parts(node: Node) -> Iterator[Node]:
    """An expression and all expressions in it, without those of queries in it."""
    yield node
    for part in inner_parts(node):
        yield from all_parts(part)


def put_node(node: Node, other: Node) -> None:
    """Put another part in the place of one; its alias stays."""
    alias = node.get("alias")
    content = {key: value for key, value in other.items() if key != "alias"}
    node.clear()
    node.update(content)
    if alias:
        node["alias"] = alias


def column_ref(*names: str) -> Node:
    """A column."""
    return {"class": "COLUMN_REF", "type": "COLUMN_REF", "column_names": list(names)}


def constant_node(kind: str, text: str) -> Node:
    """A constant."""
    literal = {"kind": kind, "text": text} if text else {"kind": kind}
    return {"class": "CONSTANT", "type": "VALUE_CONSTANT", "literal": literal}


def call(name: str, arguments: list[Node]) -> Node:
    """A call of a function."""
    node: Node = {"class": "FUNCTION", "type": "FUNCTION", "function_name": name}
    if arguments:
        node["arguments"] = [{"expression": each} for each in arguments]
    return node


def operator(kind: str, children: list[Node]) -> Node:
    """An operation."""
    return {"class": "OPERATOR", "type": kind, "children": children}


def comparison(kind: str, left: Node, right: Node) -> Node:
    """A comparison."""
    return {"class": "COMPARISON", "type": kind, "left": left, "right": right}


def all_conditions(conditions: list[Node]) -> Node | None:
    """Conditions joined by AND; ``None`` where there are none."""
    flat = [
        part
        for each in conditions
        for part in (each["children"] if each["type"] == "CONJUNCTION_AND" else [each])
    ]
    if len(flat) < 2:
        return flat[0] if flat else None
    return {"class": "CONJUNCTION", "type": "CONJUNCTION_AND", "children": flat}


def select_node(items: list[Node], source: Node, where: Node | None = None) -> Node:
    """A query."""
    node: Node = {"type": "SELECT_NODE", "select_list": items, "from_table": source}
    if where is not None:
        node["where_clause"] = where
    return {**node, "aggregate_handling": "STANDARD_HANDLING"}


def derived(query: Node, alias: str) -> Node:
    """A query as an item of FROM."""
    return {"type": "SUBQUERY", "alias": alias, "subquery": {"node": query}}


def arguments(node: Node) -> list[Node]:
    """The arguments of a call."""
    return [each["expression"] for each in node.get("arguments", ())]


def literal(node: Node) -> tuple[str, str] | None:
    """The kind and the text of a constant."""
    if node.get("class") != "CONSTANT" or "literal" not in node:
        return None
    return str(node["literal"]["kind"]), str(node["literal"].get("text", ""))


def names_like(condition: str, names: list[str]) -> list[str]:
    """Those of several columns that a star with a condition on names means, as DuckDB says.

    Args:
        condition: The star with its condition, as text. It calls nothing but functions of names.
        names: The columns, all different.

    Raises:
        NoCommonText: DuckDB does not read it.
    """
    columns = ", ".join(f"1 AS {quote_name(name)}" for name in names)
    try:
        cursor = _connection(os.getpid()).cursor()
        cursor.execute(f"SELECT {condition} FROM (SELECT {columns}) AS probe")  # noqa: S608
    except duckdb.Error as error:
        raise NoCommonText("a star whose columns DuckDB does not tell") from error
    return [str(each[0]) for each in cursor.description or ()]
