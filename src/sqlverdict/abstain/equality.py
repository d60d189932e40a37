"""When two sampled queries say the same, in four senses; see the detector ``voting``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal

from sqlverdict.abstain.method import Ask, Tools
from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.errors import UsageError
from sqlverdict.parse.tokens import normalised
from sqlverdict.records import Answer, Outcome, ParseFailure

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
    from sqlverdict.parse.query import parse

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
    return prove(one, other, ask.schema).proved


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
