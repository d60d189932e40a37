"""Agreement with people on the same pairs: comparisons, policies and judges beside each other.

Two opinions are compared on the pairs that both of them decide, never on two different sets of
pairs. Intervals are 95 %, from samples of questions with a fixed seed; an interval of a difference
takes both opinions from the same samples. ``agreement.py`` prints what is made here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from agreement_sets import SETS, Labelled
from sqlverdict.records import Verdict
from sqlverdict.situations import Situation
from sqlverdict.verdicts import INTENT, POLICIES, STRICT, Policy

SAMPLES = 1_000
COMPARISONS = ("recorded EX", "ex", "ex[bird]", "ex[spider]")
JUDGE_SETS = (("rose-bird", INTENT), ("rose-spider", INTENT), ("flex", STRICT))
"""The sets with recorded judges, and the policy that follows the idea of their labels."""
NONE = "–"  # noqa: RUF001
VALUES = {Verdict.CORRECT: True, Verdict.INCORRECT: False}
Opinion = Callable[[Labelled], bool | None]


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float:
    """Cohen's kappa."""
    n = len(pairs)
    observed = sum(a == b for a, b in pairs) / n
    ours, theirs = sum(a for a, _ in pairs) / n, sum(b for _, b in pairs) / n
    chance = ours * theirs + (1 - ours) * (1 - theirs)
    return 0.0 if chance == 1 else (observed - chance) / (1 - chance)


def by_question(items: Iterable[Labelled]) -> list[list[Labelled]]:
    """The pairs of each question: what is drawn, and what is held out, together."""
    groups: dict[str, list[Labelled]] = defaultdict(list)
    for item in items:
        groups[item.question].append(item)
    return [groups[name] for name in sorted(groups)]


def samples(items: Sequence[Labelled], number: int = SAMPLES) -> Iterator[list[Labelled]]:
    """Questions drawn with repetition."""
    groups, random = by_question(items), Random(0)
    for _ in range(number):
        yield [item for group in random.choices(groups, k=len(groups)) for item in group]


def decided(items: Iterable[Labelled], *opinions: Opinion) -> list[Labelled]:
    """The pairs on which every one of the opinions says something."""
    return [item for item in items if all(says(item) is not None for says in opinions)]


def difference(items: Sequence[Labelled], ours: Opinion, other: Opinion) -> str:
    """Kappa of ours less that of the other, on the pairs that both decide, with its interval."""
    both = decided(items, ours, other)
    if not both:
        return NONE
    values = {id(item): (bool(ours(item)), bool(other(item))) for item in both}

    def less(sample: Sequence[Labelled]) -> float:
        first, second = (
            kappa([(item.label, values[id(item)][which]) for item in sample]) for which in (0, 1)
        )
        return first - second

    low, high = middle([less(sample) for sample in samples(both)])
    return f"{_signed(less(both), 3)} ({_signed(low, 3)} to {_signed(high, 3)})"


def middle(values: Iterable[float]) -> tuple[float, float]:
    """Between which two of these values the middle 95 % lie."""
    ordered = sorted(values)
    cut = len(ordered) // 40
    return ordered[cut], ordered[-cut - 1]


def _signed(value: float, digits: int) -> str:
    """A difference with its sign; what rounds to 0 has none."""
    text = f"{value:+.{digits}f}"
    return text if float(text) else f"{0:.{digits}f}"


def agreement(items: Sequence[Labelled], opinion: Opinion) -> str:
    """Kappa with its interval, and on how many of the pairs."""
    values = {id(item): opinion(item) for item in items}

    def pairs(sample: Iterable[Labelled]) -> list[tuple[bool, bool]]:
        return [(i.label, v) for i in sample if (v := values[id(i)]) is not None]

    own = pairs(items)
    if not own:
        return NONE
    low, high = middle(kappa(result) for s in samples(items) if (result := pairs(s)))
    left = "" if len(own) == len(items) else f", {len(own)} of {len(items)} decided"
    return f"{kappa(own):.3f} ({low:.2f} to {high:.2f}{left})"


def by_policy(policy: Policy) -> Opinion:
    """What a policy says without a judge."""
    return lambda item: VALUES.get(item.judgement(policy).verdict)


def with_judge(policy: Policy, name: str) -> Opinion:
    """What a policy says with a recorded judge."""
    return lambda item: VALUES.get(item.judgement(policy, item.judges[name]).verdict)


def by_comparison(name: str) -> Opinion:
    """What a comparison of the results says; nothing where it was not made."""
    return lambda item: item.ex.get(name)


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table."""
    print(f"\n| {' | '.join(headers)} |")
    print(f"| --- |{' ---: |' * (len(headers) - 1)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def of_set(items: Iterable[Labelled], which: str) -> list[Labelled]:
    """The pairs of one set."""
    return [item for item in items if item.set == which]


def policies(items: Sequence[Labelled]) -> None:
    """Each comparison and each policy on each set, each on all pairs that it decides itself."""
    rows = [[f"`{name}`", *(_ex(items, name, s) for s in SETS)] for name in COMPARISONS]
    for policy in POLICIES.values():
        opinion = by_policy(policy)
        rows.append([f"`{policy.name}`", *(agreement(of_set(items, s), opinion) for s in SETS)])
    table(("without a judge", *SETS), rows)


def _ex(items: Sequence[Labelled], name: str, which: str) -> str:
    subset = [item for item in of_set(items, which) if name in item.ex]
    return agreement(subset, by_comparison(name)) if subset else NONE


def same_pairs(items: Sequence[Labelled]) -> None:
    """Each policy beside the best comparison of each set, on the pairs that both decide.

    The best one is chosen by the labels that it is then measured on, in favour of EX.
    """
    rows = []
    for policy in POLICIES.values():
        ours = by_policy(policy)
        for which in SETS:
            subset = of_set(items, which)
            names = [name for name in COMPARISONS if decided(subset, by_comparison(name))]
            own = decided(subset, ours, *map(by_comparison, names))
            best = max(names, key=lambda name: kappa([(i.label, i.ex[name]) for i in own]))
            rows.append(
                [
                    f"`{policy.name}`",
                    which,
                    f"{len(own)} of {len(subset)} ({100 * len(own) / len(subset):.0f} %)",
                    f"{kappa([(i.label, bool(ours(i))) for i in own]):.3f}",
                    f"{kappa([(i.label, i.ex[best]) for i in own]):.3f} (`{best}`)",
                    difference(own, ours, by_comparison(best)),
                ]
            )
    table(("policy", "set", "pairs decided", "kappa", "best EX", "difference"), rows)


def comparisons(items: Sequence[Labelled]) -> None:
    """Each comparison and ``intent`` on labels that each of the comparisons makes."""
    opinion = by_policy(INTENT)
    own = [(i, value) for i in items if i.labels and (value := opinion(i)) is not None]
    names = ("ex", "ex[bird]", "ex[spider]")
    rows = []
    for by in names:
        row = [f"{kappa([(i.labels[by], i.ex[name]) for i, _ in own]):.3f}" for name in names]
        row.append(f"{kappa([(i.labels[by], value) for i, value in own]):.3f}")
        rows.append([f"`{by}`", *row])
    table(("labels made by", *(f"`{name}`" for name in names), f"`{INTENT.name}`"), rows)


def judges(items: Sequence[Labelled]) -> None:
    """Each recorded judge alone, with EX, and with evidence, on the same pairs."""
    for which, policy in JUDGE_SETS:
        subset = of_set(items, which)
        rows = [
            _judge(subset, policy, name)
            for name in sorted({name for item in subset for name in item.judges})
        ]
        headers = ("judge", "alone", "EX or judge", f"`{policy.name}`")
        differences = (f"`{policy.name}` less alone", f"`{policy.name}` less EX or judge")
        print(f"\n{which}, {len(subset)} pairs:")
        table((*headers, *differences, "FP / FN", "calls"), rows)


def _judge(items: Sequence[Labelled], policy: Policy, name: str) -> list[str]:
    """One recorded judge: a row of its table."""
    ex = "recorded EX" if all("recorded EX" in item.ex for item in items) else "ex"

    def alone(item: Labelled) -> bool | None:
        return item.judges.get(name)

    def ex_or_judge(item: Labelled) -> bool | None:
        return item.ex[ex] or item.judges[name] if name in item.judges else None

    ours = with_judge(policy, name)
    judge_items = decided(items, alone)
    wrong = Counter(
        (i.label, v) for i in judge_items if (v := ours(i)) is not None and v != i.label
    )
    calls = sum(Situation(i.judgement(policy).situation) in policy.asks for i in judge_items)
    return [
        name,
        f"{kappa([(i.label, i.judges[name]) for i in judge_items]):.3f}",
        f"{kappa([(i.label, bool(ex_or_judge(i))) for i in judge_items]):.3f}",
        agreement(judge_items, ours),
        difference(judge_items, ours, alone),
        difference(judge_items, ours, ex_or_judge),
        f"{wrong[False, True]} / {wrong[True, False]}",
        f"{calls} of {len(judge_items)}",
    ]
