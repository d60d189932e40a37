"""The same values in another type or spelling.

Statement
    As bags, the rows are equal under a map of columns once both sides of the changed columns are
    brought to one spelling: '4' and 4, ' x ' and 'x', 'Ab' and 'AB', '1,234' and 1234, '12%' and
    12, 'Jan 5, 2020' and '2020-01-05'.

Holds when
    One of the two columns holds text or bytes. Leading zeros are kept: '007' is not 7.

Proof
    ``columns``, ``extra`` or ``missing``, ``order``; ``changed``, for each changed column the
    ``steps`` it takes, the fewest that do (see :data:`~.related.spellings.STEPS`).

Why
    Another spelling is the same value. Capital letters are the exception: they can be part of a
    name or a code, and a query that changes them does so on purpose.

Limits
    Spaces can be part of a name, a code can look like a number.
"""

from __future__ import annotations

from itertools import combinations

from sqlverdict.compare.related.check import map_holds
from sqlverdict.compare.related.proofs import ChangedColumn, ColumnsProof
from sqlverdict.compare.related.search import ColumnLink
from sqlverdict.compare.related.spellings import STEPS, has_year_last, normalise_cell
from sqlverdict.compare.related.table import TEXTS, AnswerColumn, Key, Keys, same_bag
from sqlverdict.compare.related.table_pair import TablePair, map_relation
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.records import Cell, Relation

KIND = "formats"
_MONTH_FIRST = frozenset(STEPS) - {"day_first"}
_DAY_FIRST = frozenset(STEPS) - {"month_first"}


@RELATIONS.member
class Formats(RelationKind[ColumnsProof]):
    """Another spelling."""

    kind = KIND
    rank = 120
    tag = "representation"
    needs = ("steps",)
    same_values = True
    cheap = False
    harmless_when = "the same values are written differently, apart from capital letters"
    joins = (
        AnswerPair(((1234, "Ann"),), (("1,234", " Ann "),), harmless=True),
        AnswerPair((("2020-01-05",),), (("Jan 5, 2020",),), harmless=True),
        AnswerPair((("Ann",), ("Bob",)), (("ANN",), ("BOB",)), harmless=False),
        AnswerPair((("12%",),), ((12,),), harmless=True),
    )
    keeps_apart = (
        AnswerPair((("007",),), ((7,),), because="a leading zero is part of a code"),
        AnswerPair((("Ann",),), (("Anna",),), because="the texts differ"),
        AnswerPair(((None,),), (("",),), because="NULL is no empty text"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds and the answers are not equal as they are."""
        if tables.gold.kinds.isdisjoint(TEXTS) and tables.prediction.kinds.isdisjoint(TEXTS):
            return None
        return map_relation(KIND, tables, _link)

    def holds(self, detail: ColumnsProof, tables: TablePair) -> bool:
        """Whether the rows agree once the steps are taken."""
        if any(not set(entry["steps"]) <= set(STEPS) for entry in detail["changed"]):
            return False
        return map_holds(detail, tables, _keys)

    def words(self, detail: ColumnsProof) -> str:
        """The first step."""
        first = "".join(detail["changed"][0]["steps"][:1])
        return f"the same values, written differently: {first}"

    def harmless(self, detail: ColumnsProof, context: RelationContext) -> bool:
        """Whether no capital letters change and the rows are in order."""
        changed = detail.get("changed") or ()
        steps = {step for change in changed for step in change.get("steps") or ()}
        return "case" not in steps and context.allows_order(detail)


def _link(gold: AnswerColumn, prediction: AnswerColumn) -> ColumnLink | None:
    """Keys under which two columns agree once they are written alike."""
    if gold.kinds.isdisjoint(TEXTS) and prediction.kinds.isdisjoint(TEXTS):
        return None
    for steps in (_MONTH_FIRST, _DAY_FIRST):
        if steps is _DAY_FIRST and not (_reads_two_ways(gold) or _reads_two_ways(prediction)):
            break
        if same_bag(_normalised(gold, steps), _normalised(prediction, steps)):
            fewest = _fewest(gold, prediction, steps)
            note: ChangedColumn = {"steps": [step for step in STEPS if step in fewest]}
            return ColumnLink(*_keys(note, gold.cells, prediction.cells), note)
    return None


def _normalised(column: AnswerColumn, steps: frozenset[str]) -> Keys:
    notes = column.notes
    if steps not in notes:
        known = {cell: normalise_cell(cell, steps) for cell in column.cells}
        notes[steps] = [known[cell] for cell in column.cells]
    spellings: Keys = notes[steps]
    return spellings


def _reads_two_ways(column: AnswerColumn) -> bool:
    return any(has_year_last(cell) for cell in column.cells)


def _fewest(gold: AnswerColumn, prediction: AnswerColumn, steps: frozenset[str]) -> frozenset[str]:
    """The fewest of the steps, up to three, under which the columns still agree."""
    classes: dict[Key, tuple[list[Cell], list[Cell]]] = {}
    for side, column in enumerate((gold, prediction)):
        for key, cell in zip(_normalised(column, steps), column.cells, strict=True):
            classes.setdefault(key, ([], []))[side].append(cell)
    for count in (1, 2, 3):
        for fewer in combinations([s for s in STEPS if s in steps], count):
            # Cells made alike by all steps have to be made alike by these; a set of
            # steps that does not do fails on one of the first classes.
            if all(
                same_bag(*_keys({"steps": fewer}, cells, others))
                for cells, others in classes.values()
            ):
                return frozenset(fewer)
    return steps


def _keys(entry: ChangedColumn, left: Keys, right: Keys) -> tuple[Keys, Keys]:
    steps = entry["steps"]
    return [normalise_cell(cell, steps) for cell in left], [
        normalise_cell(cell, steps) for cell in right
    ]
