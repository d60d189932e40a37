"""Many pairs, kept warm: no files, any number of threads.

Threads that work at the same time have databases of their own, which the next one uses again;
results that were found before are shared. A scorer can be
pickled and survives a fork: it opens databases when it first needs them. Nothing that a prediction
does raises. Queries end by the limits of the engine, without signals; those that the engine may
not be able to stop are run in a process that can be killed (see ``isolated``).
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlverdict.api.arguments import (
    Golds,
    Pair,
    Reference,
    Reply,
    file_stamp,
    name_of_database,
    plain_text,
    read_arguments,
    read_golds,
    read_reference,
    read_reply,
)
from sqlverdict.api.bounded_checker import BoundedChecker
from sqlverdict.api.closing import Closing
from sqlverdict.api.pair_result import PairResult, size_of
from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import DEFAULT_ENGINE, ENGINES, Limits, engine_of
from sqlverdict.files.references import absolute
from sqlverdict.load.databases import DatabaseLocation, Databases, find_databases
from sqlverdict.load.no_sql import read_prediction, without_sql
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Contract
from sqlverdict.refute.witness import SearchBudget
from sqlverdict.run.options import Options, ProofOptions, SearchOptions
from sqlverdict.run.plan import RunPlan, plan_run

WORK_A_MILLISECOND = 10_000
"""The work of a search in one millisecond; see ``SearchBudget.work``."""
_PATIENCE = 10
"""The clock ends a search that takes so many times its budget."""
_LEAST_SECONDS = 1.0
REMEMBERED = 2**28
"""How many characters and bytes all results that are remembered may hold, about."""


class Scorer(Closing):
    """Scores pairs of gold and prediction.

    Args:
        metrics: What to score: ``"ex"``, ``"ex[bird],verdict"``. A call gives the first value.
        databases: Where databases are found by ``db_id``: a folder, or a URL with ``{db_id}``.
        db: The database of every pair that names none: a file, or a URL.
        engine: The engine; by default that of the databases.
        timeout: Seconds that one query may take.
        limits: All limits of a query; ``timeout`` is one of them.
        prove: Search for proofs, whatever the metrics need.
        refute: Try so many databases for a witness, where the answers match.
        budget_ms: About how many milliseconds the search for one witness may take. It is counted
            in work, so that the same search ends at the same place on every machine.
        policy: How evidence becomes a verdict; see :class:`~sqlverdict.run.options.Options`.
        schemas: Schemas by database id, for pairs without a database.
        now: What the clock shows to queries.
        no_sql: What a reply of text without SQL is: ``wrong``, or ``abstain``.
        memo: How many results are remembered; fewer where replies or their answers are large.

    Example:
        >>> gold = "SELECT count(*) FROM item"
        >>> with sv.Scorer("ex", db="shop.sqlite") as scorer:
        ...     scorer(gold, "SELECT count(id) FROM item")
        ...     results = scorer.batch([(gold, "SELECT 3"), (gold, "DROP TABLE item")])
        ...     [result.correct for result in results]
        1.0
        [True, False]
    """

    def __init__(
        self,
        metrics: str | Sequence[str] = "ex",
        *,
        databases: Reference | None = None,
        db: Reference | None = None,
        engine: str | None = None,
        timeout: float | None = None,
        limits: Limits | None = None,
        prove: bool = False,
        refute: int = 0,
        budget_ms: float | None = None,
        policy: str | None = None,
        schemas: Mapping[str, Schema] | None = None,
        now: datetime | None = None,
        no_sql: str = "wrong",
        memo: int = 100_000,
    ) -> None:
        if timeout is not None and limits is not None:
            raise UsageError("timeout is one of the limits; give one of the two")
        self._databases_at = read_reference(databases)
        self._db = read_reference(db)
        where = self._databases_at or self._db
        name = engine or (engine_of(where) if where is not None else DEFAULT_ENGINE)
        limits = limits or (Limits() if timeout is None else Limits(seconds=timeout))
        options = Options(
            metrics,
            engine=name,
            limits=limits,
            workers=0,
            cache=None,
            search=_search(refute, budget_ms),
            proof=ProofOptions() if prove else None,
            policy=policy,
            schemas=dict(schemas or {}),
            now=now,
            no_sql=no_sql,
        )
        # A result has the answers themselves.
        self.plan: RunPlan = replace(plan_run(options), logs=False)
        self._memo_size = memo
        self._open()

    def _open(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._idle: list[BoundedChecker] = []
        self._memo: OrderedDict[tuple[object, ...], tuple[PairResult, int]] = OrderedDict()
        self._remembered = 0
        self._known_databases: dict[str, Databases] = {}

    def __getstate__(self) -> dict[str, object]:
        """The options alone; databases are opened again where they are needed."""
        return {
            "plan": self.plan,
            "_databases_at": self._databases_at,
            "_db": self._db,
            "_memo_size": self._memo_size,
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()

    def close(self) -> None:
        """Close all databases; the scorer can be used again.

        What is still being checked in other threads closes its databases when it is done.
        """
        with self._lock:
            idle, self._idle = self._idle, []
            self._memo.clear()
            self._remembered = 0
        for checker in idle:
            checker.close()

    def __call__(
        self, gold: Golds, prediction: Reply, db: Reference | None = None, **more: Any
    ) -> float | None:
        """The value of the first metric; ``None``: unscored. The arguments are those of check."""
        result = self.check(gold, prediction, db, **more)
        return result.scores[self.plan.specs[0].label]

    def check(
        self,
        gold: Golds,
        prediction: Reply,
        db: Reference | None = None,
        *,
        db_id: str | None = None,
        question: str = "",
        knowledge: str = "",
        contract: Contract | None = None,
        id: str = "pair",  # noqa: A002 - the word of the field
    ) -> PairResult:
        """Check one pair.

        Args:
            gold: The gold query, or several of which any counts; ``None``: the question cannot be
                answered.
            prediction: SQL, or a reply from which the SQL is taken; ``None``: an abstention.
            db: The database: a file or a URL. By default that of the scorer.
            db_id: The name of a database below ``databases``, instead of ``db``.
            question: The question; policies and judges read it.
            knowledge: What else was given with the question.
            contract: How the answers are to be compared.
            id: Names the pair in evidence.

        Raises:
            UsageError: an argument is of the wrong type, or no database is known.
        """
        texts = plain_text(gold) if isinstance(gold, str) else read_golds(gold)
        reply = read_reply(prediction)
        database, name = self._database(db, db_id)
        key = (file_stamp(database), texts, reply, database, question, knowledge, contract, id)
        known = self._known(key)
        if known is not None:
            return known
        golds = read_golds(texts)
        read = read_prediction(id, reply)
        if self.plan.no_sql == "abstain":
            read = without_sql(read)
        case = Case(
            id,
            name,
            question,
            golds,
            database=database,
            answerable=bool(golds),
            knowledge=knowledge,
            contract=contract,
        )
        idle, checker = self._idle, self._take_checker()
        try:
            result = checker.check(case, read)
        finally:
            self._give_back(checker, idle)
        if result.result.final:
            self._remember(key, result)
        return result

    def batch(self, pairs: Iterable[Pair], *, threads: int = 0) -> list[PairResult]:
        """Check many pairs, in their order.

        Args:
            pairs: Tuples ``(gold, prediction, db)``, or mappings with the names of the arguments
                of :meth:`check`.
            threads: How many threads; 0: this one.
        """
        calls = [partial(self.check, **read_arguments(pair)) for pair in pairs]
        if threads <= 0:
            return [call() for call in calls]
        with ThreadPoolExecutor(threads) as pool:
            return [future.result() for future in [pool.submit(call) for call in calls]]

    async def abatch(self, pairs: Iterable[Pair], *, concurrency: int = 8) -> list[PairResult]:
        """As :meth:`batch`, from an event loop, which goes on meanwhile.

        Where it is cancelled, pairs that have begun end by their limits, in their threads.
        """
        loop = asyncio.get_running_loop()
        calls = [partial(self.check, **read_arguments(pair)) for pair in pairs]
        pool = ThreadPoolExecutor(concurrency)
        try:
            results = await asyncio.gather(*(loop.run_in_executor(pool, c) for c in calls))
        except BaseException:
            # Cancelled, or a pair was refused: to wait for the others would stop the loop. What
            # has begun ends by its limits; the rest does not begin.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown()
        return results

    def _database(self, db: Reference | None, db_id: str | None) -> tuple[str | None, str]:
        """The reference and the name of a pair's database."""
        if db is not None and db_id is not None:
            raise UsageError("db and db_id both name the database; give one of them")
        if db_id is not None:
            if self._databases_at is None:
                raise UsageError("db_id needs Scorer(databases=...), the folder of the databases")
            return self._find_database(db_id), db_id
        reference = read_reference(db) or self._db
        if reference is None:
            if self.plan.executes:
                raise UsageError("no database: give db=, or db_id= with Scorer(databases=...)")
            return None, ""
        # A process that was started before this one changed its folder stays in the old one.
        return absolute(reference), name_of_database(reference)

    def _find_database(self, db_id: str) -> str | None:
        """The database of an id, or where it should be."""
        assert self._databases_at is not None
        where = absolute(self._databases_at)
        known = self._known_databases.get(where)
        if known is None or known.path(db_id) is None:
            # What was missing may be there now.
            location = DatabaseLocation(where, ENGINES.get(self.plan.engine).suffixes)
            known = self._known_databases[where] = find_databases(Path(), (".",), location)
        return known.expected(db_id)

    def _known(self, key: tuple[object, ...]) -> PairResult | None:
        if self._process != os.getpid():
            # A fork copies connections, which two processes must not share.
            self._open()
        with self._lock:
            remembered = self._memo.get(key)
            if remembered is None:
                return None
            self._memo.move_to_end(key)
            return remembered[0]

    def _remember(self, key: tuple[object, ...], result: PairResult) -> None:
        size = size_of(result)
        with self._lock:
            before = self._memo.pop(key, None)
            self._remembered += size - (before[1] if before is not None else 0)
            self._memo[key] = result, size
            # A model may say anything: its texts and answers must not fill the memory.
            while len(self._memo) > self._memo_size or self._remembered > REMEMBERED:
                self._remembered -= self._memo.popitem(last=False)[1][1]

    def _take_checker(self) -> BoundedChecker:
        """An idle checker, or a new one: as many are open as threads work at the same time."""
        with self._lock:
            checker = self._idle.pop() if self._idle else None
        return checker or BoundedChecker(self.plan)

    def _give_back(self, checker: BoundedChecker, idle: list[BoundedChecker]) -> None:
        """Let others use a checker; where the scorer was closed meanwhile, it is closed too."""
        with self._lock:
            if idle is self._idle:
                idle.append(checker)
                return
        checker.close()


def _search(refute: int, budget_ms: float | None) -> SearchOptions | None:
    if not refute and budget_ms is None:
        return None
    budget = SearchBudget(instances=refute) if refute else SearchBudget()
    if budget_ms is not None:
        if not budget_ms > 0:
            raise UsageError(f"budget_ms is {budget_ms}; expected milliseconds, more than 0")
        work = max(1, int(budget_ms * WORK_A_MILLISECOND))
        seconds = max(_LEAST_SECONDS, _PATIENCE * budget_ms / 1000)
        budget = replace(budget, work=work, seconds=seconds)
    return SearchOptions(budget)
