"""Docstrings as Markdown: headings, roles, tables and attribute lists."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

ROLE = re.compile(r":\w+:`(?:[^`<]*<)?[~!]?([\w.]+)>?`")
RULER = re.compile(r"=+(?: +=+)*")
ATTRIBUTE = re.compile(r"    (\w+): (.*)")
LONGEST_HEADING = 40


def as_markdown(docstring: str | None) -> str:
    """A docstring as Markdown.

    A short line after a blank one is a heading and becomes bold. A role such as ``:func:`x``` is
    shown as code, a table between rulers as a Markdown table, an ``Attributes:`` block as a list.
    """
    lines = inspect.cleandoc(docstring or "").splitlines()
    return "\n".join(_plain(_attributes(_tables(lines)))).replace("``", "`")


def _tables(lines: list[str]) -> Iterator[str]:
    """Tables between lines of ``===``; one with three rulers has a header."""
    number = 0
    while number < len(lines):
        if not RULER.fullmatch(lines[number]) or " " not in lines[number]:
            yield lines[number]
            number += 1
            continue
        spans = [match.span() for match in re.finditer("=+", lines[number])]
        parts: list[list[list[str]]] = [[]]
        number += 1
        while number < len(lines) and lines[number].strip():
            if RULER.fullmatch(lines[number]):
                parts.append([])
            else:
                parts[-1].append(_cells(lines[number], spans))
            number += 1
        yield from _table(parts)


def _cells(line: str, spans: list[tuple[int, int]]) -> list[str]:
    ends = [start for start, _ in spans[1:]]
    return [line[start:end].strip() for (start, _), end in zip(spans, [*ends, None], strict=True)]


def _table(parts: list[list[list[str]]]) -> Iterator[str]:
    header, rows = (parts[0][0], parts[1]) if len(parts) == 3 else ([], parts[0])
    joined: list[list[str]] = []
    for row in rows:
        if row[0] or not joined:
            joined.append(row)
        else:  # a row without a first cell continues the one above
            joined[-1] = [f"{old} {new}".strip() for old, new in zip(joined[-1], row, strict=True)]
    for row in [header or [""] * len(joined[0]), ["---"] * len(joined[0]), *joined]:
        yield f"| {' | '.join(row)} |"


def _attributes(lines: Iterator[str]) -> Iterator[str]:
    """``Attributes:`` blocks as lists; a deeper line continues the one above."""
    inside = False
    for line in lines:
        if line == "Attributes:":
            inside = True
        elif inside and (match := ATTRIBUTE.match(line)):
            yield f"- `{match[1]}`: {match[2]}"
        elif inside and line.strip():
            yield f"  {line.strip()}"
        else:
            inside = False
            yield line


def _plain(lines: Iterator[str]) -> Iterator[str]:
    """Roles as code, headings bold, bodies of headings without their indent."""
    blank = False
    for line in lines:
        text = ROLE.sub(lambda match: f"`{match[1].rpartition('.')[2]}`", line)
        if blank and _is_heading(text):
            yield f"**{text.strip()}**"
            yield ""
        else:
            yield text[4:] if text.startswith("    ") else text
        blank = text == ""


def _is_heading(line: str) -> bool:
    short = 0 < len(line) < LONGEST_HEADING and not line.endswith((".", ":"))
    return short and line[0].isalpha()
