"""DuckDB's own forms of a query, written as standard ones, on DuckDB's tree and by a schema.

* ``FROM t`` and ``FROM t SELECT a`` are what DuckDB's parser makes of them: a SELECT.
* ``EXCLUDE``, ``REPLACE``, ``RENAME``, ``COLUMNS`` and ``* LIKE`` become lists of columns
  (``standard_stars.py``).
* ``GROUP BY ALL`` groups by the terms that have columns and no aggregate; ``ORDER BY ALL`` orders
  by every column of the result.
* ``QUALIFY`` and ``PIVOT`` become derived tables (``standard_queries.py``), SEMI and ANTI JOIN
  become EXISTS, UNION BY NAME becomes UNION over lists of columns.
* ``s.x`` of a STRUCT, ``s['x']`` and ``struct_extract(s, 'x')`` become one operation, a method
  ``x.upper()`` a call, parameters of lambdas get names of ours, and of several names of one
  function one remains.
* An alias of the SELECT list that another term of the list uses becomes its expression.

Every rewriting follows what DuckDB does, as tests show on real rows. What is not certain has no
text.
"""

from __future__ import annotations

import copy
from typing import Final

from sqlverdict.execute.common_text import NoCommonText
from sqlverdict.execute.engines.duckdb.common.standard_times import (
    plain_time,
    read_clock_word,
    refuse_clock_aliases,
)
from sqlverdict.execute.engines.duckdb.expressions import (
    PARAMETER,
    has_class,
    value_kind,
)
from sqlverdict.execute.engines.duckdb.sources import (
    CommonTables,
    FromScope,
    ItemColumn,
    NamedItem,
    table_columns,
    table_of_item,
)
from sqlverdict.execute.engines.duckdb.standard_calls import plain_call, plain_type
from sqlverdict.execute.engines.duckdb.standard_queries import (
    group_by_all,
    order_by_all,
    pivot_query,
    sides_by_name,
    with_qualify,
)
from sqlverdict.execute.engines.duckdb.standard_stars import expanded_condition, expanded_items
from sqlverdict.execute.engines.duckdb.syntax import (
    Node,
    all_conditions,
    all_parts,
    arguments,
    column_ref,
    comparison,
    constant_node,
    derived,
    inner_parts,
    operator,
    put_node,
    select_node,
)
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold

_UNNAMED: Final = "unnamed_subquery"
_PADDED: Final = frozenset({"RIGHT", "OUTER"})


class StandardTree:
    """Writes DuckDB's own forms as standard ones.

    Args:
        schema: The tables.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._schemas = frozenset(
            fold(part) for table in schema.tables for path in table.paths for part in path[:-1]
        )

    def query(
        self, node: Node, ctes: CommonTables | None = None, outer: FromScope | None = None
    ) -> tuple[ItemColumn, ...]:
        """Rewrite a query in place; returns its columns.

        Raises:
            NoCommonText: it has a form that is not read.
        """
        ctes = self._with(node, ctes or {})
        match node["type"]:
            case "SELECT_NODE":
                columns = self._select(node, ctes, outer)
            case "SET_OPERATION_NODE":
                columns = self._set_operation(node, ctes, outer)
            case other:
                raise NoCommonText(f"{other} in a query")
        return columns

    def _with(self, node: Node, ctes: CommonTables) -> CommonTables:
        for each in node.get("cte_map", {}).get("map", ()):
            value = each["value"]
            inner = value["query_node"]
            columns = self.query(inner, ctes)
            names = value.get("aliases", ())
            if names and len(names) != len(columns):
                raise NoCommonText("a common table expression with fewer names than columns")
            if names:
                columns = tuple(
                    known._replace(name=name) for known, name in zip(columns, names, strict=True)
                )
            value["materialized"] = "CTE_MATERIALIZE_DEFAULT"
            ctes = {**ctes, fold(each["key"]): columns}
        return ctes

    def _set_operation(
        self, node: Node, ctes: CommonTables, outer: FromScope | None
    ) -> tuple[ItemColumn, ...]:
        sides = [self.query(child, ctes, outer) for child in node["children"]]
        if node["setop_type"] == "UNION_BY_NAME":
            sides = [sides_by_name(node, sides)]
        if any(len(side) != len(sides[0]) for side in sides):
            raise NoCommonText("the sides of a set operation have different widths")
        columns = tuple(
            known if len({each.kind for each in side}) == 1 else ItemColumn(known.name)
            for known, *side in zip(sides[0], *sides, strict=True)
        )
        order_by_all(node, len(columns))
        return columns

    def _select(
        self, node: Node, ctes: CommonTables, outer: FromScope | None
    ) -> tuple[ItemColumn, ...]:
        scope = FromScope(outer=outer, schemas=self._schemas)
        conditions: list[Node] = []
        node["from_table"] = self._source(node["from_table"], scope, ctes, conditions, top=True)
        items = expanded_items(node["select_list"], scope, self._needs_names(node))
        node["select_list"] = items
        aliases: dict[str, Node] = {}
        refuse_clock_aliases(items)
        for item in items:
            if item["class"] != "STAR":
                self._expression(item, scope, ctes, aliases)
            if item.get("alias"):
                aliases.setdefault(fold(item["alias"]), item)
        self._clauses(node, scope, ctes, aliases)
        if conditions:
            inner = [node["where_clause"]] if "where_clause" in node else []
            node["where_clause"] = all_conditions([*inner, *conditions])
        group_by_all(node, scope)
        columns = tuple(known for item in items for known in _outputs(item, scope))
        order_by_all(node, len(columns))
        if "qualify" in node:
            with_qualify(node, scope)
        return columns

    @staticmethod
    def _needs_names(node: Node) -> bool:
        """Whether a plain star has to be written out."""
        is_all = any(
            each["expression"]["class"] == "STAR"
            for modifier in node.get("modifiers", ())
            for each in modifier.get("orders", ())
        )
        forced = node["aggregate_handling"] != "STANDARD_HANDLING"
        return is_all or forced or "qualify" in node

    def _clauses(
        self, node: Node, scope: FromScope, ctes: CommonTables, aliases: dict[str, Node]
    ) -> None:
        if "where_clause" in node:
            node["where_clause"] = expanded_condition(node["where_clause"], scope)
        for clause in ("where_clause", "having", "qualify"):
            if clause in node:
                self._expression(node[clause], scope, ctes, aliases)
        for term in node.get("group_expressions", ()):
            self._expression(term, scope, ctes, aliases)
        if "group_sets" in node and len(node["group_sets"]) != 1:
            raise NoCommonText("ROLLUP, CUBE or GROUPING SETS")
        for modifier in node.get("modifiers", ()):
            for term in modifier.get("orders", ()):
                inner = term["expression"]
                is_alias = inner["class"] == "COLUMN_REF" and len(inner["column_names"]) == 1
                if is_alias and fold(inner["column_names"][0]) in aliases:
                    # Here an output name goes before a column.
                    continue
                if inner["class"] != "STAR":
                    self._expression(inner, scope, ctes, aliases)

    def _source(
        self, node: Node, scope: FromScope, ctes: CommonTables, conditions: list[Node], *, top: bool
    ) -> Node:
        """Rewrite an item of FROM, and add what it has to the scope."""
        if "column_name_alias" in node or "sample" in node:
            raise NoCommonText("an item of FROM with names of columns or a sample")
        match node["type"]:
            case "EMPTY":
                return node
            case "BASE_TABLE":
                known = ctes.get(fold(node["table_name"])) if "schema_name" not in node else None
                columns = known or table_columns(table_of_item(self._schema, node))
                scope.sources.append(NamedItem(node.get("alias") or node["table_name"], columns))
                return node
            case "PIVOT":
                inner = FromScope(outer=scope.outer, schemas=self._schemas)
                self._source(copy.deepcopy(node["source"]), inner, ctes, [], top=False)
                node = derived(pivot_query(node, inner), node.get("alias") or "pivoted")
            case "SUBQUERY":
                node.setdefault("alias", _UNNAMED)
            case "JOIN":
                return self._join(node, scope, ctes, conditions, top=top)
            case other:
                raise NoCommonText(f"{other} in FROM")
        columns = self.query(node["subquery"]["node"], ctes, scope.outer)
        scope.sources.append(NamedItem(node["alias"], columns))
        return node

    def _join(
        self, node: Node, scope: FromScope, ctes: CommonTables, conditions: list[Node], *, top: bool
    ) -> Node:
        node["left"] = self._source(node["left"], scope, ctes, conditions, top=False)
        left = list(scope.sources)
        if node["join_type"] in ("SEMI", "ANTI"):
            if not top or conditions:
                raise NoCommonText("a SEMI or ANTI JOIN inside another join")
            conditions.append(self._exists(node, scope, ctes))
            rest: Node = node["left"]
            return rest
        node["right"] = self._source(node["right"], scope, ctes, conditions, top=False)
        right = scope.sources[len(left) :]
        names = [fold(name) for name in node.get("using_columns", ())]
        if node["ref_type"] == "NATURAL":
            known = {fold(each.name) for source in left for each in source.columns}
            names = [
                fold(each.name)
                for source in right
                for each in source.columns
                if fold(each.name) in known
            ]
        if names and node["join_type"] in _PADDED:
            raise NoCommonText("USING with RIGHT or FULL JOIN")
        scope.hidden |= {(fold(source.name), name) for source in right for name in names}
        if "condition" in node:
            self._expression(node["condition"], scope, ctes, {})
        return node

    def _exists(self, node: Node, scope: FromScope, ctes: CommonTables) -> Node:
        """SEMI JOIN and ANTI JOIN: a condition on the rows of the left side."""
        inner = FromScope(outer=scope, schemas=self._schemas)
        source = self._source(node["right"], inner, ctes, [], top=False)
        conditions = [node["condition"]] if "condition" in node else []
        for name in node.get("using_columns", ()):
            owners, others = scope.owners(name), inner.owners(name)
            if len(owners) != 1 or len(others) != 1:
                raise NoCommonText(f"USING ({name})")
            sides = [column_ref(each[0].name, name) for each in (owners, others)]
            conditions.append(comparison("COMPARE_EQUAL", *sides))
        if node["ref_type"] != "REGULAR" or not conditions:
            raise NoCommonText(f"{node['ref_type']} {node['join_type']} JOIN")
        names = {fold(each.name) for each in scope.sources} & {
            fold(each.name) for each in inner.sources
        }
        if names:
            raise NoCommonText("two sources of one name")
        for part in [each for condition in conditions for each in all_parts(condition)]:
            name = part["column_names"][0] if part["class"] == "COLUMN_REF" else ""
            if name and len(part["column_names"]) == 1 and inner.has(name) and scope.has(name):
                raise NoCommonText(f"{name} is ambiguous")
        condition = all_conditions(conditions)
        assert condition is not None
        self._expression(condition, inner, ctes, {})
        query = select_node([constant_node("INTEGER", "1")], source, condition)
        exists: Node = {
            "class": "SUBQUERY",
            "type": "SUBQUERY",
            "subquery_type": "EXISTS",
            "subquery": {"node": query},
            "comparison_type": "INVALID",
        }
        return exists if node["join_type"] == "SEMI" else operator("OPERATOR_NOT", [exists])

    def _expression(
        self,
        node: Node,
        scope: FromScope,
        ctes: CommonTables,
        aliases: dict[str, Node],
        parameters: tuple[str, ...] = (),
    ) -> None:
        """Rewrite an expression in place, from the inside.

        Args:
            node: The expression.
            scope: The items of FROM.
            ctes: The common table expressions in force.
            aliases: The terms of the SELECT list before it, by their aliases.
            parameters: The parameters of lambdas around it, folded.
        """
        match node["class"]:
            case "STAR":
                raise NoCommonText("a star inside an expression")
            case "COLUMN_REF":
                self._column(node, scope, aliases, parameters)
                return
            case "LAMBDA":
                self._lambda(node, scope, ctes, parameters)
                return
            case "SUBQUERY":
                if parameters:
                    raise NoCommonText("a query inside a lambda")
                self.query(node["subquery"]["node"], ctes, scope)
        for part in list(inner_parts(node)):
            self._expression(part, scope, ctes, aliases, parameters)
        if node["class"] in ("FUNCTION", "OPERATOR"):
            plain_call(node, scope, parameters)
        if node["class"] == "CAST":
            plain_type(node["type_expr"])
        if node["class"] in ("FUNCTION", "CAST"):
            plain_time(node)

    @staticmethod
    def _column(
        node: Node, scope: FromScope, aliases: dict[str, Node], parameters: tuple[str, ...]
    ) -> None:
        names = node["column_names"]
        if fold(names[0]) not in parameters and read_clock_word(node, scope, frozenset(aliases)):
            return
        if fold(names[0]) in parameters:
            number = parameters.index(fold(names[0]))
            base = column_ref(f"{PARAMETER}{number}")
            for name in names[1:]:
                base = operator("STRUCT_EXTRACT", [base, constant_node("STRING", fold(name))])
            put_node(node, base)
            return
        alias = aliases.get(fold(names[0])) if len(names) == 1 else None
        if alias is not None and not scope.has(names[0]):
            outer = scope.outer
            while outer is not None:
                if outer.has(names[0]):
                    raise NoCommonText(f"{names[0]} is an alias and a column outside")
                outer = outer.outer
            if has_class(alias, "SUBQUERY"):
                raise NoCommonText("an alias of a query that is used again")
            put_node(node, copy.deepcopy(alias))
            return
        if not scope.resolve(node) and len(names) == 1:
            raise NoCommonText(f"there is no column {names[0]}")

    def _lambda(
        self, node: Node, scope: FromScope, ctes: CommonTables, parameters: tuple[str, ...]
    ) -> None:
        if node.get("syntax_type") != "LAMBDA_KEYWORD":
            # Elsewhere than in a function of lists it extracts from JSON.
            body = [node["lhs"], node["expr"]]
            for part in body:
                self._expression(part, scope, ctes, {}, parameters)
            put_node(node, {**_arrow(body), "#arrow": True})
            return
        left = node["lhs"]
        args = arguments(left) if left["class"] == "FUNCTION" else [left]
        if any(each["class"] != "COLUMN_REF" for each in args):
            raise NoCommonText("a lambda with odd parameters")
        names = tuple(fold(each["column_names"][0]) for each in args)
        if set(names) & set(parameters) or len(set(names)) != len(names):
            raise NoCommonText("parameters of lambdas that share a name")
        inside = (*parameters, *names)
        node["lhs"] = constant_node("STRING", ",".join(str(inside.index(name)) for name in names))
        self._expression(node["expr"], scope, ctes, {}, inside)


def _arrow(body: list[Node]) -> Node:
    return {
        "class": "FUNCTION",
        "type": "FUNCTION",
        "function_name": "->",
        "arguments": [{"expression": each} for each in body],
    }


def _outputs(item: Node, scope: FromScope) -> list[ItemColumn]:
    """What a term of a SELECT list is to the query around it."""
    if item["class"] == "STAR":
        return [known for _, known in scope.star(item.get("relation_name"))]
    name, declared, kind = item.get("alias", ""), "", value_kind(item)
    if item["class"] == "COLUMN_REF":
        name, declared = name or item["column_names"][-1], str(item.get("#type", ""))
    if item["class"] == "OPERATOR" and item["type"] == "STRUCT_EXTRACT" and not name:
        name = item["alias"] = item["children"][1]["literal"]["text"]
    return [ItemColumn(name, "other" if kind in ("literal", "null") else kind, declared)]
