"""Regular expressions that are compiled when they are first used.

Python takes about a millisecond to compile a long one, whenever a program starts, and most starts
use few of them: a run on SQLite reads no text of MySQL, and one of plain SQL no reply in Markdown.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _LatePattern:
    """Stands for a pattern: its methods are those of the compiled one."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        """What the pattern has under a name; it is kept, so that this is asked once."""
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, value)
        return value


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled when it is first used. An error in it shows then."""
    return cast("re.Pattern[str]", _LatePattern(text, flags))
