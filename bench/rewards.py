"""What rewards pay for matches by luck and for tricks, with and without the witness line.

First the published systems on Spider dev: how many of their matches a witness refutes. Then
queries that answer nothing: the gold's rows as constants, an empty answer, a constant, broken SQL.
``paid`` is the mean reward where results alone count, ``paid with witnesses`` that with
``refuted_match=0``.

Run: ``python bench/rewards.py [--every N] [--instances N]``; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.report.terminal.tables import plain_table, table
from sqlverdict.rl import Rewarder, RewardOutcome, RewardValues

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
SYSTEMS = ("DAIL", "C3", "RESDSQL", "RASAT+PICARD")
MATCHES = (
    *(RewardOutcome.RIGHT, RewardOutcome.PROVED, RewardOutcome.REFUTED_MATCH),
    *(RewardOutcome.CONSTANT_MATCH, RewardOutcome.EMPTY_MATCH),
)
MOST_ROWS = 50
Question = tuple[str, str, int]
"""A gold, its database, and the line of a prediction file."""


def questions(every: int) -> list[Question]:
    cases = BENCHMARKS.get("spider").read(DATA / "spider").cases
    here = [
        (case.golds[0], case.database, int(case.id))
        for case in cases
        if case.golds and case.database and Path(case.database).is_file()
    ]
    return here[::every]


def memorised(gold: str, database: str) -> str:
    """The gold's rows as constants; broken SQL where there are none, or too many."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        rows = connection.execute(gold).fetchall()
        if not 0 < len(rows) <= MOST_ROWS:
            return "SELECT"
        quoted = [
            [connection.execute("SELECT quote(?)", (cell,)).fetchone()[0] for cell in row]
            for row in rows
        ]
    return " UNION ALL ".join(f"SELECT {', '.join(row)}" for row in quoted)


TRICKS: dict[str, Callable[[str, str], str]] = {
    "the gold's rows as constants": memorised,
    "the gold with LIMIT 0": lambda gold, _: f"SELECT * FROM ({gold.rstrip('; ')}) LIMIT 0",
    "SELECT 1": lambda *_: "SELECT 1",
    "SELECT 0": lambda *_: "SELECT 0",
    "broken SQL": lambda *_: "SELECT FROM WHERE",
}


def outcomes(rewarder: Rewarder, pairs: Sequence[tuple[str, str, str]]) -> Counter[RewardOutcome]:
    return Counter(reward.outcome for reward in rewarder.batch(pairs))


def mean(values: RewardValues, counts: Counter[RewardOutcome]) -> float:
    worth = [(values.value(outcome), count) for outcome, count in counts.items()]
    scored = sum(count for value, count in worth if value is not None)
    return sum(value * count for value, count in worth if value is not None) / max(scored, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--instances", type=int, default=40)
    options = parser.parse_args()
    strict = RewardValues(refuted_match=0.0)
    rewarder = Rewarder(values=strict, refute=options.instances)
    cases = questions(options.every)
    texts = {
        system: (DATA / "spider/predictions/dev" / f"{system}.txt").read_text().splitlines()
        for system in SYSTEMS
    }
    lines = []
    for system in SYSTEMS:
        pairs = [(gold, texts[system][line], database) for gold, database, line in cases]
        counts = outcomes(rewarder, pairs)
        matched = sum(counts[outcome] for outcome in MATCHES)
        cells = [str(counts[outcome]) for outcome in MATCHES]
        refuted = counts[RewardOutcome.REFUTED_MATCH] + counts[RewardOutcome.CONSTANT_MATCH]
        lines.append((system, str(matched), *cells, f"{100 * refuted / max(matched, 1):.1f}"))
    print(f"{len(cases)} questions of Spider dev, {options.instances} databases a search")
    headers = ("system", "matches", *(outcome.value for outcome in MATCHES), "refuted %")
    print(plain_table(table(headers, lines)))
    lines = []
    for name, write in TRICKS.items():
        pairs = [(gold, write(gold, database), database) for gold, database, _ in cases]
        counts = outcomes(rewarder, pairs)
        common = ", ".join(f"{outcome.value} {count}" for outcome, count in counts.most_common(3))
        paid, searched = mean(RewardValues(), counts), mean(strict, counts)
        lines.append((name, f"{paid:.3f}", f"{searched:.3f}", common))
    headers = ("trick", "paid", "paid with witnesses", "most common outcomes")
    print()
    print(plain_table(table(headers, lines)))


if __name__ == "__main__":
    main()
