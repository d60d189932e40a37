"""The border to the terminal: control characters are spelt out, whoever writes them.

And to a spreadsheet: a text that would be a formula there gets an apostrophe.

Imported by every command before anything else, so it imports next to nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
    r"\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What could steer a terminal, or turn the reading direction, from inside a prediction."""


def escaped(text: str) -> str:
    r"""Text with its control characters spelt out, lines and tabs left alone."""
    return _CONTROL.sub(_escape, text)


def json_escaped(text: str) -> str:
    r"""JSON of the same meaning, with control characters inside its strings as ``\u009b``."""
    import json

    return _CONTROL.sub(lambda match: json.dumps(match[0])[1:-1], text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


class EscapingStream:
    """A text stream that spells control characters out.

    Args:
        stream: Where the text goes then.
    """

    def __init__(self, stream: TextIO) -> None:
        self.unfiltered = stream

    def write(self, text: str) -> int:
        """Write a text without what could steer a terminal."""
        if not isinstance(text, str):
            raise TypeError(f"write() needs a text, not {type(text).__name__}")
        self.unfiltered.write(escaped(text))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unfiltered, name)


@contextmanager
def escaping() -> Iterator[None]:
    """Let nothing steer the terminal for as long as a command runs."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        stream if isinstance(stream, EscapingStream) else cast("TextIO", EscapingStream(stream))
        for stream in before
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unfiltered(stream: TextIO) -> TextIO:
    """The stream behind an :class:`EscapingStream`, for our own styles."""
    return stream.unfiltered if isinstance(stream, EscapingStream) else stream


_FORMULA = re.compile(r"'*[=+\-@\t\r]")
"""A text that a spreadsheet takes for a formula, however many apostrophes stand before it."""


def spreadsheet_cell(value: object) -> object:
    """A value as a cell; a text that would be a formula gets an apostrophe."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def spreadsheet_text(cell: object) -> object:
    """What stood in a cell before the apostrophe of :func:`spreadsheet_cell`."""
    quoted = isinstance(cell, str) and cell.startswith("'") and _FORMULA.match(cell)
    return cell[1:] if isinstance(cell, str) and quoted else cell
