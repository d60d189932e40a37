"""Cases and predictions as units of work, and how a stream of them is cut into chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from hashlib import blake2b, sha256
from itertools import islice
from operator import attrgetter

import msgspec

from sqlverdict.errors import (
    DatabaseError,
    Interrupted,
    PredictionError,
    SameCall,
    SchemaError,
    UsageError,
)
from sqlverdict.execute.attempt import read_engine_schema
from sqlverdict.execute.engine import ENGINES, MISSING, engine_for
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.execute.servers.patience import patiently
from sqlverdict.files.references import file_of, is_at_hand, is_server
from sqlverdict.files.text import count, few_of
from sqlverdict.load.benchmark import Benchmark, SourceFile
from sqlverdict.load.databases import suite_of
from sqlverdict.load.replies.fenced import with_tag
from sqlverdict.load.replies.no_sql import without_sql
from sqlverdict.load.replies.notes import MARKS, has_several_answers, several_note
from sqlverdict.load.revisions import MOST_CASES, QuestionDigest, digest_question
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.disagreement import disagreements
from sqlverdict.records import Case, Prediction
from sqlverdict.run.options import RUN
from sqlverdict.run.plan import RunPlan

_Database = tuple[str | None, str, str | None]
"""A database, its id, and that of the gold."""
UNKNOWN_CONTENT = "unknown"
"""Stands for a database whose content is not known: its results are not resumed."""
UNREADABLE_CONTENT = "unreadable"
"""Stands for a database that could not be read when the run came to it."""
WINDOW = 2_048
CHUNK = 64
_SMALLEST = 8
# Where a database lies decides nothing; what it contains is looked at case by case.
_WHERE = ("database", "gold_database")
_TURN = ("session", "turn", "earlier")
_CONTENT = attrgetter(
    *(field.name for field in fields(Case) if field.name not in (*_WHERE, *_TURN))
)
_TURN_CONTENT = attrgetter(*_TURN)
_encode = msgspec.json.Encoder().encode


class Task(msgspec.Struct, frozen=True):
    """One case of one system; ``index`` is its position in the run log."""

    system: int
    index: int
    case: Case
    prediction: Prediction
    digest: str = ""
    """That of the case's database, when the run came to it."""
    inputs: str = ""
    """That of the case and the prediction as they were read; empty: nothing is resumed."""

    @property
    def key(self) -> tuple[int, int]:
        """The system, and the index in its run log."""
        return self.system, self.index


TaskQueries = tuple[str, Sequence[str], Sequence[str]]
"""A database, the queries to be run on it, and the golds, which tell whether it answers at all."""

Needs = Callable[[int, str, str, str], bool]
"""Whether the case at an index, of a database id, is to be examined.

The other arguments are the digest of the database's content, and that of the case and the
prediction.
"""


CaseStream = Iterable[tuple[int, Case, list[Prediction]]]
"""Cases with their index in the run, and the prediction of each system."""


def case_stream(
    cases: Iterable[Case], predictions: Sequence[tuple[str, Mapping[str, Prediction]]]
) -> Iterator[tuple[int, Case, list[Prediction]]]:
    """The cases with the prediction of each system.

    Args:
        cases: The cases.
        predictions: The name of each system, and its predictions by case id.

    Raises:
        PredictionError: a system has no prediction for a case.
    """
    for index, case in enumerate(cases):
        missing = next((name for name, own in predictions if case.id not in own), None)
        if missing is not None:
            raise PredictionError(
                f"{missing} has no prediction for case {case.id!r}; to abstain, say so "
                f"(None, or abstained=True). A missing prediction is never an abstention.",
                reason="incomplete",
            )
        yield index, case, [own[case.id] for _, own in predictions]


def pair_stream(
    pairs: Iterable[tuple[Case, Prediction]],
) -> Iterator[tuple[int, Case, list[Prediction]]]:
    """The cases of one system that carry their predictions.

    Raises:
        UsageError: a pair is something else.
    """
    for index, pair in enumerate(pairs):
        match pair:
            case (Case() as case, Prediction() as prediction):
                yield index, case, [prediction]
            case _:
                raise UsageError(
                    f"a pair is {pair!r:.80}; expected a Case and its Prediction. For records and "
                    f"texts there is evaluate()"
                )


def content_bytes(case: Case, *others: object) -> bytes:
    """A case and what belongs to it, for a digest."""
    content = _CONTENT(case)
    record = (content + _TURN_CONTENT(case) if case.session else content, *others)
    try:
        return _encode(record)
    except (UnicodeEncodeError, TypeError, ValueError):
        # Text may hold half a surrogate pair, a recorded answer values that JSON has no form for.
        return repr(record).encode("utf-8", "backslashreplace")


def as_benchmark(cases: Sequence[Case]) -> Benchmark:
    """Cases that were given in memory, as a benchmark.

    Raises:
        UsageError: they are no sequence, two share an id, or one is no case.
    """
    if not isinstance(cases, Sequence):
        raise UsageError(
            f"cases is {type(cases).__name__}; expected a benchmark or a list of sqlverdict.Case"
        )
    encoded = sha256()
    for case in cases:
        if not isinstance(case, Case):
            raise UsageError(f"a case is {type(case).__name__}; expected a sqlverdict.Case")
        encoded.update(content_bytes(case))
    repeated = [name for name, times in Counter(case.id for case in cases).items() if times > 1]
    if repeated:
        raise UsageError(f"case id {repeated[0]!r} is given twice; ids must be unique")
    source = SourceFile("cases", encoded.hexdigest())
    return Benchmark("cases", "given in memory", cases, len(cases), (source,))


def _inputs(case: Case, predictions: Sequence[Prediction]) -> list[str]:
    """What stands for a case and each prediction in the run log: sixteen hexadecimal digits."""
    try:
        # All systems share the case, with which their content begins.
        begun = blake2b(content_bytes(case)[:-1], digest_size=8)
        digests = []
        for prediction in predictions:
            digest = begun.copy()
            digest.update(b",%b]" % _encode(prediction))
            digests.append(digest.hexdigest())
    except (UnicodeEncodeError, TypeError, ValueError):
        return [
            blake2b(content_bytes(case, prediction), digest_size=8).hexdigest()
            for prediction in predictions
        ]
    return digests


class TaskSource:
    """Turns a stream of cases into tasks, and notes which databases and inputs they have.

    Cases that a run log already holds are passed over; their databases are noted too.

    Args:
        plan: The plan of the run. Where a metric looks at the other databases in a database's
            folder, or a judge reads the descriptions of its columns, they decide results too.
    """

    def __init__(self, plan: RunPlan) -> None:
        self.cases = 0
        self.questions: list[QuestionDigest] = []
        """Those of the cases that have a text: by them a published revision is known."""
        self._engine = ENGINES.get(plan.engine)
        self._database_version = plan.database_version
        self._suites = plan.needs("databases")
        self._descriptions = plan.asking is not None
        self._answers = plan.answers
        self._no_sql = plan.no_sql
        self._tag = plan.tag
        self._digests: dict[_Database, str] = {}
        self._silent: set[str] = set()
        """Databases whose server did not answer when their content was last asked for."""
        self._why = ""
        self._several: dict[int, list[str]] = {}
        """The cases of each system whose replies have several answers."""

    def tasks(self, stream: CaseStream, needs: Sequence[Needs]) -> Iterator[Task]:
        """The tasks that are still to be done; ``needs[system]`` tells which are."""
        for index, case, predictions in stream:
            self.cases = index + 1
            if index <= MOST_CASES and case.question.strip():
                self.questions.append(digest_question(case))
            key = (case.database, case.db_id, case.gold_database)
            digest = self._digests.get(key)
            if digest is None:
                digest = self._digests[key] = self._digest(*key)
            digests = _inputs(case, predictions)
            for system, (prediction, inputs) in enumerate(zip(predictions, digests, strict=True)):
                raw = prediction.raw or ""
                has_mark = raw != "" and any(mark in raw for mark in MARKS)
                if has_mark and has_several_answers(prediction, self._tag):
                    self._several.setdefault(system, []).append(case.id)
                if needs[system](index, case.db_id, digest, inputs):
                    own = case
                    if case.recorded is not None:
                        own = _with_record_use(case, prediction, self._answers)
                    if self._tag is not None:
                        prediction = with_tag(prediction, self._tag)
                    if self._no_sql == "abstain":
                        prediction = without_sql(prediction)
                    yield Task(system, index, own, prediction, digest, inputs)

    def databases(self) -> dict[str, str]:
        """Digest of every database file that the cases name, by database id."""
        digests = {db_id: digest for (path, db_id, _), digest in self._digests.items() if path}
        return dict(sorted(digests.items()))

    def reply_notes(self, system: int) -> tuple[str, ...]:
        """What a user should know about how a system's replies were read."""
        ids = self._several.get(system)
        return (several_note(ids),) if ids else ()

    def schema_notes(self, schemas: Mapping[str, Schema]) -> tuple[str, ...]:
        """Which schemas given to the run are not those of the databases, which are used instead."""
        different: dict[str, str] = {}
        for database, db_id, _ in self._digests:
            if database is None or db_id not in schemas or not is_at_hand(database):
                continue
            with suppress(SchemaError, DatabaseError, OSError):
                own = read_engine_schema(engine_for(self._engine, database), database)
                first = next(disagreements(schemas[db_id], own), None)
                if first is not None:
                    different.setdefault(db_id, first)
        if not different:
            return ()
        names = sorted(different)
        return (
            f"{count(len(names), 'database has', 'databases have')} another schema than the one "
            f"given, which is not used for them: {few_of(names)}. In {names[0]!r}, "
            f"{different[names[0]]}",
        )

    def check_unchanged(self) -> None:
        """A result is that of one database; one that changed meanwhile gave results of two.

        Raises:
            Interrupted: a database changed, or cannot be read any more; the same command does
                its cases again.
        """
        self._silent.clear()
        changed = [key for key, digest in self._digests.items() if self._digest(*key) != digest]
        silent = [key for key in changed if key[0] in self._silent]
        if silent:
            raise Interrupted(
                f"the server of {_names(silent)} does not answer ({self._why}). Whether the "
                f"content is still that of the results is not known. Start the server, and ",
                SameCall.AGAIN,
                ": it evaluates the missing cases",
            )
        late = [key for key in changed if self._digests[key] == UNREADABLE_CONTENT]
        if late:
            raise Interrupted(
                f"{_names(late)} could not be read when the run began, and can be now: "
                "to evaluate the missing cases, ",
                SameCall.AGAIN,
            )
        if changed:
            raise Interrupted(
                f"{_names(changed)} changed during the run: it is not known which of the results "
                "still hold. To evaluate the cases of changed databases again, ",
                SameCall.AGAIN,
                ". Copy a database that is in use, and evaluate the copy",
            )

    def _digest(self, database: str | None, db_id: str, gold_database: str | None) -> str:
        if database is None:
            return "none"
        suite = self._suite(database, db_id) if self._suites else [database]
        parts = [self._content(each) for each in suite]
        if gold_database is not None:
            parts.append(self._content(gold_database))
        if self._descriptions:
            from sqlverdict.load.descriptions import descriptions_digest

            parts += filter(None, [descriptions_digest(database)])
        if len(parts) == 1:
            return parts[0]
        return sha256(" ".join(parts).encode()).hexdigest()

    def _suite(self, database: str, db_id: str) -> list[str]:
        try:
            return suite_of(database, db_id, self._engine.suffixes)
        except OSError:
            return [database]

    def _content(self, database: str) -> str:
        """What stands for a database; one that cannot be read is a database of its own kind."""
        if is_server(database) and self._database_version:
            return f"version {self._database_version}"
        try:
            file = file_of(database)
            if file is not None and not file.is_file():
                return MISSING
            digest = partial(engine_for(self._engine, database).digest, database)
            if is_server(database):
                return patiently(database, digest, anyway=True) or UNKNOWN_CONTENT
            return digest() or UNKNOWN_CONTENT
        except (DatabaseError, OSError, ValueError) as error:
            if is_server(database):
                self._silent.add(database)
                self._why = str(error)
            return UNREADABLE_CONTENT


def _with_record_use(case: Case, prediction: Prediction, answers: str) -> Case:
    """The case, its record set to the use that is made of it.

    What was run here counts more than what was run elsewhere, so that by default a record stands
    in only where the database is not at hand. A record about another prediction is never used.
    """
    record = case.recorded
    if record is None:
        return case
    if record.about is not None and fold_sql(record.about) != fold_sql(prediction.sql or ""):
        return replace(case, recorded=replace(record, use="other_prediction"))
    if answers == RUN and is_at_hand(case.database):
        return replace(case, recorded=replace(record, use="beside"))
    return case


def _names(databases: Iterable[_Database]) -> str:
    return ", ".join(sorted({db_id for _, db_id, _ in databases})[:5])


def chunks(tasks: Iterable[Task], workers: int = 1) -> Iterator[list[Task]]:
    """Cut a stream into chunks of one database each.

    Only a window of the stream is held at a time. Tasks of one case stay together, so its
    gold runs once for all systems. Where little is left, chunks are small, so that all workers
    end at about the same time.
    """
    stream = iter(tasks)
    while window := list(islice(stream, WINDOW)):
        size = max(_SMALLEST, min(CHUNK, len(window) // (8 * workers)))
        by_database: dict[str, list[Task]] = {}
        for task in window:
            by_database.setdefault(task.case.database or task.case.db_id, []).append(task)
        for group in by_database.values():
            for start in range(0, len(group), size):
                yield group[start : start + size]
