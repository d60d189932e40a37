"""What a refutation is made of: an instance, a witness, or the record that none was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal

from sqlverdict.execute.clock import freeze_query
from sqlverdict.execute.engine import DEFAULT_ENGINE, ENGINES
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Outcome, Reason, Row

Grade = Literal[
    "ordinary",
    "needs_null",
    "needs_missing_partner",
    "needs_tie",
    "needs_empty_table",
    "breaks_regularity",
    "ungraded",
]
"""How ordinary a witness is, beside what the real database shows."""

WitnessKind = Literal["different", "undetermined_prediction"]
"""What a witness shows: two answers that differ, or a prediction that has several answers."""

Origin = Literal["bank", "real", "search"]
"""Where a witness came from: an earlier pair's, mutated real rows, or the generator."""


Content = dict[str, tuple[Row, ...]]
"""The rows of an instance, by table; nobody changes them in place."""


@dataclass(frozen=True)
class Instance:
    """Rows for some tables of a schema; the other tables are empty.

    ``rows`` is keyed by the table's name as the schema writes it; a row has a value for every
    column, in the schema's order.
    """

    schema: Schema
    rows: Mapping[str, tuple[Row, ...]]

    @property
    def size(self) -> int:
        """How many rows there are in all."""
        return sum(len(rows) for rows in self.rows.values())


@dataclass(frozen=True)
class Witness:
    """A legal database on which the two queries differ.

    Where the ``kind`` is ``different``, each gives one determined answer, and the two differ.
    Where it is ``undetermined_prediction``, the gold gives one answer, and the prediction leaves
    open what the gold decides: it may give ``prediction`` or ``other``.

    Attributes:
        gold_sql: The gold query.
        prediction_sql: The predicted query.
        instance: The database.
        gold: What the gold query gives on it.
        prediction: What the predicted query gives on it.
        reasons: How the answers differ.
        origin: Where the database came from.
        instances_tried: How many databases were tried up to and including it.
        grade: How ordinary it is beside the real data.
        broken: The regularities of the real data that it breaks, in words.
        sentence: "They differ when ...".
        cut_by_time: Whether the clock ended the search for a more ordinary one: another run
            may find one.
        kind: What it shows.
        other: Another answer that the prediction may give, where it leaves its answer open.
        engine: The engine on which the two queries differ.
        in_queries: Whether the rows were written into the queries; else there were tables.
        now: What the clock shows to the queries, in ISO form; empty where they do not read it.
    """

    gold_sql: str
    prediction_sql: str
    instance: Instance
    gold: Outcome
    prediction: Outcome
    reasons: tuple[Reason, ...]
    origin: Origin = "search"
    instances_tried: int = 0
    grade: Grade = "ungraded"
    broken: tuple[str, ...] = ()
    sentence: str = ""
    cut_by_time: bool = False
    kind: WitnessKind = "different"
    other: Outcome | None = None
    engine: str = DEFAULT_ENGINE
    in_queries: bool = False
    now: str = ""

    @property
    def queries(self) -> tuple[str, str]:
        """The gold and the prediction as they are run: with a fixed time where they ask for it."""
        return at_moment(self.gold_sql, self.prediction_sql, self.now, self.engine)

    @property
    def refuted(self) -> bool:
        """True; it is False for :class:`NotRefuted`."""
        return True


def with_moment(sentence: str, now: str) -> str:
    """A sentence about a witness that also says what the clock shows, where it matters."""
    return f"{sentence}; the clock shows {now}" if now else sentence


def at_moment(gold: str, prediction: str, now: str, engine: str) -> tuple[str, str]:
    """Two queries with the clock at a moment, which is in ISO form, or empty.

    Raises:
        ValueError: it is no moment.
    """
    if not now:
        return gold, prediction
    moment, dialect = datetime.fromisoformat(now), ENGINES.get(engine).dialect
    return freeze_query(gold, moment, dialect), freeze_query(prediction, moment, dialect)


@dataclass(frozen=True)
class NotRefuted:
    """No witness among so many databases. Never "equal".

    ``reason`` is set where the search could not be made at all, or was cut short.
    ``cut_by_time`` is set where the clock cut it: another run may go further.
    ``blame`` is whose text stands against a search: ``gold``, or ``prediction`` where it does
    alone; empty where no text does.
    """

    instances: int
    undetermined: int = 0
    reason: Reason | None = None
    message: str = ""
    cut_by_time: bool = False
    blame: str = ""

    @property
    def refuted(self) -> bool:
        """False; it is True for a :class:`Witness`."""
        return False

    @property
    def instances_tried(self) -> int:
        """How many databases were tried."""
        return self.instances

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the search could not be made, or was cut short."""
        return () if self.reason is None else (self.reason,)


@dataclass(frozen=True)
class SearchBudget:
    """What a search may spend: databases and work, so that verdicts repeat on any machine.

    Two queries that read the same columns, joins and constants get ``instances // alike``: if
    they differ, a few databases show it. Set ``alike`` to 1 to search them as hard as others.

    Attributes:
        instances: How many databases are tried.
        alike: The divisor for queries that look alike.
        seconds: Processor time: the safety net, far above what the work takes. Where it cuts a
            search, the result says so and is not kept.
        shrink: How many smaller databases are tried for one witness.
        seed: Same seed, same databases.
        work: Steps of the engine, cells that are loaded included; see ``meter``.
    """

    instances: int = 400
    alike: int = 4
    seconds: float = 120.0
    shrink: int = 400
    seed: int = 0
    work: int = 250_000_000

    def __str__(self) -> str:
        """Every field by its name, as manifests and reports print it."""
        return ", ".join(f"{name} {most:,.15g}" for name, most in asdict(self).items())


Refutation = Witness | NotRefuted
