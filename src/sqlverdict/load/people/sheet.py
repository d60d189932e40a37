"""A sheet of labels: which of its fields is the id, the label, the annotator, the votes.

A sheet is a table with a header (CSV, Excel, Parquet), JSONL, or a JSON list of objects. A row is

* a case with its label: ``human``, ``label`` or ``correct``, or what ``--label-field`` names, or
  the only column whose cells are labels;
* a case with the votes on it: a list (``votes``), or a column an annotator, as ``--votes`` names,
  or the columns whose cells are labels;
* a vote: a label, and who gave it (``annotator``, or what the setting ``annotator-field`` names).

The id is ``id``, ``question_id``, ``qid`` ...; else ``set`` and ``i`` as ``EQ-0``; else what
``sheet_records.py`` takes for it; else what ``--id-field`` names, which may be a pattern such as
``{set}-{i}``. A label is 1 (right), 0 (wrong), 0.5 (undecided), a word such as ``true``, ``no`` and
``incorrect``, one of the labels of ``votes.py`` (``gold_wrong`` ...), or nothing. Anything else is
an error that names the line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError, OptionName, UnclearFields, UsageError
from sqlverdict.files.text import decode_json, few_of, near
from sqlverdict.load.columns.ids import is_number_name
from sqlverdict.load.fields import FIELD_NAMES, ID_KEYS
from sqlverdict.load.people.sheet_records import (
    Record,
    field_called,
    likely_ids,
    row_id,
    sheet_records,
    two_halves,
    unusual_id,
    usual_id,
)
from sqlverdict.load.people.votes import MEANINGS

LABEL_FIELDS = ("human", "label", "correct")
VOTE_FIELDS = ("votes", "annotators", "labels")
ANNOTATOR_FIELDS = (
    *("annotator", "annotator_id", "rater", "labeler", "labeller", "reviewer", "who", "person"),
    *("labeled_by", "labelled_by", "voter", "expert", "user", "bewerter", "von"),
    *("wer", "annotateur", "annotator_name", "reviewer_name", "rater_name", "coder"),
    *("prüfer", "pruefer", "prüferin", "gutachter", "gutachterin", "bearbeiter", "bearbeiterin"),
    *("bewertet_von", "geprüft_von", "annotiert_von", "bewerterin", "evaluador", "évaluateur"),
)
_NO_LABELS = ("set", "i", "ex", "blind", "gold_right", "realistic")
_RUN_LOG = {"index", "verdict", "scores", "evidence"}
"""Fields of each line of a run's log."""
_WORDS = {
    **dict.fromkeys(("true", "yes", "y", "correct", "1", "1.0", "ok", "ja", "richtig"), "right"),
    **dict.fromkeys(("j", "korrekt", "stimmt", "wahr", "oui", "vrai", "sí", "correcto"), "right"),
    **dict.fromkeys(("false", "no", "n", "incorrect", "0", "0.0", "nein", "falsch"), "wrong"),
    **dict.fromkeys(("inkorrekt", "nicht_korrekt", "nicht_richtig", "stimmt_nicht"), "wrong"),
    **dict.fromkeys(("fehlerhaft", "unwahr", "non", "faux", "incorrecto", "not_correct"), "wrong"),
    **dict.fromkeys(("0.5", "half", "partly", "partially", "teilweise", "teils"), "undecided"),
    **dict.fromkeys(("unklar", "unentschieden", "unsure", "unclear"), "undecided"),
    **dict.fromkeys(("", "na", "n/a", "none", "null"), None),
    **{label: label for label in MEANINGS},
}
_UNKNOWN = "NAME"
_MOST_LABELS = 3
"""So many columns are named that may be the label."""


@dataclass(frozen=True)
class LabelFields:
    """How a sheet is read, where its names do not say it.

    Attributes:
        label_field: The field of the label, or of a list of votes to combine.
        id_field: The field of the id, or a pattern of fields in braces.
        votes: The annotators' columns, or the one field that lists their votes. Of a sheet with a
            vote a row: the annotators who count.
        annotator_field: The field of the annotator, where a row is a vote.
        case_ids: The ids of the cases that the labels are about, where they are known.
    """

    label_field: str | None = None
    id_field: str | None = None
    votes: tuple[str, ...] = ()
    annotator_field: str | None = None
    case_ids: frozenset[str] = frozenset()


@dataclass(frozen=True)
class SheetRow:
    """A row of a sheet.

    Attributes:
        where: File and line.
        id: The case.
        label: Its label; ``None``: it has none.
        votes: The labels that annotators gave, one each.
        annotator: Who gave the label, where the row is a vote.
        record: All cells.
    """

    where: str
    id: str
    label: str | None
    votes: tuple[str | None, ...]
    annotator: str
    record: Record


@dataclass(frozen=True)
class LabelSheet:
    """The rows of a sheet, and which field is which.

    Attributes:
        path: The file.
        label_field: The label's field; ``None``: the votes make the label.
        vote_fields: The fields of votes.
        annotator_field: The field of the annotator; ``None``: a row is a case, and no vote.
        rows: The rows.
        notes: What was taken for labels by its cells.
        guessed: The options that name the fields which were taken for labels by their cells.
    """

    path: Path
    label_field: str | None
    vote_fields: tuple[str, ...]
    annotator_field: str | None
    rows: tuple[SheetRow, ...]
    notes: tuple[str, ...] = ()
    guessed: tuple[OptionName, ...] = ()


def read_sheet(path: Path, fields: LabelFields) -> LabelSheet:
    """Read a sheet.

    Raises:
        DataError: the file cannot be read, or a cell is no label.
        UsageError: a named field is not in the file, or none is named that is needed.
    """
    records = list(sheet_records(path))
    if fields.label_field is None and fields.id_field is None:
        records = two_halves(records)
    if not records:
        raise DataError(f"{path} holds no labels. Expected one record per case.", reason="empty")
    if {*records[0][1]} >= _RUN_LOG:
        raise DataError(
            f"{path} is the log of a run: it holds what sqlverdict found, and not what people say. "
            "Expected people's labels: sqlverdict label RUN --queue estimate",
            reason="wrong_kind",
        )
    names = list(dict.fromkeys(key for _, record in records for key in record))
    annotator = _annotator_field(path, names, records, fields)
    label, votes = _choose_fields(path, names, fields, annotator)
    notes: tuple[str, ...] = ()
    guessed: tuple[OptionName, ...] = ()
    if label is None and not votes:
        label, votes = _by_cells(names, records, annotator)
        what = f"{label!r} as the label" if label else f"{few_of(votes, 12)} as votes"
        notes = (f"{path.name}: read {what}, by the cells",) if label or votes else ()
        guessed = (OptionName("label_field", label),) if label else _options("votes", votes)
    others = [name for name in names if name not in (label, *votes, annotator)]
    own_id, by_cells = unusual_id(others, [record for _, record in records], fields.case_ids)
    if by_cells and not fields.id_field:
        notes = (*notes, f"{path.name}: read {own_id!r} as the id, by the cells")
    has_id = bool(fields.id_field or own_id or usual_id(names))
    _check_fields(path, others, records, fields, has_id, label is not None or bool(votes))
    id_field = fields.id_field or (f"{{{own_id}}}" if own_id else None)
    if label and any(isinstance(record.get(label), list) for _, record in records):
        votes, label = (label,), None
    rows = tuple(
        SheetRow(
            where,
            row_id(record, id_field, where),
            cell_label(record.get(label), label, where) if label else None,
            _votes(record, votes, where),
            _annotator(record, annotator, where),
            record,
        )
        for where, record in records
    )
    if annotator is not None:
        known = list(dict.fromkeys(row.annotator for row in rows))
        for name in fields.votes:
            if name not in known:
                raise UsageError(f"{path} has no annotator {name!r}.{near(name, known)}")
    return LabelSheet(path, label, votes, annotator, rows, notes, guessed)


def _options(name: str, values: Iterable[str]) -> tuple[OptionName, ...]:
    return tuple(OptionName(name, value) for value in values)


def cell_label(value: object, name: str, where: str) -> str | None:
    """The label in a cell, by its name in ``votes.py``; ``None``: it is empty.

    Raises:
        DataError: it is none.
    """
    if value is None:
        return None
    text = str(value).strip().lower()
    for spelling in (text, re.sub(r"[\s\-]+", "_", text)):
        if spelling in _WORDS:
            return _WORDS[spelling]
    raise DataError(
        f"{where}: {name!r} is {value!r}. Expected 1 (right), 0 (wrong), 0.5 (undecided) or "
        f"nothing; words such as true and false will do, and so will {', '.join(MEANINGS)}.",
        reason="wrong_value",
    )


def _annotator_field(
    path: Path,
    names: Sequence[str],
    records: Sequence[tuple[str, Record]],
    fields: LabelFields,
) -> str | None:
    """The field of the annotator; ``None`` where rows are no votes."""
    if fields.annotator_field is not None:
        _check_there(path, names, [fields.annotator_field])
        return fields.annotator_field
    if fields.votes and all(name in names for name in fields.votes):
        return None
    own = field_called(names, ANNOTATOR_FIELDS)
    return own if own and all(_text(record, own) for _, record in records) else None


def _check_there(path: Path, names: Sequence[str], needed: Iterable[str]) -> None:
    for name in needed:
        if name not in names:
            raise UsageError(
                f"{path} has no field {name!r}.{near(name, names)} It has {few_of(names, 12)}."
            )


def _choose_fields(
    path: Path,
    names: Sequence[str],
    fields: LabelFields,
    annotator: str | None,
) -> tuple[str | None, tuple[str, ...]]:
    """The label's field, if the label is one of its own, and the fields of the votes."""
    label = fields.label_field
    votes = () if annotator is not None else fields.votes
    _check_there(path, names, [*([label] if label else []), *votes])
    if label is None:
        label = field_called(names, LABEL_FIELDS)
    if not votes and annotator is None:
        rest = [name for name in names if name != label]
        own = field_called(rest, VOTE_FIELDS)
        votes = (own,) if own is not None else ()
    return label, votes


def _by_cells(
    names: Sequence[str], records: Sequence[tuple[str, Record]], annotator: str | None
) -> tuple[str | None, tuple[str, ...]]:
    """The label or the votes by their cells, where no name says it.

    A lone column of labels is the label. Several are an annotator each, unless a row is a vote.
    """
    columns = _label_columns([name for name in names if name != annotator], records)
    if len(columns) == 1:
        return columns[0], ()
    return None, tuple(columns) if annotator is None else ()


def _label_columns(names: Iterable[str], records: Sequence[tuple[str, Record]]) -> list[str]:
    """The columns whose cells are labels, and whose names are not those of other fields."""
    return [
        name
        for name in names
        if name.casefold() not in FIELD_NAMES
        and name.casefold() not in _NO_LABELS
        and not is_number_name(name)
        and _holds_labels(name, records)
    ]


def _check_fields(
    path: Path,
    names: Sequence[str],
    records: Sequence[tuple[str, Record]],
    fields: LabelFields,
    has_id: bool,
    has_label: bool,
) -> None:
    """Refuse a sheet without an id or a label, with all options that it needs.

    Raises:
        UnclearFields: one of them is missing.
    """
    if has_id and has_label:
        return
    own_names = (*fields.votes, fields.label_field)
    columns = _label_columns([name for name in names if name not in own_names], records)
    problems = []
    if not has_id:
        problems.append(f"no id ({', '.join(ID_KEYS[:3])} ..., or 'set' and 'i')")
    if not has_label:
        problems.append(f"none of the fields {', '.join((*LABEL_FIELDS, *VOTE_FIELDS))}")
    rows = [record for _, record in records]
    every = dict.fromkeys(name for record in rows for name in record)
    lacks_id, lacks_label = not has_id, not has_label
    options = _missing_options(
        names, rows, columns, fields.case_ids, lacks_id=lacks_id, lacks_label=lacks_label
    )
    raise UnclearFields(
        f"{path} has {' and '.join(problems)}; there are {few_of(every, 12)}.", options
    )


def _holds_labels(name: str, records: Sequence[tuple[str, Record]]) -> bool:
    try:
        labels = [cell_label(record.get(name), name, where) for where, record in records]
    except DataError:
        return False
    return any(label is not None for label in labels)


def _votes(record: Record, names: Sequence[str], where: str) -> tuple[str | None, ...]:
    if len(names) == 1 and isinstance(record.get(names[0]), list | str):
        name, value = names[0], record[names[0]]
        if isinstance(value, str) and value.strip().startswith("["):
            value = decode_json(value.encode(), f"{where}, {name}", DataError)
        votes = value if isinstance(value, list) else [value]
        return tuple(cell_label(vote, name, where) for vote in votes)
    return tuple(cell_label(record.get(name), name, where) for name in names)


def _annotator(record: Record, name: str | None, where: str) -> str:
    if name is None:
        return ""
    annotator = _text(record, name)
    if not annotator:
        raise DataError(
            f"{where}: found no annotator in {name!r}. Expected who gave the label.",
            reason="missing_field",
        )
    return annotator


def _text(record: Record, name: str) -> str:
    value = record.get(name)
    return "" if value is None else str(value).strip()


def _missing_options(
    names: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    label_columns: Sequence[str],
    case_ids: Collection[str],
    *,
    lacks_id: bool,
    lacks_label: bool,
) -> tuple[tuple[OptionName, ...], ...]:
    """The options that may be meant, all that are missing at once.

    Args:
        names: The fields of the sheet.
        records: Its rows.
        label_columns: The fields whose cells are labels: each may be the one that is meant, and
            the others say something else.
        case_ids: The ids of the cases, where they are known.
        lacks_id: The id is missing.
        lacks_label: The label is missing.
    """
    rest = [name for name in names if name not in label_columns]
    ids = likely_ids(rest, records, case_ids) or [_UNKNOWN] if lacks_id else []
    own_ids = [_options("id_field", [name]) for name in ids] or [()]
    columns = [*label_columns[:_MOST_LABELS]] or [_UNKNOWN]
    labels = [_options("label_field", [name]) for name in columns] if lacks_label else [()]
    return tuple((*own, *label) for own in own_ids for label in labels)
