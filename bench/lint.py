"""How often signs speak on wrong queries, and how often on right ones; which of them are strong.

Needs SQLVERDICT_DATA. Queries, each text once a question:

* BIRD (``student_club``, ``toxicology``): predictions of 13 systems and the corrected golds of
  ``labels/corrected_golds.jsonl``; right means EX against the corrected gold. Wrong ones of
  ``labels/error_types.jsonl`` are added.
* Spider dev: golds and four systems' predictions with the official script's EX; wrong ones of
  ``labels/error_types.jsonl`` are added.

Questions marked "Gold Error" are left out where no corrected gold exists.

Half of the questions, by a checksum of their ids, choose which signs are strong: a sign is, where
its share among wrong queries is at least RATIO times its share among right ones. Each question has
one vote a side (the share of its queries that have the sign), each benchmark counts alike, and half
a question is added to each side, so that a rare sign shows nothing. Signs that less than RARE of
the right queries of that half have, and too few wrong ones to tell, may be strong by their argument
alone; the table says which are. The other half gives the figures. In the database ``flight_2`` all
airport codes have a space in front, so that most of its golds join and find nothing: it takes no
part in choosing, and figures are shown with and without it.

Run: ``python bench/lint.py [--json FILE]``.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from zlib import crc32

from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Answer
from sqlverdict.score.statistics.intervals import wilson
from sqlverdict.signs.look import FAILS, look_at
from sqlverdict.signs.sign import SIGNS

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
FOLDERS = {"spider": DATA / "spider" / "database", "bird": DATA / "bird" / "databases"}
SPACED = "flight_2"
RATIO = 3.0
RARE = 0.005
RESAMPLES = 1_000
RUNNER = QueryRunner("sqlite", Limits(steps=200_000_000))


@dataclass
class Item:
    """One query with its label and the signs it has."""

    benchmark: str
    question_id: int
    db_id: str
    question: str
    knowledge: str
    sql: str
    right: bool
    signs: set[str] = field(default_factory=set)

    @property
    def database(self) -> Path:
        """The file it runs on."""
        return FOLDERS[self.benchmark] / self.db_id / f"{self.db_id}.sqlite"

    @property
    def key(self) -> str:
        """Its question."""
        return f"{self.benchmark}-{self.question_id}"

    @property
    def chooses(self) -> bool:
        """Whether its question belongs to the choosing half."""
        return crc32(self.key.encode()) % 2 == 0


def records(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def is_right(database: Path, gold: str, prediction: str) -> bool | None:
    """Whether BIRD's comparison takes the two for the same; ``None`` where the gold fails."""
    preset, run = PRESETS.get("bird"), partial(RUNNER.run, str(database))
    expected, result = run(gold), run(prediction)
    if not isinstance(expected, Answer):
        return None
    if not isinstance(result, Answer):
        return False
    return preset.compare(expected, result, QueryPair(gold, prediction, probe=run)).equal is True


def read_items() -> list[Item]:
    """Every query of the labelled sets whose database exists, each once a question."""
    marked = list(records(DATA / "labels" / "error_types.jsonl"))
    suspect = {
        (r["benchmark"], r["question_id"]) for r in marked if "Gold Error" in r["error_types"]
    }
    results: dict[tuple[str, str], Item] = {}

    def add(item: Item) -> None:
        known = (item.benchmark, item.question_id) in suspect and item.benchmark == "spider"
        if item.database.is_file() and item.sql.strip() and not known:
            results.setdefault((item.key, fold_sql(item.sql)), item)

    for r in records(DATA / "labels" / "corrected_golds.jsonl"):
        about = ("bird", int(r["id"]), r["db_id"], r["question"], r["evidence"])
        gold = Item(*about, r["corrected_gold"], True)
        add(gold)
        for predictions in r["predictions"].values():
            right = is_right(gold.database, gold.sql, predictions)
            if right is not None:
                add(Item(*about, predictions, right))
    for r in marked:
        about = (r["benchmark"], r["question_id"], r["db_id"], r["question"], r["evidence"])
        if not r["results_match"] and about[:2] not in suspect:
            add(Item(*about, r["prediction"], False))
    dev = json.loads((DATA / "spider" / "dev.json").read_text("utf-8"))
    for position, r in enumerate(dev):
        add(Item("spider", position, r["db_id"], r["question"], "", r["query"], True))
    for file in sorted((DATA / "spider_reference").glob("*.jsonl")):
        system = file.stem.removeprefix("dev_")
        predictions = (DATA / "spider" / "predictions" / "dev" / f"{system}.txt").read_text("utf-8")
        for r, line in zip(records(file), predictions.splitlines(), strict=True):
            case, sql = dev[r["idx"]], line.split("\t")[0]
            if r.get("exec") is not None:
                about = ("spider", r["idx"], case["db_id"], case["question"], "")
                add(Item(*about, sql, bool(r["exec"])))
    return list(results.values())


def look(items: Sequence[Item]) -> None:
    """Note the signs of every query."""
    schemas: dict[Path, Schema] = {}
    for item in items:
        path = item.database
        schema = schemas.setdefault(path, schemas.get(path) or read_sqlite(path))
        run = partial(RUNNER.run, str(path))
        result = look_at(item.sql, schema, run, item.question, item.knowledge)
        item.signs = {notice.name for notice in result}


def share(items: Sequence[Item], holds: Callable[[Item], bool]) -> float:
    return sum(map(holds, items)) / len(items) if items else 0.0


def ratio(items: Sequence[Item], name: str) -> float:
    """How much more often a sign occurs among wrong queries than among right ones."""
    rates = {True: 0.0, False: 0.0}
    for benchmark in FOLDERS:
        for side in rates:
            votes: dict[str, list[bool]] = {}
            for item in items:
                if item.benchmark == benchmark and item.right is side:
                    votes.setdefault(item.key, []).append(name in item.signs)
            total = sum(sum(each) / len(each) for each in votes.values())
            rates[side] += (total + 0.5) / (len(votes) + 1)
    return rates[False] / rates[True]


def choosing_table(items: Sequence[Item]) -> Iterator[str]:
    """Each sign's ratio on the choosing half, and what follows from it."""
    right = [item for item in items if item.right]
    yield "| sign | ratio | right queries | by the labels | in the code |"
    yield "| --- | --- | --- | --- | --- |"
    for name, sign in SIGNS.items():
        result, alarms = ratio(items, name), share(right, lambda i, name=name: name in i.signs)
        rare = "rare" if alarms < RARE else "weak"
        strength = "strong" if result >= RATIO else rare
        yield f"| `{name}` | {result:.1f} | {alarms:.1%} | {strength} | {sign.strength} |"


def interval(items: Sequence[Item], holds: Callable[[Item], bool]) -> str:
    """A share in percent with its 95 % interval, questions drawn anew."""
    groups: dict[str, list[int]] = {}
    for item in items:
        groups.setdefault(item.key, []).append(holds(item))
    clusters, chance = list(groups.values()), random.Random(0)
    shares = []
    for _ in range(RESAMPLES):
        sample = chance.choices(clusters, k=len(clusters))
        shares.append(sum(map(sum, sample)) / sum(map(len, sample)))
    shares.sort()
    low, high = shares[int(RESAMPLES * 0.025)], shares[int(RESAMPLES * 0.975)]
    return f"{share(items, holds):.1%} ({low:.1%} to {high:.1%})"


def per_sign(items: Sequence[Item]) -> Iterator[str]:
    for benchmark in FOLDERS:
        mine = [i for i in items if i.benchmark == benchmark]
        sides = [[i for i in mine if not i.right], [i for i in mine if i.right]]
        yield f"\n{benchmark}: {len(sides[0])} wrong queries, {len(sides[1])} right ones\n"
        yield "| sign | strength | wrong queries | right queries |\n| --- | --- | --- | --- |"
        for name in [FAILS, *SIGNS.names()]:
            strength = "strong" if name == FAILS else SIGNS.get(name).strength
            cells = []
            for side in sides:
                hits = sum(name in i.signs for i in side)
                low, high = wilson(hits, len(side))
                cells.append(f"{hits} = {hits / len(side):.1%} ({low:.1%} to {high:.1%})")
            yield f"| `{name}` | {strength} | {' | '.join(cells)} |"


def totals(items: Sequence[Item], names: set[str]) -> Iterator[str]:
    """Wrong queries that are flagged, and right ones, on the half that chose nothing."""

    def flagged(item: Item) -> bool:
        return bool(item.signs & names)

    yield "| queries | wrong | flagged | right | flagged |\n| --- | --- | --- | --- | --- |"
    for benchmark in FOLDERS:
        for fails in (False, True):
            for spaced in (True, False) if benchmark == "spider" else (True,):
                mine = [i for i in items if i.benchmark == benchmark]
                mine = [i for i in mine if spaced or i.db_id != SPACED]
                mine = mine if fails else [i for i in mine if FAILS not in i.signs]
                wrong, right = ([i for i in mine if i.right is side] for side in (False, True))
                what = "all" if fails else "that run"
                where = "" if spaced else f", without {SPACED}"
                yield (
                    f"| {benchmark}, {what}{where} | {len(wrong)} | {interval(wrong, flagged)} | "
                    f"{len(right)} | {interval(right, flagged)} |"
                )


def read_golds() -> list[Item]:
    """Golds of questions that systems fail, right where nobody marked them "Gold Error"."""
    golds: dict[str, Item] = {}
    for r in records(DATA / "labels" / "error_types.jsonl"):
        about = (r["benchmark"], r["question_id"], r["db_id"], r["question"], r["evidence"])
        item = Item(*about, r["gold"], True)
        if item.database.is_file():
            first = golds.setdefault(item.key, item)
            first.right = first.right and "Gold Error" not in r["error_types"]
    return list(golds.values())


def gold_table(golds: Sequence[Item]) -> Iterator[str]:
    sides = [[i for i in golds if not i.right], [i for i in golds if i.right]]
    yield f"| sign | {len(sides[0])} golds marked wrong | {len(sides[1])} other golds |"
    yield "| --- | --- | --- |"
    for name in [FAILS, *SIGNS.names()]:
        hits = [sum(name in i.signs for i in side) for side in sides]
        if any(hits):
            cells = []
            for number, side in zip(hits, sides, strict=True):
                low, high = wilson(number, len(side))
                cells.append(f"{number} = {number / len(side):.1%} ({low:.1%} to {high:.1%})")
            yield f"| `{name}` | {' | '.join(cells)} |"


def main() -> None:
    items = read_items()
    look(items)
    others = [i for i in items if not i.chooses]
    strong = {FAILS, *(name for name, sign in SIGNS.items() if sign.strength == "strong")}
    print("## The choosing half\n")
    print("\n".join(choosing_table([i for i in items if i.chooses and i.db_id != SPACED])))
    print("\n## Each sign, all questions")
    print("\n".join(per_sign(items)))
    print("\n## Strong signs, the other half\n")
    print("\n".join(totals(others, strong)))
    print("\n## All signs, the other half\n")
    print("\n".join(totals(others, {FAILS, *SIGNS.names()})))
    golds = read_golds()
    look(golds)
    print("\n## Golds\n")
    print("\n".join(gold_table(golds)))
    if sys.argv[1:2] == ["--json"]:
        lines = [json.dumps({**vars(i), "signs": sorted(i.signs)}) for i in items]
        Path(sys.argv[2]).write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
