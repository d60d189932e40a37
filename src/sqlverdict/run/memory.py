"""What is remembered in a run or a scorer, and why nothing of it is ever stale.

There are two memories. They are asked before anything is done again; nothing else remembers what
queries or pairs gave.

**Answers** (``execute/query_runner.py``, with the file of ``execute/cache.py`` below it): what one
query gave on one database. The key has the digest of the database's content, the limits, the
clock, the engine and its version, and the text. Where a database is found changed, its answers
are dropped. What a clock cut or gave, or a server that is gone, is not kept for another case. The
schema of a database (``execute/schema_memory.py``) belongs to one content in the same way.

**Results** (:class:`ResultMemory`, one for a run's process, one for a scorer): what was found out
about one pair, and what was shown of its two queries alone. A result is the same as long as what
made it is the same, and all of that is in its key. :class:`PairKeys` makes them; the key of a
scorer's call is all of its arguments, with the digest (``api/pair_memory.py``):

* the options and the version: a memory belongs to one plan in one process, and ends with it. The
  limits of queries, which a scorer sets for each engine, are in the keys of work;
* the database: every key has its digest. A run reads it when it comes to the database, and ends
  in an error where the content is another one at its end. A scorer reads it before and after each
  pair, keeps a result only where both agree, and else forgets what was shown meanwhile
  (:meth:`ResultMemory.forget`). Work on content that has no digest is not remembered;
* the case and the prediction: the key of a result has all of them that the metrics, the policy
  and the judge of the plan look at; the key of work has both texts, the schema and the contract.
  Results that were given or recorded, and not run here, are in no key, and such a case has none;
* time: what rests on a clock, on chance, or on something that may go away is not final, and is
  not kept. Timed metrics are never remembered.

What one case is asked about twice stands in the dictionaries of its inputs (``run/inputs.py``) and
of its answers (``run/answer_sources.py``): these are no memories, for they end with the case, so
that a case sees one outcome of a query, and no other case sees it. Nor are the searches that stay
open on engines (``run/refuter.py``): they are asked again, and hold copies of one content.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from operator import attrgetter
from threading import Lock
from typing import Any

from sqlverdict.dialects import dialect_of
from sqlverdict.evidence import Evidence
from sqlverdict.execute.engine import MISSING, Engine
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.execute.session import Limits
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Prediction
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.task import UNKNOWN_CONTENT, UNREADABLE_CONTENT

REMEMBERED = 2**28
"""How many characters and bytes all that is remembered of one kind may hold, about."""
_WORK = 5_000
"""How many proofs and searches are remembered: they hold trees and tables, results a few words."""
_LONG = 4_000
"""Characters of a prediction beyond which it is not looked up by its text."""
_NO_CONTENT = ("", MISSING, UNKNOWN_CONTENT, UNREADABLE_CONTENT)
"""What stands for a digest where there is none: the same may be said of another content."""
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

Key = tuple[Hashable, ...]
"""What decides a result; the kind comes first: ``result``, or ``work`` with its digest."""


class PairKeys:
    """The keys of pairs under one plan: what has the same key has the same result.

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

    def of_finding(
        self, case: Case, prediction: Prediction, digest: str, engine: Engine
    ) -> Key | None:
        """The key of what is found out about a pair; ``None``: it is never looked up.

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
        if case.recorded is not None or case.gold_answers:
            # Another case may have other results under the same id and texts.
            return None
        text = fold_sql(sql) if dialect_of(engine.dialect).plain_tokens else sql
        key: Key = ("result", *_WHAT_DECIDES(case), digest, case.tags.get("category"), text)
        if not self.alone:
            key += (case.id, case.knowledge, prediction.confidence, prediction.samples)
        return key if self._ours else (*key, prediction.raw, prediction.usage)

    def of_reply(
        self, case: Case, prediction: Prediction, digest: str, engine: Engine
    ) -> Key | None:
        """The same for the result of the SQL in a reply, which names the case and the usage."""
        key = self.of_finding(case, prediction, digest, engine)
        if key is None:
            return None
        return (*key, case.id, case.knowledge, prediction.confidence, prediction.usage)

    def of_work(
        self,
        what: Key,
        case: Case,
        prediction: Prediction,
        digest: str,
        engine: Engine,
        schema: Schema | None,
        limits: Limits,
    ) -> Key | None:
        """The key of a proof or a search; ``None``: it is never looked up.

        Benchmarks ask for one gold in several wordings, and systems give them one prediction: the
        next case with the same texts, contract, schema and content of the database has the same.

        Args:
            what: Names the work, with what else it rests on.
            case: The case. Only what its two queries are on its database counts.
            prediction: The prediction.
            digest: That of the case's database.
            engine: The engine that opens it. Others than SQLite are asked while work is done, and
                a server may answer otherwise the next time.
            schema: The schema by which the queries are read.
            limits: What a query may spend that is run for it.
        """
        elsewhere = case.script is not None or case.gold_database is not None
        queries = not case.gold_answers and prediction.answer is None
        if elsewhere or not queries or case.recorded_answers is not None:
            return None
        if digest in _NO_CONTENT or not engine.in_python:
            return None
        texts = (*case.golds, prediction.sql or "")
        rest = (case.database, schema, repr(case.contract), limits.key())
        return "work", digest, what, texts, *rest


class _LastUsed(OrderedDict[Key, tuple[Any, int]]):
    """What is remembered of one kind, with its size; that which was used last is at the end."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._size = 0

    def put(self, key: Key, value: object, size: int) -> None:
        before = self.pop(key, None)
        self._size += size - (before[1] if before is not None else 0)
        self[key] = value, size
        # A model may say anything: its texts and answers must not fill the memory.
        while len(self) > self._most or self._size > REMEMBERED:
            self._size -= self.popitem(last=False)[1][1]

    def drop(self, digest: str) -> None:
        """Drop the work on a content."""
        for key in [key for key in self if key[1] == digest]:
            self._size -= self.pop(key)[1]

    def clear(self) -> None:
        """Forget all."""
        super().clear()
        self._size = 0


class ResultMemory:
    """Remembers what was used last, by number and by size; for any thread.

    A copy for another process begins empty.

    Args:
        plan: The plan that all of it is found by.
        results: How many results there may be.
    """

    def __init__(self, plan: RunPlan, results: int) -> None:
        self.keys = PairKeys(plan)
        self._copied = plan, results
        self._lock = Lock()
        self._kinds: dict[Hashable, _LastUsed] = {
            "result": _LastUsed(results),
            "work": _LastUsed(_WORK),
        }

    def __reduce__(self) -> tuple[type[ResultMemory], tuple[RunPlan, int]]:
        """An empty memory of the same size."""
        return ResultMemory, self._copied

    def get(self, key: Key) -> Any:
        """What is remembered under a key; else ``None``."""
        with self._lock:
            entries = self._kinds[key[0]]
            entry = entries.get(key)
            if entry is None:
                return None
            entries.move_to_end(key)
            return entry[0]

    def put(self, key: Key, value: object, size: int) -> None:
        """Remember something of so many characters and bytes."""
        with self._lock:
            self._kinds[key[0]].put(key, value, size)

    def forget(self, digest: str) -> None:
        """Forget the work on a content: while some of it was done, there was another one."""
        with self._lock:
            self._kinds["work"].drop(digest)

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            for entries in self._kinds.values():
                entries.clear()


def is_of_any_spelling(evidence: Iterable[Evidence]) -> bool:
    """Whether a result is that of other spellings, too: what an engine says repeats a query."""
    return "execute" not in [piece.by for piece in evidence]
