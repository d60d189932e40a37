"""Adds a published revision of a benchmark to the facts that come with the package.

Reads the published files with the benchmark's own reader and writes a digest of each question and
of its golds to ``src/sqlverdict/load/revisions.json``: no text of the benchmark. A revision of the
same name is replaced.

Run: ``python bench/revisions.py 'BIRD dev 2025-11-06' bird FOLDER --source 'URL, what this copy
is'``. ``--golds FILE`` takes the golds from a file with one a line instead, in the order of the
questions. Without a folder the revision is listed as one that exists and was not at hand.
"""

from __future__ import annotations

import argparse
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import msgspec

from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.revisions import FILE, PublishedRevision, golds_digest, text_digest
from sqlverdict.records import Case

FACTS = Path(__file__).parents[1] / "src" / "sqlverdict" / "load" / FILE


def read_cases(benchmark: str, path: Path, golds: Path | None) -> list[Case]:
    """The cases of published files, with other golds where a file of them is given."""
    cases = list(BENCHMARKS.get(benchmark).read(path).cases)
    if golds is None:
        return cases
    lines = golds.read_text("utf-8").splitlines()
    return [
        replace(case, golds=(line.partition("\t")[0],))
        for case, line in zip(cases, lines, strict=True)
    ]


def add_revision(revision: PublishedRevision) -> None:
    """Write a revision to the facts, in the order of names."""
    every = {
        each.name: each
        for each in msgspec.json.decode(
            FACTS.read_bytes() if FACTS.exists() else b"[]", type=list[PublishedRevision]
        )
    }
    every[revision.name] = revision
    rows = [every[name] for name in sorted(every)]
    FACTS.write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n")


def main() -> None:
    """Add one revision."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name")
    parser.add_argument("benchmark")
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--golds", type=Path)
    parser.add_argument("--source", required=True)
    args = parser.parse_args()
    digests = b""
    if args.path is not None:
        for case in read_cases(args.benchmark, args.path, args.golds):
            digests += text_digest(case.question) + golds_digest(case.golds)
    add_revision(
        PublishedRevision(
            name=args.name,
            benchmark=args.benchmark,
            source=args.source,
            digests=b64encode(digests).decode(),
        )
    )


if __name__ == "__main__":
    main()
