"""What our parser loses or reads otherwise, and is refused; ordinals and names of outputs."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Affinity, affinity
from sqlverdict.parse.tokens import pieces
from sqlverdict.prove.resolve.scope import NAMELESS, EngineRefusal, Unsupported
from sqlverdict.records import Query

SELECT_PARTS = frozenset(
    {"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset"}
    | {"distinct", "with_"}
)
JOIN_PARTS = frozenset({"this", "on", "side", "kind", "using", "method"})
_UNREAD = (exp.Parameter, exp.Placeholder, exp.Lateral, exp.Unnest)
_CHANCE = frozenset(
    {"rand", "random", "randomblob", "changes", "total_changes", "last_insert_rowid"}
    | {"sqlite_version", "sqlite_source_id", "sqlite_offset"}
)
"""Functions whose value depends on chance or on the connection, not on the database."""

_HINTS = frozenset({"likely", "unlikely", "likelihood"})

_RANGES = (exp.In, exp.Between, exp.Like, exp.Glob, exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ)
_SUMS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_LOOSER: dict[type, tuple[type[Expr], ...]] = {
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE), _RANGES),
    **dict.fromkeys((*_RANGES, exp.RegexpLike), _RANGES),
    exp.DPipe: _SUMS,
    **dict.fromkeys(_SUMS, (exp.DPipe,)),
}
"""Operators beside which SQLite and our parser may bind another one differently."""


def cast_type(kind: Affinity) -> exp.DataType:
    """The type of a CAST in a resolved tree: all that counts of it is its affinity."""
    return exp.DataType(this=exp.DType.USERDEFINED, kind=kind)


def cast_affinity(node: exp.Cast) -> Affinity:
    """The affinity that a CAST gives, parsed or resolved."""
    declared = node.args["to"]
    if declared.this == exp.DType.USERDEFINED:
        return affinity(str(declared.args.get("kind") or ""))
    # The parser reads BLOB as VARBINARY; the names of all other types have their affinity.
    return "BLOB" if declared.this == exp.DType.VARBINARY else affinity(str(declared.this.value))


def refuse(node: Expr) -> None:
    """Refuse what is not read: odd constructs, chance, and precedence that parsers disagree on.

    Raises:
        Unsupported: it is one of these.
    """
    if isinstance(node, _UNREAD):
        raise Unsupported(type(node).__name__)
    if isinstance(node, exp.Func) and function_name(node) in _CHANCE:
        raise Unsupported(f"{function_name(node)}() has no certain value")
    looser = _LOOSER.get(type(node), ())
    for side in (node.args.get("this"), node.args.get("expression")) if looser else ():
        inner = side.this if isinstance(side, exp.Not) else side
        if isinstance(inner, looser):
            # SQLite reads ``a = b IN (1)`` as ``(a = b) IN (1)``, our parser as ``a = (b IN (1))``.
            raise Unsupported(f"{inner.key} beside {node.key} without parentheses")


def require_all_signs(query: Query) -> None:
    """Refuse a text with a plus that has no left operand: our parser drops it.

    ``ORDER BY +id`` is an expression, which sees the column ``id`` where the bare name means an
    alias; ``+s`` fails for a text.

    Raises:
        Unsupported: there is such a plus.
    """
    if sum(1 for _ in query.tree.find_all(exp.Add)) != pieces(query.sql).count("+"):
        raise Unsupported("a plus without a left operand")


def function_name(node: exp.Func) -> str:
    """The name of a called function, in lower case."""
    return str(node.this if isinstance(node, exp.Anonymous) else node.key).lower()


def alias_of(label: str) -> exp.TableAlias:
    """A label as a table's alias."""
    return exp.TableAlias(this=exp.Identifier(this=label, quoted=True))


def without_parentheses(term: Expr) -> Expr:
    """A term of GROUP BY or ORDER BY; a query for one value keeps its own pair."""
    while isinstance(term, exp.Paren):
        term = term.this
    return term


def ordinal(term: Expr, width: int) -> int | None:
    """The column that a whole number in GROUP BY or ORDER BY means, from 0; parentheses are idle.

    Raises:
        Unsupported: there is no such column, the number has a sign, or it is in disguise:
            SQLite looks through COLLATE and likely() for it.
    """
    term = without_parentheses(term)
    inner = _undisguised(term)
    if inner is not term and isinstance(inner, exp.Literal) and not inner.is_string:
        raise Unsupported("a number in GROUP BY or ORDER BY that is not plain")
    if isinstance(term, exp.Neg) and not any(term.find_all(exp.Column, exp.Query, exp.Func)):
        # SQLite computes the sign, and takes -(-1) for an ordinal.
        raise Unsupported("a number with a sign in GROUP BY or ORDER BY")
    if isinstance(term, exp.Literal) and not term.is_string and term.this.isdigit():
        number = int(term.this) - 1
        if not 0 <= number < width:
            raise EngineRefusal(f"the ordinal {term.this}")
        return number
    return None


def _undisguised(term: Expr) -> Expr:
    inner = term
    while isinstance(inner, exp.Collate | exp.Paren | exp.Neg | exp.Anonymous):
        if not isinstance(inner, exp.Anonymous):
            inner = inner.this
        elif function_name(inner) in _HINTS and inner.expressions:
            inner = inner.expressions[0]
        else:
            break
    return inner


def output_name(node: Expr) -> str:
    """The name that SQLite gives to a column without an alias, where it has a plain one."""
    return node.name if isinstance(node, exp.Column) else NAMELESS
