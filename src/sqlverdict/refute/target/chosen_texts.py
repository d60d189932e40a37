"""Answers as if each group showed one text for all that a collation takes for the same.

MySQL shows any of 'Ann', 'ann' and 'ann ' for their group, and may take another one for each of two
queries that say the same: such a difference is a choice that both leave open, and no witness. What
is compared here is coarser than any collation known to us: a difference that is left is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import partial

import msgspec

from sqlverdict.compare.preset import Preset, QueryPair
from sqlverdict.dialects import dialect_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.column_types import LOOSE, alike
from sqlverdict.prove.reasoning.open_choices import chosen_texts
from sqlverdict.records import Answer, Cell, Outcome, Query, Row

Places = AbstractSet[int]
"""The columns of an answer in which the engine chooses a text."""
NO_PLACES: tuple[Places, Places] = (frozenset(), frozenset())

_ONE_LETTER = str.maketrans("wuyj", "vvii")
"""Letters that some collations take for one."""


def chosen_places(gold: Query, prediction: Query, schema: Schema) -> tuple[Places, Places]:
    """Where the engine chooses which of several equal texts each query of a pair shows.

    Nowhere, if nothing can be proved about one of the two: then no proof leaves it open.
    """
    if dialect_of(gold.dialect).exact_texts:
        return NO_PLACES
    ours, theirs = (chosen_texts(query, schema) for query in (gold, prediction))
    return NO_PLACES if ours is None or theirs is None else (ours, theirs)


def equal_but_for_texts(
    preset: Preset, answers: tuple[Answer, Answer], pair: QueryPair, places: tuple[Places, Places]
) -> bool | None:
    """Whether two answers are the same but for equal texts in the places of each.

    Args:
        preset: When two answers are the same.
        answers: The answers of the gold and of the prediction.
        pair: The queries.
        places: Where each shows a text that the engine chose.

    Returns:
        ``None`` where the answers leave that open.
    """
    if not any(places):
        return False
    plain = all(
        _is_plain(row[number])
        for answer, own in zip(answers, places, strict=True)
        for row in answer.rows
        for number in own
        if number < len(row)
    )
    gold, prediction = (
        _with_one_text(answer, own, plain) for answer, own in zip(answers, places, strict=True)
    )
    probe = partial(_probed, pair, places[0], plain) if pair.probe is not None else None
    pair = msgspec.structs.replace(pair, probe=probe)
    return preset.compare(gold, prediction, pair).equal


def _probed(pair: QueryPair, places: Places, plain: bool, sql: str) -> Outcome:
    """What the gold's probe gives: the columns of its answer come first."""
    assert pair.probe is not None, "there is a probe to ask"
    outcome = pair.probe(sql)
    return _with_one_text(outcome, places, plain) if isinstance(outcome, Answer) else outcome


def _with_one_text(answer: Answer, places: Places, plain: bool) -> Answer:
    rows = [_row(row, places, plain) for row in answer.rows]
    return msgspec.structs.replace(answer, rows=rows, driver_rows=None)


def _row(row: Sequence[Cell], places: Places, plain: bool) -> Row:
    return tuple(_one_text(cell, plain) if n in places else cell for n, cell in enumerate(row))


def _one_text(cell: Cell, plain: bool) -> Cell:
    """One text for all that some collation takes for the same; beyond ASCII all may be."""
    if not isinstance(cell, str):
        return cell
    if not plain or not _is_plain(cell):
        return ""
    text = alike(cell, LOOSE)
    return text.translate(_ONE_LETTER) if isinstance(text, str) else text


def _is_plain(cell: Cell) -> bool:
    return not isinstance(cell, str) or (cell.isascii() and cell.isprintable())
