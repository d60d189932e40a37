"""The ETM paper's rules, as its script applies them: the paper's metric, not a proof.

Many of these rules are unsound as printed; each names its corner. Two queries that this
profile joins match under ETM, and may still differ on a legal database.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.parse.facts import Fact
from sqlverdict.parse.frozen import freeze
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.etm_paper.constraints import paper_facts
from sqlverdict.prove.etm_paper.order import PaperRewriting, stages
from sqlverdict.prove.etm_paper.prepare import prepared
from sqlverdict.prove.etm_paper.shapes import key
from sqlverdict.prove.form_cache import FormCache
from sqlverdict.prove.profile import PROFILES, ProofQuestion
from sqlverdict.prove.proof import Derivation, Forms, NotProved, Proof, Step, weakest
from sqlverdict.prove.reasoning.copies import TooManySteps
from sqlverdict.prove.reasoning.facts import Facts
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
        return prepared(query.tree, schema), paper_facts(schema, facts)

    def objection(self, sql: str, tree: Expr, facts: Facts) -> str | None:
        """None: the script takes every query that parses."""
        del sql, tree, facts
        return None

    def difference(
        self, gold: Expr, prediction: Expr, columns: tuple[int, ...], fixed_columns: bool
    ) -> str | None:
        """Compare the trees; the rules have put columns and operands in order."""
        del columns, fixed_columns
        return "the last two trees differ" if key(gold) != key(prediction) else None

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
    tree = prepared(query.tree, question.schema)
    work = PaperRewriting(tree, facts, stages(question.without))
    work.run()
    freeze(work.tree)
    return PaperForm(work.tree, key(work.tree), tuple(work.steps))
