"""How long the prompts of the judge ``evidence`` are, on real predictions.

    python bench/judge_briefs.py DATA [--db student_club] [--cases 30] [--show ID]

``DATA`` holds ``labels/corrected_golds.jsonl`` and ``bird/databases``. Nothing is sent: the run
gathers what it would ask. Tokens are counted by the rule of thumb of ``llm/tokens.py``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import mean, median

from sqlverdict import Options, evaluate
from sqlverdict.judge.opinion import Settings
from sqlverdict.llm.request import NoReply, Request
from sqlverdict.llm.tokens import about
from sqlverdict.records import Case
from sqlverdict.run.judging.stage import JudgeOptions


class Listener:
    """Keeps what it is asked and answers nothing."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def ask(self, request: Request) -> NoReply:
        """Note a request."""
        self.requests.append(request)
        return NoReply("nobody is asked", 0)


def read(data: Path, db_id: str) -> tuple[list[Case], dict[str, str | None]]:
    """Every prediction of every system about a database as a case of its own."""
    cases, predictions = [], {}
    database = data / "bird" / "databases" / db_id / f"{db_id}.sqlite"
    for line in (data / "labels" / "corrected_golds.jsonl").read_text("utf-8").splitlines():
        item = json.loads(line)
        if item["db_id"] != db_id:
            continue
        for system, sql in sorted(item["predictions"].items()):
            case_id = f"{item['id']}/{system}"
            cases.append(
                Case(
                    case_id,
                    db_id,
                    item["question"],
                    (item["gold"],),
                    str(database),
                    knowledge=item.get("evidence") or "",
                )
            )
            predictions[case_id] = sql
    # System after system, so that few cases are about many questions.
    cases.sort(key=lambda case: case.id.partition("/")[::-1])
    return cases, predictions


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--db", default="student_club")
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--show", type=int, help="print the prompt at this place")
    arguments = parser.parse_args()
    cases, predictions = read(arguments.data, arguments.db)
    listener, questions = Listener(), 0
    judging = JudgeOptions("evidence", Settings(model="m"), listener, concurrency=1)
    for case in cases:
        if len(listener.requests) >= arguments.cases:
            break
        options = Options("ex,verdict", workers=0, cache=None, judge=judging)
        evaluate([case], {case.id: predictions[case.id]}, options=options)
        questions += 1
    lengths = [about(request) for request in listener.requests]
    if arguments.show is not None:
        print("\n\n".join(m.content for m in listener.requests[arguments.show].messages))
    print(
        f"{len(lengths)} prompts of {questions} cases: tokens mean {mean(lengths):.0f}, "
        f"median {median(lengths):.0f}, least {min(lengths)}, most {max(lengths)}"
    )


if __name__ == "__main__":
    main()
