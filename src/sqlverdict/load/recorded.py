"""Reads what was recorded about a case and its prediction elsewhere.

The field ``recorded`` of a case is an object with some of these parts:

* ``equal``: whether the results matched (true, false, 1, 0); 0.5 or null: not known.
* ``gold_result`` and ``prediction_result``, always both: a list of rows (lists of cells, or
  objects with the same keys), ``{"error": "..."}`` for a query that failed, or a text table. In a
  text table a row is ``| a | b |``, a row ``...`` stands for those left out, and the last line is
  the shape, ``shape=(rows, columns)``.
* ``whole``: false where rows or cells were cut; no relation is looked for then.
* ``ordered``: whether the rows keep their order; by default rows do, and text tables do not.
* ``replies``: what a model said, a text or a list of texts; ``model``: which one.
* ``verdicts``: what judges said, by name: 1 right, 0 wrong; 0.5 or null: no opinion.
* ``schema_text``: the schema as a judge is to see it.

Whole results without ``equal`` are compared by the run's presets. Where ``equal`` is there it
counts, whatever the preset: order and duplicates, on which presets differ, may be lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from msgspec import structs

from sqlverdict.errors import BenchmarkError, DataError
from sqlverdict.exact_number import decimal_cell, integer_cell
from sqlverdict.files.text import few_of, near
from sqlverdict.records import Answer, Cell, Failure, Outcome, Reason, Recording, Row

PARTS = (
    "equal",
    "gold_result",
    "prediction_result",
    "whole",
    "ordered",
    "replies",
    "model",
    "verdicts",
    "schema_text",
)

_SHAPE = re.compile(r"shape=\((\d+), ?(\d+)\)")
_NOTHING = frozenset({"", "No execution result", "Empty execution result"})
_CUT = "..."
_CELLS = (str, int, float, Decimal, type(None))
_WORDS = {"true": 1.0, "yes": 1.0, "1": 1.0, "1.0": 1.0} | dict.fromkeys(
    ("false", "no", "0", "0.0"), 0.0
)


def recording_from(value: object, about: str, where: str) -> Recording | None:
    """The record in a case's field ``recorded``; ``None`` where it holds nothing.

    Args:
        value: The field.
        about: The SQL of the prediction that it is about.
        where: File and line, for messages.

    Raises:
        BenchmarkError: a part is unknown, missing or not what it should be.
    """
    if not isinstance(value, Mapping):
        raise BenchmarkError(
            f"{where}: 'recorded' is {value!r}. Expected an object.", reason="wrong_value"
        )
    parts = {name: part for name, part in value.items() if part is not None}
    unknown = [name for name in parts if name not in PARTS]
    if unknown:
        raise BenchmarkError(
            f"{where}: 'recorded' has {few_of(unknown)}.{near(str(unknown[0]), PARTS)} "
            f"Expected some of {', '.join(PARTS)}.",
            reason="unknown_name",
        )
    if not parts:
        return None
    equal = _opinion(parts.get("equal"), "equal", where)
    read = [_result(parts, name, where) for name in ("gold_result", "prediction_result")]
    gold, prediction = read[0], read[1]
    if (gold is None) != (prediction is None):
        raise BenchmarkError(
            f"{where}: 'recorded' has one result. Expected gold_result and prediction_result, or "
            f"neither.",
            reason="missing_field",
        )
    record = Recording(
        golds=(gold.outcome if gold else Answer((), []),),
        prediction=prediction.outcome if prediction else Answer((), []),
        equal=None if equal is None else bool(equal),
        whole=_is_whole(gold, prediction, parts, where),
        ordered=_flag(parts, "ordered", where, usual=_are_rows(gold, prediction)),
        gold_text=(gold.text if gold else None) or "",
        prediction_text=(prediction.text if prediction else None) or "",
        schema_text=_text(parts, "schema_text", where),
        replies=_replies(parts.get("replies"), where),
        model=_text(parts, "model", where),
        has_results=gold is not None,
        verdicts=_verdicts(parts.get("verdicts"), where),
        about=about,
    )
    return _checked(record, _are_rows(gold, prediction), where)


def _checked(record: Recording, rows: bool, where: str) -> Recording:
    """The record, if what it says fits together."""
    failed = [one for one in (*record.golds, record.prediction) if isinstance(one, Failure)]
    if record.equal and failed:
        raise BenchmarkError(
            f"{where}: the record says that the results matched, and that a query failed: "
            f"{failed[0].message!r}.",
            reason="conflict",
        )
    if record.equal is not None or failed:
        return record
    if not record.has_results:
        # Opinions alone stand in for nothing.
        return replace(record, use="beside")
    if not rows or not record.whole:
        raise BenchmarkError(
            f"{where}: the recorded results are not whole rows and cannot be compared here. "
            f"Expected 'equal' beside them.",
            reason="missing_field",
        )
    return record


@dataclass(frozen=True)
class _RecordedResult:
    """A recorded result: as an outcome, as text for judges, and whether all of it is there."""

    outcome: Outcome
    text: str | None = None
    whole: bool = True


def _result(parts: Mapping[str, Any], name: str, where: str) -> _RecordedResult | None:
    value = parts.get(name)
    if value is None:
        return None
    if isinstance(value, str):
        answer, whole = read_table(value)
        return _RecordedResult(answer, value, whole)
    if isinstance(value, Mapping) and set(value) == {"error"}:
        return _RecordedResult(Failure(Reason.EXECUTION_ERROR, str(value["error"])))
    rows = rows_answer(value) if isinstance(value, list) else None
    if rows is None:
        raise BenchmarkError(
            f"{where}: {name!r} is not a result. Expected a list of rows of the same length, a "
            "text table that ends in shape=(rows, columns), or an object with 'error'.",
            reason="wrong_value",
        )
    return _RecordedResult(rows)


def rows_answer(value: Sequence[object]) -> Answer | None:
    """Rows as an answer; ``None`` where they are not rows of one width."""
    first = value[0] if value else []
    columns: tuple[str, ...] = tuple(first) if isinstance(first, Mapping) else ()
    read: list[Row] = []
    for row in value:
        if isinstance(row, Mapping):
            cells = tuple(row.values()) if tuple(row) == columns else None
        else:
            cells = tuple(row) if isinstance(row, list) and not columns else None
        if cells is None or not all(isinstance(c, _CELLS) for c in cells):
            return None
        read.append(tuple(map(_plain_cell, cells)))
    if len(set(map(len, read))) > 1:
        return None
    width = len(read[0]) if read else 0
    return Answer(columns or _names(width), read)


def _plain_cell(cell: bool | Cell | Decimal) -> Cell:
    """A cell as engines give it: they have no truth values of their own."""
    if isinstance(cell, Decimal):
        return decimal_cell(cell)
    return integer_cell(int(cell)) if isinstance(cell, int) else cell


def answer_in(
    record: Mapping[str, Any], name: str, where: str, error: type[DataError]
) -> Answer | None:
    """The rows that stand in place of a query; ``None`` where there are none.

    Raises:
        DataError: of the given kind; they are no rows.
    """
    value = record.get(name)
    if value is None:
        return None
    answer = rows_answer(value) if isinstance(value, list) else None
    if answer is None:
        raise error(
            f"{where}: {name!r} is not a result. Expected a list of rows of the same length: "
            "lists, or objects with the same keys; a cell is a text, a number, true, false or "
            "null. Write lists and objects in cells as text.",
            reason="wrong_value",
        )
    return structs.replace(answer, source=name)


def _are_rows(*results: _RecordedResult | None) -> bool:
    return all(one is not None and one.text is None for one in results)


def _is_whole(
    gold: _RecordedResult | None,
    prediction: _RecordedResult | None,
    parts: Mapping[str, Any],
    where: str,
) -> bool:
    if gold is None or prediction is None:
        return False
    whole = _flag(parts, "whole", where, usual=True)
    return whole and gold.whole and prediction.whole


def _flag(parts: Mapping[str, Any], name: str, where: str, *, usual: bool) -> bool:
    value = parts.get(name)
    if value is None:
        return usual
    read = _opinion(value, name, where)
    return usual if read is None else bool(read)


def _opinion(value: object, name: str, where: str) -> float | None:
    """1.0 or 0.0; ``None`` where nothing is said."""
    if value is None or value == 0.5:
        return None
    if isinstance(value, bool | int | float) and value in (0, 1):
        return float(value)
    word = value.strip().lower() if isinstance(value, str) else ""
    if word in _WORDS:
        return _WORDS[word]
    if isinstance(value, str) and word in ("", "0.5", "null", "none"):
        return None
    raise BenchmarkError(
        f"{where}: {name!r} is {value!r}. Expected true or false (1 or 0), or 0.5 or null where it "
        f"is not known.",
        reason="wrong_value",
    )


def _verdicts(value: object, where: str) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BenchmarkError(
            f"{where}: the recorded verdicts are {value!r}. Expected an object of judges' names "
            f"and verdicts.",
            reason="wrong_value",
        )
    read = {str(name): _opinion(verdict, str(name), where) for name, verdict in value.items()}
    return {name: verdict for name, verdict in read.items() if verdict is not None}


def _replies(value: object, where: str) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value if value is not None else []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BenchmarkError(
            f"{where}: the recorded replies are {value!r}. Expected a text or a list of texts.",
            reason="wrong_value",
        )
    return tuple(texts)


def _text(parts: Mapping[str, Any], name: str, where: str) -> str:
    value = parts.get(name, "")
    if not isinstance(value, str):
        raise BenchmarkError(
            f"{where}: {name!r} of the record is {value!r}. Expected text.", reason="wrong_value"
        )
    return value


def read_table(text: str) -> tuple[Answer, bool]:
    """A recorded table, and whether it holds all that its shape says.

    Rows that do not fit the shape are left out; the table is then not whole.
    """
    if text.strip() in _NOTHING:
        return Answer((), []), True
    *lines, last = text.strip().split("\n")
    shape = _SHAPE.fullmatch(last.strip())
    if shape is None:
        return Answer((), []), False
    height, width = int(shape[1]), int(shape[2])
    read = [_row(line) for line in lines if line != _CUT]
    rows = [row for row in read if row is not None and len(row) == width]
    return Answer(_names(width), rows), len(rows) == len(lines) == height


def _names(width: int) -> tuple[str, ...]:
    return tuple(f"column {number + 1}" for number in range(width))


def _row(line: str) -> Row | None:
    if not (line.startswith("| ") and line.endswith(" |")):
        return None
    return tuple(_cell(text) for text in line[2:-2].split(" | "))


def _cell(text: str) -> Cell:
    """A value as Python wrote it; text with a leading zero or sign of its own stays text."""
    if text == "None":
        return None
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if repr(number) == text and text not in ("nan", "inf", "-inf"):
            return number
    return text
