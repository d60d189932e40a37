"""Which pairs of a gold and a prediction are labelled, in which order, and by whom.

Everything follows from the runs, the options and the seed: the same call gives the same queue, so
that it can be left and taken up again. A longer queue starts with the shorter one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import ceil
from typing import Literal, get_args

from sqlverdict.audit.gold import suspect_golds
from sqlverdict.errors import OptionName, UsageError
from sqlverdict.files.text import count
from sqlverdict.load.people.votes import Side, vote_digest
from sqlverdict.records import Result, Verdict
from sqlverdict.report.agreement.opinions import opinion, opinion_names, results_match
from sqlverdict.runlog.case_filter import is_lucky
from sqlverdict.runlog.run import Run

QueueName = Literal["stratified", "needs_review", "disagree", "lucky", "suspected_gold", "random"]
QUEUE_NAMES: tuple[QueueName, ...] = get_args(QueueName)

SUSPECT_RANK = 0.3
"""Golds that are wrong with this probability or more are suspected, as ``audit`` lists them."""


@dataclass(frozen=True)
class QueueItem:
    """One pair to label.

    Attributes:
        pair: Stands for the case, its golds and the prediction.
        result: The case in the first run that has the pair.
        run: That run.
        systems: All systems that gave this prediction.
    """

    pair: str
    result: Result
    run: Run
    systems: tuple[str, ...]


@dataclass(frozen=True)
class LabelQueue:
    """The pairs to label.

    Attributes:
        items: The pairs of the queue, and those that were voted on before, by digest.
        order: The digests of the queue's pairs, in its order.
        matching: How many pairs the queue had to choose from.
        without_pair: Cases that cannot be labelled: an abstention, no SQL or no gold.
    """

    items: Mapping[str, QueueItem]
    order: tuple[str, ...]
    matching: int
    without_pair: int


def build_queue(
    runs: Sequence[Run], name: QueueName, size: int, seed: int, voted: Iterable[str] = ()
) -> LabelQueue:
    """Choose the pairs to label.

    Args:
        runs: Finished runs.
        name: Which pairs.
        size: How many at most.
        seed: For every choice among them.
        voted: Pairs to keep beside the queue: somebody voted on them.

    Raises:
        UsageError: the queue is empty.
    """
    choose = _chooser(runs, name)
    strata: dict[str, str] = {}
    ranks: dict[str, float] = {}
    seen: dict[str, None] = {}
    without_pair = 0
    for run, result in _results(runs):
        if not is_labelled_by_pair(result):
            without_pair += 1
            continue
        pair = pair_of(result)
        seen[pair] = None
        rank = choose(run, result)
        if rank is not None and pair not in ranks:
            ranks[pair] = rank
            strata[pair] = f"{results_match(result)} {result.situation or result.verdict}"
    order = sorted(ranks, key=lambda pair: (-ranks[pair], chance(seed, pair)))
    if name == "stratified":
        order = _in_turn(order, strata)
    if not order:
        raise UsageError(
            f"the queue {name!r} is empty: none of {count(len(seen), 'pair')} belongs to it. "
            "Choose another with ",
            OptionName("queue"),
            f": {', '.join(QUEUE_NAMES)}",
        )
    head = tuple(order[:size])
    needed = {*head, *(pair for pair in voted if pair in seen)}
    return LabelQueue(items_of(runs, needed), head, len(order), without_pair)


def pair_of(result: Result) -> str:
    """The digest of a result's pair."""
    return vote_digest(result.id, result.gold, result.prediction)


def is_labelled_by_pair(result: Result) -> bool:
    """Whether there are two queries to compare."""
    return not result.abstained and bool((result.prediction or "").strip()) and bool(result.gold)


def chance(seed: int, *parts: str, secret: bytes = b"") -> bytes:
    """A number that is the same on every machine, and random for all that it matters.

    With a secret nobody else can compute it.
    """
    text = "\x1f".join((str(seed), *parts)).encode()
    return blake2b(text, digest_size=8, key=secret).digest()


def first_side(secret: bytes, pair: str, annotator: str) -> Side:
    """Which query this annotator sees first; either order is as likely."""
    return "gold" if chance(0, "side", pair, annotator, secret=secret)[0] % 2 else "prediction"


def assign(
    order: Sequence[str], annotators: Sequence[str], overlap: float, secret: bytes
) -> dict[str, tuple[str, ...]]:
    """The pairs of each annotator, in an order of their own.

    Args:
        order: The pairs of the queue.
        annotators: Their names.
        overlap: The share of the queue that everybody labels; the rest is dealt out in turn.
        secret: For the orders: nobody can compute what a place in them says.
    """
    shared = ceil(overlap * len(order))
    pairs = {name: list(order[:shared]) for name in annotators}
    for turn, pair in enumerate(order[shared:]):
        pairs[annotators[turn % len(annotators)]].append(pair)
    return {
        name: tuple(sorted(own, key=lambda pair: chance(0, "order", pair, name, secret=secret)))
        for name, own in pairs.items()
    }


def _results(runs: Sequence[Run]) -> Iterator[tuple[Run, Result]]:
    for run in runs:
        for result in run.results():
            yield run, result


def items_of(runs: Sequence[Run], pairs: Collection[str]) -> dict[str, QueueItem]:
    """These pairs, as far as the runs have them; no others are kept in memory."""
    first: dict[str, tuple[Result, Run]] = {}
    systems: dict[str, list[str]] = {}
    for run, result in _results(runs):
        pair = pair_of(result)
        if pair in pairs and is_labelled_by_pair(result):
            first.setdefault(pair, (result, run))
            systems.setdefault(pair, []).append(run.manifest.system)
    return {pair: QueueItem(pair, *first[pair], tuple(systems[pair])) for pair in first}


def _in_turn(order: Sequence[str], strata: Mapping[str, str]) -> list[str]:
    """The pairs in rounds, one of each stratum a round, the strata in the order of their first."""
    turns: dict[str, int] = {}
    rounds: dict[str, int] = {}
    for pair in order:
        rounds[pair] = turns[strata[pair]] = turns.get(strata[pair], -1) + 1
    return sorted(order, key=lambda pair: rounds[pair])


def _chooser(runs: Sequence[Run], name: QueueName) -> Callable[[Run, Result], float | None]:
    """Ranks a pair of a queue, the highest first; ``None``: it does not belong to it."""
    suspects: dict[str, float] = {}
    if name == "suspected_gold":
        audit = suspect_golds(runs, at_least=SUSPECT_RANK)
        suspects = {suspect.case.id: suspect.rank for suspect in audit.suspects}

    def rank(run: Run, result: Result) -> float | None:
        match name:
            case "suspected_gold":
                return suspects.get(result.id)
            case "needs_review":
                belongs = result.verdict is Verdict.NEEDS_REVIEW
            case "disagree":
                belongs = _metrics_disagree(run, result)
            case "lucky":
                belongs = is_lucky(result)
            case "stratified" | "random":
                belongs = True
        return 0.0 if belongs else None

    return rank


def _metrics_disagree(run: Run, result: Result) -> bool:
    opinions = {opinion(result, name) for name in opinion_names(run.manifest.metrics, [result])}
    return {True, False} <= opinions
