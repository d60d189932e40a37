"""Where a question names a column that its query reads, so that another can take its place.

A mention is used only in a plain noun phrase: "the average *age* of all dogs", "names and *ages*
of the dogs". Where the column's values stand in the question too ("in grade 9", "older than
3", "from old to young") another column would make nonsense of it, and the mention is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlverdict.abstain.benchmark.columns.entities import is_entity, names_entity
from sqlverdict.abstain.benchmark.columns.hypothetical import (
    ColumnKind,
    Hypothetical,
    is_key,
    kind_of,
)
from sqlverdict.abstain.benchmark.question_sources import SchemaWords
from sqlverdict.abstain.benchmark.words import (
    GENERIC,
    meaning,
    meanings,
    question_words,
    singular,
    words,
)
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Table
from sqlverdict.parse.tokens import fold, word_set
from sqlverdict.records import Case, ParseFailure

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_TOKENS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[^\w\s]")  # noqa: RUF001 (an apostrophe)
_BEFORE = word_set(
    "the a an all each every any different distinct unique various their its his her by of and or"
)
_AMOUNTS = word_set("average mean maximum minimum highest lowest largest smallest")
_PREPOSITIONS = word_set("from in at with on to")
_AFTER = word_set("of for and or among along together")
_ORDERS = word_set("ascending descending alphabetical increasing decreasing")
_SHARED = word_set(
    "first last middle home cell current permanent arrival departure arriving departing start end "
    "starting ending minimum maximum average highest lowest largest smallest total birth open"
)
"""Words that share the noun of the next in a list: "the first, middle and last name"."""

_OF_VALUES = word_set(
    "old older oldest young younger youngest tall taller tallest short shorter shortest long "
    "longer longest heavy heavier heaviest light lighter lightest cheap cheaper cheapest expensive "
    "early earlier earliest late later latest recent new newer newest fast faster fastest slow "
    "slower slowest rich richest poor poorest worth costs cost"
)
"""Words that speak of a column's values without naming it."""

_NEAR = 4
"""So many words after "of" or "for" the thing itself is named."""


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

    def replaced(self, option: Hypothetical) -> str:
        """The question with a hypothetical column in the mention's place."""
        question = self.case.question
        text = option.plural if self.many else option.name
        before, after = question[: self.start], question[self.end :]
        old = question[self.start : self.end]
        if old[0].isupper() and (not before or not old.isupper()):  # GNP is no beginning.
            text = text[0].upper() + text[1:]
        start, article = before.rstrip(), before.rstrip().rsplit(" ", 1)[-1]
        if article.lower() in ("a", "an"):
            right = "an" if text[0].lower() in "aeiou" else "a"
            before = start[: -len(article)] + (
                right.capitalize() if article[0].isupper() else right
            )
            before += " "
        return before + text + after


def mentions(case: Case, known: SchemaWords) -> list[Mention]:
    """Where the question names columns that its first query reads and does not compare."""
    query = parse(case.golds[0]) if case.golds else None
    if query is None or isinstance(query, ParseFailure):
        return []
    near = frozenset[str]().union(*(known.reach(table) for table in query.tables))
    spoken = question_words(case.question)
    spoken_words = [singular(word) for word, _, _ in spoken]
    mentions_of_case = []
    for table, column in _read_columns(query.tree, query.tables, known):
        spans = _spans(spoken_words, column.name, table.name)
        if len(spans) != 1 or not is_entity(table) or not names_entity(spoken_words, table):
            continue
        first, last = spans[0]
        others = spoken_words[:first] + spoken_words[last + 1 :]
        specific = meanings(column.name) - meanings(table.name) - GENERIC
        if specific & set(map(meaning, others)):
            continue  # "For each citizenship, how many are from that country?"
        start, end = spoken[first][1], spoken[last][2]
        kind = kind_of(column)
        if kind != "text" and _OF_VALUES.intersection(word for word, _, _ in spoken):
            continue
        if _fits(case.question, start, end, kind, table):
            many = singular(spoken[last][0]) != spoken[last][0]
            mentions_of_case.append(Mention(case, table.name, kind, start, end, many, near))
    return mentions_of_case


def _fits(question: str, start: int, end: int, kind: ColumnKind, table: Table) -> bool:
    """Whether a mention is a plain noun phrase about the table's rows."""
    before = [token.lower() for token in _TOKENS.findall(question[:start])]
    after = [token.lower() for token in _TOKENS.findall(question[end:])]
    last = before[-1] if before else ""
    if last in _AMOUNTS:
        if kind != "number":
            return False
    elif last not in _BEFORE and last != "," and not last.endswith(("'s", "s'")):
        return False
    if before[-2:] in (["number", "of"], ["amount", "of"]):
        return False  # "The number of ages": what is counted is a thing.
    if _PREPOSITIONS & set(before[-2:]):
        return False  # "How many singers are from each country?"
    if last in (",", "and", "or") and (_shares_its_noun(before) or _NEXT_CLAUSE & set(before[-3:])):
        return False
    following = after[0] if after else ""
    if following in ("of", "for"):
        return names_entity(map(singular, after[1 : 1 + _NEAR]), table)
    if following == "in":
        return len(after) > 1 and after[1] in _ORDERS
    return following in _AFTER or following in ("", ",", ".", "?", "!", ";")


_NEXT_CLAUSE = word_set("is are was were have has had")


def _shares_its_noun(before: list[str]) -> bool:
    """Whether the item before, in a list, is a mere modifier: "first, middle and ..."."""
    items = [token for token in before if token not in (",", "and", "or")]
    return bool(items) and items[-1] in _SHARED


def _read_columns(
    tree: Expr, tables: tuple[str, ...], known: SchemaWords
) -> Iterator[tuple[Table, Column]]:
    """The columns that a query reads, each once, without those whose values it compares."""
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
        if node.find_ancestor(exp.Predicate, exp.Where, exp.Having) is not None:
            compared.add(key)
        if not is_key(table, column):
            columns[key] = owners[0]
    for key in sorted(columns):
        if key not in compared:
            yield columns[key]


def _spans(spoken_words: list[str], column: str, table: str) -> list[tuple[int, int]]:
    """Where a question says a column's name, the whole of it or without the table's."""
    whole = [singular(word) for word in words(column)]
    short = [word for word in whole if word not in set(map(singular, words(table)))]
    for name_words in (whole, short) if short else ():
        size = len(name_words)
        starts = range(len(spoken_words) - size + 1)
        spans = [(at, at + size - 1) for at in starts if spoken_words[at : at + size] == name_words]
        if spans:
            return spans
    return []
