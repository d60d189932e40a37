"""Every page on a wide and on a narrow screen, light and dark: nothing serious stands in anybody's way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser_parts import PHONE, VIEWPORT, OpenPage, accessibility_problems
from report_runs import opened

SOURCE = Path(__file__).parents[2] / "src" / "sqlverdict"
CONTRAST = "color-contrast"
"""The rule about colours: the others find the same in a dark page."""
PAGES = {
    "report/html/assets/page.html": "test_every_section_of_the_report",
    "label/page/label.html": "test_browser_label.py",
    "label/page/adjudicate.html": "test_browser_label.py",
    "label/page/review.html": "test_review_page.py",
}
"""Each page of ours, and the test that looks at it."""


def test_every_page_is_looked_at() -> None:
    pages = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.html")}
    assert pages == set(PAGES)


@pytest.mark.parametrize("screen", [VIEWPORT, PHONE], ids=["wide", "narrow"])
def test_every_section_of_the_report(
    open_page: OpenPage, report: Path, screen: dict[str, int]
) -> None:
    # A colour that is still changing has no contrast to speak of.
    page = opened(open_page, report, "#summary", viewport=screen, reduced_motion="reduce")
    page.wait_for_selector(".example >> nth=2")
    page.evaluate("location.hash = '#case-q2'")
    page.wait_for_selector("#case section.scores")
    # All views at once, for the search takes seconds; on a narrow screen list and case take turns.
    page.evaluate("document.querySelectorAll('.view').forEach(each => { each.hidden = false })")
    assert_no_problems(page)
    if screen is PHONE:
        page.evaluate("location.hash = '#cases'")
        page.wait_for_selector(".row")
        page.get_by_text("More filters").click()
        assert_no_problems(page)


def assert_no_problems(page: Any) -> None:
    page.emulate_media(color_scheme="light")
    assert accessibility_problems(page) == []
    page.emulate_media(color_scheme="dark")
    assert accessibility_problems(page, CONTRAST) == []
