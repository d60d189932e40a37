"""What no rule can reason about, told by a resolved tree and its facts.

* Aggregates that show the order of rows (``group_concat``, ``json_group_array`` ...): rules speak
  of bags.
* COLLATE: it decides which texts are equal, and travels out of the expression it stands in.
* ``x IN ()``: false where x is NULL, unlike every other IN.
* A set operation inside a query that folds values of different types: 1 and 1.0 are one row, and
  which of the two it shows depends on the order of the sides.

* Values of different kinds that meet, in dialects whose types are enforced.

Where an integer is compared with a text, each engine has its own opinion: an error, a number, a
text. So only values of one kind may meet: in a comparison, a list, the branches of a CASE, the
sides of a set operation. A text in quotes may stand for a date or another value of that kind.
Values that can be equal and yet differ (MySQL's texts under most collations, intervals, padded
texts) may be compared, but not folded: DISTINCT, GROUP BY and MIN show one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schemas.column_types import column_values
from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.dependencies import (
    at_most_one_row,
    closure,
    is_tested,
    plain_columns,
)
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    column_name,
    is_aggregate,
    is_closed,
    leaves,
    nodes_in,
    source_label,
    whole_number,
)
from sqlverdict.prove.resolve.common_sql import COMPARISONS
from sqlverdict.prove.resolve.scope import Unsupported

ValueType = Literal[
    "number", "text", "boolean", "date", "time", "timestamp", "uuid", "other", "literal", "null"
]
"""``literal`` is a text in quotes, ``null`` the word NULL: either takes the kind beside it."""

_LABELS = ("tables_json", "assumed")
"""Schemas whose types are labels for people."""

_NUMERIC = ("integer", "real", "number")
_OPERATIONS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Abs)
_COMPARED = ("IN", *(kind.__name__.lower() for kind in COMPARISONS))
_TEXTS = (exp.Lower, exp.Upper, exp.Substring)


def require_meeting_types(tree: Expr, facts: Facts) -> None:
    """Refuse a resolved tree in which values of different kinds meet.

    Raises:
        Unsupported: engines may disagree about what it means.
    """
    types = _ValueTypes(facts)
    nodes = {type(node) for node in nodes_in(tree)}
    if types.record.wide_sums and {exp.Div, exp.Sum} <= nodes:
        # A sum of integers may be a decimal, and then it is not divided as an integer is.
        raise Unsupported("a division beside a sum")
    for query in nodes_in(tree):
        if isinstance(query, exp.Select):
            types.select(query)
        elif isinstance(query, exp.SetOperation):
            types.sides(query)
    types.queries(tree)


class _ValueTypes:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.record = facts.record

    def select(self, select: exp.Select) -> None:
        """The types of all expressions of a SELECT."""
        outputs = [self.of(item) for item in select.expressions]
        for part in ("where", "having"):
            clause = select.args.get(part)
            if clause is not None:
                self._condition(clause.this)
        for join in select.args.get("joins") or ():
            if join.args.get("on") is not None:
                self._condition(join.args["on"])
        group, order = select.args.get("group"), select.args.get("order")
        grouped = [self.of(term) for term in group.expressions] if group is not None else []
        for term in order.expressions if order is not None else ():
            self.of(term.this)
        if select.args.get("distinct"):
            self._fold(outputs)
        self._fold(grouped)
        self._require_determined(select)

    def _require_determined(self, select: exp.Select) -> None:
        """Columns beside an aggregate have one value in each group, or are none of ours."""
        bare = list(bare_columns(select))
        if not bare:
            return
        allowed = self.record.determined_columns
        in_having = any(column.find_ancestor(exp.Having) for column in bare)
        if allowed == "nowhere" or (allowed == "outside_having" and in_having):
            raise Unsupported("a column that the engine wants to be grouped by")
        columns = plain_columns(bare)
        group = select.args.get("group")
        grouped = plain_columns(group.expressions if group is not None else ())
        if not columns <= closure(select, self.facts, grouped):
            raise Unsupported("a column beside an aggregate that is not grouped by")
        self.facts.cited.clear()

    def sides(self, node: exp.SetOperation) -> None:
        """The types of the columns of a set operation's sides, pair by pair."""
        sides = list(leaves(node))
        for columns in zip(*(side.expressions for side in sides), strict=True):
            common = self._one(columns, "a set operation")
            if common == "literal" and any(not isinstance(c, exp.Literal) for c in columns):
                raise Unsupported("a set operation over texts in quotes")
            if node.args.get("distinct") or not isinstance(node, exp.Union):
                self._fold([common])

    def queries(self, tree: Expr) -> None:
        """A query that stands for a value gives one row at most: more are an error, or the first.

        IN compares its operand with the values of its query.
        """
        for node in nodes_in(tree):
            if isinstance(node, exp.In) and node.args.get("query") is not None:
                continue
            if not isinstance(node, exp.Subquery):
                continue
            if node.alias:
                # Some engines let a derived table see the sources beside it, too.
                if not is_closed(node):
                    raise Unsupported("a derived table that refers to something outside")
                continue
            if isinstance(node.parent, exp.In) and node.arg_key == "query":
                continue
            if not isinstance(node.parent, exp.SetOperation) and not self._is_single(node.this):
                raise Unsupported("a query for one value that may give several rows")

    def _is_single(self, query: Expr) -> bool:
        limit = query.args.get("limit")
        if limit is not None and whole_number(limit.expression) in (0, 1):
            return True
        single = at_most_one_row(query, self.facts)
        self.facts.cited.clear()
        return single

    def _fold(self, types: Iterable[ValueType]) -> None:
        if not set(types).isdisjoint(
            ("other",) if self.record.exact_texts else ("other", "literal")
        ):
            raise Unsupported("values that are equal and may differ are folded")

    def _condition(self, node: Expr) -> None:
        if self.of(node) not in ("boolean", "null"):
            raise Unsupported("a condition that is not a comparison")

    def of(self, node: Expr) -> ValueType:
        """The type of an expression.

        Raises:
            Unsupported: values of different kinds meet in it.
        """
        match node:
            case exp.Literal():
                return "literal" if node.is_string else "number"
            case exp.Null():
                return "null"
            case exp.Boolean() | exp.Exists():
                return "boolean"
            case exp.Column():
                return self._column(node)
            case exp.And() | exp.Or() | exp.Not():
                for part in node.iter_expressions():
                    self._condition(part)
                return "boolean"
            case exp.Is():
                if self.of(node.this) == "other" and self.record.row_values:
                    raise Unsupported("a test for NULL of a value that may have several parts")
                return "boolean"
            case exp.Between():
                self._one([node.this, node.args["low"], node.args["high"]], "BETWEEN")
                return "boolean"
            case exp.In():
                return self._in(node)
            case exp.Like():
                if not {self.of(node.this), self.of(node.expression)} <= {
                    "text",
                    "literal",
                    "other",
                }:
                    raise Unsupported("LIKE beside something else than a text")
                return "boolean"
            case exp.Case():
                return self._case(node)
            case exp.If():
                self._condition(node.this)
                return self._one([node.args["true"], node.args.get("false")], "IF")
            case exp.Coalesce():
                return self._one([node.this, *node.expressions], "COALESCE")
            case exp.Subquery():
                return self.of(next(iter(leaves(node.this))).expressions[0])
            case exp.Length():
                return self._function(node, "number")
        if isinstance(node, COMPARISONS):
            self._one([node.this, node.expression], node.key)
            return "boolean"
        if isinstance(node, _OPERATIONS):
            return self._arithmetic(node)
        if isinstance(node, _TEXTS):
            return self._function(node, "text")
        if is_aggregate(node):
            return self._aggregate(node)
        raise Unsupported(f"{node.key} in this dialect")

    def _arithmetic(self, node: Expr) -> ValueType:
        if any(self.of(part) not in ("number", "null") for part in node.iter_expressions()):
            raise Unsupported(f"{node.key} of something other than numbers")
        by_zero = self.record.division_by_zero
        if isinstance(node, exp.Div) and by_zero != "null" and not whole_number(node.expression):
            if by_zero == "error" or self.facts.kind(node.expression) != "integer":
                raise Unsupported("a division that may be by zero")
            self.facts.cited.clear()
        return "number"

    def _function(self, node: exp.Func, result: ValueType) -> ValueType:
        if self.of(node.this) != "text":
            raise Unsupported(f"{node.key} of something other than a text")
        for part in ("start", "length"):
            bound = node.args.get(part)
            if bound is not None and (whole_number(bound) or 0) < 1:
                # Zero and negative bounds count from the end in one engine and fail in another.
                raise Unsupported("a part of a text that does not start at a plain number")
        return result

    def _aggregate(self, node: Expr) -> ValueType:
        inner = node.this
        if isinstance(inner, exp.Star):
            return "number"
        folded = isinstance(inner, exp.Distinct)
        own = self.of(inner.expressions[0] if folded else inner)
        if isinstance(node, exp.Count):
            return "number"
        if isinstance(node, exp.Max | exp.Min):
            self._fold([own])
            return own
        if own != "number":
            raise Unsupported(f"{node.key} of something other than numbers")
        return "number"

    def _case(self, node: exp.Case) -> ValueType:
        for branch in node.args["ifs"]:
            if node.this is None:
                self._condition(branch.this)
            else:
                self._one([node.this, branch.this], "CASE")
        results = [branch.args["true"] for branch in node.args["ifs"]]
        return self._one([*results, node.args.get("default")], "CASE")

    def _in(self, node: exp.In) -> ValueType:
        query = node.args.get("query")
        members = list(node.expressions)
        if query is not None:
            inner = query.this if isinstance(query, exp.Subquery) else query
            members = [next(iter(leaves(inner))).expressions[0]]
        if not members:
            raise Unsupported("IN with an empty list")
        self._one([node.this, *members], "IN")
        return "boolean"

    def _one(self, nodes: Iterable[Expr | None], where: str) -> ValueType:
        """The one type of several expressions."""
        types = [self.of(node) for node in nodes if node is not None]
        kinds = set(types) - {"null"}
        firm = kinds - {"literal"}
        if not firm:
            return "literal" if kinds else "null"
        if len(firm) > 1:
            raise Unsupported(f"{where} of {' and '.join(sorted(firm))}")
        kind = firm.pop()
        if "literal" in kinds and not self._takes_quotes(kind, where):
            raise Unsupported(f"{where} of a {kind} and a text in quotes")
        return kind

    def _takes_quotes(self, kind: str, where: str) -> bool:
        """Whether a text in quotes stands for a value of a kind."""
        if kind == "text":
            return True
        if not self.record.typed_quotes:
            # MySQL's texts of any collation; what becomes of other types depends on the place.
            return kind == "other" and where in _COMPARED
        return kind not in ("number", "boolean")

    def _column(self, node: exp.Column) -> ValueType:
        label, name = column_name(node)
        if not label:
            # A term of ORDER BY above a set operation.
            return "other"
        table = self.facts.table(label)
        if table is not None and self.facts.schema.source in _LABELS:
            return "other"
        if table is not None:
            column = table.column(name)
            values = (
                column_values(table, column, self.facts.dialect) if column is not None else "other"
            )
            return "number" if values in _NUMERIC else values  # type: ignore[return-value]
        source = self.facts.home(node)
        if source is None or not isinstance(source[1], exp.Subquery):
            raise Unsupported(f"the column {source_label(node)}.{name}")
        return self._one(
            [leaf.expressions[int(name[1:])] for leaf in leaves(source[1].this)], "a set operation"
        )


_BAG_AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.Max, exp.Min)
_OTHER_AGGREGATES = frozenset(
    {"group_concat", "string_agg", "json_group_array", "json_group_object", "median"}
    | {"jsonb_group_array", "jsonb_group_object", "percentile", "percentile_cont"}
    | {"percentile_disc", "mode", "array_agg"}
)


def refusal(tree: Expr, facts: Facts) -> str | None:
    """Why nothing is proved about a resolved query; ``None`` where rules may work on it."""
    if facts.record.typed:
        try:
            require_meeting_types(tree, facts)
        except Unsupported as beyond:
            return str(beyond)
        return None
    for node in nodes_in(tree):
        if isinstance(node, exp.Collate) and node.expression.name.lower() != "binary":
            return "COLLATE decides which texts are equal"
        if isinstance(node, exp.AggFunc) and not isinstance(node, _BAG_AGGREGATES):
            if not isinstance(node.parent, exp.Window):
                return f"{node.sql_name().lower()} depends on the order of rows"
        elif isinstance(node, exp.Anonymous) and str(node.this).lower() in _OTHER_AGGREGATES:
            return f"{str(node.this).lower()} depends on the order of rows"
        if isinstance(node, exp.In) and not node.expressions and node.args.get("query") is None:
            return "IN with an empty list"
        if isinstance(node, exp.SetOperation) and _folds_types(node, facts):
            return "a set operation inside a query folds values of different types"
    return None


def _folds_types(node: exp.SetOperation, facts: Facts) -> bool:
    """Whether rows that are equal and yet not the same are folded, and may be told apart."""
    whole: Expr = node
    while isinstance(whole.parent, exp.SetOperation):
        whole = whole.parent
    if whole.parent is None or is_tested(whole) or not node.args.get("distinct"):
        return False
    sides = list(leaves(node))
    for columns in zip(*(side.expressions for side in sides), strict=True):
        kinds = {facts.kind(column) for column in columns}
        if len(kinds) > 1 or not kinds <= {"integer", "real", "text"}:
            return True
    return False
