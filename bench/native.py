"""How many matching pairs are decided on queries that were written for their engine.

defog's questions on PostgreSQL, MariaDB and SQLite (golds, and predictions that are changed golds),
and BIRD mini-dev on PostgreSQL with the published predictions of nine systems. Of the pairs whose
two sides give the same answer: the share that is proved, or refuted by a witness; the rest by what
the search and the prover say. A pair that is both makes the exit code 5.

Run: ``python bench/native.py [--only ENGINE ...] [--every N] [--start K] [--list FILE]``; needs
SQLVERDICT_DATA and the servers, as ``official_scorers.py`` does, with whose data it is made.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from official_scorers import ENGINE_REFERENCES, Reference
from sqlverdict import Options, evaluate
from sqlverdict.evidence import Proved, Refuted, Tested, Undecided
from sqlverdict.files.markdown import markdown_table
from sqlverdict.records import Result

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "reference"))
from official_data import CLOCK

CONTRADICTION = 5
HEADER = (
    *("queries", "engine", "matching", "same text", "proved otherwise", "refuted", "open"),
    "decided",
)


def matching(reference: Reference) -> list[Result]:
    """The results of pairs whose two sides give the same answer."""
    options = Options(
        metrics=["verdict", "ex"], engine=reference.engine, now=CLOCK, workers=0, cache=None
    )
    run = evaluate(reference.cases, reference.predictions, options=options)
    return [result for result in run.results() if result.scores["ex"] == 1.0]


def tally(reference: Reference, open_pairs: list[dict[str, Any]]) -> tuple[tuple[str, ...], int]:
    """The row of one reference, and how many pairs contradict themselves."""
    counts: Counter[str] = Counter()
    results = matching(reference)
    golds = {case.id: case.golds for case in reference.cases}
    for result in results:
        kinds = {type(piece) for piece in result.evidence}
        counts["both"] += {Proved, Refuted} <= kinds
        kind = "refuted" if Refuted in kinds else "proved" if Proved in kinds else "open"
        if kind == "proved" and result.prediction in golds[result.id]:
            kind = "same"
        counts[kind] += 1
        if kind == "open":
            open_pairs.append(_open_pair(reference, result))
    share = f"{1 - counts['open'] / max(1, len(results)):.1%}"
    numbers = (len(results), *(counts[kind] for kind in ("same", "proved", "refuted", "open")))
    return (reference.name, reference.engine, *map(str, numbers), share), counts["both"]


def _open_pair(reference: Reference, result: Result) -> dict[str, Any]:
    pieces = [piece for piece in result.evidence if isinstance(piece, Tested | Undecided)]
    causes = [", ".join(map(str, getattr(piece, "reasons", ()))) or "tested" for piece in pieces]
    return {
        "queries": reference.name,
        "engine": reference.engine,
        "id": result.id,
        "golds": result.gold,
        "prediction": result.prediction,
        "cause": "; ".join(sorted(set(causes))) or result.situation,
        "evidence": [str(piece) for piece in pieces],
    }


def main() -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=ENGINE_REFERENCES, default=["postgres"])
    parser.add_argument("--every", type=int, default=1, help="take every N-th pair")
    parser.add_argument("--start", type=int, default=0, help="the first pair that is taken")
    parser.add_argument("--list", type=Path, help="write the open pairs")
    args = parser.parse_args()
    rows, open_pairs, contradictions = [], list[dict[str, Any]](), 0
    with tempfile.TemporaryDirectory() as folder:
        for engine in args.only:
            for reference in ENGINE_REFERENCES[engine](Path(folder)):
                if reference.name == "Spider 2.0":
                    continue
                row, both = tally(reference.every(args.every, args.start), open_pairs)
                rows.append(row)
                contradictions += both
    print(markdown_table(HEADER, rows))
    print()
    causes = Counter((pair["queries"], pair["engine"], pair["cause"]) for pair in open_pairs)
    causes_rows = [(*key, str(count)) for key, count in causes.most_common()]
    print(markdown_table(("queries", "engine", "open because", "pairs"), causes_rows))
    if args.list is not None:
        args.list.write_text("".join(f"{json.dumps(pair)}\n" for pair in open_pairs))
    return CONTRADICTION if contradictions else 0


if __name__ == "__main__":
    sys.exit(main())
