"""The same values in another type or spelling.

Says: as bags, the rows are equal under a map of columns once both sides of the changed
columns are brought to one spelling: '4' and 4, ' x ' and 'x', 'Ab' and 'AB', '1,234' and
1234, '12%' and 12, 'Jan 5, 2020' and '2020-01-05'.
Proof: ``columns``, ``extra`` or ``missing``, ``order``; ``changed``, for each changed
column the ``steps`` it takes, the fewest that do (see :data:`~._spellings.STEPS`).
Misleads: case and spaces can be part of a name, a code can look like a number. Leading
zeros are kept: '007' is not 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.check import map_holds
from sqlverdict.compare.related.search import ColumnLink, find_map, map_detail
from sqlverdict.compare.related.spellings import STEPS, has_year_last, spelt
from sqlverdict.compare.related.table import TEXTS, AnswerColumn, AnswerTable, Key, Keys, same_bag
from sqlverdict.records import Cell, Relation

KIND = "formats"
_MONTH_FIRST = frozenset(STEPS) - {"day_first"}
_DAY_FIRST = frozenset(STEPS) - {"month_first"}


def find(gold: AnswerTable, prediction: AnswerTable, pair: QueryPair) -> Relation | None:
    """The relation, where it holds and the answers are not equal as they are."""
    if gold.kinds.isdisjoint(TEXTS) and prediction.kinds.isdisjoint(TEXTS):
        return None
    joints = find_map(gold, prediction, link)
    if joints is None:
        return None
    return Relation(KIND, map_detail(gold, prediction, joints, pair))


def link(gold: AnswerColumn, prediction: AnswerColumn) -> ColumnLink | None:
    """Keys under which two columns agree once they are spelt alike."""
    if gold.kinds.isdisjoint(TEXTS) and prediction.kinds.isdisjoint(TEXTS):
        return None
    for steps in (_MONTH_FIRST, _DAY_FIRST):
        if steps is _DAY_FIRST and not (_two_ways(gold) or _two_ways(prediction)):
            break
        if same_bag(_spelt(gold, steps), _spelt(prediction, steps)):
            fewest = _fewest(gold, prediction, steps)
            note = {"steps": [step for step in STEPS if step in fewest]}
            return ColumnLink(*_keys(note, gold.cells, prediction.cells), note)
    return None


def _spelt(column: AnswerColumn, steps: frozenset[str]) -> Keys:
    notes = column.notes
    if steps not in notes:
        known = {cell: spelt(cell, steps) for cell in column.cells}
        notes[steps] = [known[cell] for cell in column.cells]
    found: Keys = notes[steps]
    return found


def _two_ways(column: AnswerColumn) -> bool:
    return any(has_year_last(cell) for cell in column.cells)


def _fewest(gold: AnswerColumn, prediction: AnswerColumn, steps: frozenset[str]) -> frozenset[str]:
    """The fewest of the steps, up to three, under which the columns still agree."""
    classes: dict[Key, tuple[list[Cell], list[Cell]]] = {}
    for side, column in enumerate((gold, prediction)):
        for key, cell in zip(_spelt(column, steps), column.cells, strict=True):
            classes.setdefault(key, ([], []))[side].append(cell)
    for count in (1, 2, 3):
        for fewer in combinations([s for s in STEPS if s in steps], count):
            # Cells spelt alike by all steps have to be spelt alike by these; a set of
            # steps that does not do fails on one of the first classes.
            if all(
                same_bag([spelt(c, fewer) for c in cells], [spelt(c, fewer) for c in others])
                for cells, others in classes.values()
            ):
                return frozenset(fewer)
    return steps


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    if any(not set(entry["steps"]) <= set(STEPS) for entry in detail["changed"]):
        return False
    return map_holds(detail, gold, prediction, pair, _keys)


def _keys(entry: Mapping[str, Any], left: Keys, right: Keys) -> tuple[Keys, Keys]:
    steps = entry["steps"]
    return [spelt(cell, steps) for cell in left], [spelt(cell, steps) for cell in right]
