"""Names as words: ``Song_release_year``, ``songReleaseYr`` and "song release years" are one.

Whether a hypothetical column exists must not depend on its spelling. Names are cut into words
(underscores, capitals, digits), abbreviations are written out, plurals made singular, and words
that mean the same thing about a row (salary, wage, pay) count as one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from sqlverdict.files.inflect import regular_plural, regular_singular
from sqlverdict.parse.tokens import word_set

_CUT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")  # noqa: RUF001 (a typographic apostrophe)

_SHORT = {
    "acct": "account",
    "addr": "address",
    "amt": "amount",
    "avg": "average",
    "cat": "category",
    "cnt": "count",
    "cust": "customer",
    "dept": "department",
    "desc": "description",
    "dob": "birthdate",
    "emp": "employee",
    "fname": "first name",
    "id": "id",
    "lang": "language",
    "lname": "last name",
    "loc": "location",
    "max": "maximum",
    "min": "minimum",
    "mgr": "manager",
    "mpg": "mileage",
    "nbr": "number",
    "no": "number",
    "num": "number",
    "org": "organisation",
    "pct": "percent",
    "pop": "population",
    "prof": "professor",
    "qty": "quantity",
    "ref": "reference",
    "stu": "student",
    "tel": "phone",
    "yr": "year",
}
_IRREGULAR = {"people": "person", "children": "child", "men": "man", "women": "woman"}
_PLURALS = {single: many for many, single in _IRREGULAR.items()}
_ENDS_LIKE_A_PLURAL = word_set(
    "address bonus business bus campus census class focus gas glass grass is iris lens loss mass "
    "news pass physics plus process progress series species status stress success this us was "
    "virus yes"
)
_ENDS_IN_BOTH = word_set("series species news")
_ALIKE = (
    "nationality country citizenship nation",
    "phone telephone mobile cell",
    "email mail",
    "salary wage pay income earning",
    "gender sex",
    "weight mass",
    "birthdate birthday birth born age",
    "zip postcode postal zipcode",
    "cost price fare fee charge amount",
    "rating score star grade mark rank ranking",
    "founded established founding opened since",
    "location place address city town hometown residence",
    "duration length runtime minute",
    "size area",
    "capacity seat seating",
    "colour color",
    "degree major",
    "species breed",
    "job occupation profession position role",
    "photo picture image",
    "speed velocity",
    "height tall",
    "quantity stock inventory",
    "discount rebate",
    "comment remark note",
    "website url homepage",
    "language tongue",
    "religion faith",
    "category genre class",
    "start begin beginning",
    "end finish",
    "maximum highest",
    "minimum lowest",
    "allergy allergic",
    "employer company",
    "spouse wife husband married marital",
)
_MEANING = {word: group.split()[0] for group in _ALIKE for word in group.split()}

GENERIC = word_set(
    "id key code name number date time year type kind details detail description reference value "
    "other total record info information data text first last full"
)
"""Words that say little about what a column holds: no column is known by them alone."""


@lru_cache(maxsize=65536)
def words(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case, abbreviations written out.

    >>> words("songReleaseYr"), words("Song_release_year")
    (('song', 'release', 'year'), ('song', 'release', 'year'))
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    parts = []
    for piece in _CUT.findall(plain):
        parts += _SHORT.get(piece.lower(), piece.lower()).split()
    return tuple(parts)


def singular(word: str) -> str:
    """One form for a word and its plural; good enough to compare, not for print."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    return word if word in _ENDS_LIKE_A_PLURAL else regular_singular(word)


def plural(word: str) -> str:
    """The plural of an English noun, by the usual rules; a plural stays as it is."""
    if word in _PLURALS or word in _ENDS_IN_BOTH or singular(word) != word:
        return _PLURALS.get(word, word)
    return regular_plural(word)


def meaning(word: str) -> str:
    """One word for all that mean the same thing about a row."""
    base = singular(word)
    return _MEANING.get(base, base)


@lru_cache(maxsize=65536)
def meanings(name: str) -> frozenset[str]:
    """What the words of a name mean, in any order."""
    return frozenset(map(meaning, words(name)))


def content(name: str) -> frozenset[str]:
    """The words of a name that say what it holds, each in one form."""
    return frozenset(singular(word) for word in words(name)) - GENERIC


def question_words(text: str) -> list[tuple[str, int, int]]:
    """The words of a question in lower case, with where they begin and end."""
    return [(hit[0].lower(), hit.start(), hit.end()) for hit in _LETTERS.finditer(text)]


def same_wording(text: str) -> str:
    """One spelling for questions that differ in case, spaces or the mark at their end."""
    parts = unicodedata.normalize("NFKC", text).casefold().split()
    return " ".join(parts).rstrip(" .?!")


def sayable(name: str) -> str | None:
    """A name as people say it; ``None`` where its words cannot be told.

    >>> sayable("Song_release_year"), sayable("apt_ft_1")
    ('song release year', None)
    """
    parts = words(name)
    if not parts or len(parts) > 4 or not (frozenset(map(singular, parts)) - GENERIC):
        return None
    for word in parts:
        if not word.isalpha() or len(word) < 3 or not set(word) & set("aeiouy"):
            return None
    return " ".join(parts)
