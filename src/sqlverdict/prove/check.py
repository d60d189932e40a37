"""The independent checker: does a proof again, step by step, without any search.

It shares with the prover the profile's reading of queries, the rule functions and the comparison
of the last trees; finding the place, putting nodes there and what the proof
claims about itself are done anew here. A proof of ours that it rejects is a bug of ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.errors import UnknownMember
from sqlverdict.parse.facts import Fact, cited_facts, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import same_text
from sqlverdict.prove.profile import PROFILES
from sqlverdict.prove.proof import Path, Proof, Side, Step, weakest
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.inner_order import take_over_order
from sqlverdict.prove.reasoning.moves import tell_sources_apart
from sqlverdict.prove.resolve.own_words import failure_of_query, same_to_engine
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.unknown_calls import ELSEWHERE, UnknownCalls, unknown_calls
from sqlverdict.prove.rule import RULES
from sqlverdict.records import ParseFailure


@dataclass(frozen=True)
class CheckedStep:
    """A statement about one of the two queries, and how the query reads then.

    Attributes:
        side: Which query.
        statement: ``equal by <rule> because <facts>``, or what was done before the first rule.
        sql: The query after it.
    """

    side: Side
    statement: str
    sql: str

    def __str__(self) -> str:
        return f"{self.side}: {self.statement}\n    {self.sql}"


@dataclass(frozen=True)
class ValidProof:
    """Every step of the proof holds, and both queries end in the same form."""

    lines: tuple[CheckedStep, ...]

    @property
    def holds(self) -> bool:
        """True; it is False for an :class:`InvalidProof`."""
        return True


ProofReason = Literal[
    "unknown_profile",
    "unreadable_query",
    "failing_query",
    "beyond_the_prover",
    "unknown_rule",
    "rule_of_another_profile",
    "rule_of_another_dialect",
    "no_such_node",
    "rule_does_not_apply",
    "other_facts",
    "missing_fact",
    "unknown_calls",
    "different_ends",
    "wrong_order",
    "wrong_trust",
    "wrong_form",
]
"""Why a proof does not hold.

===========================  ======================================================================
reason                       what was found
===========================  ======================================================================
``unknown_profile``          there is no such profile
``unreadable_query``         a query cannot be parsed
``failing_query``            a query does not run on these tables
``beyond_the_prover``        a query is one of which nothing is proved, or nested too deeply
``unknown_rule``             there is no such rule
``rule_of_another_profile``  the rule is not one of the proof's profile
``rule_of_another_dialect``  the rule does not hold in the proof's dialect
``no_such_node``             the step's path leads nowhere
``rule_does_not_apply``      the rule does not look at such a node, or changes nothing there
``other_facts``              the rule leans on other facts than the step states
``missing_fact``             other tables do not promise what the proof uses
``unknown_calls``            a call of an unknown function was moved, dropped or doubled
``different_ends``           the two queries do not end in the same form
``wrong_order``              steps of the prediction come before some of the gold
``wrong_trust``              the proof claims another trust than its rules have
``wrong_form``               the proof claims another last form than its steps give
===========================  ======================================================================
"""


@dataclass(frozen=True)
class InvalidProof:
    """The proof does not hold.

    Attributes:
        reason: Why, for a program.
        step: The number of the step, from 0; ``None`` where it is not a step that fails.
        why: What was found and what was expected.
        lines: What could be done up to there.
    """

    reason: ProofReason
    step: int | None
    why: str
    lines: tuple[CheckedStep, ...] = ()

    @property
    def holds(self) -> bool:
        """False; it is True for a :class:`ValidProof`."""
        return False


CheckedProof = ValidProof | InvalidProof
"""What the checker makes of a proof."""


def check_proof(
    proof: Proof,
    schema: Schema,
    *,
    facts: frozenset[Fact] | None = None,
    fixed_columns: bool = False,
) -> CheckedProof:
    """Do a proof again.

    Args:
        proof: The proof.
        schema: The tables that it speaks of.
        facts: What may be assumed; all that the schema says, where not given.
        fixed_columns: Whether the order of columns counts, too.

    Returns:
        Whether it holds, with every intermediate query as text; never raises for any proof.
    """
    if proof.profile not in PROFILES.names():
        return InvalidProof("unknown_profile", None, f"there is no profile {proof.profile!r}")
    assumed = facts_of(schema, proof.dialect) if facts is None else facts
    try:
        return ProofCheck(proof, schema, assumed, fixed_columns).run()
    except RejectedProof as rejection:
        return rejection.proof
    except RecursionError:
        why = "the queries are nested too deeply to be checked"
        return InvalidProof("beyond_the_prover", None, why)


class RejectedProof(Exception):
    """The proof is rejected; ``proof`` says why."""

    def __init__(self, proof: InvalidProof) -> None:
        super().__init__(proof.why)
        self.proof = proof


class ProofCheck:
    """A proof while it is done again, from its first step to its last."""

    def __init__(
        self, proof: Proof, schema: Schema, facts: frozenset[Fact], fixed_columns: bool
    ) -> None:
        self.proof = proof
        self.schema = schema
        self.facts = facts
        self.fixed = fixed_columns
        self.profile = PROFILES.get(proof.profile)
        self.lines: list[CheckedStep] = []
        self.places = set[frozenset[str]]()
        self.at: int | None = None

    def rejection(self, reason: ProofReason, why: str) -> RejectedProof:
        """The error that says why the proof does not hold."""
        return RejectedProof(InvalidProof(reason, self.at, why, tuple(self.lines)))

    def beyond(self, side: Side, what: object) -> RejectedProof:
        """The error that says what of a query the prover does not read."""
        return self.rejection("beyond_the_prover", f"the {side} is beyond the prover: {what}")

    def run(self) -> ValidProof:
        """Do all steps.

        Raises:
            RejectedProof: one does not hold, or the ends differ.
        """
        proof = self.proof
        if not proof.steps and same_text(proof.gold_sql, proof.prediction_sql, proof.dialect):
            self.require_running("gold", proof.gold_sql)
            statement = "the two texts are the same, but for spacing and the case of keywords"
            return ValidProof((CheckedStep("prediction", statement, proof.gold_sql),))
        if self.schema.objection is not None:
            raise self.rejection("beyond_the_prover", self.schema.objection)
        if proof.form == proof.gold_sql and same_to_engine(
            proof.gold_sql, proof.prediction_sql, proof.dialect
        ):
            self.require_running("gold", proof.gold_sql)
            statement = "the two texts are the same to the engine's parser, but for other words"
            return ValidProof((CheckedStep("prediction", statement, proof.gold_sql),))
        gold, facts = self.start("gold", proof.gold_sql)
        self.require_readable("gold", proof.gold_sql, gold, facts)
        self.say("gold", "the gold query, names resolved", gold)
        gold = self.rewrite("gold", gold, facts, self.calls("gold", gold, facts))
        prediction, facts = self.start("prediction", proof.prediction_sql)
        self.say("prediction", "the predicted query, names resolved", prediction)
        calls = self.calls("prediction", prediction, facts)
        if self.profile.drops_order and gold.args.get("order") is None:
            self.forget_order(prediction)
        elif self.profile.drops_order and facts.record.hands_on_order:
            self.take_over_order(prediction)
        self.require_readable("prediction", proof.prediction_sql, prediction, facts)
        prediction = self.rewrite("prediction", prediction, facts, calls)
        self.at = None
        self.compare(gold, prediction)
        self.check_claims(gold)
        return ValidProof(tuple(self.lines))

    def say(self, side: Side, statement: str, tree: Expr) -> None:
        """Note a statement, with the query as it reads then."""
        self.lines.append(CheckedStep(side, statement, self.profile.text(tree)))

    def start(self, side: Side, sql: str) -> tuple[Expr, Facts]:
        """A query's tree before the first step."""
        query = parse(sql, self.proof.dialect)
        if isinstance(query, ParseFailure):
            why = f"the {side} cannot be read: {query.message}"
            raise self.rejection("unreadable_query", why)
        self.require_running(side, sql)
        try:
            tree, facts = self.profile.read(query, self.schema, self.facts, self.proof.reading)
        except Unsupported as beyond:
            raise self.beyond(side, beyond) from beyond
        return tree, facts

    def require_readable(self, side: Side, sql: str, tree: Expr, facts: Facts) -> None:
        """Refuse a query of which rules cannot speak, its order aside where that says nothing."""
        objection = self.profile.objection(sql, tree, facts)
        if objection is not None:
            raise self.beyond(side, objection)

    def require_running(self, side: Side, sql: str) -> None:
        """Reject a query that always fails."""
        problem = failure_of_query(sql, self.proof.dialect, self.schema)
        if problem is not None:
            raise self.rejection("failing_query", f"the {side} does not run: {problem}")

    def forget_order(self, tree: Expr) -> None:
        """Where the gold does not order its rows, an order without LIMIT says nothing."""
        limited = tree.args.get("limit") is not None or tree.args.get("offset") is not None
        if tree.args.get("order") is not None and not limited:
            tree.set("order", None)
            statement = (
                "equal without ORDER BY, because the gold's rows have no order and all are kept"
            )
            self.say("prediction", statement, tree)

    def take_over_order(self, tree: Expr) -> None:
        """Where the gold orders its rows, an order that the prediction hands on is one."""
        if tree.args.get("order") is None and take_over_order(tree):
            statement = "equal with the inner ORDER BY outside, as the engine hands rows on"
            self.say("prediction", statement, tree)

    def calls(self, side: Side, tree: Expr, facts: Facts) -> UnknownCalls:
        """The calls of unknown functions in a query as it was read."""
        try:
            return unknown_calls(tree, facts)
        except Unsupported as beyond:
            raise self.beyond(side, beyond) from beyond

    def rewrite(self, side: Side, tree: Expr, facts: Facts, calls: UnknownCalls) -> Expr:
        """Do the steps of one side; returns the last tree."""
        self.places.add(calls.places)
        for number, step in enumerate(self.proof.steps):
            if step.side == side:
                self.at = number
                tree = self.take(step, tree, facts)
                self.say(side, str(step), tree)
        objection = calls.objection(unknown_calls(tree, facts))
        if objection is not None:
            raise self.rejection("unknown_calls", objection)
        return tree

    def take(self, step: Step, tree: Expr, facts: Facts) -> Expr:
        """Do one step; returns the tree."""
        try:
            rule = RULES.get(step.rule)
        except UnknownMember as unknown:
            raise self.rejection("unknown_rule", str(unknown)) from unknown
        if self.proof.profile not in rule.profiles:
            why = f"the rule {step.rule} is not of the profile {self.proof.profile}"
            raise self.rejection("rule_of_another_profile", why)
        if self.proof.dialect not in rule.dialects:
            why = f"the rule {step.rule} does not hold in {self.proof.dialect}"
            raise self.rejection("rule_of_another_dialect", why)
        node = node_at(tree, step.path)
        if node is None:
            raise self.rejection("no_such_node", f"there is no node at {_path_text(step.path)}")
        if not isinstance(node, rule.matches):
            why = f"the rule {step.rule} does not look at {type(node).__name__}"
            raise self.rejection("rule_does_not_apply", why)
        holder = node_at(tree, step.path[:-1]) if step.path else None
        facts.cited.clear()
        replacement = rule.rewrite(node, facts)
        if replacement is None:
            why = f"the rule {step.rule} does not apply at {_path_text(step.path)}"
            raise self.rejection("rule_does_not_apply", why)
        cited = cited_facts(facts.cited)
        if cited != step.facts:
            why = f"the step leans on {_fact_list(step.facts)}, the rule on {_fact_list(cited)}"
            raise self.rejection("other_facts", why)
        if holder is None:
            replacement.pop()
            tree = replacement
        else:
            _put(holder, step.path[-1], replacement)
        tell_sources_apart(tree, facts)
        return tree

    def compare(self, gold: Expr, prediction: Expr) -> None:
        """Both trees must be the same, and the columns paired as the proof says."""
        if len(self.places) > 1:
            raise self.rejection("unknown_calls", ELSEWHERE)
        difference = self.profile.difference(gold, prediction, self.proof.columns, self.fixed)
        if difference is not None:
            raise self.rejection("different_ends", difference)

    def check_claims(self, gold: Expr) -> None:
        """What the proof says about itself: the order of its steps, its trust, its last form."""
        sides: list[Side] = [step.side for step in self.proof.steps]
        if sides != sorted(sides):
            why = "the steps of the prediction come before some of the gold"
            raise self.rejection("wrong_order", why)
        trust = weakest([RULES.get(step.rule).trust for step in self.proof.steps])
        if trust != self.proof.trust:
            why = f"the proof claims the trust {self.proof.trust!r}; its rules are {trust}"
            raise self.rejection("wrong_trust", why)
        form = self.profile.text(gold)
        if self.proof.form != form:
            why = f"the proof ends in {self.proof.form!r}; the steps end in {form!r}"
            raise self.rejection("wrong_form", why)


def node_at(tree: Expr, path: Path) -> Expr | None:
    """The node that a path leads to."""
    node = tree
    for name, index in path:
        child = node.args.get(name)
        if index >= 0:
            child = child[index] if isinstance(child, list) and index < len(child) else None
        if not isinstance(child, exp.Expr):
            return None
        node = child
    return node


def _put(holder: Expr, last: tuple[str, int], replacement: Expr) -> None:
    """Put a node where its path ends."""
    name, index = last
    if index < 0:
        if holder.args.get(name) is not replacement:
            holder.set(name, replacement)
        return
    values = list(holder.args[name])
    values[index] = replacement
    holder.set(name, values)


def _path_text(path: Path) -> str:
    return ".".join(name if index < 0 else f"{name}[{index}]" for name, index in path) or "the root"


def _fact_list(facts: tuple[str, ...]) -> str:
    return " and ".join(facts) or "no fact"


def replay_lines(checked: CheckedProof) -> Iterator[str]:
    """A replayed proof for people, a line each: the statement, then the query, indented."""
    side = ""
    for line in checked.lines:
        if line.side != side:
            side = line.side
            yield f"{side}:"
        yield f"  {line.statement}"
        yield f"    {line.sql}"
