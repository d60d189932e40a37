"""Values of different kinds that meet, in dialects whose types are enforced.

Where an integer is compared with a text, each engine has its own opinion: an error, a number, a
text. So only values of one kind may meet: in a comparison, a list, the branches of a CASE, the
sides of a set operation. A text in quotes may stand for a date or another value of that kind.
Values that can be equal and yet differ (MySQL's texts under most collations, intervals, padded
texts) may be compared; where they are folded, ``folding.py`` says when.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.inner_order import ROW_TEXTS
from sqlverdict.prove.reasoning.shape import (
    COMPARISONS,
    column_name,
    is_aggregate,
    leaves,
    nodes_in,
    source_label,
)
from sqlverdict.prove.reasoning.stored import has_exact_type
from sqlverdict.prove.resolve.engine_limits.joint_operands import (
    require_comparisons_apart,
    require_room,
)
from sqlverdict.prove.resolve.engine_limits.operation_types import (
    aggregate_type,
    arithmetic_type,
    call_type,
    function_type,
    nullif_type,
    require_one_part,
    require_row_comparison,
    row_text_type,
    type_of_cast,
)
from sqlverdict.prove.resolve.engine_limits.outer_texts import require_like_texts
from sqlverdict.prove.resolve.engine_limits.own_types import (
    column_type,
    has_forms,
    has_patterns,
    is_sorted,
    lasting,
    may_differ,
)
from sqlverdict.prove.resolve.engine_limits.quotients import require_lasting_quotients
from sqlverdict.prove.resolve.engine_limits.sort_terms import require_shown_terms
from sqlverdict.prove.resolve.folding import (
    FOLDED,
    ShownTexts,
    are_unseen,
    folded_columns,
    has_one_value,
    is_idle,
    sees_one_value,
)
from sqlverdict.prove.resolve.one_value import require_determined, require_single_rows
from sqlverdict.prove.resolve.quoted_values import takes_quotes
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.unknown_calls import gives_digits

ValueType = str
"""A kind of values: as ``Values`` has them, where integers and doubles are a ``number``; or a type
of the dialect's own (``own_types.py``). ``literal`` is a text in quotes, ``null`` the word NULL:
either takes the kind beside it."""

_OPERATIONS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Abs)
_CHOICES = ("CASE", "IF", "COALESCE", "NULLIF")
_MOMENTS = frozenset({"date", "timestamp"})
_TEXTS = (exp.Lower, exp.Upper, exp.Substring, exp.Length)


def require_meeting_types(tree: Expr, facts: Facts) -> Sequence[ShownTexts]:
    """Refuse a resolved tree in which values of different kinds meet.

    Returns:
        Where its engine chooses which of several equal texts is shown, outer queries first.

    Raises:
        Unsupported: engines may disagree about what it means.
    """
    require_lasting_quotients(tree, facts)
    types = _ValueTypes(facts)
    types.whole(tree)
    return types.group_texts


class _ValueTypes:
    """The types of a tree's expressions."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.record = facts.record
        self.outputs: dict[tuple[int, int], ValueType] = {}  # by identity, for one tree as it is
        self.group_texts: list[ShownTexts] = []

    def whole(self, tree: Expr) -> None:
        """The types of a whole query."""
        for query in nodes_in(tree):
            if isinstance(query, exp.Select):
                self.select(query)
            elif isinstance(query, exp.SetOperation):
                self.sides(query)
        require_single_rows(tree, self.facts)
        require_like_texts(tree, self.facts, self.of)

    def select(self, select: exp.Select) -> None:
        """The types of all expressions of a SELECT."""
        outputs = [self.of(item) for item in select.expressions]
        for part in ("where", "having"):
            clause = select.args.get(part)
            if clause is not None:
                self._condition(clause.this)
        for on in (join.args.get("on") for join in select.args.get("joins") or ()):
            if on is not None:
                self._condition(on)
        group, order = select.args.get("group"), select.args.get("order")
        terms = list(group.expressions) if group is not None else []
        grouped = [self.of(term) for term in terms]
        ordered = [self.of(term.this) for term in (order.expressions if order is not None else ())]
        self._sorted(*grouped, *ordered, *(outputs if select.args.get("distinct") else ()))
        if select.args.get("distinct") and not is_idle(select, self.facts):
            self._fold_terms(select, select.expressions, outputs)
        folded = {own for own in grouped if may_differ(own, self.record)}
        if not (folded <= {"collated"} and are_unseen(select, terms)):
            self._fold_terms(select, terms, grouped)
        require_determined(select, self.facts)
        require_shown_terms(select, self.record)

    def _fold_terms(
        self, select: exp.Select, terms: Sequence[Expr], types: Sequence[ValueType]
    ) -> None:
        """Rows that agree in these terms become one: which of several equal texts it shows."""
        folded = [
            term
            for term, own in zip(terms, types, strict=True)
            if may_differ(own, self.record) and not self._is_exact(term)
        ]
        exact = [term for term in terms if term not in folded]
        if not folded or has_one_value(select, self.facts, folded, exact):
            return
        columns = folded_columns(folded)
        kinds = {own for term, own in zip(terms, types, strict=True) if term in columns}
        if self.record.exact_texts or kinds != {"collated"}:
            raise Unsupported(FOLDED)
        self.group_texts.append((select, columns))

    def _is_exact(self, term: Expr) -> bool:
        """Whether equal values of a term are the same, whatever its type."""
        if not isinstance(term, exp.Column):
            return gives_digits(term) and {self.of(part) for part in term.expressions} <= _MOMENTS
        return has_exact_type(term, self.facts)

    def sides(self, node: exp.SetOperation) -> None:
        """The types of the columns of a set operation's sides, pair by pair."""
        order = node.args.get("order")
        terms = {term.this.name for term in (order.expressions if order is not None else ())}
        for number in range(len(next(iter(leaves(node))).expressions)):
            columns = [side.expressions[number] for side in leaves(node)]
            common = self._output(node, number)
            if common == "literal" and any(not isinstance(c, exp.Literal) for c in columns):
                raise Unsupported("a set operation over texts in quotes")
            require_room(columns, common, "a set operation", self.facts)
            if folds := node.args.get("distinct") or not isinstance(node, exp.Union):
                self._fold([common])
            if folds or f"c{number}" in terms:
                self._sorted(common)

    def _output(self, query: Expr, number: int) -> ValueType:
        """The type of a query's column, which may still take that of what it is united with."""
        if isinstance(query, exp.Subquery):
            return self._output(query.this, number)
        key = id(query), number
        if key not in self.outputs:
            self.outputs[key] = self._type_of_output(query, number)
        return self.outputs[key]

    def _type_of_output(self, query: Expr, number: int) -> ValueType:
        if isinstance(query, exp.SetOperation):
            sides = (query.this, query.expression)
            columns = [side.expressions[number] for side in sides if isinstance(side, exp.Select)]
            kinds = {self._output(side, number) for side in sides}
            common = self._common(kinds, columns, "a set operation")
            # PostgreSQL unites two sides at a time, and has sorted and grouped those first.
            return lasting(common, self.record) if self.record.strict_types else common
        column = query.expressions[number]
        order, group = query.args.get("order"), query.args.get("group")
        used = [term.this for term in order.expressions] if order is not None else []
        used += group.expressions if group is not None else []
        own = self.of(column)
        return lasting(own, self.record) if query.args.get("distinct") or column in used else own

    def _sorted(self, *types: ValueType) -> None:
        if not all(is_sorted(own, self.record) for own in types):
            raise Unsupported("values that may be of a type without order are compared")

    def _fold(self, types: Iterable[ValueType]) -> None:
        if any(may_differ(own, self.record) for own in types):
            raise Unsupported(FOLDED)

    def _condition(self, node: Expr) -> None:
        own = self.of(node)
        is_number = own == "number" and self.record.number_conditions
        if not is_number and own not in ("boolean", "null"):
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
                own = self.of(node.this)
                if not isinstance(node.expression, exp.Boolean):
                    require_one_part(own, self.record)
                elif own != "boolean":
                    raise Unsupported("IS TRUE of something other than a truth value")
                return "boolean"
            case exp.NullSafeEQ() | exp.NullSafeNEQ():
                require_one_part(
                    self._compared([node.this, node.expression], node.key), self.record
                )
                return "boolean"
            case exp.Nullif():
                return self._nullif(node)
            case exp.Cast():
                return type_of_cast(node, self.of(node.this), self.facts)
            case exp.Anonymous():
                return call_type(node, set(map(self.of, node.expressions)), self.record)
            case exp.Between():
                return self._joint([node.this, node.args["low"], node.args["high"]], "BETWEEN")
            case exp.In():
                return self._in(node)
            case exp.Like():
                texts = (node.this, node.expression)
                if not all(has_patterns(self.of(text), self.record) for text in texts):
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
                return lasting(self._output(node.this, 0), self.record)
            case exp.Filter():
                self._condition(node.expression.this)
                return self.of(node.this)
        if isinstance(node, COMPARISONS):
            self._compared([node.this, node.expression], node.key)
            return "boolean"
        if isinstance(node, _OPERATIONS):
            kinds = {self.of(part) for part in node.iter_expressions()}
            return arithmetic_type(node, kinds, self.facts)
        if isinstance(node, _TEXTS):
            return function_type(node, self.of(node.this), self.record.exact_texts)
        if is_aggregate(node):
            return self._aggregate(node)
        raise Unsupported(f"{node.key} in this dialect")

    def _aggregate(self, node: Expr) -> ValueType:
        inner = node.this
        if inner is None or (isinstance(inner, exp.Distinct) and not inner.expressions):
            raise Unsupported(f"{node.key} of nothing")
        if isinstance(node, ROW_TEXTS):
            return row_text_type(node, self.of, self.facts)
        if isinstance(inner, exp.Star):
            return "number"
        own = self.of(inner.expressions[0] if isinstance(inner, exp.Distinct) else inner)
        if isinstance(inner, exp.Distinct):
            self._sorted(own)
        if isinstance(node, exp.Max | exp.Min) and not sees_one_value(node, self.facts):
            self._fold([own])
        return lasting(aggregate_type(node, own, self.facts), self.record)

    def _case(self, node: exp.Case) -> ValueType:
        for branch in node.args["ifs"]:
            if node.this is None:
                self._condition(branch.this)
                continue
            kinds = {lasting(self.of(node.this), self.record), self.of(branch.this)}
            self._sorted(self._common(kinds, [node.this, branch.this], "WHEN"))
        results = [branch.args["true"] for branch in node.args["ifs"]]
        return self._one([*results, node.args.get("default")], "CASE")

    def _nullif(self, node: exp.Nullif) -> ValueType:
        own = self._compared([node.this, node.expression], "NULLIF")
        return nullif_type(self.of(node.this), own)

    def _in(self, node: exp.In) -> ValueType:
        query = node.args.get("query")
        if query is None and not node.expressions:
            raise Unsupported("IN with an empty list")
        parts = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        if query is not None:
            inner = query.this if isinstance(query, exp.Subquery) else query
            width = len(next(iter(leaves(inner))).expressions)
            if isinstance(node.this, exp.Tuple):
                require_row_comparison({len(parts), width}, self.record)
            for number, part in enumerate(parts):
                output = lasting(self._output(inner, number), self.record)
                common = self._common({self.of(part), output}, [part], "IN")
                self._sorted(common)
                members = [side.expressions[number] for side in leaves(inner)]
                require_room([part, *members], common, "IN", self.facts)
        elif isinstance(node.this, exp.Tuple):
            self._rows([parts, *(member.expressions for member in node.expressions)])
        else:
            self._joint([node.this, *node.expressions], "IN")
        return "boolean"

    def _joint(self, operands: Sequence[Expr], where: str) -> ValueType:
        if self._compared(operands, where) == "number":
            require_comparisons_apart(operands, where, self.facts)
        return "boolean"

    def _window(self, node: exp.Window) -> ValueType:
        order = node.args.get("order")
        terms = [term.this for term in order.expressions] if order is not None else []
        if any(map(has_forms, map(self.of, [*(node.args.get("partition_by") or ()), *terms]))):
            raise Unsupported("a window over values that are equal and may differ")
        if isinstance(node.this, exp.RowNumber | exp.Rank | exp.DenseRank):
            return "number"
        if not isinstance(node.this, exp.Count | exp.Sum | exp.Avg | exp.Min | exp.Max):
            raise Unsupported(f"{node.this.key} in this dialect")
        return self._aggregate(node.this)

    def _rows(self, rows: Sequence[Sequence[Expr]]) -> None:
        """The types of rows that are compared part by part."""
        require_row_comparison(set(map(len, rows)), self.record)
        for parts in zip(*rows, strict=True):
            self._compared(parts, "IN")

    def _compared(self, nodes: Iterable[Expr | None], where: str) -> ValueType:
        """The one type of several expressions that are compared."""
        kind = self._one(nodes, where)
        self._sorted(kind)
        return kind

    def _one(self, nodes: Iterable[Expr | None], where: str) -> ValueType:
        """The one type of several expressions."""
        present = list(filter(None, nodes))
        own = self._common(set(map(self.of, present)), present, where)
        require_room(present, own, where, self.facts)
        return lasting(own, self.record) if where in _CHOICES else own

    def _common(self, types: Iterable[ValueType], nodes: Iterable[Expr], where: str) -> ValueType:
        """The one type of values of these types; texts in quotes are among the nodes."""
        kinds = set(types) - {"null"}
        firm = kinds - {"literal"}
        if not firm:
            return "literal" if kinds else "null"
        if len(firm) > 1:
            raise Unsupported(f"{where} of {' and '.join(sorted(firm))}")
        kind = firm.pop()
        quoted = [node for node in nodes if isinstance(node, exp.Literal) and node.is_string]
        if "literal" in kinds and not takes_quotes(self.record, kind, where, quoted):
            raise Unsupported(f"{where} of a {kind} and a text in quotes")
        return kind

    def _column(self, node: exp.Column) -> ValueType:
        label, name = column_name(node)
        if not label:
            return "other"  # A term of ORDER BY above a set operation.
        table = self.facts.table(label)
        if table is not None:
            labels = self.facts.schema.has_labels
            return "untyped" if labels else column_type(table, name, self.record)
        source = self.facts.home(node)
        if source is None or not isinstance(source[1], exp.Subquery):
            raise Unsupported(f"the column {source_label(node)}.{name}")
        return lasting(self._output(source[1].this, int(name[1:])), self.record)
