"""Products and quotients of reals: their factors, and the one form that they are given."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.expressions import Expr

from sqlverdict.parse.tokens import word_set
from sqlverdict.prove.reasoning.counting import (
    counted_condition,
    counts_when,
    share_of,
    tested_condition,
)
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    column_name,
    has_subquery,
    nodes_in,
)
from sqlverdict.prove.resolve.parser_losses import cast_type
from sqlverdict.prove.tree_key import expression_key, same_expression

_NUMBERS = ("integer", "real", "number")
_MOST = 10**12
_SHORT_INTEGERS = word_set("smallint int2 integer int int4 serial smallserial")
_DECIMAL = re.compile(r"(?:decimal|numeric) ?\((?P<all>\d+)(?:, ?(?P<fraction>\d+))?\)")
_SURE_WHOLE, _SURE_FRACTION = 12, 4
"""Digits of a decimal of which PostgreSQL's quotient has all: it has at least 16."""


@dataclass
class _Factors:
    """Factors above and below the line, a constant, and whether a real was among them."""

    above: list[Expr] = field(default_factory=list)
    below: list[Expr] = field(default_factory=list)
    constant: Fraction = Fraction(1)
    real: bool = False
    reals: set[str] = field(default_factory=set)
    """The factors above that are reals by themselves."""
    whole: set[str] = field(default_factory=set)
    """The sums over something that is never NULL."""


def fraction_of(node: Expr, facts: Facts) -> Expr | None:
    """The one form of a real product or quotient; ``None`` where it is none."""
    factors = _Factors()
    if not _collect(node, facts, factors, above=True) or not factors.real:
        return None
    if factors.constant == 0 or max(map(abs, factors.constant.as_integer_ratio())) > _MOST:
        return None
    _average(factors)
    if not factors.above and not factors.below:
        return None
    return _fraction_node(factors)


def is_shown(node: Expr) -> bool:
    """Whether a value goes into the answer as it is, where rounding is tolerated."""
    select = node.parent
    if not isinstance(select, exp.Select) or node.arg_key != "expressions":
        return False
    if select.args.get("distinct"):
        return False
    query: Expr = select
    while isinstance(query.parent, exp.Union):
        query = query.parent
        if query.args.get("distinct") or query.args.get("order") is not None:
            return False
    holder = query.parent
    if holder is None:
        return True
    return isinstance(holder, exp.Subquery) and not holder.alias and is_shown(holder)


def _collect(node: Expr, facts: Facts, factors: _Factors, *, above: bool) -> bool:
    """Put the factors of a node where they belong; false where it is no number."""
    if isinstance(node, exp.Literal) and not node.is_string:
        value = Fraction(Decimal(str(node.this)))
        factors.real = factors.real or not str(node.this).isdigit()
        if value == 0:
            return False
        factors.constant *= value if above else 1 / value
        return True
    if isinstance(node, exp.Mul):
        return _collect(node.this, facts, factors, above=above) and _collect(
            node.expression, facts, factors, above=above
        )
    if isinstance(node, exp.Div) and _is_real_division(node, facts):
        factors.real = True
        return _collect(node.this, facts, factors, above=above) and _collect(
            node.expression, facts, factors, above=not above
        )
    is_cast = isinstance(node, exp.Cast) and facts.affinity(node) == "REAL"
    if is_cast and facts.kind(node.this) in _NUMBERS:
        factors.real = True
        return _collect(node.this, facts, factors, above=above)
    kind = facts.kind(node)
    if kind not in _NUMBERS:
        return False
    factors.real = factors.real or kind == "real"
    factor = _bare(node, facts)
    if kind == "real" and above and factor is node:
        # SUM(CAST(v AS REAL)) is no real any more as SUM(v).
        factors.reals.add(expression_key(factor))
    if isinstance(node, exp.Sum) and facts.never_null(node.this):
        factors.whole.add(expression_key(factor))
    (factors.above if above else factors.below).append(factor)
    return True


def _is_real_division(node: exp.Div, facts: Facts) -> bool:
    kinds = (facts.kind(node.this), facts.kind(node.expression))
    return "real" in kinds and all(kind in _NUMBERS for kind in kinds)


def _bare(node: Expr, facts: Facts) -> Expr:
    """A factor as if it were an integer: among reals that makes no difference."""
    if not isinstance(node, exp.Sum):
        return node
    inner = node.this
    if isinstance(inner, exp.Cast) and facts.affinity(inner) == "REAL":
        if facts.kind(inner.this) not in _NUMBERS:
            return node
        copy = node.copy()
        copy.set("this", inner.this.copy())
        return _whole_results(copy)
    return _whole_results(node)


def _whole_results(node: exp.Sum) -> exp.Sum:
    """A sum over CASE whose results 1.0, 0.0 ... are written as integers; a copy if changed."""
    if not isinstance(node.this, exp.Case) or not any(map(_is_whole_result, nodes_in(node.this))):
        return node
    copy = node.copy()
    for literal in list(filter(_is_whole_result, nodes_in(copy.this))):
        literal.replace(exp.Literal.number(str(literal.this)[:-2]))
    return copy


def _is_whole_result(node: Expr) -> bool:
    return (
        isinstance(node, exp.Literal)
        and node.arg_key in ("true", "default")
        and isinstance(node.parent, exp.If | exp.Case)
        and not node.is_string
        and str(node.this).endswith(".0")
    )


def _average(factors: _Factors) -> None:
    """Turn sums and counts over a count into averages, and sums of ones into counts."""
    factors.below = [_count(node) for node in factors.below]
    counts = [node for node in factors.below if isinstance(node, exp.Count)]
    for count in counts:
        for index, node in enumerate(factors.above):
            mean = _mean(node, count, expression_key(node) in factors.whole)
            if mean is not None:
                factors.above[index] = mean
                factors.below.remove(count)
                break
    if any(isinstance(node, exp.Count) for node in factors.below):
        # Where nothing is counted below, the whole is NULL: a sum over nothing may be 0.
        factors.above = [_count(node) for node in factors.above]


def _count(node: Expr) -> Expr:
    condition = counted_condition(node)
    return counts_when(condition) if condition is not None else node


def _mean(node: Expr, count: exp.Count, whole: bool) -> Expr | None:
    """The average that a sum (or a count) above a count is; ``whole``: nothing in it is NULL."""
    if has_subquery(node) or has_subquery(count):
        return None
    if isinstance(count.this, exp.Star):
        condition = counted_condition(node)
        condition = condition if condition is not None else tested_condition(node)
        if condition is not None:
            return share_of(condition)
    counts_rows = whole and isinstance(count.this, exp.Star)
    if isinstance(node, exp.Sum) and (counts_rows or same_expression(node.this, count.this)):
        return exp.Avg(this=node.this.copy())
    return None


def _fraction_node(factors: _Factors) -> Expr:
    top, bottom = factors.constant.as_integer_ratio()
    above = sorted(factors.above, key=expression_key)
    below = sorted(factors.below, key=expression_key)
    if abs(top) != 1 or top < 0 or not above:
        number: Expr = exp.Literal.number(abs(top))
        above.append(exp.Neg(this=number) if top < 0 else number)
    if bottom != 1:
        below.append(exp.Literal.number(bottom))
    numerator = _product(above)
    is_real = any(
        isinstance(node, exp.Avg) or expression_key(node) in factors.reals for node in above
    )
    if not is_real:
        numerator = exp.Cast(this=numerator, to=cast_type("REAL"))
    if not below:
        return numerator
    return exp.Div(this=numerator, expression=_product(below), typed=True, safe=True)


def _product(factors: list[Expr]) -> Expr:
    product = factors[0].copy()
    for factor in factors[1:]:
        product = exp.Mul(this=product, expression=factor.copy())
    return product


def typed_fraction(node: exp.Mul | exp.Div, facts: Facts) -> Expr | None:
    """The plain form of a product or quotient where types are enforced; ``None``: it has it.

    There a division of decimals does not cut, and some engines keep few digits of it, so much less
    is one form: an average, a constant that divides, and one that changes nothing.
    """
    if isinstance(node, exp.Mul):
        for value, number in ((node.this, node.expression), (node.expression, node.this)):
            if isinstance(number, exp.Literal) and not number.is_string:
                return _scaled(value, Fraction(Decimal(str(number.this))), facts)
        return None
    whole_numbers = Dialect.get_or_raise(facts.dialect).TYPED_DIVISION
    total, constant = _without_constant(node.this)
    if whole_numbers and not is_fraction(node.this, facts):
        return None
    if constant is not None and facts.record.short_division:
        return None
    count = node.expression
    if (
        isinstance(total, exp.Sum)
        and isinstance(count, exp.Count)
        and constant in (None, 1)
        and _counts_summed(count, total, facts)
        and (constant is None or not whole_numbers or _has_few_digits(total.this, facts))
    ):
        return exp.Avg(this=total.this.copy())
    if constant is None or whole_numbers or constant.denominator != 1:
        return None
    product = exp.Mul(this=total.copy(), expression=exp.Literal.number(constant.numerator))
    if expression_key(product) == expression_key(node.this):
        return None
    return _quotient(product, node.expression.copy(), facts)


def _counts_summed(count: exp.Count, total: exp.Sum, facts: Facts) -> bool:
    """Whether the values of a sum are counted: by themselves, or as rows where none is NULL."""
    if isinstance(count.this, exp.Star):
        return facts.never_null(total.this)
    return same_expression(total.this, count.this)


def _scaled(value: Expr, factor: Fraction, facts: Facts) -> Expr | None:
    """A column times a constant below 1 as a division, where both are exact or rounded alike."""
    if not isinstance(value, exp.Column):
        return None
    kind = facts.kind(value)
    if factor == 1:
        # A float of four bytes becomes a double, which shows digits that it did not.
        return value.copy() if kind is not None or is_decimal(value, facts) else None
    if factor.numerator != 1 or not 1 < factor.denominator <= 10_000:
        return None
    if kind == "integer":
        exact = not Dialect.get_or_raise(facts.dialect).TYPED_DIVISION
    else:
        exact = kind == "real" or is_decimal(value, facts)
    if Dialect.get_or_raise(facts.dialect).TYPED_DIVISION and not _has_few_digits(value, facts):
        return None
    bottom = factor.denominator
    if facts.record.short_division and kind != "real" and 10_000 % bottom:
        # Of 1 / 32 four digits are left.
        return None
    if not exact and (kind is not None or bottom & (bottom - 1)):
        # A float of four bytes: only to halve it is exact.
        return None
    return _quotient(value.copy(), exp.Literal.number(bottom), facts)


def _has_few_digits(node: Expr, facts: Facts) -> bool:
    """Whether a quotient of a number has all digits that matter, however many it is computed to.

    PostgreSQL computes at least 16 digits, and as many of the fraction as the operands have: of
    longer numbers ``SUM(x) * 1.0 / COUNT(x)`` shows one more than ``AVG(x)``.
    """
    match node:
        case exp.Literal():
            return not node.is_string and len(str(node.this)) <= _SURE_WHOLE
        case exp.Null():
            return True
        case exp.Case():
            results = [branch.args["true"] for branch in node.args["ifs"]]
            results.append(node.args.get("default") or exp.null())
            return all(_has_few_digits(result, facts) for result in results)
        case exp.Coalesce():
            parts = (node.this, *node.expressions)
            return all(_has_few_digits(part, facts) for part in parts)
        case exp.Column() if facts.kind(node) != "real":
            declared = _declared_type(node, facts)
            decimal = _DECIMAL.fullmatch(declared)
            if decimal is None:
                return declared in _SHORT_INTEGERS
            fraction = int(decimal["fraction"] or 0)
            return fraction <= _SURE_FRACTION and int(decimal["all"]) - fraction <= _SURE_WHOLE
    return facts.kind(node) == "real"


def _declared_type(node: exp.Column, facts: Facts) -> str:
    """The type of a column of a table in small letters; empty for any other."""
    label, name = column_name(node)
    table = facts.table(label)
    column = table.column(name) if table is not None else None
    return " ".join(column.type.lower().split()) if column is not None else ""


def _quotient(above: Expr, below: Expr, facts: Facts) -> Expr:
    dialect = Dialect.get_or_raise(facts.dialect)
    flags = {"typed": dialect.TYPED_DIVISION, "safe": dialect.SAFE_DIVISION}
    return exp.Div(this=above, expression=below, **flags)


def _without_constant(node: Expr) -> tuple[Expr, Fraction | None]:
    """A factor and the constant beside it."""
    if isinstance(node, exp.Mul):
        for value, number in ((node.this, node.expression), (node.expression, node.this)):
            if isinstance(number, exp.Literal) and not number.is_string:
                return value, Fraction(Decimal(str(number.this)))
    return node, None


def is_decimal(node: Expr, facts: Facts) -> bool:
    """Whether a node is a column of decimals."""
    if not isinstance(node, exp.Column):
        return False
    return _declared_type(node, facts).startswith(("decimal", "numeric"))


def is_fraction(node: Expr, facts: Facts) -> bool:
    """Whether a number is surely no integer by its type, where types are enforced."""
    if isinstance(node, exp.Mul):
        return is_fraction(node.this, facts) or is_fraction(node.expression, facts)
    if isinstance(node, exp.Literal):
        return not node.is_string and "." in str(node.this)
    if isinstance(node, exp.Sum | exp.Min | exp.Max):
        return is_fraction(node.this, facts)
    if isinstance(node, exp.Avg):
        return True
    return isinstance(node, exp.Column) and (facts.kind(node) == "real" or is_decimal(node, facts))


def is_mean(node: Expr) -> bool:
    """Whether a sum is divided by a count: over no rows the sum is NULL, and so is the quotient."""
    above, count = node.this, node.expression
    factors = [above.this, above.expression] if isinstance(above, exp.Mul) else [above]
    sums = [factor.this for factor in factors if isinstance(factor, exp.Sum)]
    if not isinstance(count, exp.Count) or isinstance(count.this, exp.Distinct):
        return False
    if isinstance(count.this, exp.Star):
        return bool(sums)
    return any(same_expression(summed, count.this) for summed in sums)
