"""A rule's queries in hostile company: other types, other contexts, extreme values.

A rule is written with one schema and a few queries in mind. Here the columns of that schema get
other types, the expressions that the rule looks at are put into comparisons, lists, groups, sorts,
casts and aggregates, its queries become derived tables, scalars and sides of set operations. Every
query that the rule then rewrites is run before and after, on rows with NULLs, duplicates, empty
texts, numbers as text, infinities and integers beyond 2^53.

:func:`attack_rule` does all of it: the conformance suite with a small budget, ``bench/attack.py``
with a large one. :func:`rewriting` and :func:`difference` do it for any query, on the rows of
``rule_rows.data_for``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random
from typing import TYPE_CHECKING

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.facts import Fact, HasAffinity, NotNull, Unique, column_affinity
from sqlverdict.parse.query import parse
from sqlverdict.prove.normalise import normalise
from sqlverdict.prove.reasoning.copies import TooManySteps
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.inner_order import visible_order
from sqlverdict.prove.reasoning.open_choices import TIED_ROWS, open_choices
from sqlverdict.prove.resolve.query import resolve_query
from sqlverdict.prove.resolve.refusals import refusal
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.text import resolved_sql
from sqlverdict.prove.rule import Rule
from sqlverdict.records import ParseFailure
from sqlverdict.testing.rule_suite.pairs import rule_sets
from sqlverdict.testing.rule_suite.placements import placements
from sqlverdict.testing.rule_suite.rows import ArrangedRows, data_for, retyped

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

    from sqlverdict.parse.schema import Schema
    from sqlverdict.prove.normalise import RuleSet

TYPES = ("INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "", "TEXT COLLATE NOCASE")
"""What every column of the rule's tables is declared as, in turn; mixtures come behind them."""
MIXTURES = 3
QUERIES = 24
"""So many queries that the rule rewrites are run by the conformance suite."""
TRIES = 12
"""So many queries are read for each that the rule must rewrite: many do not concern it."""
_LIKELY = 0.9


@dataclass(frozen=True)
class HostileQuery:
    """A query over tables with other types, and what holds there."""

    sql: str
    schema: Schema
    facts: frozenset[Fact]
    dialect: str = DEFAULT_DIALECT


@dataclass(frozen=True)
class RewrittenQuery:
    """A query after its last step.

    Attributes:
        text: The query then.
        rules: The rules that were applied, each once.
        open_choices: What the query left to the engine before, as a proof names it.
    """

    text: str
    rules: tuple[str, ...]
    open_choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class RewriteDifference:
    """A rewriting that changes an answer.

    Attributes:
        query: The query as it was.
        text: What the rules made of it.
        rules: The rules that were applied, each once.
        rows: The statements that make the database.
        before: The answer of the query.
        after: The answer of the rewritten text, or the error it ends in.
        is_left_open: It may come from a choice that the query leaves to the engine.
    """

    query: HostileQuery
    text: str
    rules: tuple[str, ...]
    rows: str
    before: object
    after: object
    is_left_open: bool = False

    def __str__(self) -> str:
        return (
            f"{self.query.sql!r} becomes {self.text!r} by {', '.join(self.rules)}; on\n"
            f"{self.rows}\nit answers {self.before!r} before and {self.after!r} after"
        )


@dataclass(frozen=True)
class Attack:
    """The result of attacking a rule.

    Attributes:
        rewritten: How many queries the rule rewrote.
        runs: How often a query was run before and after.
        difference: The first rewriting that changed an answer.
        left_open: How many differences the queries leave to the engine.
    """

    rewritten: int
    runs: int
    difference: RewriteDifference | None = None
    left_open: int = 0


def attack_rule(rule: Rule, *, budget: int = QUERIES, databases: int = 8, seed: int = 0) -> Attack:
    """Rewrite hostile queries by a rule, and run them before and after.

    Args:
        rule: The rule; by itself and with all rules of its profile.
        budget: How many queries that it rewrites are run.
        databases: On how many databases each is run.
        seed: Other seeds choose other queries and rows.

    Returns:
        The count, and the first difference; two calls with the same arguments return the same.
    """
    sets = rule_sets(rule)
    arranged: dict[tuple[Schema, frozenset[Fact]], list[ArrangedRows]] = {}
    seen: set[tuple[str, frozenset[Fact], RuleSet]] = set()
    rewritten = runs = left_open = 0
    for attempts, (query, rules) in enumerate(_queries(rule, sets, seed)):
        if rewritten >= budget or attempts >= budget * TRIES:
            break
        again = (query.sql, query.facts, rules)
        if again in seen:
            continue
        seen.add(again)
        form = rewriting(query, rules, rule.name)
        if form is None:
            continue
        rewritten += 1
        key = (query.schema, query.facts)
        if key not in arranged:
            arranged[key] = [
                data_for(query.schema, query.facts, Random(f"{rule.name} {seed} {number}"))  # noqa: S311
                for number in range(databases)
            ]
        for data in arranged[key]:
            runs += 1
            rewrite_difference = difference(query, form, data)
            if rewrite_difference is not None and rewrite_difference.is_left_open:
                left_open += 1
            elif rewrite_difference is not None:
                return Attack(rewritten, runs, rewrite_difference, left_open)
    return Attack(rewritten, runs, left_open=left_open)


def leaves_open(choices: Iterable[str]) -> bool:
    """Whether a difference may come from a choice that the query leaves to the engine.

    Ties of a LIMIT are no excuse: both answers were determined, however they are broken.
    """
    return bool(set(choices) - {TIED_ROWS})


def difference(
    query: HostileQuery, form: RewrittenQuery, data: ArrangedRows
) -> RewriteDifference | None:
    """What a rewriting changes on one database; ``None``: nothing, or nothing can be said."""
    answers = data.compare(query.sql, form.text)
    if answers is None:
        return None
    fails = isinstance(answers[1], str)
    is_left_open = not fails and leaves_open(form.open_choices)
    return RewriteDifference(query, form.text, form.rules, data.script, *answers, is_left_open)


def hostile_queries(rule: Rule) -> Iterator[HostileQuery]:
    """The queries of a rule's pairs in other types and contexts, without an end, repeatable."""
    return (query for query, _ in _queries(rule, rule_sets(rule), 0))


def _queries(
    rule: Rule, sets: tuple[RuleSet, RuleSet], seed: int
) -> Iterator[tuple[HostileQuery, RuleSet]]:
    """Hostile queries, each with the rules to try on it: the rule alone, or all of its profile.

    Most are made where the rule rewrites the query as its pair has it: it is likely to do so in
    another context, too.
    """
    rng = Random(f"{rule.name} {seed}")  # noqa: S311 - repeatable, not secret
    schemas = [retyped(rule.schema, rng, declared) for declared in TYPES]
    schemas += [retyped(rule.schema, rng, *TYPES[:6]) for _ in range(MIXTURES)]
    pairs = [*rule.equal, *rule.different]
    choices = [
        (sql, frozenset(pair.facts), placements(sql, rule.matches))
        for pair in pairs
        for sql in (pair.left, pair.right)
    ]
    every = list(product(choices, schemas, sets))
    likely = list(range(len(every)))

    @cache
    def applies(number: int) -> bool:
        """Whether the rule rewrites the query as its pair has it, under these types."""
        (sql, facts, _), schema, rules = every[number]
        last = _last_tree(HostileQuery(sql, schema, facts | declared_types(schema)), rules)
        return last is not None and rule.name in last[1]

    def draw() -> int:
        """One to which the rule applies, if there is any: to look at all takes long."""
        while likely:
            number = rng.choice(likely)
            if applies(number):
                return number
            likely.remove(number)
        return rng.randrange(len(every))

    while True:
        number = draw() if rng.random() < _LIKELY else rng.randrange(len(every))
        (_, pair_facts, placed), schema, rules = every[number]
        facts = pair_facts | declared_types(schema) | further_facts(schema, rng)
        yield HostileQuery(rng.choice(rng.choice(placed)), schema, facts), rules


def declared_types(schema: Schema) -> frozenset[Fact]:
    """What the declared types of a schema say."""
    return frozenset(
        HasAffinity(table.name, column.name, column_affinity(column.type.split(" ")[0]))
        for table in schema.tables
        for column in table.columns
    )


def further_facts(schema: Schema, rng: Random) -> frozenset[Fact]:
    """Now and then more keys and columns without NULL than a pair needs."""
    facts: set[Fact] = set()
    more = rng.random()
    for table in schema.tables:
        if more < 0.4:
            facts |= {NotNull(table.name, column.name) for column in table.columns}
        if more < 0.2:
            facts.add(Unique(table.name, (table.columns[0].name,)))
    return frozenset(facts)


def rewriting(
    query: HostileQuery, rules: RuleSet, rule: str | None = None
) -> RewrittenQuery | None:
    """What rules make of a query.

    Args:
        query: The query.
        rules: The rules to apply.
        rule: The name of a rule that must be among those applied.

    Returns:
        ``None`` where the prover says nothing about the query, or that rule was not applied.
    """
    last = _last_tree(query, rules)
    if last is None or (rule is not None and rule not in last[1]):
        return None
    return RewrittenQuery(resolved_sql(last[0], query.dialect), *last[1:])


def _last_tree(
    query: HostileQuery, rules: RuleSet
) -> tuple[Expr, tuple[str, ...], tuple[str, ...]] | None:
    """The last tree, the rules, and what the first one left open: no text, which takes long."""
    parsed = parse(query.sql, query.dialect)
    if isinstance(parsed, ParseFailure):
        return None
    try:
        start = resolve_query(parsed, query.schema, query.facts)
        facts = Facts(query.schema, query.facts, start.bases, query.dialect)
        if refusal(start.tree, facts) is not None:
            return None
        choices = open_choices(start.tree, facts)
        tree, steps = normalise(start.tree, facts, rules)
    except (Unsupported, TooManySteps, RecursionError):
        return None
    if visible_order(tree):
        return None
    return tree, tuple(dict.fromkeys(step.rule for step in steps)), choices


def check_hostile_contexts(rule: Rule, queries: int = QUERIES) -> None:
    """A rewriting that changes no answer under other types, in other contexts, on extreme values.

    Args:
        rule: The rule.
        queries: How many queries that it rewrites are run.

    Raises:
        AssertionError: it does; the message holds the queries, the rows and both answers.
    """
    if rule.trust == "heuristic" or "sound" not in rule.profiles:
        return
    rewrite_difference = attack_rule(rule, budget=queries).difference
    if rewrite_difference is not None:
        raise AssertionError(f"rule {rule.name} changes an answer: {rewrite_difference}")
