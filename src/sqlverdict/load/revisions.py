"""Which published revision of a benchmark the cases are: golds change, and names do not.

``revisions.json`` has facts alone: for each published revision a digest of every question and of
its golds, with the source. What exists and was not at hand stands there without digests, so that
nobody takes "unknown" for "new". ``bench/revisions.py`` adds a revision from its published files.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from itertools import islice

import msgspec

from sqlverdict.files.text import count
from sqlverdict.records import Case

FILE = "revisions.json"
DIGEST_SIZE = 6
"""Bytes of a digest: a million questions have one digest in common with a probability of 0.2%."""

MOST_CASES = 20_000
"""More cases than any published revision here has."""

FEWEST_COMMON = 5
"""So many questions that they are no matter of chance: "How many are there?" stands anywhere."""

LEAST_COMMON = 0.5
"""The share of the cases that must be questions of a revision for it to be named."""

QuestionDigest = tuple[str, bytes, bytes]
"""The id of a case, and the digests of its question and of its golds."""


class PublishedRevision(msgspec.Struct, frozen=True, kw_only=True):
    """A published revision of a benchmark.

    Attributes:
        name: What people call it.
        benchmark: The reader of its files.
        source: Where it was published, and what this copy is.
        digests: Base64 of a digest of the question and one of its golds, for each question; empty:
            the files were not at hand.
    """

    name: str
    benchmark: str
    source: str
    digests: str = ""

    def golds(self) -> dict[bytes, set[bytes]]:
        """The digests of the golds, by that of the question."""
        content = b64decode(self.digests)
        golds: dict[bytes, set[bytes]] = {}
        for start in range(0, len(content), 2 * DIGEST_SIZE):
            question = content[start : start + DIGEST_SIZE]
            golds.setdefault(question, set()).add(
                content[start + DIGEST_SIZE : start + 2 * DIGEST_SIZE]
            )
        return golds

    @property
    def size(self) -> int:
        """How many questions it has."""
        return len(b64decode(self.digests)) // (2 * DIGEST_SIZE)


@dataclass(frozen=True)
class RevisionMatch:
    """What is known of the revision of some cases.

    Attributes:
        names: The revisions that have all of these questions with these golds; empty: none has.
        nearest: The revision with the fewest other golds; empty: the questions are of none.
        size: How many questions that has.
        cases: How many cases there are.
        other_golds: The cases with another gold than the nearest revision, by id.
        other_questions: The cases that are no question of it.
    """

    names: tuple[str, ...]
    nearest: str
    size: int
    cases: int
    other_golds: tuple[str, ...]
    other_questions: tuple[str, ...]

    def __str__(self) -> str:
        if not self.nearest:
            return "of no published revision that is known"
        if self.names:
            name = " or ".join(self.names)
            return name if self.cases == self.size else f"{self.cases:,} questions of {name}"
        parts = []
        if self.other_golds:
            parts.append(f"{count(len(self.other_golds), 'gold differs', 'golds differ')}")
        if self.other_questions:
            number = len(self.other_questions)
            parts.append(f"{count(number, 'question is', 'questions are')} not in it")
        return f"unknown; nearest {self.nearest}: {', '.join(parts)}"


@lru_cache(maxsize=1)
def published_revisions() -> tuple[PublishedRevision, ...]:
    """All revisions, those without digests too."""
    text = files("sqlverdict.load").joinpath(FILE).read_bytes()
    return tuple(msgspec.json.decode(text, type=list[PublishedRevision]))


@lru_cache(maxsize=1)
def _golds() -> Mapping[str, Mapping[bytes, set[bytes]]]:
    return {each.name: each.golds() for each in published_revisions() if each.digests}


def digest_question(case: Case) -> QuestionDigest:
    """What tells the question of a case and its golds from others."""
    return case.id, text_digest(case.question), golds_digest(case.golds)


def match_revision(cases: Iterable[Case]) -> RevisionMatch:
    """Find the published revision of some cases; of too many none is known."""
    first = islice(cases, MOST_CASES + 1)
    return match_digests([digest_question(case) for case in first if case.question.strip()])


def match_digests(digests: Sequence[QuestionDigest]) -> RevisionMatch:
    """Find the published revision of some questions; of too many none is known.

    Args:
        digests: The digests of each. A question without its text is not known: it has none.
    """
    if all(question == text_digest("") for _, question, _ in digests):
        # Nothing says where a file of golds alone is from.
        return RevisionMatch((), "", 0, len(digests), (), ())
    sizes = {each.name: each.size for each in published_revisions()}
    best: RevisionMatch | None = None
    names: list[str] = []
    for name, golds in _golds().items() if len(digests) <= MOST_CASES else ():
        unknown = [case for case, question, _ in digests if question not in golds]
        common = len(digests) - len(unknown)
        if common < max(FEWEST_COMMON, LEAST_COMMON * len(digests)):
            continue
        other = [
            case
            for case, question, gold in digests
            if question in golds and gold not in golds[question]
        ]
        if not other and not unknown:
            names.append(name)
        match = RevisionMatch((), name, sizes[name], len(digests), tuple(other), tuple(unknown))
        if best is None or _distance(match) < _distance(best):
            best = match
    if best is None:
        return RevisionMatch((), "", 0, len(digests), (), ())
    return RevisionMatch(
        tuple(names), best.nearest, best.size, best.cases, best.other_golds, best.other_questions
    )


def revision_words(digests: Sequence[QuestionDigest]) -> str:
    """The revision in words; empty for questions of no published revision."""
    match = match_digests(digests)
    return str(match) if match.nearest else ""


def _distance(match: RevisionMatch) -> tuple[int, int]:
    return len(match.other_golds) + len(match.other_questions), match.size


def text_digest(text: str) -> bytes:
    """A digest of a text; blanks and the last semicolon do not count."""
    plain = " ".join(text.split()).rstrip("; ")
    return blake2b(plain.encode("utf-8", "backslashreplace"), digest_size=DIGEST_SIZE).digest()


def golds_digest(golds: Sequence[str]) -> bytes:
    """A digest of all golds of a case, in any order."""
    if len(golds) == 1:
        return text_digest(golds[0])
    return text_digest("\0".join(sorted(" ".join(gold.split()).rstrip("; ") for gold in golds)))
