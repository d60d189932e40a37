"""All that is known about one gold query: what systems said to it, and what was found out.

Made from run folders alone. Answers are there only where the queries were run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from math import log

from sqlverdict.compare.query.columns import Names
from sqlverdict.compare.query.text import Texts
from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.evidence import Failed, Judged, Refuted
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.parse.qualified import with_plain_names, with_real_names
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import fold
from sqlverdict.reasons import WITHOUT_SQL
from sqlverdict.records import Answer, Case, Failure, Outcome, Query, Reason, Result, Verdict
from sqlverdict.report.agreement.opinions import results_match
from sqlverdict.runlog.run import Run, system_names

Rerun = Callable[[str, str], Outcome | None]
"""Runs a query on a database by its ``db_id``; ``None`` where there is no such database."""


@dataclass(frozen=True)
class SystemAnswer:
    """One system's answer to a case.

    Attributes:
        system: The system.
        result: Its line in the run log.
        query: One text for all spellings of its query; empty where it gave none.
        answer: What the query returned, where it was run again.
        weight: How much it says that the system misses a gold; see :func:`miss_weight`.
    """

    system: str
    result: Result
    query: str
    answer: Answer | None = None
    weight: float = 1.0

    @property
    def right(self) -> bool | None:
        """Whether its result matches the gold's; ``None``: not known."""
        return results_match(self.result)

    @property
    def runs(self) -> bool:
        """Whether nothing says that its query fails."""
        return not any(
            isinstance(piece, Failed) and piece.query == "prediction"
            for piece in self.result.evidence
        )

    def witnesses(self) -> Iterator[Refuted]:
        """The witnesses against its query."""
        return (piece for piece in self.result.evidence if isinstance(piece, Refuted))

    def opinions(self) -> Iterator[Judged]:
        """What judges say of its query."""
        return (piece for piece in self.result.evidence if isinstance(piece, Judged))


@dataclass(frozen=True)
class GoldReport:
    """One gold.

    Attributes:
        case: The line of a run log that says what the case is: the first system's.
        knowledge: What comes with the question; ``None``: not at hand.
        answers: What systems said, those that answered with SQL only.
        gold_answer: What the first gold returned, where it was run again.
        systems: How many runs have the case at all.
        schema: The schema, where known.
        rerun: Runs a query on the database, where that is wanted.
        dialect: The dialect of the gold.
    """

    case: Result
    knowledge: str | None = None
    answers: tuple[SystemAnswer, ...] = ()
    gold_answer: Answer | None = None
    systems: int = 0
    schema: Schema | None = field(default=None, repr=False)
    rerun: Callable[[str], Outcome | None] | None = field(default=None, repr=False, compare=False)
    dialect: str = DEFAULT_DIALECT

    @property
    def query(self) -> Query | None:
        """The first gold, over the schema's own names of tables; ``None``: it cannot be read."""
        query = parse(self.case.gold[0], self.dialect)
        if self.schema is not None:
            query = with_plain_names(query, self.schema)
        return query if isinstance(query, Query) else None

    def repeats(self, table: Table, column: str) -> bool:
        """Whether a value occurs twice in a column; false for a declared key, or if not known."""
        if any(tuple(map(fold, key)) == (fold(column),) for key in table.uniques):
            return False
        if self.rerun is None:
            return False
        record = dialect_of(self.dialect)
        # Behind its table a quoted name is never a text, and a word such as "user" is a column.
        name = f"t.{record.quoted(column)}"
        source = table.source_text(record.quote)
        outcome = self.rerun(f"SELECT COUNT({name}), COUNT(DISTINCT {name}) FROM {source} AS t")  # noqa: S608
        if not isinstance(outcome, Answer) or not outcome.rows:
            return False
        values, different = outcome.rows[0]
        return isinstance(values, int) and isinstance(different, int) and values > different

    def probe(self, sql: str) -> Outcome:
        """The outcome of a query over the schema's own names; a failure without a database."""
        outcome = None
        if self.rerun is not None:
            real = sql if self.schema is None else with_real_names(sql, self.schema)
            outcome = self.rerun(real)
        return outcome or Failure(Reason.DATABASE_UNAVAILABLE, "no database")


def gold_reports(
    runs: Sequence[Run],
    *,
    knowledge: Mapping[str, str] | None = None,
    schemas: Mapping[str, Schema] | None = None,
    rerun: Rerun | None = None,
    dialect: str = DEFAULT_DIALECT,
) -> Iterator[GoldReport]:
    """One report a case with a gold, one at a time, in the order of the first run that has it.

    Logs of the same cases in the same order are read side by side, whatever their length. A
    case that some runs have elsewhere waits until all that have it were read up to it.

    Args:
        runs: The runs, one a system.
        knowledge: What comes with each question, by case; ``None``: not at hand.
        schemas: Schemas by database.
        rerun: Runs queries again, if that is wanted.
        dialect: The dialect of the golds.
    """
    weights = _weights(runs)
    for results in _side_by_side(runs):
        yield report_of(
            results,
            knowledge=knowledge,
            schemas=schemas,
            rerun=rerun,
            weights=weights,
            dialect=dialect,
        )


def case_reports(
    cases: Iterable[Case],
    *,
    schemas: Mapping[str, Schema] | None = None,
    rerun: Rerun | None = None,
    dialect: str = DEFAULT_DIALECT,
) -> Iterator[GoldReport]:
    """One report a case with a gold, where there is no system: what the gold itself shows."""
    for index, case in enumerate(cases):
        if case.golds:
            line = Result(
                index=index,
                id=case.id,
                db_id=case.db_id,
                question=case.question,
                gold=case.golds,
                prediction=None,
                abstained=True,
                verdict=Verdict.UNSCORED,
                difficulty=case.difficulty,
                session=case.session,
                turn=case.turn,
                earlier=case.earlier,
            )
            report = report_of(
                [("", line)],
                knowledge={case.id: case.knowledge},
                schemas=schemas,
                rerun=rerun,
                dialect=dialect,
            )
            yield replace(report, systems=0)


def _weights(runs: Sequence[Run]) -> dict[str, float]:
    """The weight of each system, by the verdicts of its run."""
    counts = [run.summary.verdicts for run in runs]
    return {
        name: miss_weight(each.get(Verdict.CORRECT, 0), each.get(Verdict.INCORRECT, 0))
        for name, each in zip(system_names(runs), counts, strict=True)
    }


def miss_weight(right: int, wrong: int) -> float:
    """How much it says that a system misses a gold: minus the log of how often it misses one.

    A system that is mostly right misses right golds rarely, so its miss says more. One answer is
    added on either side.
    """
    return -log((wrong + 1) / (right + wrong + 2))


def _side_by_side(runs: Sequence[Run]) -> Iterator[list[tuple[str, Result]]]:
    """The systems' answers to each case, in the order of the runs."""
    names = system_names(runs)
    readers = [(index, run.results()) for index, run in enumerate(runs)]
    times = _how_often(runs)
    waiting: dict[str, dict[int, Result]] = {}
    while readers:
        for reader in list(readers):
            index, results = reader
            result = next((each for each in results if each.gold), None)
            if result is None:
                readers.remove(reader)
                continue
            by_run = waiting.setdefault(result.id, {})
            by_run[index] = result
            if len(by_run) == times(result.id):
                del waiting[result.id]
                yield [(names[each], by_run[each]) for each in sorted(by_run)]
    for by_run in waiting.values():
        yield [(names[each], by_run[each]) for each in sorted(by_run)]


def _how_often(runs: Sequence[Run]) -> Callable[[str], int]:
    """In how many runs a case is; where they have equally many cases, in all of them."""
    if len({run.summary.cases for run in runs}) == 1:
        return lambda _: len(runs)
    # Eight bytes a case. Should two cases share them, one of them waits longer.
    known = [{_digest(result.id) for result in run.results() if result.gold} for run in runs]
    return lambda case_id: sum(_digest(case_id) in ids for ids in known)


def _digest(case_id: str) -> int:
    text = case_id.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def report_of(
    results: Sequence[tuple[str, Result]],
    *,
    knowledge: Mapping[str, str] | None = None,
    schemas: Mapping[str, Schema] | None = None,
    rerun: Rerun | None = None,
    weights: Mapping[str, float] | None = None,
    dialect: str = DEFAULT_DIALECT,
) -> GoldReport:
    """The report of one case, from what each system's run says about it.

    Args:
        results: At least one system with its line of the run log.
        knowledge: What comes with each question, by case; ``None``: not at hand.
        schemas: Schemas by database.
        rerun: Runs queries again, if that is wanted.
        weights: How much a miss of each system says; by default each says the same.
        dialect: The dialect of the gold.
    """
    first = results[0][1]
    schema = (schemas or {}).get(first.db_id)

    def run(sql: str) -> Outcome | None:
        return rerun(first.db_id, sql) if rerun is not None else None

    def answer(sql: str) -> Answer | None:
        outcome = run(sql)
        return outcome if isinstance(outcome, Answer) else None

    return GoldReport(
        case=first,
        knowledge=None if knowledge is None else knowledge.get(first.id, ""),
        answers=tuple(
            SystemAnswer(
                system,
                result,
                query_key(result.prediction, schema),
                answer(result.prediction),
                (weights or {}).get(system, 1.0),
            )
            for system, result in results
            if not result.abstained
            and result.prediction
            and result.prediction.strip()
            and WITHOUT_SQL.isdisjoint(result.reasons)
        ),
        gold_answer=answer(first.gold[0]),
        systems=len(results),
        schema=schema,
        rerun=run if rerun is not None else None,
        dialect=dialect,
    )


@lru_cache(maxsize=8192)
def query_key(sql: str, schema: Schema | None = None) -> str:
    """One text for the spellings of a query that differ in case, aliases, order of AND and so on.

    Two queries of one text are the same query. A table that is read twice keeps its aliases
    apart, so such queries are only the same where they are written the same.
    """
    from sqlglot import exp

    query = parse(sql)
    if not isinstance(query, Query):
        return fold_sql(sql)
    try:
        names = Names(query.tree, schema)
        if names.repeats:
            return fold_sql(sql)
        # Error tags take 1, 1.0 and '1' for one, and a cast to REAL for none; an engine does not.
        kinds = sorted(each.sql(DEFAULT_DIALECT) for each in query.tree.find_all(exp.Literal))
        types = sorted(each.to.sql(DEFAULT_DIALECT) for each in query.tree.find_all(exp.Cast))
        return f"{Texts(names)(query.tree)} {kinds} {types}"
    except (RecursionError, MemoryError, LookupError, ValueError, TypeError, AttributeError):
        # A hostile text is the same as itself and as nothing else.
        return fold_sql(sql)


@lru_cache(maxsize=8192)
def is_rearranged(gold: str, prediction: str) -> bool:
    """Whether two queries are the same but for the order and the names of their columns."""
    from sqlglot import exp

    trees = [each.tree for each in map(parse, (gold, prediction)) if isinstance(each, Query)]
    if len(trees) < 2 or not all(isinstance(tree, exp.Select) for tree in trees):
        return False
    if len({len(tree.expressions) for tree in trees}) != 1:
        return False
    keys = set()
    for tree in trees:
        columns = [each.unalias().copy() for each in tree.expressions]
        columns.sort(key=lambda each: (each.name.lower(), each.sql(DEFAULT_DIALECT).lower()))
        ordered = tree.copy()
        ordered.set("expressions", columns)
        keys.add(query_key(ordered.sql(DEFAULT_DIALECT)))
    return len(keys) == 1
