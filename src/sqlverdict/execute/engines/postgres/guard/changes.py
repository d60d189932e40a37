"""Statements that may write: which of them change tables and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlverdict.execute.engines.postgres.guard.contents import (
    Contents,
    DepthError,
    NodeError,
    contents,
)
from sqlverdict.execute.engines.postgres.guard.nodes import CHANGE_NODES, CHANGES, QUERY_NODES
from sqlverdict.execute.engines.postgres.sandbox import DIALECT, parse_text
from sqlverdict.execute.lexemes import Lex, solid_lexemes
from sqlverdict.execute.servers.refusals import change_blocked
from sqlverdict.records import Failure, Reason

_OBJECTS: Final = frozenset(
    f"OBJECT_{name}"
    for name in (
        *("TABLE", "VIEW", "MATVIEW", "INDEX", "SEQUENCE", "TYPE", "DOMAIN", "COLUMN"),
        *("ATTRIBUTE", "TABCONSTRAINT", "DOMCONSTRAINT"),
    )
)
"""What may be altered, renamed, dropped or described."""
_OBJECT_FIELDS: Final = ("removeType", "renameType", "objtype")
_TABLE_CHANGES: Final = frozenset(
    f"AT_{name}"
    for name in (
        *("AddColumn", "DropColumn", "AlterColumnType", "ColumnDefault", "SetNotNull"),
        *("DropNotNull", "SetExpression", "DropExpression", "AddConstraint", "AlterConstraint"),
        *("ValidateConstraint", "DropConstraint", "AddIdentity", "SetIdentity", "DropIdentity"),
        *("SetStatistics", "AttachPartition", "DetachPartition", "AddInherit", "DropInherit"),
    )
)


@dataclass(frozen=True)
class WriteStatement:
    """A statement as it is sent, and what it names.

    Attributes:
        text: The text, as the parser writes it.
        contents: Its functions, relations and types.
        only_reads: It is a query that writes nothing.
    """

    text: str
    contents: Contents
    only_reads: bool


def read_write_statement(sql: str, system_tables: frozenset[str]) -> WriteStatement | Failure:
    """A statement that may write as it is sent, or why it is not.

    Args:
        sql: The text.
        system_tables: The names of the server's own tables.

    Raises:
        MissingExtra: the parser is not installed.
    """
    tree = parse_text(sql)
    if isinstance(tree, Failure):
        return tree
    if len(tree.statements) > 1:
        return Failure(Reason.UNSUPPORTED_FEATURE, "several statements in one")
    ((kind, statement),) = tree.statements
    first = " ".join(tree.text.split(maxsplit=2)[:2]).upper()[:40]
    if kind != "SelectStmt" and kind not in CHANGES:
        return change_blocked(first)
    try:
        try:
            result = contents(kind, statement, QUERY_NODES)
            return WriteStatement(tree.text, result, only_reads=True)
        except NodeError:
            result = contents(kind, statement, CHANGE_NODES)
    except NodeError as error:
        return change_blocked(f"{first} ({error.node})")
    except DepthError:
        return Failure(Reason.PARSE_ERROR, "the text is nested too deeply")
    if not _changes_tables(statement):
        return change_blocked(first)
    parts = solid_lexemes(tree.text, DIALECT)
    names = {part.name for part in parts if part.kind in (Lex.WORD, Lex.NAME)}
    for name in sorted(names & (system_tables | {"information_schema"})):
        return change_blocked(f"the catalogue ({name})")
    return WriteStatement(tree.text, result, only_reads=False)


def _changes_tables(statement: Mapping[str, Any]) -> bool:
    """Whether what a statement alters is a table, or belongs to one."""
    if any(statement.get(name, "OBJECT_TABLE") not in _OBJECTS for name in _OBJECT_FIELDS):
        return False
    commands = statement.get("cmds", ())
    return all(each["AlterTableCmd"].get("subtype") in _TABLE_CHANGES for each in commands)
