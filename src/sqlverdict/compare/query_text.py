"""One text for an expression, whatever its spelling, and which table a column belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold

if TYPE_CHECKING:
    from sqlglot.expressions import Column, Expr

UNKNOWN = "?"
"""The table of a column that could be of several."""

_PLACE = "sqlverdict_place"
_REALS = ("REAL", "FLOAT", "DOUBLE", "DECIMAL", "NUMERIC")
_FREE_ORDER = ("add", "and", "eq", "mul", "neq", "or")
_SPELLING = ("alias", "quoted", "big_int", "typed", "safe")
"""Arguments of a node that say how it was written, not what it means."""

_FLIPPED = {"gt": "lt", "gte": "lte"}


class Names:
    """What the names in a query mean.

    ``tables`` are the base tables that it reads; ``repeats`` says whether it reads one twice.

    Args:
        tree: The query; a copy of one's own, for its columns are marked.
        schema: Its schema, if known.
        same: From a column to another that it is joined with, which then stands for both.
    """

    def __init__(
        self, tree: Expr, schema: Schema | None, same: Mapping[str, str] | None = None
    ) -> None:
        from sqlglot import exp

        self._schema = schema
        self._same = same or {}
        self._ctes = {fold(cte.alias) for cte in tree.find_all(exp.CTE)}
        read = [fold(node.name) for node in tree.find_all(exp.Table) if node.name]
        self.tables = {name for name in read if name not in self._ctes}
        self.repeats = len(set(read)) < len(read)
        for column in tree.find_all(exp.Column):
            # Noted on the node, so that a copy of it still knows.
            column.meta[_PLACE] = self._find(column)

    def place(self, column: Expr) -> str:
        """``table.column``, ``?.column``, or nothing where it is a string or a star."""
        own = self.own_place(column)
        return self._same.get(own, own)

    def own_place(self, column: Expr) -> str:
        """As :meth:`place`, before joined columns are taken for one."""
        return str(column.meta.get(_PLACE, ""))

    def table(self, source: Expr) -> str:
        """The base table of a member of FROM; a subquery is known by its alias."""
        return fold(source.name or source.alias_or_name)

    def behind(self, node: Expr) -> Expr:
        """What a sort or group key means, where it is the alias of an output column."""
        from sqlglot import exp

        if not isinstance(node, exp.Column) or node.table:
            return node
        select = node.find_ancestor(exp.Select)
        for output in select.expressions if select is not None else ():
            if isinstance(output, exp.Alias) and fold(output.alias) == fold(node.name):
                found: Expr = output.this
                return found
        return node

    def _find(self, column: Column) -> str:
        from sqlglot import exp

        if isinstance(column.this, exp.Star):
            return ""
        name, qualifier = fold(column.name), fold(column.table)
        select = column.find_ancestor(exp.Select)
        around: list[str] = []
        while select is not None:
            sources = list(_sources(select))
            if qualifier:
                for source in sources:
                    if fold(source.alias_or_name) == qualifier:
                        base = self.table(source) if isinstance(source, exp.Table) else UNKNOWN
                        return f"{UNKNOWN if base in self._ctes else base}.{name}"
            else:
                found = self._bare(name, sources)
                if found is not None:
                    return found
                around += [self.table(source) for source in sources]
            select = select.find_ancestor(exp.Select)
        quoted = isinstance(column.this, exp.Identifier) and column.this.quoted
        if quoted and not qualifier and self._schema is not None and not self._is_column(name):
            return ""
        return f"{around[0] if len(set(around)) == 1 else UNKNOWN}.{name}"

    def _bare(self, name: str, sources: list[Expr]) -> str | None:
        """The one table of these that has a column of that name, by the schema."""
        if self._schema is None:
            return None
        owners = {
            fold(table.name)
            for source in sources
            for table in [self._schema.table(source.name)]
            if table is not None and table.column(name) is not None
        }
        return f"{owners.pop()}.{name}" if len(owners) == 1 else None

    def _is_column(self, name: str) -> bool:
        assert self._schema is not None
        return any(table.column(name) is not None for table in self._schema.tables)


def _sources(select: Expr) -> Iterator[Expr]:
    start = select.args.get("from_")
    if start is not None:
        yield start.this
    for join in select.args.get("joins") or ():
        yield join.this


def key(node: Expr | None, names: Names, *, literals: bool = True) -> str:
    """One text for all spellings of an expression.

    Args:
        node: The expression.
        names: What its names mean.
        literals: False writes the same text for every literal.
    """
    from sqlglot import exp

    def say(node: Expr | None) -> str:
        return key(node, names, literals=literals)

    if node is None:
        return ""
    if isinstance(node, exp.Paren | exp.Alias | exp.Subquery):
        return say(node.this)
    if isinstance(node, exp.Column):
        return names.place(node) or (_literal(node.name, literals) if node.name else "*")
    if isinstance(node, exp.Literal):
        return _literal(node.name, literals)
    if isinstance(node, exp.Table):
        return names.table(node)
    if isinstance(node, exp.Cast) and node.to.sql("sqlite").upper().startswith(_REALS):
        return say(node.this)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return _literal(f"-{node.this.name}", literals)
    if isinstance(node, exp.Between):
        low, this, high = say(node.args["low"]), say(node.this), say(node.args["high"])
        return _joined("and", [f"lte({low}, {this})", f"lte({this}, {high})"])
    if isinstance(node, exp.In) and not node.args.get("query"):
        return _among(say(node.this), [say(value) for value in node.expressions])
    if isinstance(node, exp.Case) and len(node.args.get("ifs") or ()) == 1 and node.this is None:
        (only,) = node.args["ifs"]
        return _if(say(only.this), say(only.args.get("true")), say(node.args.get("default")))
    if isinstance(node, exp.If):
        return _if(say(node.this), say(node.args.get("true")), say(node.args.get("false")))
    if isinstance(node, exp.Or):
        return _or(node, say)
    if node.key in _FREE_ORDER:
        return _joined(node.key, [say(part) for part in _flat(node)])
    if node.key in _FLIPPED:
        return f"{_FLIPPED[node.key]}({say(node.expression)}, {say(node.this)})"
    return _other(node, names, literals)


def _other(node: Expr, names: Names, literals: bool) -> str:
    parts = []
    # By the grammar's order of the arguments: how a node was made must not show.
    for name in node.arg_types:
        value = node.args.get(name)
        if name in _SPELLING:
            continue
        for one in value if isinstance(value, list) else [value]:
            if hasattr(one, "args"):
                parts.append(key(one, names, literals=literals))
            elif one not in (None, False, ""):
                parts.append(fold(str(one)))
    return f"{node.key}({', '.join(parts)})"


def _flat(node: Expr) -> Iterator[Expr]:
    """The operands of a chain of one operator, parentheses aside."""
    from sqlglot import exp

    for side in (node.this, node.expression):
        while isinstance(side, exp.Paren):
            side = side.this
        if side.key == node.key and node.key not in ("eq", "neq"):
            yield from _flat(side)
        else:
            yield side


def _joined(name: str, parts: list[str]) -> str:
    if name == "mul":
        parts = [part for part in parts if part != "1"] or ["1"]
    unique = dict.fromkeys(parts) if name in ("and", "or") else parts
    ordered = sorted(unique)
    return ordered[0] if len(ordered) == 1 else f"{name}({', '.join(ordered)})"


def _or(node: Expr, say: object) -> str:
    """``x = 1 OR x = 2`` is ``x IN (1, 2)``."""
    from sqlglot import exp

    assert callable(say)
    parts = list(_flat(node))
    if all(isinstance(part, exp.EQ) for part in parts):
        columns = {say(part.this) for part in parts}
        if len(columns) == 1 and all(isinstance(part.this, exp.Column) for part in parts):
            return _among(columns.pop(), [say(part.expression) for part in parts])
    return _joined("or", [say(part) for part in parts])


def _among(this: str, values: list[str]) -> str:
    if len(values) == 1:
        return _joined("eq", [this, values[0]])
    return f"in({this}; {', '.join(sorted(set(values)))})"


def _if(condition: str, yes: str, no: str) -> str:
    return f"if({condition}, {yes}, {'' if no == 'null()' else no})"


def _literal(text: str, literals: bool) -> str:
    if not literals:
        return "?"
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return f"'{text}'"
    if not number.is_finite():
        return f"'{text}'"
    if text.strip().lstrip("-").startswith("0") and "." not in text and number != 0:
        return f"'{text}'"  # a code such as 0017 is no number
    whole = number == number.to_integral_value() and abs(number) < 10**18
    return str(int(number)) if whole else str(number.normalize())
