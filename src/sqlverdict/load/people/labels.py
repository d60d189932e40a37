"""Reads what people said about predictions: one label a case, or one vote an annotator.

A file is JSONL, a JSON list of objects, or a table with a header (CSV, Excel, Parquet). Fields:

* the id: ``id``, ``question_id`` or ``case_id``; else ``set`` and ``i`` as ``EQ-0``; else what
  ``--id-field`` names, which may be a pattern such as ``{set}-{i}``.
* the label: the field that ``--label-field`` names, by default ``human``, ``label`` or
  ``correct``. A list, or several columns, are votes, and are combined.
* the votes: a list field (``votes``) or one column an annotator.
* the half, where the file says it: ``set`` (``EQ`` or ``NEQ``), else ``ex``.

FLEX's table of experts has two labels a row, ``FP_consensus`` and ``FN_consensus``: those of the
cases ``EQ-0``, ``EQ-1`` ... and ``NEQ-0``, ``NEQ-1`` ..., by the row's index, as its own script
pairs them.

A vote log of ``sqlverdict label`` is read as it is: its annotators are its voters, an adjudicated
case has the adjudicator's label, and each label is about one pair of queries (see ``votes.py``).

A label is 1 (right), 0 (wrong), 0.5 (undecided) or missing; words such as ``true``, ``no`` and
``incorrect`` are read too. What becomes of 0.5 is the caller's explicit choice: it is left out,
or counts as wrong, or as right. Anything else is an error that names the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Formatter
from typing import Any, Literal, get_args

from sqlverdict.errors import DataError, UsageError
from sqlverdict.files.text import count, decode_json, few_of, near, read_bytes, stream_lines
from sqlverdict.load.fields import ID_KEYS
from sqlverdict.load.people.votes import VoteBook, is_vote_log, pair_digest, read_events
from sqlverdict.load.tables.table import table_format, table_rows
from sqlverdict.records import Result

Combine = Literal["majority", "consensus"]
Half = Literal["drop", "0", "1"]
HALVES: tuple[Half, ...] = get_args(Half)

LABEL_FIELDS = ("human", "label", "correct")
VOTE_FIELDS = ("votes", "annotators", "labels")
UNDECIDED = 0.5
_HALVES_OF_FLEX = {"EQ": "FP_consensus", "NEQ": "FN_consensus"}
_WORDS = {
    **dict.fromkeys(("true", "yes", "y", "right", "correct", "1", "1.0"), 1.0),
    **dict.fromkeys(("false", "no", "n", "wrong", "incorrect", "0", "0.0"), 0.0),
    **dict.fromkeys(("0.5", "half", "undecided", "partly"), UNDECIDED),
    **dict.fromkeys(("", "na", "n/a", "none", "null"), None),
}


@dataclass(frozen=True)
class Label:
    """What people said about one case.

    Attributes:
        id: The case.
        value: 1 right, 0 wrong; ``None`` where there is no settled label.
        original: The label as it was before the choice about 0.5.
        votes: One value an annotator, 0.5 for undecided, ``None`` where one did not vote.
        equal: Whether the two results match, where the file says so.
        pair: The digest of the queries that it is about, by :func:`votes.pair_digest`; empty:
            the file does not say.
        prediction: The query that it is about, where the file says so.
    """

    id: str
    value: int | None
    original: float | None
    votes: tuple[float | None, ...] = ()
    equal: bool | None = None
    pair: str = ""
    prediction: str | None = None


@dataclass(frozen=True)
class Labels:
    """The labels of a file.

    Attributes:
        path: The file.
        field: Where the label comes from, in words.
        items: One a case, in the file's order.
        annotators: Their names, as many as each item has votes.
        undecided: How many labels were 0.5 before the choice about them.
        dropped: How many cases have no settled label: left out of every figure.
        notes: What weakens the labels.
    """

    path: Path
    field: str
    items: tuple[Label, ...]
    annotators: tuple[str, ...] = ()
    undecided: int = 0
    dropped: int = 0
    notes: tuple[str, ...] = ()


class LabelIndex:
    """The settled labels by case: one about the case's own queries, or about any."""

    def __init__(self, labels: Labels) -> None:
        self._labels: dict[str, dict[str, Label]] = {}
        for item in labels.items:
            if item.value is not None:
                self._labels.setdefault(item.id, {})[item.pair] = item

    def ids(self) -> list[str]:
        """The cases with a label, in the order of the file."""
        return list(self._labels)

    def of(self, result: Result) -> Label | None:
        """The label of a case's result; ``None``: it has none."""
        labels = self._labels.get(result.id, {})
        if not any(labels):
            return labels.get("")
        return labels.get(pair_digest(result.id, result.gold, result.prediction))


def read_labels(
    path: Path,
    *,
    label_field: str | None = None,
    votes: Sequence[str] = (),
    id_field: str | None = None,
    combine: Combine = "majority",
    half: Half = "drop",
) -> Labels:
    """Read a file of labels.

    Args:
        path: JSONL, JSON or CSV, or a vote log.
        label_field: The field of the label, or of a list of votes to combine.
        votes: The annotators' columns, or the one field that lists their votes; by default
            ``votes`` where the file has it. Of a vote log: the annotators who count.
        id_field: The field of the id, or a pattern of fields in braces.
        combine: How votes become a label where the label is not a field of its own: the
            majority's, or only what all who voted agree on. A majority that ties is 0.5.
        half: What 0.5 becomes: left out, wrong or right.

    Raises:
        DataError: the file cannot be read, an id stands twice, or a label is none.
        UsageError: a named field is not in the file.
    """
    if is_vote_log(path):
        if label_field is not None or id_field is not None:
            raise UsageError(f"{path} is a vote log: leave out --label-field and --id-field")
        return labels_of_votes(VoteBook(read_events(path)), path, votes, combine, half)
    records = list(_records(path))
    if label_field is None and id_field is None:
        records = _two_halves(records)
    if not records:
        raise DataError(f"{path} holds no labels. Expected one record per case.")
    fields = dict.fromkeys(key for _, record in records for key in record)
    label_field, vote_fields = _choose_fields(path, fields, label_field, votes)
    if label_field and any(isinstance(record.get(label_field), list) for _, record in records):
        vote_fields, label_field = (label_field,), None
    items: dict[str, Label] = {}
    lines: dict[str, str] = {}
    for where, record in records:
        case_id = _id(record, id_field, where)
        if case_id in items:
            raise DataError(
                f"{where}: the id {case_id!r} stood at {lines[case_id]} already. Expected each "
                f"id once; name another field with --id-field, such as '{{set}}-{{i}}'."
            )
        lines[case_id] = where
        items[case_id] = _label(record, case_id, label_field, vote_fields, combine, where)
    annotators = _annotators(items.values(), vote_fields, path)
    labels = tuple(_decide_half(item, half) for item in items.values())
    source = f"field {label_field!r}" if label_field else f"{combine} of {len(annotators)} votes"
    return Labels(
        path,
        source,
        labels,
        annotators,
        sum(item.original == UNDECIDED for item in labels),
        sum(item.value is None for item in labels),
    )


def labels_of_votes(
    book: VoteBook,
    path: Path,
    annotators: Sequence[str] = (),
    combine: Combine = "majority",
    half: Half = "drop",
) -> Labels:
    """The labels of a vote log, one a pair of queries; see :func:`read_labels`.

    Raises:
        DataError: nobody voted.
        UsageError: there is no such annotator.
    """
    known = book.annotators
    if not known:
        raise DataError(f"{path} has no vote that counts. Expected at least one; see 'label'.")
    for name in annotators:
        if name not in known:
            raise UsageError(f"{path} has no annotator {name!r}.{near(name, known)}")
    names = tuple(annotators) or known
    items = []
    revealed = adjudicated = 0
    for pair in book.pairs.values():
        votes = {name: vote for name, vote in pair.votes.items() if name in names}
        if not votes:
            continue
        values = tuple(votes[name].meaning.value if name in votes else None for name in names)
        value = combined(values, combine)
        if pair.adjudication is not None:
            value, adjudicated = pair.adjudication.meaning.value, adjudicated + 1
        displays = [vote.display for vote in votes.values() if vote.display is not None]
        revealed += sum(display.revealed or not display.blind for display in displays)
        items.append(_decide_half(Label(pair.id, None, value, values, pair=pair.pair), half))
    note = f"{count(revealed, 'vote')} cast with the evidence in sight: not blind"
    return Labels(
        path,
        f"{combine} of {count(len(names), 'annotator')}, {adjudicated} adjudicated",
        tuple(items),
        names,
        sum(item.original == UNDECIDED for item in items),
        sum(item.value is None for item in items),
        (note,) if revealed else (),
    )


def _two_halves(
    records: list[tuple[str, Mapping[str, Any]]],
) -> list[tuple[str, Mapping[str, Any]]]:
    """FLEX's table, which has a label of either half in each row, as a record a label."""
    if not all(name in record for _, record in records for name in _HALVES_OF_FLEX.values()):
        return records
    return [
        (where, {"set": half, "i": index, "human": record[name]})
        for half, name in _HALVES_OF_FLEX.items()
        for index, (where, record) in enumerate(records)
    ]


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if table_format(path) is not None:
        for location, row in table_rows(path, DataError):
            yield f"{path}, {location}", row
        return
    if path.suffix.lower() == ".json":
        content = decode_json(read_bytes(path, DataError), str(path), DataError)
        if isinstance(content, Mapping):
            # {"id": {...}} or {"id": label}: the usual other shape of a JSON file.
            content = [
                {"id": key, **(value if isinstance(value, Mapping) else {"human": value})}
                for key, value in content.items()
            ]
        for number, record in enumerate(content if isinstance(content, list) else [], 1):
            yield _object(record, f"{path}, item {number}")
        return
    for number, line in stream_lines(path, DataError):
        if line.strip():
            where = f"{path}, line {number}"
            yield _object(decode_json(line.strip(), where, DataError), where)


def _object(record: object, where: str) -> tuple[str, Mapping[str, Any]]:
    if not isinstance(record, Mapping):
        raise DataError(f"{where}: found {type(record).__name__}. Expected an object a case.")
    return where, record


def _choose_fields(
    path: Path, fields: Mapping[str, None], label_field: str | None, votes: Sequence[str]
) -> tuple[str | None, tuple[str, ...]]:
    """The label's field, if the label is one of its own, and the fields of the votes."""
    for name in (*((label_field,) if label_field else ()), *votes):
        if name not in fields:
            raise UsageError(
                f"{path} has no field {name!r}.{near(name, fields)} It has {few_of(fields, 12)}."
            )
    if not votes:
        votes = [name for name in VOTE_FIELDS if name in fields and name != label_field][:1]
    if label_field is None:
        label_field = next((name for name in LABEL_FIELDS if name in fields), None)
    if label_field is None and not votes:
        raise UsageError(
            f"{path} has none of the fields {', '.join((*LABEL_FIELDS, *VOTE_FIELDS))}. Name the "
            f"label's field with --label-field; there are {few_of(fields, 12)}."
        )
    return label_field, tuple(votes)


def _label(
    record: Mapping[str, Any],
    case_id: str,
    label_field: str | None,
    vote_fields: Sequence[str],
    combine: Combine,
    where: str,
) -> Label:
    votes: tuple[float | None, ...] = ()
    if len(vote_fields) == 1 and isinstance(record.get(vote_fields[0]), list | str):
        votes = _votes(record[vote_fields[0]], vote_fields[0], where)
    elif vote_fields:
        votes = tuple(_value(record.get(name), name, where) for name in vote_fields)
    if label_field is None:
        value = combined(votes, combine)
    else:
        value = _value(record.get(label_field), label_field, where)
    query = record.get("prediction")
    prediction = query if isinstance(query, str) else None
    return Label(case_id, None, value, votes, _equal(record, where), prediction=prediction)


def _votes(value: object, name: str, where: str) -> tuple[float | None, ...]:
    if isinstance(value, str) and value.strip().startswith("["):
        value = decode_json(value.encode(), f"{where}, {name}", DataError)
    votes = value if isinstance(value, list) else [value]
    return tuple(_value(vote, name, where) for vote in votes)


def combined(votes: Sequence[float | None], combine: Combine) -> float | None:
    """One label from several votes; those who did not vote do not count.

    Majority: 1 where the mean is above one half, 0 where it is below, 0.5 at a tie.
    Consensus: what all say, and nothing where they differ.
    """
    cast = [vote for vote in votes if vote is not None]
    if not cast:
        return None
    if combine == "consensus":
        return cast[0] if len(set(cast)) == 1 else None
    mean = sum(cast) / len(cast)
    return UNDECIDED if mean == UNDECIDED else float(mean > UNDECIDED)


def _decide_half(item: Label, half: Half) -> Label:
    value: float | None = item.original
    if value == UNDECIDED:
        value = None if half == "drop" else float(half)
    return item if value is None else replace(item, value=int(value))


def _annotators(items: Iterable[Label], vote_fields: Sequence[str], path: Path) -> tuple[str, ...]:
    sizes = {len(item.votes) for item in items}
    if sizes == {0}:
        return ()
    if len(sizes) > 1:
        numbers = ", ".join(map(str, sorted(sizes)))
        raise DataError(
            f"{path}: some cases have {numbers} votes. Expected the same annotators for each; "
            f"write null where one of them did not vote."
        )
    (size,) = sizes
    if len(vote_fields) == size > 1:
        return tuple(vote_fields)
    return tuple(f"annotator {number}" for number in range(1, size + 1))


def _value(value: object, name: str, where: str) -> float | None:
    if value is None or isinstance(value, bool):
        return None if value is None else float(value)
    if isinstance(value, int | float) and value in (0, UNDECIDED, 1):
        return float(value)
    if isinstance(value, str) and value.strip().lower() in _WORDS:
        return _WORDS[value.strip().lower()]
    raise DataError(
        f"{where}: {name!r} is {value!r}. Expected 1 (right), 0 (wrong), 0.5 (undecided) or "
        f"nothing; words such as true and false will do."
    )


def _equal(record: Mapping[str, Any], where: str) -> bool | None:
    which = record.get("set")
    if isinstance(which, str) and which.strip().upper() in ("EQ", "NEQ"):
        return which.strip().upper() == "EQ"
    if "ex" not in record:
        return None
    value = _value(record["ex"], "ex", where)
    return None if value is None or value == UNDECIDED else bool(value)


def _id(record: Mapping[str, Any], id_field: str | None, where: str) -> str:
    pattern = id_field
    if pattern is None:
        own = next((key for key in ID_KEYS if record.get(key) not in (None, "")), None)
        pattern = own if own is not None else "{set}-{i}"
    if "{" not in pattern:
        pattern = "{" + pattern + "}"
    try:
        parts = list(Formatter().parse(pattern))
    except ValueError as bad:
        raise UsageError(f"--id-field {pattern!r} is no pattern: {bad}") from bad
    missing = [name for _, name, _, _ in parts if name and record.get(name) in (None, "")]
    if missing:
        raise DataError(
            f"{where}: found no {missing[0]!r}. Expected an id in one of {', '.join(ID_KEYS)}, or "
            f"'set' and 'i'; name it with --id-field. There are {few_of(record, 12)}."
        )
    return "".join(text + (str(record[name]) if name else "") for text, name, _, _ in parts)
