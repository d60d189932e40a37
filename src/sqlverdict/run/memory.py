"""What is remembered in a run or a scorer, and why nothing of it is ever stale.

There are three memories. They are asked before anything is done again; nothing else remembers what
queries, pairs or cases gave.

**Answers** (``execute/query_runner.py``, with the file of ``execute/cache.py`` below it): what one
query gave on one database. The key has the digest of the database's content, the limits, the
clock, the engine and its version, and the text. Where a database is found changed, its answers
are dropped. What a clock cut or gave, or a server that is gone, is not kept for another case.

**Results** (:class:`ResultMemory`, one for a run's process, one for a scorer): what was found out
about one pair. A result is the same as long as what made it is the same:

* the options and the version: a memory belongs to one plan in one process, and ends with it;
* the database: the key has its digest. A run reads it when it comes to the database, and ends in
  an error where the content is another one at its end. A scorer reads it before and after each
  pair, and keeps only what both agree on;
* the case and the prediction: the key has all of them that the metrics, the policy and the judge
  of the plan look at (:class:`PairKeys`);
* time: what rests on a clock, on chance, or on something that may go away is not final, and is
  not kept. Timed metrics are never remembered.

**Proofs and searches** (``run/inputs.py``, ``once_a_pair``; one for a process, on SQLite): what
was shown of two queries, for cases that differ in their question alone. The key has both texts, the
schema, the contract and the digest; what a clock cut is not kept, and a search with a bank is made
anew.

Schemas (``execute/schema_memory.py``) and searches on engines (``run/refuter.py``), which
have copies of a database's tables and rows, belong to one content in the same way: that of a file
has a digest, that of a server lasts as long as the runner.

While one case is examined, its inputs hold what they were given (``run/inputs.py``): a case sees
one outcome of a query. They end with the case.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from operator import attrgetter
from threading import Lock
from typing import Generic, TypeVar

from sqlverdict.dialects import dialect_of
from sqlverdict.evidence import Evidence
from sqlverdict.execute.engine import Engine
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.records import Case, Prediction
from sqlverdict.run.plan import RunPlan

REMEMBERED = 2**28
"""How many characters and bytes all that is remembered may hold, about."""
_LONG = 4_000
"""Characters of a prediction beyond which it is not looked up by its text."""
_WHAT_DECIDES = attrgetter(
    "database",
    "db_id",
    "golds",
    "answerable",
    "contract",
    "script",
    "gold_database",
    "question",
    "earlier",
)
"""What of a case decides the finding about a prediction."""

T = TypeVar("T")


class ResultMemory(Generic[T]):
    """Remembers what was used last, by number and by size; for any thread.

    A copy for another process begins empty.

    Args:
        most: How many entries there may be.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._entries: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._size = 0

    def __reduce__(self) -> tuple[type[ResultMemory[T]], tuple[int]]:
        """An empty memory of the same size."""
        return ResultMemory, (self._most,)

    def get(self, key: Hashable) -> T | None:
        """What is remembered under a key."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: T, size: int) -> None:
        """Remember something of so many characters and bytes."""
        with self._lock:
            before = self._entries.pop(key, None)
            self._size += size - (before[1] if before is not None else 0)
            self._entries[key] = value, size
            # A model may say anything: its texts and answers must not fill the memory.
            while len(self._entries) > self._most or self._size > REMEMBERED:
                self._size -= self._entries.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._entries.clear()
            self._size = 0


class PairKeys:
    """The keys of pairs under one plan: pairs with the same key have the same result.

    Attributes:
        alone: Whether a result rests on the queries and the database, and on nothing else of a
            case. A plug-in metric may look at anything that the item shows; a witness's file is
            named after its case; a policy and a judge look at the question.
    """

    def __init__(self, plan: RunPlan) -> None:
        metrics = (type(spec.metric).__module__ for spec in plan.specs)
        self._ours = all(module.startswith("sqlverdict.score.") for module in metrics)
        explains = plan.refutes or plan.explains or plan.asking is not None
        self.alone = self._ours and not explains
        self._never = plan.times

    def key(
        self, case: Case, prediction: Prediction, digest: str, engine: Engine
    ) -> tuple[Hashable, ...] | None:
        """The key of a pair; ``None``: it is never looked up.

        Args:
            case: The case.
            prediction: The prediction.
            digest: That of the case's database.
            engine: The engine that opens it. Texts of one meaning share a key where its dialect
                has plain tokens: for others no rule of quotes is known here.
        """
        sql = prediction.sql
        if self._never or not sql or prediction.answer is not None or len(sql) > _LONG:
            return None
        text = fold_sql(sql) if dialect_of(engine.dialect).plain_tokens else sql
        key: tuple[Hashable, ...] = (
            *_WHAT_DECIDES(case),
            digest,
            case.tags.get("category"),
            text,
        )
        if case.recorded is not None or case.gold_answers or not self.alone:
            key += (case.id, case.knowledge, prediction.confidence, prediction.samples)
        return key if self._ours else (*key, prediction.raw, prediction.usage)


def is_of_any_spelling(evidence: Iterable[Evidence]) -> bool:
    """Whether a result is that of other spellings, too: what an engine says repeats a query."""
    return "execute" not in [piece.by for piece in evidence]
