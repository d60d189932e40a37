"""A query in common SQL: what MySQL alone can read becomes a call of an unknown function.

``DATE_FORMAT(t.day, '%Y')`` becomes ``sqlverdict_collated_total_3f...(t.day)``: a function of the
columns and aggregates in the expression, whose name stands for all the rest of it. Two expressions
have the same name only if they are the same but for these, lexeme by lexeme. So the prover can
compare queries without knowing what the functions do.

A call is replaced where it stands, if it is on the list (``pure_functions.py``). ``a % b``,
``a MOD b`` and ``a DIV b`` are calls, too; of two whole constants they are their value. A condition
is replaced as a whole, up to AND, OR and NOT, where it holds REGEXP, an interval, or a value whose
type depends on its arguments; with ``arithmetic`` off, wherever it holds a call that is replaced.
The lexemes are nested by their parentheses and read no further than that: what is unclear has no
text.

Before that, other words for the same become one (``common/``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from sqlverdict.execute.common_text import NoCommonText, is_plain_pattern, unknown_name
from sqlverdict.execute.engines.mysql.common.mirrored import mirrored_comparison
from sqlverdict.execute.engines.mysql.common.plain_words import one_word_each
from sqlverdict.execute.engines.mysql.common.pure_functions import (
    AGGREGATES,
    COMMON_FUNCTIONS,
    KINDS,
    SYNTAX,
    UNIT_FIRST,
    is_total_cast,
    kind_of_call,
)
from sqlverdict.execute.lexemes import Lex, Lexeme, solid_lexemes, string_value
from sqlverdict.files.sqlite import quote_text
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import word_set

LONGEST: Final = 8_000
"""Characters; a longer text is not worth the time."""

_CONDITIONS: Final = word_set("where having on")
_CLAUSES: Final = word_set(
    "select from where group order having limit union intersect except join inner left right "
    "cross straight_join natural on using for window offset as"
)
"""Words that end a condition of WHERE, HAVING or ON."""
_BETWEEN_CONDITIONS: Final = word_set("and or xor")
_UNREAD: Final = _CLAUSES | word_set("case when then else end distinct collate over escape all any")
_LOOSE: Final = _CLAUSES | word_set("and or not when then else by between in distinct")
_LOOSE_SYMBOLS: Final = frozenset({"", "=", "<", ">", ",", "+"})
_TIGHT: Final = frozenset({"^", "%", "*", "/", "div", "mod", "collate", "(", "."})
_SHIFTS: Final = word_set("date_add date_sub")
_UNSIGNED: Final = word_set("unsigned crc32 ~")
_REMAINDERS: Final = {"%": "mod", "mod": "mod", "div": "div"}
_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_REGEXPS: Final = word_set("regexp rlike")


class _Parentheses:
    """What stands in parentheses, and where it begins."""

    def __init__(self, nodes: list[_Node], start: int) -> None:
        self.nodes, self.start = nodes, start

    @property
    def is_query(self) -> bool:
        first = self.nodes[0] if self.nodes else None
        is_inner = isinstance(first, _Parentheses) and first.is_query
        return is_inner or _word(first) in ("select", "with")


class _UnknownCall:
    """The call of an unknown function: the words of its meaning, and the columns in it.

    A number among the words is that of a column.
    """

    def __init__(self, kind: str, words: list[str | int], leaves: list[str]) -> None:
        self.kind, self.words, self.leaves = kind, words, leaves

    def __str__(self) -> str:
        meaning = "\0".join(f"?{word}" if isinstance(word, int) else word for word in self.words)
        name = unknown_name(self.kind, "total", meaning.encode(), expression_text)
        return f"{name}({', '.join(self.leaves)})"


def expression_text(meaning: bytes, arguments: Sequence[str]) -> str:
    """The expression of a call, for people."""
    words = [
        arguments[int(word[1:])] if word.startswith("?") else word
        for word in meaning.decode().split("\0")
    ]
    text = " ".join(words)
    for tight, loose in (("(", " ( "), (")", " )"), (",", " ,")):
        text = text.replace(loose, tight)
    return text


_Node = Lexeme | _Parentheses | _UnknownCall


def write_common_text(sql: str, arithmetic: bool, schema: Schema) -> str | None:
    """The query in common SQL; ``None`` where nothing in it is replaced, or it is unclear.

    Args:
        sql: The query.
        arithmetic: Whether a condition is left as it is around a call whose kind is known.
        schema: The tables.
    """
    if len(sql) > LONGEST or "\\" in sql or "?" in sql or "/*" in sql:
        return None
    writer = _LexemeWriter(arithmetic)
    try:
        lexemes = one_word_each(solid_lexemes(sql, "mysql"), schema)
        _require_signs(lexemes, schema)
        nodes = writer.level(_nested(lexemes), False)
    except (NoCommonText, RecursionError):
        return None
    return _text(nodes) if writer.replaced else None


def _require_signs(lexemes: Sequence[Lexeme], schema: Schema) -> None:
    """Refuse a difference where some numbers have no sign: 3 - 5 fails then."""
    words = {lexeme.text.lower() for lexeme in lexemes}
    pairs = pairwise(lexeme.text.lower() for lexeme in lexemes)
    if any(sign == "-" and before != "interval" for before, sign in pairs) and (
        words & _UNSIGNED
        or any("unsigned" in own.type.lower() for each in schema.tables for own in each.columns)
    ):
        raise NoCommonText


def _nested(lexemes: Sequence[Lexeme]) -> list[_Node]:
    """The lexemes, those in parentheses as groups."""
    levels: list[tuple[list[_Node], int]] = [([], 0)]
    for part in lexemes:
        if part.kind is Lex.SYMBOL and part.text == "(":
            levels.append(([], part.start))
        elif part.kind is Lex.SYMBOL and part.text == ")":
            if len(levels) == 1:
                raise NoCommonText
            group = _Parentheses(*levels.pop())
            levels[-1][0].append(group)
        else:
            levels[-1][0].append(part)
    if len(levels) != 1:
        raise NoCommonText
    return levels[0][0]


def _word(node: _Node | None) -> str:
    """A word in lower case, a symbol, "(" for a group; "" for anything else."""
    if isinstance(node, _Parentheses):
        return "("
    if isinstance(node, Lexeme) and node.kind in (Lex.WORD, Lex.SYMBOL):
        return node.text.lower()
    return ""


def _at(nodes: Sequence[_Node], number: int) -> _Node | None:
    return nodes[number] if 0 <= number < len(nodes) else None


class _LexemeWriter:
    """Replaces what is not common among nested lexemes."""

    def __init__(self, arithmetic: bool) -> None:
        self.arithmetic = arithmetic
        self.replaced = False

    def level(self, nodes: Sequence[_Node], is_condition: bool) -> list[_Node]:
        """The nodes between two parentheses, with calls and conditions replaced."""
        changed = self._conditions(list(self._calls(nodes)), is_condition)
        return list(self._operators(changed))

    def _calls(self, nodes: Sequence[_Node]) -> Iterator[_Node]:
        """Calls replaced; what is inside other parentheses, too."""
        number = 0
        while number < len(nodes):
            node, behind, before = (_at(nodes, number + at) for at in (0, 1, -1))
            assert node is not None
            number += 1
            if isinstance(behind, _Parentheses) and _word(node) in KINDS and _word(before) != ".":
                yield self._call(_word(node), behind)
                number += 1
            elif isinstance(node, _Parentheses):
                begins = _word(before) in _CONDITIONS | _BETWEEN_CONDITIONS | {"not"}
                ends = behind is None or _word(behind) in _CLAUSES | _BETWEEN_CONDITIONS
                yield _Parentheses(self.level(node.nodes, begins and ends), node.start)
            else:
                yield node

    def _call(self, name: str, group: _Parentheses) -> _UnknownCall:
        if group.is_query:
            raise NoCommonText
        self.replaced = True
        leaves: list[str] = []
        words = self._described(group.nodes, leaves, name)
        return _UnknownCall(kind_of_call(name, words), [name, "(", *words, ")"], leaves)

    def _described(
        self, nodes: Sequence[_Node], leaves: list[str], function: str = ""
    ) -> list[str | int]:
        """The meaning of an expression, with numbers for its columns and aggregates."""
        words: list[str | int] = []
        number = 0
        while number < len(nodes):
            node, behind, word = nodes[number], _at(nodes, number + 1), _word(nodes[number])
            number += 1
            if isinstance(node, _UnknownCall):
                numbers = [_leaf(leaf, leaves) for leaf in node.leaves]
                words += [numbers[each] if isinstance(each, int) else each for each in node.words]
            elif isinstance(node, _Parentheses):
                if node.is_query:
                    raise NoCommonText
                words += ["(", *self._described(node.nodes, leaves), ")"]
            elif node.kind is Lex.STRING and node.text[0] == '"':
                words.append(quote_text(string_value(node)))
            elif node.kind not in (Lex.WORD, Lex.NAME):
                words.append(node.text)
            elif word == "as" and function == "cast":
                declared = _text(nodes[number:]).lower()
                if not is_total_cast(declared):
                    raise NoCommonText
                words += ["as", declared]
                break
            elif number == 1 and function in UNIT_FIRST:
                words.append(word)
            elif isinstance(behind, _Parentheses) and word not in SYNTAX:
                words += self._described_call(word, behind, leaves)
                number += 1
            elif word == "interval":
                end = len(nodes) if function in _SHIFTS else number + 2
                words += ["interval", *self._interval(nodes[number:end], leaves)]
                number = end
            elif word in SYNTAX:
                if word in _REGEXPS and not _is_total_pattern(nodes[number : number + 2]):
                    raise NoCommonText
                words.append("regexp" if word in _REGEXPS else word)
            elif word in _UNREAD or (isinstance(behind, Lexeme) and behind.kind is Lex.STRING):
                raise NoCommonText
            else:
                name, number = _column(nodes, number - 1)
                words.append(_leaf(name, leaves))
        return words

    def _interval(self, nodes: Sequence[_Node], leaves: list[str]) -> list[str | int]:
        if len(nodes) < 2 or not _word(nodes[-1]).isalpha():
            raise NoCommonText
        return [*self._described(nodes[:-1], leaves), _word(nodes[-1])]

    def _described_call(self, name: str, group: _Parentheses, leaves: list[str]) -> list[str | int]:
        if name in AGGREGATES:
            return [_leaf(f"{name}({_text(self.level(group.nodes, False))})", leaves)]
        if (name not in KINDS and name not in COMMON_FUNCTIONS) or group.is_query:
            raise NoCommonText
        return [name, "(", *self._described(group.nodes, leaves, name), ")"]

    def _conditions(self, nodes: Sequence[_Node], inside: bool) -> list[_Node]:
        """The conditions of WHERE, HAVING and ON replaced as a whole, where they must be."""
        out: list[_Node] = []
        part: list[_Node] = []
        between = False
        for node in nodes:
            word = _word(node)
            ends = word in _CLAUSES or (word in _BETWEEN_CONDITIONS and not between)
            ends = ends or word == "||" or (word == "not" and not part)
            if ends:
                out += [*self._condition(part), node]
                part = []
                inside = word in _CONDITIONS if word in _CLAUSES else inside
            elif inside:
                part.append(node)
            else:
                out.append(node)
            between = inside and (word == "between" or (between and word != "and"))
        return out + self._condition(part)

    def _condition(self, part: list[_Node]) -> list[_Node]:
        calls = list(_calls_in(part, deep=not self.arithmetic))
        words = {_word(node) for node in part}
        if "&" in words or "|" in words:
            # Two of them are AND and OR, one is an operator on bits.
            return part
        if not words & {*_REGEXPS, "interval"} and not any(
            call.kind == "other" or not self.arithmetic for call in calls
        ):
            return part
        self.replaced = True
        leaves: list[str] = []
        sides = mirrored_comparison([_word(node) for node in part])
        if sides is not None:
            at, signs = sides
            between = [Lexeme(Lex.SYMBOL, sign, -1) for sign in signs]
            part = [*part[at + len(signs) :], *between, *part[:at]]
        return [_UnknownCall("boolean", self._described(part, leaves), leaves)]

    def _operators(self, nodes: Sequence[_Node]) -> Iterator[_Node]:
        """``a % b`` and the like replaced, where no operator beside it binds as tightly."""
        units = list(_units(nodes))
        number = 0
        while number < len(units):
            name = _REMAINDERS.get(_word(units[number + 1][0])) if number + 2 < len(units) else None
            if name is None:
                yield from units[number]
                number += 1
                continue
            before = _word(units[number - 1][-1]) if number else ""
            behind = _word(units[number + 3][0]) if number + 3 < len(units) else ""
            if (before not in _LOOSE and before not in _LOOSE_SYMBOLS) or behind in _TIGHT:
                raise NoCommonText
            self.replaced = True
            value = _remainder(name, units[number], units[number + 2])
            if value is not None:
                yield value
                number += 3
                continue
            leaves: list[str] = []
            one, two = (self._described(units[number + at], leaves) for at in (0, 2))
            yield _UnknownCall("number", [name, "(", *one, ",", *two, ")"], leaves)
            number += 3


def _calls_in(nodes: Sequence[_Node], *, deep: bool) -> Iterator[_UnknownCall]:
    """The calls among nodes, and in lists and parentheses between them."""
    for node in nodes:
        if isinstance(node, _UnknownCall):
            yield node
        elif deep and isinstance(node, _Parentheses) and not node.is_query:
            yield from _calls_in(node.nodes, deep=True)


def _units(nodes: Sequence[_Node]) -> Iterator[list[_Node]]:
    """Columns with their table, calls with their arguments; other nodes by themselves."""
    number = 0
    while number < len(nodes):
        unit = [nodes[number]]
        number += 1
        if isinstance(unit[0], Lexeme) and unit[0].kind in (Lex.WORD, Lex.NAME):
            while number + 1 < len(nodes) and _word(nodes[number]) == ".":
                unit += nodes[number : number + 2]
                number += 2
            is_call = len(unit) == 1 and _word(unit[0]) in COMMON_FUNCTIONS | AGGREGATES
            if is_call and isinstance(_at(nodes, number), _Parentheses):
                unit.append(nodes[number])
                number += 1
        yield unit


def _remainder(name: str, *operands: Sequence[_Node]) -> Lexeme | None:
    """The value of a remainder or a quotient of two whole constants, where it has one."""
    texts = [part.text for part, *rest in operands if not rest and isinstance(part, Lexeme)]
    if len(texts) != len(operands) or not all(map(_WHOLE.fullmatch, texts)) or not int(texts[1]):
        return None
    one, two = map(int, texts)
    return Lexeme(Lex.NUMBER, str(one % two if name == "mod" else one // two), -1)


def _column(nodes: Sequence[_Node], start: int) -> tuple[str, int]:
    """The name of a column with its table, and where it ends."""
    end = start + 1
    while end + 1 < len(nodes) and _word(nodes[end]) == ".":
        end += 2
    return _text(nodes[start:end]), end


def _is_total_pattern(nodes: Sequence[_Node]) -> bool:
    """Whether a text in quotes stands behind REGEXP, alone, by which no server fails."""
    text = nodes[0] if nodes else None
    if not isinstance(text, Lexeme) or text.kind is not Lex.STRING:
        return False
    ends = len(nodes) == 1 or _word(nodes[1]) in _BETWEEN_CONDITIONS
    return ends and is_plain_pattern(string_value(text))


def _leaf(text: str, leaves: list[str]) -> int:
    if text not in leaves:
        leaves.append(text)
    return leaves.index(text)


def _text(nodes: Sequence[_Node]) -> str:
    """The nodes as SQL; what had no space between it has none."""
    text = ""
    end = -1
    for node in nodes:
        match node:
            case _Parentheses():
                own, start, after = f"({_text(node.nodes)})", node.start, -1
            case _UnknownCall():
                own, start, after = str(node), -2, -1
            case _:
                own, start, after = node.text, node.start, node.end
        text += own if start == end or not text else f" {own}"
        end = after
    return text
