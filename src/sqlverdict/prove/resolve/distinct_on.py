"""DISTINCT ON as DISTINCT or GROUP BY, where it shows no more than these do.

* ``DISTINCT ON (a, b) a, b`` is ``DISTINCT a, b``;
* ``DISTINCT ON (a) a, x ... ORDER BY a, x DESC NULLS LAST`` is ``a, MAX(x) ... GROUP BY a ORDER BY
  a``, and without DESC it is MIN(x): NULL comes last, and both aggregates pass over it.

A term of ON and of ORDER BY is a column of the result by its name or number, or its very text. At
the end of ORDER BY, where it decides nothing, it may be another column of the one table. Any other
DISTINCT ON stays as it is, and is refused later: nothing is dropped here that may fail.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.column_types import column_values
from sqlverdict.parse.tokens import word_set

_SORTED = word_set("integer real number text collated boolean date time timestamp uuid")
_SIMPLE = frozenset(
    {"expressions", "distinct", "from_", "joins", "where", "order", "limit", "offset", "with_"}
)


def spell_distinct_on(select: exp.Select, schema: Schema, dialect: str) -> None:
    """Change a SELECT with DISTINCT ON, in place.

    Args:
        select: The query.
        schema: The tables.
        dialect: The dialect of the query.
    """
    if not _is_simple(select):
        return
    on = select.args["distinct"].args["on"]
    outputs = list(select.expressions)
    first = [_output(term, outputs) for term in on.expressions or [on]]
    order = select.args.get("order")
    terms = list(order.expressions) if order is not None else []
    sorted_by = [_output(term.this, outputs) for term in terms]
    keys = set(first)
    if None in keys or (terms and set(sorted_by[: len(keys)]) != keys):
        return
    others = [term.this for term, number in zip(terms, sorted_by, strict=True) if number is None]
    if not all(_is_own_column(term, select, schema, dialect) for term in others):
        return
    rest = [number for number in range(len(outputs)) if number not in keys]
    if len(rest) == 1:
        position = len(keys)
        if (
            len(terms) <= position
            or sorted_by[position] != rest[0]
            or terms[position].args.get("nulls_first")
        ):
            return
        extreme = exp.Max if terms[position].args.get("desc") else exp.Min
        _group(select, outputs, rest[0], extreme)
    elif rest:
        return
    select.set("distinct", exp.Distinct() if not rest else None)
    if order is not None:
        order.set("expressions", terms[: len(keys)])


def _is_own_column(term: Expr, select: exp.Select, schema: Schema, dialect: str) -> bool:
    """Whether a term is a column of the one table of a query, whose values have an order."""
    source = select.args["from_"].this if select.args.get("from_") else None
    if not isinstance(source, exp.Table) or source.db or select.args.get("joins"):
        return False
    if not isinstance(term, exp.Column):
        return False
    has_clauses = select.root().find(exp.CTE) is not None
    table = schema.table(source.name)
    if table is None or has_clauses or term.table not in ("", source.alias_or_name):
        return False
    column = next((each for each in table.columns if each.name == _name(term.this)), None)
    return column is not None and column_values(table, column, dialect) in _SORTED


def _is_simple(select: exp.Select) -> bool:
    """Whether a SELECT neither groups nor has a window, and shows no star."""
    present = {name for name, value in select.args.items() if value}
    return present <= _SIMPLE and not any(
        output.is_star or output.find(exp.AggFunc, exp.Window, exp.Query)
        for output in select.expressions
    )


def _output(term: Expr, outputs: list[Expr]) -> int | None:
    """The number of the output that a term of ON or ORDER BY means."""
    term = term.unnest()
    if isinstance(term, exp.Literal):
        number = int(term.this) - 1 if not term.is_string and term.this.isdigit() else -1
        return number if 0 <= number < len(outputs) else None
    matches = [number for number, output in enumerate(outputs) if _is_named(term, output)]
    if not matches:
        text = term.sql()
        matches = [n for n, output in enumerate(outputs) if output.unalias().sql() == text]
    return matches[0] if len(matches) == 1 else None


def _is_named(term: Expr, output: Expr) -> bool:
    plain = isinstance(term, exp.Column) and not term.table
    word = output.args["alias"] if isinstance(output, exp.Alias) else output.this
    return plain and isinstance(word, exp.Identifier) and _name(term.this) == _name(word)


def _name(word: Expr) -> str:
    return word.name if word.args.get("quoted") else word.name.lower()


def _group(
    select: exp.Select, outputs: list[Expr], position: int, extreme: type[exp.Max | exp.Min]
) -> None:
    keys = [output.unalias().copy() for n, output in enumerate(outputs) if n != position]
    output = outputs[position]
    name = output.alias_or_name
    whole: Expr = extreme(this=output.unalias().copy())
    select.expressions[position].replace(exp.alias_(whole, name, quoted=True) if name else whole)
    select.set("group", exp.Group(expressions=keys))
