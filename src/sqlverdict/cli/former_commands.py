"""What took the place of commands of earlier versions.

Such a name does nothing but say which command to give instead.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

FORMER: Mapping[str, str] = {
    "abstain list": "explain methods",
    "bank export": "bank --export",
    "bank import": "bank --import",
    "bank list": "bank",
    "bank suite": "bank --suite",
    "benchmarks": "explain benchmarks",
    "categories": "table --of categories",
    "contributions": "table --of contributions",
    "engines": "explain engines",
    "list": "show",
    "metrics": "explain metrics",
    "presets": "explain presets",
    "query": "pair",
    "replay": "refute --replay",
    "rules": "explain rules",
    "trials": "table --of trials",
}
"""The words that stand now in the place of those before them; what follows them stays."""


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
            from sqlverdict.files.secrets import without_secrets

            rest = shlex.join(map(without_secrets, args[length:]))
            line = f"sqlverdict {FORMER[former]} {rest}".rstrip()
            raise UsageError(f"the command {former} has another name now. Give:\n  {line}")
