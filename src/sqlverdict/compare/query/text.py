"""One text for an expression, whatever its spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from hashlib import blake2s
from typing import TYPE_CHECKING, Literal

from sqlverdict.compare.query.columns import Names, walk
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.tokens import fold

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

REALS = ("REAL", "FLOAT", "DOUBLE", "DECIMAL", "NUMERIC")
"""How types of fractions begin."""

_FREE_ORDER = frozenset({"add", "and", "eq", "mul", "neq", "or"})
_SPELLING = frozenset({"alias", "quoted", "big_int", "typed", "safe"})
"""Arguments of a node that say how it was written, not what it means."""

_FLIPPED = {"gt": "lt", "gte": "lte"}
_DEEPEST = 150
"""Below so many levels an expression is written as the kinds and names of its nodes, one by one."""

_LONGEST = 4_000
"""A longer text is replaced by its digest: nested queries must not repeat each other's texts."""


class Texts:
    """The texts of a query's expressions, each made once.

    Args:
        names: What its names mean; nodes are known by their identity, so keep the tree.
        literals: False writes the same text for every literal.
        counts: What is counted: ``exact`` as the query says it, ``rows`` takes a column that is
            never NULL for its row, ``any`` writes the same text for all.
    """

    def __init__(
        self,
        names: Names,
        *,
        literals: bool = True,
        counts: Literal["exact", "rows", "any"] = "exact",
    ) -> None:
        self._names = names
        self._literals = literals
        self._counts = counts
        self._texts: dict[int, tuple[Expr, str]] = {}
        self._level = 0

    def __call__(self, node: Expr | None) -> str:
        """One text for all spellings of an expression; empty for none."""
        if node is None:
            return ""
        # By identity: equal nodes of two places may mean two columns.
        known = self._texts.get(id(node))
        text = None if known is None else known[1]
        if text is None:
            self._level += 1
            form = _FORMS.get(node.key, _other) if self._level <= _DEEPEST else _node_list
            text = form(node, self)
            self._level -= 1
            if len(text) > _LONGEST:
                digest = blake2s(text.encode("utf-8", "surrogatepass")).hexdigest()
                text = f"{text[:40]}...{digest}"
            # The node is kept too, so that no other can take its id.
            self._texts[id(node)] = (node, text)
        return text

    def literal(self, text: str) -> str:
        """A literal's text: a number in quotes is that number."""
        return literal_text(text) if self._literals else "?"

    def column(self, node: Expr) -> str:
        """A column by its reference; a name that means none is a string, or a star."""
        column_ref = self._names.column_ref(node)
        return column_ref or (self.literal(node.name) if node.name not in ("", "*") else "*")

    def table(self, node: Expr) -> str:
        """A table without its alias."""
        return self._names.table(node)

    def count(self, node: Expr) -> str:
        """COUNT, and what it counts where that matters."""
        seen = getattr(node.this, "key", "")
        rows = self._counts == "rows" and seen == "column" and self._names.never_null(node.this)
        if rows or self._counts == "any":
            return "count(*)"
        return _other(node, self)


def literal_text(text: str) -> str:
    """A literal as a number where it is one, else in quotes."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return f"'{text}'"
    if not number.is_finite():
        return f"'{text}'"
    if text.strip().lstrip("-").startswith("0") and "." not in text and number != 0:
        return f"'{text}'"  # a code such as 0017 is no number
    # Written out, a number with a huge exponent would fill the memory.
    if abs(number.adjusted()) > len(text):
        return str(number)
    whole = number == number.to_integral_value() and abs(number) < 10**18
    return str(int(number)) if whole else str(number.normalize())


def flat(node: Expr) -> Iterator[Expr]:
    """The operands of a chain of one operator, parentheses aside."""
    waiting = [node.args.get("expression"), node.this]
    while waiting:
        side = waiting.pop()
        while getattr(side, "key", "") == "paren":
            side = side.this
        if side.key == node.key and node.key not in ("eq", "neq"):
            waiting += [side.args.get("expression"), side.this]
        else:
            yield side


def _inside(node: Expr, say: Texts) -> str:
    return say(node.this)


def _column(node: Expr, say: Texts) -> str:
    return say.column(node)


def _literal(node: Expr, say: Texts) -> str:
    return say.literal(node.name)


def _table(node: Expr, say: Texts) -> str:
    return say.table(node)


def _star(node: Expr, say: Texts) -> str:  # noqa: ARG001
    return "*"


def _count(node: Expr, say: Texts) -> str:
    return say.count(node)


def _cast(node: Expr, say: Texts) -> str:
    if node.args["to"].sql(DEFAULT_DIALECT).upper().startswith(REALS):
        return say(node.this)
    return _other(node, say)


def _negative(node: Expr, say: Texts) -> str:
    if node.this.key == "literal":
        return say.literal(f"-{node.this.name}")
    return _other(node, say)


def _between(node: Expr, say: Texts) -> str:
    low, this, high = say(node.args["low"]), say(node.this), say(node.args["high"])
    return _joined("and", [f"lte({low}, {this})", f"lte({this}, {high})"])


def _in(node: Expr, say: Texts) -> str:
    if node.args.get("query"):
        return _other(node, say)
    return _among(say(node.this), list(map(say, node.expressions)))


def _case(node: Expr, say: Texts) -> str:
    branches = list(node.args.get("ifs") or ())
    if len(branches) != 1 or node.args.get("this") is not None:
        return _other(node, say)
    only = branches[0]
    return _if(say(only.this), say(only.args.get("true")), say(node.args.get("default")))


def _branch(node: Expr, say: Texts) -> str:
    return _if(say(node.this), say(node.args.get("true")), say(node.args.get("false")))


def _or(node: Expr, say: Texts) -> str:
    """``x = 1 OR x = 2`` is ``x IN (1, 2)``."""
    parts = list(flat(node))
    if all(part.key == "eq" and part.this.key == "column" for part in parts):
        columns = {say(part.this) for part in parts}
        if len(columns) == 1:
            return _among(columns.pop(), [say(part.expression) for part in parts])
    return _joined("or", list(map(say, parts)))


def _free_order(node: Expr, say: Texts) -> str:
    return _joined(node.key, list(map(say, flat(node))))


def _flipped(node: Expr, say: Texts) -> str:
    return f"{_FLIPPED[node.key]}({say(node.args['expression'])}, {say(node.this)})"


def _other(node: Expr, say: Texts) -> str:
    parts = []
    # By the grammar's order of the arguments: how a node was made must not show.
    for name in node.arg_types:
        value = node.args.get(name)
        if name in _SPELLING:
            continue
        for one in value if isinstance(value, list) else [value]:
            if hasattr(one, "args"):
                parts.append(say(one))
            elif one not in (None, False, ""):
                # With its name: ASC and DESC are both one flag that is set.
                parts.append(f"{name}:{fold(str(one))}")
    return f"{node.key}({', '.join(parts)})"


def _node_list(node: Expr, say: Texts) -> str:  # noqa: ARG001
    return " ".join(f"{one.key}:{fold(one.name)}" for one in walk(node))


def _joined(name: str, parts: list[str]) -> str:
    if name == "mul":
        parts = [part for part in parts if part != "1"] or ["1"]
    unique = dict.fromkeys(parts) if name in ("and", "or") else parts
    ordered = sorted(unique)
    return ordered[0] if len(ordered) == 1 else f"{name}({', '.join(ordered)})"


def _among(this: str, values: list[str]) -> str:
    if len(values) == 1:
        return _joined("eq", [this, values[0]])
    return f"in({this}; {', '.join(sorted(set(values)))})"


def _if(condition: str, yes: str, no: str) -> str:
    return f"if({condition}, {yes}, {'' if no == 'null()' else no})"


_FORMS: dict[str, Callable[[Expr, Texts], str]] = {
    **dict.fromkeys(("paren", "alias", "subquery"), _inside),
    "column": _column,
    "literal": _literal,
    "table": _table,
    "count": _count,
    "star": _star,
    "cast": _cast,
    "neg": _negative,
    "between": _between,
    "in": _in,
    "case": _case,
    "if": _branch,
    **dict.fromkeys(_FREE_ORDER, _free_order),
    "or": _or,
    **dict.fromkeys(_FLIPPED, _flipped),
}
"""How a node of each kind is written; any other kind by its name and its arguments."""
