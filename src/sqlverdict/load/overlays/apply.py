"""A benchmark with corrected golds. Its own files, and other cases, stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from sqlverdict.errors import DataError, UsageError
from sqlverdict.files.text import count, few_of, near
from sqlverdict.load.benchmark import Benchmark, ChangedCases
from sqlverdict.load.overlays.read import CorrectedGold, GoldOverlay
from sqlverdict.records import Case

OVERLAY = "gold overlay"
"""What a manifest calls it, with the name of the set behind it."""
_SHORT = 80


def with_overlays(benchmark: Benchmark, overlays: Sequence[GoldOverlay]) -> Benchmark:
    """The benchmark with the golds of all sets in place of its own.

    Raises:
        DataError: a set does not fit the benchmark, or two sets disagree.
    """
    if not overlays:
        return benchmark
    corrected = _merged(overlays)
    cases = {case.id: case for case in benchmark.cases if case.id in corrected}
    unknown = [gold for gold in corrected.values() if gold.id not in cases]
    if unknown:
        known = [case.id for case in benchmark.cases]
        raise DataError(
            f"{unknown[0].where}: the benchmark has no case {unknown[0].id!r}"
            f"{f' (nor {few_of([gold.id for gold in unknown[1:]])})' if unknown[1:] else ''}."
            f"{near(unknown[0].id, known) or f' Its ids are {few_of(known, 3)}.'}"
        )
    for gold in corrected.values():
        _check(gold, cases[gold.id])
    notes = [
        f"{OVERLAY} {overlay.name}: {count(_changes(overlay, cases), 'gold')} replaced, "
        f"{len(overlay.golds) - _changes(overlay, cases):,} as before"
        for overlay in overlays
    ]
    return replace(
        benchmark,
        cases=ChangedCases(benchmark.cases, partial(_correct, corrected)),
        notes=(*benchmark.notes, *notes),
    )


def _correct(golds: Mapping[str, CorrectedGold], case: Case) -> Case:
    """The case with its corrected golds, where it has some."""
    gold = golds.get(case.id)
    if gold is None or gold.golds == case.golds:
        return case
    contract = case.contract
    if contract is not None and contract.key_columns is not None:
        # They are positions in the answer of the gold that is gone.
        contract = replace(contract, key_columns=None)
    # A record, and golds that came as results, are about the gold that is gone.
    return replace(
        case,
        golds=gold.golds,
        gold_answers=(),
        answerable=True,
        contract=contract,
        recorded=None,
    )


def overlay_title(names: Iterable[str]) -> str:
    """What stands behind the name of a benchmark whose golds are corrected."""
    return "".join(f" + {OVERLAY} {name}" for name in names)


def _merged(overlays: Sequence[GoldOverlay]) -> dict[str, CorrectedGold]:
    names = [overlay.name for overlay in overlays]
    if len(set(names)) < len(names):
        raise UsageError(f"two gold overlays are called {names[-1]!r}: give NAME=FILE")
    corrected: dict[str, CorrectedGold] = {}
    for overlay in overlays:
        for case_id, gold in overlay.golds.items():
            other = corrected.setdefault(case_id, gold)
            if other.golds != gold.golds:
                raise DataError(
                    f"{gold.where} and {other.where} correct the case {case_id!r} in different "
                    f"ways. Remove one of the two lines."
                )
    return corrected


def _check(gold: CorrectedGold, case: Case) -> None:
    for field, expected, value in (
        ("db_id", case.db_id, gold.db_id),
        ("question", case.question, gold.question),
    ):
        if value and " ".join(value.split()) != " ".join(expected.split()):
            raise DataError(
                f"{gold.where}: the {field} of case {gold.id!r} is {value[:_SHORT]!r}, and the "
                f"benchmark has {expected[:_SHORT]!r}. Is the file for another benchmark, or "
                f"another revision of it?"
            )


def _changes(overlay: GoldOverlay, cases: Mapping[str, Case]) -> int:
    return sum(gold.golds != cases[gold.id].golds for gold in overlay.golds.values())
