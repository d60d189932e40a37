"""Yes and no in words on one side, as 1 and 0, other words, or a count on the other.

Statement
    As bags, the rows are equal under a map of columns once the changed columns are read as truth
    values: yes, true, y, t and 1 are true; no, false, n, f and 0 are false; of counts, all but 0
    are true.

Holds when
    One of the two columns holds such words. Where only the letters' case differs nothing was
    interpreted: that is ``formats``.

Proof
    ``columns``, ``extra`` or ``missing``, ``order``; ``changed``, for each changed column
    ``gold_form`` and ``prediction_form``: ``words``, ``bits`` or ``count``.

Why
    The same truth value in other words is the same answer. A count says more, or something else.

Limits
    One truth value agrees with every second guess: ``weak``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sqlverdict.compare.related.check import map_holds
from sqlverdict.compare.related.proofs import ChangedColumn, ColumnsProof
from sqlverdict.compare.related.search import ColumnLink
from sqlverdict.compare.related.table import AnswerColumn, Keys, same_bag
from sqlverdict.compare.related.table_pair import TablePair, map_relation
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.records import Cell, Relation

KIND = "yes_no"
WORDS = {"yes": 1, "true": 1, "y": 1, "t": 1, "no": 0, "false": 0, "n": 0, "f": 0}
BITS: Mapping[Cell, int] = {1: 1, 0: 0, "1": 1, "0": 0}


@RELATIONS.member
class YesNo(RelationKind[ColumnsProof]):
    """Other words for true and false."""

    kind = KIND
    rank = 130
    tag = "representation"
    needs = ("gold_form", "prediction_form")
    same_values = True
    cheap = False
    harmless_when = "the same truth values are written differently"
    joins = (
        AnswerPair((("Ann", "yes"), ("Bob", "no")), ((1, "Ann"), (0, "Bob")), harmless=True),
        AnswerPair((("true",), ("false",)), (("N",), ("Y",)), harmless=True),
        AnswerPair((("yes",), ("no",)), ((12,), (0,)), harmless=False),
    )
    keeps_apart = (
        AnswerPair((("yes",), ("no",)), ((1,), (1,)), because="a truth value differs"),
        AnswerPair((("Yes",), ("No",)), (("YES",), ("NO",)), because="only the case differs"),
        AnswerPair(((12,), (0,)), ((1,), (0,)), because="neither side has words"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds and the answers are not equal as they are."""
        if str not in tables.gold.kinds and str not in tables.prediction.kinds:
            return None
        return map_relation(KIND, tables, _link)

    def holds(self, detail: ColumnsProof, tables: TablePair) -> bool:
        """Whether the rows agree as truth values."""
        return map_holds(detail, tables, _keys)

    def words(self, detail: ColumnsProof) -> str:
        """The two forms."""
        change = detail["changed"][0]
        form, gold_form = change["prediction_form"], change["gold_form"]
        return f"the same truth values, as {form} instead of {gold_form}"

    def harmless(self, detail: ColumnsProof, context: RelationContext) -> bool:
        """Whether neither side counts and the rows are in order."""
        forms = {
            change.get(side)
            for change in detail.get("changed") or ()
            for side in ("gold_form", "prediction_form")
        }
        return "count" not in forms and context.allows_order(detail)


def _link(gold: AnswerColumn, prediction: AnswerColumn) -> ColumnLink | None:
    """Keys under which two columns agree as truth values."""
    form, other_form = _form(gold), _form(prediction)
    if form is None or other_form is None or "words" not in (form, other_form):
        return None
    left, right = _truths(form, gold.cells), _truths(other_form, prediction.cells)
    if left is None or right is None or not same_bag(left, right):
        return None
    if form == other_form and _folded(gold.cells) == _folded(prediction.cells):
        # Only the letters' case differs: that is a format, and nothing was interpreted.
        return None
    return ColumnLink(left, right, {"gold_form": form, "prediction_form": other_form})


def _form(column: AnswerColumn) -> str | None:
    notes = column.notes
    if KIND not in notes:
        forms = ("words", "bits", "count")
        notes[KIND] = next((f for f in forms if _truths(f, column.cells) is not None), None)
    form: str | None = notes[KIND]
    return form


def _truths(form: str, cells: Keys) -> list[int | None] | None:
    """The column as 1, 0 and NULL; ``None`` where it does not have that form."""
    truths: list[int | None] = []
    for cell in cells:
        if cell is None:
            truths.append(None)
        elif form == "words" and isinstance(cell, str) and cell.strip().lower() in WORDS:
            truths.append(WORDS[cell.strip().lower()])
        elif form == "bits" and cell in BITS:
            truths.append(BITS[cell])
        elif form == "count" and type(cell) is int and cell >= 0:
            truths.append(int(cell > 0))
        else:
            return None
    return truths if any(truth is not None for truth in truths) else None


def _folded(cells: Keys) -> Counter[str | None]:
    return Counter(cell if cell is None else cell.strip().lower() for cell in cells)


def _keys(entry: ChangedColumn, left: Keys, right: Keys) -> tuple[Keys, Keys] | None:
    forms = (entry["gold_form"], entry["prediction_form"])
    keys, other_keys = _truths(forms[0], left), _truths(forms[1], right)
    if "words" not in forms or keys is None or other_keys is None:
        return None
    return keys, other_keys
