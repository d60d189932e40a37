"""What a type of unanswerable question is, and how many of which type each database gets.

A type is one file in ``types/``. It makes ideas for one database, as many as it can, in an order
that the seed decides. It holds no state. Whoever asks takes as many as are wanted and drops what is
there already.

Every database gets as many as its share of the answerable test questions, and each type as many
as the others there, so that the database tells neither whether a question is answerable nor its
type. Each place goes to the type that is furthest behind in the database, then over the whole. A
type that has no more ideas on a database gives its places to the others there, and what it lacks
is stated. Of the ideas at hand the one is taken whose words tell least. A question that is there
already, in any letter case and with any mark at its end, is never taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, Protocol

from sqlverdict.abstain.benchmark.chance import id_digits, shuffled
from sqlverdict.abstain.benchmark.question_sources import QuestionSources
from sqlverdict.abstain.benchmark.words import question_words, same_wording
from sqlverdict.files.text import count
from sqlverdict.records import Case
from sqlverdict.registry import Registry

WordingKind = Literal["changed", "form", "pool", "elsewhere", "model"]
"""How a question's words came about: an answerable question with a change, a form filled in,
a question of the pool, an answerable question of another database, a language model."""


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
        readings: What an ambiguous question may mean.
        queries: Its readings as queries.
    """

    db_id: str
    question: str
    wording: WordingKind
    source: str = ""
    column: str = ""
    table: str = ""
    task: str = ""
    readings: str = ""
    queries: tuple[str, ...] = ()


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

_SOURCES: frozenset[WordingKind] = frozenset(("pool", "elsewhere"))
_AT_HAND = 48
"""So many ideas of a type on a database are looked at before one is taken."""


@dataclass(frozen=True)
class ChosenIdea:
    """An idea that was taken, and its type."""

    kind: UnanswerableType
    idea: Idea


@dataclass(frozen=True)
class ChosenIdeas:
    """The ideas that were taken.

    Attributes:
        ideas: The ideas.
        short: How many places of a database are empty.
        lacking: By database and type, how many questions a type has too few to be even with an
            equal share of the database's places.
    """

    ideas: tuple[ChosenIdea, ...]
    short: Mapping[str, int] = field(default_factory=dict)
    lacking: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


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
    have: Mapping[tuple[str, str], int] | None = None,
) -> ChosenIdeas:
    """Choose unanswerable questions.

    Args:
        sources: What they are made from.
        quotas: How many each database gets.
        types: The types to choose from.
        have: How many there are already, by database and type; they count for the balance.
    """
    counts = Counter(have or {})
    totals: Counter[str] = Counter()
    for (_, label), number in counts.items():
        totals[label] += number
    stock = _Stock(sources, sum(quotas.values()))
    ideas: list[ChosenIdea] = []
    short: Counter[str] = Counter()
    shares = _shares(quotas, types, have or {})
    places = [(db_id, number) for db_id, quota in quotas.items() for number in range(quota)]
    order = [db_id for db_id, _ in shuffled(places, sources.seed, "places", key=str)]
    left: list[str] = []
    # A type that stands in for another takes nothing that a database needs for its own share.
    for turn, waiting in ((0, order), (1, left)):
        for db_id in waiting:
            behind = partial(_behind, counts, totals, db_id)
            for kind in sorted(types, key=behind):  # Equally far behind: in the given order.
                if not turn and counts[db_id, kind.label] > shares[db_id]:
                    continue
                idea = stock.take(kind, db_id)
                if idea is not None:
                    counts[db_id, kind.label] += 1
                    totals[kind.label] += 1
                    ideas.append(ChosenIdea(kind, idea))
                    break
            else:
                if turn:
                    short[db_id] += 1
                else:
                    left.append(db_id)
    return ChosenIdeas(tuple(ideas), dict(short), _lacking(shares, types, counts))


def _behind(
    counts: Counter[tuple[str, str]], totals: Counter[str], db_id: str, kind: UnanswerableType
) -> tuple[int, int]:
    """How many questions a type has on a database, and over the whole."""
    return counts[db_id, kind.label], totals[kind.label]


def _shares(
    quotas: Mapping[str, int],
    types: Sequence[UnanswerableType],
    have: Mapping[tuple[str, str], int],
) -> dict[str, int]:
    """How many questions each type has at least on a database where all types are even."""
    totals = Counter(quotas)
    for (db_id, _), number in have.items():
        if db_id in quotas:
            totals[db_id] += number
    return {db_id: totals[db_id] // max(1, len(types)) for db_id in quotas}


def _lacking(
    shares: Mapping[str, int],
    types: Sequence[UnanswerableType],
    counts: Counter[tuple[str, str]],
) -> dict[str, dict[str, int]]:
    """What each type lacks of an equal share, by database; nothing where it lacks nothing."""
    lacking: dict[str, dict[str, int]] = {}
    for db_id, share in shares.items():
        for kind in types:
            missing = share - counts[db_id, kind.label]
            if missing > 0:
                lacking.setdefault(db_id, {})[kind.label] = missing
    return lacking


def usable_types(sources: QuestionSources) -> tuple[list[UnanswerableType], list[str]]:
    """The types of which there is any question, and a note for each of the others."""
    types, notes = [], []
    for name in TYPES.names():
        kind = TYPES.get(name)
        if any(True for db_id in sources.by_database for _ in kind.ideas(sources, db_id)):
            types.append(kind)
        else:
            notes.append(f"no questions of the type {kind.label}: there is nothing to make them of")
    return types, notes


def shortfalls(lacking: Mapping[str, Mapping[str, int]]) -> list[str]:
    """A note for each type that has too few questions on some databases."""
    by_type: dict[str, dict[str, int]] = {}
    for db_id, kinds in lacking.items():
        for label, number in kinds.items():
            by_type.setdefault(label, {})[db_id] = number
    return [
        f"{count(sum(places.values()), 'question')} of the type {label} too few for equal numbers ("
        + ", ".join(f"{db_id} {number}" for db_id, number in sorted(places.items()))
        + "): the schemas, rows and questions offer no more; other types stand in"
        for label, places in sorted(by_type.items())
    ]


class _Stock:
    """The ideas of each type on each database that nobody has taken."""

    def __init__(self, sources: QuestionSources, target: int) -> None:
        self._sources = sources
        self._wordings: set[tuple[str, str]] = set(sources.wordings)
        self._streams: dict[tuple[str, str], Iterator[Idea]] = {}
        self._waiting: dict[tuple[str, str], list[Idea]] = {}
        self._uses: Counter[tuple[str, str]] = Counter()
        self._balance = WordBalance((case.question for case in sources.cases), target)

    def take(self, kind: UnanswerableType, db_id: str) -> Idea | None:
        """The idea whose words tell least, among the next ones; ``None``: there is none."""
        key = (db_id, kind.label)
        if key not in self._streams:
            self._streams[key] = iter(kind.ideas(self._sources, db_id))
            self._waiting[key] = []
        waiting = [idea for idea in self._waiting[key] if self._is_new(idea)]
        repeats = 0
        while len(waiting) < _AT_HAND and repeats <= _MOST_REFUSED:
            idea = next(self._streams[key], None)
            if idea is None:
                break
            if idea not in waiting and self._is_new(idea):
                waiting.append(idea)
            else:
                repeats += 1
        self._waiting[key] = waiting
        if not waiting:
            return None
        even = self._of_the_rarer_source(waiting, kind.label)
        idea = even[self._balance.best([each.question for each in even])]
        waiting.remove(idea)
        self._balance.add(idea.question)
        self._uses[kind.label, idea.wording] += 1
        self._wordings |= set(_keys(idea))
        return idea

    def _of_the_rarer_source(self, ideas: list[Idea], label: str) -> list[Idea]:
        """Where there are texts of the pool and of other databases: those used less often."""
        sources = {idea.wording for idea in ideas}
        if not sources <= _SOURCES:
            return ideas
        rarer = min(sorted(sources), key=lambda wording: self._uses[label, wording])
        return [idea for idea in ideas if idea.wording == rarer]

    def _is_new(self, idea: Idea) -> bool:
        return not self._wordings.intersection(_keys(idea))


def _keys(idea: Idea) -> tuple[tuple[str, str], ...]:
    """What tells questions apart: a pool's question is used once, not once a database."""
    wording = same_wording(idea.question)
    own = (idea.db_id, wording)
    return (own, ("", wording)) if idea.wording == "pool" else (own,)


def case_of(choice: ChosenIdea, sources: QuestionSources, database: str | None) -> Case:
    """The case of a chosen question."""
    idea, label = choice.idea, choice.kind.label
    tags = {
        TYPE_TAG: label,
        "written": idea.wording,
        "made_from": idea.source,
        "no_such_column": f"{idea.table}.{idea.column}" if idea.column else "",
        "task": idea.task,
        "readings": idea.readings,
    }
    return Case(
        id=f"{label}-{id_digits(sources.seed, label, idea.db_id, idea.question)}",
        db_id=idea.db_id,
        question=idea.question,
        golds=idea.queries,
        database=database,
        answerable=False,
        tags={name: tag for name, tag in tags.items() if tag},
    )


class WordBalance:
    """Which of several questions makes words tell least.

    A word that unanswerable questions use and answerable ones do not, or the other way about,
    gives them away without any schema. Questions are taken one after another, and of those at hand
    the one is taken that leaves the numbers of questions with each word nearest to those of the
    answerable questions: the sum over all words of (difference squared) / (expected + 1) grows
    least.

    Args:
        answerable: The answerable questions.
        target: How many unanswerable questions there will be.
    """

    def __init__(self, answerable: Iterable[str], target: int) -> None:
        texts = list(answerable)
        counts = Counter(word for text in texts for word in _words(text))
        scale = target / len(texts) if texts else 0.0
        self._expected = {word: number * scale for word, number in counts.items()}
        self._target = max(1, target)
        self._uses: Counter[str] = Counter()
        self._done = 0

    def add(self, text: str) -> None:
        """Count a question that is taken."""
        self._uses.update(_words(text))
        self._done += 1

    def best(self, texts: Sequence[str]) -> int:
        """The place of the question that makes words tell least; the first of equal ones."""
        return min(range(len(texts)), key=lambda index: (round(self._cost(texts[index]), 9), index))

    def _cost(self, text: str) -> float:
        progress = (self._done + 1) / self._target
        cost = 0.0
        for word in _words(text):
            expected = self._expected.get(word, 0.0)
            ahead = self._uses[word] - min(1.0, progress) * expected
            cost += (2 * ahead + 1) / (expected + 1)
        return cost


def _words(text: str) -> list[str]:
    """The words of a question, each once, in the order in which they stand."""
    return list(dict.fromkeys(word for word, _, _ in question_words(text)))
