"""Several columns on one side, on the other one text that joins them.

Says: as bags, the rows are equal once two to four columns of one side are joined into one
text with a separator between them, and the other columns are mapped.
Proof: ``joined``, the side with the joined text; ``column``, its place there; ``parts``,
the columns of the other side in the order they are joined; ``separator``; ``others``, the
remaining columns as pairs of gold and prediction place.
Misleads: rarely; a text of the right parts is hardly ever chance (``weak`` where it is).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.search import find_map
from sqlverdict.compare.related.table import AnswerColumn, AnswerTable, weak
from sqlverdict.records import Cell, Relation

KIND = "concatenated"
SEPARATORS = (" ", ", ", ",", "", "-", " - ", "/", "_", ":", ": ", ";", "; ", "|", " | ")
MOST_PARTS = 4
WIDEST = 8
"""Wider answers are not searched: the number of ways to join grows too fast."""


def find(gold: AnswerTable, prediction: AnswerTable) -> Relation | None:
    """The relation, where it holds."""
    if gold.height != prediction.height or gold.width == prediction.width:
        return None
    side, narrow, wide = (
        ("prediction", prediction, gold)
        if prediction.width < gold.width
        else ("gold", gold, prediction)
    )
    count = wide.width - narrow.width + 1
    if count > MOST_PARTS or wide.width > WIDEST:
        return None
    for place, column in enumerate(narrow.columns):
        if str not in column.kinds:
            continue
        for parts, separator, texts in _joins(column, wide, count):
            others = _others(narrow, wide, place, parts, texts)
            if others is not None:
                pairs = others if side == "gold" else [(w, n) for n, w in others]
                detail: dict[str, Any] = {
                    "joined": side,
                    "column": place,
                    "parts": list(parts),
                    "separator": separator,
                    "others": sorted([list(pair) for pair in pairs]),
                }
                if weak([column.cells]):
                    detail["weak"] = True
                return Relation(KIND, detail)
    return None


def _joins(
    column: AnswerColumn, wide: AnswerTable, count: int
) -> Iterator[tuple[tuple[int, ...], str, list[str | None]]]:
    known = set(column.cells)
    for parts in permutations(range(wide.width), count):
        chosen = [wide.columns[part].cells for part in parts]
        rows = list(zip(*chosen, strict=True))
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
    place: int,
    parts: Sequence[int],
    texts: Sequence[str | None],
) -> list[tuple[int, int]] | None:
    """The narrow and wide places of the columns that are not joined."""
    rest = [w for w in range(wide.width) if w not in parts]
    own = [n for n in range(narrow.width) if n != place]
    # Marked, so that no other column of like content can take the joined one's place.
    left: Any = [(text,) for text in narrow.columns[place].cells]
    right: Any = [(text,) for text in texts]
    lefts = zip(left, *(narrow.columns[n].cells for n in own), strict=True)
    rights = zip(right, *(wide.columns[w].cells for w in rest), strict=True)
    joints = find_map(AnswerTable(list(lefts)), AnswerTable(list(rights)))
    if joints is None:
        return None
    return [(own[joint.gold - 1], rest[joint.prediction - 1]) for joint in joints[1:]]


def join(row: Sequence[Cell], separator: str) -> str | None:
    """The row as one text; NULL where one of its cells is, as in SQL."""
    if None in row:
        return None
    return separator.join(cell if isinstance(cell, str) else str(cell) for cell in row)


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    del pair
    if detail["joined"] not in ("gold", "prediction") or detail["separator"] not in SEPARATORS:
        return False
    mine = detail["joined"] == "gold"
    narrow, wide = (gold, prediction) if mine else (prediction, gold)
    parts, place = list(detail["parts"]), detail["column"]
    pairs = [(g, p) if mine else (p, g) for g, p in detail["others"]]
    if len(parts) < 2 or sorted([place, *(n for n, _ in pairs)]) != list(range(narrow.width)):
        return False
    if sorted([*parts, *(w for _, w in pairs)]) != list(range(wide.width)):
        return False
    lefts = [(row[place], *(row[n] for n, _ in pairs)) for row in narrow.rows]
    rights = [
        (join([row[part] for part in parts], detail["separator"]), *(row[w] for _, w in pairs))
        for row in wide.rows
    ]
    expected_weak = weak([[row[0] for row in lefts]])
    return Counter(lefts) == Counter(rights) and bool(detail.get("weak", False)) == expected_weak
