"""Questions about columns that do not exist.

Where an answerable question mentions a column ("the average *age* of all dogs"), the mention is
replaced by a hypothetical column of the same kind ("the average *shoe size* of all dogs"). What
comes out has an answerable question's words, letter case and marks, and would be answerable if
the column existed. Only where no such question is left are forms filled in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from sqlverdict.abstain.benchmark.chance import draw, shuffled
from sqlverdict.abstain.benchmark.columns.entities import (
    entity_kind,
    is_entity,
    noun_kind,
    spoken_name,
)
from sqlverdict.abstain.benchmark.columns.hypothetical import ColumnKind, Hypothetical
from sqlverdict.abstain.benchmark.columns.mentions import Mention, mentions
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable import Idea
from sqlverdict.abstain.benchmark.words import (
    meanings,
    plural,
    question_words,
    singular,
    words,
)
from sqlverdict.parse.schema import Table
from sqlverdict.parse.tokens import fold, word_set
from sqlverdict.records import Case

_EACH = 2
"""How many questions a hypothetical column gets in each round, as in TrustSQL."""

_ROUNDS = 8

_OF_ONE = word_set("name title address number contact account phone email text description")
"""What hardly two rows share: nobody counts or groups by it."""

_ONE_OF_ALL = word_set("oldest best nearest first")
"""Words of names that each row has one of, and hardly two rows the same: its oldest museum."""

_SORTING = word_set("by each different distinct order per")

_AMOUNTS = word_set(
    "average mean median maximum minimum highest lowest largest smallest biggest top most least "
    "total sum"
)
"""Words for one of many values. A name that has one does not stand where another is: nobody says
"the average average humidity"."""

_FORMS: dict[ColumnKind, tuple[str, ...]] = {
    "number": (
        "What is the average {column} of all {tables}?",
        "Which {table} has the highest {column}?",
        "List the {column} of each {table}.",
        "What are the lowest and the highest {column} among the {tables}?",
        "Show the {tables} in descending order of {column}.",
        "Find the {table} with the largest {column}.",
        "What are the names and {columns} of all {tables}?",
        "Show the names of all {tables}, ordered by {column}.",
        "Give the name of the {table} with the smallest {column}.",
    ),
    "text": (
        "What is the {column} of each {table}?",
        "How many {tables} are there for each {column}?",
        "List all different {columns} of the {tables}.",
        "What is the most common {column} among the {tables}?",
        "Show the name and {column} of every {table}.",
        "Find the names of the {tables} and their {columns}.",
        "Count the number of different {columns} of the {tables}.",
        "Return the {column} that most {tables} have.",
    ),
    "date": (
        "What is the {column} of each {table}?",
        "Which {table} has the earliest {column}?",
        "Show the {tables} ordered by their {column}.",
        "List the name and {column} of every {table}.",
        "Find the name of the {table} with the latest {column}.",
    ),
}


class ColumnType:
    """A type of unanswerable question about columns that do not exist."""

    label: str
    version = 1
    prompt = "unanswerable_column"

    def ideas(self, sources: QuestionSources, db_id: str) -> Iterator[Idea]:
        """Questions of this type on a database."""
        known = sources.known.get(db_id)
        if known is None:
            return iter(())

        def options(table: Table, near: frozenset[str]) -> Sequence[Hypothetical]:
            return self.options(sources, known, table, near)

        return column_ideas(sources, db_id, options, self.label)

    def options(
        self, sources: QuestionSources, known: SchemaWords, table: Table, near: frozenset[str]
    ) -> Sequence[Hypothetical]:
        """The hypothetical columns of a table, given the tables near it."""
        raise NotImplementedError


def column_ideas(
    sources: QuestionSources,
    db_id: str,
    options: Callable[[Table, frozenset[str]], Sequence[Hypothetical]],
    purpose: str,
) -> Iterator[Idea]:
    """Questions about columns that do not exist, changed ones first, then forms.

    Args:
        sources: What they are made from.
        db_id: The database.
        options: The hypothetical columns of a table, given the tables near it.
        purpose: What the draws depend on, beside the seed.
    """
    known = sources.known.get(db_id)
    if known is None:
        return
    memory: dict[tuple[str, frozenset[str]], Sequence[Hypothetical]] = {}

    def choices(table: str, near: frozenset[str]) -> Sequence[Hypothetical]:
        key = (fold(table), near)
        if key not in memory:
            schema_table = known.schema.table(table)
            columns = [
                option
                for option in (options(schema_table, near) if schema_table is not None else ())
                if schema_table is not None and not _may_be_linked(option, schema_table, known)
            ]
            memory[key] = sorted(columns, key=lambda option: option.name)
        return memory[key]

    cases = shuffled(
        sources.by_database.get(db_id, ()), sources.seed, purpose, key=lambda case: case.id
    )
    used: Counter[str] = Counter()
    for turn in range(_ROUNDS):
        # Looked for one at a time, and kept: finding them takes a parse of the gold.
        for mention in (each for case in cases for each in _kept_mentions(sources, known, case)):
            fitting = [
                option
                for option in choices(mention.table, mention.near)
                if option.kind == mention.kind
                and used[option.name] < _EACH * (turn + 1)
                and not meanings(option.name) & meanings(mention.case.question)
                and not _doubles(option.name, mention.case.question)
                and not (_is_of_one(option) and _sorts(mention))
            ]
            if not fitting:
                continue
            chance = draw(sources.seed, purpose, mention.case.id, str(mention.start), str(turn))
            option = fitting[chance % len(fitting)]
            used[option.name] += 1
            changed = mention.replaced(option)
            yield Idea(db_id, changed, "changed", mention.case.id, option.name, mention.table)
    yield from _forms(sources, known, choices, purpose)


def _kept_mentions(sources: QuestionSources, known: SchemaWords, case: Case) -> Sequence[Mention]:
    if case.id not in sources.mentions:
        sources.mentions[case.id] = _apart(case, known, sources.seed)
    stored: Sequence[Mention] = sources.mentions[case.id]
    return stored


def _apart(case: Case, known: SchemaWords, seed: int) -> list[Mention]:
    """The mentions of a question that do not overlap, in an order of chance."""
    apart: list[Mention] = []
    order = shuffled(mentions(case, known), seed, case.id, key=lambda m: f"{m.start} {m.table}")
    for mention in order:
        if all(mention.end <= other.start or other.end <= mention.start for other in apart):
            apart.append(mention)
    return apart


def _forms(
    sources: QuestionSources,
    known: SchemaWords,
    choices: Callable[[str, frozenset[str]], Sequence[Hypothetical]],
    purpose: str,
) -> Iterator[Idea]:
    """Forms filled in, in the letter case and with the marks of an answerable question."""
    db_id = known.schema.db_id
    models = sorted((case.question for case in sources.by_database.get(db_id, ())), key=str)
    fillings = [
        (table, option, form)
        for table in known.schema.tables
        if spoken_name(table) is not None and is_entity(table)
        for option in choices(table.name, known.reach(table.name))
        for form in _forms_for(option, table)
    ]
    for table, option, form in shuffled(
        fillings, sources.seed, purpose, key=lambda f: f"{f[0].name} {f[1].name} {f[2]}"
    ):
        *before, last = (spoken_name(table) or "").split()
        text = form.format(
            column=option.name,
            columns=option.plural,
            table=" ".join([*before, singular(last)]),
            tables=" ".join([*before, plural(singular(last))]),
        )
        chance = draw(sources.seed, purpose, db_id, table.name, option.name, form)
        model = models[chance % len(models)] if models else text
        yield Idea(db_id, in_style(text, model), "form", "", option.name, table.name)


def _forms_for(option: Hypothetical, table: Table) -> Sequence[str]:
    """The forms that a column can be asked for in."""
    forms = [form for form in _FORMS[option.kind] if not _doubles(option.name, form)]
    if _is_of_one(option):
        forms = forms[:1]
    if not any("name" in words(column.name) for column in table.columns):
        forms = [form for form in forms if "name" not in form]
    return forms


def _is_of_one(option: Hypothetical) -> bool:
    first, last = option.name.split()[0], option.name.split()[-1]
    return last in _OF_ONE or first in _ONE_OF_ALL


def _may_be_linked(option: Hypothetical, table: Table, known: SchemaWords) -> bool:
    """Whether a role, such as an owner, may be what a link to persons says.

    Pets have no owner in their table, but students have pets in another.
    """
    if noun_kind(singular(option.name)) != "person":
        return False
    linked = known.connected(table.name) - {fold(table.name)}
    others = (known.schema.table(name) for name in linked)
    return any(other is not None and entity_kind(other) == "person" for other in others)


def _sorts(mention: Mention) -> bool:
    """Whether the question sorts, counts or groups by what the mention names."""
    before = mention.case.question[: mention.start].lower().split()
    return bool(_SORTING.intersection(before[-2:]))


def _doubles(name: str, text: str) -> bool:
    """Whether a column's name and a text both speak of one of many values."""
    return all(
        _AMOUNTS.intersection(word for word, _, _ in question_words(each)) for each in (name, text)
    )


def in_style(text: str, model: str) -> str:
    """A sentence with the first letter's case and the last mark of another."""
    first = next((letter for letter in model if letter.isalpha()), "A")
    text = (text[0].lower() if first.islower() else text[0].upper()) + text[1:]
    marks = "?.!"
    if model.rstrip()[-1:] not in tuple(marks):
        text = text.rstrip(marks)
    return text
