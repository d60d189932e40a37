"""Reads what people said about predictions: one label a case, or one vote an annotator.

A file is a sheet of labels (``sheet.py`` says which fields it may have), or a vote log of
``sqlverdict label``, which is read as it is. Where each row is a vote, as in a vote log, the
annotators are its voters, an adjudicated case has the adjudicator's label, and a label that names a
pair of queries is about that pair (see ``votes.py``).

FLEX's table of experts has two labels a row, ``FP_consensus`` and ``FN_consensus``: those of the
cases ``EQ-0``, ``EQ-1`` ... and ``NEQ-0``, ``NEQ-1`` ..., by the row's index, as its own script
pairs them. A file may say of which half a case is: ``set`` (``EQ`` or ``NEQ``), else ``ex``.

What becomes of a label of 0.5 is the caller's explicit choice: it is left out, or counts as wrong,
or as right.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

from msgspec import structs

from sqlverdict.errors import DataError, OptionName, UsageError
from sqlverdict.files.text import count, few_of, near
from sqlverdict.load.people.combine import (
    UNANSWERABLE,
    UNDECIDED,
    Combine,
    combined,
    vote_values,
)
from sqlverdict.load.people.sampling import label_fields
from sqlverdict.load.people.sheet import (
    LabelFields,
    LabelSheet,
    SheetRow,
    cell_label,
    read_sheet,
)
from sqlverdict.load.people.sheet_votes import (
    pair_key,
    row_sampling,
    rows_without_vote,
    sheet_votes,
)
from sqlverdict.load.people.votes import (
    MEANINGS,
    Mode,
    PairVotes,
    VoteEvent,
    VoteLogContent,
    is_vote_log,
    read_events,
)

Half = Literal["drop", "0", "1"]


@dataclass(frozen=True)
class Label:
    """What people said about one case.

    Attributes:
        id: The case.
        value: 1 right, 0 wrong; ``None`` where there is no settled label.
        original: The label as it was before the choice about 0.5.
        votes: One value an annotator, 0.5 for undecided, ``None`` where one did not vote. Who says
            that no query answers the question has 0 beside others' values, else ``None``.
        equal: Whether the two results match, where the file says so.
        pair: The digest of the queries that it is about, by :func:`votes.pair_digest`; empty:
            the file does not say.
        prediction: The query that it is about, where the file says so.
        by_mode: The label of those who saw the queries and of those who saw results alone, where
            both voted.
        stratum: The part of the queue's population that the pair was drawn from; empty: not known.
        stratum_size: How many pairs that part has.
        sampling_probability: How probable it was that the pair is in the queue.
        unanswerable: Whether there is no value as people say that no query answers the question.
        weight: What it counts in a share (``weights.py``).
        queue: The queue, with its seed and size; empty: not known.
    """

    id: str
    value: int | None
    original: float | None
    votes: tuple[float | None, ...] = ()
    equal: bool | None = None
    pair: str = ""
    prediction: str | None = None
    by_mode: Mapping[Mode, float] = field(default_factory=dict)
    stratum: str = ""
    stratum_size: int = 0
    sampling_probability: float | None = None
    unanswerable: bool = False
    weight: float = 1
    queue: str = ""


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


def read_labels(
    path: Path,
    *,
    label_field: str | None = None,
    votes: Sequence[str] = (),
    id_field: str | None = None,
    annotator_field: str | None = None,
    combine: Combine = "majority",
    half: Half = "drop",
    case_ids: Iterable[str] = (),
    may_guess: bool = True,
) -> Labels:
    """Read a file of labels.

    Args:
        path: A sheet of labels, or a vote log.
        label_field: The field of the label, or of a list of votes to combine.
        votes: The annotators' columns, or the one field that lists their votes; by default
            ``votes`` where the file has it. Where each row is a vote: the annotators who count.
        id_field: The field of the id, or a pattern of fields in braces.
        annotator_field: The field of the annotator, where each row is a vote; by default
            ``annotator`` where the file has it.
        combine: How votes become a label where the label is not a field of its own: the
            majority's, or only what all who voted agree on. A majority that ties is 0.5.
        half: What 0.5 becomes: left out, wrong or right.
        case_ids: The ids of the cases, where they are known: they tell the field of the id.
        may_guess: Whether the cells of a column may say that it holds labels.

    Raises:
        DataError: the file cannot be read, an id stands twice, or a label is none.
        UsageError: a named field is not in the file, or only cells say which one is the label.
    """
    fields = LabelFields(label_field, id_field, tuple(votes), annotator_field, frozenset(case_ids))
    if is_vote_log(path):
        if label_field or id_field or annotator_field:
            raise UsageError(
                f"{path} is a vote log: leave out ",
                OptionName("label_field"),
                ", ",
                OptionName("id_field"),
                " and ",
                OptionName("annotator_field"),
            )
        return labels_of_votes(VoteLogContent(read_events(path)), path, votes, combine, half)
    sheet = read_sheet(path, fields)
    if sheet.guessed and not may_guess:
        raise _guessed(sheet)
    if sheet.annotator_field is not None:
        return _labels_of_rows(sheet, votes, combine, half)
    items: dict[str, Label] = {}
    lines: dict[str, str] = {}
    for row in sheet.rows:
        if row.id in items:
            raise DataError(
                f"{row.where}: the id {row.id!r} already occurs at {lines[row.id]}. Expected each "
                f"id once. If each row is a vote, name the annotator's field with ",
                OptionName("annotator_field"),
                "; if the id is another field, with ",
                OptionName("id_field"),
                f", such as '{{set}}-{{i}}'. There are {few_of(row.record, 12)}.",
                reason="repeated",
            )
        lines[row.id] = row.where
        items[row.id] = _label(row, sheet, combine)
    annotators = _annotators(items.values(), sheet.vote_fields, path)
    labels = tuple(_decide_half(item, half) for item in items.values())
    own = sheet.label_field
    return Labels(
        path,
        f"field {own!r}" if own else f"{combine} of {len(annotators)} votes",
        labels,
        annotators,
        sum(item.original == UNDECIDED for item in labels),
        sum(item.value is None for item in labels),
        sheet.notes,
    )


def _guessed(sheet: LabelSheet) -> UsageError:
    """The error that only the cells of a sheet say which fields are the labels."""
    names = [each.words[-1] for each in sheet.guessed]
    words = [str(sheet.path), *(word for each in sheet.guessed for word in each.words)]
    command = f"sqlverdict estimate RUN --labels {shlex.join(words)}"
    start = f"{sheet.path}: the cells alone say that {few_of(names, 12)} "
    if len(names) > 1:
        return UsageError(
            f"{start}hold people's votes, and such a guess decides nothing. If they do, write a "
            "row for each vote, with the columns id, annotator and label. To see what they say: "
            f"{command}"
        )
    return UsageError(
        f"{start}holds people's labels, and such a guess decides nothing. If it does, call the "
        f"column 'label'. To see what it says: {command}"
    )


def _labels_of_rows(
    sheet: LabelSheet, votes: Sequence[str], combine: Combine, half: Half
) -> Labels:
    """The labels of a sheet with a vote a row: one a case, or one a pair that it names."""
    content = VoteLogContent()
    by_case: dict[str, object] = {}
    queries: dict[str, str] = {}
    for row, event in sheet_votes(sheet, ""):
        if not event.pair:
            pair, query = pair_key(row), row.record.get("prediction")
            if by_case.setdefault(pair, query) != query:
                raise DataError(
                    f"{row.where}: there are votes on several predictions of {row.id!r}. Import "
                    f"them: sqlverdict label RUN... --import {sheet.path}; agree reads the log.",
                    reason="conflict",
                )
            event = structs.replace(event, pair=pair)
        if (query := _query(row)) is not None:
            queries[event.pair] = query
        content.add(event)
    labels = labels_of_votes(content, sheet.path, votes, combine, half)
    items = [
        replace(
            item,
            pair="" if item.pair in by_case else item.pair,
            prediction=queries.get(item.pair),
        )
        for item in labels.items
    ]
    blank = [
        Label(
            row.id,
            None,
            None,
            (None,) * len(labels.annotators),
            pair=pair if row.record.get("pair") else "",
            prediction=_query(row),
            **row_sampling(row.record),
        )
        for pair, row in rows_without_vote(sheet, content).items()
    ]
    return replace(
        labels,
        items=(*items, *blank),
        dropped=labels.dropped + len(blank),
        notes=(*labels.notes, *sheet.notes),
    )


def _query(row: SheetRow) -> str | None:
    """The prediction that a row is about, where it says so."""
    query = row.record.get("prediction")
    return query if isinstance(query, str) else None


def _label(row: SheetRow, sheet: LabelSheet, combine: Combine) -> Label:
    votes = vote_values(row.votes)
    value = combined(votes, combine) if sheet.label_field is None else _value(row.label)
    words = row.votes if sheet.label_field is None else (row.label,)
    no_answer = value is None and UNANSWERABLE in words
    return Label(
        row.id, None, value, votes, _equal(row), prediction=_query(row), unanswerable=no_answer
    )


def labels_of_votes(
    content: VoteLogContent,
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
    known = content.annotators
    if not known:
        raise DataError(
            f"{path} has no vote that counts. Expected at least one; see 'label'.", reason="empty"
        )
    for name in annotators:
        if name not in known:
            raise UsageError(f"{path} has no annotator {name!r}.{near(name, known)}")
    names = tuple(annotators) or known
    items = []
    revealed = adjudicated = without_sql = 0
    for pair in content.pairs.values():
        votes = {name: vote for name, vote in pair.votes.items() if name in names}
        if not votes:
            continue
        values = vote_values([votes[name].label if name in votes else None for name in names])
        value = combined(values, combine)
        if pair.adjudication is not None:
            value, adjudicated = pair.adjudication.meaning.value, adjudicated + 1
        displays = [vote.display for vote in votes.values() if vote.display is not None]
        revealed += sum(display.revealed or not display.blind for display in displays)
        without_sql += sum(vote.mode == "results" for vote in votes.values())
        label = Label(
            pair.id,
            None,
            value,
            values,
            pair=pair.pair,
            by_mode=_by_mode(votes.values(), combine),
            unanswerable=value is None and UNANSWERABLE in _words(pair, votes.values()),
            **label_fields(pair.sampling([*votes])),
        )
        items.append(_decide_half(label, half))
    notes = []
    if revealed:
        notes.append(f"{count(revealed, 'vote')} cast with the evidence in sight: not blind")
    if without_sql:
        notes.append(f"{count(without_sql, 'vote')} cast on results alone, without SQL")
    return Labels(
        path,
        f"{combine} of {count(len(names), 'annotator')}, {adjudicated} adjudicated",
        tuple(items),
        names,
        sum(item.original == UNDECIDED for item in items),
        sum(item.value is None for item in items),
        tuple(notes),
    )


def _words(pair: PairVotes, votes: Iterable[VoteEvent]) -> set[str]:
    """The labels that count for a pair: the adjudicator's, else those of the votes."""
    return {each.label for each in ([pair.adjudication] if pair.adjudication else votes)}


def _by_mode(votes: Collection[VoteEvent], combine: Combine) -> dict[Mode, float]:
    """The label by either mode, where there are votes of both."""
    values = {
        mode: combined(vote_values([vote.label for vote in votes if vote.mode == mode]), combine)
        for mode in get_args(Mode)
    }
    known = {mode: value for mode, value in values.items() if value is not None}
    return known if len(known) == len(values) else {}


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
            f"write null where one of them did not vote.",
            reason="incomplete",
        )
    (size,) = sizes
    if len(vote_fields) == size > 1:
        return tuple(vote_fields)
    return tuple(f"annotator {number}" for number in range(1, size + 1))


def _value(label: str | None) -> float | None:
    return None if label is None else MEANINGS[label].value


def _equal(row: SheetRow) -> bool | None:
    which = row.record.get("set")
    if isinstance(which, str) and which.strip().upper() in ("EQ", "NEQ"):
        return which.strip().upper() == "EQ"
    value = _value(cell_label(row.record.get("ex"), "ex", row.where))
    return None if value is None or value == UNDECIDED else bool(value)
