"""In which order the ETM paper's rules are tried, and what "until nothing changes" means there.

WITH is inlined first. Then every SELECT, inner ones before outer ones, is rewritten until no
rule changes it; a set operation at the top is looked at when its sides are done, and if it
becomes a SELECT that one is rewritten too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.shapes import nodes_below
from sqlverdict.prove.normalise import MOST_STEPS, path_to, put
from sqlverdict.prove.profile import rules_of
from sqlverdict.prove.proof import Side, Step
from sqlverdict.prove.reasoning.copies import TooManySteps, bounded_copies
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Rule

T = TypeVar("T")

PREPARING = tuple(f"P{number}" for number in range(9))
NUMBERED = tuple(str(number) for number in range(1, 27))
_FIRST = ("26",)
_AT_SET_OPERATIONS = ("21", "3", "5")
_WITHIN_SELECT = (*PREPARING, *(n for n in NUMBERED if n not in (*_FIRST, *_AT_SET_OPERATIONS)))


@dataclass(frozen=True)
class PaperStages:
    """The rules of the profile by the place where they act, each in the paper's order."""

    first: tuple[Rule, ...]
    at_set_operations: tuple[Rule, ...]
    within_select: tuple[Rule, ...]


@lru_cache(maxsize=64)
def stages(without: frozenset[str]) -> PaperStages:
    """The rules that are switched on; one without a number of the paper comes last."""
    rules = rules_of("etm_paper", without).rules

    def of(numbers: tuple[str, ...]) -> tuple[Rule, ...]:
        numbered = [rule for rule in rules if rule.paper and rule.paper[0] in numbers]
        return tuple(sorted(numbered, key=lambda rule: numbers.index(rule.paper[0])))

    rest = tuple(rule for rule in rules if not rule.paper)
    return PaperStages(of(_FIRST), of(_AT_SET_OPERATIONS), of(_WITHIN_SELECT) + rest)


class PaperRewriting:
    """One query on its way to the form in which no rule changes it."""

    def __init__(self, tree: Expr, facts: Facts, rules: PaperStages, side: Side = "gold") -> None:
        self.tree = tree
        self.steps: list[Step] = []
        self._known = facts
        self._rules = rules
        self._side: Side = side

    @bounded_copies()
    def run(self) -> None:
        """Rewrite to the end.

        Raises:
            TooManySteps: there is no end within the budget.
        """
        for query in _inner_first(self.tree, exp.Query):
            for rule in self._rules.first:
                if isinstance(query, rule.matches):
                    self._apply(rule, query)
        for select in _inner_first(self.tree, exp.Select):
            self._select(select)
        while isinstance(self.tree, exp.SetOperation):
            if not any(
                isinstance(self.tree, rule.matches) and self._apply(rule, self.tree)
                for rule in self._rules.at_set_operations
            ):
                return
            if isinstance(self.tree, exp.Select):
                self._select(self.tree)

    def _select(self, select: Expr) -> None:
        """Rewrite a SELECT whose inner queries are done."""
        location = select.parent, select.arg_key, select.index
        nodes: dict[type, list[Expr]] | None = None
        changed = True
        while changed:
            changed = False
            for rule in self._rules.within_select:
                if exp.Select in rule.matches:
                    while self._apply(rule, self._at(location)):
                        changed, nodes = True, None
                    continue
                if nodes is None:
                    nodes = _by_type(self._at(location))
                fired = False
                for kind in nodes:
                    if issubclass(kind, rule.matches):
                        for node in nodes[kind]:
                            fired |= self._apply(rule, node)
                if fired:
                    changed, nodes = True, None

    def _at(self, location: tuple[Expr | None, str | None, int | None]) -> Expr:
        parent, name, index = location
        if parent is None or name is None:
            return self.tree
        child = parent.args[name]
        node: Expr = child if index is None else child[index]
        return node

    def _apply(self, rule: Rule, node: Expr) -> bool:
        parent, name, index = node.parent, node.arg_key, node.index
        self._known.cited.clear()
        replacement = rule.rewrite(node, self._known)
        if replacement is None:
            return False
        path = (*path_to(parent), (name or "", -1 if index is None else index)) if parent else ()
        facts = tuple(map(str, self._known.cited))
        self.tree = put(self.tree, replacement, parent, name, index)
        self.steps.append(Step(self._side, rule.name, path, facts))
        if len(self.steps) > MOST_STEPS:
            names = sorted({step.rule for step in self.steps[-20:]})
            raise TooManySteps(f"{MOST_STEPS} steps; the last by {', '.join(names)}")
        return True


def _inner_first(tree: Expr, kind: type[T]) -> list[T]:
    """The nodes of a kind, children before parents."""
    return nodes_below(tree, kind)[::-1]


def _by_type(tree: Expr) -> dict[type, list[Expr]]:
    """The nodes of a tree by their type, children before parents."""
    nodes: dict[type, list[Expr]] = {}
    for node in _inner_first(tree, Expr):
        nodes.setdefault(type(node), []).append(node)
    return nodes
