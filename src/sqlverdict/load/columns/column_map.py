"""The user's column map: from names in a file to our fields.

``sql=gold`` reads the column ``sql`` as the gold query; the target ``off`` leaves a column out.
A dot leads into an object, on both sides: ``verdicts.o3=recorded.equal`` reads ``o3`` inside
``verdicts`` as the part ``equal`` of our field ``recorded``. A column whose own name has a dot is
that column. Parts of ``recorded`` (see ``recorded.py``) and of ``tags`` (any name) can be named
so, as can those of ``tokens``; a column that is called ``recorded.equal``, ``tags.set`` or
``tokens.prompt`` needs no map.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlverdict.errors import BenchmarkError, DataError, UsageError, column_option
from sqlverdict.files.text import few_of, near
from sqlverdict.load.fields import (
    CASE_ALIASES,
    CASE_FIELDS,
    FIELD_NAMES,
    PREDICTION_FIELDS,
    SHARED_FIELDS,
    SQL_KEYS,
    TRIAL,
)
from sqlverdict.load.recorded import PARTS

LEAVE_OUT = "off"
_RECORDED = tuple(f"recorded.{part}" for part in PARTS)
_TOKENS = ("tokens.prompt", "tokens.completion", "tokens.total")
_OUTER = ("recorded", "tags", "tokens")
_OTHER_TARGETS = {**CASE_ALIASES, "sql": "prediction"}
_OTHER_REPLIES = tuple(key for key in SQL_KEYS if key != "prediction")
_OF_PREDICTIONS = (*SHARED_FIELDS, TRIAL, *PREDICTION_FIELDS, *_TOKENS)
_NOTHING = object()
Names = tuple[str, Sequence[str]]
"""A file, and the names of its columns."""


def column_map(options: Mapping[str, str]) -> dict[str, str]:
    """The user's column map for cases, checked.

    Raises:
        UsageError: a target is not one of our fields, or two columns go to one.
    """
    return _checked(options, (*CASE_FIELDS, *PREDICTION_FIELDS, *_TOKENS, *_RECORDED))


def prediction_column_map(options: Mapping[str, str]) -> dict[str, str]:
    """The user's column map for predictions, checked.

    Raises:
        UsageError: a target is not one of our fields, or two columns go to one.
    """
    return _checked(options, _OF_PREDICTIONS)


def join_maps(columns: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """The column map for predictions: their own, and what the map for cases says about them.

    Args:
        columns: The map for cases, which also holds for predictions.
        own: The map for predictions alone, which comes first.
    """
    shared = {name: _OTHER_TARGETS.get(target, target) for name, target in columns.items()}
    targets = {_OTHER_TARGETS.get(target, target) for target in own.values()}
    return {
        **{
            name: target
            for name, target in shared.items()
            if target in (*_OF_PREDICTIONS, LEAVE_OUT) and target not in targets
        },
        **own,
    }


def _checked(options: Mapping[str, str], fields: Sequence[str]) -> dict[str, str]:
    """A map to these fields; other names of a field become the field's own."""
    options = {name: _OTHER_TARGETS.get(target, target) for name, target in options.items()}
    mapped = [target for target in options.values() if target != LEAVE_OUT]
    for column, target in options.items():
        tag = "tags" in fields and target.startswith("tags.") and target != "tags."
        if target != LEAVE_OUT and target not in fields and not tag:
            tags = ", tags.NAME" if "tags" in fields else ""
            raise UsageError(
                f"column {column!r} cannot be read as {target!r}: there is no such field."
                f"{near(target, fields)} Fields: {', '.join(fields)}{tags}, or off to leave it out"
            )
    for target in mapped:
        if mapped.count(target) > 1:
            raise UsageError(f"two columns are read as {target!r}; name one of them")
    return options


def rename(
    record: Mapping[str, Any],
    columns: Mapping[str, str],
    where: str,
    error: type[DataError] = BenchmarkError,
) -> dict[str, Any]:
    """A record under our field names, by the user's column map and the usual other names.

    Raises:
        DataError: of the given kind; the user's map leaves two columns for one field.
    """
    fields: dict[str, Any] = {} if columns else dict(record)
    for key, value in record.items() if columns else ():
        target = columns.get(key, key)
        if target == LEAVE_OUT and key in columns:
            continue
        if key in _OTHER_REPLIES and key not in columns and "prediction" in columns.values():
            # The user said where the predictions are.
            continue
        _put(fields, target, value, where, error)
    for path, target in columns.items():
        value = _inside(record, path)
        if value is not _NOTHING and target != LEAVE_OUT:
            _put(fields, target, value, where, error)
    if not fields.keys().isdisjoint(CASE_ALIASES.keys()):
        _take_aliases(fields, columns, where, error)
    if any("." in key for key in fields):
        _fold(fields, where, error)
    return fields


def _take_aliases(
    fields: dict[str, Any], columns: Mapping[str, str], where: str, error: type[DataError]
) -> None:
    """Put what stands under other usual names under ours."""
    open_ = {"gold"} - {*columns.values()}
    for alias, target in CASE_ALIASES.items():
        if alias in fields and target not in fields:
            fields[target] = fields.pop(alias)
        elif alias in fields and target in open_ and fields[alias] != fields[target]:
            raise error(
                f"{where}: {target!r} and {alias!r} differ, and each may be the gold. Leave one "
                "out: ",
                column_option(alias, LEAVE_OUT),
                reason="conflict",
            )


def texts_of(
    field: str, records: Sequence[Mapping[str, Any]], columns: Mapping[str, str]
) -> list[str]:
    """The texts of a field in records under the user's names."""
    targets = {name: columns.get(name, name) for record in records for name in record}
    names = [name for name, own in targets.items() if CASE_ALIASES.get(own, own) == field]
    cells = (record.get(name) for record in records for name in names)
    return [cell for cell in cells if isinstance(cell, str) and cell]


def unused_note(file: str, fields: Iterable[str], queries: Sequence[str] = ()) -> str:
    """A note on the fields of a file that are not ours; empty where there are none.

    Args:
        file: The file's name.
        fields: Its fields by our names, as far as they have one.
        queries: Those of them that hold SQL: the answers of other systems, or other golds.
    """
    known = (*CASE_FIELDS, *PREDICTION_FIELDS, *SQL_KEYS, TRIAL)
    unused = [name for name in fields if name not in known]
    if not unused:
        return ""
    note = f"{file}: not used: {few_of(unused, 10)}"
    if systems := [name for name in unused if name in queries]:
        names = ", ".join(map(shlex.quote, systems))
        note += f". Answers of other systems are evaluated with the option system {names}"
    if others := [name for name in unused if name not in queries]:
        name = next((other for other in others if _likely_field(other)), others[0])
        field, tag = f"{name}={_likely_field(name)}", f"{name}=tags.{name}"
        such_as = f", such as {shlex.quote(field)}" if _likely_field(name) else ""
        note += (
            f". The option column NAME=FIELD reads a column as a field{such_as}; "
            f"{shlex.quote(tag)} keeps it in the run, to group by"
        )
    return note


def _likely_field(name: str) -> str:
    """The field of ours that a column's name is most like, for a note; empty where it is none."""
    words = {"evidence": "knowledge", "hint": "knowledge", "knowledge": "knowledge", "id": "id"}
    parts = re.split(r"[\W_]+", name.casefold())
    return next((words[part] for part in parts if part in words), "")


def check_case_columns(columns: Mapping[str, str], lacks: Iterable[str], names: Names) -> None:
    """Refuse a map of a case's own fields that names a column which the cases do not have.

    Fields that predictions have, too, may be in the file of predictions.

    Args:
        columns: The column map.
        lacks: The columns of it that the file does not have.
        names: The file, and the names that it has.

    Raises:
        UsageError: there is one.
    """
    elsewhere = join_maps(columns, {})
    for name in lacks:
        if name not in elsewhere:
            raise missing_column(name, columns[name], [names])


def missing_column(name: str, target: str, files: Sequence[Names]) -> UsageError:
    """The error where no file has a column of the map: it would change nothing.

    Args:
        name: The column.
        target: The field that it is read as.
        files: Each file that may have it, with the names that it has.
    """
    known = [each for _, header in files for each in header]
    have = "; ".join(
        f"{file} has {few_of(header, 12) if header else 'no names of columns'}"
        for file, header in files
    )
    return UsageError(
        column_option(name, target), f": there is no column {name!r}.{near(name, known)} {have}."
    )


def mapped_names(columns: Mapping[str, str]) -> list[str]:
    """The columns that a map reads as a field; those that it leaves out need not be there."""
    return [name for name, target in columns.items() if target != LEAVE_OUT]


def absent_from(header: Sequence[str], paths: Iterable[str]) -> list[str]:
    """The columns, or dotted paths, that a table does not have; its cells may hold objects."""
    return [path for path in paths if {path, path.partition(".")[0]}.isdisjoint(header)]


def absent_columns(records: Iterable[Mapping[str, Any]], paths: Iterable[str]) -> list[str]:
    """The columns, or dotted paths, that no record has."""
    absent = list(paths)
    for record in records:
        if not absent:
            break
        absent = [
            path for path in absent if path not in record and _inside(record, path) is _NOTHING
        ]
    return absent


def _put(
    fields: dict[str, Any], target: str, value: object, where: str, error: type[DataError]
) -> None:
    if target in fields:
        off = column_option(target, LEAVE_OUT)
        raise error(
            f"{where}: two columns mean {target!r}. Leave one out: ", off, reason="conflict"
        )
    fields[target] = value


def _inside(record: Mapping[str, Any], path: str) -> object:
    """What a dotted path leads to; nothing where the path is a column of its own, or leads nowhere.

    A name inside an object may have dots itself: what is left of the path is tried as one name.
    """
    outer, dot, rest = path.partition(".")
    if path in record or not dot:
        return _NOTHING
    inner = record.get(outer)
    if not isinstance(inner, Mapping):
        return _NOTHING
    return inner[rest] if rest in inner else _inside(inner, rest)


def _fold(fields: dict[str, Any], where: str, error: type[DataError]) -> None:
    """Put parts of objects into their objects; a missing value is left out."""
    for key in [key for key in fields if key.partition(".")[0] in _OUTER and "." in key]:
        outer, _, part = key.partition(".")
        value = fields.pop(key)
        if value is None:
            continue
        whole = fields.get(outer)
        if whole is not None and not isinstance(whole, Mapping):
            raise error(
                f"{where}: {outer!r} is {whole!r}. Expected an object.", reason="wrong_value"
            )
        parts = dict(whole or {})
        text = isinstance(value, str) or outer != "tags"
        _put(parts, part, value if text else f"{value}", where, error)
        fields[outer] = parts


def other_spellings(header: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    """The columns that have a name of ours in another spelling: ``Gold SQL`` for ``gold_sql``.

    Args:
        header: The names of the columns.
        columns: The user's column map, which comes first.
    """
    # A map may be about another file: what it names and this one lacks says nothing here.
    used = {*header, *(ours for name, ours in columns.items() if name in header or "." in name)}
    spellings: dict[str, str] = {}
    for name in header:
        ours = re.sub(r"[\s\-]+", "_", name.strip()).casefold()
        if name not in columns and name != ours and ours in FIELD_NAMES and ours not in used:
            spellings[name] = ours
            used.add(ours)
    return spellings
