"""Which columns determine which: functional dependencies of the rows of a FROM and WHERE."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Fact
from sqlverdict.parse.schema import Table
from sqlverdict.parse.schemas.column_types import column_values, declared_collation
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    aggregates_in,
    column_name,
    columns_in,
    conditions,
    has_window,
    is_constant,
    is_grouped,
    is_inner,
    is_limited,
    items,
    joins,
    labels,
    output_nodes,
    parts,
    source_label,
    whole_number,
)
from sqlverdict.prove.reasoning.strict import rejects_null
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.tree_key import expression_key

_CHARACTER_SET = re.compile(r"\bcharset\b|\bcharacter\s+set\b", re.IGNORECASE)


def filters(select: Expr) -> Iterator[Expr]:
    """What holds for every row behind WHERE: its conjuncts and those of inner joins."""
    yield from conditions(select)
    for join in joins(select):
        if is_inner(join) and join.args.get("on") is not None:
            yield from parts(join.args["on"])


def item_keys(
    item: Expr, facts: Facts, filtered: Sequence[Expr] = ()
) -> list[tuple[frozenset[str], tuple[Fact, ...]]]:
    """The keys of a source: sets of columns on which no two of its rows agree, NULLs included.

    UNIQUE columns that the conditions in ``filtered`` let pass only with a value are a key too.
    """
    if isinstance(item, exp.Table):
        return [*facts.keys(item.alias), *_filtered_keys(item.alias, facts, filtered)]
    inner = item.this
    if not isinstance(inner, exp.Select) or is_limited(inner):
        return []
    group = inner.args.get("group")
    columns = {
        expression_key(projection): f"c{n}"
        for n, projection in reversed(list(enumerate(inner.expressions)))
    }
    if group is not None:
        grouping = [columns.get(expression_key(term)) for term in group.expressions]
        if all(name is not None for name in grouping):
            return [(frozenset(name for name in grouping if name is not None), ())]
    elif is_grouped(inner):
        return [(frozenset(), ())]
    if inner.args.get("distinct"):
        return [(frozenset(f"c{n}" for n in range(len(inner.expressions))), ())]
    return []


def _filtered_keys(
    label: str, facts: Facts, filtered: Sequence[Expr]
) -> Iterator[tuple[frozenset[str], tuple[Fact, ...]]]:
    for columns, fact in facts.uniques(label):
        declared = {column: facts.not_null(label, column) for column in sorted(columns)}
        if None not in declared.values():
            continue
        nullable = [
            resolved(label, column) for column, not_null in declared.items() if not_null is None
        ]
        if all(any(rejects_null(part, column) for part in filtered) for column in nullable):
            yield (
                columns,
                (fact, *(not_null for not_null in declared.values() if not_null is not None)),
            )


def closure(
    select: Expr, facts: Facts, start: Iterable[ColumnName], also: Sequence[Expr] = ()
) -> set[ColumnName]:
    """All columns that have one value wherever the given ones have; facts used are cited.

    Args:
        select: Its sources and conditions are looked at.
        facts: The facts.
        start: The columns that are given.
        also: Further conditions that hold for the rows that count.
    """
    determined = set(start)
    pairs: list[tuple[ColumnName, ColumnName]] = []
    # Collated texts that are equal to what is determined, and may differ from each other.
    equals: set[ColumnName] = set()
    equal_pairs: list[tuple[ColumnName, ColumnName]] = []
    filtered = [*filters(select), *also]
    for condition in filtered:
        if not isinstance(condition, exp.EQ):
            continue
        left, right = condition.this, condition.expression
        for column, other in ((left, right), (right, left)):
            if not isinstance(column, exp.Column):
                continue
            pins = facts.pins(column, other)
            if not pins and not compares_like_keys(column, other, facts):
                continue
            if isinstance(other, exp.Column):
                (pairs if pins else equal_pairs).append((column_name(other), column_name(column)))
            elif is_constant(other):
                (determined if pins else equals).add(column_name(column))
    sources = [(item, item_keys(item, facts, filtered)) for item in items(select)]
    whole: set[str] = set()
    growing = True
    while growing:
        before = len(determined)
        determined |= {pinned for start_column, pinned in pairs if start_column in determined}
        equals |= {pinned for other, pinned in equal_pairs if other in determined | equals}
        for item, keys in sources:
            label = item.alias
            if label in whole:
                continue
            for names, reasons in keys:
                # A key of collated texts is one under their collation.
                if all((label, name) in determined | equals for name in names):
                    whole.add(label)
                    columns = _columns(item, facts)
                    if not columns <= determined:
                        facts.cite(*reasons)
                        determined |= columns
                    break
        growing = len(determined) > before
    return determined


def compares_like_keys(column: exp.Column, other: Expr, facts: Facts) -> bool:
    """Whether a column's equality with another one, or a text, is that of the column's keys."""
    table = facts.table(source_label(column)) if facts.record.typed else None
    own = table.column(column.name) if table is not None else None
    if table is None or own is None or column_values(table, own, facts.dialect) != "collated":
        return False
    if isinstance(other, exp.Literal):
        return bool(other.is_string)
    theirs = facts.table(source_label(other)) if isinstance(other, exp.Column) else None
    second = theirs.column(other.name) if theirs is not None else None
    if theirs is None or second is None:
        return False
    is_text = column_values(theirs, second, facts.dialect) == "collated"
    collation = declared_collation(table, own)
    if collation != declared_collation(theirs, second):
        return False
    # Tables of one script that name no collation have that of their database.
    return is_text and (bool(collation) or _has_default_texts(facts, table, theirs))


def _has_default_texts(facts: Facts, *tables: Table) -> bool:
    """Whether no table of a schema that was read from a script has a character set of its own."""
    texts = [table.sql or "" for table in tables]
    return facts.schema.source == "ddl" and not any(map(_CHARACTER_SET.search, texts))


def _columns(item: Expr, facts: Facts) -> frozenset[ColumnName]:
    """All columns of a source."""
    label = item.alias
    columns = facts.columns(label)
    if columns is not None:
        return columns
    inner = item.this
    while isinstance(inner, exp.SetOperation):
        inner = inner.this
    return frozenset((label, f"c{n}") for n in range(len(inner.expressions)))


def determines_row(
    select: Expr, facts: Facts, start: Iterable[ColumnName], also: Sequence[Expr] = ()
) -> bool:
    """Whether no two rows of FROM and WHERE agree on the given columns.

    ``also`` are further conditions that hold for the rows that count.
    """
    determined = closure(select, facts, start, also)
    filtered = [*filters(select), *also]
    for item in items(select):
        reasons = next(
            (
                reasons
                for names, reasons in item_keys(item, facts, filtered)
                if all((item.alias, name) in determined for name in names)
            ),
            None,
        )
        if reasons is None:
            return False
        facts.cite(*reasons)
    return bool(items(select))


def tells_groups_apart(node: exp.Select, facts: Facts) -> bool:
    """Whether no two groups of a query that groups agree in what it shows."""
    group = node.args.get("group")
    if group is None:
        return True
    selected = {expression_key(item) for item in node.expressions}
    rest = [term for term in group.expressions if expression_key(term) not in selected]
    if not rest:
        return True
    if not all(isinstance(term, exp.Column) for term in rest):
        return False
    grouped = plain_columns(group.expressions)
    within = closure(node, facts, grouped)
    fixed = {name for name in plain_columns(node.expressions) if name in within}
    determined = closure(node, facts, fixed)
    return all(column_name(term) in determined for term in rest)


def equal_columns(select: Expr, facts: Facts) -> list[set[ColumnName]]:
    """Classes of columns that have the same value, of the same type, in every row behind WHERE."""
    return classes_of(equality(condition, facts) for condition in filters(select))


def classes_of(
    equalities: Iterable[tuple[ColumnName, ColumnName] | None],
) -> list[set[ColumnName]]:
    """Classes of equal columns from pairs of equal ones; ``None`` stands for no pair."""
    classes: list[set[ColumnName]] = []
    for pair in equalities:
        if pair is None:
            continue
        touched = [members for members in classes if members & set(pair)]
        merged = set(pair).union(*touched)
        classes = [members for members in classes if members not in touched]
        classes.append(merged)
    return classes


def chosen_columns(
    select: Expr, facts: Facts, classes: Iterable[set[ColumnName]]
) -> dict[ColumnName, ColumnName]:
    """For each column that has equals, the one of its class that stands for all.

    Outer columns come last, keys before them: a table that is joined by its key alone can then
    be dropped.
    """
    positions = {item.alias: number for number, item in enumerate(items(select))}

    def rank(name: ColumnName) -> tuple[bool, bool, str, str, int]:
        label, column = name
        unique = any(columns == {column} for columns, _ in facts.uniques(label))
        return (
            label not in positions,
            unique,
            facts.bases.get(label, "").lower(),
            column,
            positions.get(label, -1),
        )

    representatives: dict[ColumnName, ColumnName] = {}
    for members in classes:
        first = min(members, key=rank)
        representatives.update(dict.fromkeys(members, first))
    return representatives


def equality(condition: Expr, facts: Facts) -> tuple[ColumnName, ColumnName] | None:
    """The two columns that a condition makes the same, if it is such a condition."""
    if not isinstance(condition, exp.EQ):
        return None
    left, right = condition.this, condition.expression
    if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
        return None
    kind = facts.kind(left)
    if kind is None or kind == "number" or kind != facts.kind(right):
        return None
    pair = column_name(left), column_name(right)
    # A column's equality with itself says that it is not NULL, and must not get lost.
    return pair if pair[0] != pair[1] else None


def at_most_one_row(select: Expr, facts: Facts) -> bool:
    """Whether a query gives one row or none, for each row of the query around it."""
    if not isinstance(select, exp.Select):
        return False
    if is_grouped(select):
        return select.args.get("group") is None
    return determines_row(select, facts, outer_columns(select))


def outer_columns(query: Expr) -> set[ColumnName]:
    """The columns that a query takes from outside: one row around it gives them one value each."""
    inside = {part.alias for part in query.find_all(exp.Table, exp.Subquery) if part.alias}
    return {
        column_name(column)
        for column in columns_in(query)
        if source_label(column) and source_label(column) not in inside
    }


def plain_columns(nodes: Iterable[Expr]) -> set[ColumnName]:
    """The names of those expressions that are columns."""
    return {column_name(node) for node in nodes if isinstance(node, exp.Column)}


def multiplicity_is_idle(select: Expr) -> bool:
    """Whether repeating rows of FROM and WHERE changes nothing in what a SELECT stands for."""
    if has_window(select):
        return False
    if is_grouped(select):
        return _only_idempotent(select)
    if select.args.get("distinct"):
        return True
    return not is_limited(select) and is_tested(select)


def is_tested(select: Expr) -> bool:
    """Whether only the set of a query's rows counts: in EXISTS, IN, or a set operation."""
    holder = select.parent
    if isinstance(holder, exp.Subquery) and not holder.alias:
        holder = holder.parent
        return isinstance(holder, exp.In) and holder.args.get("query") is select.parent
    if isinstance(holder, exp.Exists):
        return True
    if isinstance(holder, exp.In):
        return holder.args.get("query") is select
    if isinstance(holder, exp.SetOperation):
        if holder.args.get("distinct") or not isinstance(holder, exp.Union):
            return True
        return not is_limited(holder) and is_tested(holder)
    return False


def _only_idempotent(select: Expr) -> bool:
    """Whether all aggregates ignore repeated rows."""
    for call in aggregates_in(output_nodes(select)):
        if isinstance(call, exp.Max | exp.Min):
            continue
        if not isinstance(call.this, exp.Distinct):
            return False
    return True


def pinned_columns(select: exp.Select, facts: Facts) -> dict[ColumnName, Expr]:
    """The columns of the query's own sources that have one value, with this value."""
    own = set(labels(select))
    pinned: dict[ColumnName, Expr] = {}
    for condition in conditions(select):
        if not isinstance(condition, exp.EQ):
            continue
        for column, value in (
            (condition.this, condition.expression),
            (condition.expression, condition.this),
        ):
            if not isinstance(column, exp.Column) or source_label(column) not in own:
                continue
            number = whole_number(value)
            is_text = isinstance(value, exp.Literal) and bool(value.is_string)
            kind = "integer" if number is not None and abs(number) < 2**53 else "text"
            if (number is not None or is_text) and facts.kind(column) == kind:
                pinned.setdefault(column_name(column), value)
    return pinned
