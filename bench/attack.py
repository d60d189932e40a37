"""An attack on proofs and witnesses: whatever was claimed is run on databases made to break it.

=========  ======================================================================================
rules      every sound rule's queries with other column types, in other contexts, on extreme values
random     random queries over a random schema, changed a little; what is proved is run on random
           databases. Often facts are dropped: the proof gets fewer than the schema declares, and
           the databases obey no others
pairs      pairs of all rules and common shapes, changed on both sides alike and on one side, with
           other types and fewer facts; what is proved is run on random databases. It reaches the
           rules that random queries do not
engines    the same on DuckDB and on the servers of --server, in turn
shapes     pairs of shapes in which wrong proofs were found, on SQLite and those engines in turn:
           native tables, edge rows, every rewriting with every kind of values
types      the same over columns of the types that each engine has alone
real       golds of Spider and BIRD, changed in one place; what is proved is run on random databases
           of their schemas, with all facts or fewer; what is refuted is checked: the witness obeys
           every constraint, and the answers are the claimed ones in any order of rows
broken     copies of real databases whose keys are broken (rows without a parent, NULLs where NOT
           NULL is declared); golds and published predictions through the whole evaluation: nothing
           that runs and differs may be called proved
=========  ======================================================================================

Run: ``python bench/attack.py [--seed N|random] [--minutes M] [--part PART] [--server URL] [--out
FOLDER]``. The parts ``real`` and ``broken`` need SQLVERDICT_DATA. At the end it says how many rules
its proofs used: a rule that was not reached was attacked by ``rules`` alone. The exit code is 1
where a claim was false.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random, SystemRandom
from time import monotonic
from typing import Any

import msgspec

import attack_pairs
from attack_data import BROKEN_DATABASES, break_keys, illegal, published_pairs, restored
from attack_pairs import LEFT_OPEN
from fuzz_inputs import TYPES
from mutants import golds, mutants
from refute import DATA
from sqlverdict import Options, evaluate
from sqlverdict.errors import Contradiction
from sqlverdict.parse.facts import Fact, HasAffinity, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.profile import rules_of
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Case, Query
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness import SearchBudget, Witness
from sqlverdict.testing.rule_suite.contexts import attack_rule, leaves_open
from sqlverdict.testing.rule_suite.rows import data_for, retyped

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "prove"))
from query_mutations import mutate
from query_strategies import DDL, make_query

DATABASES = 12
"""Random databases on which a proof is tried."""


@dataclass
class Report:
    """What was tried, and what was false."""

    out: Path
    counts: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    false: list[dict[str, object]] = field(default_factory=list)

    def count(self, name: str, number: int = 1) -> None:
        """Count what was tried."""
        self.counts[name] += number

    def proof(self, rules: tuple[str, ...]) -> None:
        """Count the rules that a proof uses."""
        self.rules.update(set(rules))

    def wrong(self, kind: str, **details: object) -> None:
        """Keep a false claim."""
        self.counts[kind] += 1
        self.false.append({"kind": kind, **details})
        self.out.mkdir(parents=True, exist_ok=True)
        path = self.out / f"{kind.replace(' ', '_')}-{len(self.false)}.json"
        path.write_text(json.dumps(self.false[-1], indent=1, default=str))
        print(f"FALSE {kind}: {path}", flush=True)


def fewer(facts: frozenset[Fact], rng: Random) -> frozenset[Fact]:
    """All facts, or some of them; the types always hold."""
    if rng.randrange(3) == 0:
        return facts
    some = [fact for fact in sorted(facts, key=str) if rng.randrange(10) < 6]
    return frozenset(fact for fact in facts if isinstance(fact, HasAffinity)) | frozenset(some)


def try_proof(
    gold: str,
    other: str,
    schema: Schema,
    facts: frozenset[Fact],
    rng: Random,
    report: Report,
    values: Callable[[str], Any] | None = None,
) -> bool:
    """Seek a proof; what is proved is run on databases that obey the facts and no others."""
    report.counts["pairs"] += 1
    proof = prove(gold, other, schema, facts=facts)
    if not isinstance(proof, Proof) or proof.trust == "heuristic":
        return False
    report.counts["proofs"] += 1
    report.proof(proof.rules)
    about = {"gold": gold, "other": other, "facts": sorted(map(str, facts)), "rules": proof.rules}
    about["tables"] = [table.sql for table in schema.tables]
    if not check_proof(proof, schema, facts=facts).holds:
        report.wrong("rejected proof", **about)
    if list(proof.columns) != sorted(proof.columns):
        return True
    # SQLite's own tables cannot be made.
    own = tuple(table for table in schema.tables if not table.name.startswith("sqlite_"))
    schema = replace(schema, tables=own)
    for _ in range(DATABASES):
        report.counts["databases"] += 1
        data = data_for(schema, facts, rng, values)
        answers = data.compare(gold, other)
        if answers is None:
            continue
        if not isinstance(answers[1], str) and leaves_open(proof.open_choices):
            report.counts[LEFT_OPEN] += 1
        else:
            report.wrong("wrong proof", **about, rows=data.script, answers=answers)
            return True
    return True


# Parts: each does one round


def rules_part(seed: str, report: Report) -> None:
    """One rule; the next one in the next round, and other queries when its turn comes again."""
    rules = [rule for rule in rules_of("sound").rules if rule.trust != "heuristic"]
    rule = rules[report.counts["rounds of rules"] % len(rules)]
    result = attack_rule(rule, budget=12, databases=6, seed=Random(seed).randrange(2**31))
    report.counts["rewritings"] += result.rewritten
    report.counts[LEFT_OPEN] += result.left_open
    report.counts["databases"] += result.runs
    if result.difference is not None:
        report.wrong("wrong rewriting", rule=rule.name, difference=str(result.difference))


def random_part(seed: str, report: Report) -> None:
    """Random queries over one random schema."""
    rng = Random(seed)
    declared = rng.randrange(3) == 0
    schema = _declared_schema() if declared else retyped(DDL, rng, *TYPES[:-1])
    known = facts_of(schema)
    for _ in range(40):
        sql = make_query(rng)
        query = parse(sql)
        if isinstance(query, Query):
            other = mutate(query.tree, rng, rng.choice((1, 1, 2, 3)))
            try_proof(sql, other, schema, fewer(known, rng), rng, report)


def _declared_schema() -> Schema:
    from sqlverdict.parse.schemas.ddl import read_ddl

    return read_ddl(DDL, "random")


def real_part(seed: str, report: Report) -> None:
    """Changed golds: proofs are run, witnesses are checked."""
    rng = Random(seed)
    some = rng.sample(_golds(), 20)
    for gold, schema in some:
        query = parse(gold)
        if not isinstance(query, Query):
            continue
        known = facts_of(schema)
        for _, other in mutants(query.tree, rng, schema)[:3]:
            proved = try_proof(gold, other, schema, fewer(known, rng), rng, report)
            full = isinstance(prove(gold, other, schema), Proof) if proved else False
            witness = find_witness(gold, other, schema, budget=SearchBudget(instances=60))
            if isinstance(witness, Witness):
                report.counts["witnesses"] += 1
                if full:
                    report.wrong("contradiction", gold=gold, other=other, schema=schema.db_id)
                for complaint in illegal(witness):
                    report.wrong(
                        "illegal witness",
                        gold=gold,
                        other=other,
                        schema=schema.db_id,
                        complaint=complaint,
                        rows=dict(witness.instance.rows),
                    )


_GOLDS: list[tuple[str, Schema]] = []


def _golds() -> list[tuple[str, Schema]]:
    if not _GOLDS:
        _GOLDS.extend(golds())
    return _GOLDS


def broken_part(seed: str, report: Report) -> None:
    """A real database with broken keys, and all its pairs through the whole evaluation."""
    rng = Random(seed)
    db_id = rng.choice(BROKEN_DATABASES)
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        database = restored(db_id, Path(folder))
        report.counts["broken keys"] += break_keys(database, rng)
        pairs = published_pairs(db_id)
        for number, (gold, prediction) in enumerate(rng.sample(pairs, min(len(pairs), 25))):
            case = Case(str(number), db_id, "Which?", (gold,), str(database))
            options = Options("ex,proved,verdict", workers=0, cache=None)
            report.counts["evaluated"] += 1
            about = {"gold": gold, "prediction": prediction, "db_id": db_id, "seed": seed}
            try:
                run = evaluate([case], {case.id: prediction}, options=options)
            except Contradiction as error:
                report.wrong("contradiction", **about, error=str(error))
                continue
            (result,) = run.results()
            if result.scores["proved"] == 1.0:
                report.counts["proofs on broken data"] += 1
                if result.scores["ex"] == 0.0:
                    evidence = [msgspec.to_builtins(piece) for piece in result.evidence]
                    report.wrong("wrong proof", **about, evidence=evidence)


def pairs_part(seed: str, report: Report) -> None:
    """Pairs that rules join, changed."""

    def attempt(*pair: Any) -> bool:
        return try_proof(*pair, report)

    attack_pairs.attack_sqlite(seed, attempt, fewer)


_ENGINES: list[attack_pairs.EngineTables] = []


def engines_part(seed: str, report: Report) -> None:
    """The same on an engine with types; the next one in the next round."""
    _ENGINES[0].attack(seed, report.counts["rounds of engines"], report)


def shapes_part(seed: str, report: Report) -> None:
    """Shapes in which wrong proofs were found; the next engine in the next round."""

    def attempt(*pair: Any) -> bool:
        *known, values = pair
        return try_proof(*known, report, values)

    _ENGINES[0].attack_shapes(seed, report.counts["rounds of shapes"], report, attempt)


def types_part(seed: str, report: Report) -> None:
    """Frames over columns of an engine's own types; the next engine in the next round."""

    def attempt(*pair: Any) -> bool:
        *known, values = pair
        return try_proof(*known, report, values)

    _ENGINES[0].attack_types(seed, report.counts["rounds of types"], report, attempt)


PARTS: dict[str, Callable[[str, Report], None]] = {
    "rules": rules_part,
    "random": random_part,
    "pairs": pairs_part,
    "engines": engines_part,
    "shapes": shapes_part,
    "types": types_part,
    "real": real_part,
    "broken": broken_part,
}


def attack(
    seed: str, out: Path, *, minutes: float | None, rounds: int | None, parts: list[str]
) -> Report:
    """Rounds of all parts in turn, until the time or their number is reached."""
    report = Report(out)
    end = None if minutes is None else monotonic() + 60 * minutes
    turn = 0
    spent = dict.fromkeys(parts, 0.0)
    while (rounds is None or turn < rounds * len(parts)) and (end is None or monotonic() < end):
        # The part that had the least time; by turns where rounds are counted.
        name = parts[turn % len(parts)] if rounds else min(parts, key=spent.__getitem__)
        began = monotonic()
        PARTS[name](f"{seed}/{name}/{report.counts[f'rounds of {name}']}", report)
        spent[name] += monotonic() - began
        report.counts[f"rounds of {name}"] += 1
        turn += 1
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", default="1", help="a number, or 'random'")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--rounds", type=int, help="so many rounds of each part, instead")
    parser.add_argument("--part", choices=sorted(PARTS), action="append")
    parser.add_argument(
        "--server", action="append", default=[], help="of PostgreSQL or MySQL, for the part engines"
    )
    parser.add_argument("--out", type=Path, default=Path("attack-failures"))
    arguments = parser.parse_args()
    seed = str(SystemRandom().randrange(10**9)) if arguments.seed == "random" else arguments.seed
    parts = arguments.part or list(PARTS)
    if not (DATA / "spider").is_dir():
        parts = [name for name in parts if name not in ("real", "broken")]
        print(f"no data at {DATA}: only {', '.join(parts)}")
    if arguments.minutes is None and arguments.rounds is None:
        arguments.minutes = 30.0
    _ENGINES.append(attack_pairs.EngineTables(arguments.server))
    with suppress(KeyboardInterrupt), closing(_ENGINES[0]):
        report = attack(
            seed, arguments.out, minutes=arguments.minutes, rounds=arguments.rounds, parts=parts
        )
    print(f"seed {seed}")
    names = [rule.name for rule in rules_of("sound").rules]
    print(f"{sum(name in report.rules for name in names)} of {len(names)} rules in proofs; not:")
    print("  " + ", ".join(name for name in names if name not in report.rules))
    kinds = ("wrong proof", "proof of a query that fails", "wrong rewriting", "rejected proof")
    kinds += ("contradiction", "illegal witness")
    for name, count in sorted(report.counts.items()):
        print(f"{count:9,} {name}")
    for name in kinds:
        print(f"{report.counts[name]:9,} {name}")
    return 1 if report.false else 0


if __name__ == "__main__":
    sys.exit(main())
