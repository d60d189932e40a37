"""An attack on the sandboxes of all engines, with a differential fuzzer of their lexers.

=======  ========================================================================================
soup     random literals, comments, quotes and control characters, with calls that must not be
         reached. No answer holds the secret. What the server returns is what the guard read: the
         literals of the text that was sent. Where the server takes the original text too, it gives
         the same literals
placed   calls that read files, settings and other databases, wait, lock, set or write, in random
         places of a query and in random spellings
corpus   every hostile statement of ``sqlverdict.testing.hostile`` for the engine
=======  ========================================================================================

Before and after, the state of the engine is the same: databases, tables, roles, locks, sessions,
settings, files.

Run: ``python bench/attack_engines.py ENGINE [--seed N|random] [--minutes M] [--server URL]``. The
exit code is 1 where something passed. A server needs the URL of its administrator.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random, SystemRandom
from time import monotonic

from attack_servers import Mysql, Postgres
from attack_targets import Duckdb, Sqlite, Target
from attack_texts import place_call, soup
from sqlverdict.records import Answer, Failure, Fault

TARGETS: dict[str, type[Target]] = {each.name: each for each in (Sqlite, Duckdb, Postgres, Mysql)}


class Attack:
    """Texts against one engine.

    Args:
        target: The engine, with something to protect.
        chance: Decides.
    """

    def __init__(self, target: Target, chance: Random) -> None:
        self.target = target
        self.chance = chance
        self.counts: Counter[str] = Counter()
        self.passed: list[dict[str, str]] = []

    def run(self, seconds: float, texts: int, *, corpus: bool = True) -> None:
        """Attack until the time is over or the texts are used up, the corpus first."""
        before = self.target.state()
        ends = monotonic() + seconds
        for number, (part, text) in enumerate(self._texts(corpus=corpus)):
            if number >= texts or (monotonic() > ends and part != "corpus"):
                break
            self._try(part, text)
        after = self.target.state()
        for what in before.keys() | after.keys():
            if before.get(what) != after.get(what):
                self._pass("state", what, f"{before.get(what)} -> {after.get(what)}")

    def _texts(self, *, corpus: bool) -> Iterator[tuple[str, str]]:
        for text in self.target.corpus() if corpus else ():
            yield "corpus", text
        while True:
            if self.chance.random() < 0.75 and self.target.styles:
                calls = self.target.calls if self.chance.random() < 0.5 else ()
                yield "soup", soup(self.chance, self.target.styles, calls)
            else:
                yield "placed", place_call(self.chance, self.chance.choice(self.target.calls))

    def _try(self, part: str, text: str) -> None:
        self.counts[part] += 1
        outcome = self.target.session.run(text)
        if isinstance(outcome, Failure):
            self.counts[f"{part}: {outcome.reason.value}"] += 1
            if self._tells(outcome.message, text):
                self._pass("secret in a message", text, outcome.message)
            if outcome.fault is Fault.ENGINE:
                self._pass("engine fault", text, outcome.message)
            return
        self.counts[f"{part}: answer"] += 1
        if self._tells(str(outcome.rows), text):
            self._pass("secret", text, str(outcome.rows[:3]))
        if part == "soup":
            self._compare(text, outcome)

    def _tells(self, words: str, text: str) -> bool:
        return any(secret in words and secret not in text for secret in self.target.secrets)

    def _compare(self, text: str, answer: Answer) -> None:
        """The answer holds what the guard read, and what the server reads in the original."""
        read = self.target.literals(text)
        if read is not None:
            self.counts["soup: literals compared"] += 1
            row = [str(cell) for cell in answer.rows[0]] if len(answer.rows) == 1 else None
            if row != read:
                self._pass("the server read another text", text, f"{read} -> {row}")
            modes = self.target.columns_in_other_modes(text)
            if any(columns != len(read) for columns in modes):
                self._pass("another mode reads another text", text, f"{read} -> {modes}")
        original = self.target.raw(text) if read is not None else None
        if original is not None:
            self.counts["soup: original compared"] += 1
            if [str(cell) for cell in original] != read:
                self._pass("the text has another meaning", text, f"{original} -> {read}")

    def _pass(self, kind: str, text: str, detail: str) -> None:
        self.counts[f"PASSED: {kind}"] += 1
        self.passed.append({"kind": kind, "text": text, "detail": detail[:500]})
        if len(self.passed) <= 20:
            print(f"PASSED {json.dumps(self.passed[-1])}", flush=True)


@contextmanager
def attack(engine: str, server: str | None, seed: str, *, alone: bool = False) -> Iterator[Attack]:
    """An attack on an engine, with something to protect."""
    make = TARGETS[engine]
    with tempfile.TemporaryDirectory() as folder, make(Path(folder), server, alone=alone) as target:
        yield Attack(target, Random(seed))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("engine", choices=sorted(TARGETS))
    parser.add_argument("--seed", default="1")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--texts", type=int, default=sys.maxsize)
    parser.add_argument("--server", help="the URL of a server's administrator")
    parser.add_argument(
        "--alone", action="store_true", help="nobody else uses the server: compare all of its state"
    )
    args = parser.parse_args()
    seed = str(SystemRandom().randrange(10**9)) if args.seed == "random" else args.seed
    with attack(args.engine, args.server, seed, alone=args.alone) as each:
        each.run(args.minutes * 60, args.texts)
        print(f"{args.engine}, seed {seed}")
        for what, count in sorted(each.counts.items()):
            print(f"  {what:<45}{count:>12,}")
        print(f"  {'bypasses':<45}{len(each.passed):>12,}")
        return 1 if each.passed else 0


if __name__ == "__main__":
    sys.exit(main())
