"""SQL templates: a query with its values masked.

A value is a literal that a condition compares with: ``age > 20``, ``name = 'Ann'``, ``LIMIT 3``.
It is masked by the name of the column it is compared with, ``{age_1}``; the same value of the
same column gets the same mask. Everything else is structure and stays: LIMIT 1, formats and
other arguments of functions (dates apart), positions in ORDER BY, 0 and 1 in the SELECT list
(``COUNT(*) > 0``), the shape of a LIKE pattern, the number of items in an IN list.

Names are folded to lower case; aliases stay as they are, and so do spellings that mean the same:
``meaning.py`` joins templates that mean the same, by proof. For that a template is filled with
typed constants: each mask becomes a text or number of its own, the same in every template whose
mask has that column and that kind of comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlverdict.abstain.benchmark.chance import id_digits
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import Kind, fold, kind, normalised, pieces
from sqlverdict.records import ParseFailure

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

ValueKind = Literal["text", "number"]

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?)?)?")
_WORDS = re.compile(r"\W+")
_PATTERN_TEXT = re.compile(r"[^%]+")
_PLAIN = re.compile(r"[a-z_][a-z0-9_$]*")
_STEP = 10
_START = 1000


@dataclass(frozen=True)
class Value:
    """A masked literal.

    Attributes:
        name: The mask, without its braces.
        kind: Whether it is a text or a number.
        label: The column and the kind of comparison, as in ``age.above``; a number behind it
            tells several apart.
    """

    name: str
    kind: ValueKind
    label: str


@dataclass(frozen=True)
class Template:
    """A query with its values masked.

    Attributes:
        id: Stands for database and text.
        db_id: The database.
        text: The masked query.
        values: The masks, in the order of the text.
        sql: A query that has this template.
        outputs: How many columns it gives; 0 where a star, or our parser, leaves that open.
        readable: Whether our parser could read it; others are masked token by token, and
            nothing can be proved about them.
    """

    id: str
    db_id: str
    text: str
    values: tuple[Value, ...]
    sql: str
    outputs: int = 0
    readable: bool = True

    @property
    def labels(self) -> frozenset[tuple[str, str]]:
        """The labels of the values with their kinds: what a query of the same meaning has too."""
        return frozenset((value.label, value.kind) for value in self.values)


def template_of(sql: str, db_id: str, schema: Schema | None = None) -> Template:
    """The template of a query.

    Args:
        sql: The query.
        db_id: Its database: the same text on another database is another template.
        schema: Its tables; tells double-quoted names from double-quoted texts.
    """
    from sqlglot import exp

    query = parse(sql)
    if isinstance(query, ParseFailure):
        text = _masked_tokens(sql)
        return Template(id_digits(0, db_id, text), db_id, text, (), sql, readable=False)
    tree = query.tree.copy()
    values_in_order = list(_values(tree, schema, query.tables))
    for node, value in values_in_order:
        _put(node, "{" + value.name + "}", value.kind, bare=True)
    _fold_names(tree)
    text = tree.sql(dialect=DEFAULT_DIALECT, comments=False)
    values = tuple(dict.fromkeys(value for _, value in values_in_order))
    selects = query.tree.selects if isinstance(query.tree, exp.Query) else ()
    outputs = 0 if any(column.is_star for column in selects) else len(selects)
    return Template(id_digits(0, db_id, text), db_id, text, values, sql, outputs)


def filled(template: Template, schema: Schema | None, turn: int = 0) -> str:
    """The template with typed constants for its values.

    Args:
        template: The template.
        schema: The tables, as :func:`template_of` was given them.
        turn: 0 or 1. Numbers rise with their labels in the one and fall in the other, so that
            nothing that holds in both rests on which of two numbers is larger.
    """
    query = parse(template.sql)
    assert not isinstance(query, ParseFailure), "only readable templates are filled"
    tree = query.tree.copy()
    order = sorted(value.label for value in template.values)
    if turn:
        order.reverse()
    for node, value in list(_values(tree, schema, query.tables)):
        if value.kind == "number":
            _put(node, str(_START + _STEP * order.index(value.label)), "number")
        else:
            _put(node, f"q {value.label} {turn}", "text")
    return tree.sql(dialect=DEFAULT_DIALECT, comments=False)


def _values(
    tree: Expr, schema: Schema | None, tables: tuple[str, ...]
) -> Iterator[tuple[Expr, Value]]:
    """The literals that are values, with their masks, in the order of the text."""
    from sqlglot import exp

    numbers: dict[tuple[str, str, str], int] = {}
    labelled: dict[tuple[str, str, str], int] = {}
    for node in list(tree.walk(bfs=False)):
        if isinstance(node, exp.Literal):
            text, is_text = str(node.this), bool(node.is_string)
        elif isinstance(node, exp.Column) and _is_text(node, schema, tables):
            text, is_text = node.name, True
        else:
            continue
        usage = _usage(node, text, is_text)
        if usage is None:
            continue
        column, comparison = usage
        kind_: ValueKind = "text" if is_text else "number"
        number = _number(numbers, (column, kind_, text), column)
        again = _number(labelled, (f"{column}.{comparison}", kind_, text), f"{column}.{comparison}")
        label = f"{column}.{comparison}" + (f".{again}" if again > 1 else "")
        yield node, Value(f"{column}_{number}", kind_, label)


def _number(known: dict[tuple[str, str, str], int], key: tuple[str, str, str], group: str) -> int:
    """The number of a value among those of its group, counted from 1."""
    if key not in known:
        known[key] = 1 + sum(group == other for other, _, _ in known)
    return known[key]


def _is_text(node: Expr, schema: Schema | None, tables: tuple[str, ...]) -> bool:
    """Whether a double-quoted word is a text: it names no column of the query's tables."""
    from sqlglot import exp

    name = node.this
    if not isinstance(name, exp.Identifier) or not name.args.get("quoted"):
        return False
    if node.args.get("table") is not None:
        return False
    if schema is None:
        return node.arg_key == "expression" and isinstance(node.parent, exp.Predicate)
    column_name = fold(node.name)
    read = [table for table in map(schema.table, tables) if table is not None]
    aliases = {fold(alias.alias) for alias in node.root().find_all(exp.Alias)}
    return column_name not in aliases and all(table.column(column_name) is None for table in read)


def _usage(node: Expr, text: str, is_text: bool) -> tuple[str, str] | None:
    """The column that a literal is compared with, and how; ``None`` where it is no value."""
    from sqlglot import exp

    at = node
    while isinstance(at.parent, exp.Paren | exp.Neg | exp.Cast | exp.Add | exp.Sub | exp.Mul):
        at = at.parent
    if isinstance(at.parent, exp.Func) and is_text and _DATE.fullmatch(text):
        while isinstance(at.parent, exp.Func) and not isinstance(at.parent, exp.Predicate):
            at = at.parent
    parent = at.parent
    if isinstance(parent, exp.Limit | exp.Offset):
        return ("limit", "is") if text != "1" or isinstance(parent, exp.Offset) else None
    if not is_text and text in ("0", "1") and _in_select_list(node):
        return None
    if isinstance(parent, exp.In):
        return None if at.arg_key == "query" else (_column(parent.this), "is")
    if isinstance(parent, exp.Between):
        ways = {"low": "from", "high": "to"}
        return (_column(parent.this), ways.get(at.arg_key or "", "is"))
    if isinstance(parent, exp.Escape):
        parent = parent.parent
    if not isinstance(parent, exp.Predicate) or not isinstance(parent, exp.Binary):
        return None
    left = at is parent.left
    return _column(parent.right if left else parent.left), _comparison(parent, left)


def _comparison(predicate: Expr, literal_on_the_left: bool) -> str:
    from sqlglot import exp

    ways: tuple[tuple[type[Expr], str, str], ...] = (
        (exp.GT, "above", "below"),
        (exp.GTE, "from", "to"),
        (exp.LT, "below", "above"),
        (exp.LTE, "to", "from"),
        (exp.Like, "like", "like"),
    )
    for kind_, usual, mirrored in ways:
        if isinstance(predicate, kind_):
            return mirrored if literal_on_the_left else usual
    return "is"


def _column(side: Expr) -> str:
    """A name for what a value is compared with."""
    from sqlglot import exp

    column = side if isinstance(side, exp.Column) else side.find(exp.Column)
    function = side if isinstance(side, exp.Func) else side.find(exp.AggFunc)
    name = column.name if column is not None else function.key if function is not None else "value"
    return _WORDS.sub("_", fold(name)).strip("_") or "value"


def _in_select_list(node: Expr) -> bool:
    from sqlglot import exp

    at = node
    while at.parent is not None and not isinstance(at.parent, exp.Select):
        at = at.parent
    return at.parent is not None and at.arg_key == "expressions"


def _put(node: Expr, text: str, kind_: ValueKind, *, bare: bool = False) -> None:
    """Put a constant, or a mask, where a literal is."""
    from sqlglot import exp

    if kind_ == "number":
        node.replace(exp.Var(this=text) if bare else exp.Literal.number(text))
        return
    if isinstance(node.parent, exp.Like) and isinstance(node, exp.Literal):
        text = _PATTERN_TEXT.sub(lambda _: text, str(node.this)) or text
    node.replace(exp.Literal.string(text))


def _fold_names(tree: Expr) -> None:
    from sqlglot import exp

    for name in tree.find_all(exp.Identifier):
        folded = fold(name.this)
        name.set("this", folded)
        if _PLAIN.fullmatch(folded):
            name.set("quoted", False)


def _masked_tokens(sql: str) -> str:
    masks = {Kind.STRING: "'{}'", Kind.NUMBER: "{}"}
    return normalised("".join(masks.get(kind(piece), piece) for piece in pieces(sql)))
