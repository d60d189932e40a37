"""Small parts that edits of a gold share."""

from __future__ import annotations

from typing import Literal

from sqlglot import exp

from sqlverdict.dialects import dialect_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.tokens import Kind, fold, tokens
from sqlverdict.records import Query


def only_sort_key(select: exp.Select) -> exp.Ordered | None:
    """A copy of the only sort key of a SELECT, an expression over its rows or groups.

    Names and numbers of output columns are resolved.
    """
    order = select.args.get("order")
    if order is None or len(order.expressions) != 1:
        return None
    ordered = order.expressions[0]
    key = ordered.this
    if isinstance(key, exp.Literal):
        number = int(key.name) if key.is_int else 0
        if not 0 < number <= len(select.expressions):
            return None
        key = select.expressions[number - 1].unalias()
    elif isinstance(key, exp.Column) and not key.table:
        name = fold(key.name)
        outputs = [each for each in select.expressions if fold(each.alias) == name]
        key = outputs[0].unalias() if outputs else key
    return exp.Ordered(this=key.copy(), desc=ordered.args.get("desc"))


def add_condition(
    select: exp.Select, condition: exp.Expr, clause: Literal["where", "having"]
) -> None:
    """Add a condition to those that a clause of a SELECT has."""
    add = select.where if clause == "where" else select.having
    add(condition, copy=False)


def sources_of(select: exp.Select) -> list[exp.Expr]:
    """What FROM and the joins of a SELECT read, in their order."""
    start = select.args.get("from_")
    items = [start.this] if start is not None else []
    return items + [join.this for join in select.args.get("joins") or ()]


def without_comments(sql: str, dialect: str) -> str:
    """A query without its comments and its last semicolon.

    What may be more than a comment stays: the text then has another tree, or its meaning depends
    on the server.
    """
    unsure = dialect_of(dialect).unsure_text
    if unsure is None or not unsure.search(sql):
        parts: list[str] = []
        for token in tokens(sql):
            if token.kind is not Kind.COMMENT:
                parts.append(token.text)
            elif parts and not parts[-1].isspace():
                # Two words must not become one.
                parts.append("\n" if token.text.startswith("--") else " ")
        rest = "".join(parts)
        before, after = parse(sql, dialect), parse(rest, dialect)
        if isinstance(before, Query) and isinstance(after, Query) and before.tree == after.tree:
            sql = rest
    return sql.strip().rstrip(";").rstrip()
