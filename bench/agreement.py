"""How well verdicts agree with people.

Prints, as Markdown, what ``docs/measurements/agreement.md`` shows: the labels in each situation,
kappa of each policy and of each recorded judge, and differences on the same pairs
(``agreement_pairs.py``). How far the probabilities of verdicts can be trusted:
``bench/calibration.py``.

Run: ``python bench/agreement.py``; needs SQLVERDICT_DATA. Takes about two minutes.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from agreement_pairs import comparisons, judges, policies, same_pairs, table
from agreement_sets import SETS, Labelled, labelled
from sqlverdict.situations import Situation
from sqlverdict.verdicts import INTENT, POLICIES

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))


def situations(items: Sequence[Labelled]) -> None:
    """What people said in each situation."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        name = item.judgement(INTENT).situation
        counts[name][f"{item.set} all"] += 1
        counts[name][f"{item.set} right"] += item.label
    rows = []
    for name in Situation:
        labels = counts[name]
        if labels:
            cells = [
                f"{labels[f'{s} right']}/{labels[f'{s} all']}" if labels[f"{s} all"] else "–"  # noqa: RUF001
                for s in SETS
            ]
            rows.append([f"`{name}`", *cells, *(p.table[name] for p in POLICIES.values())])
    table(("situation", *SETS, *POLICIES), rows)


def main() -> None:
    """Print everything."""
    items = labelled(DATA)
    print("### Labels in each situation (right / all)")
    situations(items)
    print("\n### Policies")
    policies(items)
    print("\n### Policies and the best EX, on the same pairs")
    same_pairs(items)
    comparisons(items)
    print("\n### Recorded judges")
    judges(items)


if __name__ == "__main__":
    main()
