"""A gold that returns nothing gets values that exist together, or its case is left out.

Any wrong query that finds nothing would be right there. The values that the question names and
the gold compares with ``=`` are drawn anew, together, from the rows that the other conditions
leave. That takes a gold of one SELECT whose values stand in the question once each; of other
golds nothing is changed, and the case is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlverdict.abstain.benchmark.chance import shuffled
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.query import parse
from sqlverdict.records import Answer, Case, Outcome, ParseFailure

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_ROWS = 50


def with_results(
    cases: Sequence[Case], runner: QueryRunner, seed: int
) -> tuple[list[Case], int, int]:
    """The cases whose golds return something, how many got new values, how many are left out.

    A case without a database file, and one whose gold fails, stays as it is.
    """
    rest, changed = [], 0
    for case in cases:
        if not _returns_nothing(case, runner):
            rest.append(case)
        elif (other := _with_values(case, runner, seed)) is not None:
            rest.append(other)
            changed += 1
    return rest, changed, len(cases) - len(rest)


def _returns_nothing(case: Case, runner: QueryRunner) -> bool:
    if not case.database or not Path(case.database).is_file():
        return False
    return any(is_empty(runner.run(case.database, sql)) for sql in case.golds)


def is_empty(outcome: Outcome) -> bool:
    """Whether a query ran and returned no row, or nothing but NULL."""
    return isinstance(outcome, Answer) and all(cell is None for row in outcome.rows for cell in row)


def _with_values(case: Case, runner: QueryRunner, seed: int) -> Case | None:
    """The case with values under which its gold returns something."""
    database, (gold, *others) = str(case.database), case.golds
    dialect = runner.engine_for(database).dialect
    query = parse(gold, dialect)
    if others or isinstance(query, ParseFailure):
        return None
    tree = query.tree.copy()
    pairs = _compared(tree)
    texts = [str(literal.this) for _, literal in pairs]
    mentions = [re.findall(_mention(text), case.question) for text in texts]
    if not pairs or len(set(texts)) < len(texts) or any(len(hits) != 1 for hits in mentions):
        return None
    outcome = runner.run(database, _candidates(tree, pairs).sql(dialect=dialect))
    rows = outcome.rows if isinstance(outcome, Answer) else ()
    for row in shuffled(rows, seed, "values", case.id):
        if None in row:
            continue
        values = dict(zip(texts, map(str, row), strict=True))
        for text, (_, literal) in zip(texts, pairs, strict=True):
            literal.set("this", values[text])
        sql = tree.sql(dialect=dialect)
        if not is_empty(runner.run(database, sql)):
            places = "|".join(map(_mention, texts))
            question = re.sub(places, lambda hit: values[hit[0]], case.question)  # noqa: B023
            tags = {**case.tags, "source_question": case.question}
            return replace(case, question=question, golds=(sql,), tags=tags)
    return None


def _mention(text: str) -> str:
    """A pattern for a value as a word of its own."""
    return rf"(?<!\w){re.escape(text)}(?!\w)"


def _compared(tree: Expr) -> list[tuple[Expr, Expr]]:
    """The columns and literals of the conditions ``column = literal`` that all must hold."""
    from sqlglot import exp

    where = tree.args.get("where")
    if (
        not isinstance(tree, exp.Select)
        or where is None
        or len(list(tree.find_all(exp.Select))) > 1
    ):
        return []
    pairs: list[tuple[Expr, Expr]] = []
    for condition in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
        if not isinstance(condition, exp.EQ):
            continue
        column, literal = condition.this, condition.expression
        if isinstance(column, exp.Column) and isinstance(literal, exp.Literal):
            pairs.append((column, literal))
    return pairs


def _candidates(tree: Expr, pairs: Sequence[tuple[Expr, Expr]]) -> Expr:
    """A query for the values that occur together under the other conditions."""
    from sqlglot import exp

    select = exp.Select()
    for part in ("from", "from_", "joins", "with", "with_"):
        if tree.args.get(part):
            copies = tree.args[part]
            own = [one.copy() for one in copies] if isinstance(copies, list) else copies.copy()
            select.set(part, own)
    columns = [column.copy() for column, _ in pairs]
    compared = {id(literal.parent) for _, literal in pairs}
    where = tree.args["where"].this
    for condition in where.flatten() if isinstance(where, exp.And) else [where]:
        if id(condition) not in compared:
            select = select.where(condition.copy())
    return select.select(*columns).distinct().order_by(*columns).limit(_ROWS)
