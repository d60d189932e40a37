"""What in a witness's rows makes the two queries differ, found by changing it.

Each function gives the words after "they differ when", or ``None``. A claim is made only
where every tried change of that one circumstance makes the queries agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.execute.session import TableRows
from sqlverdict.parse.schema import ColumnRef
from sqlverdict.records import Cell, Row
from sqlverdict.refute.explain.new_rows import (
    circumstance_extent,
    far,
    fresh,
    matching_row,
    neighbour_values,
    partner_row,
    row_with_values,
    unused,
    with_other_keys,
)
from sqlverdict.refute.explain.row_checks import some_group_is
from sqlverdict.refute.explain.what_if import WhatIf
from sqlverdict.refute.explain.wording import column, row_phrase, rows_phrase
from sqlverdict.refute.read.reading import Hint
from sqlverdict.refute.trial.literals import cell_text

_BOUNDS = frozenset({"<", "<=", ">", ">="})
_WITH_EQUAL = frozenset({"<=", ">=", "="})


def boundary(what_if: WhatIf) -> str | None:
    """A value that is exactly a constant of one of the queries."""
    for hint in what_if.reading.hints:
        if hint.operator not in _BOUNDS or not hint.direct or _is_shared(what_if, hint):
            continue
        for number, cell in enumerate(what_if.cells(hint.column_ref)):
            if cell is None or not _same(cell, hint.value):
                continue
            changes = [
                what_if.with_cell(hint.column_ref, number, value)
                for value in neighbour_values(cell)
            ]
            if changes and all(what_if.agree_on(rows) for rows in changes):
                name, value = column(hint.column_ref[1]), cell_text(hint.value)
                return f"{name} is exactly {value}{_who_includes(what_if, hint)}"
    return None


def _is_shared(what_if: WhatIf, hint: Hint) -> bool:
    """Whether both queries have the same boundary: on other rows they differ without it, too."""
    gold, prediction = _operators(what_if, hint)
    return gold == prediction


def _operators(what_if: WhatIf, hint: Hint) -> list[set[str]]:
    """How each query compares the column with the value."""
    return [
        {
            h.operator
            for h in reading.hints
            if h.column_ref == hint.column_ref and h.value == hint.value
        }
        for reading in what_if.readings
    ]


def _who_includes(what_if: WhatIf, hint: Hint) -> str:
    sides = _operators(what_if, hint)
    included = [bool(_WITH_EQUAL & operators) for operators in sides]
    if not all(sides) or included[0] == included[1]:
        return ""
    names = ("gold", "prediction") if included[0] else ("prediction", "gold")
    return f" (the {names[0]} includes the boundary, the {names[1]} does not)"


def null(what_if: WhatIf) -> str | None:
    """A column that is NULL in a row."""
    for column_ref in what_if.reading.used:
        numbers = [number for number, cell in enumerate(what_if.cells(column_ref)) if cell is None]
        alone = any(
            all(what_if.agree_on(rows) for rows in _without_null(what_if, column_ref, number))
            for number in numbers
        )
        if (alone or _agree_without_nulls(what_if, column_ref, numbers)) and _is_null(
            what_if, column_ref, numbers
        ):
            return _null_words(what_if, column_ref)
    return None


def _null_words(what_if: WhatIf, column_ref: ColumnRef) -> str:
    """Whether one NULL is enough, or there must be nothing but NULLs."""
    table, name = column_ref[0], column(column_ref[1])
    row = row_with_values(what_if, table, [column_ref[1]])
    how_many = circumstance_extent(what_if, table, row, {column_ref[1]})
    if how_many == "all" and not any(cell is not None for cell in what_if.cells(column_ref)):
        return f"no {row_phrase(table)} has any {name} (NULL in every row)"
    at = what_if.index(column_ref)
    if how_many == "group" and some_group_is(what_if, table, lambda row: row[at] is None):
        return f"the {rows_phrase(table)} in a group have no {name} (NULL in every row of it)"
    return f"a {row_phrase(table)} has no {name} (NULL)"


def _agree_without_nulls(what_if: WhatIf, column_ref: ColumnRef, numbers: Sequence[int]) -> bool:
    """Whether the queries agree where each of several NULLs is a value of its own."""
    if len(numbers) < 2:
        return False
    rows: TableRows = what_if.rows
    value = fresh(what_if, column_ref)[0]
    for number in numbers:
        rows = what_if.with_cell(column_ref, number, value, rows)
        value = next(iter(far(value)), value)
    return what_if.agree_on(rows)


def _is_null(what_if: WhatIf, column_ref: ColumnRef, numbers: Sequence[int]) -> bool:
    """Whether several NULLs matter as NULLs, and not as values that are the same."""
    if len(numbers) == 1:
        return True
    same: TableRows = what_if.rows
    for number in numbers:
        same = what_if.with_cell(column_ref, number, fresh(what_if, column_ref)[0], same)
    if what_if.agree_on(same):
        return True
    others = set(numbers[1:])
    alone = [row for number, row in enumerate(what_if.rows[column_ref[0]]) if number not in others]
    return not what_if.agree_on({**what_if.rows, column_ref[0]: alone})


def _without_null(
    what_if: WhatIf, column_ref: ColumnRef, number: int
) -> Iterator[dict[str, list[Row]]]:
    """The rows with a value there: one that joins, or else a new one and those asked for."""
    others = [
        pair[1] if pair[0] == column_ref else pair[0]
        for pair in what_if.reading.joins
        if column_ref in pair
    ]
    if others:
        for other in others:
            partner = next((cell for cell in what_if.cells(other) if cell is not None), None)
            if partner is not None:
                yield what_if.with_cell(column_ref, number, partner)
            # A partner of its own, too: otherwise it may be the very row that was asked for.
            value = unused(what_if, other)
            row = partner_row(what_if, other, matching_row(what_if, what_if.table(other[0])), value)
            yield what_if.with_row(other[0], row, what_if.with_cell(column_ref, number, value))
        return
    query_values = [
        h.value for h in what_if.reading.hints if h.column_ref == column_ref and h.value is not None
    ]
    for value in [*fresh(what_if, column_ref)[:2], *query_values[:2]]:
        yield what_if.with_cell(column_ref, number, value)


def letter_case(what_if: WhatIf) -> str | None:
    """Text that is a constant but for its letter case, its spaces or its type."""
    for hint in what_if.reading.hints:
        for number, cell in enumerate(what_if.cells(hint.column_ref)):
            how = _almost(cell, hint.value)
            if how and what_if.agree_on(
                what_if.with_cell(hint.column_ref, number, _bare(hint.value))
            ):
                constant = cell_text(_bare(hint.value))
                name = column(hint.column_ref[1])
                if how == "type":
                    return f"{name} is {cell_text(cell)} and not {constant} (text and number)"
                return f"{name} differs from {constant} only in {how}"
    return None


def _almost(cell: Cell, constant: Cell) -> str:
    text = _bare(constant)
    if cell is None or text is None or isinstance(cell, bytes):
        return ""
    if isinstance(cell, str) and isinstance(text, str):
        if cell != text and cell.casefold() == text.casefold():
            return "letter case"
        return "spaces" if cell != text and cell.strip() == text.strip() else ""
    return "type" if str(cell) == str(text) and isinstance(cell, str | int | float) else ""


def _bare(constant: Cell) -> Cell:
    return constant.strip("%") or constant if isinstance(constant, str) else constant


def missing_partner(what_if: WhatIf) -> str | None:
    """A row that joins with none."""
    for here, there in _joins(what_if):
        partners = [cell for cell in what_if.cells(there) if cell is not None]
        for number, cell in enumerate(what_if.cells(here)):
            if cell is None or any(_same(cell, other) for other in partners):
                continue
            if any(what_if.agree_on(rows) for rows in _with_partner(what_if, there, cell)):
                return _without(what_if, here, there, what_if.rows[here[0]][number])
    return None


def _joins(what_if: WhatIf) -> Iterator[tuple[ColumnRef, ColumnRef]]:
    for one_, two in what_if.reading.joins:
        yield one_, two
        yield two, one_


def _without(what_if: WhatIf, here: ColumnRef, there: ColumnRef, row: Row) -> str:
    if here[0] == there[0]:
        whose = f"a {row_phrase(here[0])} has a {column(here[1])}"
        return f"{whose} that is not the {column(there[1])} of any row"
    partner = f"partner in {column(there[0])}"
    (first, theirs), (second, theirs_too) = _two_with_partners(what_if, here, there, row)
    rows = what_if.with_row(there[0], theirs_too, what_if.with_row(there[0], theirs))
    partners = [cell for cell in what_if.cells(there) if cell is not None]
    at = what_if.index(here)

    def is_alone(row: Row) -> bool:
        return not any(_same(row[at], each) for each in partners)

    all_alone = all(map(is_alone, what_if.rows[here[0]]))
    match circumstance_extent(what_if, here[0], first, {here[1]}, rows=rows, second=second):
        case "all" if all_alone:
            return f"no {row_phrase(here[0])} has a {partner}"
        case "group" if some_group_is(what_if, here[0], is_alone):
            return f"the {rows_phrase(here[0])} in a group have no {partner}"
    return f"a {row_phrase(here[0])} has no {partner}"


def _two_with_partners(
    what_if: WhatIf, here: ColumnRef, there: ColumnRef, row: Row
) -> tuple[tuple[Row, Row], tuple[Row, Row]]:
    """Two rows like a row without a partner, each with one."""
    value = unused(what_if, here)
    ours = partner_row(what_if, here, row, value)
    theirs = partner_row(what_if, there, next(_patterns(what_if, there)), value)
    other = next(iter(neighbour_values(value)), value)
    return (ours, theirs), (
        _with(what_if, here, with_other_keys(what_if, here[0], ours), other),
        _with(what_if, there, with_other_keys(what_if, there[0], theirs), other),
    )


def _with_partner(what_if: WhatIf, there: ColumnRef, value: Cell) -> Iterator[dict[str, list[Row]]]:
    for pattern in _patterns(what_if, there):
        yield what_if.with_row(there[0], partner_row(what_if, there, pattern, value))


def _patterns(what_if: WhatIf, there: ColumnRef) -> Iterator[Row]:
    """TableRows that a partner may be like."""
    yield from what_if.rows.get(there[0], ())[:2]
    yield matching_row(what_if, what_if.table(there[0]))


def _with(what_if: WhatIf, column_ref: ColumnRef, row: Row, value: Cell) -> Row:
    at = what_if.index(column_ref)
    return (*row[:at], value, *row[at + 1 :])


def tie(what_if: WhatIf) -> str | None:
    """Two rows with the same sort key, or that share a maximum."""
    for column_ref, word in _extremes(what_if):
        cells = what_if.cells(column_ref)
        for number in _repeated(cells):
            cell = cells[number]
            if cell is None:
                continue
            changes = [what_if.with_cell(column_ref, number, value) for value in far(cell)]
            if changes and all(what_if.agree_on(rows) for rows in changes):
                same = [other for other in cells if other is not None]
                best = word and cell == _extreme(same, word)
                if best:
                    return (
                        f"two {rows_phrase(column_ref[0])} share the {word} {column(column_ref[1])}"
                    )
                return f"two {rows_phrase(column_ref[0])} have the same {column(column_ref[1])}"
    return None


def _extremes(what_if: WhatIf) -> list[tuple[ColumnRef, str]]:
    """Columns whose order counts, and which end of it."""
    extremes: dict[ColumnRef, str] = {}
    for query, resolver in zip(what_if.queries, what_if.resolvers, strict=True):
        for node in query.tree.find_all(exp.Ordered, exp.Max, exp.Min):
            column_ref = resolver.column(_inner(node.this))
            if column_ref is not None and column_ref not in extremes:
                high = bool(node.args.get("desc")) if isinstance(node, exp.Ordered) else False
                extremes[column_ref] = "highest" if high or isinstance(node, exp.Max) else "lowest"
    return list(extremes.items())


def _inner(node: Expr) -> Expr:
    while isinstance(node, exp.Paren | exp.Cast | exp.Max | exp.Min):
        node = node.this
    return node


def _extreme(cells: Sequence[Cell], word: str) -> Cell:
    numbers = [cell for cell in cells if isinstance(cell, int | float)]
    texts = [cell for cell in cells if isinstance(cell, str)]
    pick = max if word == "highest" else min
    if numbers and not texts:
        return pick(numbers)
    return pick(texts) if texts and not numbers else None


def duplicate(what_if: WhatIf) -> str | None:
    """Two rows of one table with the same value."""
    joined = {column_ref for pair in what_if.reading.joins for column_ref in pair}
    for column_ref in sorted(what_if.reading.used, key=lambda column_ref: column_ref in joined):
        cells = what_if.cells(column_ref)
        query_values = [
            h.value
            for h in what_if.reading.hints
            if h.column_ref == column_ref and h.operator == "="
        ]
        for number in _repeated(cells):
            if cells[number] is not None and any(_same(cells[number], v) for v in query_values):
                continue  # both rows are asked for by that very value
            values = fresh(what_if, column_ref) if cells[number] is None else far(cells[number])
            changes = [what_if.with_cell(column_ref, number, value) for value in values]
            if changes and all(what_if.agree_on(rows) for rows in changes):
                null_ = " (NULL)" if cells[number] is None else ""
                return (
                    f"two {rows_phrase(column_ref[0])} have the same {column(column_ref[1])}{null_}"
                )
    return None


def empty_table(what_if: WhatIf) -> str | None:
    """A table without rows."""
    for name in what_if.reading.tables:
        table = what_if.table(name)
        if what_if.rows.get(name) or not table.columns:
            continue
        if what_if.agree_on(what_if.with_row(name, matching_row(what_if, table))):
            return f"table {column(name)} is empty"
    return None


def _repeated(cells: Sequence[Cell]) -> list[int]:
    """Where a value stands for the second time."""
    return [number for number, cell in enumerate(cells) if cell in cells[:number]]


def _same(one_: Cell, other: Cell) -> bool:
    if isinstance(one_, int | float) and isinstance(other, str):
        return str(one_) == other
    if isinstance(one_, str) and isinstance(other, int | float):
        return one_ == str(other)
    return one_ == other
