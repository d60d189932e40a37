"""What the conformance suite for rules works with: a rule's pairs, their facts, normal forms.

Queries that ask the clock are compared at one moment: the search for witnesses refuses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.execute.in_memory import warm_scratch
from sqlverdict.parse.facts import Fact, HasAffinity, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.normalise import RuleSet, normalise
from sqlverdict.prove.profile import PROFILES, ProofQuestion, rules_of
from sqlverdict.prove.proof import NormalForm
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.text import resolved_sql
from sqlverdict.prove.rule import Pair, Rule
from sqlverdict.prove.tree_key import tree_key
from sqlverdict.records import Answer, Failure, ParseFailure, Query, Reason
from sqlverdict.refute.make.generator import InstanceGenerator
from sqlverdict.refute.read.constants import read_query
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness import Instance, NotRefuted, SearchBudget, Witness

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

    from sqlverdict.execute.in_memory import ScratchDatabase
    from sqlverdict.prove.normalise import RuleSet
    from sqlverdict.prove.proof import Derivation, Path
    from sqlverdict.prove.reasoning.facts import Facts
    from sqlverdict.records import Outcome
    from sqlverdict.refute.witness import Refutation


SHRINK = 200
"""Smaller databases that are tried for a witness, where people read it."""


@lru_cache(maxsize=512)
def schema_of(rule: Rule) -> Schema:
    """The tables of a rule's pairs."""
    return read_ddl(rule.schema, rule.name)


@lru_cache(maxsize=512)
def typed(rule: Rule) -> frozenset[Fact]:
    """What always holds on a rule's tables: the types of the columns."""
    return frozenset(fact for fact in facts_of(schema_of(rule)) if isinstance(fact, HasAffinity))


def profile_of(rule: Rule) -> str:
    """The profile that a rule is checked in: its first."""
    return rule.profiles[0]


def is_heuristic(rule: Rule) -> bool:
    """Whether a rule is known to be unsound in some corner, and so is not held to soundness."""
    return rule.trust == "heuristic"


def subsets(facts: Iterable[Fact]) -> Iterator[frozenset[Fact]]:
    """Every subset, small ones first."""
    known = tuple(facts)
    for size in range(len(known) + 1):
        yield from map(frozenset, combinations(known, size))


def parsed(sql: str, rule: Rule) -> Query:
    """A pair's query.

    Raises:
        AssertionError: it does not parse.
    """
    query = parse(sql)
    if isinstance(query, ParseFailure):
        raise AssertionError(f"rule {rule.name} has the query {sql!r}: {query.message}")
    return query


def derive(rule: Rule, pair: Pair, facts: frozenset[Fact]) -> Derivation:
    """What the rule's profile makes of a pair, without the short way for equal texts."""
    question = ProofQuestion(
        parsed(pair.left, rule), parsed(pair.right, rule), schema_of(rule), facts | typed(rule)
    )
    return PROFILES.get(profile_of(rule)).derive(question)


def witness(
    rule: Rule, left: str, right: str, facts: Iterable[Fact], instances: int, shrink: int = SHRINK
) -> Refutation:
    """Search for a database that obeys the facts and no others, on which two queries differ.

    To make it small takes longer than the search; with ``shrink`` 0 it stays as it is.

    Queries that ask the clock, which the search refuses, are compared at one moment.
    """
    schema, all_facts = schema_of(rule), frozenset(facts) | typed(rule)
    queries = parsed(left, rule), parsed(right, rule)
    if any(asks_the_clock(query, schema, all_facts) for query in queries):
        return at_one_moment(*queries, schema, all_facts, instances)
    return find_witness(
        left,
        right,
        schema,
        facts=all_facts,
        # Seconds are the last stop; a busy machine must not decide.
        budget=SearchBudget(instances=instances, alike=1, seconds=120.0, shrink=shrink),
    )


def start(sql: str, rule: Rule, facts: frozenset[Fact]) -> tuple[Expr, Facts] | None:
    """A query's tree as the rules of the profile see it first; ``None``: beyond the prover."""
    query = parsed(sql, rule)
    profile = PROFILES.get(profile_of(rule))
    try:
        return profile.read(query, schema_of(rule), facts | typed(rule))
    except Unsupported:
        return None


@lru_cache(maxsize=1024)
def normal_form(sql: str, rule: Rule, facts: frozenset[Fact], rules: RuleSet) -> NormalForm | None:
    """A query rewritten to the end; ``None`` where the prover cannot read it.

    Several checks of a rule ask for the same one, and change no tree.

    Raises:
        TooManySteps: the rules find no end.
    """
    tree_and_facts = start(sql, rule, facts)
    if tree_and_facts is None:
        return None
    tree, steps = normalise(*tree_and_facts, rules)
    return NormalForm(tree, tuple(steps), tree_key(tree), resolved_sql)


def rule_sets(rule: Rule) -> tuple[RuleSet, RuleSet]:
    """The rule alone, and all rules of its profile."""
    return _rule_sets(rule, rules_of(profile_of(rule)))


@lru_cache(maxsize=512)
def _rule_sets(rule: Rule, house: RuleSet) -> tuple[RuleSet, RuleSet]:
    """The same sets for every check: two sets are equal where they are one."""
    return RuleSet((rule,)), house if rule in house.rules else RuleSet((*house.rules, rule))


def tree_shape(node: Expr, hole: Path | None = None) -> str:
    """A tree as text, every argument of every node; what is at the hole is left out."""
    from sqlglot import exp

    if hole == ():
        return "_"
    arguments = []
    for name, value in sorted(node.args.items()):
        if value is None or value is False or value == []:
            continue
        within = hole[1:] if hole and hole[0][0] == name else None
        index = hole[0][1] if hole else -1
        if isinstance(value, list):
            inner = [
                tree_shape(part, within if number == index else None)
                if isinstance(part, exp.Expr)
                else repr(part)
                for number, part in enumerate(value)
            ]
            arguments.append(f"{name}=[{', '.join(inner)}]")
        elif isinstance(value, exp.Expr):
            arguments.append(f"{name}={tree_shape(value, within)}")
        else:
            arguments.append(f"{name}={value!r}")
    return f"{node.key}({', '.join(arguments)})"


_TURNS = 5
"""How often two queries are asked again where the clock has moved on between them."""


def asks_the_clock(query: Query, schema: Schema, facts: frozenset[Fact]) -> bool:
    """Whether a query's answer depends on the clock, or on chance."""
    scratch = warm_scratch(schema, facts, False)
    scratch.load({})
    outcome = scratch.run(query.sql)
    return isinstance(outcome, Answer) and outcome.volatile


def at_one_moment(
    left: Query, right: Query, schema: Schema, facts: frozenset[Fact], instances: int
) -> Refutation:
    """Run both queries on generated databases, each time within one moment.

    Returns:
        The first database on which they differ, as it was made; or how many were tried. Where
        an answer never stays the same for a moment, chance is in it: nothing can be said.
    """
    scratch, preset = warm_scratch(schema, facts, False), PRESETS.get(DEFAULT_PRESET)
    generator = InstanceGenerator(
        schema, facts, read_query(left, schema).merge(read_query(right, schema))
    )
    pair = QueryPair(left.sql, right.sql, left.dialect, probe=scratch.run)
    for number in range(instances):
        rows = generator.instance(number)
        scratch.load(rows)
        answers = _answers(left.sql, right.sql, scratch)
        if answers is None:
            message = "an answer changes from one moment to the next"
            return NotRefuted(number, reason=Reason.UNSUPPORTED_FEATURE, message=message)
        ours, theirs = answers
        if isinstance(ours, Answer) and isinstance(theirs, Answer):
            comparison = preset.compare(ours, theirs, pair)
            if comparison.equal is not False:
                continue
            reasons = comparison.reasons
        else:
            failed = [outcome.reason for outcome in answers if isinstance(outcome, Failure)]
            if len(failed) == len(answers):
                continue
            reasons = tuple(failed)
        tables = {table: content for table, content in scratch.stored(rows).items() if content}
        instance = Instance(schema, tables)
        return Witness(
            left.sql, right.sql, instance, ours, theirs, reasons, instances_tried=number + 1
        )
    return NotRefuted(instances)


def _answers(left: str, right: str, scratch: ScratchDatabase) -> tuple[Outcome, Outcome] | None:
    """What both answer at one moment: asked by turns, each answers the same twice."""
    for _ in range(_TURNS):
        ours, theirs = scratch.run(left), scratch.run(right)
        if (_rows_or_reason(ours), _rows_or_reason(theirs)) == (
            _rows_or_reason(scratch.run(left)),
            _rows_or_reason(scratch.run(right)),
        ):
            return ours, theirs
    return None


def _rows_or_reason(outcome: Outcome) -> object:
    return outcome.rows if isinstance(outcome, Answer) else outcome.reason
