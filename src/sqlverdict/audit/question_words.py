"""What a question asks for, by its words: one number, yes or no, how many of what, one for each.

English words only: of a question in another language nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import word_set
from sqlverdict.signs.mentions import mentions_value, plain_words, word_stem

_ONE_NUMBER = re.compile(
    r"\b(how many|(?:what is|count) the number of|what percent|calculate the"
    r"|what(?:'s| is) the (?:percentage|ratio|total|average|difference))\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(each|every|per|respectively|list|which|who)\b", re.IGNORECASE)
_YES_OR_NO = re.compile(r"\s*(did|is|are|was|were|does|do|has|have|can)\b", re.IGNORECASE)
_ALSO_FOREIGN = word_set("are can do has was")
"""Words that begin questions and sentences of other languages too, as "Was" does in German."""
_ENGLISH = re.compile(
    r"\b(the|there|any|this|that|these|those|each|every|of|and|or|by|from|than|with|have|been)\b",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"\b(?:how many|number of|percentage of|percent of)\s+"
    r"(?:(?:the|different|distinct|all|of)\s+)*((?:[\w'-]+\s*){1,3})",
    re.IGNORECASE,
)
_CONDITION = word_set(
    "and are at by did do does for from had has have in is of on that to was were where which who "
    "whose with"
)
"""What stands behind the thing that is counted, and before a condition on it."""
_EACH = re.compile(r"\b(?:each|every|per)\s+(?:of the\s+|different\s+)?([\w-]+)", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.#])\d+(?:[.,]\d+)*(?!\w)")
_FORMULA = re.compile(r"\b(?:count|sum|avg|divide)\s*\([^)]*?(\w+)\s*\)", re.IGNORECASE)


def asks_one_number(question: str) -> bool:
    """Whether it asks how many, or for a share or a total, and for nothing beside it."""
    return bool(_ONE_NUMBER.search(question)) and not _SEVERAL.search(question)


def asks_yes_or_no(question: str) -> bool:
    """Whether it begins as a question does that is answered by yes or no."""
    match = _YES_OR_NO.match(question)
    if match is None:
        return False
    return match[1].lower() not in _ALSO_FOREIGN or bool(_ENGLISH.search(question, match.end()))


def counted_words(question: str) -> list[str]:
    """The words behind "how many": what is to be counted is among them."""
    match = _HOW_MANY.search(question)
    return plain_words(match[1]) if match is not None else []


def counted_thing(question: str) -> list[str]:
    """The same words up to a condition: of "cars with horsepower" the cars."""
    return list(takewhile(lambda word: word not in _CONDITION, counted_words(question)))


def each_words(question: str) -> list[str]:
    """The words behind "each", "every" and "per"."""
    return [word for match in _EACH.finditer(question) for word in plain_words(match[1])]


def absent_numbers(question: str, sql: str) -> list[str]:
    """The numbers of a question that a query does not have, as a share or in a text neither."""
    numbers = dict.fromkeys(_NUMBER.findall(question))
    return [each for each in numbers if not any(mentions_value(sql, n) for n in _readings(each))]


def _readings(number: str) -> list[str]:
    """What the digits of a number may mean: 1.000 is 1 or 1000, and 3,5 is 3.5."""
    readings = [number.replace(",", ""), number.replace(".", "").replace(",", ".")]
    readings.append(re.sub(r"[.,]", "", number))
    return [each for each in dict.fromkeys(readings) if each.count(".") < 2]


def formula_columns(knowledge: str) -> set[str]:
    """The last name inside each COUNT(...), SUM(...) and so on of a question's knowledge."""
    return {name.lower() for name in _FORMULA.findall(knowledge)}


def table_of_words(words: Sequence[str], schema: Schema) -> Table | None:
    """The table that one of the words names, in singular or plural."""
    tables = {word_stem(table.name.lower()): table for table in reversed(schema.tables)}
    return next((tables[stem] for stem in map(word_stem, words) if stem in tables), None)
