"""Which differences between two answers do not change the answer.

A relation is harmless only where it could not have been reached without understanding the
question. So every relation has to fulfil these conditions first:

* it is not chance (``weak``);
* every column of the gold has a column of its own in the prediction;
* there are at most as many further columns as the gold has, or :data:`FURTHER_COLUMNS`, which
  is more: a query that returns whole tables contains many answers;
* an answer of one row has one further column at most, and no number beside the gold's number:
  of several figures nobody knows which is the answer;
* the columns that stand for the gold's read rows of the database: a list of numbers contains
  every count;
* it was not refuted: no ordinary database was found on which it does not hold (``broken``). A
  lucky match with one more column would stay hidden otherwise.

Then come the conditions of its own, in :data:`HARMLESS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlverdict.parse.tokens import solid
from sqlverdict.records import Case, Evidence

TRIVIAL = frozenset({"column_permutation", "duplicates_only", "order_only"})
"""Relations between answers that differ in what public benchmarks do not compare."""

TIED = "tie_superset"

FURTHER_COLUMNS = 2
"""How many columns an answer may have beyond those of a gold with one or two."""


@dataclass(frozen=True)
class RelationContext:
    """What a condition may look at besides the relation.

    Attributes:
        case: The case: its question, its knowledge, its golds.
        order_matters: Whether the order of rows matters.
    """

    case: Case
    order_matters: bool = False

    def mentions(self, words: re.Pattern[str]) -> bool:
        """Whether the question or the knowledge that comes with it has one of the words."""
        return any(words.search(text) for text in (self.case.question, self.case.knowledge))


Condition = Callable[[Mapping[str, Any], RelationContext], bool]
"""Given a relation's detail and its setting: is it harmless?"""

_PERCENT = re.compile(
    r"%|\b(per ?cent|percents|percentages?|proportions?|ratios?|rates?|shares?|fractions?)\b",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"\b(total|totals|sum|altogether|overall|combined|in all|how many|how much|number of|"
    r"amount of)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(order|ordered|ordering|sort|sorted|sorting|rank|ranked|ranking|ranks|ascending|"
    r"descending|alphabetical|alphabetically|chronological|chronologically|top|first|last|"
    r"highest|lowest|largest|smallest|latest|earliest|oldest|youngest)\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"100|0?\.01")
"""What a gold may have a percentage by without multiplying by 100: ``x / 0.01``, ``THEN 100``."""
_DISTINCT = re.compile(
    r"\b(distinct|unique|without (duplicates|repetition|repeats)|no duplicates)\b", re.IGNORECASE
)
_REPEATED = re.compile(
    r"\b(including (duplicates|repetitions|repeats)|with (duplicates|repetitions|repeats))\b",
    re.IGNORECASE,
)
_DECIMALS = re.compile(r"\b(decimals?|decimal places?|rounded|round)\b", re.IGNORECASE)
_HUNDRED = re.compile(r"100(?:\.0*)?\Z")


def _in_order(detail: Mapping[str, Any], setting: RelationContext) -> bool:
    return not setting.order_matters or detail.get("order") != "other"


def _percent(detail: Mapping[str, Any], setting: RelationContext) -> bool:
    changed = detail.get("changed") or ()
    factors = {change.get("factor") for change in changed} - {None}
    if not factors or not factors <= {100, 1 / 100} or not _in_order(detail, setting):
        return False
    return any(factors <= _factors(gold, setting) for gold in setting.case.golds)


def _factors(gold: str, setting: RelationContext) -> set[float]:
    """What a gold's numbers may be multiplied by: the wrong way gives neither share nor percentage.

    A gold that multiplies by 100 has percentages. One that divides, without any 100, has shares.
    Of another, such as a stored rate, only the question says that it is one of the two.
    """
    if multiplies_by_100(gold):
        return {1 / 100}
    if not setting.mentions(_PERCENT):
        return set()
    return {100} if "/" in solid(gold) and not _WHOLE.search(gold) else {100, 1 / 100}


def _spelling(detail: Mapping[str, Any], setting: RelationContext) -> bool:
    steps = {step for change in detail.get("changed") or () for step in change.get("steps") or ()}
    return "case" not in steps and _in_order(detail, setting)


def _truth_values(detail: Mapping[str, Any], setting: RelationContext) -> bool:
    forms = {
        change.get(side)
        for change in detail.get("changed") or ()
        for side in ("gold_form", "prediction_form")
    }
    return "count" not in forms and _in_order(detail, setting)


def _repeated(detail: Mapping[str, Any], setting: RelationContext) -> bool:
    # Who asks for different values gets too many of them; who asks for all, too few.
    more = detail.get("prediction_rows", 0) > detail.get("gold_rows", 0)
    return not setting.mentions(_DISTINCT if more else _REPEATED)


def _rounded(detail: Mapping[str, Any], setting: RelationContext) -> bool:
    return _in_order(detail, setting) and not setting.mentions(_DECIMALS)


def _turned(detail: Mapping[str, Any], setting: RelationContext) -> bool:
    # The cells of a gold row mean different things; those of a column are told apart by order.
    free = detail.get("row") == "prediction" and not setting.order_matters
    return free or detail.get("order") == "same"


def _total(detail: Mapping[str, Any], setting: RelationContext) -> bool:
    summed = (detail.get("list"), detail.get("function")) == ("gold", "sum")
    return summed and setting.mentions(_TOTAL)


HARMLESS: Mapping[str, tuple[Condition, str]] = {
    "column_permutation": (_in_order, "the columns stand in another order"),
    "duplicates_only": (
        _repeated,
        "rows are repeated, or are not, and the question does not say which it wants",
    ),
    "extra_columns": (_in_order, "there are a few columns beyond those of the gold"),
    "order_only": (
        lambda _, setting: not setting.order_matters,
        "the rows stand in an order nobody asked for",
    ),
    "scale": (
        _percent,
        "a percentage for a share, or the reverse, where the question or the gold has one",
    ),
    "rounding": (
        _rounded,
        "numbers are rounded, or differ in their last digits, and no decimals are asked for",
    ),
    "formats": (_spelling, "the same values are spelt otherwise, capital letters apart"),
    "yes_no": (_truth_values, "the same truth values are spelt otherwise"),
    "concatenated": (_in_order, "columns are joined into one text"),
    "transposed": (_turned, "a row is written as a column in the same order, or the reverse"),
    TIED: (
        lambda detail, _: detail.get("limited") in ("gold", "prediction"),
        "a LIMIT cuts through a tie, and the other side has all tied rows",
    ),
    "sum_of_list": (_total, "the sum of what the gold lists, where the question asks for one"),
}
"""Relations that do not change the answer, each with its condition, in words for the docs."""


@dataclass(frozen=True)
class Harmless:
    """A relation that makes a difference harmless, with its proof."""

    kind: str
    detail: Mapping[str, Any]


def harmless(case: Case, evidence: Evidence) -> str | None:
    """The relation that makes a difference harmless; ``None`` where there is none."""
    found = find_harmless(case, evidence)
    return None if found is None else found.kind


def find_harmless(case: Case, evidence: Evidence) -> Harmless | None:
    """The relation that makes a difference harmless, with its proof.

    Order matters where the gold orders, the question asks for an order, and the order is known.
    """
    for relation in evidence.detail.get("relations") or ():
        kind, detail = str(relation.get("kind")), relation.get("detail") or {}
        shape = (evidence.detail.get("shape") or {}).get("gold") or (0, 0)
        # Two numbers of one row in another order may be a chance match; rows rarely are.
        trivial = kind in TRIVIAL and not (kind == "column_permutation" and detail.get("weak"))
        if kind not in HARMLESS or not may_be_harmless(
            detail, one_row=shape[0] == 1, trivial=trivial
        ):
            continue
        order_matters = evidence.detail.get("ordered") is not False and asks_for_order(case)
        if HARMLESS[kind][0](detail, RelationContext(case, order_matters)):
            return Harmless(kind, detail)
    return None


def may_be_harmless(
    detail: Mapping[str, Any], *, one_row: bool = False, trivial: bool = False
) -> bool:
    """Whether a relation fulfils the conditions that all have in common.

    Answers that differ in what benchmarks do not compare are a match: that a search tells them
    apart elsewhere, or that they are short, says as much against them as against any match.
    """
    notes = ("alternatives",) if trivial else ("weak", "broken", "alternatives")
    if any(detail.get(note) for note in notes):
        return False
    if detail.get("constant", []) != []:
        return False
    columns: Sequence[int | None] | None = detail.get("columns")
    if columns is None:
        return not detail.get("missing")
    extra = detail.get("extra")
    further = len(extra) if isinstance(extra, Sequence) else 0
    most = 1 if one_row else max(FURTHER_COLUMNS, len(columns))
    return None not in columns and further <= most


def asks_for_order(case: Case) -> bool:
    """Whether the question may ask for an order; one that is not known may."""
    if case.contract is not None and case.contract.order is not None:
        return case.contract.order != "ignore"
    return not case.question or _ORDER.search(case.question) is not None


def multiplies_by_100(sql: str) -> bool:
    """Whether a query multiplies by 100."""
    if "100" not in sql:
        return False
    pieces = solid(sql)
    return any(
        "*" in (before, after) and _HUNDRED.match(piece)
        for before, piece, after in zip(["", *pieces], pieces, [*pieces[1:], ""], strict=False)
    )
