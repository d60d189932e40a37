"""How often the corrected gold is among the proposals of ``audit --propose``.

The expert-corrected golds of ``labels/corrected_golds.jsonl`` whose text differs from the published
gold, with 13 systems' queries. A proposal is right where it is proved equal to the corrected gold,
or where the corrected gold changes the answer on the database and the proposal gives that answer,
by ``ex[bird]`` or by ``ex``, which ignores float noise. Questions are split in two by their
position: ways and order of the proposals were made with the first half in sight, the second half
was looked at once, for the figures.

Run: ``python bench/repairs.py [--half first|second] [--show]``; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from audit_data import DATA, Databases
from sqlverdict.api.calls import prove_pair
from sqlverdict.api.scorer import Scorer
from sqlverdict.audit.proposal import Proposal
from sqlverdict.audit.propose import Proposer
from sqlverdict.prove.proof import Proof
from sqlverdict.records import Result, Verdict
from sqlverdict.report.terminal.tables import plain_table, table
from sqlverdict.score.statistics.intervals import wilson

HEADS = ("golds", "right among three", "recall, 95 %", "right first")


@dataclass(frozen=True)
class Outcome:
    """What was proposed for one gold.

    ``hit`` is the number of the right proposal, from 1; 0: there is none.
    """

    id: str
    half: str
    changes: bool
    proposals: tuple[Proposal, ...]
    hit: int


def outcomes(half: str | None) -> Iterator[Outcome]:
    """The proposals for each corrected gold."""
    with (DATA / "labels" / "corrected_golds.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = [row for row in rows if row["gold"].split() != row["corrected_gold"].split()]
    databases = Databases()
    proposer = Proposer(databases.runner, "ex[bird]")
    plain = Scorer("ex")
    for position, row in enumerate(rows):
        own_half = ("first", "second")[position % 2]
        if half not in (None, own_half):
            continue
        path = databases.path("bird", row["db_id"])
        assert path is not None
        systems = [(name, sql) for name, sql in row["predictions"].items() if sql.strip()]
        case = Result(
            position, row["id"], row["db_id"], row["question"], (row["gold"],), None, False,
            Verdict.INCORRECT,
        )  # fmt: skip
        proposals = proposer.propose(case, path, systems, row["evidence"] or "")
        corrected = row["corrected_gold"]
        changes = not databases.same(row["db_id"], row["gold"], corrected)

        def is_right(sql: str) -> bool:
            proof = prove_pair(corrected, sql, db=path)  # noqa: B023
            same = databases.same(row["db_id"], corrected, sql)  # noqa: B023
            same = same or plain(corrected, sql, path) == 1  # noqa: B023
            return isinstance(proof, Proof) or (changes and same)  # noqa: B023

        hits = [n for n, each in enumerate(proposals, 1) if is_right(each.candidate.sql)]
        yield Outcome(row["id"], own_half, changes, proposals, hits[0] if hits else 0)
    proposer.close()


def line(name: str, members: list[Outcome]) -> tuple[str, ...]:
    """One line of the table of recall."""
    hits = sum(each.hit > 0 for each in members)
    low, high = wilson(hits, len(members))
    first = sum(each.hit == 1 for each in members)
    share = f"{hits / len(members):.2f} ({low:.2f} to {high:.2f})"
    return name, f"{hits} of {len(members)}", share, str(first)


def show(each: Outcome) -> None:
    """Print the proposals for one gold."""
    print(each.id, each.half, "other answer" if each.changes else "same answer", each.hit)
    for number, one in enumerate(each.proposals, 1):
        own = one.candidate
        print(
            f"  {number} {own.source}: {len(own.systems)} systems, {len(own.proved)} proved equal"
        )
        print(f"    removes {one.removes}, adds {one.adds}; {one.change_words()}")
        print(f"    +{len(one.to_right)} -{len(one.to_wrong)} {own.sql!r}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("first", "second"))
    parser.add_argument("--show", action="store_true", help="Print each gold's proposals.")
    args = parser.parse_args()
    results = []
    for each in outcomes(args.half):
        results.append(each)
        if args.show:
            show(each)
    lines = []
    for half in ("first", "second", None):
        for changes in (True, None):
            own = [e for e in results if half in (None, e.half) and changes in (None, e.changes)]
            if own:
                name = f"{half or 'both'}, {'another answer' if changes else 'all'}"
                lines.append(line(name, own))
    print(plain_table(table(HEADS, lines, left=(0,))))
    sources = Counter(p.candidate.source for e in results for p in e.proposals)
    right = Counter(e.proposals[e.hit - 1].candidate.source for e in results if e.hit)
    rows = [(name, str(number), str(right[name])) for name, number in sources.most_common()]
    print(plain_table(table(("way", "proposals", "right"), rows, left=(0,))))
    everything = [p for e in results for p in e.proposals]
    changed = sum(p.changes_answer for p in everything)
    print(
        f"{len(everything)} proposals, {changed} with another answer, "
        f"{sum(p.witness is not None for p in everything)} with a witness, "
        f"{sum(not p.changes_answer and p.witness is None for p in everything)} with neither"
    )


if __name__ == "__main__":
    main()
