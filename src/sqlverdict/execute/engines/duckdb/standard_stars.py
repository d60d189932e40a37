"""Stars of DuckDB as lists of columns: EXCLUDE, REPLACE, RENAME, COLUMNS and ``* LIKE``.

Which names a pattern or a lambda means, DuckDB itself is asked: it runs the star over a row of
constants with these names.
"""

from __future__ import annotations

import copy
from typing import Final

from sqlverdict.execute.common_text import NoCommonText
from sqlverdict.execute.engines.duckdb.sources import FromScope, ItemColumn, NamedItem
from sqlverdict.execute.engines.duckdb.syntax import (
    Node,
    all_conditions,
    all_parts,
    arguments,
    column_ref,
    literal,
    names_like,
    put_node,
    same,
)
from sqlverdict.execute.engines.duckdb.tree_text import expression
from sqlverdict.parse.tokens import fold, word_set

_NAME_FUNCTIONS: Final = word_set(
    "~~ !~~ ~~* !~~* contains starts_with ends_with prefix suffix lower upper length len "
    "regexp_matches regexp_full_match list_filter"
)
"""Functions that may choose columns by their names: each is quick."""
_NAME_CLASSES: Final = word_set(
    "STAR CONSTANT FUNCTION LAMBDA COLUMN_REF COMPARISON CONJUNCTION OPERATOR"
)
_KEYS: Final = word_set(
    "class type columns relation_name exclude_list qualified_exclude_list replace_list rename_list "
    "expr alias"
)


def expanded_items(items: list[Node], scope: FromScope, needs_names: bool) -> list[Node]:
    """The terms of a SELECT list with columns in the place of stars.

    Args:
        items: The terms.
        scope: The items of FROM.
        needs_names: Whether a plain star is written out, too.

    Raises:
        NoCommonText: what a star means is not certain.
    """
    outputs: list[Node] = []
    for item in items:
        stars = [part for part in all_parts(item) if _is_star(part)]
        if not stars:
            outputs.append(item)
        elif item["class"] == "STAR":
            plain = set(item) <= {"class", "type", "relation_name"}
            outputs += [item] if plain and not needs_names else _columns(item, scope)
        elif item.get("function_name") in _NAME_FUNCTIONS and _is_name_condition(item):
            outputs += _matching(item, arguments(item)[0], scope)
        else:
            outputs += _copies(item, stars, scope)
    return outputs


def expanded_condition(node: Node, scope: FromScope) -> Node:
    """A condition that holds COLUMNS: it holds for each of them.

    Raises:
        NoCommonText: what a star means is not certain.
    """
    stars = [part for part in all_parts(node) if _is_star(part)]
    if not stars:
        return node
    copies = all_conditions(_copies(node, stars, scope))
    if copies is None:
        raise NoCommonText("a star that stands for nothing")
    return copies


def _is_star(node: Node) -> bool:
    return bool(node["class"] == "STAR")


def _is_name_condition(item: Node) -> bool:
    """Whether a term is ``* LIKE 'a%'``, which chooses columns."""
    args = arguments(item)
    is_first = bool(args) and _is_star(args[0]) and "columns" not in args[0]
    return is_first and "alias" not in item and all(literal(each) for each in args[1:])


def _copies(item: Node, stars: list[Node], scope: FromScope) -> list[Node]:
    """An expression once for each column of the COLUMNS inside it."""
    if "alias" in item or any("columns" not in star or not same(star, stars[0]) for star in stars):
        raise NoCommonText("several stars in one expression, or one with an alias")
    if any(part["type"] == "OPERATOR_UNPACK" for part in all_parts(item)):
        raise NoCommonText("a star that is unpacked")
    copies = []
    for replacement in _columns(stars[0], scope):
        if replacement["class"] != "COLUMN_REF":
            raise NoCommonText("COLUMNS with REPLACE")
        one = copy.deepcopy(item)
        for star in [part for part in all_parts(one) if _is_star(part)]:
            put_node(star, copy.deepcopy(replacement))
        copies.append(one)
    return copies


def _columns(star: Node, scope: FromScope) -> list[Node]:
    """The columns of a star, each as a term."""
    if not set(star) <= _KEYS or "alias" in star:
        raise NoCommonText("a star with an alias, or with more than its columns")
    if "expr" in star:
        return _matching(star, star, scope)
    pairs = list(scope.star(star.get("relation_name")))
    excluded = [("", fold(name)) for name in star.get("exclude_list", ())]
    excluded += [
        (fold(each.get("table", "")), fold(each["column"]))
        for each in star.get("qualified_exclude_list", ())
    ]
    replaced = {fold(each["key"]): each["value"] for each in star.get("replace_list", ())}
    renamed = {fold(each["key"]["column"]): each["value"] for each in star.get("rename_list", ())}
    _require_known(pairs, [name for _, name in excluded] + [*replaced, *renamed])
    if any(set(each["key"]) != {"column"} for each in star.get("rename_list", ())):
        raise NoCommonText("RENAME of a column with its table")
    items = []
    for source, known in pairs:
        own = fold(known.name)
        if ("", own) in excluded or (fold(source.name), own) in excluded:
            continue
        if own in replaced:
            item = copy.deepcopy(replaced[own])
            item["alias"] = known.name
        else:
            item = _term(source, known)
            if own in renamed:
                item["alias"] = renamed[own]
        items.append(item)
    if not items:
        raise NoCommonText("a star that stands for nothing")
    return items


def _require_known(pairs: list[tuple[NamedItem, ItemColumn]], names: list[str]) -> None:
    """Each name that a star changes is one column's, and is changed once."""
    columns = [fold(known.name) for _, known in pairs]
    if len(set(names)) != len(names) or any(columns.count(name) != 1 for name in names):
        raise NoCommonText("a star that leaves out or replaces what is not one column")


def _term(source: NamedItem, known: ItemColumn) -> Node:
    return column_ref(source.name, known.name)


def _matching(selector: Node, star: Node, scope: FromScope) -> list[Node]:
    """The columns whose names fit, as DuckDB chooses them."""
    if set(star) - {"class", "type", "columns", "expr"} or "alias" in selector:
        raise NoCommonText("a star with a pattern and more")
    for part in all_parts(selector):
        name = part.get("function_name", "list_filter")
        is_list = name == "list_value" and all(map(literal, arguments(part)))
        if part["class"] not in _NAME_CLASSES or not (name in _NAME_FUNCTIONS or is_list):
            raise NoCommonText("a star that chooses columns by a function")
    pairs = list(scope.star())
    names = [known.name for _, known in pairs]
    if len(set(map(fold, names))) != len(names):
        raise NoCommonText("a star with a pattern over two columns of one name")
    by_name = {fold(known.name): (source, known) for source, known in pairs}
    matching = names_like(_selector_text(selector), names)
    if not matching or any(fold(name) not in by_name for name in matching):
        raise NoCommonText("a star that stands for nothing")
    return [_term(*by_name[fold(name)]) for name in matching]


def _selector_text(node: Node) -> str:
    """A star with a condition on names, as DuckDB reads it."""
    if node["class"] != "STAR":
        name, args = node["function_name"], arguments(node)
        word = {"~~": "LIKE", "!~~": "NOT LIKE", "~~*": "ILIKE", "regexp_full_match": "SIMILAR TO"}
        if name not in word or len(args) != 2:
            raise NoCommonText("a star that chooses columns by a function")
        return f"* {word[name]} {expression(args[1])}"
    inner = node["expr"]
    if inner.get("function_name") == "list_value":
        return f"COLUMNS([{', '.join(map(expression, arguments(inner)))}])"
    if inner.get("function_name") != "list_filter":
        return f"COLUMNS({expression(inner)})"
    choice = arguments(inner)[1]
    if choice.get("syntax_type") != "LAMBDA_KEYWORD" or choice["lhs"]["class"] != "COLUMN_REF":
        raise NoCommonText("a star that chooses columns by an odd lambda")
    return f"COLUMNS(lambda {expression(choice['lhs'])}: {expression(choice['expr'])})"
