"""The question denies something, and the query denies nothing.

Statement
    The question says "not", "without", "don't" ..., and the query has no NOT, EXCEPT, <>, LEFT
    JOIN, IS NULL, comparison by < or with 0.

Looks at
    The words of the question and of the query; no data.

Why
    The condition was left out or turned round.

Limits
    "Whether or not" denies nothing, and codes such as '-' may mean "not". English questions only;
    silent without a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlverdict.parse.tokens import solid
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DENIES = re.compile(r"\b(not|without|don't|doesn't|didn't|isn't|aren't)\b", re.IGNORECASE)
_EITHER = re.compile(r"\bor not\b|\bnot only\b", re.IGNORECASE)
_WORDS = frozenset({"not", "except", "left", "<>", "!=", "<", "<=", "null", "0", "isnull"})

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, coast INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 1), (2, 'Hamar', 0);
"""


@sign(
    strength="weak",
    data=_DATA,
    fires=[
        SignExample("SELECT name FROM city WHERE coast = 1", "'not'", "Which do not have a coast?"),
        SignExample("SELECT name FROM city", "'without'", "List cities without a coast."),
    ],
    silent=[
        SignExample(
            "SELECT name FROM city WHERE coast <> 1", question="Which do not have a coast?"
        ),
        SignExample("SELECT name FROM city WHERE coast = 0", question="Which do not have a coast?"),
        SignExample("SELECT coast FROM city", question="Say whether or not there is a coast."),
        SignExample("SELECT name FROM city WHERE coast = 1"),
    ],
)
def missing_negation(subject: Subject) -> Iterator[Notice]:
    """The word of the question that the query has no match for."""
    question = _EITHER.sub(" ", subject.question.replace("\u2019", "'"))
    denied = _DENIES.search(question)
    if denied is None or not _WORDS.isdisjoint(word.lower() for word in solid(subject.query.sql)):
        return
    word = denied[0].lower()
    message = f"the question says {word!r}, and the query excludes nothing"
    yield Notice("missing_negation", message, {"word": word})
