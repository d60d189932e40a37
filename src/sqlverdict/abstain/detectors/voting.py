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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

from sqlverdict.abstain.base import Gate
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
from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.files.text import count
from sqlverdict.load.replies.fenced import is_plain_sql
from sqlverdict.parse.query import parse
from sqlverdict.parse.tokens import normalised
from sqlverdict.records import Answer, Outcome, ParseFailure


@ABSTAINERS.member
@dataclass(kw_only=True)
class Voting(Gate):
    """Unanimity of samples; options: n, equality, preset, threshold."""

    name: ClassVar[str] = "voting"
    version: ClassVar[int] = 3
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
                    f"samples or as 'samples' in the predictions; or set another n",
                    reason="incomplete",
                )
            queries = [sample for sample in samples if is_plain_sql(sample)]
            groups = grouped(queries, self.equality, ask, tools, self.preset)
            largest = max(groups, key=len, default=[])
            note = f"{len(largest)} of {len(samples)} agree, by {self.equality}"
            sql = largest[0] if largest else None
            findings.append(Detection(len(largest) / len(samples), sql, note))
        return findings


Equality = Literal["string", "tree", "proof", "execution"]


def grouped(
    queries: Sequence[str], equality: Equality, ask: Ask, tools: Tools, preset: str = "strict"
) -> list[list[str]]:
    """The queries in groups of equal ones, in order of first appearance.

    Proof and execution compare a query with the first of each group: neither need be
    transitive, and the first is the one that would be given as the answer.
    """
    same = _same(equality, ask, tools, preset)
    groups: list[list[str]] = []
    for query in queries:
        home = next((group for group in groups if same(group[0], query)), None)
        if home is None:
            groups.append([query])
        else:
            home.append(query)
    return groups


def _same(equality: Equality, ask: Ask, tools: Tools, preset: str) -> Callable[[str, str], bool]:
    if equality == "string":
        return lambda one, other: one == other
    if equality == "tree":
        return lambda one, other: _form(one) == _form(other)
    if equality == "proof":
        return lambda one, other: _form(one) == _form(other) or _proved(one, other, ask)
    if tools.runner is None:
        raise UsageError("equality=execution runs queries; say where the databases lie")
    return lambda one, other: _answers_alike(one, other, ask, tools, preset)


@lru_cache(maxsize=256)
def _form(sql: str) -> str:
    """One spelling for one tree; a text that no parser reads stands for itself."""
    query = parse(sql)
    if isinstance(query, ParseFailure):
        return normalised(sql)
    from sqlglot.errors import ErrorLevel
    from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

    tree = normalize_identifiers(query.tree.copy(), dialect=query.dialect)
    return tree.sql(
        dialect=query.dialect,
        comments=False,
        normalize_functions="upper",
        unsupported_level=ErrorLevel.IGNORE,
    )


def _proved(one: str, other: str, ask: Ask) -> bool:
    from sqlverdict.prove.prover import prove

    if ask.schema is None:
        raise UsageError(f"equality=proof needs the schema of {ask.db_id!r}; say where it is")
    # A proof has a direction: a prediction may sort what its gold leaves in any order.
    return prove(one, other, ask.schema).proved and prove(other, one, ask.schema).proved


def _answers_alike(one: str, other: str, ask: Ask, tools: Tools, name: str) -> bool:
    """The same rows; two queries that fail do not agree on anything."""
    assert tools.runner is not None
    runner, database = tools.runner, ask.database or ask.db_id
    preset = PRESETS.get(name)
    first, second = preset.prepare(one, other)

    def run(sql: str) -> Outcome:
        return runner.run(database, sql)

    left, right = run(first), run(second)
    if not isinstance(left, Answer) or not isinstance(right, Answer):
        return False
    pair = QueryPair(first, second, runner.engine_for(database).dialect, probe=run)
    return bool(preset.compare(left, right, pair).equal)
