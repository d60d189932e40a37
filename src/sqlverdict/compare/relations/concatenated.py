"""Several columns on one side, on the other one text that joins them.

Statement
    As bags, the rows are equal once two to four columns of one side are joined into one text with
    a separator between them, and the other columns are mapped.

Holds when
    Both answers have equally many rows, and the wider one at most eight columns. A NULL joins to
    NULL, as in SQL.

Proof
    ``joined``, the side with the joined text; ``column``, its index there; ``parts``, the columns
    of the other side in the order they are joined; ``separator``; ``others``, the remaining
    columns as pairs of gold and prediction index.

Why
    A full name is a first and a last name: the same values are there, in one text.

Limits
    It rarely misleads; a text of the right parts is hardly ever chance (``weak`` where it is).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from sqlverdict.compare.related.proofs import RelationProof
from sqlverdict.compare.related.search import find_map
from sqlverdict.compare.related.table import AnswerColumn, AnswerTable, weak
from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.records import Cell, Relation

KIND = "concatenated"
SEPARATORS = (" ", ", ", ",", "", "-", " - ", "/", "_", ":", ": ", ";", "; ", "|", " | ")
MOST_PARTS = 4
WIDEST = 8
"""Wider answers are not searched: the number of ways to join grows too fast."""


class JoinedTextProof(RelationProof, total=False):
    """The proof; the section *Proof* above explains its fields."""

    joined: str
    column: int
    parts: list[int]
    separator: str
    others: list[list[int]]


@RELATIONS.member
class Concatenated(RelationKind[JoinedTextProof]):
    """Columns joined into one text."""

    kind = KIND
    rank = 140
    tag = "arrangement"
    needs = ("joined",)
    same_values = True
    cheap = False
    harmless_when = "columns are joined into one text"
    joins = (
        AnswerPair(
            (("Ann", "Lee", 31), ("Bob", "Ray", 44)),
            ((31, "Ann Lee"), (44, "Bob Ray")),
            harmless=True,
        ),
        AnswerPair((("12-2020",), (None,)), ((2020, 12), (None, 7)), harmless=True),
    )
    keeps_apart = (
        AnswerPair(
            (("Ann", "Lee"), ("Bob", "Ray")),
            (("Ann Ray",), ("Bob Lee",)),
            because="the cells of a row are torn apart",
        ),
        AnswerPair((("Ann", "Lee"),), (("Ann&Lee",),), because="this is no usual separator"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds."""
        gold, prediction = tables.gold, tables.prediction
        if not tables.same_height or tables.same_width:
            return None
        side, narrow, wide = (
            ("prediction", prediction, gold)
            if prediction.width < gold.width
            else ("gold", gold, prediction)
        )
        count = wide.width - narrow.width + 1
        if count > MOST_PARTS or wide.width > WIDEST:
            return None
        for index, column in enumerate(narrow.columns):
            if str not in column.kinds:
                continue
            for parts, separator, texts in _joins(column, wide, count):
                others = _others(narrow, wide, index, parts, texts)
                if others is not None:
                    pairs = others if side == "gold" else [(w, n) for n, w in others]
                    detail: JoinedTextProof = {
                        "joined": side,
                        "column": index,
                        "parts": list(parts),
                        "separator": separator,
                        "others": sorted([list(pair) for pair in pairs]),
                    }
                    if weak([column.cells]):
                        detail["weak"] = True
                    return Relation(KIND, detail)
        return None

    def holds(self, detail: JoinedTextProof, tables: TablePair) -> bool:
        """Whether the rows agree once the parts are joined."""
        if detail["joined"] not in ("gold", "prediction") or detail["separator"] not in SEPARATORS:
            return False
        mine = detail["joined"] == "gold"
        narrow, wide = tables.gold, tables.prediction
        if not mine:
            narrow, wide = wide, narrow
        parts, column = list(detail["parts"]), detail["column"]
        pairs = [(g, p) if mine else (p, g) for g, p in detail["others"]]
        if len(parts) < 2 or sorted([column, *(n for n, _ in pairs)]) != list(range(narrow.width)):
            return False
        if sorted([*parts, *(w for _, w in pairs)]) != list(range(wide.width)):
            return False
        lefts = [(row[column], *(row[n] for n, _ in pairs)) for row in narrow.rows]
        rights = [
            (join([row[part] for part in parts], detail["separator"]), *(row[w] for _, w in pairs))
            for row in wide.rows
        ]
        expected_weak = weak([[row[0] for row in lefts]])
        if bool(detail.get("weak", False)) != expected_weak:
            return False
        return Counter(lefts) == Counter(rights)

    def words(self, detail: JoinedTextProof) -> str:
        """Which side has the joined text."""
        return f"columns are joined into one text in the {detail['joined']}"

    def harmless(self, detail: JoinedTextProof, context: RelationContext) -> bool:
        """Whether the rows are in order."""
        return context.allows_order(detail)


def _joins(
    column: AnswerColumn, wide: AnswerTable, count: int
) -> Iterator[tuple[tuple[int, ...], str, list[str | None]]]:
    """The columns of the wide answer and the separators that give the column's texts."""
    known = set(column.cells)
    for parts in permutations(range(wide.width), count):
        cells = [wide.columns[part].cells for part in parts]
        rows = list(zip(*cells, strict=True))
        sample = next((row for row in rows if None not in row), None)
        if sample is None:
            continue
        for separator in SEPARATORS:
            # One row is enough to reject nearly every guess.
            if join(sample, separator) not in known:
                continue
            texts = [join(row, separator) for row in rows]
            if Counter(texts) == Counter(column.cells):
                yield parts, separator, texts


def _others(
    narrow: AnswerTable,
    wide: AnswerTable,
    joined: int,
    parts: Sequence[int],
    texts: Sequence[str | None],
) -> list[tuple[int, int]] | None:
    """The narrow and wide indexes of the columns that are not joined."""
    rest = [w for w in range(wide.width) if w not in parts]
    own = [n for n in range(narrow.width) if n != joined]
    # Marked, so that no other column of like content can be taken for the joined one.
    left: Any = [(text,) for text in narrow.columns[joined].cells]
    right: Any = [(text,) for text in texts]
    lefts = zip(left, *(narrow.columns[n].cells for n in own), strict=True)
    rights = zip(right, *(wide.columns[w].cells for w in rest), strict=True)
    links = find_map(AnswerTable(list(lefts)), AnswerTable(list(rights)))
    if links is None:
        return None
    return [(own[link.gold - 1], rest[link.prediction - 1]) for link in links[1:]]


def join(row: Sequence[Cell], separator: str) -> str | None:
    """The row as one text; NULL where one of its cells is, as in SQL."""
    if None in row:
        return None
    return separator.join(cell if isinstance(cell, str) else str(cell) for cell in row)
