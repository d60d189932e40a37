"""How well words alone tell unanswerable questions apart, and what "equal" does to a vote.

RF learns from answerable training questions (Spider's 7,000, EHRSQL's 4,674) and TriageSQL's
2,000 unanswerable test questions (the paper used its validation questions, which are not at
hand). Shares are printed beside the paper's tables 8 (answerable questions let through) and 9
(unanswerable ones held back). Types of unanswerable Spider questions are inferred ones. The texts
of TrustSQL's unanswerable EHRSQL questions are lost (165 records carry one and the same sentence),
so the shared task's 233 stand in for them; their types are not known.

VOTING is applied to the five recorded samples of TrustSQL's Spider questions with each sense of
"equal"; answers are marked by ``trustsql_spider``.

Run: ``python bench/abstain_models.py [rf] [voting] [--trees N]``; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from sqlverdict.abstain.apply import detector_machine
from sqlverdict.abstain.calibrate import mark_drafts
from sqlverdict.abstain.compose import MethodPart, make_method
from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.abstain.decision import Decision
from sqlverdict.abstain.method import Ask, Draft, Tools, TrainingData, TrainingExample
from sqlverdict.abstain.predictions import draft_of
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.records import Case
from sqlverdict.score.reliability.outcomes import OutcomeTable
from sqlverdict.score.reliability.reliability_score import rs

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
TRUSTSQL = DATA / "trustsql"
TYPES = ("column-surface", "column-related", "column-unrelated", "non-sql", "ext-know")
PAPER_8 = ("90.4", "94.9", "96.7")
PAPER_9 = {
    "RF": ("13.0", "11.0", "31.0", "71.0", "95.2"),
    "CLSPROMPT": ("59.0", "59.0", "88.0", "83.0", "82.4"),
}


def questions(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def share(decisions: Sequence[bool]) -> str:
    return f"{100 * sum(decisions) / len(decisions):.1f}" if decisions else "-"


def triage() -> list[TrainingExample]:
    cases = BENCHMARKS.get("triagesql").read(TRUSTSQL / "triagesql_test.jsonl").cases
    return [DatabaseIndex().example(case) for case in cases]


def fitted(known: Iterable[str], trees: int, balance: bool = False) -> tuple[Any, float]:
    rf = make_method(MethodPart("rf", {"trees": str(trees), "balance": str(balance).lower()}))
    train = [TrainingExample(Ask(str(n), "db", text), sql="") for n, text in enumerate(known)]
    began = perf_counter()
    rf.fit(TrainingData(train=train, background=triage()), Tools())
    return rf, perf_counter() - began


def answers(rf: Any, texts: Sequence[str]) -> list[bool]:
    questions = [(Ask(str(n), "db", text), None) for n, text in enumerate(texts)]
    return [rf.decide(finding) for finding in rf.score(questions, Tools())]


def forests(trees: int) -> None:
    spider = json.loads((DATA / "spider" / "train_spider.json").read_text(encoding="utf-8"))
    known = [item["question"] for item in spider]
    test = questions(TRUSTSQL / "trustsql_spider_test.jsonl")
    results = {
        name: fitted(known, trees, name == "RF, balanced") for name in ("RF", "RF, balanced")
    }
    spent = " and ".join(f"{seconds:.0f} s" for _, seconds in results.values())
    print(f"\nSpider, {trees} trees, fitted in {spent}")
    print("\n| answerable, let through | easy | medium | hard | all |")
    print("| --- " * 5 + "|")
    for name, (rf, _) in results.items():
        levels = [
            share(answers(rf, [q["question"] for q in test if q["hardness"] == level]))
            for level in ("easy", "medium", "hard")
        ]
        every = share(answers(rf, [q["question"] for q in test if q["answerable"]]))
        print(f"| {name} | {' | '.join(levels)} | {every} |")
    print(f"| RF, paper's table 8 | {' | '.join(PAPER_8)} | |")
    print("\n| unanswerable, held back | surface | related | unrelated | non-sql | ood | all |")
    print("| --- " * 7 + "|")
    strange = {
        kind: [q for q in test if not q["answerable"] and kind in ("", q["unans_type_inferred"])]
        for kind in (*TYPES, "")
    }
    for name, (rf, _) in results.items():
        shares = [
            share([not answer for answer in answers(rf, [q["question"] for q in of_kind])])
            for of_kind in strange.values()
        ]
        print(f"| {name} | {' | '.join(shares)} |")
    print(f"| RF, paper's table 9 | {' | '.join(PAPER_9['RF'])} | |")
    gates = [
        share([q["gates"]["clsprompt"] != "answerable" for q in of_kind])
        for of_kind in strange.values()
    ]
    print(f"| CLSPROMPT as recorded (gpt-4o) | {' | '.join(gates)} |")
    print(f"| CLSPROMPT, paper's table 9 | {' | '.join(PAPER_9['CLSPROMPT'])} | |", flush=True)
    ehrsql(trees)


def ehrsql(trees: int) -> None:
    train = questions(TRUSTSQL / "ehrsql2024_train_v1.0.jsonl")
    test = questions(TRUSTSQL / "ehrsql2024_test_v1.0_systems.jsonl")
    known = [q["question"] for q in train if q["answerable"]]
    print("\n| EHRSQL | easy, let through | hard, let through | unanswerable, held back | s |")
    print("| --- " * 5 + "|")
    for name in ("RF", "RF, balanced"):
        rf, seconds = fitted(known, trees, name == "RF, balanced")
        levels = [
            share(answers(rf, [q["question"] for q in test if q["hardness"] == level]))
            for level in ("easy", "hard")
        ]
        strange = [q["question"] for q in test if not q["answerable"]]
        share_held_back = share([not answer for answer in answers(rf, strange)])
        print(f"| {name} | {' | '.join(levels)} | {share_held_back} | {seconds:.0f} |", flush=True)
    print("| RF, paper | 87.4 seen, 80.0 unseen | 98.0 seen, 100 unseen | 22.2 to 100 by type | |")


def table_of(
    decisions: Sequence[Decision], cases: Sequence[Case], runner: QueryRunner
) -> OutcomeTable:
    """The outcomes of a composition, marked by running what it gave."""
    predictions = [
        TrainingExample(
            decision.ask,
            case.answerable,
            case.golds[0] if case.golds else None,
            Draft(decision.sql),
        )
        for decision, case in zip(decisions, cases, strict=True)
    ]
    marks = mark_drafts(predictions, runner, "trustsql_spider")
    cells = dict.fromkeys(OutcomeTable().cells(), 0)
    unscored = 0
    for decision, case, example in zip(decisions, cases, marks, strict=True):
        if decision.abstained:
            cells["abstained_answerable" if case.answerable else "abstained_unanswerable"] += 1
        elif not case.answerable:
            cells["answered_unanswerable"] += 1
        elif example.correct is None:
            unscored += 1
        else:
            cells["correct" if example.correct else "wrong"] += 1
    return OutcomeTable(**cells, unscored=unscored)


def voting() -> None:
    reader: Any = BENCHMARKS.get("trustsql")
    path = TRUSTSQL / "trustsql_spider_test.jsonl"
    cases = list(reader.read(path, databases=DATA / "spider" / "database").cases)
    drafts = {
        case_id: draft_of(prediction)
        for case_id, prediction in reader.predictions(path, "vote_top").items()
    }
    databases = DatabaseIndex.of(cases)
    asks = [databases.ask(case) for case in cases]
    runner = QueryRunner("sqlite", Limits())
    tools = Tools(runner=runner)
    print("\n| VOTING, 5 samples, Spider test | answered | RS(0) | RS(10) | RS(N) | unscored | s |")
    print("| --- " * 7 + "|")
    senses = ("string", "tree", "proof", "execution", "execution, preset=trustsql_spider")
    for equality in senses:
        began = perf_counter()
        composition = detector_machine(f"voting(equality={equality})")
        composition.generator.drafts = drafts  # type: ignore[attr-defined]
        decisions = composition.answer(asks, tools)
        spent = perf_counter() - began
        table = table_of(decisions, cases, runner)
        scores = " | ".join(f"{100 * (rs(table, c) or 0):.1f}" for c in (0.0, 10.0, "N"))
        answered = sum(not decision.abstained for decision in decisions)
        print(
            f"| {equality} | {answered} | {scores} | {table.unscored} | {spent:.0f} |", flush=True
        )
    runner.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=["rf", "voting"])
    parser.add_argument("--trees", type=int, default=100)
    arguments = parser.parse_args()
    if not TRUSTSQL.is_dir():
        parser.error(f"no data at {TRUSTSQL}: set SQLVERDICT_DATA")
    if "rf" in arguments.parts:
        forests(arguments.trees)
    if "voting" in arguments.parts:
        voting()


if __name__ == "__main__":
    main()
