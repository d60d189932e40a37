"""What a type of unanswerable question is, and how many of which type each database gets.

A type is one file in ``types/``. It makes ideas for one database, as many as it can, in an order
that the seed decides. It holds no state. Whoever asks takes as many as are wanted and drops what is
there already.

Every database gets as many as its share of the answerable test questions, so that the database
tells nothing. Types are kept even over the whole: each place goes to the type that is furthest
behind and still has an idea there. A question that is there already, in any letter case and with
any mark at its end, is never taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from sqlverdict.abstain.benchmark.chance import id_digits, shuffled
from sqlverdict.abstain.benchmark.question_sources import QuestionSources
from sqlverdict.abstain.benchmark.words import same_wording
from sqlverdict.records import Case
from sqlverdict.registry import Registry

WordingKind = Literal["changed", "form", "pool", "model"]
"""How a question's words came about: an answerable question with a change, a form filled in,
a question of the pool, a language model."""


@dataclass(frozen=True)
class Idea:
    """An unanswerable question in the making.

    Attributes:
        db_id: The database it is asked on.
        question: Its words, by rule.
        wording: How the words came about.
        source: What they were made from: a case id, or where a pool question is from.
        column: The column that does not exist, as people say it.
        table: The table that would have it.
        task: What is asked for beyond a query.
    """

    db_id: str
    question: str
    wording: WordingKind
    source: str = ""
    column: str = ""
    table: str = ""
    task: str = ""


class UnanswerableType(Protocol):
    """A type of unanswerable question. Plain class attributes satisfy the properties."""

    @property
    def label(self) -> str:
        """The type as cases are tagged with it."""
        ...

    @property
    def version(self) -> int:
        """Rises whenever other questions may come out."""
        ...

    @property
    def prompt(self) -> str:
        """The prompt that puts it into natural words; empty: its words are left alone."""
        ...

    def ideas(self, sources: QuestionSources, db_id: str) -> Iterator[Idea]:
        """Questions of this type on a database, best first; none where it cannot make any."""
        ...


TYPES: Registry[UnanswerableType] = Registry(
    "type of unanswerable question",
    "sqlverdict.abstain.benchmark.types",
    "sqlverdict.unanswerable_types",
)


TYPE_TAG = "unanswerable_type"
_MOST_REFUSED = 2000
"""So many ideas in a row that are there already: the type has nothing new to say."""


@dataclass(frozen=True)
class ChosenIdea:
    """An idea that was taken, and its type."""

    kind: UnanswerableType
    idea: Idea


@dataclass(frozen=True)
class ChosenIdeas:
    """The ideas that were taken; ``short`` counts the places of a database left empty."""

    ideas: tuple[ChosenIdea, ...]
    short: Mapping[str, int] = field(default_factory=dict)


def apportion(total: int, weights: Mapping[str, float]) -> dict[str, int]:
    """Whole numbers that add up to a total, as near to the weights as can be.

    The largest remainders are rounded up; among equal ones the first name in order.
    """
    whole = sum(weights.values())
    if not whole:
        return dict.fromkeys(weights, 0)
    exact = {name: total * weight / whole for name, weight in weights.items()}
    shares = {name: int(value) for name, value in exact.items()}
    missing = total - sum(shares.values())
    order = sorted(exact, key=lambda name: (shares[name] - exact[name], name))
    for name in order[:missing]:
        shares[name] += 1
    return shares


def choose(
    sources: QuestionSources,
    quotas: Mapping[str, int],
    types: Sequence[UnanswerableType],
    have: Mapping[str, int] | None = None,
) -> ChosenIdeas:
    """Choose unanswerable questions.

    Args:
        sources: What they are made from.
        quotas: How many each database gets.
        types: The types to choose from.
        have: How many there are of each type already; they count for the balance.
    """
    counts = Counter(have or {})
    streams = {
        (db_id, kind.label): _fresh(kind, sources, db_id) for db_id in quotas for kind in types
    }
    wordings: set[tuple[str, str]] = set(sources.wordings)
    ideas: list[ChosenIdea] = []
    short: Counter[str] = Counter()
    places = [(db_id, number) for db_id, quota in quotas.items() for number in range(quota)]
    for db_id, _ in shuffled(places, sources.seed, "places", key=str):
        # Sorting is stable: types that are equally far behind keep their order.
        for kind in sorted(types, key=lambda kind: counts[kind.label]):
            idea = _next(streams[db_id, kind.label], wordings)
            if idea is not None:
                counts[kind.label] += 1
                ideas.append(ChosenIdea(kind, idea))
                break
        else:
            short[db_id] += 1
    return ChosenIdeas(tuple(ideas), dict(short))


def _fresh(kind: UnanswerableType, sources: QuestionSources, db_id: str) -> Iterator[Idea]:
    return iter(kind.ideas(sources, db_id))


def _next(stream: Iterator[Idea], wordings: set[tuple[str, str]]) -> Idea | None:
    """The next idea that is not there yet."""
    for number, idea in enumerate(stream):
        wording = same_wording(idea.question)
        # A pool's question is used once, not once a database.
        key = ("" if idea.wording == "pool" else idea.db_id, wording)
        if key not in wordings and (idea.db_id, wording) not in wordings:
            wordings |= {key, (idea.db_id, wording)}
            return idea
        if number >= _MOST_REFUSED:
            break
    return None


def case_of(choice: ChosenIdea, sources: QuestionSources, database: str | None) -> Case:
    """The case of a chosen question."""
    idea, label = choice.idea, choice.kind.label
    tags = {
        TYPE_TAG: label,
        "written": idea.wording,
        "made_from": idea.source,
        "no_such_column": f"{idea.table}.{idea.column}" if idea.column else "",
        "task": idea.task,
    }
    return Case(
        id=f"{label}-{id_digits(sources.seed, label, idea.db_id, idea.question)}",
        db_id=idea.db_id,
        question=idea.question,
        database=database,
        answerable=False,
        tags={name: tag for name, tag in tags.items() if tag},
    )
