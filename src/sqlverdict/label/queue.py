"""Which pairs of a gold and a prediction are labelled, in which order, and by whom.

Everything follows from the runs, the options and the seed: the same call gives the same queue, so
that it can be left and taken up again. A longer queue starts with the shorter one; that of an
estimate is drawn once (:mod:`sqlverdict.label.sampling`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import ceil
from typing import Literal, get_args

from sqlverdict.audit.gold import SUSPECT_RANK, suspect_golds
from sqlverdict.errors import OptionName, UsageError
from sqlverdict.estimate.matching import AskProof
from sqlverdict.estimate.population import is_labelled_by_pair, stratum_of, stratum_with_judge
from sqlverdict.estimate.two_runs import tell_apart
from sqlverdict.files.text import count
from sqlverdict.label.sampling import Draw, check_draw, draw_pairs, sampling_of
from sqlverdict.load.people.sampling import SIDES, Sampling
from sqlverdict.load.people.votes import Side, vote_digest
from sqlverdict.records import Result, Verdict
from sqlverdict.report.agreement.opinions import is_judge, opinion, opinion_names, results_match
from sqlverdict.runlog.case_filter import is_lucky
from sqlverdict.runlog.run import Run

QueueName = Literal[
    "stratified", "estimate", "needs_review", "disagree", "lucky", "suspected_gold", "random"
]
ESTIMATE: QueueName = "estimate"
QUEUE_NAMES: tuple[QueueName, ...] = get_args(QueueName)


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
        sampling: How each pair of the queue came into it.
        text: Its name, seed and size, as votes keep them; :func:`named_queue` makes it again.
        draw: What was drawn, for an estimate.
    """

    items: Mapping[str, QueueItem]
    order: tuple[str, ...]
    matching: int
    without_pair: int
    sampling: Mapping[str, Sampling]
    text: str
    draw: Draw | None = None


def build_queue(
    runs: Sequence[Run],
    name: QueueName,
    size: int,
    seed: int,
    voted: Iterable[str] = (),
    draw: Draw | None = None,
    ask_proof: AskProof = lambda _case, _one, _other: False,
) -> LabelQueue:
    """Choose the pairs to label.

    For an estimate of two runs, their difference, questions where both have the same query or two
    that are proved equal are left out.

    Args:
        runs: Finished runs.
        name: Which pairs.
        size: How many at most.
        seed: For every choice among them.
        voted: Pairs to keep beside the queue: somebody voted on them.
        draw: What was drawn for an estimate before; ``None``: nothing yet.
        ask_proof: Asks for a proof that a query answers as another.

    Raises:
        UsageError: the queue is empty, or another draw was made before.
    """
    choose = _chooser(runs, name)
    two = None
    if name == ESTIMATE and len(runs) == len(SIDES) and draw is None:
        two = tell_apart(runs[0].results(), runs[1].results(), ask_proof).stratum_by_pair()
    stratum = _stratum_finder(runs, name)
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
        if rank is not None and pair not in ranks and (two is None or pair in two):
            ranks[pair] = rank
            strata[pair] = stratum(result) if two is None else two[pair]
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
    if name == ESTIMATE:
        if draw is None:
            draw = draw_pairs(order, strata, size, seed)
        check_draw(draw, seen, size, seed)
        head, sampling = tuple(draw.pairs), draw.sampling
    else:
        draw, head = None, tuple(order[:size])
        sampling = sampling_of(strata, head, by_chance=name != "suspected_gold")
    needed = {*head, *(pair for pair in voted if pair in seen)}
    items = items_of(runs, needed)
    text = f"{name}, seed {seed}, n {size}"
    matching = len(order) if draw is None else sum(draw.sizes.values())
    return LabelQueue(items, head, matching, without_pair, sampling, text, draw)


def named_queue(runs: Sequence[Run], text: str, draw: Draw | None) -> LabelQueue | None:
    """The queue that a vote names; ``None``: it names none, or the runs have changed since.

    Args:
        runs: The runs it was made of.
        text: What the vote says: :attr:`LabelQueue.text`.
        draw: What the label folder drew for an estimate.
    """
    match = re.fullmatch(r"(\w+), seed (-?\d+), n (\d+)", text)
    name = next((name for name in QUEUE_NAMES if match and match[1] == name), None)
    if match is None or name is None or (name == ESTIMATE and draw is None):
        return None
    try:
        return build_queue(runs, name, int(match[3]), int(match[2]), draw=draw)
    except UsageError:
        return None


def pair_of(result: Result) -> str:
    """The digest of a result's pair."""
    return vote_digest(result.id, result.gold, result.prediction)


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
    return {name: _own_order(own, name, secret) for name, own in pairs.items()}


def assign_draw(
    order: Sequence[str], annotators: Sequence[str], twice: float, secret: bytes
) -> dict[str, tuple[str, ...]]:
    """The pairs of each annotator of an estimate: one annotator a pair, two for some of them.

    Args:
        order: The pairs drawn.
        annotators: Their names.
        twice: The share of the pairs that two annotators label.
        secret: For the choice of these, and for the orders.
    """
    by_chance = sorted(order, key=lambda pair: chance(0, "twice", pair, secret=secret))
    shared = {*by_chance[: ceil(twice * len(order))]}
    pairs: dict[str, list[str]] = {name: [] for name in annotators}
    turn = 0
    for pair in order:
        for _ in range(min(2, len(annotators)) if pair in shared else 1):
            pairs[annotators[turn % len(annotators)]].append(pair)
            turn += 1
    return {name: _own_order(own, name, secret) for name, own in pairs.items()}


def _own_order(pairs: Iterable[str], annotator: str, secret: bytes) -> tuple[str, ...]:
    """The pairs in an order that nobody without the secret can compute."""
    return tuple(sorted(pairs, key=lambda pair: chance(0, "order", pair, annotator, secret=secret)))


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
            case "stratified" | "estimate" | "random":
                belongs = True
        return 0.0 if belongs else None

    return rank


def _stratum_finder(runs: Sequence[Run], name: QueueName) -> Callable[[Result], str]:
    """The part of a queue's population that a pair is drawn from."""
    if name == "stratified":
        words = {True: "match", False: "difference", None: "not compared"}
        return lambda result: (
            f"{words[results_match(result)]}, {result.situation or result.verdict}"
        )
    if name == ESTIMATE:
        return estimate_stratum(runs)
    return lambda _: "all" if name == "random" else name


def estimate_stratum(runs: Sequence[Run]) -> Callable[[Result], str]:
    """The stratum of a pair in the queue ``estimate``: with a judge's word if one judged all."""
    judge = _judge_of_all(runs)
    if judge is None:
        return stratum_of
    return lambda result: stratum_with_judge(result, opinion(result, judge))


def _judge_of_all(runs: Sequence[Run]) -> str | None:
    """A judge that has an opinion on every pair of the runs; ``None``: there is none."""
    names = [
        name
        for name in runs[0].manifest.metrics
        if is_judge(name) and all(name in run.manifest.metrics for run in runs)
    ]
    for _, result in _results(runs) if names else ():
        if is_labelled_by_pair(result):
            names = [name for name in names if opinion(result, name) is not None]
    return next(iter(names), None)


def _metrics_disagree(run: Run, result: Result) -> bool:
    opinions = {opinion(result, name) for name in opinion_names(run.manifest.metrics, [result])}
    return {True, False} <= opinions
