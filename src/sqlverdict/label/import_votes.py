"""Votes from elsewhere: offline pages, spreadsheets, ROSE's labels and other label files.

* A vote log: its events, as they are. What an offline page downloads is one whose votes speak of
  query A and query B; the label folder's key says which pair and which order that was.
* A sheet of labels, as ``agree --labels`` reads it (``load/people/sheet.py``): a row a vote, a
  column an annotator, or one annotator's labels. What ``--export-votes`` writes comes back as it
  was.

A vote counts only for the pair that it is about. One about a case or a prediction that the runs do
not have is left out and counted, and so is one that the log has already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast, get_args

import msgspec

from sqlverdict.errors import DataError, OptionName, UsageError
from sqlverdict.estimate.population import is_labelled_by_pair
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.label.ballot import Choice, label_of_choice
from sqlverdict.label.queue import first_side, named_queue, pair_of
from sqlverdict.label.session import token_subject
from sqlverdict.label.session_key import SessionKey
from sqlverdict.label.vote_log import VoteLog
from sqlverdict.load.people.sampling import Sampling, is_for_estimate
from sqlverdict.load.people.sheet import LabelFields, LabelSheet, SheetRow, read_sheet
from sqlverdict.load.people.sheet_votes import sheet_votes
from sqlverdict.load.people.votes import (
    OFFLINE,
    VOTE_SCHEMA,
    VoteEvent,
    is_vote_log,
    read_events,
)
from sqlverdict.runlog.run import Run

NO_CASE = "left out: the runs have no case of this id"
OTHER_FOLDER = "left out: the offline page is not of this label folder, or of other queries"


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
    path: Path,
    runs: Sequence[Run],
    log: VoteLog,
    annotator: str,
    fields: LabelFields,
    key: SessionKey,
) -> Counter[str]:
    """Add the votes of a file to a log, and count those that were added and left out.

    Args:
        path: The file.
        runs: The runs whose pairs the votes may be about.
        log: Where they are saved.
        annotator: Whose labels they are, where the file names nobody.
        fields: How the file is read.
        key: The label folder's, for votes of its offline pages.

    Raises:
        DataError: the file cannot be read.
        UsageError: a field is not in the file, or its votes are of another draw.
    """
    pairs: dict[str, dict[str, str]] = {}
    for run in runs:
        for result in run.results():
            own = pairs.setdefault(result.id, {})
            if is_labelled_by_pair(result):
                own[pair_of(result)] = fold_sql(result.prediction or "")
    known = {_key(event) for event in read_events(log.path)}
    outcomes: Counter[str] = Counter()
    # All of it first: of a file that cannot be read nothing is added.
    fields = replace(fields, case_ids=frozenset(pairs))
    events = list(_events(path, pairs, annotator, fields, key, outcomes))
    for event in list(_with_sampling(events, runs, key, path)):
        if _key(event) in known:
            outcomes["in the log already"] += 1
            continue
        known.add(_key(event))
        log.append(event)
        outcomes["added"] += 1
    return outcomes


def _with_sampling(
    events: Iterable[VoteEvent], runs: Sequence[Run], key: SessionKey, path: Path
) -> Iterator[VoteEvent]:
    """Events with how their pairs came into the queue: an offline page does not know it.

    A pair that the folder drew for an estimate stays drawn, whatever queue a vote is from.

    Raises:
        UsageError: the folder has a draw, and votes are of another one.
    """
    draw = {} if key.draw is None else key.draw.sampling
    queues: dict[str, Mapping[str, Sampling]] = {}
    for event in events:
        if event.kind == "vote" and event.pair in draw:
            yield event.sampled(draw[event.pair])
            continue
        if draw and is_for_estimate(event.stratum):
            raise UsageError(
                f"{path}: the vote on {event.id!r} is of another draw than this label folder's, "
                "and an estimate holds for one draw. Import them to a folder of their own: ",
                OptionName("out", "DIR"),
            )
        text = event.display.queue if event.display is not None else ""
        if event.kind != "vote" or event.stratum or not text:
            yield event
            continue
        if text not in queues:
            queue = named_queue(runs, text, key.draw)
            queues[text] = {} if queue is None else queue.sampling
        yield event.sampled(queues[text].get(event.pair))


def _key(event: VoteEvent) -> tuple[str, ...]:
    """What makes two events one: votes of label files have no time of their own."""
    at = event.at if event.source.startswith(("page", OFFLINE)) else ""
    return event.kind, event.annotator, event.pair, event.label, at


def _events(
    path: Path,
    pairs: Mapping[str, Mapping[str, str]],
    annotator: str,
    fields: LabelFields,
    key: SessionKey,
    outcomes: Counter[str],
) -> Iterator[VoteEvent]:
    if is_vote_log(path):
        for line in read_events(path, choices=True):
            event = _opened(line, pairs.get(line.id, ()), key)
            if event is None:
                outcomes[OTHER_FOLDER] += 1
            elif event.pair in pairs.get(event.id, ()):
                source = event.source if event.source == "page" else f"{OFFLINE}, {path.name}"
                yield msgspec.structs.replace(event, source=source)
            else:
                outcomes[_why_left_out(event, pairs)] += 1
        return
    for vote in _other_votes(path, annotator, fields):
        pair = _pair(vote, pairs.get(vote.event.id, {}))
        if pair is None:
            outcomes[_why_left_out(vote.event, pairs, vote.prediction)] += 1
            continue
        yield msgspec.structs.replace(vote.event, pair=pair)


def _opened(event: VoteEvent, pairs: Iterable[str], key: SessionKey) -> VoteEvent | None:
    """An event of an offline page with its pair and its label; others as they are.

    ``None``: it speaks of A and B, and this folder's key does not know the pair.
    """
    reader = token_subject(event.annotator)
    pair = next((pair for pair in pairs if key.pair_id(reader, pair) == event.pair), None)
    if pair is None or event.source != OFFLINE:
        return None if event.choice else event
    event = msgspec.structs.replace(event, pair=pair)
    if not event.choice:
        return event
    if event.choice not in get_args(Choice):
        raise DataError(
            f"the choice is {event.choice!r}. Expected one of {get_args(Choice)}.",
            reason="wrong_value",
        )
    first = first_side(key.secret, pair, event.annotator)
    display = event.display and msgspec.structs.replace(event.display, first=first)
    label = label_of_choice(cast("Choice", event.choice), first)
    return msgspec.structs.replace(event, label=label, choice="", display=display)


def _why_left_out(
    event: VoteEvent, pairs: Mapping[str, Mapping[str, str]], prediction: str | None = None
) -> str:
    """Why a vote is about no pair of the runs."""
    if event.id not in pairs:
        return NO_CASE
    if not pairs[event.id]:
        return "left out: no SQL or no gold in the runs, so no two queries can be compared"
    if event.pair or prediction is not None:
        return "left out: the runs have another prediction or gold for the case"
    return "left out: the runs have several predictions for the case, and the file names none"


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
    sheet = read_sheet(path, fields)
    if sheet.annotator_field is not None:
        for row, event in sheet_votes(sheet, at):
            if not fields.votes or event.annotator in fields.votes:
                yield _ForeignVote(event, _prediction(row) or None)
        return
    _check_rows(sheet)
    names = sheet.vote_fields if len(sheet.vote_fields) > 1 else ()
    for row in sheet.rows:
        prediction = _prediction(row)
        voters = names or [f"annotator {number}" for number, _ in enumerate(row.votes, 1)]
        votes = list(zip(voters, row.votes, strict=True)) or [(annotator, row.label)]
        for name, label in votes:
            if label is not None:
                yield _ForeignVote(_plain_vote(row.id, name, label, path.name, at), prediction)


def _prediction(row: SheetRow) -> str | None:
    """The query that a row is about, where it says so."""
    query = row.record.get("prediction")
    return query if isinstance(query, str) else None


def _check_rows(sheet: LabelSheet) -> None:
    """Refuse rows that do not say whose votes they have, or on which case.

    Raises:
        DataError: rows have lists of several lengths, or two are about one case.
    """
    sizes = {len(row.votes) for row in sheet.rows}
    if len(sizes) > 1:
        raise DataError(
            f"{sheet.path}: some cases have {', '.join(map(str, sorted(sizes)))} votes. Expected "
            f"the same annotators for each; write null where one of them did not vote.",
            reason="incomplete",
        )
    first: dict[tuple[str, str | None], str] = {}
    for row in sheet.rows:
        before = first.setdefault((row.id, _prediction(row)), row.where)
        if before != row.where:
            raise DataError(
                f"{row.where}: the id {row.id!r} already occurs at {before}. Expected each id "
                "once. If each row is a vote, name the annotator's field with ",
                OptionName("annotator_field"),
                ".",
                reason="repeated",
            )


def _plain_vote(case_id: str, annotator: str, label: str, source: str, at: str) -> VoteEvent:
    return VoteEvent(
        vote_schema=VOTE_SCHEMA,
        kind="vote",
        id=case_id,
        pair="",
        annotator=annotator,
        at=at,
        label=label,
        source=f"{OFFLINE}, {source}" if source == OFFLINE else source,
    )
