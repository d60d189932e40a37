"""What in the two queries' texts makes them differ on a witness, found by taking it away.

Each function gives the words after "they differ when", or ``None``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.files.sqlite import quote_name
from sqlverdict.refute.explain.new_rows import circumstance_extent, row_with_values
from sqlverdict.refute.explain.what_if import WhatIf
from sqlverdict.refute.explain.wording import column, row_phrase
from sqlverdict.refute.read.columns import ColumnRef, Resolver

_SIDES = ("gold", "prediction")
_LONG = 90
"""Longer conditions are not quoted in a sentence."""


@dataclass(frozen=True)
class _Condition:
    """One of the conditions that AND connects, and the columns that it names."""

    node: Expr
    key: str
    column_refs: frozenset[ColumnRef]
    grouped: bool
    optional: bool = False

    @property
    def joins(self) -> bool:
        """Whether it compares two columns; the cause "a missing partner" explains that better."""
        sides = (self.node.this, self.node.args.get("expression"))
        both = all(isinstance(side, exp.Column) for side in sides)
        return isinstance(self.node, exp.EQ) and both and len(self.column_refs) > 1

    @property
    def joining(self) -> str:
        """The columns that it ties together, with their tables."""
        return " = ".join(f"{table}.{column(name)}" for table, name in sorted(self.column_refs))

    @property
    def text(self) -> str:
        """The condition without table names; empty where it is too long to quote."""
        bare = self.node.copy()
        for reference in bare.find_all(exp.Column):
            reference.set("table", None)
        text = bare.sql(DEFAULT_DIALECT)
        return text if len(text) <= _LONG else ""


def lone_condition(what_if: WhatIf) -> str | None:
    """A condition that one query has and the other lacks."""
    conditions = _both(what_if)
    for side in (0, 1):
        others = {condition.key for condition in conditions[1 - side]}
        about = {
            c.column_refs for c in conditions[1 - side] if c.key not in _keys(conditions[side])
        }
        seen: set[str] = set()
        for condition in conditions[side]:
            if condition.key in others or condition.column_refs in about:
                continue
            if condition.key in seen:
                continue
            seen.add(condition.key)
            if condition.optional or condition.joins:
                continue
            if what_if.texts_spent:
                return None
            texts = [*what_if.texts]
            # All that say the same: one of them alone would change nothing.
            same = [other.node for other in conditions[side] if other.key == condition.key]
            texts[side] = _without(what_if.resolvers[side].tree, same)
            if what_if.agree_as(*texts):
                return _failing(what_if, condition, _SIDES[side])
    return None


def _keys(conditions: list[_Condition]) -> set[str]:
    return {condition.key for condition in conditions}


def _failing(what_if: WhatIf, condition: _Condition, side: str) -> str:
    asks = f"only the {side} asks for it"
    node = condition.node
    column_refs = sorted(condition.column_refs)
    not_null = (
        isinstance(node, exp.Not)
        and isinstance(node.this, exp.Is)
        and isinstance(node.this.expression, exp.Null)
    )
    tables = sorted({table for table, _ in column_refs})
    in_one_table = len(tables) == 1 and not condition.grouped
    no_row_meets = in_one_table and _fails_everywhere(what_if, condition, tables[0])
    if not_null and len(column_refs) == 1 and not condition.grouped:
        table, name = column_refs[0]
        if no_row_meets:
            return (
                f"no {row_phrase(table)} has any {column(name)} "
                f"(NULL in every row; the {side} leaves them out)"
            )
        return f"a {row_phrase(table)} has no {column(name)} (NULL; the {side} leaves it out)"
    if no_row_meets:
        return f"no {row_phrase(tables[0])} meets {condition.text} ({asks})"
    who = (
        "a group"
        if condition.grouped
        else f"a {row_phrase(tables[0])}"
        if in_one_table
        else "a row"
    )
    return f"{who} fails {condition.text or 'a condition'} ({asks})"


def _fails_everywhere(what_if: WhatIf, condition: _Condition, table: str) -> bool:
    """Whether no row meets a condition, and one that does would make the queries agree."""
    if not what_if.rows.get(table) or not condition.text:
        return False
    where = f"SELECT 1 FROM {quote_name(table)} WHERE {condition.text}"
    if what_if.returns_rows(where) is not False:
        return False
    names = {name for _, name in condition.column_refs}
    row = row_with_values(what_if, table, sorted(names))
    return circumstance_extent(what_if, table, row, names) == "all"


def other_group_condition(what_if: WhatIf) -> str | None:
    """Conditions of HAVING on the same columns that are not the same."""
    return other_condition(what_if, grouped=True)


def other_condition(what_if: WhatIf, *, grouped: bool = False) -> str | None:
    """Conditions on the same columns that are not the same."""
    ours, theirs = (
        [c for c in conditions if c.grouped == grouped and not c.optional]
        for conditions in _both(what_if)
    )
    for one_ in ours:
        if one_.key in _keys(theirs):
            continue
        for other in theirs:
            if other.key in _keys(ours) or other.column_refs != one_.column_refs:
                continue
            if what_if.texts_spent:
                return None
            gold = _without(what_if.resolvers[0].tree, [one_.node])
            prediction = _without(what_if.resolvers[1].tree, [other.node])
            if one_.text and other.text and what_if.agree_as(gold, prediction):
                return (
                    f"{one_.text} (gold) and {other.text} (prediction) do not hold for the same "
                    f"{'groups' if one_.grouped else 'rows'}"
                )
    return None


def other_join(what_if: WhatIf) -> str | None:
    """Tables that are joined by other columns, or by columns in one of the queries only."""
    sides = [[c for c in conditions if c.joins and not c.optional] for conditions in _both(what_if)]
    lone = [[c for c in sides[side] if c.key not in _keys(sides[1 - side])] for side in (0, 1)]
    if not any(lone) or any(len(conditions) > 1 for conditions in lone):
        return None
    texts = [
        _without(what_if.resolvers[side].tree, [c.node for c in lone[side]]) for side in (0, 1)
    ]
    if not what_if.agree_as(*texts):
        return None
    joins = [c.joining for conditions in lone for c in conditions]
    if len(joins) == 2:
        return f"rows that join by {joins[0]} (gold) do not join by {joins[1]} (prediction)"
    side = _SIDES[0] if lone[0] else _SIDES[1]
    return f"rows do not join by {joins[0]} (only the {side} asks for it)"


def _both(what_if: WhatIf) -> list[list[_Condition]]:
    """The gold's conditions and the prediction's."""
    conditions: list[list[_Condition]] | None = what_if.memo.get("conditions")
    if conditions is None:
        conditions = [list(_conditions(resolver)) for resolver in what_if.resolvers]
        what_if.memo["conditions"] = conditions
    return conditions


def _conditions(resolver: Resolver) -> Iterator[_Condition]:
    for clause in resolver.tree.find_all(exp.Where, exp.Having, exp.Join):
        joined = isinstance(clause, exp.Join)
        root = clause.args.get("on") if joined else clause.this
        if root is None:
            continue
        grouped, optional = isinstance(clause, exp.Having), joined and bool(clause.args.get("side"))
        for node in _split(root):
            column_refs = frozenset(resolver.columns(node))
            yield _Condition(node, _key(node, resolver), column_refs, grouped, optional)


def _split(node: Expr) -> Iterator[Expr]:
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.And):
        yield from _split(node.this)
        yield from _split(node.expression)
    else:
        yield node


def _key(node: Expr, resolver: Resolver) -> str:
    """The expression with base columns for aliases, so that two queries' can be compared."""
    copy = node.copy()
    for original, copied in zip(
        list(node.find_all(exp.Column)), list(copy.find_all(exp.Column)), strict=True
    ):
        column_ref = resolver.column(original)
        if column_ref is not None:
            copied.set("table", exp.to_identifier(column_ref[0].lower(), quoted=True))
            copied.set("this", exp.to_identifier(column_ref[1].lower(), quoted=True))
    return str(copy.sql(DEFAULT_DIALECT, normalize_functions="lower"))


def _without(tree: Expr, nodes: list[Expr]) -> str:
    """The query with conditions that always hold in the place of these.

    A copy is changed: another thread may read the tree.
    """
    copy = tree.copy()
    conditions = {id(node) for node in nodes}
    pairs = zip(tree.walk(), copy.walk(), strict=True)
    for condition in [other for node, other in pairs if id(node) in conditions]:
        condition.replace(exp.Literal.number(1))
    return str(copy.sql(DEFAULT_DIALECT))


def distinct(what_if: WhatIf) -> str | None:
    """DISTINCT, or UNION instead of UNION ALL, in one of the two."""
    removes = [_removes_duplicates(resolver.tree) for resolver in what_if.resolvers]
    if removes[0] == removes[1]:
        return None
    side = removes.index(True)
    texts = [*what_if.texts]
    tree = what_if.resolvers[side].tree
    clause = "UNION" if isinstance(tree, exp.Union) else "DISTINCT"
    texts[side] = _changed(tree, "distinct", False if clause == "UNION" else None)
    if what_if.agree_as(*texts):
        why = f"only the {_SIDES[side]} removes duplicates, by {clause}"
        return f"rows of the answer repeat ({why})"
    return None


def _removes_duplicates(tree: Expr) -> bool:
    return bool(tree.args.get("distinct"))


def limit(what_if: WhatIf) -> str | None:
    """LIMIT in one of the two."""
    limits = [resolver.tree.args.get("limit") for resolver in what_if.resolvers]
    if (limits[0] is None) == (limits[1] is None):
        return None
    side = 0 if limits[0] is not None else 1
    texts = [*what_if.texts]
    texts[side] = _changed(what_if.resolvers[side].tree, "limit")
    node = limits[side]
    if node is not None and what_if.agree_as(*texts):
        count = node.expression.sql(DEFAULT_DIALECT)
        many = "is more than 1 row" if count == "1" else f"are more than {count} rows"
        return f"there {many} to return (only the {_SIDES[side]} has a LIMIT)"
    return None


def _outer(tree: Expr) -> Expr | None:
    return tree if isinstance(tree, exp.Select) else None


def _changed(tree: Expr, clause: str, value: bool | None = None) -> str:
    copy = tree.copy()
    copy.set(clause, value)
    return str(copy.sql(DEFAULT_DIALECT))


def outputs(what_if: WhatIf) -> str | None:
    """Queries that are the same but for what they return."""
    outputs_by_side = []
    rest = []
    for resolver in what_if.resolvers:
        select = _outer(resolver.tree)
        if select is None:
            return None
        outputs_by_side.append([_key(e.unalias(), resolver) for e in select.expressions])
        clauses = [select.args.get(name) for name in ("where", "group", "having", "order", "limit")]
        parts = [_key(clause, resolver) if clause is not None else "" for clause in clauses]
        tables = sorted(table.name for table in resolver.tables())
        rest.append((parts, tables, select.args.get("distinct") is not None))
    if rest[0] != rest[1]:
        return None
    pairs = [
        (one_, other)
        for one_, other, ours, theirs in zip(
            _outer(what_if.resolvers[0].tree).expressions,  # type: ignore[union-attr]
            _outer(what_if.resolvers[1].tree).expressions,  # type: ignore[union-attr]
            *outputs_by_side,
            strict=False,
        )
        if ours != theirs
    ]
    if len(pairs) != 1:
        return None
    texts = [_plain(node) for node in pairs[0]]
    return f"{texts[0]} and {texts[1]} are not the same" if all(texts) else None


def _plain(node: Expr) -> str:
    copy = node.unalias().copy()
    for reference in [copy, *copy.find_all(exp.Column)]:
        if isinstance(reference, exp.Column):
            reference.set("table", None)
    text = str(copy.sql(DEFAULT_DIALECT))
    return text if len(text) <= _LONG else ""
