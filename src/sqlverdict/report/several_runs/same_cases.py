"""Whether runs are about the same cases: an id alone does not say so.

Positions serve as ids in many benchmarks. Runs of two of them share ids and nothing else, and a
comparison of theirs would look like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.files.text import count
from sqlverdict.load.columns.ids import row_number_hint
from sqlverdict.records import Result
from sqlverdict.report.terminal.tables import short
from sqlverdict.runlog.run import Run

_LONGEST = 60


def check_same_cases(runs: Sequence[Run], *, force: bool = False) -> list[str]:
    """Check that cases of one id have one question and the same golds in all runs.

    Args:
        runs: The runs that are to be compared.
        force: Compare them all the same.

    Returns:
        Notes: runs without a case in common, and what differs where it is forced.

    Raises:
        UsageError: some differ, and it is not forced.
    """
    if len(runs) < 2:
        return []
    first, *others = runs
    known = {result.id: _digest(result) for result in first.results()}
    return [note for other in others for note in _check(first, known, other, force=force)]


def _check(first: Run, known: dict[str, bytes], other: Run, *, force: bool) -> list[str]:
    common = different = 0
    example: Result | None = None
    for result in other.results():
        digest = known.get(result.id)
        if digest is None:
            continue
        common += 1
        if digest != _digest(result):
            different += 1
            example = example or result
    if not common:
        hint = row_number_hint((*first.manifest.notes, *other.manifest.notes))
        return [f"{first.folder} and {other.folder} have no case in common{hint and f'.{hint}'}"]
    if example is None:
        return []
    text = (
        f"{different:,} of {count(common, 'common id')} of {first.folder} and {other.folder} have "
        f"another question or gold, the first is {example.id!r} "
        f"({short(example.question or ' '.join(example.gold), _LONGEST)!r} in {other.folder})"
    )
    revisions = [run.manifest.revision or "not known" for run in (first, other)]
    if len({*revisions}) > 1:
        text += f"; the revisions are: {revisions[0]}; and: {revisions[1]}"
    if force:
        return [f"{text}: values of different cases are compared"]
    raise UsageError(
        f"{text}. Compare runs of the same cases, or give ",
        OptionName("force", True),
        " to pair them by id anyway."
        f"{row_number_hint((*first.manifest.notes, *other.manifest.notes))}",
    )


def _digest(result: Result) -> bytes:
    text = "\0".join((*result.question_lines, *result.gold))
    return blake2b(text.encode("utf-8", "backslashreplace"), digest_size=8).digest()
