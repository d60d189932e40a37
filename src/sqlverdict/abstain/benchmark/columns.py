"""Questions about columns that do not exist.

Where an answerable question mentions a column ("the average *age* of all dogs"), the mention is
replaced by a hypothetical column of the same kind ("the average *shoe size* of all dogs"). What
comes out has an answerable question's words, letter case and marks, and would be answerable if
the column existed. Only where no such question is left are forms filled in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlverdict.abstain.benchmark.chance import draw, shuffled
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable_type import Idea
from sqlverdict.abstain.benchmark.words import (
    meanings,
    plural,
    question_words,
    sayable,
    singular,
    words,
)
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Table
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Case, ParseFailure

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

ColumnKind = Literal["number", "text", "date"]

_NUMBERS = ("INT", "REAL", "NUM", "FLOA", "DOUB", "DEC")
_DATES = frozenset(("date", "time", "day", "birthdate"))
_KEYS = frozenset(("id", "code", "key"))
_EACH = 2
"""How many questions a hypothetical column gets in each round, as in TrustSQL."""

_ROUNDS = 8

_FORMS: dict[ColumnKind, tuple[str, ...]] = {
    "number": (
        "What is the average {column} of all {tables}?",
        "Which {table} has the highest {column}?",
        "How many {tables} have a {column} above {number}?",
        "List the {column} of each {table}.",
        "What is the total {column} of the {tables}?",
        "Show the {tables} in descending order of {column}.",
    ),
    "text": (
        "What is the {column} of each {table}?",
        "How many {tables} are there for each {column}?",
        "List all different {columns} of the {tables}.",
        "What is the most common {column} among the {tables}?",
    ),
    "date": (
        "What is the {column} of each {table}?",
        "Which {table} has the earliest {column}?",
        "Show the {tables} ordered by their {column}.",
    ),
}


@dataclass(frozen=True)
class Hypothetical:
    """A column that does not exist: how people say it, its kind, and what it was made from."""

    name: str
    kind: ColumnKind
    origin: str = ""


@dataclass(frozen=True)
class Mention:
    """Where a question names a column that its query reads.

    Attributes:
        case: The question.
        table: The column's table.
        kind: The column's kind.
        start: Where the mention begins in the question.
        end: Where it ends.
        many: Whether it is in the plural.
        near: Tables whose columns the question's tables could call their own.
    """

    case: Case
    table: str
    kind: ColumnKind
    start: int
    end: int
    many: bool
    near: frozenset[str]


def kind_of(column: Column) -> ColumnKind:
    """What a column holds, by its declared type and its name."""
    name_words = words(column.name)
    if _DATES & set(name_words) and "year" not in name_words:
        return "date"
    declared = column.type.upper()
    return "number" if any(word in declared for word in _NUMBERS) else "text"


def is_key(table: Table, column: Column) -> bool:
    """Whether a column stands for a row rather than saying something about it."""
    name = fold(column.name)
    pointing = {fold(own) for key in table.foreign_keys for own in key.columns}
    keys = {fold(own) for own in table.primary_key}
    return name in pointing | keys or bool(_KEYS & set(words(column.name)))


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


def columns_to_name(
    sources: QuestionSources, table: Table, name_of: Callable[[Column], str | None]
) -> Iterator[tuple[str, Column]]:
    """The columns of a table that people could ask about, each with its name in words."""
    for column in table.columns:
        name = None if is_key(table, column) else name_of(column)
        if name and sources.is_spoken(name):
            yield name, column


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
            columns = options(schema_table, near) if schema_table is not None else ()
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
            ]
            if not fitting:
                continue
            chance = draw(sources.seed, purpose, mention.case.id, str(mention.start), str(turn))
            option = fitting[chance % len(fitting)]
            used[option.name] += 1
            changed = replaced(mention, option)
            yield Idea(db_id, changed, "changed", mention.case.id, option.name, mention.table)
    yield from _forms(sources, known, choices, purpose)


def mentions(case: Case, known: SchemaWords) -> list[Mention]:
    """Where the question names columns that its first query reads.

    Columns that are compared with a text are passed over ("whose country is France" makes
    little sense of another column), and so are those called after their table, which are what
    is asked about.
    """
    query = parse(case.golds[0]) if case.golds else None
    if query is None or isinstance(query, ParseFailure):
        return []
    near = frozenset[str]().union(*(known.reach(table) for table in query.tables))
    spoken = question_words(case.question)
    mentions_of_case = []
    for table, column in _read_columns(query.tree, query.tables, known):
        spans = _spans(spoken, column.name, table.name)
        if len(spans) == 1:
            first, last = spans[0]
            start, end = spoken[first][1], spoken[last][2]
            many = singular(spoken[last][0]) != spoken[last][0]
            kind = kind_of(column)
            mentions_of_case.append(Mention(case, table.name, kind, start, end, many, near))
    return mentions_of_case


def replaced(mention: Mention, option: Hypothetical) -> str:
    """The question with the hypothetical column in the mention's place."""
    question = mention.case.question
    name_words = option.name.split()
    if mention.many:
        name_words[-1] = plural(name_words[-1])
    text = " ".join(name_words)
    before, after = question[: mention.start], question[mention.end :]
    if question[mention.start].isupper():
        text = text[0].upper() + text[1:]
    head, article = before.rstrip(), before.rstrip().rsplit(" ", 1)[-1]
    if article.lower() in ("a", "an"):
        right = "an" if text[0].lower() in "aeiou" else "a"
        before = head[: -len(article)] + (right.capitalize() if article[0].isupper() else right)
        before += " "
    return before + text + after


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


def _read_columns(
    tree: Expr, tables: tuple[str, ...], known: SchemaWords
) -> Iterator[tuple[Table, Column]]:
    """The columns that a query reads, each once, without those it compares with a text."""
    from sqlglot import exp

    sources_by_alias: dict[str, set[str]] = {}
    for source in tree.find_all(exp.Table):
        sources_by_alias.setdefault(fold(source.alias or source.name), set()).add(fold(source.name))
    columns: dict[tuple[str, str], tuple[Table, Column]] = {}
    compared: set[tuple[str, str]] = set()
    for node in tree.find_all(exp.Column):
        alias = fold(node.table)
        among = sources_by_alias.get(alias, set()) if alias else {fold(table) for table in tables}
        owners = [
            (table, column)
            for name in sorted(among)
            if (table := known.schema.table(name)) and (column := table.column(node.name))
        ]
        if len(owners) != 1:
            continue
        table, column = owners[0]
        key = (fold(table.name), fold(column.name))
        if isinstance(node.parent, exp.Predicate) and kind_of(column) != "number":
            compared.add(key)
        if not is_key(table, column):
            columns[key] = owners[0]
    for key in sorted(columns):
        if key not in compared:
            yield columns[key]


def _spans(spoken: list[tuple[str, int, int]], column: str, table: str) -> list[tuple[int, int]]:
    """Where a question says a column's name, the whole of it or without the table's."""
    spoken_words = [singular(word) for word, _, _ in spoken]
    whole = [singular(word) for word in words(column)]
    short = [word for word in whole if word not in set(map(singular, words(table)))]
    for name_words in (whole, short) if short else ():
        size = len(name_words)
        starts = range(len(spoken_words) - size + 1)
        spans = [(at, at + size - 1) for at in starts if spoken_words[at : at + size] == name_words]
        if spans:
            return spans
    return []


def _forms(
    sources: QuestionSources,
    known: SchemaWords,
    choices: Callable[[str, frozenset[str]], Sequence[Hypothetical]],
    purpose: str,
) -> Iterator[Idea]:
    """Forms filled in, in the letter case and with the marks of an answerable question."""
    db_id = known.schema.db_id
    models = sorted((case.question for case in sources.by_database.get(db_id, ())), key=str)
    for table in known.schema.tables:
        table_words = sayable(table.name)
        if table_words is None:
            continue
        near = known.reach(table.name)
        for option in shuffled(
            choices(table.name, near), sources.seed, purpose, table.name, key=lambda o: o.name
        ):
            chance = draw(sources.seed, purpose, db_id, table.name, option.name)
            forms = _FORMS[option.kind]
            last = option.name.split()
            one = table_words.split()
            one[-1] = singular(one[-1])
            text = forms[chance % len(forms)].format(
                column=option.name,
                columns=" ".join([*last[:-1], plural(last[-1])]),
                table=" ".join(one),
                tables=" ".join([*one[:-1], plural(one[-1])]),
                number=(2 + chance % 9) * 10,
            )
            model = models[chance % len(models)] if models else text
            yield Idea(db_id, in_style(text, model), "form", "", option.name, table.name)


def in_style(text: str, model: str) -> str:
    """A sentence with the first letter's case and the last mark of another."""
    first = next((letter for letter in model if letter.isalpha()), "A")
    text = (text[0].lower() if first.islower() else text[0].upper()) + text[1:]
    marks = "?.!"
    if model.rstrip()[-1:] not in tuple(marks):
        text = text.rstrip(marks)
    return text
