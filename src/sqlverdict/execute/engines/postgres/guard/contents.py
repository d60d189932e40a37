"""What a syntax tree says that matters: which functions, operators, relations and types it names.

The walk knows the type of every field. What is not listed in ``parser.py``
ends it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from sqlverdict.execute.engines.postgres.guard.names import (
    PLACE_TYPES,
    PLACE_WORDS,
    ROLE_FUNCTIONS,
    ROLE_WORDS,
    SYNTAX_FUNCTIONS,
    SYSTEM_COLUMNS,
    is_of_catalogue,
    tells_place,
)
from sqlverdict.execute.engines.postgres.guard.parser import NODE, VALUE, fields

MOST_LEVELS: Final = 250
"""Nodes inside of one another; Python decodes no deeper trees."""
_OPERATORS: Final = {"A_Expr": "name", "SubLink": "operName", "SortBy": "useOp"}
"""Nodes with an operator, and their fields that name it."""
_NOTED_KINDS: Final = frozenset(
    {
        *("FuncCall", "RangeVar", "ColumnRef", "A_Indirection", "TypeName", "RangeTableSample"),
        *("A_Const", "SQLValueFunction", *_OPERATORS),
        *SYNTAX_FUNCTIONS,
    }
)
"""Nodes that name something."""


class NodeError(Exception):
    """A tree holds what no text may hold.

    Attributes:
        node: The kind of node, or its field.
    """

    def __init__(self, node: str) -> None:
        super().__init__(node)
        self.node = node


class DepthError(Exception):
    """A tree is nested too deeply."""


@dataclass
class Contents:
    """What a tree names.

    Attributes:
        functions: Schema and name of each function that is called; the schema may be empty.
        relations: Schema and name of each relation.
        attributes: Names behind a dot: a column, or a function of what stands before it.
        members: Names behind a dot behind parentheses.
        types: Names of types.
        operators: Names of operators.
        strings: Texts of constants.
        reads_session: It asks who runs it, or where: the database's name, its catalogue, the
            system's columns. A database of ours would be told from the real one.
    """

    functions: set[tuple[str, str]] = field(default_factory=set)
    relations: set[tuple[str, str]] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    members: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    operators: set[str] = field(default_factory=set)
    strings: set[str] = field(default_factory=set)
    reads_session: bool = False


def contents(kind: str, statement: dict[str, Any], nodes: frozenset[str]) -> Contents:
    """Walk through a statement.

    Args:
        kind: The kind of its node.
        statement: Its fields.
        nodes: The kinds of nodes that are allowed.

    Raises:
        NodeError: it holds something else.
        DepthError: it has too many levels.
    """
    table, result = fields(nodes), Contents()
    todo: list[tuple[str, dict[str, Any], int]] = [(kind, statement, 0)]
    while todo:
        kind, node, level = todo.pop()
        known = table.get(kind)
        if known is None:
            raise NodeError(kind)
        if level > MOST_LEVELS:
            raise DepthError
        if kind in _NOTED_KINDS:
            _note(kind, node, result)
        for name, value in node.items():
            type_ = known.get(name)
            if type_ is None:
                raise NodeError(f"{kind}.{name}")
            if type_ == VALUE:
                continue
            for item in value if isinstance(value, list) else (value,):
                if type_ == NODE:
                    # An empty one stands for nothing, in a list.
                    todo += [(each, content, level + 1) for each, content in item.items()]
                else:
                    todo.append((type_, item, level + 1))
    return result


def _note(kind: str, node: dict[str, Any], result: Contents) -> None:
    match kind:
        case "FuncCall":
            function = _qualified(_strings(node["funcname"]))
            result.functions.add(function)
            result.reads_session |= function[1] in ROLE_FUNCTIONS or tells_place(function[1])
        case "RangeVar":
            relation = (node.get("schemaname", ""), node.get("relname", ""))
            result.relations.add(relation)
            result.reads_session |= is_of_catalogue(*relation)
        case "ColumnRef":
            names = _strings(node["fields"])
            result.attributes.update(names[1:])
            result.reads_session |= not SYSTEM_COLUMNS.isdisjoint(names[-1:])
        case "A_Indirection":
            members = _strings(node.get("indirection", ()))
            result.members.update(members)
            result.reads_session |= not SYSTEM_COLUMNS.isdisjoint(members)
        case "TypeName":
            names = _strings(node.get("names", ()))
            result.types.update(names[-1:])
            result.reads_session |= not PLACE_TYPES.isdisjoint(names[-1:])
        case "A_Expr" | "SubLink" | "SortBy":
            result.operators.update(_strings(node.get(_OPERATORS[kind], ()))[-1:])
        case "RangeTableSample":
            result.functions.add(_qualified(_strings(node["method"])))
        case "A_Const":
            if "sval" in node:
                result.strings.add(node["sval"].get("sval", ""))
        case "SQLValueFunction":
            result.reads_session |= node.get("op") in ROLE_WORDS | PLACE_WORDS
        case _ if kind in SYNTAX_FUNCTIONS:
            result.functions.update(("", name) for name in SYNTAX_FUNCTIONS[kind])


def _strings(names: Any) -> list[str]:
    """The names of a list; a star and a subscript are none."""
    return [each["String"].get("sval", "") for each in names if "String" in each]


def _qualified(names: list[str]) -> tuple[str, str]:
    return (names[-2] if len(names) > 1 else "", names[-1] if names else "")
