"""Which operator or function takes values of some types, as PostgreSQL chooses it.

The steps are those of chapter 10 of its manual, "Type Conversion": what fits exactly; else what
takes all values without a cast, and of these the one that fits most of them exactly, then most of
them by the preferred type of their category; a text in quotes is a text where one may stand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlverdict.execute.engines.postgres.types.coercions import (
    common_type,
    elements,
    is_array,
    is_one_of_many,
    is_polymorphic,
    takes_types,
)
from sqlverdict.execute.engines.postgres.types.signatures import (
    NOT_KNOWN,
    UNTYPED,
    Signature,
    catalogue,
    category,
)

_VARIADIC = "..."


class NoCandidate(Exception):
    """Nothing takes values of these types, or more than one thing does."""


def choose_signature(
    candidates: Sequence[Signature], types: Sequence[str], *, operator: bool
) -> Signature:
    """The signature that is used for values of these types.

    Args:
        candidates: All signatures of one name.
        types: The types of the values; none is one that is not known.
        operator: Of two operands of an operator, a text in quotes first takes the other's type.

    Raises:
        NoCandidate: there is none, or more than one.
    """
    kinds = tuple(types)
    if operator and len(types) == 2 and types.count(UNTYPED) == 1:
        known = next(each for each in types if each != UNTYPED)
        kinds = (known, known)
    exact = next((each for each in candidates if each[0] == kinds), None)
    if exact is not None and UNTYPED not in kinds:
        return exact
    fitting = [own for each in candidates if (own := _widened(each, len(types))) is not None]
    possible = [each for each in fitting if takes_types(each[0], types)]
    signature = possible[0] if len(possible) == 1 else _select(possible, types)
    if signature is None:
        raise NoCandidate
    return signature


def result_type(signature: Signature, types: Sequence[str]) -> str:
    """The type that an operator or function gives for values of these types.

    Raises:
        NoCandidate: all values are texts in quotes, and it takes values of any type.
    """
    declared, result = signature
    element = element_of(declared, types, compatible="compatible" in result)
    for compatible in (False, True):
        if any(is_one_of_many(each, compatible=compatible) for each in declared):
            own = element_of(declared, types, compatible=compatible)
            if own is None or (own.endswith("[]") and any(map(is_array, declared))):
                raise NoCandidate
    if not is_polymorphic(result):
        return result
    if "range" in result:
        pairs = zip(declared, types, strict=True)
        return next((own for want, own in pairs if want == result and own != UNTYPED), NOT_KNOWN)
    own = element or NOT_KNOWN
    return f"{own}[]" if is_array(result) and not own.endswith("[]") else own


def element_of(declared: Sequence[str], types: Sequence[str], *, compatible: bool) -> str | None:
    """The type that stands for the one type of a signature with many; ``None``: there is none."""
    inner = elements(declared, types, compatible=compatible)
    return common_type(inner) if inner else "text" if compatible else None


def _widened(signature: Signature, width: int) -> Signature | None:
    """The signature for so many values; ``None`` where it takes another number of them."""
    declared, result = signature
    if declared and declared[-1].endswith(_VARIADIC):
        *first, last = declared
        missing = width - len(first)
        if missing < 1:
            return None
        return (*first, *[last.removesuffix(_VARIADIC)] * missing), result
    return signature if len(declared) == width else None


def _select(possible: list[Signature], types: Sequence[str]) -> Signature | None:
    """The best of several, by the steps of PostgreSQL's ``func_select_candidate``."""
    preferred = catalogue().preferred

    def exact(own: str, want: str) -> bool:
        return own == want

    def good(own: str, want: str) -> bool:
        return own == want or (want in preferred and category(own) == category(want))

    for fits in (exact, good):
        possible = _best(possible, types, fits)
        if len(possible) == 1:
            return possible[0]
    untyped = [position for position, own in enumerate(types) if own == UNTYPED]
    if not untyped or not possible:
        return None
    possible = _by_category(possible, untyped)
    if len(possible) == 1:
        return possible[0]
    known = set(types) - {UNTYPED}
    if len(known) == 1:
        alike = list(known) * len(types)
        taking = [each for each in possible if takes_types(each[0], alike)]
        return taking[0] if len(taking) == 1 else None
    return None


def _best(
    possible: list[Signature], types: Sequence[str], fits: Callable[[str, str], bool]
) -> list[Signature]:
    counts = [
        sum(own != UNTYPED and fits(own, want) for own, want in zip(types, each[0], strict=True))
        for each in possible
    ]
    most = max(counts, default=0)
    return [each for each, count in zip(possible, counts, strict=True) if count == most]


def _by_category(possible: list[Signature], positions: Sequence[int]) -> list[Signature]:
    """Those that take texts where a text in quotes stands, or the one category that all take."""
    known = catalogue()
    choices = []
    for position in positions:
        types = {each[0][position] for each in possible}
        categories = {category(each) for each in types}
        if len(categories) > 1 and "S" not in categories:
            return possible
        kind = "S" if "S" in categories else categories.pop()
        has_preferred = any(category(each) == kind and each in known.preferred for each in types)
        choices.append((position, kind, has_preferred))
    left = [
        each
        for each in possible
        if all(
            category(each[0][position]) == kind
            and (each[0][position] in known.preferred or not has_preferred)
            for position, kind, has_preferred in choices
        )
    ]
    return left or possible
