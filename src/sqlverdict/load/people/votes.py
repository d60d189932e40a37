"""The vote log: what annotators said about pairs of a gold and a prediction, one event a line.

``sqlverdict label`` writes it. Nothing in it is ever changed: a vote that is taken back is a second
event, and so is another vote of the same annotator. The last one counts; a withdrawal takes back
all earlier votes of that annotator on the pair. The labels:

============  =============================================  ==========  ====
label         the annotator says                             prediction  gold
============  =============================================  ==========  ====
right         both answer the question                       1           yes
gold_wrong    only the prediction answers it                 1           no
wrong         only the gold answers it                       0           yes
both_wrong    neither answers it                             0           no
undecided     I cannot tell                                  0.5
unanswerable  no query on this database answers it           no value    no
skip          I do not vote                                  no value
============  =============================================  ==========  ====

The column *prediction* is the value that ``agree`` compares with metrics.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from sqlverdict.errors import DataError
from sqlverdict.files.regular import open_regular
from sqlverdict.files.sealed import has_seal, is_intact
from sqlverdict.files.text import decode_json, stream_lines
from sqlverdict.load.people.sampling import Sampling, is_for_estimate

VOTE_SCHEMA = 1
"""Version of a line; readers refuse a newer one."""

VOTES_FILE = "votes.jsonl"
"""The name of a vote log."""

OFFLINE = "offline"
"""The source of a vote of the offline page; such lines have no checksum."""

_START = b'{"vote_schema":'


class LabelMeaning(NamedTuple):
    """What a label says of either query.

    Attributes:
        value: Of the prediction: 1 right, 0 wrong, 0.5 undecided; ``None``: no value.
        gold_right: Whether the gold answers the question; ``None``: it is not said.
    """

    value: float | None
    gold_right: bool | None


MEANINGS: Mapping[str, LabelMeaning] = {
    "right": LabelMeaning(1.0, True),
    "gold_wrong": LabelMeaning(1.0, False),
    "wrong": LabelMeaning(0.0, True),
    "both_wrong": LabelMeaning(0.0, False),
    "undecided": LabelMeaning(0.5, None),
    "unanswerable": LabelMeaning(None, False),
    "skip": LabelMeaning(None, None),
}
"""What each label says."""

Mode = Literal["queries", "results"]
"""What a vote is about: two queries with their results, or two results without their SQL."""

Side = Literal["gold", "prediction"]
EventKind = Literal["vote", "undo", "reveal", "adjudication"]


class ItemDisplay(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an annotator saw when voting.

    Attributes:
        first: Which query stood first, as query A; empty on an offline page, which does not know.
        blind: Whether metrics, verdict, system and other votes were hidden.
        revealed: Whether this annotator had looked at them before this vote.
        results: Whether both results on the real database were there.
        witness: Whether a witness was there.
        digest: A digest of all that the page got to display.
        queue: The queue, with its seed.
        mode: Whether the queries were shown, or their results alone.
    """

    first: Side | Literal[""]
    blind: bool
    revealed: bool = False
    results: bool = False
    witness: bool = False
    digest: str = ""
    queue: str = ""
    mode: Mode = "queries"


class VoteEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a vote log.

    Attributes:
        vote_schema: The version of the line.
        kind: A vote, its withdrawal, a look at the evidence, or an adjudication.
        id: The case.
        pair: The digest of the case's id, golds and prediction, by :func:`vote_digest`.
        annotator: Who; of an adjudication, the adjudicator.
        at: When, in UTC.
        label: One of :data:`MEANINGS`; empty in events that are no vote.
        choice: Of an offline page, which does not know the gold: what was said of A and B.
            Its ``pair`` is known to the label folder alone. An import makes a label of it.
        categories: Kinds of error or difference, by FLEX's names.
        note: A remark.
        realistic: Whether the witness could be real data: ``yes``, ``no`` or ``unsure``.
        corrected_gold: A query that answers the question, by the annotator.
        reason: Why the adjudicator decides so.
        seconds: How long the annotator looked at the item.
        display: What was shown.
        source: Where it comes from: ``page``, ``offline``, or the file it was imported from.
        stratum: The part of the queue's population that the pair was drawn from; empty: not known.
        stratum_size: How many pairs that part has.
        sampling_probability: How probable it was that the pair is in the queue; ``None``: not
            known, or chosen otherwise than by chance.
    """

    vote_schema: int
    kind: EventKind
    id: str
    pair: str
    annotator: str
    at: str
    label: str = ""
    choice: str = ""
    categories: tuple[str, ...] = ()
    note: str = ""
    realistic: str = ""
    corrected_gold: str = ""
    reason: str = ""
    seconds: float | None = None
    display: ItemDisplay | None = msgspec.field(default=None, name="shown")
    source: str = ""
    stratum: str = ""
    stratum_size: int = 0
    sampling_probability: float | None = None

    @property
    def mode(self) -> Mode:
        """Whether the annotator saw the queries; a file that does not say so means them."""
        return self.display.mode if self.display is not None else "queries"

    @property
    def sampling(self) -> Sampling | None:
        """How the pair came into the queue; ``None``: the event does not say so."""
        if not self.stratum:
            return None
        queue = self.display.queue if self.display is not None else ""
        return Sampling(self.stratum, self.stratum_size, self.sampling_probability, queue)

    def sampled(self, sampling: Sampling | None) -> VoteEvent:
        """The event with how its pair came into a queue; as it is where that is not known."""
        if sampling is None:
            return self
        return msgspec.structs.replace(
            self,
            stratum=sampling.stratum,
            stratum_size=sampling.size,
            sampling_probability=sampling.probability,
        )

    @property
    def meaning(self) -> LabelMeaning:
        """What its label says."""
        return MEANINGS[self.label]


def vote_digest(case_id: str, golds: Sequence[str], prediction: str | None) -> str:
    """A digest of a case, its golds and one prediction: a vote is about these alone."""
    content = msgspec.json.encode([case_id, list(golds), prediction])
    return blake2b(content, digest_size=8).hexdigest()


def is_vote_log(path: Path) -> bool:
    """Whether a file starts as a vote log does."""
    try:
        with open_regular(path) as stream:
            return stream.read(len(_START)) == _START
    except OSError:
        return False


def read_events(path: Path, *, choices: bool = False) -> Iterator[VoteEvent]:
    """The events of a vote log, in their order.

    A last line that was not written to its end is left out. Lines of the offline page have no
    checksum; all others must have one that fits.

    Args:
        path: The file.
        choices: Whether votes of an offline page may be there that are not imported yet.

    Raises:
        DataError: a line is no event, or was changed.
    """
    for number, line in stream_lines(path, DataError):
        where = f"{path}, line {number}"
        if not line.strip():
            continue
        if has_seal(line) and not line.endswith(b"\n"):
            return
        event = decode_event(line.strip(), where)
        if event.choice and not choices:
            raise DataError(
                f"{where} is a vote of an offline page, which does not know which query is the "
                f"gold. Add the file to the log, and read that: sqlverdict label RUN... --import "
                f"{path}",
                reason="wrong_kind",
            )
        if has_seal(line) != (event.source != "offline") or (
            has_seal(line) and not is_intact(line)
        ):
            raise DataError(
                f"{where} was changed after it was saved: its checksum does not match. Restore the "
                f"line from a copy, or remove it and vote again.",
                reason="changed",
            )
        yield event


def decode_event(line: bytes, where: str) -> VoteEvent:
    """One event, checked.

    Raises:
        DataError: it is none, or one of a newer version.
    """
    fields: Any = decode_json(line, where, DataError)
    schema = fields.get("vote_schema") if isinstance(fields, Mapping) else None
    if isinstance(schema, int) and schema > VOTE_SCHEMA:
        raise DataError(
            f"{where} has the vote schema {schema}; this version reads up to {VOTE_SCHEMA}. "
            f"Update sqlverdict.",
            reason="another_version",
        )
    event = decode_json(line, where, DataError, VoteEvent)
    is_label = event.kind in ("vote", "adjudication") and not event.choice
    if is_label and event.label not in MEANINGS:
        raise DataError(
            f"{where}: the label is {event.label!r}. Expected one of {', '.join(MEANINGS)}.",
            reason="wrong_value",
        )
    return event


class PairVotes:
    """The votes about one pair that count.

    Attributes:
        id: The case.
        pair: The digest of the pair.
        adjudication: What an adjudicator decided last; ``None``: nothing.
        revealed_to: The annotators who looked at the evidence.
        votes: The last vote of each annotator that was not taken back.
        samplings: How the pair came into the queues that somebody voted on, by annotator.
    """

    def __init__(self, case_id: str, pair: str) -> None:
        self.id = case_id
        self.pair = pair
        self.adjudication: VoteEvent | None = None
        self.revealed_to: set[str] = set()
        self.votes: dict[str, VoteEvent] = {}
        self.samplings: dict[str, list[Sampling]] = {}

    def add(self, event: VoteEvent) -> None:
        """Take in the next event about this pair."""
        if event.sampling is not None:
            self.samplings.setdefault(event.annotator, []).append(event.sampling)
        if event.kind == "vote":
            self.votes[event.annotator] = event
        elif event.kind == "undo":
            # Not the vote before it: each edit of a vote is a vote, and all of them are meant.
            self.votes.pop(event.annotator, None)
        elif event.kind == "reveal":
            self.revealed_to.add(event.annotator)
        elif event.kind == "adjudication":
            self.adjudication = event

    def sampling(self, annotators: Collection[str]) -> Sampling | None:
        """How the pair was drawn: for an estimate, whatever queue was voted on later; else last.

        Args:
            annotators: Those whose votes count; a draw for an estimate holds whoever votes.
        """
        own = [each for name in annotators for each in self.samplings.get(name, ())]
        every = [each for samplings in self.samplings.values() for each in samplings]
        draws = [[each for each in some if is_for_estimate(each.stratum)] for some in (own, every)]
        return next((some[-1] for some in (*draws, own) if some), None)

    @property
    def is_disputed(self) -> bool:
        """Whether annotators who voted disagree about either query."""
        return len({vote.meaning for vote in self.votes.values() if vote.label != "skip"}) > 1

    @property
    def settled_label(self) -> str:
        """The adjudicator's label, else the label of more than half of the votes; empty: none."""
        if self.adjudication is not None:
            return self.adjudication.label
        labels = [vote.label for vote in self.votes.values() if vote.label != "skip"]
        return next((one for one in labels if 2 * labels.count(one) > len(labels)), "")


class VoteLogContent:
    """All votes of a log, by pair, in the order in which they first appear in it."""

    def __init__(self, events: Iterable[VoteEvent] = ()) -> None:
        self.pairs: dict[str, PairVotes] = {}
        self._order: dict[str, dict[str, None]] = {}
        for event in events:
            self.add(event)

    def add(self, event: VoteEvent) -> None:
        """Take in the next event."""
        votes = self.pairs.setdefault(event.pair, PairVotes(event.id, event.pair))
        votes.add(event)
        order = self._order.setdefault(event.annotator, {})
        if event.kind in ("vote", "undo"):
            order.pop(event.pair, None)
        if event.kind == "vote":
            order[event.pair] = None

    def last_pair(self, annotator: str, pairs: Collection[str]) -> str | None:
        """Of these pairs, that of an annotator's last vote that was not taken back, if any."""
        order = self._order.get(annotator, {})
        return next((pair for pair in reversed(order) if pair in pairs), None)

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everybody with a vote that counts, in the order of their first ones."""
        return tuple(dict.fromkeys(name for pair in self.pairs.values() for name in pair.votes))
