"""JSON texts for columns that queries look into: each path is there, missing, or null.

``json_extract(doc, '$.age') > 18`` compares no value of the column with 18, but a part of it. So
the paths that queries ask for, and the values beside them, become documents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schema import ColumnRef
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Cell
from sqlverdict.refute.read.columns import Resolver
from sqlverdict.refute.read.expressions import literal_value

JsonPath = tuple[str | int, ...]

ELEMENTS = "[]"
"""Stands behind the path of an array."""
KINDS = "{}"
"""Stands behind a path where the kind of its value is asked for."""
_EVERY_KIND: tuple[object, ...] = ("a", 1, 1.5, True, [1, "a"], {"b": 1}, None, False, [])
_STEP = re.compile(r'\.\s*("(?:[^"]*)"|[^.\[\]]+)|\[(\d+)\]')
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.In)
_ARRAY_CALLS = re.compile(r"jsonb?_(?:each|tree|array_)")
"""Functions of several engines that read the elements of an array."""
_EXTRACTS = (exp.JSONExtract, exp.JSONExtractScalar)
_CALLS = re.compile(r"jsonb?(?:_|$)")
_FINDS = re.compile(r"json_(?:contains|search|overlaps)$")
"""Functions that look for a value, whole or among the elements of an array."""
_KIND_CALLS = re.compile(r"jsonb?_type(?:of)?$")
_VALUES: tuple[Cell, ...] = (1, 2, "a", "b")
_MOST = 24
"""How many documents a column gets."""
_DEPTH = 6
"""How deep a path is followed."""


def demands(resolver: Resolver) -> dict[ColumnRef, dict[JsonPath, tuple[Cell, ...]]]:
    """What a query asks of JSON texts."""
    demands_by_column: dict[ColumnRef, dict[JsonPath, tuple[Cell, ...]]] = {}
    elements = _compared_elements(resolver)
    for node in resolver.nodes:
        for column_ref, path, values in _looked_at(node, resolver, elements):
            known = demands_by_column.setdefault(column_ref, {})
            known[path] = tuple(dict.fromkeys((*known.get(path, ()), *values)))
    return demands_by_column


def _looked_at(
    node: Expr, resolver: Resolver, elements: tuple[Cell, ...]
) -> Iterator[tuple[ColumnRef, JsonPath, tuple[Cell, ...]]]:
    if isinstance(node, _EXTRACTS) or _is_arrow(node):
        column_ref, path = _document_of(node, resolver)
        if column_ref is not None:
            yield column_ref, path[:_DEPTH], compared_literals(node)
            others = () if _is_arrow(node) else node.args.get("expressions") or ()
            for other in others:
                yield column_ref, _path(other), ()
    elif _CALLS.match(name := _call_name(node)):
        arguments = (
            node.expressions if isinstance(node, exp.Anonymous) else [*node.iter_expressions()]
        )
        column_ref, start = _document_of(arguments[0], resolver) if arguments else (None, ())
        if column_ref is None:
            return
        is_array = _ARRAY_CALLS.match(name) is not None
        # Some functions have the path behind other arguments, and some have several.
        texts = [each for each in arguments[1:] if isinstance(each, exp.Literal) and each.is_string]
        paths = [_path(each) for each in texts if str(each.this).startswith("$")]
        paths += [_path(each) for each in arguments[1:] if isinstance(each, exp.JSONPath)]
        targets = (*compared_literals(node), *_sought(name, texts))
        for path in paths or [()]:
            whole = (*start, *path)
            if _KIND_CALLS.match(name):
                yield column_ref, (*whole[: _DEPTH - 1], KINDS), ()
            elif is_array:
                yield column_ref, (*whole, ELEMENTS)[:_DEPTH], elements
            else:
                yield column_ref, whole[:_DEPTH], targets
            if targets and _FINDS.match(name):
                yield column_ref, (*whole, ELEMENTS)[:_DEPTH], targets


def _sought(name: str, texts: list[exp.Literal]) -> Iterator[Cell]:
    """The plain values that a function looks for in a document."""
    if not _FINDS.match(name):
        return
    for text in (str(each.this) for each in texts if not str(each.this).startswith("$")):
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        if isinstance(value, str | int | float):
            yield value


def _call_name(node: Expr) -> str:
    """The name of a function, in lower case; empty: it is none."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""


def _document_of(node: Expr, resolver: Resolver) -> tuple[ColumnRef | None, JsonPath]:
    """The column of an expression that is a part of its document, and the path to that part."""
    path: JsonPath = ()
    while isinstance(node, (*_EXTRACTS, exp.Cast, exp.Paren)):
        if isinstance(node, _EXTRACTS):
            path = (*_path(node.expression), *path)
        node = node.this
    if not _is_arrow(node):
        return resolver.column(node), path
    name = fold(node.expressions[0].name)
    refs = (resolver.base_column(table.name, name) for table in resolver.tables())
    return next(filter(None, refs), None), (*_path(node.this), *path)


def _is_arrow(node: Expr) -> bool:
    """Whether it is ``x -> '$.a'`` as an argument, which is read as a function of x."""
    return (
        isinstance(node, exp.Lambda)
        and len(node.expressions) == 1
        and isinstance(node.this, exp.Literal)
    )


def _path(node: Expr) -> JsonPath:
    if isinstance(node, exp.JSONPath):
        steps = [step for step in node.expressions if not isinstance(step, exp.JSONPathRoot)]
        return tuple(step.this for step in steps if isinstance(step.this, str | int))[:_DEPTH]
    if isinstance(node, exp.Literal):
        text = str(node.this)
        if not text.startswith("$"):
            return (text,) if node.is_string or not text.isdecimal() else (int(text[:9]),)
        parts = (m[1].strip('"') if m[1] else int(m[2][:9]) for m in _STEP.finditer(text))
        return tuple(parts)[:_DEPTH]
    return ()


def compared_literals(node: Expr) -> tuple[Cell, ...]:
    """The literals that an expression is compared with."""
    inner, around = node, node.parent
    while isinstance(around, exp.Paren | exp.Cast | exp.Lower | exp.Upper):
        inner, around = around, around.parent
    if isinstance(around, exp.Between) and around.this is inner:
        sides = [around.args["low"], around.args["high"]]
    elif isinstance(around, _COMPARISONS):
        sides = [side for side in around.iter_expressions() if side is not inner]
    else:
        return ()
    return tuple(literal_value(side) for side in sides if isinstance(side, exp.Literal))


def _compared_elements(resolver: Resolver) -> tuple[Cell, ...]:
    columns = (node for node in resolver.nodes if isinstance(node, exp.Column))
    elements = [node for node in columns if node.name.lower() in ("value", "atom")]
    return tuple(dict.fromkeys(value for node in elements for value in compared_literals(node)))


def documents(paths: Mapping[JsonPath, tuple[Cell, ...]]) -> tuple[str, ...]:
    """Texts in which the paths hold what queries compare them with, and what lies beside it."""
    kinds = {path[:-1] for path in paths if path[-1:] == (KINDS,)}
    order = sorted({*paths, *kinds} - {(*path, KINDS) for path in kinds}, key=_by_depth)
    choices: dict[JsonPath, list[object]] = {
        path: [*(_EVERY_KIND if path in kinds else ()), *_beside(paths.get(path, ()))]
        for path in order
    }
    values: list[object] = []
    for turn in range(max(map(len, choices.values()), default=0)):
        # The deepest path first, and the shallowest: '$.a' may be a value or an object.
        values += [
            _document({path: choices[path][turn % len(choices[path])] for path in steps})
            for steps in (order[::-1], order)
        ]
    for path in order:
        others = {other: choices[other][0] for other in order if other != path}
        values += [_document(others), _document({path: None, **others})]
        values.append(_document({path: choices[path][0]}))
    texts = [json.dumps(document, ensure_ascii=False) for document in (*values, {}, [])]
    return tuple(dict.fromkeys(texts))[:_MOST]


def _by_depth(path: JsonPath) -> tuple[int, str]:
    return len(path), str(path)


def _beside(values: tuple[Cell, ...]) -> list[Cell]:
    neighbours: list[Cell] = []
    for value in values:
        if isinstance(value, int | float):
            neighbours += [value, value + 1, value - 1, str(value)]
        elif isinstance(value, str):
            core = value.replace("%", "")
            neighbours += [core, f"{core}x", core.swapcase()]
    return [*dict.fromkeys((*neighbours, *_VALUES))]


def _document(values: Mapping[JsonPath, object]) -> object:
    root: list[object] = [{}]
    for path, value in values.items():
        _put(root, (0, *path), value)
    return root[0]


def _put(inside: object, path: JsonPath, value: object) -> None:
    """Set what a path leads to; where something else stands in the way, nothing is set."""
    for at, step in enumerate(path):
        last = at == len(path) - 1
        following: object = value if last else ([] if _is_index(path[at + 1]) else {})
        if isinstance(inside, list):
            number = len(inside) if step == ELEMENTS else step
            if not isinstance(number, int) or number > len(inside) + _DEPTH:
                return
            inside += [None] * (number + 1 - len(inside))
            if step == ELEMENTS:
                # Two elements alike and one more, so that what counts them shows.
                inside[number:] = [] if value is None else [value, value, "z"]
                return
            empty = inside[number] is None or (at == 0 and inside[number] == {})
            if empty and not (at == 0 and isinstance(following, dict)):
                inside[number] = following
            inside = inside[number]
        elif isinstance(inside, dict):
            inside = inside.setdefault(str(step), following)
        else:
            return


def _is_index(step: str | int) -> bool:
    return isinstance(step, int) or step == ELEMENTS
