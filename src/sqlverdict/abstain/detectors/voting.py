"""Several sampled answers vote; the answer is given where all of them say the same.

Position:
    with f (``sqlprompt[voting]``), or over the samples that predictions carry
Learns from:
    nothing
Confidence:
    the share of the largest group of equal queries among all samples; by default all must
    agree (1). A sample without SQL belongs to no group. What "equal" means is a choice that
    changes scores more than most detectors do, so it is named:

    * ``string``: character for character;
    * ``tree``: one tree, whatever the case, the spaces and the comments;
    * ``proof``: proved equivalent by rules, on every legal database;
    * ``execution``: the same rows on the database at hand, compared by ``preset``.

    Predictions that carry more than ``n`` samples vote with the first ``n``; fewer are an error.
Source:
    TrustSQL, section 4.2 (VOTING, five samples)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.equality import Equality, grouped
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Detection,
    Draft,
    GeneratorNeeds,
    Need,
    Position,
    Tools,
)
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.files.text import count
from sqlverdict.load.fenced import is_plain_sql


@ABSTAINERS.member
@dataclass(kw_only=True)
class Voting(Gate):
    """Unanimity of samples; options: n, equality, preset, threshold."""

    name: ClassVar[str] = "voting"
    version: ClassVar[int] = 2
    position: ClassVar[Position] = "with"
    needs: ClassVar[frozenset[Need]] = frozenset()

    threshold: float | None = 1.0
    n: int = 5
    equality: Equality = "string"
    preset: str = "strict"

    def generator_needs(self) -> GeneratorNeeds:
        """Several samples."""
        if self.n < 2:
            raise UsageError(f"voting(n={self.n}): a vote needs at least two samples")
        return GeneratorNeeds(samples=self.n)

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """The share of the largest group, and its first query."""
        findings = []
        for ask, draft in drafts:
            all_samples = draft.samples if draft is not None else ()
            samples = all_samples[: self.n]
            if len(samples) < self.n:
                raise PredictionError(
                    f"voting(n={self.n}): the answer to {ask.id!r} carries "
                    f"{count(len(samples), 'sample')}. Expected {self.n}, from a generator that "
                    f"samples or as 'samples' in the predictions; or set another n"
                )
            queries = [sample for sample in samples if is_plain_sql(sample)]
            groups = grouped(queries, self.equality, ask, tools, self.preset)
            largest = max(groups, key=len, default=[])
            note = f"{len(largest)} of {len(samples)} agree, by {self.equality}"
            sql = largest[0] if largest else None
            findings.append(Detection(len(largest) / len(samples), sql, note))
        return findings
