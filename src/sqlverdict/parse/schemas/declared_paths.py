"""Tables that a schema file declares with their schema: ``CREATE TABLE analytics.orders``.

SQLite, which runs the statements, knows no schemas. So each such table gets one plain name there,
wherever a statement names it: its own where it is in the schema that queries look in first, and
``schema.table`` otherwise, as from an engine (:attr:`~sqlverdict.parse.schema.Table.paths`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.tokens import Kind, fold, kind, pieces, word_set

Path = tuple[str, ...]
_FIRST = word_set("main public")
"""Schemas that queries look in first: DuckDB's and SQLite's, PostgreSQL's."""
_DECLARED = word_set("table view")
_BETWEEN = word_set("if not exists")
_IDLE = (Kind.SPACE, Kind.COMMENT)


def plain_statements(statements: Sequence[str]) -> tuple[list[str], dict[str, Path]]:
    """CREATE statements over plain names, and the path of each table that had one.

    Args:
        statements: The statements.

    Returns:
        The statements, and the paths by the plain names.
    """
    declared = {
        tuple(map(fold, path)): path for path in map(_declared_path, statements) if len(path) > 1
    }
    if not declared:
        return list(statements), {}
    own = {fold(path[-1]) for path in map(_declared_path, statements) if len(path) == 1}
    names: dict[Path, str] = {}
    for folded, path in declared.items():
        is_first = folded[-2] in _FIRST and folded[-1] not in own
        names[folded] = path[-1] if is_first else ".".join(path)
        own.add(fold(names[folded]))
    plain = [_with_names(statement, names) for statement in statements]
    return plain, {names[folded]: path for folded, path in declared.items()}


def _declared_path(statement: str) -> Path:
    """The parts of the name that a statement declares; empty where it declares no table."""
    parts = [part for part in pieces(statement) if kind(part) not in _IDLE]
    words = [part.lower() for part in parts]
    start = next((at for at, word in enumerate(words[:6]) if word in _DECLARED), None)
    if start is None or words[:1] != ["create"]:
        return ()
    start += 1
    start += sum(1 for _ in takewhile(_BETWEEN.__contains__, words[start:]))
    return tuple(name for name, _ in _chain(parts, start))


def _chain(parts: Sequence[str], start: int) -> Iterator[tuple[str, int]]:
    """The names that dots join from a place on, each with the place behind it."""
    at = start
    while at < len(parts) and kind(parts[at]) in (Kind.WORD, Kind.QUOTED):
        yield _unquoted(parts[at]), at + 1
        if parts[at + 1 : at + 2] != ["."]:
            return
        at += 2


def _unquoted(part: str) -> str:
    if kind(part) is not Kind.QUOTED:
        return part
    quote = part[-1]
    return part[1:-1].replace(quote * 2, quote) if quote != "]" else part[1:-1]


def _with_names(statement: str, names: Mapping[Path, str]) -> str:
    """A statement with plain names in the place of paths."""
    parts = pieces(statement)
    places = [at for at, part in enumerate(parts) if kind(part) not in _IDLE]
    words = [parts[at] for at in places]
    start = 0
    while start < len(words):
        chain = list(_chain(words, start)) if words[start - 1 : start] != ["."] else []
        width = _known_width([name for name, _ in chain], names)
        if width:
            end = chain[width - 1][1]
            parts[places[start]] = quote_name(names[tuple(fold(name) for name, _ in chain[:width])])
            for at in range(places[start] + 1, places[end - 1] + 1):
                parts[at] = ""
            start = end
        else:
            start += 1
    return "".join(parts)


def _known_width(chain: Sequence[str], names: Mapping[Path, str]) -> int:
    """How many parts at the beginning of a chain are the path of a table; 0 for none."""
    folded = tuple(map(fold, chain))
    return next((width for width in range(len(folded), 1, -1) if folded[:width] in names), 0)
