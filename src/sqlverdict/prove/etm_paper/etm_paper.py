"""The ETM paper's rules, as its script applies them: the paper's metric, not a proof.

Many of these rules are unsound as printed; each names its corner. Two queries that this
profile joins match under ETM, and may still differ on a legal database.

The order in which the rules are tried is the script's, and so is "until nothing changes". WITH is
inlined first. Then every SELECT, inner ones before outer ones, is rewritten until no rule changes
it; a set operation at the top is looked at when its sides are done, and if it becomes a SELECT
that one is rewritten too.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.parse.facts import Fact
from sqlverdict.parse.frozen import freeze
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.etm_paper.constraints import paper_facts
from sqlverdict.prove.etm_paper.shapes import node_text, nodes_below
from sqlverdict.prove.normalise import MOST_STEPS, FormCache, path_to, put
from sqlverdict.prove.profile import PROFILES, ProofQuestion, rules_of
from sqlverdict.prove.proof import Derivation, NormalForm, NotProved, Proof, Step, weakest
from sqlverdict.prove.reasoning.copies import TooManySteps, bounded_copies
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.resolve.scope import is_quoted
from sqlverdict.prove.rule import RULES, Rule
from sqlverdict.records import Query, Reason

T = TypeVar("T")

PREPARING = tuple(f"P{number}" for number in range(9))
NUMBERED = tuple(str(number) for number in range(1, 27))
_FIRST = ("26",)
_AT_SET_OPERATIONS = ("21", "3", "5")
_NO_NUMBER = ""
_WITHIN_SELECT = (
    *PREPARING,
    *(n for n in NUMBERED if n not in (*_FIRST, *_AT_SET_OPERATIONS)),
    _NO_NUMBER,
)


@lru_cache(maxsize=64)
def _rules_of(numbers: tuple[str, ...], without: frozenset[str]) -> tuple[Rule, ...]:
    """The rules of some of the paper's numbers, in this order, that are switched on."""
    numbered = [
        (numbers.index(number), rule)
        for rule in rules_of("etm_paper", without).rules
        if (number := rule.paper[0] if rule.paper else _NO_NUMBER) in numbers
    ]
    return tuple(rule for _, rule in sorted(numbered, key=lambda each: each[0]))


class PaperRewriting:
    """One query on its way to the form in which no rule changes it."""

    def __init__(self, tree: Expr, facts: Facts, without: frozenset[str]) -> None:
        self.tree = tree
        self.steps: list[Step] = []
        self._known = facts
        self._first = _rules_of(_FIRST, without)
        self._at_set_operations = _rules_of(_AT_SET_OPERATIONS, without)
        self._within_select = _rules_of(_WITHIN_SELECT, without)

    @bounded_copies()
    def run(self) -> None:
        """Rewrite to the end.

        Raises:
            TooManySteps: there is no end within the budget.
        """
        for query in _inner_first(self.tree, exp.Query):
            for rule in self._first:
                if isinstance(query, rule.matches):
                    self._apply(rule, query)
        for select in _inner_first(self.tree, exp.Select):
            self._select(select)
        while isinstance(self.tree, exp.SetOperation):
            if not any(
                isinstance(self.tree, rule.matches) and self._apply(rule, self.tree)
                for rule in self._at_set_operations
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
            for rule in self._within_select:
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
        self.steps.append(Step("gold", rule.name, path, facts))
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


@PROFILES.member
class EtmPaper:
    """Enhanced Tree Matching as published."""

    name = "etm_paper"
    about = "the two queries match by the rules of the ETM paper, some of which are unsound"
    drops_order = False

    def derive(self, question: ProofQuestion) -> Derivation:
        """Rewrite both queries as the paper's script does, and compare the trees."""
        if "etm_paper" not in dialect_of(question.gold.dialect).rules:
            message = f"the paper's rules read SQLite's queries, not {question.gold.dialect}"
            return NotProved(message, Reason.UNSUPPORTED_FEATURE)
        try:
            gold = paper_form(question.gold, question)
            prediction = paper_form(question.prediction, question)
        except TooManySteps as spent:
            return NotProved(f"given up after {spent}", Reason.BUDGET_EXHAUSTED)
        except RecursionError:
            return NotProved("nested too deeply for the prover", Reason.UNSUPPORTED_FEATURE)
        if gold.key != prediction.key:
            fired = dict.fromkeys(step.rule for step in (*gold.steps, *prediction.steps))
            return NotProved("the trees differ", None, (gold, prediction), tuple(fired))
        steps = (*gold.steps, *(replace(step, side="prediction") for step in prediction.steps))
        return Proof(
            question.gold.sql,
            question.prediction.sql,
            self.name,
            steps,
            weakest([RULES.get(step.rule).trust for step in steps]),
            gold.text,
        )

    def read(
        self, query: Query, schema: Schema, facts: frozenset[Fact], reading: int = 0
    ) -> tuple[Expr, Facts]:
        """The tree as the paper's script reads it; never raises."""
        del reading
        return script_tree(query.tree, schema), paper_facts(schema, facts)

    def objection(self, sql: str, tree: Expr, facts: Facts) -> str | None:
        """None: the script takes every query that parses."""
        del sql, tree, facts
        return None

    def difference(
        self, gold: Expr, prediction: Expr, columns: tuple[int, ...], fixed_columns: bool
    ) -> str | None:
        """Compare the trees; the rules have put columns and operands in order."""
        del columns, fixed_columns
        return "the last two trees differ" if node_text(gold) != node_text(prediction) else None

    def text(self, tree: Expr) -> str:
        """The tree as SQL, which need not run."""
        return paper_text(tree)


def paper_text(tree: Expr) -> str:
    """A tree as SQL, for people; it need not run."""
    return str(tree.sql(DEFAULT_DIALECT))


_FORMS = FormCache()


def paper_form(query: Query, question: ProofQuestion) -> NormalForm:
    """The form to which the paper's rules rewrite a query.

    Raises:
        TooManySteps: the rules find no end.
    """
    identity = (query.sql, question.schema, question.facts, question.without)
    return _FORMS.get(identity, lambda: _form(query, question))


def _form(query: Query, question: ProofQuestion) -> NormalForm:
    facts = paper_facts(question.schema, question.facts)
    tree = script_tree(query.tree, question.schema)
    work = PaperRewriting(tree, facts, question.without)
    work.run()
    freeze(work.tree)
    return NormalForm(work.tree, tuple(work.steps), node_text(work.tree), paper_text)


def script_tree(tree: Expr, schema: Schema) -> Expr:
    """A copy of a tree as the script reads the query.

    Quoted words that name nothing in the database are strings. Casts to REAL and to FLOAT are one,
    as in the script's parser.
    """
    root = tree.copy()
    while isinstance(root, exp.Subquery | exp.Paren) and not _has_more(root):
        root = root.this
    root.parent = None
    root.arg_key = None
    words = _words(schema)
    for node in nodes_below(root, exp.Column, exp.DataType, exp.Join):
        if isinstance(node, exp.Column):
            if is_quoted(node) and node.name.lower() not in words:
                node.replace(exp.Literal.string(node.name))
        elif isinstance(node, exp.DataType) and node.is_type("double"):
            node.set("this", exp.DataType.Type.FLOAT)
        elif isinstance(node, exp.Join) and isinstance(node.args.get("on"), exp.Boolean):
            # Our parser writes ON TRUE where several joins share one ON behind them.
            node.set("on", None)
    return root


def _has_more(node: Expr) -> bool:
    return any(value for name, value in node.args.items() if name != "this")


@lru_cache(maxsize=64)
def _words(schema: Schema) -> frozenset[str]:
    tables = schema.tables
    names = {fold(table.name) for table in tables}
    return frozenset(names | {fold(c.name) for table in tables for c in table.columns})
