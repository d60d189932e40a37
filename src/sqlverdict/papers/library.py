"""Finds a paper by its name, and its exhibits by theirs."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Sequence

from sqlverdict import papers
from sqlverdict.errors import UsageError
from sqlverdict.papers.exhibit import Exhibit, Paper, exhibit_heading

_NAME = re.compile(r"(?:(table|figure)\s*)?(A?\d+)", re.IGNORECASE)


def paper_names() -> list[str]:
    """The papers, sorted; nothing of them is loaded."""
    return sorted(module.name for module in pkgutil.iter_modules(papers.__path__) if module.ispkg)


def load_paper(name: str) -> Paper:
    """A paper by the name of its folder."""
    paper: Paper = importlib.import_module(f"{papers.__name__}.{name}.paper").PAPER
    return paper


def choose_exhibits(paper: Paper, texts: Sequence[str]) -> tuple[Exhibit, ...]:
    """The exhibits that a user names as ``4``, ``table 4`` or ``figure A1``; all without a name.

    Raises:
        UsageError: the paper has no such exhibit.
    """
    names = {exhibit_name(paper, text) for text in texts}
    return tuple(each for each in paper.exhibits if not texts or names & set(each.names))


def exhibit_name(paper: Paper, text: str) -> str:
    """``4`` as ``table 4``.

    Raises:
        UsageError: the paper has no such exhibit.
    """
    known = [name for exhibit in paper.exhibits for name in exhibit.names]
    match = _NAME.fullmatch(text.strip())
    name = f"{(match[1] or 'table').lower()} {match[2].upper()}" if match else text
    if name not in known:
        raise UsageError(
            f"{paper.name} has no {name!r}. Expected one of: {_names_text(known)}; a number alone "
            f"is a table"
        )
    return name


def _names_text(names: Sequence[str]) -> str:
    """``tables 1 and 2, figures 1 and A1``, each kind in the order of its numbers."""
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds.setdefault(name.split()[0], []).append(name)
    return ", ".join(exhibit_heading(sorted(kind, key=_number)) for kind in kinds.values())


def _number(name: str) -> tuple[bool, int]:
    """Numbers first, then those of an appendix."""
    number = name.split()[1]
    return number.startswith("A"), int(number.lstrip("A"))
