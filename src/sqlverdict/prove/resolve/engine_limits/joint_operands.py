"""IN and BETWEEN compare two values at a time, or bring all of them to one type first.

PostgreSQL brings the members of an IN to one type with what stands before it, DuckDB all operands
of IN and BETWEEN, MySQL those of BETWEEN. Where a float is among them an integer beyond 2^53 meets
its neighbour, and 0.1 is the REAL 0.1, which ``r = 0.1`` is not: so IN is no OR there, and BETWEEN
not two bounds. Small whole numbers are the same as floats.

DuckDB compares whole numbers and decimals as one DECIMAL, of at most 38 digits. Where a column has
values without room there, the comparison fails: in one of two orders of OR, or in IN alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import column_name, whole_number
from sqlverdict.prove.resolve.scope import Unsupported

_DECIMALS = ("decimal", "numeric", "dec")
_SINGLE = ("real", "float", "float4")
_COMPUTED = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Abs, exp.Sum, exp.Max, exp.Min, exp.Paren)
_MOST_EXACT = 2**24
FEWEST = 3
"""Two operands are one comparison."""
_WHOLE_DIGITS = {
    name: digits
    for digits, names in {
        3: "tinyint int1 utinyint uint8",
        5: "smallint short int2 usmallint uint16",
        10: "integer int signed int4 uinteger uint32",
        19: "bigint long int8",
        20: "ubigint uint64",
        39: "hugeint int128 uhugeint uint128",
    }.items()
    for name in names.split()
}
_SIZE = re.compile(r"\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")
_USUAL_SIZE = (18, 3)
"""Of a DECIMAL that does not say it."""


def require_comparisons_apart(operands: Sequence[Expr], where: str, facts: Facts) -> None:
    """Refuse comparisons that may not mean what each would mean alone.

    Args:
        operands: Numbers: what stands before IN or BETWEEN, and the others.
        where: IN or BETWEEN.
        facts: What the schema tells.

    Raises:
        Unsupported: they may not.
    """
    are_apart = _are_apart(operands, where, facts)
    facts.cited.clear()
    if not are_apart:
        raise Unsupported(f"{where} of floats and other numbers")


def require_room(operands: Sequence[Expr], kind: str, where: str, facts: Facts) -> None:
    """Refuse numbers that meet as one DECIMAL, which has no room for all values of a column.

    What is computed counts as an overflow where it has none.

    Args:
        operands: The values that meet.
        kind: What they are.
        where: Where they meet.
        facts: What the schema tells.

    Raises:
        Unsupported: it may have none.
    """
    most = facts.record.most_digits
    if most is None or kind != "number":
        return
    known = [size for each in operands if (size := _size(each, facts)) is not None]
    if all(is_whole for _, _, is_whole in known):
        return
    if max(before for before, _, _ in known) + max(behind for _, behind, _ in known) > most:
        raise Unsupported(f"{where} of numbers that one DECIMAL has no room for")


def _size(node: Expr, facts: Facts) -> tuple[int, int, bool] | None:
    """The digits of a column's or a constant's number before and behind its point.

    And whether it is a whole number by its type; ``None`` where nothing is known.
    """
    inner = node.this if isinstance(node, exp.Neg | exp.Paren) else node
    if isinstance(inner, exp.Literal) and _is_plain(inner) and not inner.is_string:
        whole, point, fraction = inner.name.partition(".")
        return len(whole), len(fraction), not point
    if not isinstance(inner, exp.Column):
        return None
    declared = _declared(inner, facts)
    if declared is None:
        projection = facts.projection(inner)
        return None if projection is None else _size(projection, facts)
    if declared in _DECIMALS:
        size = _SIZE.search(_declaration(inner, facts) or "")
        digits, behind = (int(size[1]), int(size[2] or 0)) if size else _USUAL_SIZE
        return digits - behind, behind, False
    return (_WHOLE_DIGITS[declared], 0, True) if declared in _WHOLE_DIGITS else None


def _are_apart(operands: Sequence[Expr], where: str, facts: Facts) -> bool:
    others = operands[1:]
    if len(operands) < FEWEST or not any(_may_be_float(each, facts) for each in operands):
        return True
    if all(_is_plain(each) for each in others):
        if all(map(_is_exact_single, others)):
            return True
        return where != "IN" or not _may_be_single(operands[0], facts)
    return all(_is_plain(each) or facts.kind(each) == "real" for each in operands)


def _is_plain(node: Expr) -> bool:
    """Whether it is NULL, or a number without an exponent, with which it is a float."""
    inner = node.this if isinstance(node, exp.Neg) else node
    is_number = isinstance(inner, exp.Literal) and "e" not in inner.name.lower()
    return is_number or isinstance(node, exp.Null)


def _is_exact_single(node: Expr) -> bool:
    """Whether a constant is NULL, or a whole number that is the same as a float of 32 bits."""
    number = whole_number(node)
    return isinstance(node, exp.Null) or (number is not None and abs(number) <= _MOST_EXACT)


def _may_be_float(node: Expr, facts: Facts) -> bool:
    if _is_plain(node) or facts.kind(node) == "integer":
        return False
    if isinstance(node, exp.Column):
        declared = _declared(node, facts)
        if declared is not None:
            return declared not in _DECIMALS
        projection = facts.projection(node)
        return projection is None or _may_be_float(projection, facts)
    if isinstance(node, _COMPUTED):
        return any(_may_be_float(part, facts) for part in node.iter_expressions())
    return True


def _may_be_single(node: Expr, facts: Facts) -> bool:
    """Whether a value may be a float of 32 bits."""
    if isinstance(node, exp.Column):
        declared = _declared(node, facts)
        if declared is not None:
            return declared in _SINGLE
        projection = facts.projection(node)
        return projection is None or _may_be_single(projection, facts)
    if isinstance(node, exp.Anonymous):
        return True
    if isinstance(node, exp.Cast) and node.args["to"].this == exp.DType.FLOAT:
        return True
    if isinstance(node, exp.Subquery):
        inner = node.this
        return not isinstance(inner, exp.Select) or _may_be_single(inner.expressions[0], facts)
    return any(_may_be_single(part, facts) for part in node.iter_expressions())


def _declared(node: exp.Column, facts: Facts) -> str | None:
    """The name of a base table's column's type, without sizes; ``None``: no such column."""
    declaration = _declaration(node, facts)
    if declaration is None:
        return None
    words = declaration.lower().partition("(")[0].split()
    return words[0] if words else ""


def _declaration(node: exp.Column, facts: Facts) -> str | None:
    """The type of a base table's column; ``None``: no such column."""
    label, name = column_name(node)
    table = facts.table(label)
    column = next((c for c in table.columns if fold(c.name) == name), None) if table else None
    return None if column is None else column.type
