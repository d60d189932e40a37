"""The conformance suite for rewriting rules, built-in or plug-in.

In a plug-in's tests::

    from sqlverdict.testing import check_rule

    def test_my_rule():
        check_rule("my_rule")

Everything is read from the rule's one file: its document, its pairs, its function. A rule whose
trust is ``heuristic`` is known to be unsound in some corner: it must be documented, do what it
says on its pairs, keep its hands off the rest of the tree, and come to an end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from sqlverdict.execute.engine import ENGINES
from sqlverdict.parse.facts import Fact
from sqlverdict.prove.normalise import RuleSet, normalise, path_to
from sqlverdict.prove.proof import NormalForm, NotProved, Proof
from sqlverdict.prove.reasoning.copies import TooManySteps
from sqlverdict.prove.rule import RULES, SECTIONS, Pair, Rule
from sqlverdict.refute.witness import Witness
from sqlverdict.testing.members import member_of
from sqlverdict.testing.rule_suite.contexts import check_hostile_contexts
from sqlverdict.testing.rule_suite.on_engine import check_rule_on_engine
from sqlverdict.testing.rule_suite.pairs import (
    derive,
    is_heuristic,
    normal_form,
    rule_sets,
    start,
    subsets,
    tree_shape,
    witness,
)

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

    from sqlverdict.execute.engine import Engine
    from sqlverdict.prove.normalise import RuleSet
    from sqlverdict.prove.proof import Path

REFUTES = 400
"""Databases that may be tried where a witness must be found: the search stops at the first."""
AGREES = 60
"""Databases on which a rewritten query must agree with the query, for each set of facts."""
SHUFFLES = 4
DEEP_STEPS = 2_000


def check_rule(
    rule: str | Rule, engine: str | Engine | None = None, near: str | None = None
) -> None:
    """Hold a rule to what every rule promises.

    Its document is complete. Its equal pairs are joined with its help, its different ones are
    not, and the search refutes these; its corners, if it is heuristic, are joined and refuted.
    Rewriting never changes an answer, whichever of the facts hold, and whatever the types of the
    columns and the context; each fact carries weight.
    Normal forms are stable and do not depend on the order of rules. Where the rule does not
    apply, it changes nothing; where it does, nothing beside its node. Deep trees end.

    With an engine, the rule is checked in that engine's dialect, against that engine: its
    queries are translated, put into hostile company and run before and after.

    Args:
        rule: A name in the registry, or the rule itself.
        engine: The engine of another dialect, or its name; without it, SQLite.
        near: A database on whose server scratch databases are made.

    Raises:
        AssertionError: a promise is broken; the message says which, with the witness.
    """
    member = member_of(RULES, rule)
    if engine is not None:
        judge = ENGINES.get(engine) if isinstance(engine, str) else engine
        check_rule_on_engine(member, judge, near)
        return
    for check in RULE_CHECKS.values():
        check(member)


def check_rule_document(rule: Rule) -> None:
    """The document is complete: a title that is a sentence, every section, in order, not empty."""
    _expect(rule.title.endswith("."), rule, f"has the title {rule.title!r}; end it with a stop")
    headings = tuple(rule.sections)
    _expect(
        headings == SECTIONS, rule, f"has the sections {headings}; expected {SECTIONS}, in order"
    )
    for section, text in rule.sections.items():
        _expect(bool(text.strip()), rule, f"has nothing under {section!r}")
    _expect(bool(rule.equal), rule, "has no pair that it joins; give one")
    _expect(bool(rule.different), rule, "has no pair that it must keep apart; give one")
    _expect(bool(rule.profiles), rule, "belongs to no profile")
    for pair in rule.different:
        _expect(bool(pair.because), rule, f"does not say why {pair.left!r} differs: `because`")
    sound = "sound" in rule.profiles
    _expect(not (sound and is_heuristic(rule)), rule, "is heuristic and yet in the sound profile")


def check_joins_equal(rule: Rule) -> None:
    """Equal pairs are joined by the rule, within its profile, and the rule fires."""
    _joins(rule, rule.equal)


def _joins(rule: Rule, pairs: Iterable[Pair]) -> None:
    for pair in pairs:
        derivation = derive(rule, pair, frozenset(pair.facts))
        if isinstance(derivation, NotProved):
            raise AssertionError(
                f"rule {rule.name} does not join {pair.left!r} and {pair.right!r}: "
                f"{derivation.message}; {derivation.gold_form!r} and {derivation.prediction_form!r}"
            )
        _expect(
            rule.name in derivation.rules,
            rule,
            f"does not fire on {pair.left!r}: {derivation.rules}",
        )


def check_keeps_different_apart(rule: Rule) -> None:
    """Different pairs are not joined."""
    for pair in rule.different:
        derivation = derive(rule, pair, frozenset(pair.facts))
        if isinstance(derivation, Proof):
            raise AssertionError(
                f"rule {rule.name}: {pair.left!r} and {pair.right!r} are proved equal, though "
                f"{pair.because}; by {', '.join(derivation.rules) or 'no rule at all'}"
            )


def check_search_refutes_different(rule: Rule) -> None:
    """The search finds a database for each different pair."""
    if is_heuristic(rule):
        return
    for pair in rule.different:
        refutation = witness(rule, pair.left, pair.right, pair.facts, REFUTES, shrink=0)
        _expect(
            refutation.refuted,
            rule,
            f"says that {pair.left!r} and {pair.right!r} differ because {pair.because}, "
            f"but no database shows it: {refutation}",
        )


def check_never_changes_answers(rule: Rule) -> None:
    """Whatever is known, a rewriting is right on every database where just that holds.

    The rule alone, and with all others of its profile. What holds under some facts holds under
    more: a text is tried under the smallest sets of facts that give it, whichever rules do.
    """
    if is_heuristic(rule):
        return
    for sql, pair in _queries(rule):
        smallest_sets: dict[str, list[frozenset[Fact]]] = {}
        for rules in rule_sets(rule):
            for facts in subsets(pair.facts):
                form = normal_form(sql, rule, facts, rules)
                if form is None or not form.steps:
                    continue
                known = smallest_sets.setdefault(form.text, [])
                if not any(smaller <= facts for smaller in known):
                    known.append(facts)
                    _agree(rule, sql, form, facts)


def _agree(rule: Rule, sql: str, form: NormalForm, facts: frozenset[Fact]) -> None:
    refutation = witness(rule, sql, form.text, facts, AGREES)
    if isinstance(refutation, Witness):
        raise AssertionError(
            f"rule {rule.name} changes an answer: {sql!r} becomes {form.text!r} by "
            f"{[step.rule for step in form.steps]} given {sorted(map(str, facts))}; "
            f"on {dict(refutation.instance.rows)} the answers are {refutation.gold} and "
            f"{refutation.prediction}"
        )
    _expect(
        refutation.reason is None,
        rule,
        f"makes {form.text!r} of {sql!r}, which cannot be tried: {refutation.message}",
    )


def check_corners(rule: Rule) -> None:
    """Corners are joined by a heuristic rule, and refuted; no other rule has any."""
    _expect(
        is_heuristic(rule) or not rule.corners,
        rule,
        f"is {rule.trust} and yet has corners; a rule that joins different queries is heuristic",
    )
    for pair in rule.corners:
        _expect(bool(pair.because), rule, f"does not say why {pair.left!r} differs: `because`")
    _joins(rule, rule.corners)
    for pair in rule.corners:
        refutation = witness(rule, pair.left, pair.right, pair.facts, REFUTES, shrink=0)
        _expect(
            refutation.refuted,
            rule,
            f"has the corner {pair.left!r} and {pair.right!r}, but no database shows it: "
            f"{refutation}",
        )


def check_facts_carry_weight(rule: Rule) -> None:
    """Without any one of its facts, an equal pair is refuted."""
    if is_heuristic(rule):
        return
    for pair in rule.equal:
        for fact in pair.facts:
            rest = [other for other in pair.facts if other != fact]
            refutation = witness(rule, pair.left, pair.right, rest, REFUTES, shrink=0)
            _expect(
                refutation.refuted,
                rule,
                f"gives {fact} for {pair.left!r} and {pair.right!r}, but without it no database "
                f"tells them apart: {refutation}",
            )


def check_is_stable(rule: Rule) -> None:
    """A normal form read again is a normal form: the rule alone finds nothing, all lead back."""
    if is_heuristic(rule):
        return
    alone, house = rule_sets(rule)
    for sql, pair in _queries(rule):
        for rules in (alone, house):
            facts = frozenset(pair.facts)
            once = normal_form(sql, rule, facts, rules)
            again = normal_form(once.text, rule, facts, rules) if once is not None else None
            if once is None or again is None:
                continue
            # Texts write some constants as sums, which it takes another rule to undo.
            same = again.key == once.key
            _expect(
                same or (rules is alone and not again.steps),
                rule,
                f"is not stable: {sql!r} becomes {once.text!r}, and that {again.text!r} by "
                f"{[step.rule for step in again.steps]}",
            )


def check_order_does_not_matter(rule: Rule) -> None:
    """However the rules of the profile are shuffled, they lead to the same form."""
    if is_heuristic(rule):
        return
    house = rule_sets(rule)[1]
    shuffled = [house]
    for seed in range(SHUFFLES):
        rules = list(house.rules)
        Random(seed).shuffle(rules)  # noqa: S311 - repeatable, not secret
        shuffled.append(RuleSet(tuple(rules)))
    for sql, pair in _queries(rule):
        forms = [normal_form(sql, rule, frozenset(pair.facts), rules) for rules in shuffled]
        texts = {form.key: form for form in forms if form is not None}
        if len(texts) > 1:
            one, other, *_ = texts.values()
            raise AssertionError(
                f"rule {rule.name}: the order of rules matters for {sql!r}: {one.text!r} by "
                f"{[step.rule for step in one.steps]}, {other.text!r} by "
                f"{[step.rule for step in other.steps]}"
            )


def check_minds_its_node(rule: Rule) -> None:
    """Where the rule answers None the tree is as it was; else all is as it was beside the node."""
    for sql, pair in _queries(rule):
        for facts in (frozenset(pair.facts), frozenset()):
            tree_and_facts = start(sql, rule, facts)
            if tree_and_facts is None:
                continue
            tree, known = tree_and_facts
            for path in list(_paths(tree, rule)):
                work = tree.copy()
                node = _at(work, path)
                whole, around = tree_shape(work), tree_shape(work, path)
                replacement = rule.rewrite(node, known)
                if replacement is None:
                    _expect(
                        tree_shape(work) == whole, rule, f"changes {sql!r} though it answers None"
                    )
                else:
                    _expect(
                        tree_shape(work, path) == around,
                        rule,
                        f"changes something beside its node in {sql!r}: was {around}, "
                        f"is {tree_shape(work, path)}",
                    )


def check_ends_on_deep_trees(rule: Rule, pairs: int | None = None) -> None:
    """Its queries nested, chained and repeated are rewritten within the budget of steps.

    By the rule alone; the first by all rules of the profile, too.

    Args:
        rule: The rule.
        pairs: Of how many pairs; ``None``: of all.

    Raises:
        AssertionError: they are not.
    """
    alone, house = rule_sets(rule)
    # Of pairs with the same left side and facts, the first.
    first: dict[tuple[str, frozenset[Fact]], Pair] = {}
    for pair in (*rule.equal, *rule.different):
        first.setdefault((pair.left, frozenset(pair.facts)), pair)
    for pair in islice(first.values(), pairs):
        for grown in _grown(pair.left):
            _ends(rule, grown, pair, alone)
            if pair is rule.equal[0] and not is_heuristic(rule):
                _ends(rule, grown, pair, house)


def _ends(rule: Rule, sql: str, pair: Pair, rules: RuleSet) -> None:
    tree_and_facts = start(sql, rule, frozenset(pair.facts))
    if tree_and_facts is None:
        return
    try:
        normalise(*tree_and_facts, rules, most=DEEP_STEPS)
    except TooManySteps as error:
        raise AssertionError(f"rule {rule.name} finds no end on {sql!r}: {error}") from error


RULE_CHECKS: Mapping[str, Callable[[Rule], None]] = {
    "document": check_rule_document,
    "joins_equal": check_joins_equal,
    "keeps_different_apart": check_keeps_different_apart,
    "search_refutes_different": check_search_refutes_different,
    "never_changes_answers": check_never_changes_answers,
    "hostile_contexts": check_hostile_contexts,
    "corners": check_corners,
    "facts_carry_weight": check_facts_carry_weight,
    "is_stable": check_is_stable,
    "order_does_not_matter": check_order_does_not_matter,
    "minds_its_node": check_minds_its_node,
    "ends_on_deep_trees": check_ends_on_deep_trees,
}
"""Each check by its name, so that a test can run and name them one by one."""


def _queries(rule: Rule) -> Iterator[tuple[str, Pair]]:
    """Every query of the rule's pairs, with the first pair of it that has these facts."""
    first: dict[tuple[str, frozenset[Fact]], Pair] = {}
    for pair in (*rule.equal, *rule.different):
        for sql in (pair.left, pair.right):
            first.setdefault((sql, frozenset(pair.facts)), pair)
    return ((sql, pair) for (sql, _), pair in first.items())


def _grown(sql: str) -> Iterator[str]:
    """A query inside deep nesting and beside many others."""
    nested = sql
    for level in range(6):
        nested = f"SELECT * FROM ({nested}) AS deep{level}"  # noqa: S608 - never run
    yield nested
    yield f"SELECT 1 WHERE EXISTS ({sql}) AND NOT EXISTS ({sql})"
    yield " UNION ALL ".join([f"SELECT * FROM ({sql}) AS part"] * 3)  # noqa: S608 - never run
    head, where, tail = sql.partition(" WHERE ")
    ends = ("GROUP", "HAVING", "ORDER", "LIMIT", "SELECT", "UNION", "INTERSECT", "EXCEPT")
    if where and tail.count("(") == tail.count(")") and not any(word in tail for word in ends):
        yield f"{head} WHERE " + " AND ".join([f"({tail})", f"NOT (NOT ({tail}))"] * 4)
        yield f"{head} WHERE " + " OR ".join([f"({tail})"] * 8)


def _paths(tree: Expr, rule: Rule) -> Iterator[Path]:
    """The ways to the nodes that a rule looks at."""
    for node in tree.walk():
        if isinstance(node, rule.matches):
            yield path_to(node)


def _at(tree: Expr, path: Path) -> Expr:
    node = tree
    for name, index in path:
        child = node.args[name]
        node = child if index < 0 else child[index]
    return node


def _expect(holds: bool, rule: Rule, complaint: str) -> None:
    """As assert, but also under ``python -O``."""
    if not holds:
        raise AssertionError(f"rule {rule.name} {complaint}")
