"""The page ``rescored.md``, from its facts: published systems, scored again.

``python bench/rescored.py FOLDER`` writes the facts, ``rescored.json``.
``python docs/rescored_page.py FILE`` prints the page of facts with systems of your own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rescored_figures import AS_WRITTEN, EVIDENCE, BoardFigures, SystemShare
from rescored_trust import findings, trust
from rescored_words import (
    BOARDS,
    CASES,
    COLUMNS,
    INTRODUCTION,
    QUESTIONS,
    REPEAT,
    Board,
    short_name,
)

from sqlverdict.files.markdown import markdown_table
from sqlverdict.files.text import count
from sqlverdict.records import Verdict
from sqlverdict.report.terminal.tables import interval_text, md_cell, points
from sqlverdict.situations import Situation
from sqlverdict.verdicts import POLICIES

FACTS = Path(__file__).parent / "rescored.json"
NOTE = (
    "<!-- Written by docs/generate.py from rescored.json, which `python bench/rescored.py` wrote. "
    "-->"
)


def rescored_page(file: Path = FACTS) -> str:
    """The page of some facts."""
    facts = json.loads(file.read_text(encoding="utf-8"))
    boards = [BoardFigures(board, facts["situations"]) for board in facts["boards"]]
    parts = ["# Published systems, scored again", NOTE, trust(boards)]
    parts += [findings(boards)] if file == FACTS else []
    parts.append(INTRODUCTION)
    for board in boards:
        parts += _board(board, BOARDS[board.name])
    parts.append("## Five answers, with their evidence")
    parts += [text for case in facts["cases"] for text in _case(case)]
    parts += [QUESTIONS, REPEAT]
    return "\n\n".join(parts) + "\n"


def _board(board: BoardFigures, words: Board) -> Iterator[str]:
    n = len(board.questions)
    yield f"## {words.title}"
    yield words.about.format(n=f"{n:,}", cases=f"{board.facts['cases']:,}")
    yield _reference(board)
    for golds in board.golds:
        yield f"### Golds: {words.golds[golds]} ({n:,} questions)"
        yield _ranks(board, golds)
        if golds == board.golds[0]:
            yield "### How far the first is ahead"
            yield _differences(board, golds)
    for golds in board.golds[1:]:
        yield _gold_changes(board, golds, words)
    for part, ids in board.facts["parts"].items():
        yield f"### {words.parts[part]} ({len(ids):,} of {n:,} questions)"
        yield _ranks(board, board.golds[0], ids)
    yield "### What the verdicts rest on"
    yield _evidence(board)
    yield "### Where a policy and EX disagree"
    yield _disagreements(board)


def _reference(board: BoardFigures) -> str:
    answers = len(board.questions) * len(board.systems)
    lines = [
        f"`{metric}` was checked against the official script on {counts['answers']:,} of "
        f"{answers:,} answers: {counts['same']:,} verdicts are the same."
        for metric, counts in board.facts["reference"].items()
    ]
    timeouts = board.facts["timeouts"]
    if timeouts:
        cut = board.facts["cut_by_time"]
        why = f"{cut:,} results were cut by the clock" if cut else "by steps, and not by the clock"
        lines.append(f"{count(timeouts, 'prediction')} ran beyond the limits of a query: {why}.")
    return " ".join(lines)


def _ranks(board: BoardFigures, golds: str, part: Sequence[str] | None = None) -> str:
    """The systems by every measure, in the order of the benchmark's own."""
    rankings = {measure: board.rank(golds, measure, part) for measure in board.measures}
    printed = {each["name"]: each["printed"] for each in board.facts["systems"]}
    with_print = part is None and golds == board.golds[0] and any(printed.values())
    order = rankings[board.metrics[0]].places
    rows = [
        (
            short_name(entry.system),
            *([_printed(printed[entry.system])] if with_print else []),
            *(_share_cell(ranking.by_system[entry.system]) for ranking in rankings.values()),
        )
        for entry in order
    ]
    titles = [COLUMNS.get(measure, f"`{measure}`") for measure in board.measures]
    header = ["system", *(["as printed"] if with_print else []), *titles]
    return markdown_table(header, rows, range(1, len(header)))


def _printed(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"  # noqa: RUF001


def _share_cell(entry: SystemShare) -> str:
    review = f", {entry.review} to review" if entry.review else ""
    return f"**{entry.rank}.** {entry.share * 100:.1f} ({interval_text(*entry.interval)}{review})"


def _differences(board: BoardFigures, golds: str) -> str:
    """By how much the first is above the others, by the measures of the advice."""
    rows = []
    for measure in board.measures:
        if measure == "results" or measure.endswith(AS_WRITTEN):
            continue
        best, *others = board.rank(golds, measure).places
        for entry in others[:_MOST]:
            test = board.difference(golds, measure, best.system, entry.system)
            rows.append(
                (
                    COLUMNS.get(measure, f"`{measure}`"),
                    short_name(best.system),
                    short_name(entry.system),
                    points(test.difference),
                    interval_text(test.low, test.high, signed=True),
                    "yes" if entry.rank > 1 else "no",
                )
            )
    header = ("measure", "first", "beside", "points", "95 % interval, paired", "lower rank")
    return markdown_table(header, rows, (3, 4))


_MOST = 3
"""How many systems stand beside the first."""


def _gold_changes(board: BoardFigures, golds: str, words: Board) -> str:
    """What other golds change, system by system."""
    changed = len(board.facts["golds"][golds])
    measures = [board.metric, "intent", "strict"]
    rows = []
    for entry in board.rank(golds, "intent").places:
        cells = [short_name(entry.system)]
        for measure in measures:
            test = board.gold_change(entry.system, measure, golds)
            before, after = (
                board.rank(name, measure).by_system[entry.system].rank
                for name in (board.golds[0], golds)
            )
            ranks = f"{before}" if before == after else f"{before} → {after}"
            cells.append(
                f"{points(test.difference)} ({interval_text(test.low, test.high, signed=True)}), "
                f"rank {ranks}"
            )
        rows.append(cells)
    header = ["system", *(COLUMNS.get(each, f"`{each}`") for each in measures)]
    about = (
        f"{changed} of {len(board.questions):,} golds differ. In points, with a paired 95 % "
        f"interval, from “{words.golds[board.golds[0]]}” to “{words.golds[golds]}”:"
    )
    return f"{about}\n\n{markdown_table(header, rows, range(1, len(header)))}"


def _evidence(board: BoardFigures) -> str:
    """The evidence bar in numbers, under the first golds."""
    golds = board.golds[0]
    rows = []
    for entry in board.rank(golds, "intent").places:
        counts = board.evidence(entry.system, golds)
        rows.append((short_name(entry.system), *(f"{counts[name]:,}" for name in EVIDENCE)))
    header = ["system", *(_EVIDENCE_TITLES[name] for name in EVIDENCE)]
    about = (
        f"The {len(board.questions):,} answers of each system under the golds "
        f"“{BOARDS[board.name].golds[golds]}”:"
    )
    return f"{about}\n\n{markdown_table(header, rows, range(1, len(header)))}"


_EVIDENCE_TITLES = {
    "proved": "proved equal",
    "searched": "equal here, no witness after a search",
    "witness": "equal here, a witness tells them apart",
    "form": "differs in form",
    "open": "differs in little, open",
    "differs": "differs on the data",
    "fails": "does not run",
}


def _disagreements(board: BoardFigures) -> str:
    """The situations in which a policy says otherwise than the benchmark's metric."""
    golds, metric = board.golds[0], board.metric
    counts = board.disagreements(golds, metric)
    rows = [
        (
            f"`{situation}`",
            md_cell(situation.row.because),
            *(
                f"{number:,}" if (number := counts[situation, own]) else ""
                for own in (Verdict.CORRECT, Verdict.INCORRECT)
            ),
            *(_DECISIONS[POLICIES[name].decide(situation)] for name in _POLICIES),
        )
        for situation in Situation
        if situation in {each for each, _ in counts}
    ]
    header = ("situation", "what was shown", "right by EX", "wrong by EX", *_POLICIES)
    answers = len(board.questions) * len(board.systems)
    about = (
        f"{counts.total():,} of {answers:,} answers, all systems together, under the golds "
        f"“{BOARDS[board.name].golds[golds]}”, and {COLUMNS[metric]}. An empty cell: no answer on "
        "which a policy says otherwise than EX."
    )
    return f"{about}\n\n{markdown_table(header, rows, (2, 3))}"


_POLICIES = ("results", "intent", "strict")
_DECISIONS = {"correct": "right", "incorrect": "wrong", "needs_review": "to review"}


def _case(case: Mapping[str, Any]) -> Iterator[str]:
    title, text = CASES[f"{case['board']} {case['id']}"]
    yield f"### {title}"
    golds = BOARDS[case["board"]].golds[case["golds"]]
    yield (
        f"*{md_cell(case['question'])}* ({BOARDS[case['board']].short}, question {case['id']} on "
        f"`{case['database']}`, golds {golds}; {short_name(case['system'])})"
    )
    queries = {"gold": case["gold"], "prediction": case["prediction"]}
    queries |= {f"gold, {name}": other["gold"] for name, other in case["other_golds"].items()}
    yield "\n".join(["```sql", *(f"{sql} -- {name}" for name, sql in queries.items()), "```"])
    lines = ["on the real data:", *(f"  {line}" for line in case["answers"])]
    if case["witness"]:
        lines += ["a witness:", *(f"  {line}" for line in case["witness"])]
    if case["proof"]:
        lines += ["a proof:", *(f"  {step}" for step in case["proof"])]
    yield "\n".join(["```text", *lines, "```"])
    yield text


def main() -> None:
    """Print the page of some facts."""
    sys.stdout.write(rescored_page(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
