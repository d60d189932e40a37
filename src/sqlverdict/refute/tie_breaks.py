"""The same query with its ties broken one way and the other.

Rows that tie under ORDER BY ... LIMIT are picked as the engine likes. Putting rows in another
order does not always show it: groups, for one, come in the order of their keys whatever the
order of the rows. So each LIMIT of a query is given further sort keys, its output columns,
rising in one text and falling in the other. Whatever these two give, the query itself might
have given; where they differ, its answer is not determined.
"""

from __future__ import annotations

from functools import lru_cache

from sqlverdict.parse.tokens import Kind, kind, pieces

_ENDS = frozenset({"from", "where", "group", "having", "order", "limit", "union", "intersect"})
_ENDS_TOO = frozenset({"except", "window"})


@lru_cache(maxsize=2_048)
def broken_ties(sql: str) -> tuple[str, ...]:
    """The query with ties broken upwards and downwards; nothing where it has no LIMIT."""
    if "limit" not in sql.lower():
        return ()
    parts = pieces(sql)
    limits = list(_limits(parts))
    if not limits:
        return ()
    return tuple(_with_keys(parts, limits, direction) for direction in ("ASC", "DESC"))


def _with_keys(parts: list[str], limits: list[tuple[int, int, bool]], direction: str) -> str:
    changed = list(parts)
    for place, columns, ordered in limits:
        keys = ", ".join(f"{n} {direction}" for n in range(1, columns + 1))
        changed[place] = f"{',' if ordered else 'ORDER BY'} {keys} {parts[place]}"
    return "".join(changed)


class _Level:
    """What is known of the innermost query around a word."""

    def __init__(self) -> None:
        self.columns = 0
        self.counting = False
        self.ordered = False


def _limits(parts: list[str]) -> list[tuple[int, int, bool]]:
    """The place of each LIMIT, how many columns its query shows, and whether it orders."""
    found: list[tuple[int, int, bool]] = []
    levels = [_Level()]
    for place, part in enumerate(parts):
        level = levels[-1]
        word = part.lower()
        if part == "(":
            levels.append(_Level())
        elif part == ")":
            if len(levels) > 1:
                levels.pop()
        elif word == "select":
            # SELECTs of a set operation show equally many; the last one's star counts too.
            level.columns, level.counting, level.ordered = 1, True, False
        elif level.counting and part == ",":
            level.columns += 1
        elif level.counting and part == "*" and _is_star(parts, place):
            # What it stands for is not known here; the first column is one of them.
            level.columns, level.counting = 1, False
        elif word in _ENDS or word in _ENDS_TOO:
            level.counting = False
            level.ordered = level.ordered or word == "order"
            if word == "limit" and level.columns:
                found.append((place, level.columns, level.ordered))
    return found


def _is_star(parts: list[str], place: int) -> bool:
    """Whether a star stands for columns: behind a comma, a dot or SELECT, never behind a value."""
    for part in reversed(parts[:place]):
        if kind(part) in (Kind.SPACE, Kind.COMMENT):
            continue
        return part in (",", ".") or part.lower() in ("select", "distinct", "all")
    return False
