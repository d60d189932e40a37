"""Derivations by normal forms: resolve, rewrite, compare."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from sqlglot.expressions import Expr

from sqlverdict.dialects import dialect_of
from sqlverdict.parse.facts import Fact
from sqlverdict.parse.frozen import freeze
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.normalise import FormCache, RuleSet, normalise
from sqlverdict.prove.profile import DEFAULT_PROFILE, ProofQuestion, rules_of
from sqlverdict.prove.proof import Derivation, Forms, NotProved, Proof, Side, Step, weakest
from sqlverdict.prove.reasoning.copies import TooManySteps
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.inner_order import ORDER_SHOWS, visible_order
from sqlverdict.prove.reasoning.open_choices import open_choices
from sqlverdict.prove.reasoning.shape import is_limited
from sqlverdict.prove.resolve.fidelity import loss
from sqlverdict.prove.resolve.query import resolve_query
from sqlverdict.prove.resolve.refusals import refusal
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.text import resolved_sql
from sqlverdict.prove.rule import RULES
from sqlverdict.prove.tree_key import column_keys, tree_key
from sqlverdict.records import Contract, Query, Reason

ROUNDING = frozenset({"real_fraction_has_one_form"})
"""Rules that hold up to rounding in the last digits, as the default comparison tolerates."""


@dataclass(frozen=True)
class Form:
    """A query's normal form; many derivations share it.

    Attributes:
        tree: The form, frozen.
        steps: How the query became it.
        bases: The base table of each label in the tree that has one.
    """

    tree: Expr
    steps: tuple[Step, ...]
    bases: dict[str, str]

    @cached_property
    def text(self) -> str:
        """The form as SQL."""
        return resolved_sql(self.tree)

    @cached_property
    def key(self) -> str:
        """What two forms share that are the same but for the order of columns."""
        return tree_key(self.tree, column_order=False)


def derive_by_normal_forms(question: ProofQuestion, profile: str) -> Derivation:
    """Rewrite both queries by a profile's rules; a proof where both end in the same form."""
    try:
        return _derive(question, profile)
    except Unsupported as beyond:
        return NotProved(f"beyond the prover: {beyond}", Reason.UNSUPPORTED_FEATURE)
    except TooManySteps as spent:
        return NotProved(f"given up after {spent}", Reason.BUDGET_EXHAUSTED)
    except RecursionError:
        return NotProved("nested too deeply for the prover", Reason.UNSUPPORTED_FEATURE)


def _derive(question: ProofQuestion, profile: str) -> Derivation:
    contract = question.contract
    if contract is not None and contract.order == "respect":
        return NotProved("the case compares rows in the order they come; no rule speaks of that")
    dialect = question.gold.dialect
    rules = rules_of(profile, question.without | _too_coarse(contract, profile), dialect)
    gold = form(question.gold, question, rules, keep_order=True)
    ordered = gold.tree.args.get("order") is not None
    prediction = form(question.prediction, question, rules, keep_order=ordered)
    fixed = contract is not None and contract.columns == "same_order"
    if gold.key != prediction.key or (fixed and tree_key(gold.tree) != tree_key(prediction.tree)):
        return NotProved(
            "the normal forms differ",
            None,
            Forms(gold.tree, prediction.tree, resolved_sql),
            tuple(dict.fromkeys(s.rule for s in (*gold.steps, *prediction.steps))),
        )
    _require_whole(question)
    facts = _facts(question.schema, question.facts, dialect).over(gold.bases)
    steps = (*gold.steps, *(replace(step, side="prediction") for step in prediction.steps))
    return Proof(
        question.gold.sql,
        question.prediction.sql,
        profile,
        steps,
        weakest([RULES.get(step.rule).trust for step in steps]),
        gold.text,
        _columns(gold.tree, prediction.tree),
        open_choices=open_choices(gold.tree, facts),
        dialect=dialect,
    )


def _too_coarse(contract: Contract | None, profile: str) -> frozenset[str]:
    """The rules that a case forbids: it asks for more digits than they keep."""
    if contract is None or profile != DEFAULT_PROFILE:
        return frozenset()
    bounds = [bound for bound in (contract.float_rel, contract.float_abs) if bound is not None]
    return ROUNDING if bounds else frozenset()


def _require_whole(question: ProofQuestion) -> None:
    """A proof about trees is one about texts only where the trees say what the texts say."""
    for role, query in (("gold", question.gold), ("prediction", question.prediction)):
        # Elsewhere only what all parsers read alike is read at all.
        lost = loss(query.sql, question.schema) if dialect_of(query.dialect).in_python else None
        if lost is not None:
            raise Unsupported(f"the {role}: {lost}")


def _columns(gold: Expr, prediction: Expr) -> tuple[int, ...]:
    """Which column of the prediction stands for which of the gold."""
    ours, theirs = column_keys(gold), column_keys(prediction)
    free = list(range(len(theirs)))
    pairing = []
    for key in ours:
        fit = next((i for i in free if theirs[i] == key), None)
        if fit is None:
            return tuple(range(len(ours)))
        free.remove(fit)
        pairing.append(fit)
    return tuple(pairing)


_FORMS: FormCache[Form] = FormCache()


def forget_forms() -> None:
    """Start afresh: the next derivations rewrite both queries, as a measurement may want."""
    _FORMS.clear()


def form(query: Query, question: ProofQuestion, rules: RuleSet, *, keep_order: bool) -> Form:
    """The normal form of a query.

    Args:
        query: The parsed query.
        question: The schema and facts.
        rules: The rules.
        keep_order: Whether the order of the result counts; where it does not, an ORDER BY
            without LIMIT says nothing.

    Raises:
        Unsupported: the query is beyond the prover.
        TooManySteps: the rules found no end.
    """
    key = (query.sql, query.dialect, question.schema, question.facts, rules, keep_order)
    return _FORMS.get(key, lambda: _form(query, question, rules, keep_order))


@lru_cache(maxsize=64)
def _facts(schema: Schema, facts: frozenset[Fact], dialect: str) -> Facts:
    return Facts(schema, facts, {}, dialect)


def _form(query: Query, question: ProofQuestion, rules: RuleSet, keep_order: bool) -> Form:
    start = resolve_query(query, question.schema)
    if not keep_order and not is_limited(start.tree):
        start.tree.set("order", None)
    facts = _facts(question.schema, question.facts, query.dialect).over(start.bases)
    objection = refusal(start.tree, facts)
    if objection is not None:
        raise Unsupported(objection)
    side: Side = "gold"
    tree, steps = normalise(start.tree, facts, rules, side)
    if visible_order(tree):
        raise Unsupported(ORDER_SHOWS)
    freeze(tree)
    return Form(tree, tuple(steps), start.bases)
