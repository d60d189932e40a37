"""How well the profile ``etm_paper`` reproduces the ETM paper: verdicts, scores, rules.

Seven prediction files with the verdicts of the paper's public script. Schemas come from the
database files where they are here, else from ``tables.json`` (Spider) or ``ddl.json`` (BIRD).

* agreement with the script, and the score beside the paper's (tables 4 and 5);
* ``--list``: every disagreement, with its class and why;
* ``--fired``: in how many pairs of each file a rule fires, on either side.

``sqlverdict reproduce etm`` computes the paper's tables and figures. Run: ``python
bench/etm_paper.py [--list] [--fired] [--every N] [spider/DAIL ...]``; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from sqlverdict.papers.etm.scores import TABLE_4, TABLE_5
from sqlverdict.parse.facts import Fact, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.prove.etm_paper.etm_paper import NUMBERED, PREPARING, paper_form
from sqlverdict.prove.normalise import TooManySteps
from sqlverdict.prove.profile import ProofQuestion
from sqlverdict.prove.proof import NormalForm
from sqlverdict.prove.prover import prove
from sqlverdict.prove.rule import RULES
from sqlverdict.records import ParseFailure
from sqlverdict.refute.explain.sentence import sentence
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness import SearchBudget, Witness

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
PUBLISHED = {
    f"{bench}/{system}": text
    for bench, table in (("spider", TABLE_4), ("bird", TABLE_5))
    for (system, metric), text in table.items()
    if metric == "ETM"
}
"""The paper's ETM of each file."""
NUMBERS = (*PREPARING, *NUMBERED)
NEED_FACTS = frozenset(("1", "2", "3", "4", "5", "6", "7", "8", "13", "14"))


@dataclass(frozen=True)
class Item:
    """A pair and what the script says."""

    number: int
    gold: str
    prediction: str
    schema: Schema
    official: dict[str, Any]


@cache
def schema_of(bench: str, db_id: str) -> Schema:
    folder = DATA / bench / ("database" if bench == "spider" else "databases")
    file = folder / db_id / f"{db_id}.sqlite"
    other = DATA / bench / ("tables.json" if bench == "spider" else "ddl.json")
    return load_schemas(file if file.is_file() else other, db_id)[db_id]


@cache
def facts(bench: str, db_id: str) -> frozenset[Fact]:
    return facts_of(schema_of(bench, db_id))


def items(file: str, every: int) -> Iterator[Item]:
    bench, system = file.split("/")
    golds = (DATA / bench / ("dev_gold.sql" if bench == "spider" else "etm_gold.txt")).read_text()
    answers = (DATA / bench / "predictions" / "dev" / f"{system}.txt").read_text().splitlines()
    verdicts = (DATA / "etm_reference" / f"{bench}_dev_{system}.jsonl").read_text().splitlines()
    lines = zip(golds.splitlines(), answers, verdicts, strict=True)
    for number, (line, sql, verdict) in enumerate(lines):
        if number % every == 0:
            gold, db_id = line.rsplit("\t", 1)
            yield Item(number, gold, sql, schema_of(bench, db_id), json.loads(verdict))


@cache
def number_of(rule: str) -> str:
    """The paper's number of a rule; the clean-up has none."""
    paper = RULES.get(rule).paper
    return paper[0] if paper else ""


def form(sql: str, bench: str, schema: Schema) -> NormalForm | None:
    """What the rules make of a query; ``None`` where they find no end, or cannot read it."""
    query = parse(sql, "sqlite")
    if isinstance(query, ParseFailure):
        return None
    known = facts(bench, schema.db_id)
    try:
        return paper_form(query, ProofQuestion(query, query, schema, known))
    except (TooManySteps, RecursionError):
        return None


def fired(sql: str, bench: str, schema: Schema) -> set[str]:
    result = form(sql, bench, schema)
    return {number_of(step.rule) for step in result.steps} - {""} if result is not None else set()


def numbers(codes: Sequence[int]) -> set[str]:
    """The script's numbers as the paper's: it counts P0-P8 from 100."""
    return {f"P{code - 100}" if code >= 100 else str(code) for code in codes}


def cause(item: Item, bench: str, ours: bool) -> tuple[str, str]:
    """The class of a disagreement, and why."""
    if item.official["error"]:
        return "crash there", item.official["error"]
    both = (item.gold, item.prediction)
    here = set().union(*(fired(sql, bench, item.schema) for sql in both))
    there = numbers((*item.official["rules_gold"], *item.official["rules_pred"]))
    witness = find_witness(*both, item.schema, budget=SearchBudget(instances=2000))
    differ = f"; {sentence(witness)}" if isinstance(witness, Witness) else "; no witness found"
    if ours:
        return "our difference", f"rules {words(here - there)} fire here alone{differ}"
    alone = f"rules {words(there - here)} fire there alone"
    if item.schema.source != "sqlite" and (there - here) & NEED_FACTS:
        return "other schema there", f"{alone}; the database file is not here"
    kind = "bug there, with witness" if isinstance(witness, Witness) else "our difference"
    return kind, alone + differ


def words(result: set[str]) -> str:
    return ", ".join(number for number in NUMBERS if number in result) or "none"


def agreement(files: Sequence[str], every: int, listing: bool) -> None:
    print("| file | pairs | agree | score | there | paper | disagreements | ms a pair |")
    print("| --- " * 8 + "|")
    table = []
    for file in files:
        bench = file.split("/")[0]
        classes: Counter[str] = Counter()
        pairs = mine = theirs = 0
        spent = []
        for item in items(file, every):
            began = perf_counter()
            ours = prove(item.gold, item.prediction, item.schema, profile="etm_paper").proved
            spent.append(perf_counter() - began)
            pairs, mine, theirs = pairs + 1, mine + ours, theirs + item.official["etm"]
            if ours != item.official["etm"]:
                kind, why = cause(item, bench, ours)
                classes[kind] += 1
                table.append((file, item, ours, kind, why))
        text = ", ".join(f"{times} {kind}" for kind, times in classes.most_common()) or "none"
        print(
            f"| {file} | {pairs} | {100 - 100 * classes.total() / pairs:.2f} % | "
            f"{100 * mine / pairs:.2f} | {100 * theirs / pairs:.2f} | {PUBLISHED[file]} | {text} | "
            f"{statistics.median(spent) * 1e3:.1f} |",
            flush=True,
        )
    if listing:
        print("\n| file | pair | database | there | here | class | why |")
        print("| --- " * 7 + "|")
        for file, item, ours, kind, why in table:
            cell = " ".join(why.replace("|", "\\|").split())
            verdicts = " | ".join(
                "match" if verdict else "no match" for verdict in (item.official["etm"], ours)
            )
            print(
                f"| {file} | {item.number} | {item.schema.db_id} | {verdicts} | {kind} | {cell} |"
            )


def firing(files: Sequence[str], every: int) -> None:
    """In how many queries of each file a rule fires, in pairs that the script could read."""
    here: Counter[tuple[str, str]] = Counter()
    there: Counter[tuple[str, str]] = Counter()
    for file in files:
        bench = file.split("/")[0]
        for item in items(file, every):
            if item.official["error"]:
                continue
            for sql, side in ((item.gold, "rules_gold"), (item.prediction, "rules_pred")):
                here.update((file, number) for number in fired(sql, bench, item.schema))
                there.update((file, number) for number in numbers(item.official[side]))
    print(f"\n| queries in which a rule fires, here (there) | {' | '.join(files)} |")
    print("| --- " * (len(files) + 1) + "|")
    for number in NUMBERS:
        row = [f"{here[file, number]} ({there[file, number]})" for file in files]
        print(f"| {number} {title(number)} | {' | '.join(row)} |")


@cache
def title(number: str) -> str:
    return next(
        name
        for name, rule in RULES.items()
        if number in rule.paper and "etm_paper" in rule.profiles
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print every disagreement")
    parser.add_argument("--fired", action="store_true", help="print how often each rule fires")
    parser.add_argument("--every", type=int, default=1, help="take every N-th pair alone")
    parser.add_argument("files", nargs="*", metavar="FILE", help="such as spider/DAIL")
    arguments = parser.parse_args()
    if not (DATA / "etm_reference").is_dir():
        parser.error(f"no data at {DATA}: set SQLVERDICT_DATA")
    unknown = sorted(set(arguments.files) - set(PUBLISHED))
    if unknown:
        parser.error(f"no file {unknown[0]!r}; known: {', '.join(PUBLISHED)}")
    files = arguments.files or list(PUBLISHED)
    agreement(files, arguments.every, arguments.list)
    if arguments.fired:
        firing(files, arguments.every)


if __name__ == "__main__":
    main()
