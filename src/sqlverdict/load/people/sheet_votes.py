"""The votes of a sheet with a vote a row, as events of a vote log.

What ``sqlverdict label --export-votes`` writes comes back as it was: ``kind``, ``pair``, ``note``
and the rest are read too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from sqlverdict.errors import DataError
from sqlverdict.load.people.sheet import LabelSheet, SheetRow
from sqlverdict.load.people.votes import OFFLINE, VOTE_SCHEMA, VoteEvent, VoteLogContent

_KINDS = ("vote", "adjudication")
_TEXTS = ("note", "realistic", "corrected_gold", "reason")


def sheet_votes(sheet: LabelSheet, at: str) -> Iterator[tuple[SheetRow, VoteEvent]]:
    """The rows with a label, each with its vote; a row without one is no vote.

    Args:
        sheet: A sheet with a vote a row.
        at: The time of votes that have none.

    Raises:
        DataError: a row is no vote, or somebody votes twice on a case.
    """
    first: dict[tuple[str, ...], str] = {}
    for row in sheet.rows:
        if row.label is None:
            continue
        event = _event(row, sheet.path.name, at)
        about = event.pair or str(row.record.get("prediction") or "")
        key = (event.kind, event.id, about, event.annotator)
        if key in first:
            raise DataError(
                f"{row.where}: {row.annotator!r} already voted on {row.id!r} at {first[key]}. "
                f"Expected one vote of each annotator on a case; remove one of them.",
                reason="repeated",
            )
        first[key] = row.where
        yield row, event


def rows_without_vote(sheet: LabelSheet, content: VoteLogContent) -> dict[str, SheetRow]:
    """A row of each pair or case without any vote, by the key that its votes would have."""
    rows = {pair_key(row): row for row in sheet.rows if row.label is None}
    return {pair: row for pair, row in rows.items() if pair not in content.pairs}


def pair_key(row: SheetRow) -> str:
    """What votes of one pair share: the pair's digest, or the case where a row names no pair."""
    return str(row.record.get("pair") or "") or f"case {row.id}"


def _event(row: SheetRow, source: str, at: str) -> VoteEvent:
    """The event in a row; a row with a time of its own also says where the vote is from."""
    record = row.record
    kind = str(record.get("kind") or "vote")
    if kind not in _KINDS:
        raise DataError(
            f"{row.where}: the kind is {kind!r}. Expected one of {', '.join(_KINDS)}.",
            reason="wrong_value",
        )
    own_time = str(record.get("at") or "")
    categories = record.get("categories") or ()
    if isinstance(categories, str):
        categories = [name.strip() for name in categories.split(";")]
    first = record.get("first") or None
    origin = str(record.get("source") or source) if own_time else source
    try:
        return msgspec.convert(
            {
                "vote_schema": VOTE_SCHEMA,
                "kind": kind,
                "id": row.id,
                "pair": str(record.get("pair") or ""),
                "annotator": row.annotator,
                "at": own_time or at,
                "label": row.label,
                "categories": categories,
                **{name: str(record.get(name) or "") for name in _TEXTS},
                "seconds": _number(record.get("seconds")),
                "shown": None
                if first is None
                else {
                    "first": first,
                    "blind": str(record.get("blind")).lower() == "true",
                    "mode": str(record.get("mode") or "queries"),
                },
                **row_sampling(record),
                # Only lines of the offline page itself have this source, and no checksum.
                "source": f"{OFFLINE}, {source}" if origin == OFFLINE else origin,
            },
            VoteEvent,
        )
    except (TypeError, ValueError, msgspec.ValidationError) as bad:
        raise DataError(
            f"{row.where}: the vote cannot be read: {bad}.", reason="wrong_value"
        ) from bad


def row_sampling(record: Mapping[str, Any]) -> dict[str, Any]:
    """How the pair came into its queue, where the sheet is an export of ours."""
    if "sampling_probability" not in record:
        return {}
    return {
        "stratum": str(record.get("stratum") or ""),
        "stratum_size": int(_number(record.get("stratum_size")) or 0),
        "sampling_probability": _number(record["sampling_probability"]),
    }


def _number(cell: object) -> float | None:
    return None if cell in (None, "") else float(str(cell))
