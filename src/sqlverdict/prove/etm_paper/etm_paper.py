"""The ETM paper's rules, as its script applies them: the paper's metric, not a proof.

Many of these rules are unsound as printed; each names its corner. Two queries that this
profile joins match under ETM, and may still differ on a legal database.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.parse.facts import Fact
from sqlverdict.parse.frozen import freeze
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.etm_paper.constraints import paper_facts
from sqlverdict.prove.etm_paper.order import PaperRewriting, stages
from sqlverdict.prove.etm_paper.shapes import node_text, nodes_below
from sqlverdict.prove.form_cache import FormCache
from sqlverdict.prove.profile import PROFILES, ProofQuestion
from sqlverdict.prove.proof import Derivation, Forms, NotProved, Proof, Step, weakest
from sqlverdict.prove.reasoning.copies import TooManySteps
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.resolve.scope import is_quoted
from sqlverdict.prove.rule import RULES
from sqlverdict.records import Query, Reason


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
            forms = Forms(gold.tree, prediction.tree, paper_text)
            return NotProved("the trees differ", None, forms, tuple(fired))
        steps = (*gold.steps, *(replace(step, side="prediction") for step in prediction.steps))
        return Proof(
            question.gold.sql,
            question.prediction.sql,
            self.name,
            steps,
            weakest([RULES.get(step.rule).trust for step in steps]),
            gold.text,
        )

    def read(self, query: Query, schema: Schema, facts: frozenset[Fact]) -> tuple[Expr, Facts]:
        """The tree as the paper's script reads it; never raises."""
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


@dataclass(frozen=True)
class PaperForm:
    """What the paper's rules make of a query."""

    tree: Expr
    key: str
    steps: tuple[Step, ...]

    @property
    def text(self) -> str:
        """The tree as SQL."""
        return paper_text(self.tree)


def paper_text(tree: Expr) -> str:
    """A tree as SQL, for people; it need not run."""
    return str(tree.sql(DEFAULT_DIALECT))


_FORMS: FormCache[PaperForm] = FormCache()


def paper_form(query: Query, question: ProofQuestion) -> PaperForm:
    """The form to which the paper's rules rewrite a query.

    Raises:
        TooManySteps: the rules find no end.
    """
    identity = (query.sql, question.schema, question.facts, question.without)
    return _FORMS.get(identity, lambda: _form(query, question))


def _form(query: Query, question: ProofQuestion) -> PaperForm:
    facts = paper_facts(question.schema, question.facts)
    tree = script_tree(query.tree, question.schema)
    work = PaperRewriting(tree, facts, stages(question.without))
    work.run()
    freeze(work.tree)
    return PaperForm(work.tree, node_text(work.tree), tuple(work.steps))


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
