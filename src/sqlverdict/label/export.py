"""Votes, corrected golds and labelled cases as files.

A label is settled where an adjudicator decided, or more than half of the votes say the same.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.escapes import spreadsheet_cell
from sqlverdict.label.item import witness_of
from sqlverdict.label.queue import QueueItem
from sqlverdict.load.people.combine import combined, vote_values
from sqlverdict.load.people.votes import MEANINGS, PairVotes, VoteEvent, VoteLogContent
from sqlverdict.records import Result
from sqlverdict.report.agreement.opinions import results_match

_encode = msgspec.json.Encoder().encode


def export_votes(content: VoteLogContent, items: Mapping[str, QueueItem], path: Path) -> int:
    """Write every vote that counts and every adjudication; CSV by the file's ending, else JSONL."""
    records = [_vote_record(event, items) for event in _counting(content)]
    if path.suffix.lower() == ".csv":
        text = io.StringIO(newline="")
        if records:
            table = csv.DictWriter(text, list(records[0]), lineterminator="\n")
            table.writeheader()
            table.writerows({key: _cell(value) for key, value in each.items()} for each in records)
        write_at_once(path, text.getvalue().encode("utf-8", "backslashreplace"))
    else:
        _write_lines(path, records)
    return len(records)


def export_golds(content: VoteLogContent, items: Mapping[str, QueueItem], path: Path) -> int:
    """Write the golds that settled labels correct: lines of id, gold, reason and by.

    A gold gives way to the query that an annotator wrote, else to a prediction that alone answers
    the question. Where both answer it and are known to differ, the prediction is added.
    """
    golds: dict[str, dict[str, Any]] = {}
    for pair, votes in content.pairs.items():
        if pair in items:
            _correct(golds, items[pair], votes)
    records = []
    for case_id, record in golds.items():
        gold = list(dict.fromkeys([*(record["instead"] or record["original"]), *record["added"]]))
        if gold != list(record["original"]):
            reason = "; ".join(dict.fromkeys(record["reasons"]))
            by = ", ".join(dict.fromkeys(record["by"]))
            records.append({"id": case_id, "gold": gold, "reason": reason, "by": by})
    _write_lines(path, records)
    return len(records)


def export_cases(
    content: VoteLogContent,
    items: Mapping[str, QueueItem],
    knowledge: Mapping[str, str],
    path: Path,
) -> int:
    """Write the cases with a vote: question, queries, label and votes, a line each.

    ``evaluate --cases`` reads the file, and ``agree --labels`` the same one. An id that has several
    predictions gets the system's name.
    """
    voters = content.annotators
    voted = [items[pair] for pair, votes in content.pairs.items() if pair in items and votes.votes]
    ids = [item.result.id for item in voted]
    records = []
    for item in voted:
        result, votes = item.result, content.pairs[item.pair]
        label = votes.settled_label
        repeated = ids.count(result.id) > 1
        records.append(
            {
                "id": f"{result.id}#{item.systems[0]}" if repeated else result.id,
                "db_id": result.db_id,
                "question": result.question,
                **result.turn_fields,
                "knowledge": result.knowledge or knowledge.get(result.id, ""),
                "gold": list(result.gold),
                "prediction": result.prediction,
                "difficulty": result.difficulty,
                "human": _settled_value(votes),
                "label": label or None,
                "gold_right": MEANINGS[label].gold_right if label else None,
                "votes": [_value(votes.votes.get(name)) for name in voters],
                "voters": list(voters),
                "categories": sorted({c for v in votes.votes.values() for c in v.categories}),
            }
        )
    _write_lines(path, records)
    return len(records)


def _correct(golds: dict[str, dict[str, Any]], item: QueueItem, votes: PairVotes) -> None:
    """Add what the votes about one pair say of its gold."""
    label = votes.settled_label
    agreeing = [vote for vote in votes.votes.values() if vote.label == label]
    decisions = [votes.adjudication] if votes.adjudication is not None else agreeing
    corrected = [vote.corrected_gold for vote in [*decisions, *agreeing] if vote.corrected_gold]
    result = item.result
    is_another = label == "right" and _is_known_to_differ(result)
    if not decisions or (not corrected and label != "gold_wrong" and not is_another):
        return
    empty = {"original": result.gold, "instead": [], "added": [], "reasons": [], "by": []}
    record = golds.setdefault(result.id, empty)
    if corrected:
        record["instead"].append(corrected[0])
    else:
        record["added" if is_another else "instead"].append(result.prediction)
    record["reasons"] += [vote.reason or vote.note or label for vote in decisions]
    record["by"] += [vote.annotator for vote in decisions]


def _is_known_to_differ(result: Result) -> bool:
    """Whether the queries differ on the real database or on a witness."""
    return results_match(result) is False or witness_of(result) is not None


def _counting(content: VoteLogContent) -> Iterator[VoteEvent]:
    for votes in content.pairs.values():
        for name, vote in votes.votes.items():
            yield vote.sampled(votes.sampling([name]))
        if votes.adjudication is not None:
            yield votes.adjudication


def _vote_record(event: VoteEvent, items: Mapping[str, QueueItem]) -> dict[str, Any]:
    item = items.get(event.pair)
    display = event.display
    return {
        "id": event.id,
        "systems": list(item.systems) if item is not None else [],
        "prediction": item.result.prediction if item is not None else None,
        "kind": event.kind,
        "annotator": event.annotator,
        "label": event.label,
        "value": event.meaning.value,
        "gold_right": event.meaning.gold_right,
        "categories": list(event.categories),
        "realistic": event.realistic,
        "note": event.note,
        "reason": event.reason,
        "corrected_gold": event.corrected_gold,
        "seconds": event.seconds,
        "at": event.at,
        "first": display.first if display is not None else "",
        "blind": display is not None and display.blind and not display.revealed,
        "mode": event.mode,
        "stratum": event.stratum,
        "stratum_size": event.stratum_size or None,
        "sampling_probability": event.sampling_probability,
        "source": event.source,
        "pair": event.pair,
    }


def _settled_value(votes: PairVotes) -> float | None:
    """The value of the prediction, as ``agree`` takes it from the log."""
    if votes.adjudication is not None:
        return votes.adjudication.meaning.value
    return combined(vote_values([vote.label for vote in votes.votes.values()]), "majority")


def _value(vote: VoteEvent | None) -> float | None:
    return None if vote is None else vote.meaning.value


def _cell(value: object) -> object:
    """A cell of a spreadsheet; a text that would be a formula there gets an apostrophe."""
    if isinstance(value, list):
        value = "; ".join(map(str, value))
    return spreadsheet_cell(value)


def _write_lines(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    write_at_once(path, b"".join(_encode(record) + b"\n" for record in records))
