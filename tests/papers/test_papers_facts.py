"""The facts behind the papers' pages: their words are the code's, their differences add up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.reproduce import load_paper

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "papers"
FILES = sorted(FOLDER.glob("*.json"))


def facts(file: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return content


def test_there_are_facts() -> None:
    assert "etm.json" in [file.name for file in FILES]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_words_are_the_codes(file: Path) -> None:
    content, paper = facts(file), load_paper(file.stem)
    again = f"write {file.name} anew: sqlverdict reproduce {file.stem} --data DIR --json"
    assert content["title"] == paper.title, again
    assert content["sources"] == dict(paper.sources), again
    assert [
        (tuple(each["names"]), each["title"], each["about"], each["command"])
        for each in content["exhibits"]
    ] == [(each.names, each.title, each.about, each.command) for each in paper.exhibits], again


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_papers_values_and_the_differences_are_the_codes(file: Path) -> None:
    paper = load_paper(file.stem)
    for each, exhibit in zip(facts(file)["exhibits"], paper.exhibits, strict=True):
        cells = {(cell["row"], cell["column"]): cell for cell in each["cells"]}
        for position, text in exhibit.printed.items():
            assert cells[position]["paper"] == text, (exhibit.heading, position)
        for (row, column), cell in cells.items():
            fields = (cell["ours"], cell["paper"], cell["n"], cell["reason"])
            assert PaperCell(row, column, *fields).difference == cell["difference"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_not_equal_has_a_reason(file: Path) -> None:
    """In the cell, or in the note of its exhibit where no value of ours is there."""
    wrong = [
        (each["names"], cell["row"], cell["column"])
        for each in facts(file)["exhibits"]
        for cell in each["cells"]
        if cell["paper"] and cell["difference"] != "equal"
        if not cell["reason"] and not (cell["ours"] is None and each["note"])
    ]
    assert wrong == []
