"""The query asks for a value that neither the question nor its knowledge mentions.

Statement
    A literal in a condition, text or number, that does not occur in the question nor in the
    knowledge, in any usual spelling (case, accents, plural, number words, dates).

Looks at
    The query's conditions and the texts. Not 0, 1, 100 and texts of one or two letters: flags,
    percentages and codes.

Why
    The value comes from nowhere: it was guessed, or mixed up with another one.

Limits
    Codes of the data ('T' for true) are often silent knowledge. Silent without a question.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.signs.mentions import asked_values, mentions_value, plain_words
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Bergen', 280);
"""


@sign(
    strength="weak",
    data=_DATA,
    fires=[
        SignExample(
            "SELECT people FROM city WHERE name = 'Bergen'", "'Bergen'", "How big is Oslo?"
        ),
        SignExample("SELECT name FROM city WHERE people > 500", "'500'", "Which cities are big?"),
    ],
    silent=[
        SignExample("SELECT people FROM city WHERE name = 'Oslo'", question="How big is Oslo?"),
        SignExample("SELECT people FROM city WHERE name = 'Oslo'"),
        SignExample(
            "SELECT name FROM city WHERE people > 500",
            question="Which cities are big?",
            knowledge="big refers to people > 500",
        ),
    ],
)
def unmentioned_value(subject: Subject) -> Iterator[Notice]:
    """Each value that is not mentioned."""
    if not plain_words(subject.question):
        return
    text = f"{subject.question} {subject.knowledge}"
    silence = "the question does not mention"
    if subject.knowledge:
        silence = "neither the question nor its knowledge mentions"
    for value in asked_values(subject.query.sql, subject.schema):
        if not mentions_value(text, value):
            yield Notice(
                "unmentioned_value",
                f"the query asks for {value!r}, which {silence}",
                {"value": value},
            )
