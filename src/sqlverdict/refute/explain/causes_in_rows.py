"""What in a witness's rows makes the two queries differ, found by changing it.

Each function gives the words after "they differ when", or ``None``. A claim is made only
where every tried change of that one circumstance makes the queries agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import affinity
from sqlverdict.parse.schema import Table
from sqlverdict.records import Cell, Row
from sqlverdict.refute.explain.what_if import Rows, WhatIf
from sqlverdict.refute.explain.wording import column, noun, nouns, one
from sqlverdict.refute.read.columns import ColumnRef
from sqlverdict.refute.read.reading import Hint
from sqlverdict.refute.trial.literals import cell_text

_DATE = re.compile(r"(\d{4})(-\d\d.*)?")
_FAR = 1_000
_BOUNDS = frozenset({"<", "<=", ">", ">="})
_WITH_EQUAL = frozenset({"<=", ">=", "="})


def boundary(scene: WhatIf) -> str | None:
    """A value that is exactly a constant of one of the queries."""
    for hint in scene.reading.hints:
        if hint.operator not in _BOUNDS or not hint.direct:
            continue
        for number, cell in enumerate(scene.cells(hint.place)):
            if cell is None or not _same(cell, hint.value):
                continue
            moved = [scene.with_cell(hint.place, number, value) for value in _near(cell)]
            if moved and all(scene.agree_on(rows) for rows in moved):
                return (
                    f"{column(hint.place[1])} is exactly {_shown(hint)}{_who_includes(scene, hint)}"
                )
    return None


def _shown(hint: Hint) -> str:
    return cell_text(hint.value)


def _who_includes(scene: WhatIf, hint: Hint) -> str:
    sides = [
        {h.operator for h in reading.hints if h.place == hint.place and h.value == hint.value}
        for reading in scene.readings
    ]
    included = [bool(_WITH_EQUAL & operators) for operators in sides]
    if not all(sides) or included[0] == included[1]:
        return ""
    names = ("gold", "prediction") if included[0] else ("prediction", "gold")
    return f" (the {names[0]} includes the boundary, the {names[1]} does not)"


def null(scene: WhatIf) -> str | None:
    """A column that is NULL in a row."""
    for place in scene.reading.used:
        numbers = [number for number, cell in enumerate(scene.cells(place)) if cell is None]
        alone = any(
            all(scene.agree_on(rows) for rows in _without_null(scene, place, number))
            for number in numbers
        )
        if (alone or _agree_without_nulls(scene, place, numbers)) and _is_null(
            scene, place, numbers
        ):
            return f"{one(place[0])} has no {column(place[1])} (NULL)"
    return None


def _agree_without_nulls(scene: WhatIf, place: ColumnRef, numbers: Sequence[int]) -> bool:
    """Whether the queries agree where each of several NULLs is a value of its own."""
    if len(numbers) < 2:
        return False
    rows: Rows = scene.rows
    value = _fresh(scene, place)[0]
    for number in numbers:
        rows = scene.with_cell(place, number, value, rows)
        value = next(iter(_far(value)), value)
    return scene.agree_on(rows)


def _is_null(scene: WhatIf, place: ColumnRef, numbers: Sequence[int]) -> bool:
    """Whether several NULLs matter as NULLs, and not as values that are the same."""
    if len(numbers) == 1:
        return True
    same: Rows = scene.rows
    for number in numbers:
        same = scene.with_cell(place, number, _fresh(scene, place)[0], same)
    if scene.agree_on(same):
        return True
    others = set(numbers[1:])
    alone = [row for number, row in enumerate(scene.rows[place[0]]) if number not in others]
    return not scene.agree_on({**scene.rows, place[0]: alone})


def _without_null(scene: WhatIf, place: ColumnRef, number: int) -> Iterator[dict[str, list[Row]]]:
    """The rows with a value there: one that joins, or else a new one and those asked for."""
    others = [
        pair[1] if pair[0] == place else pair[0] for pair in scene.reading.joins if place in pair
    ]
    if others:
        for other in others:
            partner = next((cell for cell in scene.cells(other) if cell is not None), None)
            if partner is not None:
                yield scene.with_cell(place, number, partner)
            # A partner of its own, too: otherwise it may be the very row that was asked for.
            value = _unused(scene, other)
            row = _partner_row(scene, other, _wanted_row(scene, scene.table(other[0])), value)
            yield scene.with_row(other[0], row, scene.with_cell(place, number, value))
        return
    asked = [h.value for h in scene.reading.hints if h.place == place and h.value is not None]
    for value in [*_fresh(scene, place)[:2], *asked[:2]]:
        yield scene.with_cell(place, number, value)


def _fresh(scene: WhatIf, place: ColumnRef) -> list[Cell]:
    """Values that the column does not hold, of the kind that it holds."""
    known = next((cell for cell in scene.cells(place) if cell is not None), None)
    found: list[Cell] = list(_far(known))
    if found:
        return found
    given = scene.table(place[0]).column(place[1])
    is_text = given is not None and affinity(given.type) == "TEXT"
    return ["other", "some"] if is_text else [77, 66]


def letter_case(scene: WhatIf) -> str | None:
    """Text that is a constant but for its letter case, its spaces or its type."""
    for hint in scene.reading.hints:
        for number, cell in enumerate(scene.cells(hint.place)):
            how = _almost(cell, hint.value)
            if how and scene.agree_on(scene.with_cell(hint.place, number, _bare(hint.value))):
                wanted = cell_text(_bare(hint.value))
                name = column(hint.place[1])
                if how == "type":
                    return f"{name} is {cell_text(cell)} and not {wanted} (text and number)"
                return f"{name} differs from {wanted} only in {how}"
    return None


def _almost(cell: Cell, constant: Cell) -> str:
    wanted = _bare(constant)
    if cell is None or wanted is None or isinstance(cell, bytes):
        return ""
    if isinstance(cell, str) and isinstance(wanted, str):
        if cell != wanted and cell.casefold() == wanted.casefold():
            return "letter case"
        return "spaces" if cell != wanted and cell.strip() == wanted.strip() else ""
    return "type" if str(cell) == str(wanted) and isinstance(cell, str | int | float) else ""


def _bare(constant: Cell) -> Cell:
    return constant.strip("%") or constant if isinstance(constant, str) else constant


def missing_partner(scene: WhatIf) -> str | None:
    """A row that joins with none."""
    for here, there in _joins(scene):
        partners = [cell for cell in scene.cells(there) if cell is not None]
        for cell in scene.cells(here):
            if cell is None or any(_same(cell, other) for other in partners):
                continue
            if any(scene.agree_on(rows) for rows in _with_partner(scene, there, cell)):
                return _without(scene, here, there)
    return None


def _joins(scene: WhatIf) -> Iterator[tuple[ColumnRef, ColumnRef]]:
    for one_, two in scene.reading.joins:
        yield one_, two
        yield two, one_


def _without(scene: WhatIf, here: ColumnRef, there: ColumnRef) -> str:
    if here[0] == there[0]:
        return f"{one(here[0])}'s {column(here[1])} is no {noun(there[0])}'s {column(there[1])}"
    table = scene.table(there[0])
    alone = table.primary_key == (there[1],) or (there[1],) in table.uniques
    return f"{one(here[0])} has no {noun(there[0]) if alone else nouns(there[0])}"


def _with_partner(scene: WhatIf, there: ColumnRef, value: Cell) -> Iterator[dict[str, list[Row]]]:
    wanted = _wanted_row(scene, scene.table(there[0]))
    for pattern in [*scene.rows.get(there[0], ())[:2], wanted]:
        yield scene.with_row(there[0], _partner_row(scene, there, pattern, value))


def _partner_row(scene: WhatIf, there: ColumnRef, pattern: Row, value: Cell) -> Row:
    """A row like the pattern, with keys of its own, that joins with a value."""
    table = scene.table(there[0])
    row = list(pattern)
    for place in _key_places(table):
        row[place] = _unused(scene, (table.name, table.columns[place].name))
    row[scene.index(there)] = value
    return tuple(row)


def _wanted_row(scene: WhatIf, table: Table) -> Row:
    """A row that meets what the queries ask of its columns one by one, as far as that is easy."""
    cells: list[Cell] = []
    for given in table.columns:
        place = (table.name, given.name)
        hints = [h for h in scene.reading.hints if h.place == place and h.value is not None]
        default: Cell = "x" if affinity(given.type) == "TEXT" else 1
        cells.append(_meeting(hints[0]) if hints else default)
    return tuple(cells)


def _meeting(hint: Hint) -> Cell:
    value = hint.value
    if isinstance(value, str):
        return value.replace("%", "")
    if isinstance(value, int | float):
        return value + {">": 1, "<": -1, "!=": 1}.get(hint.operator, 0)
    return value


def _key_places(table: Table) -> set[int]:
    names = {*table.primary_key, *(name for columns in table.uniques for name in columns)}
    return {place for place, given in enumerate(table.columns) if given.name in names}


def _unused(scene: WhatIf, place: ColumnRef) -> Cell:
    numbers = [cell for cell in scene.cells(place) if isinstance(cell, int)]
    texts = [cell for cell in scene.cells(place) if isinstance(cell, str)]
    return max(texts) + "z" if texts and not numbers else max(numbers, default=0) + 1


def tie(scene: WhatIf) -> str | None:
    """Two rows with the same sort key, or that share a maximum."""
    for place, word in _extremes(scene):
        cells = scene.cells(place)
        for number in _repeated(cells):
            cell = cells[number]
            if cell is None:
                continue
            moved = [scene.with_cell(place, number, value) for value in _far(cell)]
            if moved and all(scene.agree_on(rows) for rows in moved):
                same = [other for other in cells if other is not None]
                best = word and cell == _extreme(same, word)
                if best:
                    return f"two {nouns(place[0])} share the {word} {column(place[1])}"
                return f"two {nouns(place[0])} have the same {column(place[1])}"
    return None


def _extremes(scene: WhatIf) -> list[tuple[ColumnRef, str]]:
    """Columns whose order counts, and which end of it."""
    found: dict[ColumnRef, str] = {}
    for query, resolver in zip(scene.queries, scene.resolvers, strict=True):
        for node in query.tree.find_all(exp.Ordered, exp.Max, exp.Min):
            place = resolver.column(_inner(node.this))
            if place is not None and place not in found:
                high = bool(node.args.get("desc")) if isinstance(node, exp.Ordered) else False
                found[place] = "highest" if high or isinstance(node, exp.Max) else "lowest"
    return list(found.items())


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


def duplicate(scene: WhatIf) -> str | None:
    """Two rows of one table with the same value."""
    joined = {place for pair in scene.reading.joins for place in pair}
    for place in sorted(scene.reading.used, key=lambda place: place in joined):
        cells = scene.cells(place)
        asked = [h.value for h in scene.reading.hints if h.place == place and h.operator == "="]
        for number in _repeated(cells):
            if cells[number] is not None and any(_same(cells[number], v) for v in asked):
                continue  # both rows are asked for by that very value
            values = _fresh(scene, place) if cells[number] is None else _far(cells[number])
            moved = [scene.with_cell(place, number, value) for value in values]
            if moved and all(scene.agree_on(rows) for rows in moved):
                null_ = " (NULL)" if cells[number] is None else ""
                return f"two {nouns(place[0])} have the same {column(place[1])}{null_}"
    return None


def empty_table(scene: WhatIf) -> str | None:
    """A table without rows."""
    for name in scene.reading.tables:
        table = scene.table(name)
        if scene.rows.get(name) or not table.columns:
            continue
        if scene.agree_on(scene.with_row(name, _wanted_row(scene, table))):
            return f"table {column(name)} is empty"
    return None


def _repeated(cells: Sequence[Cell]) -> list[int]:
    """Where a value stands for the second time."""
    return [
        number
        for number, cell in enumerate(cells)
        if any(_same(cell, other) for other in cells[:number])
    ]


def _same(one_: Cell, other: Cell) -> bool:
    if isinstance(one_, int | float) and isinstance(other, str):
        return str(one_) == other
    if isinstance(one_, str) and isinstance(other, int | float):
        return one_ == str(other)
    return one_ == other


def _near(cell: Cell) -> tuple[Cell, ...]:
    """The values next to one: just above, just below."""
    return _moved(cell, 1)


def _far(cell: Cell) -> tuple[Cell, ...]:
    """Values above and below all that a small witness is likely to hold."""
    return _moved(cell, _FAR)


def _moved(cell: Cell, step: int) -> tuple[Cell, ...]:
    if isinstance(cell, int | float):
        return cell + step, cell - step
    if not isinstance(cell, str):
        return ()
    dated = _DATE.fullmatch(cell)
    if dated and 1 < int(dated[1]) < 9_000 and (dated[2] or len(cell) == 4):
        rest = dated[2] or ""
        return f"{int(dated[1]) + 1:04}{rest}", f"{int(dated[1]) - 1:04}{rest}"
    number = re.fullmatch(r"-?\d{1,9}", cell)
    if number:
        return str(int(cell) + step), str(int(cell) - step)
    return f"{cell}z", f"{cell[:-1]}!" if cell else "!"
