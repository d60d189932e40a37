"""The question is taken apart: links to the schema, a class, a query by class, a correction.

Four requests a question: which columns, keys and values it speaks about; whether its query is
easy, joined or nested, and why; the query, in steps where it is joined or nested; the query
corrected. Links and classes are demonstrated by questions of every class, the others by questions
of the class that was found; a question about another database comes with its schema.

Learns from:
    questions with their queries; links, classes, reasons and steps of the demonstrations are
    read off the queries
Source:
    DIN-SQL, as TrustSQL uses it (section 4.1); the prompts are our own
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from sqlverdict.abstain.base import Learner
from sqlverdict.abstain.learn import saved
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Draft,
    GeneratorNeeds,
    Need,
    Tools,
    TrainingData,
    TrainingExample,
)
from sqlverdict.abstain.prompting.demonstrations import TFIDF, ExamplePool
from sqlverdict.abstain.prompting.prompt import answerer, request, side_by_side
from sqlverdict.abstain.prompting.replies import sql_of
from sqlverdict.abstain.prompting.schema_text import column_lists
from sqlverdict.compare.query.columns import UNKNOWN, Names, walk
from sqlverdict.errors import UsageError
from sqlverdict.llm.request import NoReply
from sqlverdict.parse.hardness import trustsql_hardness
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import ParseFailure

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

Class = Literal["easy", "joined", "nested"]
CLASSES: tuple[Class, ...] = ("easy", "joined", "nested")
_LEVELS: dict[str, Class] = {"easy": "easy", "medium": "joined", "hard": "nested"}


class _Unasked(Exception):
    """The model could not be asked; carries why out of the four steps."""

    def __init__(self, problem: NoReply) -> None:
        self.problem = problem


@ABSTAINERS.member
@dataclass(kw_only=True)
class DinSql(Learner):
    """Decomposed generation.

    Options: shots, embedding, correct, temperature, sample_temperature.
    """

    name: ClassVar[str] = "din_sql"
    version: ClassVar[int] = 2
    needs: ClassVar[frozenset[Need]] = frozenset({"answerer"})

    shots: int = 4
    embedding: str = TFIDF
    correct: bool = True
    temperature: float = 0.0
    sample_temperature: float = 1.0
    _pools: dict[str, ExamplePool] = field(default_factory=dict, init=False, repr=False)

    def fit(self, training: TrainingData, tools: Tools) -> None:
        """Keep the questions to choose demonstrations from, by class too."""
        del tools
        self._keep(training.answerable())

    def _keep(self, examples: Sequence[TrainingExample]) -> None:
        known = [(example, class_of(example.sql)) for example in examples if example.sql]
        self._pools = {"": ExamplePool([example for example, _ in known], self.embedding)}
        for kind in CLASSES:
            alike = [example for example, own in known if own == kind]
            self._pools[kind] = ExamplePool(alike, self.embedding)

    def generate(self, asks: Sequence[Ask], needs: GeneratorNeeds, tools: Tools) -> list[Draft]:
        """Four requests a question, and again for each sample."""
        if needs.states or needs.tokens or needs.style is not None:
            raise UsageError(
                "din_sql gives neither states nor token probabilities, and its prompts cannot be "
                "changed; inside its brackets only voting works"
            )
        times = max(1, needs.samples)
        work = [(ask, sample) for ask in asks for sample in range(times)]
        done = side_by_side(lambda one: self._one(*one, bool(needs.samples), tools), work, tools)
        return [_joined(done[n * times : (n + 1) * times]) for n in range(len(asks))]

    def _one(self, ask: Ask, sample: int, sampling: bool, tools: Tools) -> Draft:
        model = answerer(tools, self.name)
        schema = column_lists(ask.schema)

        def reply_text(
            name: str, pool: str, show: Callable[[TrainingExample], str], **values: str
        ) -> str:
            reply = model.ask(
                request(
                    name,
                    tools,
                    temperature=self.sample_temperature if sampling else self.temperature,
                    sample=sample,
                    stop=("\nQuestion:",),
                    values={
                        "demonstrations": self._demonstrations(ask, pool, show),
                        "schema": schema,
                        "knowledge": ask.knowledge,
                        "question": ask.question,
                        **values,
                    },
                )
            )
            if isinstance(reply, NoReply):
                raise _Unasked(reply)
            return reply.text

        try:
            links = reply_text("din_link", "", with_links).strip().partition("\n")[0]
            kind = class_named(reply_text("din_classify", "", with_class, links=links))
            show = with_sql if kind == "easy" else with_steps
            text = reply_text(f"din_{kind}", kind, show, links=links)
            sql = sql_of(text.rpartition("SQL:")[2])
            if sql is None or not self.correct:
                return Draft(sql, text)
            better = reply_text("din_correct", "", lambda _: "", sql=sql)
            return Draft(sql_of(better) or sql, better)
        except _Unasked as unasked:
            return Draft(problem=unasked.problem)

    def _demonstrations(self, ask: Ask, pool: str, show: Callable[[TrainingExample], str]) -> str:
        examples = self._examples(ask, pool)
        parts: list[str] = []
        databases = {ask.db_id}
        for example in examples:
            text = show(example)
            if text and example.ask.db_id not in databases:
                databases.add(example.ask.db_id)
                parts += filter(None, [column_lists(example.ask.schema)])
            parts += filter(None, [text])
        return "\n\n".join(parts)

    def _examples(self, ask: Ask, pool: str) -> list[TrainingExample]:
        """The questions most like this one, of a class or in turn of each; databases together."""
        by_class = []
        for kind in (pool,) if pool else CLASSES:
            known = self._pools.get(kind)
            if known is not None:
                own = ask.db_id if known.has(ask.db_id) else None
                by_class.append(known.similar(ask, self.shots, own))
        in_turn = (example for row in zip_longest(*by_class) for example in row if example)
        return sorted(islice(in_turn, self.shots), key=lambda each: each.ask.db_id != ask.db_id)

    def save(self, folder: Path) -> None:
        """Write the questions."""
        saved.write_examples(folder, self._pools[""].every if self._pools else [])

    def load(self, folder: Path) -> None:
        """Read the questions."""
        self._keep(saved.read_examples(folder))


def _joined(drafts: Sequence[Draft]) -> Draft:
    """One draft of several samples."""
    failed = next((draft for draft in drafts if draft.problem is not None), None)
    if failed is not None or len(drafts) == 1:
        return failed or drafts[0]
    first = next((draft for draft in drafts if draft.sql is not None), drafts[0])
    samples = tuple(draft.sql or draft.raw or "" for draft in drafts)
    return Draft(first.sql, first.raw, samples=samples)


def class_of(sql: str) -> Class:
    """How complex a query is: one table, a join, or more than one SELECT."""
    level = trustsql_hardness(sql)
    return _LEVELS[level] if level is not None else "nested"


def links_of(sql: str, schema: Schema | None) -> str:
    """The columns, join conditions and values of a query: ``[t.a, t.b = u.c, 'x']``.

    A double-quoted word that names no column is a value, as SQLite has it.
    """
    from sqlglot import exp

    query = parse(sql)
    if isinstance(query, ParseFailure):
        return "[]"
    names = Names(query.tree, schema)
    columns: list[str] = []
    values: list[str] = []
    for node in walk(query.tree):
        if isinstance(node, exp.Literal):
            values.append(node.sql())
        elif isinstance(node, exp.Join) and node.args.get("on") is not None:
            columns.append(_with_tables(node.args["on"], names, schema).sql(dialect=query.dialect))
        elif isinstance(node, exp.Column) and not node.is_star:
            if isinstance(node.find_ancestor(exp.Join, exp.Select), exp.Join):
                continue  # its condition stands above
            is_value = not names.column_ref(node)
            (values if is_value else columns).append(
                _with_tables(node, names, schema).sql(dialect=query.dialect)
            )
    return f"[{', '.join(dict.fromkeys([*columns, *values]))}]"


def _with_tables(expression: Expr, names: Names, schema: Schema | None) -> Expr:
    """An expression with the tables of its columns for their aliases, and values as such."""
    from sqlglot import exp

    spelling = {fold(table.name): table.name for table in schema.tables} if schema else {}
    refs = [names.column_ref(node) for node in expression.find_all(exp.Column)]
    copy = expression.copy()
    for node, ref in zip(list(copy.find_all(exp.Column)), refs, strict=True):
        table = ref.rpartition(".")[0]
        new: Expr = exp.Literal.string(node.name)
        if ref:
            owner = None if table == UNKNOWN else exp.to_identifier(spelling.get(table, table))
            new = exp.Column(this=node.this.copy(), table=owner)
        if node is copy:
            return new
        node.replace(new)
    return copy


def steps_of(sql: str) -> str:
    """The parts of a query, then the whole: its joins, or its inner queries one by one."""
    from sqlglot import exp

    query = parse(sql)
    if isinstance(query, ParseFailure):
        return f"SQL: {sql}"
    lines = []
    if class_of(sql) == "joined":
        lines.append(f"Tables: {', '.join(query.tables)}")
    else:
        inner = [node for node in query.tree.find_all(exp.Select) if node is not query.tree]
        # The innermost comes first, as it would be worked out.
        parts = dict.fromkeys(node.sql(dialect=query.dialect) for node in reversed(inner))
        lines += [f"Part {number}: {part}" for number, part in enumerate(parts, 1)]
    return "\n".join([*lines, f"SQL: {sql}"])


def with_links(example: TrainingExample) -> str:
    """A demonstration of links."""
    links = links_of(example.sql or "", example.ask.schema)
    return f"Question: {example.ask.question}\nLinks: {links}"


def with_class(example: TrainingExample) -> str:
    """A demonstration of classes."""
    sql = example.sql or ""
    return f"{with_links(example)}\nReason: {reason_of(sql)}\nClass: {class_of(sql)}"


def reason_of(sql: str) -> str:
    """Why a query is of its class, in words."""
    kind, query = class_of(sql), parse(sql)
    if kind == "nested" or isinstance(query, ParseFailure):
        return "it takes more than one SELECT"
    tables = " and ".join(query.tables)
    return f"it joins {tables}" if kind == "joined" else f"it reads {tables or 'no table'} alone"


def with_sql(example: TrainingExample) -> str:
    """A demonstration of a query without steps."""
    return f"{with_links(example)}\nSQL: {example.sql}"


def with_steps(example: TrainingExample) -> str:
    """A demonstration of a query in steps."""
    return f"{with_links(example)}\nSteps:\n{steps_of(example.sql or '')}"


def class_named(text: str) -> Class:
    """The class a reply ends in; without any, nested: its steps suit the others too."""
    text = text.rpartition("Class:")[2]
    positions = {kind: text.lower().find(kind) for kind in CLASSES}
    classes = [kind for kind in CLASSES if positions[kind] >= 0]
    return min(classes, key=lambda kind: positions[kind]) if classes else "nested"
