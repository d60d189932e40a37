"""From data to TrustSQL's tables 2 and 3, on the demo: split, train, abstain, score, compare.

The demo's 90 questions are split in three: one part to learn which questions have an answer, one
to learn from the mistakes of a system and to choose thresholds, one to test. The system is the
demo's ``bold``, which answers everything. Each line of the table puts other detectors around it,
two of them trained here (random forests over the words of a question).

Needs the extra ``abstain``. Every command is printed before it runs:

    python examples/abstain/tables.py OUT
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from sqlverdict.load.benchmarks.demo import DemoReader, predictions_path
from sqlverdict.records import Case

PARTS = ("train", "validation", "test")
SYSTEM = "bold"
RF = "rf(trees=50, balance=true, threshold=0.7)"
RF_STAR = "rf_star(trees=50)"
LINES = {
    f"{RF} > recorded": "rf > bold",
    f"recorded > {RF_STAR}": "bold > rf_star",
    f"{RF} > recorded > {RF_STAR}": "rf > bold > rf_star",
    "recorded[confidence(penalty=10)]": "bold[confidence]",
    "recorded > error_gate": "bold > error_gate",
}
"""Compositions, and what their rows are called."""


def main(target: str) -> None:
    """Run the whole example in a folder."""
    folder = Path(target).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    cases = list(DemoReader().read(databases=folder / "databases").cases)
    parts = split(cases)
    for part, own in parts.items():
        write_cases(folder / f"{part}.jsonl", own)
    # The system's answers to all questions, for detectors, and those to the test questions.
    recorded, alone = folder / f"{SYSTEM}.jsonl", folder / f"{SYSTEM}_test.jsonl"
    lines = predictions_path(SYSTEM).read_text(encoding="utf-8").splitlines(keepends=True)
    recorded.write_text("".join(lines), encoding="utf-8")
    test_ids = {case.id for case in parts["test"]}
    own_lines = [line for line in lines if json.loads(line)["id"] in test_ids]
    alone.write_text("".join(own_lines), encoding="utf-8")
    predictions = [f"{SYSTEM}={alone}"]
    for number, (line, name) in enumerate(LINES.items()):
        out = folder / f"line{number}.jsonl"
        answer(line, folder, recorded, out)
        predictions.append(f"{name}={out}")
    options = [part for each in predictions for part in ("--predictions", each)]
    cases_file = str(folder / "test.jsonl")
    run("evaluate", "--cases", cases_file, *options, "--metrics", "ex", "--out",
        str(folder / "runs"), "--quiet", "--overwrite")  # fmt: skip
    runs = sorted(str(path) for path in (folder / "runs").iterdir() if path.is_dir())
    run("reliability", *runs, "--penalty", "0,10,N", "--out", str(folder / "report"))


def split(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """A third of the answerable and of the unanswerable questions for each part."""
    parts: dict[str, list[Case]] = {part: [] for part in PARTS}
    seen = {True: 0, False: 0}
    for case in cases:
        parts[PARTS[seen[case.answerable] % len(PARTS)]].append(case)
        seen[case.answerable] += 1
    return parts


def write_cases(path: Path, cases: Iterable[Case]) -> None:
    """Write cases as JSON lines."""
    with path.open("w", encoding="utf-8") as out:
        for case in cases:
            record = {
                "id": case.id,
                "db_id": case.db_id,
                "question": case.question,
                "gold": list(case.golds) or None,
                "difficulty": case.difficulty,
                "database": case.database,
                "tags": dict(case.tags),
            }
            out.write(json.dumps(record) + "\n")


def answer(line: str, folder: Path, recorded: Path, out: Path) -> None:
    """Answer the test questions with one composition."""
    data = ["--cases", str(folder / "test.jsonl"), "--out", str(out), "--overwrite"]
    training = [
        "--train", str(folder / "train.jsonl"), "--validation", str(folder / "validation.jsonl"),
    ]  # fmt: skip
    line = line.replace("recorded", f"recorded(path={recorded})")
    run("abstain", "run", line, *training, *data)


def run(*args: str) -> None:
    """Print a command and run it."""
    print("$ sqlverdict", *(repr(arg) if " " in arg else arg for arg in args), flush=True)
    subprocess.run([sys.executable, "-m", "sqlverdict", *args], check=True)  # noqa: S603 (ours)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "abstain-tables")
