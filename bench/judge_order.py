"""In which order a cascade should make its calls, and what unanimity is worth.

ROSE recorded, for each of three models, what it said of a pair without the gold (``ProverOnly``),
with it (``FLEX``), and in the end, once the first verdict was challenged with the gold
(``ROSE``). So the orders can be compared without a call:

* *both, always*: without the gold, then the challenge.
* *stop at a rejected difference*: where the results differ and the first call rejects, no second.
* *stop at any rejection*: also where the results match.
* *with the gold first*: FLEX's prompt; where it accepts, no more; else the two calls.

A panel of the three verdicts votes by majority; where all agree it is unanimous.

Kappa is that of the policy ``intent`` with the judge asked what is open, on all pairs of the set,
with 95 % intervals from 1,000 samples of questions. Run: ``python bench/judge_order.py``; needs
SQLVERDICT_DATA, and takes as long as ``bench/agreement.py``.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from agreement_pairs import agreement, table
from agreement_sets import Labelled, labelled
from sqlverdict.records import Verdict
from sqlverdict.situations import Situation
from sqlverdict.verdicts import INTENT

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
MODELS = ("deepseek-r1", "gemini-2.5-pro", "o3")
VALUES = {Verdict.CORRECT: True, Verdict.INCORRECT: False}
Order = Callable[[Labelled, str], tuple[bool, int]]


def always(item: Labelled, model: str) -> tuple[bool, int]:
    """The verdict and the calls of both, always."""
    return item.judges[f"{model}/ROSE"], 2


def stop_at_difference(item: Labelled, model: str) -> tuple[bool, int]:
    """No second call where the results differ and the first rejects."""
    if not item.ex["recorded EX"] and not item.judges[f"{model}/ProverOnly"]:
        return False, 1
    return always(item, model)


def stop_at_rejection(item: Labelled, model: str) -> tuple[bool, int]:
    """No second call wherever the first rejects."""
    return always(item, model) if item.judges[f"{model}/ProverOnly"] else (False, 1)


def gold_first(item: Labelled, model: str) -> tuple[bool, int]:
    """With the gold first; the two calls where it rejects."""
    if item.judges[f"{model}/FLEX"]:
        return True, 1
    return item.judges[f"{model}/ROSE"], 3


ORDERS: dict[str, Order] = {
    "both, always": always,
    "stop at a rejected difference": stop_at_difference,
    "stop at any rejection": stop_at_rejection,
    "with the gold first": gold_first,
}


def votes(item: Labelled, model: str) -> list[bool]:
    """What the three prompts say."""
    return [item.judges[f"{model}/{prompt}"] for prompt in ("ProverOnly", "FLEX", "ROSE")]


def is_open(item: Labelled) -> bool:
    """Whether the policy asks about it."""
    return Situation(item.judgement(INTENT).situation) in INTENT.asks


def decided(item: Labelled, opinion: bool) -> bool | None:
    """The verdict with a judge's opinion."""
    return VALUES.get(item.judgement(INTENT, opinion).verdict)


def orders(items: Sequence[Labelled]) -> None:
    """Kappa and calls of each order."""
    open_items = [item for item in items if is_open(item)]
    rows = []
    for model in MODELS:
        for name, order in ORDERS.items():
            calls = sum(order(item, model)[1] for item in open_items) / len(open_items)
            kappa = agreement(items, lambda i, o=order, m=model: decided(i, o(i, m)[0]))
            rows.append([f"{model}: {name}", kappa, f"{calls:.2f}"])
        majority = agreement(items, lambda i, m=model: decided(i, sum(votes(i, m)) > 1))
        # The verdict without the gold is the first step of the challenged one.
        calls = 1 + sum(stop_at_difference(item, model)[1] for item in open_items) / len(open_items)
        rows.append([f"{model}: majority of three verdicts", majority, f"{calls:.2f}"])
    table(("order", "kappa of `intent`", "calls a question"), rows)


def unanimity(items: Sequence[Labelled]) -> None:
    """How often votes are right where all agree, and where they do not."""
    open_items = [item for item in items if is_open(item)]
    rows = []
    for model in MODELS:
        counts: Counter[tuple[bool, bool]] = Counter()
        for item in open_items:
            own = votes(item, model)
            counts[len(set(own)) == 1, (sum(own) > 1) == item.label] += 1
        rows.append(
            [model]
            + [
                f"{counts[agree, True]} of {counts[agree, True] + counts[agree, False]}"
                for agree in (True, False)
            ]
        )
    table(("model", "right where all three agree", "right where two do"), rows)


def main() -> None:
    """Print everything."""
    items = labelled(DATA)
    for name in ("rose-bird", "rose-spider"):
        own = [item for item in items if item.set == name]
        print(f"\n{name}, {len(own)} pairs, {sum(map(is_open, own))} of them open")
        orders(own)
        unanimity(own)


if __name__ == "__main__":
    main()
