"""Finds the exhibits of a paper, computes them, and puts the paper's values beside ours."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sqlverdict import papers
from sqlverdict.errors import UsageError
from sqlverdict.papers.cell import EQUAL, PaperCell
from sqlverdict.papers.exhibit import Exhibit, Figure, Paper, exhibit_heading
from sqlverdict.papers.paper_data import MissingFile, PaperData


@dataclass(frozen=True)
class Reproduction:
    """What came out for an exhibit.

    Attributes:
        exhibit: The exhibit.
        cells: Ours beside the paper's.
        figures: Our drawings.
        note: Why the paper's values have none of ours beside them; empty: they have.
    """

    exhibit: Exhibit
    cells: tuple[PaperCell, ...]
    figures: tuple[Figure, ...] = ()
    note: str = ""


def reproduce_exhibits(
    paper: Paper, exhibits: Sequence[Exhibit], data: PaperData
) -> Iterator[Reproduction]:
    """Compute exhibits, one after another."""
    for exhibit in exhibits:
        data.tell(f"{paper.name} {exhibit.heading}")
        yield _reproduce(paper, exhibit, data)


def _reproduce(paper: Paper, exhibit: Exhibit, data: PaperData) -> Reproduction:
    """Compute an exhibit from the published files, else on the demo, else say what is missing."""
    if exhibit.compute is None:
        return _on_demo(exhibit, data, exhibit.absent)
    try:
        return _put_together(exhibit, exhibit.compute(data))
    except MissingFile as missing:
        return _on_demo(exhibit, data, _where(paper, str(missing)))


def _on_demo(exhibit: Exhibit, data: PaperData, note: str) -> Reproduction:
    """The form of an exhibit with the demo's made-up systems, beside the paper's values."""
    silent = replace(exhibit, absent="") if note else exhibit
    if exhibit.demo is None:
        return replace(_put_together(silent, ()), note=note)
    on_demo = f"{note} The demo's systems are made up: they show the form.".lstrip()
    return replace(_put_together(silent, exhibit.demo(data)), note=on_demo)


def _where(paper: Paper, file: str) -> str:
    """Which file is missing, and where it is published."""
    sources = [path for path in paper.sources if f"{file}/".startswith(f"{path}/")]
    what = f" Put there: {paper.sources[max(sources, key=len)]}." if sources else ""
    return f"{file} is not in the data folder.{what}"


def _put_together(exhibit: Exhibit, parts: Iterable[PaperCell | Figure]) -> Reproduction:
    """Our values beside the paper's; where the paper has one and we do not, why."""
    cells: dict[tuple[str, str], PaperCell] = {}
    figures = []
    for part in parts:
        if isinstance(part, Figure):
            figures.append(part)
            continue
        position = (part.row, part.column)
        cell = replace(part, paper=part.paper or exhibit.printed.get(position, ""))
        cells[position] = replace(cell, reason="") if cell.difference == EQUAL else cell
    for (row, column), text in exhibit.printed.items():
        if (row, column) not in cells:
            cells[row, column] = PaperCell(row, column, None, text, reason=exhibit.absent)
    return Reproduction(exhibit, tuple(cells.values()), tuple(figures))


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
