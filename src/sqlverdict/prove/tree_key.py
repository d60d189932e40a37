"""When two resolved trees are the same: one text for all spellings that cannot matter.

Labels, the order of sources, of conjuncts, of the sides of ``=`` and of list members do not
matter in SQL: trees that differ in these alone get the same text. This is the kernel that a
proof ends in; everything else is a rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from itertools import permutations, product
from math import factorial

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.shape import column_name, is_inner, items, joins, leaves, parts

MOST_NAMINGS = 120
"""So many ways to tell the copies of a table apart are tried; beyond, they keep their order."""

_LONGEST_STEM = 2_000
_SWAPS = (exp.EQ, exp.NEQ, exp.Add, exp.Mul, exp.NullSafeEQ, exp.NullSafeNEQ)
_FLIPS: dict[type[Expr], str] = {exp.GT: "LT", exp.GTE: "LTE"}
_IGNORED = frozenset({"typed", "safe", "big_int", "_type", "parens"})
_OF_OPERATORS = _IGNORED | {"this", "expression"}

Names = Mapping[str, str]


def tree_key(tree: Expr, *, column_order: bool = True) -> str:
    """One text for a resolved tree and all its harmless variants.

    Args:
        tree: The query.
        column_order: Whether the order of the result's columns counts.
    """
    if not column_order and isinstance(tree, exp.SetOperation) and not tree.args.get("order"):
        tree = _sorted_columns(tree)
    return _query(tree, {}, 0, column_order)


def _sorted_columns(tree: Expr) -> Expr:
    """A set operation whose columns stand in an order of their own, the same on every side."""
    keys = column_keys(tree)
    order = sorted(range(len(keys)), key=keys.__getitem__)
    copy = tree.copy()
    for leaf in leaves(copy):
        leaf.set("expressions", [leaf.expressions[index] for index in order])
    return copy


def column_keys(tree: Expr) -> list[str]:
    """A text for each column of a query, for pairing the columns of two equal queries."""
    sides = list(leaves(tree))
    namings = [_naming(leaf, {}, 0, False) for leaf in sides]
    width = len(sides[0].expressions)
    return [
        "|".join(
            _text(leaf.expressions[i], names, 1) for leaf, names in zip(sides, namings, strict=True)
        )
        for i in range(width)
    ]


def clause_keys(select: Expr) -> dict[str, list[tuple[str, Expr]]]:
    """The parts of a SELECT by clause, each with a text that two equal queries share."""
    names = _naming(select, {}, 0, False)
    where, having = select.args.get("where"), select.args.get("having")
    group, order = select.args.get("group"), select.args.get("order")
    on = [part for join in joins(select) for part in parts(join.args.get("on"))]
    clauses: dict[str, list[Expr]] = {
        "where": [*on, *(parts(where.this) if where is not None else [])],
        "group": group.expressions if group is not None else [],
        "having": parts(having.this) if having is not None else [],
        "columns": select.expressions,
        "order": order.expressions if order is not None else [],
    }
    return {
        clause: [(_text(node, names, 1), node) for node in nodes]
        for clause, nodes in clauses.items()
    }


def same_expression(left: Expr, right: Expr) -> bool:
    """Whether two expressions of one tree are the same."""
    if isinstance(left, exp.Column) and isinstance(right, exp.Column):
        return column_name(left) == column_name(right)
    return left is right or expression_key(left) == expression_key(right)


def expression_key(node: Expr) -> str:
    """One text for an expression of a tree and its harmless variants; labels count."""
    return _text(node, {}, 0)


def _query(node: Expr, names: Names, depth: int, column_order: bool) -> str:
    if isinstance(node, exp.Subquery) and not node.alias:
        node = node.this
    if isinstance(node, exp.SetOperation):
        return _set_operation(node, names, depth)
    inner = _naming(node, names, depth, column_order)
    return _select(node, inner, depth, column_order)


def _set_operation(node: exp.SetOperation, names: Names, depth: int) -> str:
    kind = f"{node.key} {'distinct' if node.args.get('distinct') else 'all'}"
    if isinstance(node, exp.Except):
        sides = [_query(node.args[part], names, depth, True) for part in ("this", "expression")]
    else:
        sides = sorted(_flat(node, names, depth))
    return f"({kind} {sides} {_tail(node, names, depth)})"


def _flat(node: Expr, names: Names, depth: int) -> list[str]:
    """The sides of a chain of one associative set operation."""
    sides: list[str] = []
    for part in ("this", "expression"):
        side = node.args[part]
        alike = (
            type(side) is type(node)
            and bool(side.args.get("distinct")) == bool(node.args.get("distinct"))
            and side.args.get("order") is None
            and side.args.get("limit") is None
        )
        sides += _flat(side, names, depth) if alike else [_query(side, names, depth, True)]
    return sides


def _naming(select: Expr, outer: Names, depth: int, column_order: bool) -> Names:
    """Names for the sources of a SELECT: the best of all ways to tell copies apart."""
    groups: dict[str, list[str]] = {}
    for item in items(select):
        if isinstance(item, exp.Subquery):
            stem = _stem(_query(item.this, outer, depth + 1, True))
        else:
            stem = fold(item.name)
        groups.setdefault(f"{depth}:{stem}", []).append(item.alias)
    names = dict(outer)
    ways = 1
    for stem, labels in groups.items():
        for number, label in enumerate(labels):
            names[label] = stem if len(labels) == 1 else f"{stem}#{number}"
        ways *= factorial(len(labels))
    if ways == 1 or ways > MOST_NAMINGS:
        return names
    stems = list(groups)
    best: tuple[str, Names] | None = None
    for choice in product(*(permutations(groups[stem]) for stem in stems)):
        naming = dict(names)
        for stem, labelling in zip(stems, choice, strict=True):
            if len(labelling) > 1:
                naming.update({label: f"{stem}#{n}" for n, label in enumerate(labelling)})
        text = _select(select, naming, depth, column_order)
        if best is None or text < best[0]:
            best = (text, naming)
    assert best is not None
    return best[1]


def _stem(text: str) -> str:
    """What a derived table is called: its text, or a digest of a long one.

    Every column names it. Texts of tables inside tables would grow with a power of their depth.
    """
    return (
        text
        if len(text) <= _LONGEST_STEM
        else blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    )


def _select(node: Expr, names: Names, depth: int, column_order: bool) -> str:
    columns = [_text(item, names, depth + 1) for item in node.expressions]
    if not column_order:
        columns.sort()
    sources, conditions = _sources(node, names, depth)
    where = node.args.get("where")
    if where is not None:
        conditions += [_text(part, names, depth + 1) for part in parts(where.this)]
    group = node.args.get("group")
    grouped = sorted({_text(t, names, depth + 1) for t in group.expressions}) if group else None
    having = node.args.get("having")
    filtered = sorted({_text(p, names, depth + 1) for p in parts(having.this)}) if having else []
    clauses = (
        f"{'distinct ' if node.args.get('distinct') else ''}{columns}",
        f"from {sources}",
        f"where {sorted(set(conditions))}",
        f"group {grouped} having {filtered}",
        _tail(node, names, depth),
        _extreme_row(node, names, depth),
    )
    return f"(select {' '.join(clauses)})"


def _extreme_row(node: Expr, names: Names, depth: int) -> str:
    """The calls that choose the row of a bare column (``bare.py`` keeps them)."""
    calls = node.args.get("extremes")
    return f"row {sorted({_text(call, names, depth + 1) for call in calls})}" if calls else ""


def _sources(node: Expr, names: Names, depth: int) -> tuple[list[str], list[str]]:
    """The sources of a SELECT, and the conditions of its inner joins.

    Without RIGHT and FULL JOIN their order does not matter, and a condition of an inner join is
    one of WHERE; else everything keeps its place.
    """
    sources = items(node)
    first = [names[sources[0].alias]] if sources else []
    movable = all(is_inner(join) or (join.side or "").upper() == "LEFT" for join in joins(node))
    rest: list[str] = []
    conditions: list[str] = []
    for join in joins(node):
        on = sorted(_text(part, names, depth + 1) for part in parts(join.args.get("on")))
        name = names[join.this.alias]
        if is_inner(join) and movable:
            first.append(name)
            conditions += on
        else:
            rest.append(f"{(join.side or 'INNER').upper()} {name} ON {on}")
    return ([*sorted(first), *sorted(rest)] if movable else [*first, *rest]), conditions


def _tail(node: Expr, names: Names, depth: int) -> str:
    order = node.args.get("order")
    terms = [_text(term, names, depth + 1) for term in order.expressions] if order else []
    limits = [
        _text(node.args[part].expression, names, depth + 1) if node.args.get(part) else ""
        for part in ("limit", "offset")
    ]
    return f"order {terms} limit {limits}"


def _text(node: Expr, names: Names, depth: int) -> str:
    if isinstance(node, exp.Column):
        label, name = column_name(node)
        return f"{names.get(label, label)}.{name}" if label else f".{name}"
    if isinstance(node, exp.Literal):
        return repr(node.this) if node.is_string else str(node.this)
    kind = exp.And if isinstance(node, exp.And) else exp.Or
    if isinstance(node, kind):
        return f"{node.key}{sorted({_text(part, names, depth) for part in parts(node, kind)})}"
    if isinstance(node, exp.Query):
        return _query(node, names, depth, True)
    if isinstance(node, exp.Ordered):
        falls, first = bool(node.args.get("desc")), bool(node.args.get("nulls_first"))
        return f"{_text(node.this, names, depth)} {'desc' if falls else 'asc'} {first}"
    if isinstance(node, exp.Binary) and not _says_more(node):
        return _binary(node, names, depth)
    if isinstance(node, exp.In) and node.expressions:
        members = sorted({_text(member, names, depth) for member in node.expressions})
        return f"in({_text(node.this, names, depth)}, {members})"
    return _generic(node, names, depth)


def _says_more(node: exp.Binary) -> bool:
    """Whether an operator has more arguments than its two operands."""
    return any(value for name, value in node.args.items() if name not in _OF_OPERATORS)


def _binary(node: exp.Binary, names: Names, depth: int) -> str:
    left, right = _text(node.this, names, depth), _text(node.expression, names, depth)
    collated = isinstance(node.this, exp.Collate) or isinstance(node.expression, exp.Collate)
    if not collated:
        flipped = _FLIPS.get(type(node))
        if flipped is not None:
            return f"{flipped.lower()}({right}, {left})"
        if isinstance(node, _SWAPS) and right < left:
            left, right = right, left
    return f"{node.key}({left}, {right})"


def _generic(node: Expr, names: Names, depth: int) -> str:
    args: list[str] = []
    for name, value in node.args.items():
        if value is None or value is False or value == [] or name in _IGNORED:
            continue
        if isinstance(value, list):
            inner = ", ".join(
                _text(v, names, depth) if isinstance(v, exp.Expr) else repr(v) for v in value
            )
            args.append(f"{name}=[{inner}]")
        elif isinstance(value, exp.Expr):
            args.append(f"{name}={_text(value, names, depth)}")
        else:
            plain = value.lower() if isinstance(node, exp.Anonymous) else value
            args.append(f"{name}={plain!r}")
    return f"{node.key}({', '.join(sorted(args))})"
