"""The page of several sets of golds in a real browser: the table, the questions, the evidence."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from browser_parts import PHONE, VIEWPORT, OpenPage, accessibility_problems
from report_runs import opened

import sqlverdict as sv

COUNT, MOST = "SELECT count(*) FROM item", "SELECT max(price) FROM item"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("golds")
    file = folder / "shop.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, price REAL NOT NULL);"
            "INSERT INTO item VALUES (1, 1.0), (2, 3.0), (3, 9.0);"
        )
    cases = [sv.Case(str(n), "shop", f"Question {n}?", (COUNT,), str(file)) for n in range(3)]
    systems = [
        sv.System("plain", {str(n): COUNT for n in range(3)}),
        sv.System("other", {str(n): MOST if n else COUNT for n in range(3)}),
    ]
    golds = {"fixed": {"1": MOST, "2": MOST}, "same": {"0": "SELECT count(id) FROM item"}}
    options = sv.Options("ex,verdict", workers=0, cache=None)
    result = sv.evaluate_golds(cases, systems, golds, options=options)
    result.to_html(folder / "page.html")
    return folder / "page.html"


@pytest.mark.parametrize("screen", [VIEWPORT, PHONE], ids=["wide", "narrow"])
def test_the_page_opens_at_the_sets(
    open_page: OpenPage, page_file: Path, screen: dict[str, int]
) -> None:
    page = opened(open_page, page_file, viewport=screen, reduced_motion="reduce")
    assert page.inner_text("#goldsets h1") == "2 systems under several sets of golds"
    text = page.inner_text("#goldsets")
    assert "fixed, by ex: ranks move: plain 1 → 2, other 2 → 1" in text
    assert "Questions that move systems" in text
    question = page.locator("#goldsets .suspect").first
    assert "other answer" in question.inner_text()
    question.locator("details > summary").click()
    question.locator("section.results").wait_for()
    captions = question.locator("figcaption strong").all_inner_texts()
    assert captions[:2] == ["Gold of run", "Gold of fixed"]
    assert not {"Gold", "Prediction"} & set(captions)
    page.get_by_text("1 question with other golds that move no system").click()
    assert page.get_by_text("proved equal", exact=True).is_visible()
    wide = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert wide, "nothing is wider than the screen"
    assert accessibility_problems(page) == []
    question.locator("a").first.click()
    page.wait_for_selector("#case-title:text-is('Case 1')")
    page.get_by_role("link", name="Gold sets").click()
    page.wait_for_selector("#goldsets:visible")
