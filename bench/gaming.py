"""What queries score that are written without understanding the question.

The strategies of ``gaming_strategies`` and the evasions beside them under every
metric, on Spider dev and on BIRD's runnable databases. A strategy that is right now and then is
right under ``ex`` too; ``beyond`` is what ``verdict`` gives it beyond that: the share of cases that
a policy calls correct although ``ex`` does not. ``review`` is the share that is left out of the
score, ``out`` the share that is left out although ``ex`` is 0: wrong answers that leave the score.
``reward``, with ``--rewards``, is the mean where a match counts if no witness refutes it and it is
not empty. ``--empty`` takes cases alone whose gold returns no value: any query that finds nothing
matches there.

Then wrong answers, padded in the ways of ``gaming_evasions``: the gold of
another question on the same database, and published predictions whose results differ. ``left out``
is the share that was incorrect and no longer counts, ``forgiven`` the share that became correct
although ``ex`` still does not say so.

``--part shaping`` is about rewards alone: how often each near miss is reached, so what a value of 1
for it would pay. Beside the strategies are other answers, and golds with one part left out.

Run: ``python bench/gaming.py [--every N] [--only spider|bird] [--policy NAME]... [--metrics LIST]
[--part strategies|padding|shaping] [--strategies LIST] [--empty] [--rewards]``; needs
SQLVERDICT_DATA. The word ``evasions`` in LIST stands for all of them. Exits with 1 where a strategy
or a padding is above one percent beyond ``ex``, or an evasion or a padding takes more than one
percent of wrong answers out of the score.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

from msgspec import structs

from sqlverdict.compare.preset import PRESETS
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.find_situation import is_barred
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.records import Answer, Case, Prediction, Result, Verdict
from sqlverdict.report.terminal.tables import plain_table, table
from sqlverdict.rl import Rewarder
from sqlverdict.verdicts import POLICIES, decide

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from gaming_evasions import EVASIONS, PADDINGS
from gaming_shaping import NEAR_MISSES, partial_queries, shares_of_near_misses
from gaming_strategies import BLIND, DISGUISES, Target, target_of

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
METRICS = (
    *(f"ex[{preset}]" for preset in PRESETS.names()),
    *("text_match", "esm", "etm", "proved", "verdict", "soft_f1", "ves", "ts", "witness_accuracy"),
)
ALL = {**BLIND, **DISGUISES, **EVASIONS}
LIMITS = Limits(steps=50_000_000)
"""Enough for every gold; what never ends is ended soon."""
SEARCHED = {"right": 1.0, "refuted_match": 0.0, "empty_match": 0.0}
"""Rewards that pay for no match by luck."""
NEEDED = ("ex[strict]", "verdict")
PUBLISHED = "DAIL"
VALUES = {Verdict.CORRECT: 1.0, Verdict.INCORRECT: 0.0}
MOST_BEYOND = 0.01
MOST_LEFT_OUT = 0.01


@cache
def known(path: str) -> Target:
    """What strategies know of a database; read once."""
    return target_of(Path(path))


def all_cases(name: str) -> list[Case]:
    """The cases of a benchmark, those without a database among them."""
    return list(BENCHMARKS.get(name).read(DATA / name).cases)


def cases_of(name: str, every: int, *, empty: bool = False) -> list[Case]:
    """Every n-th answerable case of a benchmark whose database is here.

    ``empty``: of those whose gold returns no value, where every query that finds nothing matches.
    """
    here = [
        case
        for case in all_cases(name)
        if case.answerable and case.database and Path(case.database).is_file()
    ]
    if empty:
        with closing(QueryRunner("sqlite", LIMITS)) as runner:
            here = [case for case in here if finds_nothing(runner, case)]
    return here[::every]


def finds_nothing(runner: QueryRunner, case: Case) -> bool:
    """Whether the gold returns no row, or nothing but NULL."""
    outcome = runner.run(str(case.database), case.golds[0])
    values = (cell for row in outcome.rows for cell in row) if isinstance(outcome, Answer) else (1,)
    return all(value is None for value in values)


def evaluated(
    cases: Sequence[Case], systems: Sequence[System], metrics: Sequence[str], policy: str
) -> dict[str, list[Result]]:
    """The results of every system."""
    options = Options(
        metrics=",".join(metrics), workers=2, cache=None, policy=policy, limits=LIMITS
    )
    done = evaluate_systems(cases, systems, options=options)
    return {system.name: list(run.results()) for system, run in zip(systems, done, strict=True)}


def runs(
    cases: Sequence[Case], metrics: Sequence[str], names: Sequence[str]
) -> Mapping[str, list[Result]]:
    """The results of the strategies of these names, by the policy ``intent``."""
    systems = [
        System(name, {case.id: ALL[name](known(str(case.database)), case) for case in cases})
        for name in names
    ]
    return evaluated(cases, systems, metrics, "intent")


def by_policy(cases: Sequence[Case], results: Sequence[Result], policy: str) -> list[Result]:
    """The results as another policy judges the same evidence."""
    if policy == "intent":
        return list(results)
    by_id, judged = {case.id: case for case in cases}, []
    for result in results:
        if not result.situation:
            # What holds no SQL is the same by every policy.
            judged.append(result)
            continue
        prediction = Prediction(result.id, result.prediction)
        judgement = decide(by_id[result.id], prediction, result.evidence, POLICIES[policy])
        value = VALUES.get(judgement.verdict)
        if value is None and any(map(is_barred, result.evidence)):
            value = 0.0
        scores = {**result.scores, "verdict": value}
        judged.append(structs.replace(result, scores=scores, situation=judgement.situation))
    return judged


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is scored; ``None`` where nothing is."""
    scored = [value for value in values if value is not None]
    return sum(scored) / len(scored) if scored else None


def percent(share: float | None) -> str:
    """A share in percent."""
    return "-" if share is None else f"{100 * share:.1f}"


def is_correct_beyond(result: Result) -> bool:
    """Whether it is correct although the answers differ."""
    return result.scores["verdict"] == 1 and result.scores["ex[strict]"] != 1


def share(results: Sequence[Result], holds: Callable[[Result], bool]) -> float:
    """The share of results of which it holds."""
    return sum(map(holds, results)) / len(results)


def left_out(result: Result) -> bool:
    """Whether it is no part of the score."""
    return result.scores["verdict"] is None


def wrong_and_out(result: Result) -> bool:
    """Whether it is no part of the score although the answers differ."""
    return left_out(result) and result.scores["ex[strict]"] == 0


def rewards(cases: Sequence[Case], names: Sequence[str]) -> dict[str, float | None]:
    """The mean reward of each strategy; what is unscored is no part of it."""
    with closing(Rewarder(values=SEARCHED, limits=LIMITS)) as rewarder:
        return {
            name: mean(
                rewarder(case.golds[0], ALL[name](known(str(case.database)), case), case.database)
                for case in cases
            )
            for name in names
        }


def strategies(
    name: str,
    every: int,
    policies: Sequence[str],
    metrics: Sequence[str],
    names: Sequence[str],
    *,
    empty: bool,
    rewarded: bool,
) -> tuple[float, float]:
    """Print what strategies score; the most that one has beyond ``ex``, and that an evasion leaves.

    The whole table, and what has the gold's columns and more, is for people to judge: it is no
    evasion.
    """
    cases, most, worst = cases_of(name, every, empty=empty), 0.0, 0.0
    paid: Mapping[str, float | None] = rewards(cases, names) if rewarded else {}
    by_intent = runs(cases, metrics, names)
    for policy in policies:
        rows = []
        for strategy, first in by_intent.items():
            results = by_policy(cases, first, policy)
            scores = [mean(result.scores[m] for result in results) for m in metrics]
            more, out = share(results, is_correct_beyond), share(results, wrong_and_out)
            most = max(most, more)
            worst = max(worst, out if strategy in EVASIONS else 0.0)
            shares = (*scores, more, share(results, left_out), out, paid.get(strategy))
            rows.append([strategy, *map(percent, shares)])
            for result in filter(wrong_and_out, results):
                print(f"{policy} {strategy} {result.id} {result.situation}", file=sys.stderr)
        title = f"{name}, {policy}: {len(cases)} cases, percent"
        headers = ("strategy", *metrics, "beyond", "review", "out", "reward")
        print(plain_table(table(headers, rows, title, left=(0,))))
        print(flush=True)
    return most, worst


def wrong_answers(name: str, cases: Sequence[Case]) -> dict[str, dict[str, str]]:
    """Answers that are mostly wrong, by where they come from and by case."""
    every = all_cases(name)
    positions = {case.id: index for index, case in enumerate(every)}
    lines = (DATA / name / "predictions" / "dev" / f"{PUBLISHED}.txt").read_text().splitlines()
    neighbours = {}
    for case in cases:
        ahead = [*every[positions[case.id] + 1 :], *every[: positions[case.id]]]
        neighbours[case.id] = next(
            other.golds[0]
            for other in ahead
            if other.db_id == case.db_id and other.golds[0] != case.golds[0]
        )
    published = {case.id: lines[positions[case.id]].split("\t")[0] for case in cases}
    return {"another question's gold": neighbours, f"published, {PUBLISHED}": published}


def padding(name: str, every: int, policies: Sequence[str]) -> tuple[float, float]:
    """Print what becomes of padded wrong answers; the most that is forgiven, and left out."""
    cases, most, worst = cases_of(name, every), 0.0, 0.0
    by_id = {case.id: case for case in cases}
    jobs = [(policy, each) for each in wrong_answers(name, cases).items() for policy in policies]
    for policy, (source, answers) in jobs:
        first = evaluated(cases, [System("plain", answers)], NEEDED, policy)["plain"]
        before = {result.id: result for result in first if result.scores["ex[strict]"] != 1}
        wrong = [by_id[case_id] for case_id in before]
        systems = [
            System(
                pad, {case.id: write(known(str(case.database)), answers[case.id]) for case in wrong}
            )
            for pad, write in PADDINGS.items()
        ]
        padded = evaluated(wrong, systems, NEEDED, policy)
        rows = []
        for pad, results in {"(plain)": list(before.values()), **padded}.items():
            lost, forgiven = moves(before, results)
            most = max(most, len(forgiven) / len(wrong))
            worst = max(worst, len(lost) / len(wrong))
            scored = mean(result.scores["verdict"] for result in results)
            shares = (share(results, left_out), len(lost) / len(wrong), len(forgiven) / len(wrong))
            rows.append([pad, *map(percent, (scored, *shares))])
            for result in (*lost, *forgiven):
                print(f"{policy} {pad} {result.id} {result.situation}", file=sys.stderr)
        headers = ("padding", "verdict", "review", "left out", "forgiven")
        title = f"{name}, {policy}, {source}: {len(wrong)} wrong of {len(cases)}, percent"
        print(plain_table(table(headers, rows, title, left=(0,))))
        print()
    return most, worst


def moves(
    before: Mapping[str, Result], results: Sequence[Result]
) -> tuple[list[Result], list[Result]]:
    """What was incorrect and is no longer scored; what was not correct and is, ``ex`` being 0."""
    lost, forgiven = [], []
    for result in results:
        was = before[result.id].scores["verdict"]
        if was == 0 and left_out(result):
            lost.append(result)
        elif was != 1 and is_correct_beyond(result):
            forgiven.append(result)
    return lost, forgiven


def print_shaping(name: str, cases: Sequence[Case], names: Sequence[str]) -> None:
    """Print how often strategies and queries with a part left out reach each near miss."""
    cells = {
        each: [ALL[each](known(str(case.database)), case) for case in cases]
        for each in names
        if each not in EVASIONS
    }
    for who, answers in wrong_answers(name, cases).items():
        cells[who] = [answers[case.id] for case in cases]
    cells |= partial_queries(cases)
    rows = [
        [who, *map(percent, shares)] for who, shares in shares_of_near_misses(cases, cells).items()
    ]
    headers = ("queries", "right", *NEAR_MISSES)
    print(plain_table(table(headers, rows, f"{name}: {len(cases)} cases, percent", left=(0,))))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", choices=("spider", "bird"))
    parser.add_argument("--policy", action="append", choices=tuple(POLICIES))
    parser.add_argument("--metrics", default=",".join(METRICS))
    parser.add_argument("--part", choices=("strategies", "padding", "shaping"))
    parser.add_argument("--strategies", default=",".join(ALL))
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--rewards", action="store_true")
    arguments = parser.parse_args()
    policies = arguments.policy or ["intent", "strict"]
    metrics = list(dict.fromkeys([*arguments.metrics.split(","), *NEEDED]))
    more = lost = 0.0
    for name in [arguments.only] if arguments.only else ["spider", "bird"]:
        if arguments.part == "shaping":
            print_shaping(name, cases_of(name, arguments.every), arguments.strategies.split(","))
            continue
        if arguments.part != "padding":
            words = arguments.strategies.replace("evasions", ",".join(EVASIONS))
            names = words.split(",")
            beyond, out = strategies(
                name,
                arguments.every,
                policies,
                metrics,
                names,
                empty=arguments.empty,
                rewarded=arguments.rewards,
            )
            more, lost = max(more, beyond), max(lost, out)
        if arguments.part != "strategies":
            forgiven, out = padding(name, arguments.every, policies)
            more, lost = max(more, forgiven), max(lost, out)
    if more > MOST_BEYOND:
        sys.exit(f"a strategy scores {100 * more:.1f} % beyond ex; at most 1 % is accepted")
    if lost > MOST_LEFT_OUT:
        sys.exit(f"{100 * lost:.1f} % of wrong answers are left out; at most 1 % is accepted")


if __name__ == "__main__":
    main()
