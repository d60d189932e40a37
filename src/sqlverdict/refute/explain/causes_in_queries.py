"""What in the two queries' texts makes them differ on a witness, found by taking it away.

Each function gives the words after "they differ when", or ``None``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.compare.query.conditions import conjuncts
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.schema import ColumnRef
from sqlverdict.refute.explain.new_rows import circumstance_extent, row_with_values
from sqlverdict.refute.explain.row_checks import (
    some_pair_meets,
    some_row_fails,
    some_row_meets,
)
from sqlverdict.refute.explain.spellings import (
    quoted_condition,
    quoted_output,
    unnested_columns,
)
from sqlverdict.refute.explain.what_if import WhatIf
from sqlverdict.refute.explain.wording import column, row_phrase
from sqlverdict.refute.read.columns import Resolver

_SIDES = ("gold", "prediction")


@dataclass(frozen=True)
class _Condition:
    """One of the conditions that AND connects, and the columns that it names."""

    node: Expr
    key: str
    column_refs: frozenset[ColumnRef]
    grouped: bool
    optional: bool
    quoted: Callable[[str], str]

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
        """The condition as a sentence quotes it; empty: it is not quoted."""
        return self.quoted(quoted_condition(self.node))


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
                cause = _failing(what_if, condition, _SIDES[side])
                if cause is not None:
                    return cause
    return None


def _keys(conditions: list[_Condition]) -> set[str]:
    return {condition.key for condition in conditions}


def _failing(what_if: WhatIf, condition: _Condition, side: str) -> str | None:
    """Which rows fail a condition; ``None`` where those that do are of no table."""
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
    some_fail = some_row_fails(what_if, node, tables[0]) if in_one_table else None
    if some_fail is False:
        return None  # an outer join made the row: its missing partner is the cause
    no_row_meets = bool(some_fail) and _fails_everywhere(what_if, condition, tables[0])
    if not_null and len(column_refs) == 1 and some_fail:
        table, name = column_refs[0]
        if no_row_meets:
            return (
                f"no {row_phrase(table)} has any {column(name)} "
                f"(NULL in every row; the {side} leaves them out)"
            )
        return f"a {row_phrase(table)} has no {column(name)} (NULL; the {side} leaves it out)"
    if no_row_meets:
        return f"no {row_phrase(tables[0])} meets {condition.text} ({asks})"
    who = "a group" if condition.grouped else f"a {row_phrase(tables[0])}" if some_fail else "a row"
    return f"{who} fails {condition.text or 'a condition'} ({asks})"


def _fails_everywhere(what_if: WhatIf, condition: _Condition, table: str) -> bool:
    """Whether no row meets a condition, and one that does would make the queries agree."""
    if table not in what_if.rows:
        return False  # a view has no rows of its own to add to
    if not condition.text or some_row_meets(what_if, condition.node, table) is not False:
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
            if (
                one_.text
                and other.text
                and what_if.agree_as(gold, prediction)
                and what_if.differ_as(what_if.texts[0], _with(what_if, one_, other))
            ):
                return (
                    f"{one_.text} (gold) and {other.text} (prediction) do not hold for the same "
                    f"{'groups' if one_.grouped else 'rows'}"
                )
    return None


def _with(what_if: WhatIf, one_: _Condition, other: _Condition) -> str:
    """The gold with the prediction's condition in the place of its own."""
    gold, prediction = what_if.resolvers
    columns = {gold.column(node): node for node in unnested_columns(one_.node)}
    copy = other.node.copy()
    pairs = list(zip(unnested_columns(other.node), unnested_columns(copy), strict=True))
    for original, copied in pairs:
        own = columns.get(prediction.column(original))
        if own is not None and copied is copy:
            copy = own.copy()
        elif own is not None:
            copied.replace(own.copy())
    return _replaced(gold.tree, [one_.node], exp.Paren(this=copy))


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
    joins = [(c, side) for side, conditions in zip(_SIDES, lone, strict=True) for c in conditions]
    if len(joins) == 2:
        return _joined_rows(what_if, *joins) or _joined_rows(what_if, *reversed(joins))
    return f"rows do not join by {joins[0][0].joining} (only the {joins[0][1]} asks for it)"


def _joined_rows(
    what_if: WhatIf, one_: tuple[_Condition, str], other: tuple[_Condition, str]
) -> str | None:
    """That rows join by one condition and not by the other, where there are such rows."""
    both = (one_[0], other[0])
    tables = {table for condition in both for table, _ in condition.column_refs}
    if any(len({table for table, _ in condition.column_refs}) < 2 for condition in both):
        return None  # a table joined with itself: it is not known which row is which
    if not some_pair_meets(what_if, one_[0].key, other[0].key, tables):
        return None
    by, not_by = (f"join by {condition.joining} ({side})" for condition, side in (one_, other))
    return f"rows that {by} do not {not_by}"


def _both(what_if: WhatIf) -> list[list[_Condition]]:
    """The gold's conditions and the prediction's."""
    conditions: list[list[_Condition]] | None = what_if.memo.get("conditions")
    if conditions is None:
        conditions = [
            list(_conditions(resolver, partial(what_if.quoted, side)))
            for side, resolver in enumerate(what_if.resolvers)
        ]
        what_if.memo["conditions"] = conditions
    return conditions


def _conditions(resolver: Resolver, quoted: Callable[[str], str]) -> Iterator[_Condition]:
    for clause in resolver.tree.find_all(exp.Where, exp.Having, exp.Join):
        joined = isinstance(clause, exp.Join)
        root = clause.args.get("on") if joined else clause.this
        if root is None:
            continue
        grouped, optional = isinstance(clause, exp.Having), joined and bool(clause.args.get("side"))
        for node in conjuncts(root):
            column_refs = frozenset(resolver.columns(node))
            key = _key(node, resolver)
            yield _Condition(node, key, column_refs, grouped, optional, quoted)


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
    for source in copy.find_all(exp.Table):
        source.set("alias", None)
    return str(copy.sql(DEFAULT_DIALECT, normalize_functions="lower"))


def _without(tree: Expr, nodes: list[Expr]) -> str:
    """The query with conditions that always hold in the place of these."""
    return _replaced(tree, nodes, exp.Literal.number(1))


def _replaced(tree: Expr, nodes: list[Expr], new: Expr) -> str:
    """The query with another condition in the place of these.

    A copy is changed: another thread may read the tree.
    """
    copy = tree.copy()
    conditions = {id(node) for node in nodes}
    pairs = zip(tree.walk(), copy.walk(), strict=True)
    for condition in [other for node, other in pairs if id(node) in conditions]:
        condition.replace(new.copy())
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
    outputs_by_side: list[list[str]] = []
    rest: list[dict[str, list[str]]] = []
    for resolver in what_if.resolvers:
        select = _outer(resolver.tree)
        if select is None or any(times > 1 for times in resolver.copies().values()):
            return None
        outputs_by_side.append([_key(e.unalias(), resolver) for e in select.expressions])
        rest.append(_clauses(select, resolver))
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
    texts = [what_if.quoted(side, quoted_output(node)) for side, node in enumerate(pairs[0])]
    return f"{texts[0]} and {texts[1]} are not the same" if all(texts) else None


def _clauses(select: Expr, resolver: Resolver) -> dict[str, list[str]]:
    """All of a query but what it returns; the order of plain joins does not count."""
    clauses: dict[str, list[str]] = {}
    for name, value in select.args.items():
        nodes = value if isinstance(value, list) else [value]
        clauses[name] = [_key(node, resolver) for node in nodes if isinstance(node, Expr)]
    joins = select.args.get("joins") or []
    if not any(join.side or join.method or join.args.get("using") for join in joins):
        sources = [clause.this for clause in (select.args.get("from_"), *joins) if clause]
        conditions = [
            node for join in joins if join.args.get("on") for node in conjuncts(join.args["on"])
        ]
        clauses["from_"] = sorted(_key(node, resolver) for node in sources)
        clauses["joins"] = sorted(_sides_in_order(node, resolver) for node in conditions)
    return {name: parts for name, parts in clauses.items() if parts and name != "expressions"}


def _sides_in_order(node: Expr, resolver: Resolver) -> str:
    """The key of a condition; of an equation, whichever side stands first."""
    if not isinstance(node, exp.EQ):
        return _key(node, resolver)
    return " = ".join(sorted(_key(side, resolver) for side in (node.this, node.expression)))
