"""What ``docs/generate.py`` writes into the page about judges: a brief, and the situations."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from sqlverdict import Options, evaluate
from sqlverdict.judge.opinion import Settings
from sqlverdict.llm.request import NoReply, Request
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.demo import DATA, predictions_path
from sqlverdict.load.predictions import load_predictions
from sqlverdict.run.judging.asking import JudgeOptions
from sqlverdict.situations import Situation
from sqlverdict.verdicts import POLICIES

PAGE = Path(__file__).with_name("judge.md")
BRIEF = "<!-- Written by docs/generate.py: a whole brief, from the demo. -->"
BRIEF_END = "<!-- The end of the brief. -->"
TABLE = "<!-- Written by docs/generate.py: the situations, from situations.py. -->"
TABLE_END = "<!-- The end of the situations. -->"
EXAMPLE = "ferry_line-05"


def judge_page() -> str:
    """The page about judges, with a brief from the demo and the situations in their places."""
    text = PAGE.read_text(encoding="utf-8")
    # The prompt holds a fence of its own.
    text = between(text, BRIEF, f"````text\n{example_brief()}\n````", BRIEF_END)
    return between(text, TABLE, f"\n{situations()}\n", TABLE_END)


def between(text: str, start: str, part: str, end: str) -> str:
    """A text with another part between two of its lines."""
    head, _, rest = text.partition(f"{start}\n")
    _, _, tail = rest.partition(end)
    return f"{head}{start}\n{part}\n{end}{tail}"


def situations() -> str:
    """The table of situations, with what each policy says."""
    head = ["situation", "what the evidence shows", *(f"`{name}`" for name in POLICIES)]
    rows = [f"| {' | '.join(head)} | a judge is asked by |", "| --- " * (len(head) + 1) + "|"]
    for situation in Situation:
        row = situation.row
        cells = [f"`{row.name}`", row.when, *row.decisions, ", ".join(row.asks) or "nobody"]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def example_brief() -> str:
    """What the judge ``evidence`` reads about one answer of the demo."""
    requests: list[Request] = []

    class Listener:
        def ask(self, request: Request) -> NoReply:
            requests.append(request)
            return NoReply("nobody is asked", 0)

    with TemporaryDirectory() as folder:
        benchmark = BENCHMARKS.get("demo").read(DATA, databases=Path(folder))
        case = next(case for case in benchmark.cases if case.id == EXAMPLE)
        ids = [case.id for case in benchmark.cases]
        prediction = load_predictions(predictions_path("careful"), ids)[EXAMPLE]
        judging = JudgeOptions("evidence", Settings(model="any"), Listener())
        options = Options("ex,verdict", workers=0, cache=None, judge=judging, policy="strict")
        evaluate([case], {EXAMPLE: prediction}, options=options)
    (request,) = requests
    return "\n\n".join(f"[{each.role}]\n{each.content}" for each in request.messages)
