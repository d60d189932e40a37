"""Whether runs are about the same cases: an id alone does not say so.

Positions serve as ids in many benchmarks. Runs of two of them share ids and nothing else, and a
comparison of theirs would look like any other. Runs of two revisions share questions, and some
golds are others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any

from sqlverdict.errors import OptionName, Part, UsageError
from sqlverdict.files.text import count, few_of
from sqlverdict.load.columns.ids import row_number_hint
from sqlverdict.records import Result
from sqlverdict.report.terminal.tables import short
from sqlverdict.runlog.run import Run

_LONGEST = 60
QUESTION, GOLD = "question", "gold"


@dataclass(frozen=True)
class DifferentCase:
    """A case that two runs have by one id, and not by one question or not with the same golds.

    Attributes:
        id: The id.
        runs: The folders of the runs.
        differs: What differs: ``question``, ``gold`` or both.
        questions: The question in each run.
        golds: The golds in each run.
    """

    id: str
    runs: tuple[str, str]
    differs: tuple[str, ...]
    questions: tuple[str, str]
    golds: tuple[tuple[str, ...], tuple[str, ...]]


class DifferentCasesError(UsageError):
    """Runs are to be compared whose cases differ.

    Args:
        parts: The message.
        cases: All cases that differ.
    """

    def __init__(self, *parts: Part, cases: Sequence[DifferentCase]) -> None:
        super().__init__(*parts)
        self.cases = tuple(cases)

    @property
    def details(self) -> Mapping[str, Any]:
        """All cases that differ, for JSON."""
        return {"different_cases": [asdict(case) for case in self.cases]}


@dataclass(frozen=True)
class CaseCheck:
    """What is to be said of runs that are compared, and the cases that differ between them."""

    notes: tuple[str, ...] = ()
    different: tuple[DifferentCase, ...] = ()


def check_same_cases(runs: Sequence[Run], *, force: bool = False) -> CaseCheck:
    """Check that cases of one id have one question and the same golds in all runs.

    Args:
        runs: The runs that are to be compared.
        force: Compare them all the same.

    Returns:
        Notes (runs without a case in common, and what differs where it is forced) and the cases
        that differ.

    Raises:
        DifferentCasesError: some differ, and it is not forced.
    """
    if len(runs) < 2:
        return CaseCheck()
    first, *others = runs
    digests = {result.id: _digests(result) for result in first.results()}
    checks = [_check(first, digests, other, force=force) for other in others]
    return CaseCheck(
        tuple(note for check in checks for note in check.notes),
        tuple(case for check in checks for case in check.different),
    )


def _check(
    first: Run, digests: Mapping[str, tuple[bytes, bytes]], other: Run, *, force: bool
) -> CaseCheck:
    common = 0
    changed: dict[str, Result] = {}
    for result in other.results():
        if result.id in digests:
            common += 1
            if digests[result.id] != _digests(result):
                changed[result.id] = result
    hint = row_number_hint((*first.manifest.notes, *other.manifest.notes))
    if not common:
        none = f"{first.folder} and {other.folder} have no case in common{hint and f'.{hint}'}"
        return CaseCheck((none,))
    if not changed:
        return CaseCheck()
    cases = [
        _different(result, changed[result.id], (first, other))
        for result in first.results()
        if result.id in changed
    ]
    text = (
        f"{len(cases):,} of {count(common, 'common id')} of {first.folder} and {other.folder} have "
        f"another question or gold: {_in_words(cases, changed, other)}"
    )
    revisions = [run.manifest.revision or "not known" for run in (first, other)]
    if len({*revisions}) > 1:
        text += f"; the revisions are: {revisions[0]}; and: {revisions[1]}"
    if force:
        return CaseCheck((f"{text}: values of different cases are compared",), tuple(cases))
    raise DifferentCasesError(
        f"{text}. Compare runs of the same cases, or give ",
        OptionName("force", True),
        f" to pair them by id anyway.{_advice(cases)}{hint}",
        cases=cases,
    )


def _in_words(cases: Sequence[DifferentCase], changed: Mapping[str, Result], other: Run) -> str:
    """Which cases differ, the first ones by id, and one of them by its text."""
    golds = [case.id for case in cases if GOLD in case.differs]
    questions = [case.id for case in cases if QUESTION in case.differs]
    parts = [f"other golds of {few_of(golds)}"] if golds else []
    parts += [f"other questions of {few_of(questions)}"] if questions else []
    example = changed[cases[0].id]
    text = short(example.question or " ".join(example.gold), _LONGEST)
    return f"{'; '.join(parts)} ({cases[0].id!r} is {text!r} in {other.folder})"


def _advice(cases: Iterable[DifferentCase]) -> str:
    if any(QUESTION in case.differs for case in cases):
        return ""
    return " The command leaderboard scores runs by the same golds."


def _different(one: Result, two: Result, runs: tuple[Run, Run]) -> DifferentCase:
    before, after = _digests(one), _digests(two)
    names = [name for at, name in enumerate((QUESTION, GOLD)) if before[at] != after[at]]
    return DifferentCase(
        one.id,
        (str(runs[0].folder), str(runs[1].folder)),
        tuple(names),
        (one.question_line, two.question_line),
        (one.gold, two.gold),
    )


def _digests(result: Result) -> tuple[bytes, bytes]:
    """Digests of the question and of the golds."""
    return _digest(result.question_lines), _digest(result.gold)


def _digest(texts: Sequence[str]) -> bytes:
    text = "\0".join(texts)
    return blake2b(text.encode("utf-8", "backslashreplace"), digest_size=8).digest()
