"""A query in common SQL: what DuckDB alone can read is spelt out, or called an unknown function.

DuckDB's parser gives the tree of the query. Its own forms become standard ones
(``standard_tree.py``). What is still not common SQL becomes a call of an unknown function
(``execute/common_text.py``): ``t.tags[1]`` is a function of the column ``t.tags``, whose name
stands for the rest. The tree is written as text, and DuckDB's parser must read that text as the
tree.

A condition is replaced as a whole, up to AND, OR and NOT, or, where a query is read with arithmetic
as it stands, a comparison stays around calls whose kinds are known; elsewhere a whole value is
replaced. In a CASE a condition that may fail is not replaced on its own, as the branches before it
may guard it. An expression that the query groups by is an argument where it stands in a larger one.
In a condition ``5 < x`` is ``x > 5`` (``mirrored.py``).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Final

from sqlverdict.execute.common_text import NoCommonText, unknown_name
from sqlverdict.execute.engines.duckdb.common.mirrored import (
    orient_comparisons,
    tells_mirrored_apart,
)
from sqlverdict.execute.engines.duckdb.common.plain_arithmetic import unify_arithmetic
from sqlverdict.execute.engines.duckdb.common.risks import risk_of
from sqlverdict.execute.engines.duckdb.expressions import (
    AGGREGATES,
    FUNCTIONS,
    OPERATORS,
    call_arguments,
    is_leaf,
    value_kind,
)
from sqlverdict.execute.engines.duckdb.standard_tree import StandardTree
from sqlverdict.execute.engines.duckdb.syntax import (
    Node,
    arguments,
    call,
    inner_parts,
    literal,
    meaning_bytes,
    parse_tree,
    put_node,
    same,
    without_notes,
)
from sqlverdict.execute.engines.duckdb.tree_text import expression_text, query_sql
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import word_set

_COMMON_FUNCTIONS: Final = word_set("abs lower upper")
_SUMS: Final = frozenset({"+", "-", "*", "/"})
_LIKES: Final = frozenset({"~~", "!~~"})
_CASTS: Final = word_set("INTEGER BIGINT DOUBLE VARCHAR")
_WINDOWS: Final = word_set("row_number rank dense_rank sum avg count min max")
_COMPARISONS: Final = frozenset(
    {"COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_LESSTHAN", "COMPARE_GREATERTHAN"}
    | {"COMPARE_LESSTHANOREQUALTO", "COMPARE_GREATERTHANOREQUALTO"}
    | {"COMPARE_IN", "COMPARE_NOT_IN"}
)
_COMPARED_KINDS: Final = word_set("number arithmetic text date timestamp")
_COMPARED: Final = frozenset(
    {"COMPARE_IN", "COMPARE_NOT_IN", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL"}
    | {"OPERATOR_COALESCE"}
)


def write_common_text(sql: str, arithmetic: bool, schema: Schema) -> str | None:
    """The query in common SQL; ``None`` where it has something that no call can stand for.

    Args:
        sql: The query.
        arithmetic: Whether sums and casts of numbers stay as they are.
        schema: The tables.
    """
    try:
        return _text(sql, arithmetic, schema)
    except (NoCommonText, RecursionError, KeyError, IndexError):
        # A tree of another version of DuckDB may lack what is looked for.
        return None


def _text(sql: str, arithmetic: bool, schema: Schema) -> str:
    tree = parse_tree(sql)
    StandardTree(schema).query(tree)
    oriented = not tells_mirrored_apart(tree)
    if oriented:
        unify_arithmetic(tree)
    _CommonTree(arithmetic, oriented=oriented).query(tree)
    plain: Node = without_notes(tree)
    text = query_sql(plain)
    # What is read from here on is the text: it must say what the tree says.
    if parse_tree(text) != plain:
        raise NoCommonText("a text that DuckDB reads in another way")
    return text


class _CommonTree:
    """Replaces what is not common in a tree, in place."""

    def __init__(self, arithmetic: bool, *, oriented: bool) -> None:
        self._arithmetic = arithmetic
        self._oriented = oriented

    def query(self, node: Node) -> None:
        """Replace expressions of a query."""
        for each in node.get("cte_map", {}).get("map", ()):
            self.query(each["value"]["query_node"])
        for child in node.get("children", ()):
            self.query(child)
        if "from_table" in node:
            self._source(node["from_table"])
        self._keep_groups(node)
        for item in node.get("select_list", ()):
            if item["class"] != "STAR":
                self._value(item)
        for term in node.get("group_expressions", ()):
            self._value(term)
        for modifier in node.get("modifiers", ()):
            for order in modifier.get("orders", ()):
                self._value(order["expression"])
        for clause in ("where_clause", "having"):
            if clause in node:
                self._condition(node[clause])

    def _source(self, node: Node) -> None:
        match node["type"]:
            case "SUBQUERY":
                self.query(node["subquery"]["node"])
            case "JOIN":
                self._source(node["left"])
                self._source(node["right"])
                if "condition" in node:
                    self._condition(node["condition"])

    def _keep_groups(self, node: Node) -> None:
        """Replace what the query groups by wherever it stands behind the grouping."""
        for term in node.get("group_expressions", ()):
            if term["class"] in ("COLUMN_REF", "CONSTANT"):
                continue
            before = copy.deepcopy(term)
            self._value(term)
            clauses = [*node["select_list"], *([node["having"]] if "having" in node else [])]
            for modifier in node.get("modifiers", ()):
                clauses += [order["expression"] for order in modifier.get("orders", ())]
            for clause in clauses:
                _put_everywhere(term, before, clause)

    def _value(self, node: Node) -> None:
        if not self._is_common(node):
            _replace(node)

    def _condition(self, node: Node) -> None:
        """Replace what is not common in a condition, part by part."""
        if node["class"] == "CONJUNCTION" or node["type"] == "OPERATOR_NOT":
            for part in node["children"]:
                self._condition(part)
        elif not self._is_common(node):
            if self._oriented:
                orient_comparisons(node)
            if not self._keeps_comparison(node):
                _replace(node, "boolean")

    def _keeps_comparison(self, node: Node) -> bool:
        """Whether a comparison stays around calls; their kinds must be known."""
        is_between = node["class"] == "BETWEEN"
        if not self._arithmetic or not (is_between or node["type"] in _COMPARISONS):
            return False
        others = [each for each in inner_parts(node) if not _is_day(each)]
        calls = [each for each in others if not self._is_common(each)]
        if any(value_kind(each) not in _COMPARED_KINDS for each in calls):
            return False
        for each in calls:
            _replace(each)
        return True

    def _is_common(self, node: Node) -> bool:
        """Whether an expression is common SQL; conditions and aggregates inside it are made so."""
        match node["class"]:
            case "COLUMN_REF":
                return is_leaf(node)
            case "CONSTANT":
                return (literal(node) or ("",))[0] in _LITERALS
            case "COMPARISON":
                return self._is_common_comparison(node)
            case "BETWEEN":
                return self._visit(inner_parts(node))
            case "CONJUNCTION":
                return self._is_common_condition(node)
            case "OPERATOR":
                return self._is_common_operator(node)
            case "CASE":
                return self._is_common_case(node)
            case "CAST":
                return self._is_common_cast(node)
            case "FUNCTION":
                return self._is_common_call(node)
            case "SUBQUERY":
                if "child" in node and not self._is_common(node["child"]):
                    _replace(node["child"])
                self.query(node["subquery"]["node"])
                return True
            case "WINDOW":
                return self._is_common_window(node)
            case "LAMBDA":
                self._is_common(node["expr"])
                return False
        raise NoCommonText(f"{node['class']} in an expression")

    def _visit(self, nodes: Iterable[Node]) -> bool:
        """Whether all expressions are common; each is looked at."""
        common = True
        for node in list(nodes):
            common = self._is_common(node) and common
        return common

    def _is_common_comparison(self, node: Node) -> bool:
        left = node["left"]
        is_test = (
            node["type"].endswith("DISTINCT_FROM")
            and (literal(node["right"]) or ("",))[0] == "BOOLEAN"
            and left["class"] == "CAST"
            and left["type_expr"].get("type_name") == "BOOLEAN"
        )
        if is_test and value_kind(left["child"]) == "boolean":
            return self._is_common(left["child"])
        return self._visit([left, node["right"]])

    def _is_common_condition(self, node: Node) -> bool:
        if risk_of(node) != "total":
            self._visit(node["children"])
            return False
        self._condition(node)
        return True

    def _is_common_operator(self, node: Node) -> bool:
        if node["type"] == "OPERATOR_NOT":
            return self._is_common_condition(node)
        common = self._visit(node["children"])
        if node["type"] in _COMPARED:
            return common
        if node["type"] not in _KNOWN_OPERATORS:
            raise NoCommonText(node["type"])
        return False

    def _is_common_case(self, node: Node) -> bool:
        conditions = [each["when_expr"] for each in node["case_checks"]]
        results = [each["then_expr"] for each in node["case_checks"]]
        results += [node["else_expr"]] if "else_expr" in node else []
        if any(risk_of(condition) != "total" for condition in conditions):
            self._visit([*conditions, *results])
            return False
        for condition in conditions:
            self._condition(condition)
        return self._visit(results)

    def _is_common_cast(self, node: Node) -> bool:
        common = self._is_common(node["child"])
        kind = node["type_expr"]
        plain = set(kind) == {"class", "type", "type_name"} and kind["type_name"] in _CASTS
        is_number = value_kind(node["child"]) == "number" and kind["type_name"] != "VARCHAR"
        return self._arithmetic and common and plain and is_number and "try_cast" not in node

    def _is_common_call(self, node: Node) -> bool:
        name, args = node["function_name"], arguments(node)
        if name in AGGREGATES:
            for argument in args:
                self._value(argument)
            if "filter" in node:
                self._condition(node["filter"])
            return True
        if "filter" in node or "distinct" in node:
            raise NoCommonText(f"the aggregate {name}")
        if is_leaf(node):
            return True
        common = self._visit(args)
        if name in _COMMON_FUNCTIONS or name in _LIKES:
            return common
        if name in _SUMS:
            return common and self._arithmetic
        if name == "nullif":
            return common
        if name not in FUNCTIONS and name not in OPERATORS:
            raise NoCommonText(f"the function {name}")
        return False

    def _is_common_window(self, node: Node) -> bool:
        if node["function_name"] not in _WINDOWS:
            raise NoCommonText(f"the window {node['function_name']}")
        for part in inner_parts(node):
            self._value(part)
        return True


_LITERALS: Final = word_set("INTEGER NUMERIC STRING BOOLEAN NULL_LITERAL")
_KNOWN_OPERATORS: Final = word_set("ARRAY_EXTRACT ARRAY_SLICE STRUCT_EXTRACT")


def _is_day(node: Node) -> bool:
    """Whether a node is a text in quotes as a date: `DATE '2020-01-31'`."""
    if node["class"] != "CAST" or node["child"]["class"] != "CONSTANT" or "try_cast" in node:
        return False
    return bool(node["type_expr"].get("type_name") == "DATE")


def _put_everywhere(term: Node, before: Node, node: Node) -> None:
    """Put a copy of a term in the place of every expression that meant the same."""
    if same(node, before):
        put_node(node, copy.deepcopy(term))
        return
    if node["class"] != "SUBQUERY" and node.get("function_name") not in AGGREGATES:
        for part in list(inner_parts(node)):
            _put_everywhere(term, before, part)


def _replace(node: Node, kind: str | None = None) -> None:
    """Put the call of an unknown function in the place of an expression."""
    kind, risk = kind or value_kind(node), risk_of(node)
    values: dict[bytes, Node] = {}
    expression = copy.deepcopy({key: each for key, each in node.items() if key != "alias"})
    for leaf in list(call_arguments(expression)):
        key = meaning_bytes(leaf)
        values.setdefault(key, copy.deepcopy(leaf))
        number = list(values).index(key)
        leaf.clear()
        leaf.update({"class": "PARAMETER", "number": number})
    if kind in ("literal", "null"):
        kind = "other"
    if kind == "text" and node["type"] in ("ARRAY_EXTRACT", "STRUCT_EXTRACT"):
        # The type of the part is declared.
        kind = "varchar"
    content = meaning_bytes(expression)
    put_node(node, call(unknown_name(kind, risk, content, expression_text), list(values.values())))
