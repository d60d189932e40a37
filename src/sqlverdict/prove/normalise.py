"""Apply rules until none applies, and keep the steps.

Inner nodes come first. A rule sees a node in its tree and answers with the node that stands for
it; where it stands, and what happened before, is kept here, so that every step can be done
again by ``check.py``.

The normal forms that were used last are kept: a gold is compared with many predictions.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

from sqlglot.expressions import Expr

from sqlverdict.parse.facts import cited_facts
from sqlverdict.prove.proof import NormalForm, Path, Step
from sqlverdict.prove.reasoning.copies import TooManySteps, bounded_copies
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import tell_sources_apart
from sqlverdict.prove.reasoning.shape import NAMES
from sqlverdict.prove.rule import Rule

MOST_STEPS = 600
"""A query that needs more steps is given up: rules that undo each other would never end."""


@dataclass(frozen=True, eq=False)
class RuleSet:
    """Rules in their order, found by the type of the node that they look at.

    Two sets are equal where they are one: to compare their rules takes longer than to apply them.
    """

    rules: tuple[Rule, ...]

    @cached_property
    def _by_type(self) -> dict[tuple[type, int], tuple[Rule, ...]]:
        return {}

    @cached_property
    def _bits(self) -> dict[type, int]:
        needed = dict.fromkeys(kind for rule in self.rules for kind in rule.needs)
        return {kind: 1 << at for at, kind in enumerate(needed)}

    @cached_property
    def _kinds(self) -> dict[type, tuple[bool, int]]:
        return {}

    def looked_at(self, kind: type) -> tuple[bool, int]:
        """Whether a rule looks at nodes of a type, and which needed types these are, a bit each."""
        known = self._kinds.get(kind)
        if known is None:
            bits = sum(bit for each, bit in self._bits.items() if issubclass(kind, each))
            known = any(issubclass(kind, rule.matches) for rule in self.rules), bits
            self._kinds[kind] = known
        return known

    def of(self, kind: type, present: int) -> tuple[Rule, ...]:
        """The rules that look at nodes of a type, in a tree in which they can apply.

        Args:
            kind: The type.
            present: The bits of the tree's nodes.
        """
        matching = self._by_type.get((kind, present))
        if matching is None:
            matching = tuple(
                rule
                for rule in self.rules
                if issubclass(kind, rule.matches)
                and (not rule.needs or any(self._bits[each] & present for each in rule.needs))
            )
            self._by_type[kind, present] = matching
        return matching


@bounded_copies()
def normalise(
    tree: Expr, facts: Facts, rules: RuleSet, most: int = MOST_STEPS
) -> tuple[Expr, list[Step]]:
    """Rewrite a resolved tree, in place, to a form in which no rule applies.

    Returns:
        The form, and the steps to it, as those of a gold.

    Raises:
        TooManySteps: there is no such form within the budget.
    """
    steps: list[Step] = []
    latest: Expr | None = None
    changed = True
    while changed:
        changed = False
        nodes, present = _inner_first(tree, rules)
        for node in nodes:
            if node is latest:
                # Nothing has changed since all that comes now was looked at.
                break
            if changed and not _belongs(node, tree):
                continue
            current: Expr | None = node
            while current is not None:
                tree, current, step = _one_step(
                    tree, current, facts, rules.of(type(current), present)
                )
                if current is not None and step is not None:
                    # A rule changes nothing above or beside its node.
                    present |= _inner_first(current, rules)[1]
                    steps.append(step)
                    latest, changed = current, True
                    if len(steps) > most:
                        names = sorted({step.rule for step in steps[-20:]})
                        raise TooManySteps(f"{most} steps; the last by {', '.join(names)}")
    return tree, steps


def _one_step(
    tree: Expr, node: Expr, facts: Facts, rules: Iterable[Rule]
) -> tuple[Expr, Expr | None, Step | None]:
    """Apply the first rule that fits a node; returns the tree, the new node and the step."""
    parent, name, index = node.parent, node.arg_key, node.index
    cited = facts.cited
    for rule in rules:
        if cited:
            cited.clear()
        replacement = rule.rewrite(node, facts)
        if replacement is None:
            continue
        # The rule may have put the node somewhere else; its place is what it was.
        here = (name or "", -1 if index is None else index)
        path = (*path_to(parent), here) if parent is not None else ()
        reasons = cited_facts(cited)
        tree = put(tree, replacement, parent, name, index)
        tell_sources_apart(tree, facts)
        return tree, replacement, Step("gold", rule.name, path, reasons)
    return tree, None, None


def put(
    tree: Expr, replacement: Expr, parent: Expr | None, name: str | None, index: int | None
) -> Expr:
    """Put a node in its place; returns the root."""
    if parent is None or name is None:
        replacement.parent = None
        replacement.arg_key = None
        replacement.index = None
        return replacement
    if parent.args.get(name) is not replacement or index is not None:
        if index is None:
            parent.set(name, replacement)
        else:
            values = list(parent.args[name])
            values[index] = replacement
            parent.set(name, values)
    return tree


def path_to(node: Expr) -> Path:
    """The way from the root to a node."""
    steps: list[tuple[str, int]] = []
    while node.parent is not None:
        steps.append((node.arg_key or "", -1 if node.index is None else node.index))
        node = node.parent
    return tuple(reversed(steps))


def _belongs(node: Expr, tree: Expr) -> bool:
    """Whether a node is still part of the tree."""
    while node.parent is not None:
        child = node.parent.args.get(node.arg_key or "")
        if node.index is not None:
            child = (
                child[node.index] if isinstance(child, list) and node.index < len(child) else None
            )
        if child is not node:
            return False
        node = node.parent
    return node is tree


def _inner_first(tree: Expr, rules: RuleSet) -> tuple[list[Expr], int]:
    """The nodes of a tree that a rule looks at, children before parents; the bits of all."""
    nodes: list[Expr] = []
    present = 0
    open_ = [tree]
    looked_at = rules.looked_at
    while open_:
        node = open_.pop()
        kind = type(node)
        is_matched, bits = looked_at(kind)
        present |= bits
        if is_matched:
            nodes.append(node)
        if kind in NAMES:
            continue
        for value in reversed(node.args.values()):
            if isinstance(value, Expr):
                open_.append(value)
            elif isinstance(value, list):
                open_ += [part for part in reversed(value) if isinstance(part, Expr)]
    nodes.reverse()
    return nodes, present


_FORMS = 512


class FormCache:
    """The forms used last, by whatever decides them."""

    def __init__(self) -> None:
        self._forms: OrderedDict[Hashable, NormalForm] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], NormalForm]) -> NormalForm:
        """The form of that key, made where it is not known."""
        with self._lock:
            if key in self._forms:
                self._forms.move_to_end(key)
                return self._forms[key]
        form = make()
        with self._lock:
            self._forms[key] = form
            if len(self._forms) > _FORMS:
                self._forms.popitem(last=False)
        return form

    def clear(self) -> None:
        """Forget all forms."""
        with self._lock:
            self._forms.clear()
