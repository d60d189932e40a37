"""The same set of rows, some of them more or less often.

Statement
    Without repetitions the rows are equal, under a map of columns.

Holds when
    Both answers have equally many columns and different numbers of some row.

Proof
    ``columns``, the prediction's column for each gold column; ``gold_rows``, ``prediction_rows``
    and ``distinct``, the counts; ``examples``, rows with their number of occurrences in gold and
    in the prediction.

Why
    Public benchmarks compare sets of rows, and few questions say whether a repeated value counts
    twice. Who asks for distinct values gets too many; who asks for repetitions gets too few.

Limits
    Repetitions are data where the question asks for every event rather than for every different
    value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlverdict.compare.related.contain import projected
from sqlverdict.compare.related.proofs import RelationProof
from sqlverdict.compare.related.table import EXAMPLES, AnswerTable, is_map, plain_row, weak
from sqlverdict.compare.related.table_pair import TablePair, column_order
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.files.text import count
from sqlverdict.records import Relation, Row

KIND = "duplicates_only"
_DISTINCT = re.compile(
    r"\b(distinct|unique|without (duplicates|repetition|repeats)|no duplicates)\b", re.IGNORECASE
)
_REPEATED = re.compile(
    r"\b(including (duplicates|repetitions|repeats)|with (duplicates|repetitions|repeats))\b",
    re.IGNORECASE,
)


class DuplicatesProof(RelationProof, total=False):
    """The proof; the section *Proof* above explains its fields."""

    columns: list[int]
    gold_rows: int
    prediction_rows: int
    distinct: int
    examples: list[dict[str, Any]]


@RELATIONS.member
class DuplicatesOnly(RelationKind[DuplicatesProof]):
    """Repeated rows."""

    kind = KIND
    rank = 50
    tag = "repeated_rows"
    needs = ("distinct", "gold_rows", "prediction_rows")
    same_values = True
    trivial = True
    harmless_when = "rows are repeated, or are not, and the question does not say which it wants"
    joins = (
        AnswerPair(
            (("a", 1), ("a", 1), ("b", 2)),
            (("a", 1), ("b", 2)),
            question="What are the distinct names?",
            harmless=True,
        ),
        AnswerPair(
            (("a", 1), ("b", 2)),
            ((1, "a"), (2, "b"), (2, "b")),
            question="What are the distinct names?",
            harmless=False,
        ),
        AnswerPair((("a",), ("a",), ("b",)), (("a",), ("b",), ("b",)), harmless=True),
    )
    keeps_apart = (
        AnswerPair((("a",), ("a",), ("b",)), (("a",), ("c",)), because="the sets of rows differ"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds; in small answers also under another order of columns."""
        gold, prediction = tables.gold, tables.prediction
        if not tables.same_width:
            return None
        rows, others = set(gold.rows), set(prediction.rows)
        repeated = len(rows) < gold.height or len(others) < prediction.height
        if len(rows) != len(others) or not repeated:
            return None
        columns = tuple(range(gold.width))
        if rows != others:
            reordered = _other_order(tables)
            if reordered is None:
                return None
            columns = reordered
        detail: DuplicatesProof = {
            "columns": list(columns),
            "gold_rows": gold.height,
            "prediction_rows": prediction.height,
            "distinct": len(rows),
            "examples": _examples(gold.rows, projected(prediction, columns)),
        }
        if weak(column.cells for column in gold.columns):
            detail["weak"] = True
        return Relation(KIND, detail)

    def holds(self, detail: DuplicatesProof, tables: TablePair) -> bool:
        """Whether the sets are equal, the bags are not, and the counts are right."""
        gold, prediction = tables.gold, tables.prediction
        columns = detail["columns"]
        if not tables.same_width or not is_map(columns, gold.width, prediction.width):
            return False
        reordered = projected(prediction, columns)
        return (
            set(gold.rows) == set(reordered)
            and Counter(gold.rows) != Counter(reordered)
            and detail["gold_rows"] == gold.height
            and detail["prediction_rows"] == prediction.height
            and detail["distinct"] == len(set(gold.rows))
            and bool(detail["examples"])
            and detail["examples"] == _examples(gold.rows, reordered)
            and bool(detail.get("weak", False)) == weak(column.cells for column in gold.columns)
        )

    def words(self, detail: DuplicatesProof) -> str:
        """The counts."""
        return (
            f"the same {count(detail['distinct'], 'distinct row')}, "
            f"{count(detail['prediction_rows'], 'row')} instead of {detail['gold_rows']:,}"
        )

    def harmless(self, detail: DuplicatesProof, context: RelationContext) -> bool:
        """Whether the question leaves repetitions open."""
        # Who asks for different values gets too many of them; who asks for all, too few.
        more = detail.get("prediction_rows", 0) > detail.get("gold_rows", 0)
        return not context.mentions(_DISTINCT if more else _REPEATED)


def _other_order(tables: TablePair) -> tuple[int, ...] | None:
    """The order of columns that makes the distinct rows equal."""
    if not tables.search or tables.gold.width == 1:
        return None
    return column_order(
        AnswerTable(list(dict.fromkeys(tables.gold.rows))),
        AnswerTable(list(dict.fromkeys(tables.prediction.rows))),
    )


def _examples(rows: Sequence[Row], others: Sequence[Row]) -> list[dict[str, Any]]:
    counts, other_counts = Counter(rows), Counter(others)
    examples: list[dict[str, Any]] = []
    for row, times in counts.items():
        if times != other_counts[row]:
            examples.append({"row": plain_row(row), "gold": times, "prediction": other_counts[row]})
            if len(examples) == EXAMPLES:
                break
    return examples
