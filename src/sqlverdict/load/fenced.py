"""The SQL in a language model's reply.

Replies come as plain SQL, in Markdown fences, after "Here is the query:", with prose behind
the semicolon, or without any SQL at all. Two rules keep this honest: plain SQL passes through
verbatim, character for character; and a statement of any kind stays what it is. A reply that
drops a table is a prediction that drops a table, for the engine to block, not "no SQL".

Every pattern here is linear in the length of the text: alternatives are atomic, and an
unterminated quote or comment runs to the end instead of being tried again.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.records import Prediction

_GAP = r"(?>[\s\ufeff]+|--[^\n]{0,200}+\n|/\*.{0,200}?\*/){0,20}+"
_LEAD = r"(?>[\s\ufeff(;]+|--[^\n]*+(?:\n|\Z)|/\*.*?(?:\*/|\Z))*+"
_NAME = r"(?:\"[^\"]{0,200}+\"|`[^`]{0,200}+`|\[[^\]]{0,200}+\]|\w++)"
_CTE = rf"with\b{_GAP}(?:recursive\b{_GAP})?{_NAME}{_GAP}(?:\([^()]{{0,2000}}+\){_GAP})?as\b"

# English that starts with a word of SQL: "With the given schema ...", "Show me ...", "Update: ".
_ENGLISH = (
    r"(?:\s*+[:,.!?]|\s++`(?:select|with)\b|\s++(?:the|this|that|these|those|an?|your|our|my|me|i|it|you|we|is|are|was|"
    r"not|to|of|on|in|following|given|below|only|no|all|respect|regards?|reference)\b"
    r"(?!\s++(?:set|from|as)\b|\s*+[;(]|\s*+\Z))"
)
_READS = r"select\b(?!\s++i(?:'(?:ll|m|ve|d)|\s++(?:will|can|cannot|am))\b)|values"
_OTHERS = (
    r"insert|update|delete|replace|create|drop|alter|attach|detach|pragma|vacuum|explain|analy[sz]e|"
    r"reindex|begin|commit|end|rollback|savepoint|release|truncate|grant|revoke|merge|call|"
    r"exec(?:ute)?|show|desc(?:ribe)?|use|set|copy|declare|load|install|import|export|from|table"
)
_QUERY = re.compile(rf"{_LEAD}(?:(?:{_READS})\b|{_CTE}|with\b(?!{_ENGLISH}))", re.I | re.S)
_STATEMENT = re.compile(
    rf"{_LEAD}(?:(?:{_READS})\b|{_CTE}|rollback\s++to\b|(?:with|{_OTHERS})\b(?!{_ENGLISH}))",
    re.I | re.S,
)

# SQL's own tokens that may hide a fence or a semicolon; the rest are places where SQL may end.
_LEXED = re.compile(
    r"'(?:[^']|'')*+(?:'|\Z)|\"(?:[^\"]|\"\")*+(?:\"|\Z)|(?P<fence>`{3,}|~{3,})|`[^`]*+(?:`|\Z)"
    r"|\[[^\]]*+(?:\]|\Z)|--[^\n`]*+|/\*.*?(?:\*/|\Z)|(?P<end>;)|(?P<blank>\n[ \t\r]*+\n\s*+)",
    re.S,
)
# The same inside Markdown, where an apostrophe is mostly an apostrophe: quotes end with the line.
_LEXED_BLOCK = re.compile(
    r"'(?:[^'\n]|'')*+'?|\"(?:[^\"\n]|\"\")*+\"?|(?P<fence>`{3,}|~{3,})|`[^`\n]*+`?|--[^\n`]*+"
)
_OPEN = re.compile(
    r"(?P<fence>`{3,}|~{3,})[ \t]*+"
    r"(?:(?:sqlite3?|sql|postgres(?:ql)?|mysql|t-?sql|plsql|duckdb|text|txt|code|query)\b:?"
    rf"|(?!(?:with|{_READS}|{_OTHERS})\b)[\w+.#-]++[ \t\r]*+(?=\n))?",
    re.I,
)
_BETWEEN = re.compile(_LEAD, re.S)
_PROSE_LINE = re.compile(
    r"\s*+(?:explanation|note|this\s+(?:sql\s+)?(?:query|statement)|here|the\s|i\s|in\s+this|"
    r"let\s|if\s+you|please|\*\*|#)",
    re.I,
)
_MARKED = re.compile(
    r"(?:^[ \t>]*+|(?:[:`]|(?<!/)\*)[ \t`*]{0,4}+)(?P<sql>\({0,9}+(?:"
    r"select\b(?!\s++(?:the|this|that|these|those|an?|your|any|is|are|statements?|quer(?:y|ies))\s"
    r"(?!\s*+(?:from|as)\b))(?:\s*+(?P<sure>[\d'(*\"`\[+-]|\w++\()|\s)"
    rf"|(?P<other>{_CTE}|values\s*+\(|insert\s++(?:or\s++\w++\s++)?into\b|replace\s++into\b"
    r"|delete\s++from\b|update\s++\S++\s++set\b"
    r"|drop\s++(?:table|view|index|trigger|database|schema)\b"
    r"|create\s++(?:or\s++replace\s++)?(?:temp(?:orary)?\s++)?(?:unique\s++)?"
    r"(?:virtual\s++)?(?:table|view|index|trigger|database)\b|alter\s++table\b"
    r"|attach\s++(?:database\b|')|pragma\s++\w|vacuum\s*+(?:into\b|;|$)|truncate\s++table\b)))",
    re.I | re.M | re.S,
)
_SHOUTED = re.compile(r"\b(?P<sql>SELECT\s|WITH\s+\w+\s+AS\s*\()")
_COMMENT = re.compile(r"^[ \t]*+--[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/", re.M)
_LINE_COMMENT = re.compile(r"^[ \t]*+--[^\n]*+", re.M)
_STOP = "\x01"
_FROM = re.compile(r"\bfrom\b", re.I)


def text_prediction(case_id: str, text: str) -> Prediction:
    """The prediction in a text that should be SQL but may be a model's whole reply."""
    if is_plain(text):
        return Prediction(case_id, sql=text)
    sql = extract_sql(text)
    return Prediction(case_id, sql=sql, raw=None if sql == text else text)


def is_plain(text: str) -> bool:
    """Whether a text is SQL as it stands: starts like a statement, without a fence."""
    return "```" not in text and "~~~" not in text and _STATEMENT.match(text) is not None


def extract_sql(text: str) -> str | None:
    """The SQL in a model's reply, or None where there is none.

    Plain SQL comes back verbatim. Of several fenced blocks, the last complete one that is a
    query counts; without one, the last that is any statement. Prose around it goes; prose
    about SQL ("I cannot select that") is not SQL, and neither is a query in a comment.

    Example:
        >>> sv.extract_sql("There are three: SELECT count(*) FROM item;")
        'SELECT count(*) FROM item;'
        >>> sv.extract_sql("I cannot answer that.") is None
        True
    """
    if "</think>" in text and not _STATEMENT.match(text):
        text = text.rpartition("</think>")[2].strip()
    if _STATEMENT.match(text):
        if "\n" not in text and "``" not in text and "~~" not in text:
            first = text.find(";")
            if first < 0 or first == len(text) - 1:
                return text
        return _until_prose(text)
    if "```" in text or "~~~" in text:
        sql = _from_blocks(text)
        if sql is not None:
            return sql
    return _from_prose(text)


def _until_prose(text: str) -> str:
    """A text that starts with a statement, without the fence or prose behind it."""
    at = known = 0
    while token := _LEXED.search(text, at):
        at = token.end()
        if token["fence"]:
            return _before_fence(text, token.start())
        if token["end"]:
            rest = _BETWEEN.match(text, at)
            at = rest.end() if rest else at
            if at < len(text) and not _STATEMENT.match(text, at):
                return text[: token.end()].strip()
        if token["blank"] and at > known and _PROSE_LINE.match(text, at):
            known = _end_of_statement(text, at)
            if not known:
                return text[: token.start()].strip()
    return text


def _end_of_statement(text: str, at: int) -> int:
    """Where a statement ends that goes on behind a blank line, however much that looks like prose.

    0 where it is prose. SQLite's grammar says so: it reads up to a character of ours that no
    SQL has. The statement is never whole, so nothing is compiled.
    """
    stop = len(text)
    for token in _LEXED.finditer(text, at):
        if token["end"] or token["fence"]:
            stop = token.start()
            break
        if token[0].startswith("/*") and not token[0].endswith("*/"):
            return 0
    with closing(open_in_memory()) as connection:
        try:
            connection.execute(f"{text[:stop]}\n{_STOP}")
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            return stop if str(error) == f'unrecognized token: "{_STOP}"' else 0
    return 0


def _before_fence(text: str, at: int) -> str:
    """A text that starts with a statement and has a fence behind it.

    Mostly that fence closes a block which the prompt opened. But where the prompt ended in
    SELECT, the whole reply may stand behind it: "SELECT ```sql SELECT a FROM t```" or even
    "SELECT ```sql a FROM t```".
    """
    head = text[:at].strip()
    if "\n" in head or not text[at:].strip("`~ \n"):
        return head
    if head.lower() == "select":
        body = next(_blocks(text))[0]
        return body if _STATEMENT.match(body) else f"{head} {body}"
    return head


def _from_blocks(text: str) -> str | None:
    blocks = [(body, closed) for body, closed in _blocks(text) if _STATEMENT.match(body)]
    for bodies in (
        [body for body, closed in blocks if closed and _QUERY.match(body)],
        [body for body, closed in blocks if closed],
        [body for body, _ in blocks],
    ):
        if bodies:
            return bodies[-1]
    return None


def _blocks(text: str) -> Iterator[tuple[str, bool]]:
    """The fenced blocks, and whether each is closed; a cut-off reply leaves the last open."""
    at = 0
    while opening := _OPEN.search(text, at):
        fence = opening["fence"]
        start, stop, at = opening.end(), len(text), len(text)
        for token in _LEXED_BLOCK.finditer(text, start):
            if token["fence"] and token["fence"].startswith(fence):
                stop, at = token.start(), token.end()
                break
        else:
            # An odd quote hid the closing fence, as in 'it\'s'; trust the fence then.
            plain = text.find(fence, start)
            stop = plain if plain >= 0 else stop
        yield text[start:stop].strip(), at > stop


def _from_prose(text: str) -> str | None:
    lead = _BETWEEN.match(text)
    commented = lead is not None and lead.end() == len(text)
    start = None if commented else _first_query(_without_comments(text))
    if start is None:
        return None
    if text[:start].endswith("**"):
        return text[start:].partition("**")[0].strip()
    if text[start - 1 : start] == "`":
        line_end = text.find("\n", start)
        close = text.rfind("`", start, line_end if line_end >= 0 else len(text))
        if close > start:
            return text[start:close].strip()
    return _until_prose(text[start:]).strip().removesuffix(".")


def _without_comments(text: str) -> str:
    """The text with blanks in place of comments; what opens one and never closes it is prose."""

    def blanks(comment: re.Match[str]) -> str:
        return " " * len(comment[0])

    last = text.rfind("*/") + 2 if "*/" in text else 0
    return _COMMENT.sub(blanks, text[:last]) + _LINE_COMMENT.sub(blanks, text[last:])


def _first_query(text: str) -> int | None:
    """Where a query starts in prose: on its own line, behind a colon, or in capitals."""
    last_from = max((match.start() for match in _FROM.finditer(text)), default=-1)
    for match in _MARKED.finditer(text):
        if match["sure"] or match["other"] or match.start("sql") < last_from:
            return match.start("sql")
    shouted = _SHOUTED.search(text)
    if shouted and text.find("FROM", shouted.end()) >= 0:
        return shouted.start("sql")
    return None
