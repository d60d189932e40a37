"""Runs queries on databases, each at most once: open sessions, answers in memory, the cache.

A query runner serves one process. Databases stay open between queries. An answer comes from
memory, else from the cache, else from the engine; ``cache.py`` says why neither is stale.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from hashlib import blake2b
from typing import TypeVar

from sqlverdict.dialects import dialect_of
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.attempt import run_safely, unavailable
from sqlverdict.execute.cache import AnswerCache, AnswerMemory, scope_key
from sqlverdict.execute.engine import (
    ENGINES,
    MISSING,
    Engine,
    Limits,
    Session,
    content_digest,
    engine_for,
)
from sqlverdict.execute.fault_probe import claims_fault, find_damage, settle_fault, settling_time
from sqlverdict.execute.fold_sql import answer_key, fold_sql, quotes_text, weight_of
from sqlverdict.execute.schema_memory import SchemaMemory
from sqlverdict.execute.scripts import run_script
from sqlverdict.execute.servers.patience import SECONDS, is_passing, patiently
from sqlverdict.files.references import is_server
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Failure, Outcome, Reason, Script

_OPEN_FILES = 32
_OPEN_CONNECTIONS = 6
"""A server takes some hundred connections, PostgreSQL 100 by default, and each process has its
own."""


T = TypeVar("T")

Watch = Callable[[bytes | None, float], None]
"""Told the key of a query before it runs on the engine, and ``None`` after; and how many seconds
more than a query it may take."""


class QueryRunner:
    """Answers queries on databases, each at most once.

    Args:
        engine: The engine's name.
        limits: What one query may spend.
        cache: The shared cache, if one is used.
        watch: Told when a query begins and ends, so that a guardian can step in.
        known: Outcomes of queries that must not be tried again, by key.
        now: What the clock shows to queries; ``None``: the time it is.
        driver_values: Answers also hold the driver's values; such answers are not cached.
        database_version: Stands for the content of databases whose digest is not known, or
            would take long; the user answers for it.
    """

    def __init__(
        self,
        engine: str,
        limits: Limits,
        cache: AnswerCache | None = None,
        watch: Watch | None = None,
        known: Mapping[bytes, Failure] | None = None,
        *,
        now: datetime | None = None,
        driver_values: bool = False,
        database_version: str = "",
    ) -> None:
        self.engine = ENGINES.get(engine)
        self.limits = limits
        self.cache = None if driver_values else cache
        self._verbatim: dict[str, bool] = {}
        """Whether texts are kept as they are, by database: they are folded by SQLite's rules for
        quotes, and elsewhere ``$$A$$`` is a string."""
        self.executed = 0
        self.changed: set[str] = set()
        """Databases that changed after they were opened here."""
        self.short_of_memory = False  # or a cell's size did not suffice
        self._now = now
        self._limits_key = limits.key() + ("" if now is None else f" at {now.isoformat()}")
        self._driver_values = driver_values
        self._database_version = database_version
        self._watch = watch or (lambda _key, _more: None)
        self._known = dict(known or {})
        self._sessions: OrderedDict[str, Session | Failure] = OrderedDict()
        self._scopes: dict[str, bytes] = {}
        self._unknown: set[bytes] = set()
        """Scopes of databases whose content is not known: their answers are not cached."""
        self._databases: dict[bytes, set[str]] = {}
        self._used: set[str] = set()
        self._engines: dict[str, Engine] = {}
        self._unopened: set[str] = set()
        """Databases that did not open."""
        self._schemas = SchemaMemory()
        self._memory = AnswerMemory()
        if self.cache is not None:
            self.cache.is_current = self._is_current

    def engine_for(self, database: str) -> Engine:
        """The runner's engine, also where no database is named; for those of another one, that."""
        if database not in self._engines:
            self._engines[database] = engine_for(self.engine, database)
        return self._engines[database]

    def run(self, database: str, sql: str, controls: Sequence[str] = ()) -> Outcome:
        """The outcome of a query; ``controls``, the golds, tell whether the engine is at fault."""
        verbatim = self._verbatim.get(database)
        if verbatim is None:
            plain = dialect_of(self.engine_for(database).dialect).plain_tokens
            verbatim = self._verbatim[database] = not plain
        canon = sql if verbatim else fold_sql(sql)
        self._used.add(database)
        outcome = self._memory.get((database, canon))
        if canon != sql and (outcome is None or quotes_text(outcome)):
            outcome = self._memory.get((database, sql))
        if outcome is None:
            outcome = self._look_up(database, sql, canon, controls)
            text = sql if quotes_text(outcome) else canon
            if not (claims_fault(outcome) and is_server(database)):
                # A server that is gone may be back for the next case.
                self._memory.add((database, text), outcome, weight_of(text, outcome))
        if isinstance(outcome, Failure) and outcome.reason is Reason.MEMORY_LIMIT:
            self.short_of_memory = True
        return outcome

    def run_script(
        self, database: str, script: Script, sql: str, controls: Sequence[str] = ()
    ) -> Outcome:
        """What statements that may write give on a throw-away copy; never from a cache."""
        where = (self.engine_for(database), database)
        content = ""
        if not is_server(database):
            with suppress(DatabaseError, OSError):
                content = self._file_scope(database).hex()
        key = (database, f"script {content} {script!r} {sql}")
        known = self._memory.get(key)
        if known is not None:
            return known
        work = partial(run_script, *where, script, sql, self.limits, self._now, controls)
        outcome = self.watched(database, key[1], work)
        if outcome is None:
            outcome = Failure(Reason.MEMORY_LIMIT, "its process had to be ended", repeatable=False)
        self._memory.add(key, outcome, weight_of(key[1], outcome))
        return outcome

    def room(self) -> Callable[[], bool]:
        """Asked later: whether all answers since then are sure to be still in memory."""
        return self._memory.room()

    def clock(self, database: str, queries: Sequence[str], rounds: int) -> list[list[float]]:
        """Seconds of queries that were answered; never from a cache."""
        session = self._session(database)
        if isinstance(session, Failure):
            return [[] for _ in queries]
        return session.clock(queries, rounds)

    def watched(
        self, database: str, what: str, work: Callable[[], T], *, more: float = 0.0
    ) -> T | None:
        """Do something that may run for long, under the guardian's eyes.

        Args:
            database: Where it is done.
            what: What is done, in words of its own.
            work: Does it.
            more: How many seconds more than a query it may take: what has a budget of work
                must not be ended because the machine is busy.

        Returns:
            Its result; ``None`` where the guardian had to end it before.
        """
        key = answer_key(blake2b(database.encode(), digest_size=16).digest(), what)
        if key in self._known:
            return None
        self._watch(key, more)
        try:
            return work()
        finally:
            self._watch(None, 0.0)

    def flush(self) -> None:
        """Forget answers of databases that changed; write the others to the cache when due."""
        self._look_for_changes()
        if self.cache is not None and self.cache.is_due:
            self.cache.flush()

    def digest(self, database: str) -> str:
        """The digest of a file as it is now; empty for a server."""
        return content_digest(self.engine_for(database), database)

    def schema(self, database: str) -> Schema:
        """The schema of a database: see :meth:`SchemaMemory.get`."""
        return self._schemas.get(self.engine_for(database), database)

    def refresh(self, database: str, digest: str) -> None:
        """Forget what was found on other content than that with the digest, which it has now."""
        scope = self._scopes.get(database)
        if scope is None or not digest:
            return
        if digest == MISSING or scope != self._scope(self.engine_for(database), digest):
            self.changed.add(database)
            self._forget(database)

    def try_again(self, known: Mapping[bytes, Failure]) -> None:
        """Forget what may be different the next time: what a clock cut or gave, what did not open.

        Args:
            known: Outcomes of queries that must not be tried again now, by key.
        """
        self._known = dict(known)
        self._memory.forget_passing()
        for database in self._unopened:
            if isinstance(self._sessions.get(database), Failure):
                del self._sessions[database]
        self._unopened.clear()

    def close(self) -> None:
        """Close every database and the cache."""
        for session in self._sessions.values():
            if not isinstance(session, Failure):
                session.close()
        self._sessions.clear()
        if self.cache is not None:
            self.cache.close()

    def _look_up(self, database: str, sql: str, canon: str, controls: Sequence[str]) -> Outcome:
        """The outcome: from the cache, or from the engine and then stored in the cache."""
        session = self._session(database)
        if isinstance(session, Failure):
            return session
        scope = self._scopes[database]
        key = answer_key(scope, canon)
        if key in self._known:
            return self._known[key]
        cache = None if scope in self._unknown else self.cache
        if cache is not None and not cache.is_new(scope):
            cached = cache.get(scope, key)
            if canon != sql and (cached is None or quotes_text(cached)):
                cached = cache.get(scope, answer_key(scope, sql))
            if cached is not None:
                return cached
        # A server that restarts is waited for, and the query runs again; its session limits each.
        patience = 2 * SECONDS + 3 * self.limits.seconds if is_server(database) else 0.0
        self._watch(key, patience)
        try:
            outcome = run_safely(session, sql)
            if claims_fault(outcome):
                self._watch(key, 2 * patience + settling_time(self.limits, controls))
                renew = partial(self._renew, database)
                damage = partial(find_damage, self.engine_for(database), database, sql, self.limits)
                outcome = settle_fault(outcome, sql, session, renew, controls, damage)
        finally:
            self._watch(None, 0.0)
        self.executed += 1
        if cache is not None:
            own = canon != sql and quotes_text(outcome)
            cache.put(scope, answer_key(scope, sql) if own else key, outcome)
        return outcome

    def _session(self, database: str) -> Session | Failure:
        session = self._sessions.get(database)
        if session is not None:
            self._sessions.move_to_end(database)
            return session
        try:
            scope = None
            if not is_server(database):
                # The digest comes before the first page is read: what changes later is noticed.
                with suppress(OSError):
                    scope = self._file_scope(database)
            # Opening it says best what is wrong with a file that has no digest.
            opening = partial(self._open, database)
            session = patiently(database, opening) if is_server(database) else opening()
            scope = self._session_scope(database, session) if scope is None else scope
            if self._scopes.get(database, scope) != scope:
                self.changed.add(database)
                self._forget(database)
            self._scopes[database] = scope
            self._databases.setdefault(scope, set()).add(database)
        except (DatabaseError, OSError) as error:
            session = unavailable(str(error))
            self._unopened.add(database)
            if is_server(database) and is_passing(error):
                return session
        self._sessions[database] = session
        self._close_oldest(is_server(database))
        return session

    def _open(self, database: str) -> Session:
        engine, values = self.engine_for(database), self._driver_values
        return engine.open(database, self.limits, now=self._now, driver_values=values)

    def _renew(self, database: str) -> Session | None:
        """A new session in place of the one that no longer answers, if the content is the same."""
        scope = self._scopes[database]
        try:
            now = None if is_server(database) else self._file_scope(database)
            session = self._open(database)
            now = now or self._session_scope(database, session)
        except (DatabaseError, OSError):
            return None
        if now != scope:
            session.close()
            return None
        before = self._sessions.get(database)
        self._sessions[database] = session
        if before is not None and not isinstance(before, Failure):
            before.close()
        return session

    def _close_oldest(self, on_server: bool) -> None:
        """Close the database that was not used for the longest time, where too many are open."""
        names = [name for name in self._sessions if is_server(name) == on_server]
        if len(names) > (_OPEN_CONNECTIONS if on_server else _OPEN_FILES):
            oldest = self._sessions.pop(names[0])
            if not isinstance(oldest, Failure):
                oldest.close()

    def _file_scope(self, database: str) -> bytes:
        """What all answers on a file share; it changes with the file's content."""
        engine = self.engine_for(database)
        return self._scope(engine, engine.digest(database) or "")

    def _session_scope(self, database: str, session: Session) -> bytes:
        """What all answers of a session share; one whose content is not known is closed."""
        engine = self.engine_for(database)
        version = self._database_version if is_server(database) else ""
        try:
            digest = f"version {version}, {database}" if version else session.digest()
        except BaseException:
            # Whatever it was, Ctrl-C included, it is raised on; the session is closed.
            session.close()
            raise
        scope = self._scope(engine, f"unknown {database}" if digest is None else digest)
        if digest is None:
            self._unknown.add(scope)
        return scope

    def _scope(self, engine: Engine, digest: str) -> bytes:
        return scope_key(digest, self._limits_key, engine.name, engine.version)

    def _is_current(self, scope: bytes) -> bool:
        """Whether a scope belongs to what its databases contain now."""
        return all(self._has_scope(database, scope) for database in self._databases.get(scope, ()))

    def _has_scope(self, database: str, scope: bytes) -> bool:
        if is_server(database):
            # What was read belongs to the snapshot of its session, whatever came later.
            return True
        try:
            return self._file_scope(database) == scope
        except (DatabaseError, OSError):
            return False

    def _look_for_changes(self) -> None:
        """Forget databases whose content is not what it was when they were opened."""
        for database in self._used:
            scope = self._scopes.get(database)
            if scope is not None and not self._has_scope(database, scope):
                self.changed.add(database)
                self._forget(database)
        self._used.clear()

    def _forget(self, database: str) -> None:
        """Close a database and drop its answers."""
        scope = self._scopes.pop(database)
        self._databases[scope].discard(database)
        session = self._sessions.pop(database, None)
        if session is not None and not isinstance(session, Failure):
            session.close()
        self._memory.forget(database)
        self._schemas.forget(database)
        if self.cache is not None:
            self.cache.forget(scope)
