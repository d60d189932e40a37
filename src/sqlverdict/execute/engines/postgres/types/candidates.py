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
    is_list,
    is_one_of_many,
    is_polymorphic,
    takes,
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


def choose(candidates: Sequence[Signature], given: Sequence[str], *, operator: bool) -> Signature:
    """The signature that is used for values of these types.

    Args:
        candidates: All signatures of one name.
        given: The types of the values; none is one that is not known.
        operator: Of two operands of an operator, a text in quotes first takes the other's type.

    Raises:
        NoCandidate: there is none, or more than one.
    """
    fitting = [own for each in candidates if (own := _widened(each, len(given))) is not None]
    wanted = tuple(given)
    if operator and len(given) == 2 and given.count(UNTYPED) == 1:
        known = next(each for each in given if each != UNTYPED)
        wanted = (known, known)
    exact = next((each for each in fitting if each[0] == wanted), None)
    if exact is not None and UNTYPED not in wanted:
        return exact
    possible = [each for each in fitting if takes(each[0], given)]
    chosen = possible[0] if len(possible) == 1 else _select(possible, given)
    if chosen is None:
        raise NoCandidate
    return chosen


def result_of(signature: Signature, given: Sequence[str]) -> str:
    """The type that an operator or function gives for values of these types.

    Raises:
        NoCandidate: all values are texts in quotes, and it takes values of any type.
    """
    declared, result = signature
    element = element_of(declared, given, compatible="compatible" in result)
    for compatible in (False, True):
        if any(is_one_of_many(each, compatible=compatible) for each in declared):
            own = element_of(declared, given, compatible=compatible)
            if own is None or (own.endswith("[]") and any(map(is_list, declared))):
                raise NoCandidate
    if not is_polymorphic(result):
        return result
    if "range" in result:
        pairs = zip(declared, given, strict=True)
        return next((own for want, own in pairs if want == result and own != UNTYPED), NOT_KNOWN)
    own = element or NOT_KNOWN
    return f"{own}[]" if is_list(result) and not own.endswith("[]") else own


def element_of(declared: Sequence[str], given: Sequence[str], *, compatible: bool) -> str | None:
    """The type that stands for the one type of a signature with many; ``None``: there is none."""
    found = elements(declared, given, compatible=compatible)
    return common_type(found) if found else "text" if compatible else None


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


def _select(possible: list[Signature], given: Sequence[str]) -> Signature | None:
    """The best of several, by the steps of PostgreSQL's ``func_select_candidate``."""
    preferred = catalogue().preferred

    def exact(own: str, want: str) -> bool:
        return own == want

    def good(own: str, want: str) -> bool:
        return own == want or (want in preferred and category(own) == category(want))

    for fits in (exact, good):
        possible = _best(possible, given, fits)
        if len(possible) == 1:
            return possible[0]
    open_places = [place for place, own in enumerate(given) if own == UNTYPED]
    if not open_places or not possible:
        return None
    possible = _by_category(possible, open_places)
    if len(possible) == 1:
        return possible[0]
    known = set(given) - {UNTYPED}
    if len(known) == 1:
        alike = list(known) * len(given)
        taking = [each for each in possible if takes(each[0], alike)]
        return taking[0] if len(taking) == 1 else None
    return None


def _best(
    possible: list[Signature], given: Sequence[str], fits: Callable[[str, str], bool]
) -> list[Signature]:
    counts = [
        sum(own != UNTYPED and fits(own, want) for own, want in zip(given, each[0], strict=True))
        for each in possible
    ]
    most = max(counts, default=0)
    return [each for each, count in zip(possible, counts, strict=True) if count == most]


def _by_category(possible: list[Signature], places: Sequence[int]) -> list[Signature]:
    """Those that take texts where a text in quotes stands, or the one category that all take."""
    known = catalogue()
    wanted = []
    for place in places:
        types = {each[0][place] for each in possible}
        kinds = {category(each) for each in types}
        if len(kinds) > 1 and "S" not in kinds:
            return possible
        kind = "S" if "S" in kinds else kinds.pop()
        has_preferred = any(category(each) == kind and each in known.preferred for each in types)
        wanted.append((place, kind, has_preferred))
    left = [
        each
        for each in possible
        if all(
            category(each[0][place]) == kind
            and (each[0][place] in known.preferred or not has_preferred)
            for place, kind, has_preferred in wanted
        )
    ]
    return left or possible
