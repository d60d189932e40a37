"""What the two presets of defog's sql-eval share: exact equality, and containment of columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlverdict.compare.frames import (
    Frame,
    FrameColumn,
    Name,
    Unsortable,
    broadcast_equal,
    frame_of,
    nearly_same,
    order_of,
    same_cells,
    without_duplicates,
)
from sqlverdict.compare.preset import QueryPair, row_reasons
from sqlverdict.records import Answer, Comparison, Reason

_ASKS_FOR_ORDER = re.compile(r"\b(order|sort|arrange)\b", re.IGNORECASE)
_FIRST_KEY = re.compile(r"ORDER BY(.*?)(?:;|,|\)|\Z)", re.IGNORECASE)
_NO_COLUMNS = frozenset({"asc", "desc", "nulls", "first", "last", "limit"})
_FILL = -99999
_MYSQL, _POSTGRES = "mysql", "postgres"
"""The engines that the script treats by name. Its presets repeat it, whatever an engine can do."""
_LIKE = re.compile(r"LIKE[\s\S]*'", re.IGNORECASE)


@dataclass(frozen=True)
class SortKey:
    """The first key of an ORDER BY, as the script reads it from a query's text."""

    words: tuple[str, ...]
    ascending: bool


def compare_as_script(
    gold: Answer,
    prediction: Answer,
    pair: QueryPair,
    *rules: Callable[[Frame, Frame, QueryPair], bool],
) -> Comparison:
    """What the script says of two answers: equal if one of these rules says so."""
    if _fails_by_percent(pair):
        return Comparison(False, (Reason.EXECUTION_ERROR,), message="the script fails at %")
    ours, theirs = frames(gold, prediction, pair.dialect)
    try:
        if any(rule(ours, theirs, pair) for rule in rules):
            return Comparison(True)
    except Unsortable as error:
        return Comparison(False, (Reason.UNSUPPORTED_FEATURE,), message=str(error))
    return Comparison(False, row_reasons(gold, prediction))


def frames(gold: Answer, prediction: Answer, dialect: str) -> tuple[Frame, Frame]:
    """Both answers as the script has them: its MySQL frames have no names and keep decimals."""
    has_names = dialect != _MYSQL
    one, other = (
        frame_of(answer, has_names=has_names, decimals_are_floats=has_names)
        for answer in (gold, prediction)
    )
    return one, other


def is_exact(gold: Frame, prediction: Frame, pair: QueryPair) -> bool:
    """Whether the answers are the same, rows de-duplicated and both sides sorted alike.

    Raises:
        Unsortable: pandas would raise.
    """
    if broadcast_equal(gold, prediction):
        return True
    ordered = _is_ordered(pair)
    # The script reads the order from the gold with all its alternatives.
    golds = ";".join(pair.golds or (pair.gold_sql,))
    ours = _normal(gold, _sort_key(golds), ordered=ordered)
    theirs = _normal(prediction, _sort_key(pair.prediction_sql), ordered=ordered)
    return same_cells(ours, theirs, _FILL)


def is_contained(gold: Frame, prediction: Frame, pair: QueryPair) -> bool:
    """Whether every gold column is a column of the prediction, and the rows are the same.

    Raises:
        Unsortable: pandas would raise.
    """
    if not gold.height or not gold.columns:
        return False
    free = list(prediction.columns)
    matched: list[FrameColumn] = []
    for column in gold.columns:
        values = column.sorted()
        partner = next((each for each in free if nearly_same(values, each.sorted())), None)
        if partner is None:
            return False
        free.remove(partner)
        matched.append(FrameColumn(column.name, partner.kind, partner.cells))
    ordered = _is_ordered(pair)
    ours = _normal(gold, None, ordered=ordered)
    theirs = _normal(Frame(tuple(matched), prediction.height), None, ordered=ordered)
    return ours.shape == theirs.shape and all(map(nearly_same, ours.columns, theirs.columns))


def _fails_by_percent(pair: QueryPair) -> bool:
    """Whether the script's driver takes a ``%`` of the prediction for a parameter.

    The script doubles those from the first LIKE to the last quote behind it.
    """
    rest = _LIKE.sub("", pair.prediction_sql, count=1)
    return pair.dialect == _POSTGRES and "%" in rest.replace("%%", "")


def _is_ordered(pair: QueryPair) -> bool:
    return pair.category == "order_by" or _ASKS_FOR_ORDER.search(pair.question) is not None


def _sort_key(sql: str) -> SortKey | None:
    """The words of the first ORDER BY key; ``None`` where the text has no ORDER BY."""
    if "order by" not in sql.lower():
        return None
    key = _FIRST_KEY.search(sql)
    words = [word.rsplit(".", 1)[-1] for word in (key[1].split() if key else ())]
    upper = {word.upper() for word in words}
    ascending = "ASC" in upper and "DESC" not in upper
    plain = (word.replace("(", "") for word in words)
    return SortKey(tuple(each for each in plain if each.lower() not in _NO_COLUMNS), ascending)


def _normal(frame: Frame, key: SortKey | None, *, ordered: bool) -> Frame:
    """The frame without repeated rows, columns by name, rows sorted."""
    frame = without_duplicates(frame)
    columns = sorted(frame.columns, key=_by_name)
    if not ordered:
        return _sorted(columns, columns, frame.height, descending=False)
    if key is None:
        return Frame(tuple(columns), frame.height)
    by_name: dict[Name, FrameColumn] = {column.name: column for column in columns}
    keys = [by_name[word] for word in key.words if word in by_name]
    others = [column for column in columns if column.name not in key.words]
    result = [*others, *keys]
    return _sorted([*keys, *others], result, frame.height, descending=not key.ascending)


def _by_name(column: FrameColumn) -> Name:
    return column.name


def _sorted(
    keys: Sequence[FrameColumn],
    columns: Sequence[FrameColumn],
    height: int,
    *,
    descending: bool,
) -> Frame:
    if not keys:
        return Frame(tuple(columns), height)
    return Frame(tuple(columns), height).pick(order_of(keys, descending=descending))
