"""One answer within the other: what row_subset, row_superset and tie_superset share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Literal

from sqlverdict.compare.related.proofs import RowsProof
from sqlverdict.compare.related.search import find_submap
from sqlverdict.compare.related.table import (
    EXAMPLES,
    AnswerTable,
    is_map,
    is_within,
    plain_row,
    surplus,
    weak,
)
from sqlverdict.records import Row

_Rest = Literal["extra", "missing"]
"""The field that counts the rows of the larger answer alone."""


def columns_within(small: AnswerTable, big: AnswerTable, *, search: bool) -> list[int] | None:
    """The column of ``big`` for each of ``small`` that makes ``small`` a part of it.

    Args:
        small: The answer with fewer rows.
        big: The other.
        search: Look beyond the given order of columns.
    """
    if small.width != big.width or small.height >= big.height:
        return None
    if small.rows[0] in big.rows and is_within(Counter(small.rows), Counter(big.rows)):
        return list(range(small.width))
    return find_submap(small, big) if search and small.width > 1 else None


def inverse(columns: Sequence[int]) -> list[int]:
    """The map the other way round."""
    return sorted(range(len(columns)), key=columns.__getitem__)


def projected(table: AnswerTable, columns: Sequence[int]) -> list[Row]:
    """The rows with their columns in the given order."""
    if list(columns) == list(range(table.width)):
        return list(table.rows)
    return list(zip(*(table.columns[index].cells for index in columns), strict=True))


def containment(
    small: AnswerTable, big: AnswerTable, columns: Sequence[int], what: _Rest
) -> RowsProof:
    """The proof that ``small`` lies within ``big``: the rest's size and first rows.

    ``columns`` is the column of ``big`` for each of ``small``; example rows are in the
    order of columns of ``small``.
    """
    rest = surplus(projected(big, columns), small.rows)
    proof: RowsProof = {}
    proof[what] = big.height - small.height
    proof["examples"] = [plain_row(row) for row in islice(rest, EXAMPLES)]
    if weak(column.cells for column in small.columns):
        proof["weak"] = True
    return proof


def containment_holds(
    claim: RowsProof,
    small: AnswerTable,
    big: AnswerTable,
    columns: Sequence[int],
    what: _Rest,
) -> bool:
    """Whether ``small`` lies within ``big`` as the proof says."""
    if small.width != big.width or not is_map(columns, small.width, big.width):
        return False
    rows = Counter(projected(big, columns))
    rest = rows - Counter(small.rows)
    examples = [tuple(row) for row in claim["examples"]]
    return (
        small.height < big.height
        and Counter(small.rows) <= rows
        and claim[what] == rest.total()
        and len(examples) == min(EXAMPLES, claim[what])
        and Counter(examples) <= Counter(tuple(plain_row(row)) for row in rest.elements())
        and bool(claim.get("weak", False)) == weak(column.cells for column in small.columns)
    )
