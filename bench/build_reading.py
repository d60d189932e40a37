"""Do people accept the unanswerable questions that ``sqlverdict build`` makes?

``draw`` takes questions of each type, and answerable ones as a control, out of a built benchmark,
mixes them and hides which is which. Two readers who have not seen the code mark each: is it
natural (would a person ask this of such a database?), and is it answerable (does the schema hold
what it asks for?). ``count`` puts the marks together.

    sqlverdict build --benchmark spider --root spider --split train --set seed=7 --out built
    python bench/build_reading.py draw built --seed 7 --out reading
    python bench/build_reading.py count reading votes/*.jsonl

The marks of three readings are in ``build_reading_votes.jsonl``, by case id: the questions are
Spider's, with a change, and are not kept here. A line of votes:

    {"id": "r001", "natural": true, "answerable": false, "note": ""}
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlverdict.abstain.benchmark.chance import shuffled
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.score.agreement.annotators import cohen_kappa
from sqlverdict.score.statistics.intervals import wilson

EACH = 20
CONTROLS = 30
GUIDE = """# Reading built questions

Each line of `questions.jsonl` has a question and the schema of the database it is asked on.
Mark each in a file of your own, `votes/NAME.jsonl`, one line per question:

    {"id": "r001", "natural": true, "answerable": false, "note": ""}

- `natural`: a person who uses such a database, or a chat window over it, could well ask this in
  these words. Small slips of spelling and grammar are natural; nonsense (an attribute that such a
  thing cannot have, words that do not fit together) is not. A sensible question about another
  subject than this database's is natural: people ask the wrong window.
- `answerable`: one SQL query over this schema answers all of it, without guessing. A request for
  more than rows (a chart, an e-mail, a forecast) is not answerable.

Do not talk to the other reader, and do not look for where a question came from.
"""


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The records of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def draw(built: Path, out: Path, seed: int, each: int = EACH, controls: int = CONTROLS) -> None:
    """Draw, mix and hide."""
    by_type: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for case in lines_of(built / "test.jsonl"):
        if not database(built, case["db_id"]).is_file():
            continue  # Nobody can tell what a database that is not there could answer.
        by_type[case.get("unanswerable_type") or "answerable"].append(case)
    sample = [
        case
        for kind, cases in sorted(by_type.items())
        for case in shuffled(cases, seed, "reading", kind, key=lambda case: case["id"])[
            : controls if kind == "answerable" else each
        ]
    ]
    mixed = shuffled(sample, seed, "mix", key=lambda case: case["id"])
    (out / "votes").mkdir(parents=True, exist_ok=True)
    schemas = {case["db_id"]: schema_text(built, case["db_id"]) for case in mixed}
    names = [f"r{number:03}" for number in range(1, len(mixed) + 1)]
    write(
        out / "questions.jsonl",
        [
            {"id": name, "schema": schemas[case["db_id"]], "question": case["question"]}
            for name, case in zip(names, mixed, strict=True)
        ],
    )
    write(
        out / "key.jsonl",
        [
            {
                "id": name,
                "case": case["id"],
                "db_id": case["db_id"],
                "type": case.get("unanswerable_type") or "answerable",
                "written": case["tags"].get("written", ""),
                "question": case["question"],
            }
            for name, case in zip(names, mixed, strict=True)
        ],
    )
    (out / "GUIDE.md").write_text(GUIDE, encoding="utf-8")
    print(f"{len(mixed)} questions in {out}")


def database(built: Path, db_id: str) -> Path:
    """Where a built benchmark has a database."""
    return built / "databases" / db_id / f"{db_id}.sqlite"


def schema_text(built: Path, db_id: str) -> str:
    """The tables and columns of a database, a line each."""
    schema = read_sqlite(database(built, db_id), db_id)
    return "\n".join(
        f"{table.name}({', '.join(column.name for column in table.columns)})"
        for table in schema.tables
    )


def write(path: Path, records: Sequence[dict[str, Any]]) -> None:
    """Write records as JSONL."""
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text(text, encoding="utf-8")


def count(folder: Path, votes: Sequence[Path]) -> None:
    """Shares by type, of all marks, and how well the readers agree."""
    key = {record["id"]: record for record in lines_of(folder / "key.jsonl")}
    marks = [{vote["id"]: vote for vote in lines_of(path)} for path in votes]
    for path, own in zip(votes, marks, strict=True):
        if missing := sorted(set(key) - set(own)):
            raise SystemExit(f"{path} has no mark for {', '.join(missing[:5])}")
    kinds = sorted({record["type"] for record in key.values()})
    print(f"{'type':18} {'natural':>24} {'answerable':>24}")
    for kind in [*kinds, "all unanswerable"]:
        ids = [
            name
            for name, record in key.items()
            if record["type"] == kind
            or (kind == "all unanswerable" and record["type"] != "answerable")
        ]
        cells = []
        for mark in ("natural", "answerable"):
            yes = sum(bool(own[name][mark]) for own in marks for name in ids)
            low, high = wilson(yes, len(ids) * len(marks))
            share = yes / (len(ids) * len(marks))
            cells.append(f"{yes:4} {share:6.1%} ({low:.0%} to {high:.0%})")
        print(f"{kind:18} {cells[0]:>24} {cells[1]:>24}")
    for mark in ("natural", "answerable"):
        if len(marks) == 2:
            first, second = marks
            pairs = [(float(first[name][mark]), float(second[name][mark])) for name in key]
            same = sum(one == other for one, other in pairs) / len(pairs)
            kappa = cohen_kappa(pairs)
            text = "none" if kappa is None else f"{kappa:.2f}"
            print(f"the readers agree on {mark}: {same:.1%}, kappa {text}")
    both = [
        name
        for name, record in key.items()
        if record["type"] != "answerable" and all(own[name]["answerable"] for own in marks)
    ]
    print(f"unanswerable questions that all readers call answerable: {len(both)}")
    for name in both:
        print(f"  {name} {key[name]['type']} on {key[name]['db_id']}: {key[name]['question']}")


def main() -> None:
    """Draw or count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw", help="draw questions for the readers")
    drawing.add_argument("built", type=Path)
    drawing.add_argument("--out", type=Path, required=True)
    drawing.add_argument("--seed", type=int, default=0)
    drawing.add_argument("--each", type=int, default=EACH, help="questions of each type")
    drawing.add_argument("--controls", type=int, default=CONTROLS, help="answerable ones")
    counting = commands.add_parser("count", help="put the readers' marks together")
    counting.add_argument("folder", type=Path)
    counting.add_argument("votes", type=Path, nargs="+")
    arguments = parser.parse_args()
    if arguments.command == "draw":
        draw(
            *(arguments.built, arguments.out, arguments.seed),
            *(arguments.each, arguments.controls),
        )
    else:
        count(arguments.folder, arguments.votes)


if __name__ == "__main__":
    main()
