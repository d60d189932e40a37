"""What took the place of commands of earlier versions.

Such a name does nothing but say which command to give instead.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import takewhile

FORMER: Mapping[str, str] = {
    "ablate": "agree RUN --labels FILE --context all",
    "abstain apply": "abstain run ...",
    "abstain list": "explain methods ...",
    "bank export": "bank --export ...",
    "bank import": "bank --import ...",
    "bank list": "bank ...",
    "bank suite": "bank --suite ...",
    "benchmarks": "explain benchmarks ...",
    "calibrate": "agree --calibrate ...",
    "categories": "table --of categories ...",
    "contributions": "table --of contributions ...",
    "engines": "explain engines ...",
    "list": "show ...",
    "merge": "evaluate --merge ...",
    "metrics": "explain metrics ...",
    "presets": "explain presets ...",
    "query": "pair ...",
    "replay": "refute --replay ...",
    "rules": "explain rules ...",
    "trials": "table --of trials ...",
}
"""The words to give instead; ``...`` stands for what followed the name."""
_REPEATED = "--merge"
"""An option that stands before each of the arguments, not before the first alone."""


def check_former(args: Sequence[str]) -> None:
    """Refuse the name of a command of an earlier version.

    Args:
        args: The words after ``sqlverdict``.

    Raises:
        UsageError: they begin with such a name; the message ends with the line to give instead.
    """
    for length in (2, 1):
        former = " ".join(args[:length])
        if former in FORMER:
            from sqlverdict.errors import UsageError

            line = new_line(former, args[length:])
            raise UsageError(f"the command {former} has another name now. Give:\n  {line}")


def new_line(former: str, rest: Sequence[str]) -> str:
    """The command that does now what a former one did; ``rest`` is what followed its name."""
    from sqlverdict.files.secrets import without_secrets

    new, followed, _ = FORMER[former].partition(" ...")
    words = [without_secrets(word) for word in rest] if followed else []
    if new.endswith(_REPEATED):
        arguments = list(takewhile(lambda word: not word.startswith("-"), words))
        words = words[len(arguments) :]
        if arguments:
            new = new.removesuffix(_REPEATED) + shlex.join(
                word for each in arguments for word in (_REPEATED, each)
            )
    return f"sqlverdict {new} {shlex.join(words)}".rstrip()
