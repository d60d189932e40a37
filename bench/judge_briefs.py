"""How long the prompts of the judges are, and how many calls they take, on the labelled halves.

    python bench/judge_briefs.py [--sets rose-bird,flex] [--show SET PLACE]

Needs SQLVERDICT_DATA. Nothing is sent: a panel of three judges is asked, and every reply accepts
the prediction, so that each prompt is made once for each question that is open. Tokens are counted
by the rule of thumb of ``llm/costs.py``.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Any

from sqlverdict.judge.opinion import Settings
from sqlverdict.llm.costs import estimate_tokens
from sqlverdict.llm.request import Reply, Request
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.records import Answer, Case, Prediction, Recording
from sqlverdict.run.judging.asking import JudgeOptions

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
NOTHING = Answer((), [])
Pairs = tuple[Sequence[Case], dict[str, Prediction]]


class Listener:
    """Keeps what it is asked, and accepts every prediction."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._lock = threading.Lock()

    def ask(self, request: Request) -> Reply:
        """Note a request."""
        with self._lock:
            self.requests.append(request)
        return Reply('It does.\n{"correct": true}', "stop", 0, 0, 0.0, cost=0.0)


def lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def database(db_id: str) -> str | None:
    """A BIRD database, where it is at hand."""
    path = DATA / "bird" / "databases" / db_id / f"{db_id}.sqlite"
    return str(path) if path.exists() else None


def rose(which: str) -> Pairs:
    """Half of ROSE's pairs; without a database the recorded comparison is all there is."""
    cases, predictions = [], {}
    for record in lines(DATA / "labels" / "rose_vec.jsonl"):
        if record["set"] != which:
            continue
        file = database(record["db_id"]) if which == "bird" else None
        equal = record["verdicts"]["decisive/EX"] == 1
        recorded = Recording((NOTHING,), NOTHING, equal, whole=False, has_results=False)
        about_case = (record["id"], record["db_id"], record["question"], (record["gold"],), file)
        known = {"knowledge": record["evidence"], "recorded": None if file else recorded}
        cases.append(Case(*about_case, **known))
        predictions[record["id"]] = Prediction(record["id"], record["prediction"])
    return cases, predictions


def corrected() -> Pairs:
    """13 systems' answers to BIRD questions, beside the published gold."""
    cases, predictions = [], {}
    for record in lines(DATA / "labels" / "corrected_golds.jsonl"):
        for system, sql in record["predictions"].items():
            name = f"{record['id']}-{system}"
            about_case = (name, record["db_id"], record["question"], (record["gold"],))
            file = database(record["db_id"])
            cases.append(Case(*about_case, file, knowledge=record["evidence"]))
            predictions[name] = Prediction(name, sql)
    return cases, predictions


def flex() -> Pairs:
    """Half of FLEX's pairs, with recorded results."""
    benchmark = BENCHMARKS.get("flex").read(DATA / "flex" / "agreement_half.jsonl")
    return list(benchmark.cases), dict(benchmark.predictions or {})


SETS = {
    "rose-bird": (lambda: rose("bird"), "intent"),
    "rose-spider": (lambda: rose("spider"), "intent"),
    "corrected": (corrected, "intent"),
    "flex": (flex, "strict"),
}


def ask(name: str) -> tuple[int, list[Request]]:
    """How many pairs a set has, and all that is asked about them."""
    read, policy = SETS[name]
    cases, predictions = read()
    known = load_schemas(DATA / "bird" / "ddl.json")
    unseen = {db_id: schema for db_id, schema in known.items() if not database(db_id)}
    listener = Listener()
    options = Options(
        "ex,verdict",
        cache=None,
        policy=policy,
        schemas=known if name == "flex" else unseen,
        judge=JudgeOptions("panel", Settings(model="m"), listener),
    )
    with TemporaryDirectory() as folder:
        evaluate_systems(cases, [System("s", predictions, Path(folder) / "run")], options=options)
    return len(cases), listener.requests


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--show", nargs=2, metavar=("PROMPT", "PLACE"), help="print one prompt")
    arguments = parser.parse_args()
    print("| set | pairs | questions | prompt | tokens, mean | median | most |")
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: |")
    for name in arguments.sets.split(","):
        pairs, requests = ask(name)
        by_prompt: dict[str, list[Request]] = defaultdict(list)
        for request in requests:
            by_prompt[request.purpose].append(request)
        questions = max((len(each) for each in by_prompt.values()), default=0)
        for prompt, own in sorted(by_prompt.items()):
            sizes = [estimate_tokens(request) for request in own]
            print(
                f"| {name} | {pairs:,} | {len(own):,} of {questions:,} | `{prompt}` | "
                f"{mean(sizes):,.0f} | {median(sizes):,.0f} | {max(sizes):,} |"
            )
        if arguments.show:
            request = by_prompt[arguments.show[0]][int(arguments.show[1])]
            print("\n\n".join(message.content for message in request.messages))


if __name__ == "__main__":
    main()
