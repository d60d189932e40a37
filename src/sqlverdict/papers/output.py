"""What came out of a paper: as text tables, as JSON, and as a page with its figures."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from sqlverdict.files.atomic import write_text_at_once
from sqlverdict.files.escapes import escaped
from sqlverdict.papers.cell import EQUAL, PaperCell
from sqlverdict.papers.exhibit import Paper
from sqlverdict.papers.reproduce import Reproduction
from sqlverdict.report.html.page import page_style
from sqlverdict.report.terminal.tables import TextTable, table

PAGE = "index.html"
_STYLE = "figure svg { max-width: 100%; height: auto } .scroll td { overflow-wrap: normal }"
HEADERS = ("row", "column", "ours", "paper", "difference", "n", "reason")
_LEFT = (0, 1, 6)
_WITH_WORDS = (0, 1, 2, 3, 4, 6)


def cell_table(cells: Sequence[PaperCell]) -> TextTable:
    """Ours, the paper's, the difference, and why; a reason once where it follows itself."""
    rows, before = [], ""
    for cell in cells:
        reason = "as above" if cell.reason and cell.reason == before else cell.reason
        before = cell.reason or before
        count = "" if cell.n is None else f"{cell.n:,}"
        rows.append(
            (cell.row, cell.column, cell.our_text, cell.paper, cell.agreement, count, reason)
        )
    words = any(isinstance(cell.ours, str) for cell in cells)
    return table(HEADERS, rows, left=_WITH_WORDS if words else _LEFT)


def all_cells(results: Sequence[Reproduction]) -> list[PaperCell]:
    """The values of some exhibits."""
    return [cell for each in results for cell in each.cells]


def summary_line(cells: Sequence[PaperCell]) -> str:
    """How many of the values that can be compared are equal."""
    own = [cell.difference for cell in cells if cell.difference and not cell.from_print]
    printed = [cell.difference for cell in cells if cell.difference and cell.from_print]
    without = sum(cell.ours is None for cell in cells)
    line = (
        f"{own.count(EQUAL):,} of {len(own):,} values that can be compared are equal at the "
        "printed precision"
        if own
        else "no value of ours can be compared"
    )
    if without:
        line += f"; {without:,} of the paper's values have none of ours beside them"
    if printed:
        line += (
            f"; {printed.count(EQUAL):,} of {len(printed):,} follow from other numbers that the "
            "paper prints, which is arithmetic and no measurement"
        )
    return line


def paper_json(paper: Paper, results: Sequence[Reproduction]) -> dict[str, Any]:
    """Everything as JSON; without drawings, which are files."""
    return {
        "paper": paper.name,
        "title": paper.title,
        "sources": dict(paper.sources),
        "exhibits": [_exhibit_json(each) for each in results],
    }


def _exhibit_json(result: Reproduction) -> dict[str, Any]:
    return {
        "names": list(result.exhibit.names),
        "title": result.exhibit.title,
        "about": result.exhibit.about,
        "note": result.note,
        "command": result.exhibit.command,
        "cells": [
            {
                "row": cell.row,
                "column": cell.column,
                "ours": cell.number,
                "paper": cell.paper,
                "difference": cell.difference,
                "n": cell.n,
                "reason": cell.reason,
                **({"from_print": True} if cell.from_print else {}),
            }
            for cell in result.cells
        ],
        "figures": [figure.name for figure in result.figures],
    }


def write_files(folder: Path, paper: Paper, results: Sequence[Reproduction]) -> Path:
    """Write the drawings and the page; returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    for result in results:
        for figure in result.figures:
            write_text_at_once(folder / figure.name, figure.svg + "\n")
    page = folder / PAGE
    write_text_at_once(page, _page(paper, results))
    return page


def _page(paper: Paper, results: Sequence[Reproduction]) -> str:
    """One file: tables and drawings, no script."""
    title = _text(paper.title)
    parts = [f"<h1>{title}</h1>", f"<p>{_text(summary_line(all_cells(results)))}.</p>"]
    parts += [_section(result) for result in results]
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en">',
            '<head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            f"<style>{page_style()}\n{_STYLE}</style></head>",
            '<body><main class="view">',
            *parts,
            "</main></body></html>",
            "",
        )
    )


def _section(result: Reproduction) -> str:
    """An exhibit: what it is, its drawings, its table."""
    heading = f"{result.exhibit.heading}: {result.exhibit.title}"
    parts = ["<section>", f"<h2>{_text(heading[:1].upper() + heading[1:])}</h2>"]
    parts += [f"<p>{_text(text)}</p>" for text in (result.exhibit.about, result.note) if text]
    if result.exhibit.command:
        parts.append(f"<p><code>{_text(result.exhibit.command)}</code></p>")
    parts += [f"<figure>{figure.svg}</figure>" for figure in result.figures]
    if result.cells:
        parts.append(_html_table(cell_table(result.cells)))
    return "\n".join([*parts, "</section>"])


def _html_table(rows: TextTable) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        kinds = ("" if rows.is_left(column) else ' class="number"' for column in range(len(cells)))
        return "".join(
            f"<{tag}{kind}>{_text(cell)}</{tag}>" for cell, kind in zip(cells, kinds, strict=True)
        )

    body = "\n".join(f"<tr>{line(row, 'td')}</tr>" for row in rows.rows)
    head = f"<thead><tr>{line(rows.headers, 'th')}</tr></thead>"
    return f'<div class="scroll"><table>{head}\n<tbody>{body}</tbody></table></div>'


def _text(text: str) -> str:
    return escape(escaped(text))
