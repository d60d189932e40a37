"""Other words for the same, among the lexemes of a query of MySQL.

* ``CURRENT_DATE`` and ``CURRENT_DATE()`` are ``CURDATE()``, ``CURRENT_TIMESTAMP`` and its like are
  ``NOW()``;
* ``x + INTERVAL 1 DAY`` and ``ADDDATE(x, INTERVAL 1 DAY)`` are ``DATE_ADD(x, INTERVAL 1 DAY)``, and
  so it is with a minus;
* ``INTERVAL '1' DAY`` is ``INTERVAL 1 DAY``; beside SECOND a text would add microseconds;
* ``EXTRACT(YEAR FROM d)`` is ``YEAR(d)`` where d is surely a column of dates or timestamps: of a
  time, a text or a number the two differ, and of a week everywhere;
* ``DAYOFMONTH(d)`` is ``DAY(d)``;
* ``LOCATE('a', x)`` is ``INSTR(x, 'a')``;
* arithmetic has one form (``plain_arithmetic.py``);
* ``DATE(x)`` is x where that is a date for sure: ``CURDATE()``, a DATE(...), or such a date some
  days, weeks, months or years before or after.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sqlverdict.execute.engines.mysql.common.plain_arithmetic import (
    end_of_call,
    unify_arithmetic,
    word_at,
)
from sqlverdict.execute.engines.mysql.common.pure_functions import (
    AGGREGATES,
    COMMON_FUNCTIONS,
    KINDS,
    SYNTAX,
)
from sqlverdict.execute.lexemes import Lex, Lexeme, string_value
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold, word_set

_CLOCK: Final = {
    "current_date": "curdate",
    **dict.fromkeys(word_set("current_timestamp localtime localtimestamp"), "now"),
}
_WITH_INTERVAL: Final = {"adddate": "date_add", "subdate": "date_sub"}
_SUMS: Final = {"+": "date_add", "-": "date_sub"}
_FUNCTIONS: Final = frozenset(KINDS) | COMMON_FUNCTIONS | AGGREGATES
_BEFORE: Final = frozenset({"(", ",", "=", "<", ">"}) | word_set(
    "select distinct where having on and or xor not between when then else by"
)
"""What may stand before an operand: it binds looser than a plus."""
_BEFORE_NAME: Final = _BEFORE | {".", "from", "+", "-", "*", "/"}
"""What may stand before a column where it is used: not before an alias."""
_BEHIND: Final = frozenset({")", ",", "=", "<", ">", "!", "+", "-"}) | word_set(
    "from where group having order limit union and or xor not between when then else end as asc "
    "desc is in like join inner left right cross on"
)
_RESERVED: Final = SYNTAX | word_set("case when then else end from as select collate over escape")
_UNITS: Final = word_set("minute hour day week month quarter year")
_DAY_UNITS: Final = word_set("day week month quarter year")
_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_PARTS: Final = word_set("year month day quarter hour minute second")
_MOMENTS: Final = re.compile(r"\s*(?:date|datetime|timestamp)\s*(?:\(\d\))?\s*", re.IGNORECASE)


def one_word_each(lexemes: Sequence[Lexeme], schema: Schema) -> list[Lexeme]:
    """The lexemes with one word for each of several."""
    plain = _plain_clock(lexemes)
    _name_numbers(plain)
    _name_sums(plain)
    _name_calls(plain)
    _name_places(plain)
    _name_parts(plain, schema)
    return unify_arithmetic(_without_idle_dates(plain))


def _without_idle_dates(lexemes: Sequence[Lexeme]) -> list[Lexeme]:
    """The lexemes without DATE around what is a date."""
    idle: set[int] = set()
    for at in range(len(lexemes)):
        if word_at(lexemes, at) == "date" and word_at(lexemes, at - 1) != ".":
            end = end_of_call(lexemes, at)
            if end is not None and _is_date(lexemes, at + 2, end):
                idle |= {at, at + 1, end}
    return [part for at, part in enumerate(lexemes) if at not in idle]


def _is_date(lexemes: Sequence[Lexeme], start: int, end: int) -> bool:
    """Whether what stands there is one call that gives a date."""
    name = word_at(lexemes, start)
    if end_of_call(lexemes, start) != end - 1:
        return False
    if name == "curdate":
        return end == start + 3
    if name not in _SUMS.values():
        return name == "date"
    inner = end_of_call(lexemes, start + 2)
    shift = [] if inner is None else [word_at(lexemes, at) for at in range(inner + 1, end - 1)]
    is_shift = shift[:2] == [",", "interval"] and shift[-1] in _DAY_UNITS
    return is_shift and inner is not None and _is_date(lexemes, start + 2, inner + 1)


def _new(text: str) -> Lexeme:
    kind = Lex.WORD if text.isidentifier() else Lex.SYMBOL
    return Lexeme(kind, text, -9)


def _plain_clock(lexemes: Sequence[Lexeme]) -> list[Lexeme]:
    plain: list[Lexeme] = []
    for at, part in enumerate(lexemes):
        name = _CLOCK.get(word_at(lexemes, at)) if word_at(lexemes, at - 1) != "." else None
        if name is None:
            plain.append(part)
        elif word_at(lexemes, at + 1) == "(":
            plain.append(_new(name))
        else:
            plain += map(_new, (name, "(", ")"))
    return plain


def _name_numbers(lexemes: list[Lexeme]) -> None:
    """Write ``INTERVAL '1' DAY`` with a number, in place."""
    for at, part in enumerate(lexemes):
        if part.kind is Lex.STRING and word_at(lexemes, at - 1) == "interval":
            text = string_value(part)
            if _WHOLE.fullmatch(text) and word_at(lexemes, at + 1) in _UNITS:
                lexemes[at] = Lexeme(Lex.NUMBER, str(int(text)), -9)


def _name_sums(lexemes: list[Lexeme]) -> None:
    """Write ``x + INTERVAL 1 DAY`` as a call, in place."""
    at = 0
    while at < len(lexemes):
        start = _start_of_sum(lexemes, at)
        if start is None:
            at += 1
            continue
        operand, interval = lexemes[start:at], lexemes[at + 1 : at + 4]
        name = _SUMS[word_at(lexemes, at)]
        call = [_new(name), _new("("), *operand, _new(","), *interval, _new(")")]
        lexemes[start : at + 4] = call
        at = start + len(call)


def _start_of_sum(lexemes: Sequence[Lexeme], at: int) -> int | None:
    """Where the left operand begins; ``None`` where no interval is added to a plain one there."""
    is_sum = word_at(lexemes, at) in _SUMS and word_at(lexemes, at + 1) == "interval"
    if not is_sum or at + 3 >= len(lexemes) or lexemes[at + 2].kind is not Lex.NUMBER:
        return None
    unit, is_last = word_at(lexemes, at + 3), at + 4 == len(lexemes)
    if not unit.isalpha() or not (is_last or word_at(lexemes, at + 4) in _BEHIND):
        return None
    start = _start_of_operand(lexemes, at - 1)
    return start if start is not None and word_at(lexemes, start - 1) in _BEFORE else None


def _start_of_operand(lexemes: Sequence[Lexeme], end: int) -> int | None:
    """Where a column or a call begins that ends at a place."""
    if word_at(lexemes, end) == ")":
        depth, at = 0, end
        while at >= 0:
            depth += (word_at(lexemes, at) == ")") - (word_at(lexemes, at) == "(")
            at -= 1
            if not depth:
                break
        is_call = (
            not depth and word_at(lexemes, at) in _FUNCTIONS and word_at(lexemes, at - 1) != "."
        )
        return at if is_call else None
    if end < 0 or lexemes[end].kind not in (Lex.WORD, Lex.NAME):
        return None
    if word_at(lexemes, end) in _RESERVED and word_at(lexemes, end - 1) != ".":
        return None
    while word_at(lexemes, end - 1) == "." and end >= 2:
        end -= 2
    return end


def _name_places(lexemes: list[Lexeme]) -> None:
    """Write LOCATE with two arguments as INSTR, in place."""
    for at in range(len(lexemes)):
        is_call = word_at(lexemes, at) == "locate" and word_at(lexemes, at + 1) == "("
        if not is_call or word_at(lexemes, at - 1) == ".":
            continue
        depth, commas, end = 1, [], at + 2
        while depth and end < len(lexemes):
            word = word_at(lexemes, end)
            depth += (word == "(") - (word == ")")
            if word == "," and depth == 1:
                commas.append(end)
            end += 1
        if depth or len(commas) != 1:
            continue
        part, text = lexemes[at + 2 : commas[0]], lexemes[commas[0] + 1 : end - 1]
        if part and text:
            lexemes[at:end] = [_new("instr"), _new("("), *text, _new(","), *part, _new(")")]


def _name_calls(lexemes: list[Lexeme]) -> None:
    """Write ADDDATE and SUBDATE with an interval, and DAYOFMONTH, in place."""
    for at in range(len(lexemes)):
        name = word_at(lexemes, at)
        if word_at(lexemes, at + 1) != "(" or word_at(lexemes, at - 1) == ".":
            continue
        if name == "dayofmonth":
            lexemes[at] = _new("day")
        if name in _WITH_INTERVAL and _has_interval(lexemes, at + 1):
            lexemes[at] = _new(_WITH_INTERVAL[name])


def _has_interval(lexemes: Sequence[Lexeme], start: int) -> bool:
    """Whether INTERVAL begins the second argument in parentheses."""
    depth = 0
    for at in range(start, len(lexemes)):
        depth += (word_at(lexemes, at) == "(") - (word_at(lexemes, at) == ")")
        if not depth:
            return False
        if depth == 1 and word_at(lexemes, at) == ",":
            return word_at(lexemes, at + 1) == "interval"
    return False


def _name_parts(lexemes: list[Lexeme], schema: Schema) -> None:
    """Write EXTRACT of a part of a date as the function of that part, in place.

    One query that has both is left alone: by its settings a server may refuse one beside the
    other's GROUP BY.
    """
    words = [word_at(lexemes, at) for at in range(len(lexemes))]
    has_both = any(
        word in _PARTS and words[at + 1 : at + 2] == ["("] for at, word in enumerate(words)
    )
    if "extract" not in words or words.count("select") != 1 or "with" in words or has_both:
        return
    at = 0
    while at < len(lexemes):
        if word_at(lexemes, at) == "extract" and word_at(lexemes, at + 1) == "(":
            _name_part(lexemes, at, schema)
        at += 1


def _name_part(lexemes: list[Lexeme], at: int, schema: Schema) -> None:
    unit = word_at(lexemes, at + 2)
    end = at + 4
    while end < len(lexemes) and (lexemes[end].kind is Lex.NAME or word_at(lexemes, end) != ")"):
        end += 1
    column = lexemes[at + 4 : end]
    is_part = unit in _PARTS and word_at(lexemes, at + 3) == "from"
    is_column = len(column) in (1, 3) and _start_of_operand(lexemes, end - 1) == at + 4
    if is_part and is_column and _is_moment(column[-1].name, lexemes, schema):
        lexemes[at : end + 1] = [_new(unit), _new("("), *column, _new(")")]


def _is_moment(name: str, lexemes: Sequence[Lexeme], schema: Schema) -> bool:
    """Whether a name means dates or timestamps in all tables, and is no alias."""
    types = [
        column.type
        for table in schema.tables
        for column in table.columns
        if fold(column.name) == fold(name)
    ]
    if not types or not all(map(_MOMENTS.fullmatch, types)):
        return False
    for at, part in enumerate(lexemes):
        if part.kind is Lex.STRING and fold(part.text.strip("'\"")) == fold(name):
            return False
        is_name = part.kind in (Lex.WORD, Lex.NAME) and fold(part.name) == fold(name)
        if is_name and word_at(lexemes, at - 1) not in _BEFORE_NAME:
            return False
    return True
