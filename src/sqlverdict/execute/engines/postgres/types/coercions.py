"""Which values become values of another type, with and without a cast, as PostgreSQL does it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlverdict.execute.engines.postgres.types.signatures import (
    ENUM,
    UNTYPED,
    catalogue,
    category,
)

Context = str
"""``i``: by itself; ``a``: as where a value is stored; ``e``: by a cast that the query writes."""

_STRENGTH = "iae"
_ELEMENTS = {"int4": "int4", "int8": "int8", "num": "numeric", "date": "date"} | {
    "ts": "timestamp",
    "tstz": "timestamptz",
}
"""Whose ranges there are, by how their names begin."""
_RANGES = ("anyrange", "anymultirange", "anycompatiblerange", "anycompatiblemultirange")


def can_coerce(source: str, target: str, context: Context = "i") -> bool:
    """Whether a value of one type becomes one of another type; neither is one of any types."""
    if source in (target, UNTYPED):
        return True
    if "[]" in source and "[]" in target:
        return can_coerce(source.removesuffix("[]"), target.removesuffix("[]"), context)
    cast = catalogue().casts.get((source, target))
    if cast is not None:
        return _STRENGTH.index(cast) <= _STRENGTH.index(context)
    if context == "i":
        return False
    return category(target) == "S" or (context == "e" and category(source) == "S")


def is_polymorphic(name: str) -> bool:
    """Whether a signature takes values of many types there."""
    return name.startswith("any")


def takes_types(declared: Sequence[str], types: Sequence[str]) -> bool:
    """Whether an operator or function takes values of these types without a cast."""
    for declared_type, own in zip(declared, types, strict=True):
        if not is_polymorphic(declared_type):
            if not can_coerce(own, declared_type):
                return False
        elif own != UNTYPED and not _fits(declared_type, own):
            return False
    return are_consistent(declared, types)


def _fits(declared_type: str, own: str) -> bool:
    if declared_type.endswith("nonarray"):
        return not own.endswith("[]")
    if is_array(declared_type):
        return own.endswith("[]")
    if declared_type in _RANGES:
        return category(own) == "R" and ("multirange" in own) == ("multirange" in declared_type)
    return declared_type != "anyenum" or own.startswith(ENUM)


def are_consistent(declared: Sequence[str], types: Sequence[str]) -> bool:
    """Whether the values that a signature wants of one type have one."""
    exact = set(elements(declared, types, compatible=False))
    compatible = elements(declared, types, compatible=True)
    if len(exact) > 1 or (compatible and common_type(compatible) is None):
        return False
    # A range takes values of its own type alone.
    return all(
        common_type(compatible) == _element(own)
        for declared_type, own in zip(declared, types, strict=True)
        if declared_type in _RANGES[2:] and own != UNTYPED
    )


def elements(declared: Sequence[str], types: Sequence[str], *, compatible: bool) -> list[str]:
    """The types that stand for the one type of a signature with many."""
    return [
        _element(own) if is_array(declared_type) or declared_type in _RANGES else own
        for declared_type, own in zip(declared, types, strict=True)
        if own != UNTYPED and is_one_of_many(declared_type, compatible=compatible)
    ]


def is_one_of_many(declared_type: str, *, compatible: bool) -> bool:
    """Whether a signature takes values of many types there, that must fit to others."""
    if declared_type == "any" or not is_polymorphic(declared_type):
        return False
    return declared_type.startswith("anycompatible") == compatible


def is_array(declared_type: str) -> bool:
    """Whether a signature takes arrays of many types there."""
    return declared_type.endswith("array") and not declared_type.endswith("nonarray")


def _element(own: str) -> str:
    if own.endswith("[]"):
        return own.removesuffix("[]")
    return _ELEMENTS.get(own.removesuffix("range").removesuffix("multi"), own)


def common_type(types: Iterable[str]) -> str | None:
    """The one type of the branches of a CASE and the like; ``None`` where they have none."""
    present = list(types)
    own = present[0]
    for other in present[1:]:
        if other in (UNTYPED, own):
            continue
        if own == UNTYPED:
            own = other
        elif category(other) != category(own):
            return None
        elif own not in catalogue().preferred and (
            can_coerce(own, other) and not can_coerce(other, own)
        ):
            own = other
    own = "text" if own == UNTYPED else own
    return own if all(can_coerce(each, own) for each in present) else None
