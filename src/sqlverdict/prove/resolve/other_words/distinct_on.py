"""DISTINCT ON as DISTINCT or GROUP BY, where it shows no more than these do; or as a first row.

* ``DISTINCT ON (a, b) a, b`` is ``DISTINCT a, b``;
* ``DISTINCT ON (a) a, x ... ORDER BY a, x DESC NULLS LAST`` is ``a, MAX(x) ... GROUP BY a ORDER BY
  a``, and without DESC it is MIN(x): NULL comes last, and both aggregates pass over it.

A term of ON and of ORDER BY is a column of the result by its name or number, or its very text. At
the end of ORDER BY, where it decides nothing, it may be another column of the one table.

Any other ``DISTINCT ON (a) x ... ORDER BY a, y`` is ``SELECT x FROM (SELECT x, a, ROW_NUMBER() OVER
(PARTITION BY a ORDER BY y) AS r ...) WHERE r = 1 ORDER BY a``, where the terms are columns. What is
not of that kind stays as it is, and is refused later: nothing is dropped here that may fail.
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
    if _is_simple(select) and not _spell_by_extreme(select, schema, dialect):
        _spell_by_number(select)


def _spell_by_extreme(select: exp.Select, schema: Schema, dialect: str) -> bool:
    """Write DISTINCT or GROUP BY, where they show the same; whether they do."""
    on = select.args["distinct"].args["on"]
    outputs = list(select.expressions)
    first = [_output(term, outputs) for term in on.expressions or [on]]
    order = select.args.get("order")
    terms = list(order.expressions) if order is not None else []
    sorted_by = [_output(term.this, outputs) for term in terms]
    keys = set(first)
    if None in keys or (terms and set(sorted_by[: len(keys)]) != keys):
        return False
    others = [term.this for term, number in zip(terms, sorted_by, strict=True) if number is None]
    if not all(_is_own_column(term, select, schema, dialect) for term in others):
        return False
    rest = [number for number in range(len(outputs)) if number not in keys]
    if len(rest) == 1:
        position = len(keys)
        if (
            len(terms) <= position
            or sorted_by[position] != rest[0]
            or terms[position].args.get("nulls_first")
        ):
            return False
        extreme = exp.Max if terms[position].args.get("desc") else exp.Min
        _group(select, outputs, rest[0], extreme)
    elif rest:
        return False
    select.set("distinct", exp.Distinct() if not rest else None)
    if order is not None:
        order.set("expressions", terms[: len(keys)])
    return True


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


def _spell_by_number(select: exp.Select) -> None:
    """Number the rows of each part, and take the first."""
    on = select.args["distinct"].args["on"]
    outputs = list(select.expressions)
    order = select.args.get("order")
    terms = list(order.expressions) if order is not None else []
    keys = [_column(term, outputs) for term in on.expressions or [on]]
    columns = [_column(term.this, outputs) for term in terms]
    names = [output.alias_or_name for output in outputs]
    if None in keys or None in columns or not all(names) or select.args.get("from_") is None:
        return
    texts = {key.sql() for key in keys if key is not None}
    if terms and {each.sql() for each in columns[: len(texts)] if each is not None} != texts:
        return
    ordered = [_ordered(term, column) for term, column in zip(terms, columns, strict=True)]
    first, rest = ordered[: len(texts)], ordered[len(texts) :]
    parts = [key.copy() for key in keys if key is not None]
    number = exp.Window(
        this=exp.RowNumber(),
        partition_by=parts,
        order=exp.Order(expressions=rest or [exp.Ordered(this=part.copy()) for part in parts]),
        over="OVER",
    )
    inner = exp.Select(expressions=[*map(_with_name, outputs, range(len(outputs)))])
    for name in ("from_", "joins", "where"):
        inner.set(name, select.args.get(name))
        select.set(name, None)
    plain = [output.unalias().sql() for output in outputs]
    for term in first:
        if term.this.sql() not in plain:
            inner.append("expressions", _with_name(term.this, len(plain)))
            plain.append(term.this.sql())
        term.set("this", _reference(plain.index(term.this.sql())))
    last = len(plain)
    inner.append("expressions", _with_name(number, last))
    source = exp.Subquery(this=inner, alias=exp.TableAlias(this=_word(_LABEL)))
    select.set("expressions", [_under_name(n, output) for n, output in enumerate(outputs)])
    select.set("distinct", None)
    select.set("from_", exp.From(this=source))
    is_first = exp.EQ(this=_reference(last), expression=exp.Literal.number(1))
    select.set("where", exp.Where(this=is_first))
    select.set("order", exp.Order(expressions=first) if first else None)


_LABEL = "sqlverdict_numbered"


def _column(term: Expr, outputs: list[Expr]) -> Expr | None:
    """The column that a term of ON or ORDER BY means."""
    number = _output(term, outputs)
    column = outputs[number].unalias() if number is not None else term.unnest()
    return column if isinstance(column, exp.Column) else None


def _ordered(term: Expr, column: Expr | None) -> Expr:
    copy = term.copy()
    if column is not None:
        copy.set("this", column.copy())
    return copy


def _with_name(node: Expr, number: int) -> Expr:
    return exp.Alias(this=node.unalias().copy(), alias=_word(f"c{number}"))


def _reference(number: int) -> exp.Column:
    return exp.Column(this=_word(f"c{number}"), table=_word(_LABEL))


def _under_name(number: int, output: Expr) -> Expr:
    """An output of the query around, under the name that it had."""
    word = output.args["alias"] if isinstance(output, exp.Alias) else output.this
    return exp.Alias(this=_reference(number), alias=word.copy())


def _word(name: str) -> exp.Identifier:
    return exp.Identifier(this=name, quoted=True)
