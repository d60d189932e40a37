"""What a rule may ask about a place in a resolved tree: facts, and what follows from them.

Every answer that leans on a fact cites it, so that a step can say why it holds. The types of a
schema are taken at their word: a column declared INTEGER holds integers or NULL, one declared
TEXT holds text or NULL. That is what "legal database" means throughout.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.parse.facts import Affinity, Fact, HasAffinity, NotNull, References, Unique
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    column_name,
    conditions,
    enclosing,
    is_aggregate,
    is_constant,
    is_grouped,
    is_integer_literal,
    is_padded,
    items,
    source_label,
)
from sqlverdict.prove.reasoning.strict import FUNCTIONS, OPERATORS, rejects_null
from sqlverdict.prove.resolve.engine_limits.own_types import exact_type
from sqlverdict.prove.resolve.parser_losses import cast_affinity

Kind = str
"""What values an expression has, NULL aside: ``integer``, ``real``, ``text``, ``number``, which may
be an integer or a real, or the name of a type of which two equal values are the same."""
_PLAIN = ("integer", "real", "number", "text")
_NUMERIC = ("INTEGER", "REAL", "NUMERIC")
_COMPARISONS = (
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is),
    *(exp.NullSafeEQ, exp.NullSafeNEQ),
)


_PARTIAL = (exp.Add, exp.Sub, exp.Mul, exp.Substring)
_CONVERTING = (exp.In, exp.Between, exp.Case, exp.SetOperation, exp.Tuple, exp.Collate)
"""What passes a column's affinity on, or compares with it."""


class Facts:
    """The facts of a schema, and questions about a tree's nodes.

    Args:
        schema: The tables.
        facts: What holds; any subset of the schema's facts.
        bases: The base table of each label that has one.
        dialect: The dialect of the queries. Elsewhere than in SQLite nothing has an affinity;
            values of different kinds never meet (see ``resolve/refusals.py``).
    """

    def __init__(
        self,
        schema: Schema,
        facts: Iterable[Fact],
        bases: dict[str, str],
        dialect: str = DEFAULT_DIALECT,
    ) -> None:
        self.schema = schema
        self.dialect = dialect
        self.record = dialect_of(dialect)
        self._is_typed = self.record.typed
        self.cited: dict[Fact, None] = {}
        self._not_null: dict[ColumnName, Fact] = {}
        self._typed: dict[ColumnName, HasAffinity] = {}
        self._unique: dict[str, list[tuple[frozenset[str], Fact]]] = {}
        self.references: list[References] = []
        # Which of several keys is used must not depend on the order of a set.
        for fact in sorted(facts, key=lambda fact: (str(fact), type(fact).__name__)):
            table = fold(fact.table)
            if isinstance(fact, NotNull):
                self._not_null[table, fold(fact.column)] = fact
            elif isinstance(fact, HasAffinity):
                self._typed[table, fold(fact.column)] = fact
            elif isinstance(fact, Unique):
                columns = frozenset(map(fold, fact.columns))
                self._unique.setdefault(table, []).append((columns, fact))
            elif isinstance(fact, References):
                self.references.append(fact)
        self.parents = frozenset(fold(fact.parent) for fact in self.references)
        self.rebase(bases)

    def over(self, bases: dict[str, str]) -> Facts:
        """The same facts for another tree."""
        other = object.__new__(Facts)
        other.__dict__.update(self.__dict__)
        other.cited = {}
        other.rebase(bases)
        return other

    def rebase(self, bases: dict[str, str]) -> None:
        """Take other labels for the base tables."""
        self.bases = bases
        self._columns: dict[str, frozenset[ColumnName]] = {}
        self._folded = {label: fold(name) for label, name in bases.items()}

    def cite(self, *facts: Fact) -> None:
        """Say that a step leans on facts."""
        self.cited.update(dict.fromkeys(facts))

    def nulls_first(self, falls: bool) -> bool:
        """Whether NULLs come first in an ORDER BY that does not say so."""
        return self.record.nulls_first(falls)

    # Sources

    def table(self, label: str) -> Table | None:
        """The base table behind a label."""
        name = self.bases.get(label)
        return self.schema.table(name) if name is not None else None

    def columns(self, label: str) -> frozenset[ColumnName] | None:
        """The columns of the base table behind a label."""
        columns = self._columns.get(label)
        if columns is None and label in self.bases:
            table = self.table(label)
            names = table.columns if table is not None else ()
            columns = frozenset((label, fold(column.name)) for column in names)
            self._columns[label] = columns
        return columns

    def home(self, column: Expr) -> tuple[Expr, Expr] | None:
        """The SELECT that a column's source belongs to, and the source."""
        label = source_label(column)
        around = column.parent
        while around is not None:
            if isinstance(around, exp.Select):
                for item in items(around):
                    if item.alias == label:
                        return around, item
            around = around.parent
        return None

    # Values

    def affinity(self, node: Expr) -> Affinity | None:
        """The affinity that SQLite gives an expression in a comparison; ``None``: none."""
        if isinstance(node, exp.Column):
            typed = self._typed_of(node)
            if typed is not None:
                self.cite(typed)
                return typed.affinity
            projection = self.projection(node)
            return self.affinity(projection) if projection is not None else None
        if isinstance(node, exp.Cast):
            return cast_affinity(node)
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select):
            return self.affinity(node.this.expressions[0])
        return self.affinity(node.this) if isinstance(node, exp.Collate) else None

    def kind(self, node: Expr) -> Kind | None:
        """What values an expression has, NULL aside; ``None``: not known."""
        if isinstance(node, exp.Literal):
            if node.is_string:
                return "text"
            return "integer" if is_integer_literal(node) else self._fraction
        if isinstance(node, exp.Column):
            return self._column_kind(node)
        if isinstance(node, exp.Count):
            return "integer"
        if isinstance(node, exp.Avg):
            return self._fraction
        if isinstance(node, exp.Div | exp.Predicate | exp.Not) and self._is_typed:
            return "number" if isinstance(node, exp.Div) else None
        if isinstance(node, exp.Sum | exp.Neg | exp.Abs):
            inner_kind = self.kind(node.this)
            return inner_kind if inner_kind in (None, "integer", "real") else "number"
        if isinstance(node, exp.Max | exp.Min) and not node.expressions:
            return self.kind(node.this)
        if isinstance(node, exp.Cast):
            return self._cast_kind(node)
        if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div):
            kinds = {self.kind(node.this), self.kind(node.expression)}
            if "real" in kinds and kinds <= {"real", "integer", "number"}:
                return "real"
            return "integer" if kinds == {"integer"} else "number"
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select):
            return self.kind(node.this.expressions[0])
        if isinstance(node, exp.Case):
            return self._kind_of_all(
                [*(b.args["true"] for b in node.args["ifs"]), node.args.get("default")]
            )
        if isinstance(node, exp.Coalesce):
            return self._kind_of_all([node.this, *node.expressions])
        if isinstance(node, exp.Length | exp.Predicate | exp.Not):
            return "integer"
        if isinstance(node, exp.Substring):
            # A part of a BLOB is a BLOB.
            return "text" if self.kind(node.this) in _PLAIN else None
        if isinstance(node, exp.Upper | exp.Lower) and self._is_typed:
            return "text" if self.kind(node.this) == "text" else None
        if isinstance(node, exp.Upper | exp.Lower | exp.DPipe):
            return "text"
        return None

    @property
    def _fraction(self) -> Kind:
        """What 2.5 and an average are: decimals in some engines."""
        return "number" if self._is_typed else "real"

    def _cast_kind(self, node: exp.Cast) -> Kind | None:
        target = cast_affinity(node)
        if target != "NUMERIC":
            return _AFFINITY_KINDS.get(target)
        inner = self.kind(node.this)
        return inner if inner in ("integer", "real") and not self._is_typed else "number"

    def _kind_of_all(self, nodes: Iterable[Expr | None]) -> Kind | None:
        """The kind of an expression that is one of several."""
        kinds = {
            self.kind(node) for node in nodes if node is not None and not isinstance(node, exp.Null)
        }
        if len(kinds) == 1:
            return kinds.pop()
        return "number" if kinds and kinds <= {"integer", "real", "number"} else None

    def _column_kind(self, node: exp.Column) -> Kind | None:
        typed = self._typed_of(node)
        if typed is not None:
            self.cite(typed)
            return _AFFINITY_KINDS.get(typed.affinity)
        projection = self.projection(node)
        return self.kind(projection) if projection is not None else self._own_kind(node)

    def _own_kind(self, column: Expr) -> Kind | None:
        """The type of a table's column, where equal values of it are the same."""
        label, name = column_name(column)
        table = self.table(label) if not self.schema.has_labels else None
        return exact_type(table, name, self.record) if table is not None else None

    def _typed_of(self, node: Expr) -> HasAffinity | None:
        label, name = column_name(node)
        base = self._folded.get(label)
        return self._typed.get((base, name)) if base is not None else None

    def projection(self, column: Expr) -> Expr | None:
        """The expression behind a derived table's column, where one SELECT makes it."""
        source = self.home(column)
        if source is None or not isinstance(source[1], exp.Subquery):
            return None
        inner = source[1].this
        number = int(column.name[1:]) if column.name[1:].isdigit() else -1
        if not isinstance(inner, exp.Select) or not 0 <= number < len(inner.expressions):
            return None
        projection: Expr = inner.expressions[number]
        return projection

    def comparable(self, left: Expr, right: Expr) -> bool:
        """Whether ``left = right`` means that both have the same value: no affinity interferes."""
        kinds = {self.kind(left), self.kind(right)}
        if self._is_typed:
            # An integer beyond 2^53 is converted beside a real, and then equal to its neighbour.
            return len(kinds) == 1 and not kinds & {None, "number"}
        return None not in kinds and (kinds == {"text"} or "text" not in kinds)

    def pins(self, column: Expr, other: Expr) -> bool:
        """Whether ``column = other`` leaves the column one value for each value of ``other``.

        Values that are equal count as one, as for UNIQUE and GROUP BY. False where SQLite
        converts the column instead of the other side: '1' and '01' are both equal to 1.
        """
        typed = self._typed_of(column) if isinstance(column, exp.Column) else None
        if typed is None or (self._is_typed and not is_constant(other)):
            if is_constant(other) and typed is None and self._own_kind(column) is not None:
                return True
            return self.comparable(column, other)
        if typed.affinity not in _NUMERIC and not is_constant(other):
            theirs = self._typed_of(other) if isinstance(other, exp.Column) else None
            if theirs is None or theirs.affinity != typed.affinity:
                return self.comparable(column, other)
            self.cite(theirs)
        self.cite(typed)
        return True

    def is_unconverted(self, node: Expr) -> bool:
        """Whether no comparison can tell if a node has a column's affinity or none."""
        around = node.parent
        if self._is_typed:
            return True
        if isinstance(around, _COMPARISONS):
            return self.comparable(around.this, around.expression)
        if isinstance(around, exp.Select):
            return around.parent is None or isinstance(around.parent, exp.Exists)
        return not isinstance(around, _CONVERTING)

    # NULL

    def never_null(self, node: Expr) -> bool:
        """Whether an expression is never NULL where it stands."""
        if isinstance(node, exp.Literal | exp.Boolean | exp.Count | exp.Exists):
            return True
        if isinstance(node, exp.Column):
            return self._column_never_null(node)
        if isinstance(node, exp.Is | exp.NullSafeEQ | exp.NullSafeNEQ):
            return True
        if isinstance(node, exp.Coalesce):
            return any(self.never_null(part) for part in (node.this, *node.expressions))
        if isinstance(node, exp.Not):
            return self.never_null(node.this)
        if isinstance(node, _PARTIAL) and not self._has_a_result(node):
            return False
        if isinstance(node, (*OPERATORS, *FUNCTIONS, exp.And, exp.Or)):
            return all(
                self.never_null(child)
                for child in node.iter_expressions()
                if not isinstance(child, exp.DataType)
            )
        if isinstance(node, exp.Case):
            default = node.args.get("default")
            results = [branch.args["true"] for branch in node.args["ifs"]]
            return default is not None and all(map(self.never_null, [*results, default]))
        if isinstance(node, exp.In) and node.expressions:
            return self.never_null(node.this) and all(map(self.never_null, node.expressions))
        return False

    def _has_a_result(self, node: Expr) -> bool:
        """Whether values have one: inf - inf, 0 * inf and a part of an empty BLOB are NULL."""
        if isinstance(node, exp.Substring):
            return self._is_typed or self.kind(node) is not None
        kinds = (self.kind(node.this), self.kind(node.expression))
        return kinds == ("integer",) * 2 or (not isinstance(node, exp.Mul) and "integer" in kinds)

    def _column_never_null(self, node: exp.Column) -> bool:
        source = self.home(node)
        if source is None:
            return False
        select, item = source
        if self._may_lack_a_row(node, select):
            return False
        if self._filtered(node, select):
            return True
        if is_padded(item):
            return False
        label, name = column_name(node)
        if label in self.bases:
            fact = self.not_null(label, name)
            if fact is not None:
                self.cite(fact)
            return fact is not None
        projection = self.projection(node)
        return projection is not None and self.never_null(projection)

    def _filtered(self, node: exp.Column, select: Expr) -> bool:
        """Whether WHERE lets no row pass in which the column is NULL, seen from behind WHERE."""
        inside = node
        while inside.parent is not None and inside.parent is not select:
            inside = inside.parent  # type: ignore[assignment]
        if isinstance(inside, exp.Where | exp.Join | exp.From):
            return False
        return any(rejects_null(condition, node) for condition in conditions(select))

    @staticmethod
    def _may_lack_a_row(node: exp.Column, select: Expr) -> bool:
        """Whether a column is shown beside aggregates without GROUP BY: NULL for no rows."""
        if select.args.get("group") is not None:
            return False
        inside: Expr = node
        while inside.parent is not None and inside.parent is not select:
            inside = inside.parent
            if is_aggregate(inside) and enclosing(inside) is select:
                return False
        return not isinstance(inside, exp.Where | exp.Join | exp.From) and is_grouped(select)

    # Keys

    def keys(self, label: str) -> list[tuple[frozenset[str], tuple[Fact, ...]]]:
        """The keys of a base table: column sets that are unique and never NULL, with the facts."""
        unique_keys = []
        for columns, fact in self.uniques(label):
            not_null = [self.not_null(label, column) for column in sorted(columns)]
            if None not in not_null:
                unique_keys.append(
                    (columns, (fact, *(other for other in not_null if other is not None)))
                )
        return unique_keys

    def uniques(self, label: str) -> list[tuple[frozenset[str], Fact]]:
        """Column sets of a base table that no two rows share, rows with a NULL aside."""
        base = self._folded.get(label)
        return self._unique.get(base, []) if base is not None else []

    def not_null(self, label: str, column: str) -> Fact | None:
        """The fact that a base column is never NULL, if it is one; outer joins aside."""
        base = self._folded.get(label)
        return self._not_null.get((base, column)) if base is not None else None


_AFFINITY_KINDS: dict[Affinity | None, Kind]
_AFFINITY_KINDS = {"INTEGER": "integer", "REAL": "real", "TEXT": "text"}
