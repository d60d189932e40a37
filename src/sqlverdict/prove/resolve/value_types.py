"""Values of different kinds that meet, in dialects whose types are enforced.

Where an integer is compared with a text, each engine has its own opinion: an error, a number, a
text. So only values of one kind may meet: in a comparison, a list, the branches of a CASE, the
sides of a set operation. A text in quotes may stand for a date or another value of that kind.
Values that can be equal and yet differ (MySQL's texts under most collations, intervals, padded
texts) may be compared; where they are folded, ``folding.py`` says when.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schemas.column_types import column_values, has_exact_values
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.fractions import is_mean, quotient_objection
from sqlverdict.prove.reasoning.shape import (
    column_name,
    is_aggregate,
    leaves,
    nodes_in,
    source_label,
    whole_number,
)
from sqlverdict.prove.resolve.common_sql import COMPARISONS
from sqlverdict.prove.resolve.folding import (
    FOLDED,
    are_unseen,
    has_one_value,
    is_idle,
)
from sqlverdict.prove.resolve.one_value import require_determined, require_single_rows
from sqlverdict.prove.resolve.quoted_values import takes_quotes
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.unknown_calls import call_kind, gives_digits

ValueType = Literal[
    "number",
    "text",
    "collated",
    "boolean",
    "date",
    "time",
    "timestamp",
    "uuid",
    "other",
    "literal",
    "null",
]
"""``literal`` is a text in quotes, ``null`` the word NULL: either takes the kind beside it."""

_LABELS = ("tables_json", "assumed")
"""Schemas whose types are labels for people."""

_NUMERIC = ("integer", "real", "number")
_OPERATIONS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Abs)
_PATTERNS = frozenset({"text", "collated", "literal", "other"})
_MOMENTS = frozenset({"date", "timestamp"})
_TEXTS = (exp.Lower, exp.Upper, exp.Substring)


def require_meeting_types(tree: Expr, facts: Facts) -> None:
    """Refuse a resolved tree in which values of different kinds meet.

    Raises:
        Unsupported: engines may disagree about what it means.
    """
    if (objection := quotient_objection(tree, facts)) is not None:
        raise Unsupported(objection)
    facts.cited.clear()
    _ValueTypes(facts).whole(tree)


class _ValueTypes:
    """The types of a tree's expressions."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.record = facts.record

    def whole(self, tree: Expr) -> None:
        """The types of a whole query."""
        for query in nodes_in(tree):
            if isinstance(query, exp.Select):
                self.select(query)
            elif isinstance(query, exp.SetOperation):
                self.sides(query)
        require_single_rows(tree, self.facts)

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
        terms = list(group.expressions) if group is not None else []
        grouped = [self.of(term) for term in terms]
        for term in order.expressions if order is not None else ():
            self.of(term.this)
        if select.args.get("distinct") and not is_idle(select, self.facts):
            self._fold_terms(select, select.expressions, outputs)
        if not set(filter(self._may_differ, grouped)) <= {"collated"} or not are_unseen(
            select, terms
        ):
            self._fold_terms(select, terms, grouped)
        require_determined(select, self.facts)

    def _fold_terms(
        self, select: exp.Select, terms: Sequence[Expr], types: Sequence[ValueType]
    ) -> None:
        """Rows that agree in these terms become one: which of several equal texts it shows."""
        folded = [
            term
            for term, own in zip(terms, types, strict=True)
            if self._may_differ(own) and not self._is_exact(term)
        ]
        if not folded:
            return
        exact = [term for term in terms if term not in folded]
        if not has_one_value(select, self.facts, folded, exact):
            raise Unsupported(FOLDED)

    def _may_differ(self, own: ValueType) -> bool:
        """Whether two values of a type can be equal and differ."""
        return own in ("other", "collated") or (own == "literal" and not self.record.exact_texts)

    def _is_exact(self, term: Expr) -> bool:
        """Whether equal values of a term are the same, whatever its type."""
        if not isinstance(term, exp.Column):
            return gives_digits(term) and {self.of(part) for part in term.expressions} <= _MOMENTS
        label, name = column_name(term)
        table = self.facts.table(label) if self.facts.schema.source not in _LABELS else None
        column = table.column(name) if table is not None else None
        return column is not None and has_exact_values(column, self.facts.dialect)

    def sides(self, node: exp.SetOperation) -> None:
        """The types of the columns of a set operation's sides, pair by pair."""
        sides = list(leaves(node))
        for columns in zip(*(side.expressions for side in sides), strict=True):
            common = self._one(columns, "a set operation")
            if common == "literal" and any(not isinstance(c, exp.Literal) for c in columns):
                raise Unsupported("a set operation over texts in quotes")
            if node.args.get("distinct") or not isinstance(node, exp.Union):
                self._fold([common])

    def _fold(self, types: Iterable[ValueType]) -> None:
        if any(map(self._may_differ, types)):
            raise Unsupported(FOLDED)

    def _condition(self, node: Expr) -> None:
        own = self.of(node)
        if own == "number" and self.record.number_conditions:
            return
        if own not in ("boolean", "null"):
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
            case exp.Is() if isinstance(node.expression, exp.Boolean):
                if self.of(node.this) != "boolean":
                    raise Unsupported("IS TRUE of something other than a truth value")
                return "boolean"
            case exp.Is():
                self._whole(self.of(node.this))
                return "boolean"
            case exp.NullSafeEQ() | exp.NullSafeNEQ():
                self._whole(self._one([node.this, node.expression], node.key))
                return "boolean"
            case exp.Nullif():
                return self._one([node.this, node.expression], "NULLIF")
            case exp.Cast():
                return self._cast(node)
            case exp.Anonymous():
                kinds = {self.of(argument) for argument in node.expressions}
                return call_kind(node, kinds)  # type: ignore[return-value]
            case exp.Between():
                self._one([node.this, node.args["low"], node.args["high"]], "BETWEEN")
                return "boolean"
            case exp.In():
                return self._in(node)
            case exp.Like():
                if not {self.of(node.this), self.of(node.expression)} <= _PATTERNS:
                    raise Unsupported("LIKE beside something else than a text")
                return "boolean"
            case exp.Case():
                return self._case(node)
            case exp.If():
                self._condition(node.this)
                return self._one([node.args["true"], node.args.get("false")], "IF")
            case exp.Coalesce():
                return self._one([node.this, *node.expressions], "COALESCE")
            case exp.Window():
                return self._window(node)
            case exp.EQ() | exp.NEQ() if isinstance(node.this, exp.Tuple):
                self._rows([node.this.expressions, node.expression.expressions])
                return "boolean"
            case exp.Subquery():
                return self.of(next(iter(leaves(node.this))).expressions[0])
            case exp.Length():
                return self._function(node, "number")
            case exp.Filter():
                self._condition(node.expression.this)
                return self.of(node.this)
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

    def _whole(self, own: ValueType) -> None:
        if own == "other" and self.record.row_values:
            raise Unsupported("a test for NULL of a value that may have several parts")

    def _cast(self, node: exp.Cast) -> ValueType:
        """A CAST that never fails: of a number to another kind of number, or to a text."""
        is_text = node.args["to"].this == exp.DType.TEXT
        if self.of(node.this) != "number" or (is_text and not self.record.exact_texts):
            raise Unsupported("a CAST that may fail")
        if is_text and self.facts.kind(node.this) != "integer":
            raise Unsupported("a CAST of equal numbers that have several texts")
        return "text" if is_text else "number"

    def _arithmetic(self, node: Expr) -> ValueType:
        if any(self.of(part) not in ("number", "null") for part in node.iter_expressions()):
            raise Unsupported(f"{node.key} of something other than numbers")
        by_zero = self.record.division_by_zero
        divides = isinstance(node, exp.Div) and not whole_number(node.expression)
        if divides and by_zero != "null" and not is_mean(node):
            if by_zero == "error" or self.facts.kind(node.expression) != "integer":
                raise Unsupported("a division that may be by zero")
            self.facts.cited.clear()
        return "number"

    def _function(self, node: exp.Func, result: ValueType) -> ValueType:
        own = self.of(node.this)
        if own not in ("text", "collated"):
            raise Unsupported(f"{node.key} of something other than a text")
        for part in ("start", "length"):
            bound = node.args.get(part)
            if bound is not None and (whole_number(bound) or 0) < 1:
                # Zero and negative bounds count from the end in one engine and fail in another.
                raise Unsupported("a part of a text that does not start at a plain number")
        return own if result == "text" else result

    def _aggregate(self, node: Expr) -> ValueType:
        inner = node.this
        if inner is None:
            raise Unsupported(f"{node.key} of nothing")
        if isinstance(inner, exp.Star):
            return "number"
        folded = isinstance(inner, exp.Distinct)
        own = self.of(inner.expressions[0] if folded else inner)
        if isinstance(node, exp.Count):
            return "number"
        if isinstance(node, exp.Max | exp.Min):
            self._fold([own])
            return own
        if own == "boolean" and self.record.number_conditions:
            return "number"
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
        if isinstance(node.this, exp.Tuple):
            rows = [member.expressions for member in members]
            if query is not None:
                rows = [next(iter(leaves(inner))).expressions]
            self._rows([node.this.expressions, *rows])
            return "boolean"
        self._one([node.this, *members], "IN")
        return "boolean"

    def _window(self, node: exp.Window) -> ValueType:
        order = node.args.get("order")
        terms = [term.this for term in order.expressions] if order is not None else []
        if "other" in map(self.of, [*(node.args.get("partition_by") or ()), *terms]):
            raise Unsupported("a window over values that are equal and may differ")
        if isinstance(node.this, exp.RowNumber | exp.Rank | exp.DenseRank):
            return "number"
        if not isinstance(node.this, exp.Count | exp.Sum | exp.Avg | exp.Min | exp.Max):
            raise Unsupported(f"{node.this.key} in this dialect")
        return self._aggregate(node.this)

    def _rows(self, rows: Sequence[Sequence[Expr]]) -> None:
        """The types of rows that are compared part by part."""
        if "row_comparisons" not in self.record.rules or len(set(map(len, rows))) != 1:
            raise Unsupported("a comparison of rows")
        for parts in zip(*rows, strict=True):
            self._one(parts, "IN")

    def _one(self, nodes: Iterable[Expr | None], where: str) -> ValueType:
        """The one type of several expressions."""
        present = [node for node in nodes if node is not None]
        kinds = {self.of(node) for node in present} - {"null"}
        firm = kinds - {"literal"}
        if not firm:
            return "literal" if kinds else "null"
        if len(firm) > 1:
            raise Unsupported(f"{where} of {' and '.join(sorted(firm))}")
        kind = firm.pop()
        quoted = [node for node in present if isinstance(node, exp.Literal) and node.is_string]
        if "literal" in kinds and not takes_quotes(self.record, kind, where, quoted):
            raise Unsupported(f"{where} of a {kind} and a text in quotes")
        return kind

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
