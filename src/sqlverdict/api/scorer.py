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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
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
    name_of_database,
    plain_text,
    read_arguments,
    read_count,
    read_golds,
    read_reference,
    read_reply,
    read_search,
    read_timeout,
    text_from,
)
from sqlverdict.api.closing import Closing
from sqlverdict.api.isolated import BoundedChecker
from sqlverdict.api.pair_memory import PairMemory, ScoredPair, T
from sqlverdict.api.pair_result import PairResult
from sqlverdict.api.spelling import names_arguments
from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import (
    DEFAULT_ENGINE,
    ENGINES,
    Engine,
    Limits,
    check_fits,
    content_digest,
    engine_for,
    engine_of,
)
from sqlverdict.files.references import absolute
from sqlverdict.load.databases import DatabaseLocation, Databases, find_databases, is_misnamed
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Contract, Prediction
from sqlverdict.run.garbage import seldom_collecting
from sqlverdict.run.options import Options, ProofOptions
from sqlverdict.run.outcome import MetricValue
from sqlverdict.run.plan import RunPlan, plan_run

_ARGUMENTS = {"gold", "prediction", "db", "db_id", "question", "knowledge", "contract", "id"}
"""The arguments of :meth:`Scorer.check`."""
Look = Callable[[BoundedChecker, Engine, Case, Prediction, str], T]
"""Looks at a pair on a database with a digest, by its engine."""


class Scorer(Closing):
    """Scores pairs of gold and prediction.

    Args:
        metrics: What to score: ``"ex"``, ``"ex[bird],verdict"``. A call gives the first value.
        databases: Where databases are found by ``db_id``: a folder, or a URL with ``{db_id}``. One
            database, such as a file, serves pairs that name none; a ``db_id`` that is not its name
            is refused.
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
        tag: The tag that holds the answer in every reply; see :func:`extract_sql`.
        memo: How many results and values of calls are remembered; fewer where replies or their
            answers are large.

    Examples:
        >>> gold = "SELECT count(*) FROM item"
        >>> with sv.Scorer("ex", db="shop.sqlite") as scorer:
        ...     scorer(gold, "SELECT count(id) FROM item")
        ...     results = scorer.batch([(gold, "SELECT 3"), (gold, "DROP TABLE item")])
        ...     [result.correct for result in results]
        1.0
        [True, False]
    """

    @names_arguments
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
        tag: str | None = None,
        memo: int = 100_000,
    ) -> None:
        if timeout is not None and limits is not None:
            raise UsageError("timeout is one of the limits; give one of the two")
        self._databases_at = read_reference(databases)
        self._db = read_reference(db)
        where = self._databases_at or self._db
        name = text_from(engine, "engine")
        if name:
            ENGINES.get(name)
            for reference in filter(None, (self._databases_at, self._db)):
                check_fits(name, reference)
        else:
            name = engine_of(where) if where is not None else DEFAULT_ENGINE
        seconds = read_timeout(timeout)
        usual = Limits() if seconds is None else Limits(seconds=seconds)
        options = Options(
            metrics,
            engine=name,
            limits=usual if limits is None else limits,
            workers=0,
            cache=None,
            search=read_search(read_count(refute, "refute"), budget_ms),
            proof=ProofOptions() if prove else None,
            policy=policy,
            schemas={} if schemas is None else schemas,
            now=now,
            no_sql=no_sql,
            tag=tag,
        )
        # A result has the answers themselves.
        self.plan: RunPlan = replace(plan_run(options), logs=False)
        self._memo_size = read_count(memo, "memo")
        self._open()

    def _open(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._idle: list[BoundedChecker] = []
        self._memory = PairMemory(self.plan, self._memo_size)
        self._known_databases: dict[str, Databases] = {}
        self._engines: dict[str, Engine] = {}

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
        self._memory.memory.clear()
        for checker in idle:
            checker.close()

    def __call__(
        self, gold: Golds, prediction: Reply, db: Reference | None = None, **more: Any
    ) -> float | None:
        """The value of the first metric; ``None``: unscored. The arguments are those of check.

        Evidence is gathered only where the value rests on it.
        """
        pair = self._read_pair(gold, prediction, db, **more)
        known = self._memory.get(pair, MetricValue)
        return (known or self._find(pair, MetricValue, BoundedChecker.value)).value

    def check(
        self,
        gold: Golds,
        prediction: Reply,
        db: Reference | None = None,
        *,
        db_id: str | None = None,
        question: str | None = None,
        knowledge: str | None = None,
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
        pair = self._read_pair(gold, prediction, db, db_id, question, knowledge, contract, id)
        known = self._memory.get(pair, PairResult)
        return known or self._find(pair, PairResult, BoundedChecker.check)

    def _find(self, pair: ScoredPair, kind: type[T], look: Look[T]) -> T:
        """What is remembered of the query in a pair, else what is found out now."""
        case, read = pair.read(self.plan.no_sql, self.plan.tag)
        engine = self._engine(pair.database or "")
        key = self._memory.memory.keys.of_reply(case, read, pair.digest, engine)
        known = self._memory.of_query(key, read, kind)
        if known is None:
            with self._checker() as checker:
                known = look(checker, engine, case, read, pair.digest)
                now = self._digest(pair.database)
                if now != pair.digest:
                    # The result may be that of other content.
                    checker.refresh(pair.database or "", pair.digest, now)
                    return known
        self._memory.put(pair, key, read, known)
        return known

    @seldom_collecting()
    def batch(self, pairs: Iterable[Pair], *, threads: int = 0) -> list[PairResult]:
        """Check many pairs, in their order.

        Args:
            pairs: Tuples ``(gold, prediction, db)``, or mappings with the names of the arguments
                of :meth:`check`.
            threads: How many threads; 0: this one.
        """
        calls = self._calls(pairs)
        if not read_count(threads, "threads"):
            return [call() for call in calls]
        with ThreadPoolExecutor(threads) as pool:
            return [future.result() for future in [pool.submit(call) for call in calls]]

    async def abatch(self, pairs: Iterable[Pair], *, concurrency: int = 8) -> list[PairResult]:
        """As :meth:`batch`, from an event loop, which goes on meanwhile.

        Where it is cancelled, pairs that have begun end by their limits, in their threads.
        """
        loop, calls = asyncio.get_running_loop(), self._calls(pairs)
        pool = ThreadPoolExecutor(read_count(concurrency, "concurrency") or 1)
        try:
            results = await asyncio.gather(*(loop.run_in_executor(pool, c) for c in calls))
        except BaseException:
            # Cancelled, or a pair was refused: to wait for the others would stop the loop.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown()
        return results

    def _calls(self, pairs: Iterable[Pair]) -> list[Callable[[], PairResult]]:
        if isinstance(pairs, str | bytes | Mapping) or not isinstance(pairs, Iterable):
            raise UsageError(f"the pairs are {type(pairs).__name__}; expected a list of pairs")
        return [partial(self.check, **read_arguments(pair, _ARGUMENTS)) for pair in pairs]

    def _read_pair(
        self,
        gold: Golds,
        prediction: Reply,
        db: Reference | None = None,
        db_id: str | None = None,
        question: str | None = None,
        knowledge: str | None = None,
        contract: Contract | None = None,
        id: str = "pair",  # noqa: A002 - as in check
    ) -> ScoredPair:
        """The arguments of :meth:`check`, and the digest of the database."""
        texts = plain_text(gold) if isinstance(gold, str) else read_golds(gold)
        reply = read_reply(prediction)
        database, name = self._database(db, db_id)
        question, knowledge = text_from(question, "question"), text_from(knowledge, "knowledge")
        id = text_from(id, "id")  # noqa: A001 - as above
        if contract is not None and not isinstance(contract, Contract):
            raise UsageError(
                f"contract is {type(contract).__name__}; expected a sqlverdict.Contract"
            )
        if self._process != os.getpid():
            # A fork copies connections, which two processes must not share.
            self._open()
        about = question, knowledge, contract, id
        return ScoredPair("result", self._digest(database), texts, reply, database, name, *about)

    def _digest(self, database: str | None) -> str:
        """The digest of a database as it is now: it may have changed since the last pair."""
        if database is None:
            return ""
        return content_digest(self._engine(database), database)

    def _engine(self, database: str) -> Engine:
        """The engine that opens a database; the scorer's own where none is named."""
        engine = self._engines.get(database)
        if engine is None:
            engine = self._engines[database] = engine_for(ENGINES.get(self.plan.engine), database)
        return engine

    def _database(self, db: Reference | None, db_id: str | None) -> tuple[str | None, str]:
        """The reference and the name of a pair's database."""
        if db is not None and db_id is not None:
            raise UsageError("db and db_id both name the database; give one of them")
        if db_id is not None:
            if self._databases_at is None:
                raise UsageError(
                    f"db_id={db_id!r} needs the argument databases=, the folder of all databases, "
                    f"where the scorer or rewarder is made"
                )
            name = text_from(db_id, "db_id")
            return self._find_database(name), name
        reference = read_reference(db) or self._db
        if reference is None and self._databases_at is not None:
            databases = self._databases()
            if databases.only is not None:
                return databases.expected(databases.only), databases.only
        if reference is None:
            if self.plan.executes:
                raise UsageError(
                    "no database: give db=, a file; or databases=, the folder of all databases, "
                    "where the scorer or rewarder is made, and db_id= for each pair"
                )
            return None, ""
        # A process that was started before this one changed its folder stays in the old one.
        return absolute(reference), name_of_database(reference)

    def _find_database(self, db_id: str) -> str | None:
        """The database of an id, or where it should be.

        Raises:
            UsageError: there is one database for all, and it has another name.
        """
        known = self._databases()
        if known.path(db_id) is None:
            # What was missing may be there now.
            self._known_databases.clear()
            known = self._databases()
        elif is_misnamed(known, db_id):
            raise UsageError(
                f"db_id={db_id!r} is not {known.only!r}, the one database of "
                f"databases={self._databases_at!r}. Give the folder that holds all databases, or "
                f"pairs without a db_id"
            )
        return known.expected(db_id)

    @names_arguments
    def _databases(self) -> Databases:
        """Where databases are found; looked at once, and again where one is missing."""
        assert self._databases_at is not None
        where = absolute(self._databases_at)
        known = self._known_databases.get(where)
        if known is None:
            location = DatabaseLocation.of(where, ENGINES.get(self.plan.engine))
            known = self._known_databases[where] = find_databases(Path(), (".",), location)
        return known

    @contextmanager
    def _checker(self) -> Iterator[BoundedChecker]:
        """An idle checker, or a new one: as many are open as threads work at the same time."""
        with self._lock:
            # Both at once: what close() has taken is being closed.
            idle = self._idle
            checker = idle.pop() if idle else None
        checker = checker or BoundedChecker(self.plan, self._memory.memory)
        try:
            yield checker
        finally:
            with self._lock:
                is_open = idle is self._idle
                if is_open:
                    idle.append(checker)
            if not is_open:
                # The scorer was closed meanwhile.
                checker.close()
