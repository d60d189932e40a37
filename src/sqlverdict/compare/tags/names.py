"""Tags of a prediction that SQLite refuses, or that cannot be parsed.

SQLite compiles the prediction against empty tables of the schema and runs nothing. It names the
first thing that it finds wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlverdict.compare.query.columns import Names, schema_index
from sqlverdict.compare.tags.kinds import JOINED, TAGS, TagKind
from sqlverdict.dialects import dialect_of
from sqlverdict.evidence_parts import Tag
from sqlverdict.parse.grammar import complaint
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import ParseFailure, Query, Reason

TAGS.update(
    {
        "unknown_table": TagKind(
            "query",
            "the prediction reads a table that the schema does not have",
            "SELECT name FROM player",
            "SELECT name FROM players",
        ),
        "unknown_column": TagKind(
            "query",
            "the prediction reads a column that no table has",
            "SELECT born FROM player",
            "SELECT birthday FROM player",
        ),
        "misplaced_column": TagKind(
            "query",
            "the prediction reads a column that only other tables have",
            "SELECT city FROM team",
            "SELECT city FROM player",
        ),
        "unread_table": TagKind(
            "query",
            "the prediction reads a column of a table that FROM does not have",
            "SELECT city FROM team",
            "SELECT team.city FROM player",
        ),
        "unused_alias": TagKind(
            "query",
            "the prediction calls a table by its name though it gives it an alias",
            "SELECT name FROM player",
            "SELECT player.name FROM player AS p",
        ),
        "ambiguous_column": TagKind(
            "query",
            "a column of the prediction may be of several tables",
            JOINED,
            "SELECT name FROM player p JOIN team t ON p.team_id = t.id",
        ),
        "unknown_function": TagKind(
            "query",
            "the prediction calls a function that SQLite does not have",
            "SELECT STRFTIME('%Y', born) FROM player",
            "SELECT YEAR(born) FROM player",
        ),
        "aggregate_misplaced": TagKind(
            "query",
            "the prediction has an aggregate where SQLite allows none",
            "SELECT name FROM player ORDER BY weight DESC LIMIT 1",
            "SELECT name FROM player WHERE weight = MAX(weight)",
        ),
        "name_as_text": TagKind(
            "query",
            "a name in double quotes names no column, so SQLite reads it as text",
            "SELECT name FROM player WHERE born > '2000'",
            "SELECT name FROM player WHERE \"date of birth\" > '2000'",
        ),
        "refused": TagKind(
            "query",
            "SQLite refuses the prediction for another reason",
            "SELECT name FROM player UNION SELECT name FROM team",
            "SELECT name FROM player UNION SELECT name, city FROM team",
        ),
        "syntax_error": TagKind(
            "query",
            "the prediction is not SQL",
            "SELECT name FROM player",
            "SELECT name FORM player",
        ),
        "several_statements": TagKind(
            "query",
            "the prediction is several statements",
            "SELECT name FROM player",
            "SELECT name FROM player; SELECT COUNT(*) FROM player",
        ),
        "not_read": TagKind(
            "query", "a query is beyond our parser", "SELECT name FROM player", "DROP TABLE player"
        ),
    }
)

_MESSAGES = (
    (re.compile(r"no such table: (.*)", re.DOTALL), "unknown_table"),
    (re.compile(r"no such function: (.*)", re.DOTALL), "unknown_function"),
    (re.compile(r"ambiguous column name: (.*)", re.DOTALL), "ambiguous_column"),
    (re.compile(r"misuse of aggregate(?: function)?:? ?(.*)", re.DOTALL), "aggregate_misplaced"),
)
_NO_COLUMN = "no such column: "


def unread_tag(failure: ParseFailure, *, gold: bool) -> Tag:
    """The tag of a text that is no query for us."""
    if not gold and failure.reason == Reason.PARSE_ERROR:
        return Tag("syntax_error", failure.message)
    if not gold and "statements; expected one" in failure.message:
        return Tag("several_statements", failure.message)
    return Tag("not_read", failure.message)


def name_tags(prediction: Query, schema: Schema | None) -> Iterator[Tag]:
    """What SQLite has against a prediction."""
    if schema is None or not schema.tables or not dialect_of(prediction.dialect).in_python:
        return
    message = complaint(prediction.sql, schema)
    if message is None:
        return
    if message.startswith(_NO_COLUMN):
        name = message.removeprefix(_NO_COLUMN)
        yield Tag(_column_tag(name, prediction, schema), name)
        return
    for pattern, tag in _MESSAGES:
        match = pattern.match(message)
        if match is not None:
            yield Tag(tag, match[1])
            return
    yield Tag("refused", message)


def _column_tag(name: str, prediction: Query, schema: Schema) -> str:
    index = schema_index(schema)
    source, _, column = fold(name).rpartition(".")
    aliases = Names(prediction.tree, schema).aliases()
    if source and source not in aliases:
        if source in aliases.values():
            return "unused_alias"
        if source in index.columns or column in index.names:
            return "unread_table"
    if fold(name) in index.names or column in index.names:
        return "misplaced_column"
    return "unknown_column"
