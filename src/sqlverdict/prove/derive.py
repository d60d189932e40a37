"""Derivations by normal forms: resolve, rewrite, compare."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

from sqlglot.expressions import Expr

from sqlverdict.dialects import dialect_of
from sqlverdict.parse.facts import Fact
from sqlverdict.parse.frozen import freeze
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.first_difference import first_difference
from sqlverdict.prove.normalise import FormCache, RuleSet, normalise
from sqlverdict.prove.profile import DEFAULT_PROFILE, ProofQuestion, rules_of
from sqlverdict.prove.proof import Derivation, NormalForm, NotProved, Proof, weakest
from sqlverdict.prove.reasoning.copies import TooManySteps
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.inner_order import (
    ORDER_SHOWS,
    lost_order,
    take_over_order,
    visible_order,
)
from sqlverdict.prove.reasoning.open_choices import open_choices
from sqlverdict.prove.reasoning.shape import is_limited
from sqlverdict.prove.resolve.fidelity import loss
from sqlverdict.prove.resolve.own_words import foreign, unknown_types
from sqlverdict.prove.resolve.query import resolve_query
from sqlverdict.prove.resolve.refusals import refusal
from sqlverdict.prove.resolve.scope import EngineRefusal, Unsupported
from sqlverdict.prove.resolve.text import resolved_sql
from sqlverdict.prove.resolve.unknown_calls import ELSEWHERE, unknown_calls
from sqlverdict.prove.rule import RULES
from sqlverdict.prove.tree_key import column_keys, tree_key
from sqlverdict.records import Contract, Query, Reason

FORMS_DIFFER = "the normal forms differ"

RowOrder = Literal["own", "shown", "none"]
"""Which order of a query's rows counts: that of its own ORDER BY; that in which they come, which an
inner ORDER BY may set; none."""

ROUNDING = frozenset({"real_fraction_has_one_form"})
"""Rules that hold up to rounding in the last digits, as the default comparison tolerates."""


def derive_by_normal_forms(question: ProofQuestion, profile: str) -> Derivation:
    """Rewrite both queries by a profile's rules; a proof where both end in the same form."""
    try:
        return _derive(question, profile)
    except EngineRefusal as objection:
        return NotProved(f"the engine refuses {objection}", Reason.EXECUTION_ERROR)
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
    first, readings = _derive_from(question, profile, rules, 0)
    if isinstance(first, Proof) or readings[0] == readings[1]:
        return first
    # Where one of them needs another reading, what both say alike may look different.
    try:
        second, _ = _derive_from(question, profile, rules, max(readings))
    except Unsupported:
        return first
    return second if isinstance(second, Proof) else first


def _derive_from(
    question: ProofQuestion, profile: str, rules: RuleSet, reading: int
) -> tuple[Derivation, tuple[int, int]]:
    """What the forms say, and how the queries were read."""
    contract, dialect = question.contract, question.gold.dialect
    gold = form(question.gold, question, rules, order="own", reading=reading)
    order: RowOrder = "none" if gold.tree.args.get("order") is None else "shown"
    prediction = form(question.prediction, question, rules, order=order, reading=reading)
    readings = gold.reading, prediction.reading
    fixed = contract is not None and contract.columns == "same_order"
    # The order of columns is no part of the keys.
    if gold.key != prediction.key or (fixed and tree_key(gold.tree) != tree_key(prediction.tree)):
        not_proved = NotProved(
            f"{FORMS_DIFFER}: {first_difference(gold.tree, prediction.tree, question.schema)}",
            None,
            (gold, prediction),
            tuple(dict.fromkeys(s.rule for s in (*gold.steps, *prediction.steps))),
        )
        return not_proved, readings
    if gold.places != prediction.places:
        raise Unsupported(ELSEWHERE)
    _require_whole(question)
    if max(readings) > 0:
        _require_types(question)
    facts = shared_facts(question.schema, question.facts, dialect).over(gold.bases)
    steps = (*gold.steps, *(replace(step, side="prediction") for step in prediction.steps))
    proof = Proof(
        question.gold.sql,
        question.prediction.sql,
        profile,
        steps,
        weakest([RULES.get(step.rule).trust for step in steps]),
        gold.text,
        _columns(gold.tree, prediction.tree),
        open_choices=open_choices(gold.tree, facts),
        dialect=dialect,
        reading=reading,
    )
    return proof, readings


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
        in_python = dialect_of(query.dialect).in_python
        lost = loss(query.sql, question.schema) if in_python else foreign(query.sql, query.dialect)
        if lost is not None:
            raise Unsupported(f"the {role}: {lost}")


def _require_types(question: ProofQuestion) -> None:
    """What an unknown function reads may be of a type for which it always fails."""
    for role, query in (("gold", question.gold), ("prediction", question.prediction)):
        unknown = unknown_types(query.sql, query.dialect, question.schema)
        if unknown is not None:
            raise Unsupported(f"the {role}: {unknown}")


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


_FORMS = FormCache()


def forget_forms() -> None:
    """Start afresh: the next derivations rewrite both queries, as a measurement may want."""
    _FORMS.clear()


def form(
    query: Query, question: ProofQuestion, rules: RuleSet, *, order: RowOrder, reading: int = 0
) -> NormalForm:
    """The normal form of a query.

    Args:
        query: The parsed query.
        question: The schema and facts.
        rules: The rules.
        order: Which order of the result counts; where none does, an ORDER BY without LIMIT says
            nothing.
        reading: The first way in which it is read.

    Raises:
        Unsupported: the query is beyond the prover.
        TooManySteps: the rules found no end.
    """
    key = (query.sql, query.dialect, question.schema, question.facts, rules, order, reading)
    return _FORMS.get(key, lambda: _form(query, question, rules, order, reading))


@lru_cache(maxsize=64)
def shared_facts(schema: Schema, facts: frozenset[Fact], dialect: str) -> Facts:
    """The facts of a database, which all trees share: ``over`` makes them those of one."""
    return Facts(schema, facts, {}, dialect)


def _form(
    query: Query, question: ProofQuestion, rules: RuleSet, order: RowOrder, reading: int
) -> NormalForm:
    start = resolve_query(query, question.schema, question.facts, reading)
    facts = shared_facts(question.schema, question.facts, query.dialect).over(start.bases)
    calls = unknown_calls(start.tree, facts)
    if order == "none" and not is_limited(start.tree):
        start.tree.set("order", None)
    elif order == "shown" and facts.record.hands_on_order:
        take_over_order(start.tree)
    objection = refusal(start.tree, facts) or lost_order(start.tree, facts.record)
    if objection is not None:
        raise Unsupported(objection)
    tree, steps = normalise(start.tree, facts, rules)
    if visible_order(tree):
        raise Unsupported(ORDER_SHOWS)
    objection = calls.objection(unknown_calls(tree, facts))
    if objection is not None:
        raise Unsupported(objection)
    freeze(tree)
    key = tree_key(tree, column_order=False)
    return NormalForm(
        tree, tuple(steps), key, resolved_sql, facts.bases, calls.places, start.reading
    )
