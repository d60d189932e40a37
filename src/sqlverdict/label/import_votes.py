"""Votes from elsewhere: offline pages, spreadsheets, ROSE's labels and other label files.

* A vote log, such as the offline page downloads: its events, as they are.
* A table, or JSON lines, with ``id``, ``annotator`` and ``label``: a row a vote, by labels' names.
  What ``--export-votes`` writes comes back as it was: ``kind``, ``pair`` and the rest are read too.
* Any other file that ``agree --labels`` reads, such as ROSE's: right, wrong and undecided, of one
  annotator or of one a column.

A vote counts only for the pair that it is about. One about a case or a prediction that the runs do
not have is left out and counted, and so is one that the log has already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.errors import DataError
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.files.text import decode_json, stream_lines
from sqlverdict.label.export import spreadsheet_text
from sqlverdict.label.queue import is_labelled_by_pair, pair_of
from sqlverdict.label.vote_log import VoteLog
from sqlverdict.load.people.labels import read_labels
from sqlverdict.load.people.votes import (
    MEANINGS,
    OFFLINE,
    VOTE_SCHEMA,
    VoteEvent,
    is_vote_log,
    read_events,
)
from sqlverdict.load.tables.table import table_format, table_rows
from sqlverdict.runlog.run import Run

_BY_VALUE = {1.0: "right", 0.0: "wrong", 0.5: "undecided"}
_ROW_FIELDS = ("id", "annotator", "label")
_KINDS = ("vote", "adjudication")


@dataclass(frozen=True)
class LabelFields:
    """How a file of labels is read; see ``load/people/labels.py``."""

    label_field: str | None = None
    id_field: str | None = None
    votes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _ForeignVote:
    """A vote of a file that is no vote log.

    Attributes:
        event: The vote; without a pair where the file names none.
        prediction: The query that it is about, where the file says so.
    """

    event: VoteEvent
    prediction: str | None = None


def import_votes(
    path: Path, runs: Sequence[Run], log: VoteLog, annotator: str, fields: LabelFields
) -> Counter[str]:
    """Add the votes of a file to a log, and say what became of how many.

    Args:
        path: The file.
        runs: The runs whose pairs the votes may be about.
        log: Where they are saved.
        annotator: Whose labels they are, where the file names nobody.
        fields: How the file is read.

    Raises:
        DataError: the file cannot be read.
        UsageError: a field is not in the file.
    """
    pairs: dict[str, dict[str, str]] = {}
    for run in runs:
        for result in run.results():
            if is_labelled_by_pair(result):
                pairs.setdefault(result.id, {})[pair_of(result)] = fold_sql(result.prediction or "")
    known = {_key(event) for event in read_events(log.path)}
    outcomes: Counter[str] = Counter()
    for event in _events(path, pairs, annotator, fields, outcomes):
        if _key(event) in known:
            outcomes["in the log already"] += 1
            continue
        known.add(_key(event))
        log.append(event)
        outcomes["added"] += 1
    return outcomes


def _key(event: VoteEvent) -> tuple[str, ...]:
    """What makes two events one: votes of label files have no time of their own."""
    at = event.at if event.source.startswith(("page", OFFLINE)) else ""
    return event.kind, event.annotator, event.pair, event.label, at


def _events(
    path: Path,
    pairs: Mapping[str, Mapping[str, str]],
    annotator: str,
    fields: LabelFields,
    outcomes: Counter[str],
) -> Iterator[VoteEvent]:
    if is_vote_log(path):
        for event in read_events(path):
            if event.pair in pairs.get(event.id, ()):
                source = event.source if event.source == "page" else f"{OFFLINE}, {path.name}"
                yield msgspec.structs.replace(event, source=source)
            else:
                outcomes["about cases or queries that the runs do not have"] += 1
        return
    for vote in _other_votes(path, annotator, fields):
        pair = _pair(vote, pairs.get(vote.event.id, {}))
        if pair is None:
            outcomes["about cases or queries that the runs do not have"] += 1
            continue
        yield msgspec.structs.replace(vote.event, pair=pair)


def _pair(vote: _ForeignVote, pairs: Mapping[str, str]) -> str | None:
    """The pair that a vote is about: that of its name, of its prediction, or the only one."""
    if vote.event.pair:
        return vote.event.pair if vote.event.pair in pairs else None
    if vote.prediction is not None:
        query = fold_sql(vote.prediction)
        return next((pair for pair, known in pairs.items() if known == query), None)
    return next(iter(pairs)) if len(pairs) == 1 else None


def _other_votes(path: Path, annotator: str, fields: LabelFields) -> Iterator[_ForeignVote]:
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    if not fields.label_field and not fields.votes:
        rows = list(_rows(path))
        if rows and all(name in rows[0][1] for name in _ROW_FIELDS):
            for where, row in rows:
                yield _row_vote(row, f"{path}, {where}", path.name, at)
            return
    labels = read_labels(
        path, label_field=fields.label_field, votes=fields.votes, id_field=fields.id_field
    )
    for item in labels.items:
        by_name = zip(labels.annotators, item.votes, strict=True)
        votes = [(annotator, item.original)] if not labels.annotators else list(by_name)
        for name, value in votes:
            if value is not None:
                event = _event({"id": item.id, "annotator": name}, path.name, at, _BY_VALUE[value])
                yield _ForeignVote(event, item.prediction)


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows of a table, or the lines of a file whose first line is a vote; else none."""
    if table_format(path) is not None:
        for where, row in table_rows(path, DataError):
            yield where, {name: spreadsheet_text(cell) for name, cell in row.items()}
        return
    for number, line in stream_lines(path, DataError):
        if not line.strip():
            continue
        where = f"line {number}"
        try:
            record = decode_json(line.strip(), f"{path}, {where}", DataError)
        except DataError:
            if number > 1:
                raise
            return  # A file of another form, which is no file of lines.
        lacking = not isinstance(record, Mapping) or any(n not in record for n in _ROW_FIELDS)
        if lacking and number == 1:
            return
        if lacking:
            raise DataError(f"{path}, {where}: expected an object with {', '.join(_ROW_FIELDS)}.")
        yield where, record


def _row_vote(row: Mapping[str, Any], where: str, source: str, at: str) -> _ForeignVote:
    label = str(row["label"] or "").strip().lower().replace(" ", "_")
    if label not in MEANINGS:
        raise DataError(f"{where}: the label is {label!r}. Expected one of {', '.join(MEANINGS)}.")
    kind = str(row.get("kind") or "vote")
    if kind not in _KINDS:
        raise DataError(f"{where}: the kind is {kind!r}. Expected one of {', '.join(_KINDS)}.")
    try:
        event = _event(row, source, at, label)
    except (ValueError, msgspec.ValidationError) as bad:
        raise DataError(f"{where}: the vote cannot be read: {bad}.") from bad
    return _ForeignVote(event, row.get("prediction") or None)


def _event(row: Mapping[str, Any], source: str, at: str, label: str) -> VoteEvent:
    """The event in a row; a row with a time of its own also says where the vote is from."""
    own_time = str(row.get("at") or "")
    categories = row.get("categories") or ()
    if isinstance(categories, str):
        categories = [name.strip() for name in categories.split(";")]
    first = row.get("first") or None
    texts = ("note", "realistic", "corrected_gold", "reason")
    origin = str(row.get("source") or source) if own_time else source
    return msgspec.convert(
        {
            "vote_schema": VOTE_SCHEMA,
            "kind": row.get("kind") or "vote",
            "id": str(row["id"]),
            "pair": str(row.get("pair") or ""),
            "annotator": str(row["annotator"]),
            "at": own_time or at,
            "label": label,
            "categories": categories,
            **{name: str(row.get(name) or "") for name in texts},
            "seconds": None if row.get("seconds") in (None, "") else float(row["seconds"]),
            "shown": None
            if first is None
            else {"first": first, "blind": str(row.get("blind")).lower() == "true"},
            # Only lines of the offline page itself have this source, and no checksum.
            "source": f"{OFFLINE}, {source}" if origin == OFFLINE else origin,
        },
        VoteEvent,
    )
