"""Exact set match beside the verdicts of Spider's own script, and where the two differ.

Four published systems on Spider dev. Items that the script's parser accepts should agree, with
values and DISTINCT off (``esm``) and on (``esm_values``); each that does not is listed with its
class. Items that it rejects have no verdict to agree with: the script gives 0. They are counted
by what the rejected query is written with, beside whether the answers match. Then hardness, the
share of BIRD's predictions that get a verdict at all, and the time a pair takes beside parsing.

Run: ``python bench/esm.py [--schemas tables.json|database] [--show]``; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from sqlverdict.compare.exact_set.match import SetMatch, exact_set_match
from sqlverdict.parse.hardness import spider_hardness
from sqlverdict.parse.query import parse, parse_as
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.records import Query

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
SPIDER = ("C3", "DAIL", "RASAT+PICARD", "RESDSQL")
BIRD = ("C3", "DAIL", "RESDSQL")
MODES = {"esm": False, "esm_values": True}
WRITTEN_WITH = {
    "an outer join": r"\b(left|right|full|outer)\s+(outer\s+)?join\b",
    "IS NULL": r"\bis\s+(not\s+)?null\b",
    "a list behind IN": r"\bin\s*\((?!\s*select)",
    "INNER JOIN": r"\binner\s+join\b",
    "<>": r"<>",
    "an alias of a column": r"^select\b(?:(?!\bfrom\b).)*\bas\b",
}


@dataclass
class Tally:
    """What came out for one system."""

    items: int = 0
    accepted: int = 0
    agree: Counter[str] = field(default_factory=Counter)
    theirs: Counter[str] = field(default_factory=Counter)
    ours: Counter[str] = field(default_factory=Counter)
    rejected: Counter[tuple[str, str]] = field(default_factory=Counter)
    differing: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)


def lines(*path: str) -> list[str]:
    return DATA.joinpath(*path).read_text().splitlines()


def pairs(bench: str, system: str) -> Iterator[tuple[int, str, str, str]]:
    """Number, database, gold and prediction."""
    golds = lines("spider", "dev_gold.sql") if bench == "spider" else lines("bird", "etm_gold.txt")
    predictions = lines(bench, "predictions", "dev", f"{system}.txt")
    for number, (line, prediction) in enumerate(zip(golds, predictions, strict=True)):
        gold, db_id = line.rsplit("\t", 1)
        yield number, db_id, gold, prediction


def compare(gold: str, prediction: str, schema: Schema, counts: bool) -> SetMatch:
    """Our verdict; a prediction that cannot be parsed does not match."""
    one, two = parse(gold), parse(prediction)
    if not isinstance(one, Query) or not isinstance(two, Query):
        return SetMatch(False, ("cannot be parsed",))
    return exact_set_match(one, two, schema, values=counts, distinct=counts)


def why(gold: str, prediction: str) -> str:
    """The class of a disagreement: a way of the script that is not followed, or ours."""
    for sql in (gold.lower(), prediction.lower()):
        meanings: dict[str, set[str]] = {}
        for table, alias in re.findall(r"(\w+)\s+as\s+(\w+)", sql):
            meanings.setdefault(alias, set()).add(table)
        if any(len(tables) > 1 for tables in meanings.values()):
            return "there: an alias stands for one table in the whole text"
        if re.search(r"[=<>]\s*\w+\.\w+\s+or\b", sql):
            return "there: a condition behind OR is lost after a comparison with a column"
    return "our difference"


def written_with(sql: str) -> str:
    results = (name for name, form in WRITTEN_WITH.items() if re.search(form, sql.lower()))
    return next(results, "anything else")


def spider(system: str, schemas: dict[str, Schema]) -> Tally:
    tally = Tally()
    verdicts = map(json.loads, lines("spider_reference", f"dev_{system}.jsonl"))
    for (number, db_id, gold, prediction), theirs in zip(
        pairs("spider", system), verdicts, strict=True
    ):
        if "esm" not in theirs:
            continue
        tally.items += 1
        accepted = theirs["esm_parsed"]
        tally.accepted += accepted
        for mode, counts in MODES.items():
            comparison = compare(gold, prediction, schemas[db_id], counts)
            tally.ours[mode] += bool(comparison.equal)
            tally.theirs[mode] += theirs[mode]
            agree = int(bool(comparison.equal)) == theirs[mode]
            listing = f"{number} {db_id}\n    gold: {gold}\n    pred: {prediction}"
            if accepted:
                tally.agree[mode] += agree
                if not agree:
                    differs = ", ".join(comparison.differs) or "nothing"
                    tally.differing.append(
                        f"{mode}, {why(gold, prediction)}; there {theirs[mode]}, here the two "
                        f"differ in {differs}: {listing}"
                    )
            elif mode == "esm":
                answers = "same answers" if theirs["exec"] else "other answers"
                kind = "match" if comparison.equal else "no match"
                tally.rejected[written_with(prediction), f"{kind}, {answers}"] += 1
                if comparison.equal:
                    tally.examples.append(f"{answers}: {listing}")
    return tally


def verdict_tables(schemas: dict[str, Schema], show: bool) -> None:
    print(
        "| system | items | accepted there | agree: esm | agree: esm_values | esm there | "
        "esm here | esm_values there | esm_values here |"
    )
    print("| --- " * 9 + "|")
    tallies = {system: spider(system, schemas) for system in SPIDER}
    for system, tally in tallies.items():
        shares = [f"{tally.agree[mode] / tally.accepted:.2%}" for mode in MODES]
        scores = [
            f"{100 * side[mode] / tally.items:.1f}"
            for mode in MODES
            for side in (tally.theirs, tally.ours)
        ]
        cells = [system, str(tally.items), str(tally.accepted), *shares, *scores]
        print(f"| {' | '.join(cells)} |")
    for system, tally in tallies.items():
        print(f"\n{system}: {len(tally.differing)} disagreements on items accepted there")
        for text in tally.differing:
            print(f"- {text}")
    print("\n| rejected there, written with | system | verdict here, answers | items |")
    print("| --- " * 4 + "|")
    for system, tally in tallies.items():
        for (form, verdict), times in sorted(tally.rejected.items()):
            print(f"| {form} | {system} | {verdict} | {times} |")
    if show:
        for system, tally in tallies.items():
            print(f"\n{system}: rejected there, a match here")
            for text in tally.examples:
                print(f"- {text}")


def hardness() -> None:
    levels: dict[int, str] = {}
    for system in SPIDER:
        for item in map(json.loads, lines("spider_reference", f"dev_{system}.jsonl")):
            if "hardness" in item:
                levels[item["idx"]] = item["hardness"]
    golds = [line.rsplit("\t", 1)[0] for line in lines("spider", "dev_gold.sql")]
    same = sum(spider_hardness(golds[at]) == level for at, level in levels.items())
    print(f"\nhardness: {same} of {len(levels)} golds as there")


def bird() -> None:
    schemas = load_schemas(DATA / "bird" / "ddl.json")
    print("\n| BIRD dev | pairs | both parsed | undecided | esm | esm_values |")
    print("| --- " * 6 + "|")
    for system in BIRD:
        counts: Counter[Any] = Counter()
        for _, db_id, gold, prediction in pairs("bird", system):
            counts["pairs"] += 1
            counts["parsed"] += all(isinstance(parse(sql), Query) for sql in (gold, prediction))
            for mode, values in MODES.items():
                comparison = compare(gold, prediction, schemas[db_id], values)
                counts["undecided"] += comparison.equal is None
                counts[mode] += bool(comparison.equal)
        scores = " | ".join(f"{100 * counts[mode] / counts['pairs']:.1f}" for mode in MODES)
        numbers = " | ".join(str(counts[what]) for what in ("pairs", "parsed", "undecided"))
        print(f"| {system} | {numbers} | {scores} |", flush=True)


def times(schemas: dict[str, Schema]) -> None:
    """Parsing both queries, and comparing them once parsed; medians over Spider dev."""
    ratios = []
    comparing = []
    for _, db_id, gold, prediction in pairs("spider", "DAIL"):
        parse_as.cache_clear()
        began = perf_counter()
        one, two = parse(gold), parse(prediction)
        parsed = perf_counter()
        if isinstance(one, Query) and isinstance(two, Query):
            exact_set_match(one, two, schemas[db_id])
            ended = perf_counter()
            comparing.append((ended - parsed) * 1e3)
            ratios.append((ended - parsed) / (parsed - began))
    for what, costs in (("ms to compare a parsed pair", comparing), ("of parsing both", ratios)):
        costs.sort()
        print(
            f"{what}: median {costs[len(costs) // 2]:.2f}, p99 {costs[len(costs) * 99 // 100]:.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--schemas",
        choices=("tables.json", "database"),
        default="tables.json",
        help="whose foreign keys: Spider's list, or the database files",
    )
    parser.add_argument("--show", action="store_true", help="list matches that Spider rejects")
    arguments = parser.parse_args()
    if not (DATA / "spider_reference").is_dir():
        parser.error(f"no data at {DATA}: set SQLVERDICT_DATA")
    schemas = load_schemas(DATA / "spider" / "tables.json")
    if arguments.schemas == "database":
        schemas |= load_schemas(DATA / "spider" / "database")
    verdict_tables(schemas, arguments.show)
    hardness()
    bird()
    print()
    times(schemas)


if __name__ == "__main__":
    main()
