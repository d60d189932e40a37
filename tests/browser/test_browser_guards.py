"""The browser's fixtures notice what they must notice."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_parts import VIEWPORT, Faults, OpenPage, accessibility_problems

PAGE = """<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>{}</main>"""


@pytest.mark.parametrize("opener", ["open_page", "open_file"])
def test_errors_and_foreign_requests_are_faults(
    opener: str, request: pytest.FixtureRequest, faults: Faults, tmp_path: Path
) -> None:
    open_one: OpenPage = request.getfixturevalue(opener)
    file = tmp_path / "page.html"
    file.write_text(
        PAGE.format(
            "<script>console.error('one'); alert('two'); setTimeout(() => { throw 'three' })</script>"
            "<img alt='' src='http://192.0.2.1/four.png'>"
        )
    )
    page = open_one(file.as_uri())
    words = ("one", "two", "three", "http://192.0.2.1/four.png")
    text, faults.messages = faults.wait_for(page, *words), []
    for word in words:
        assert word in text


def test_a_shared_page_shows_a_new_document_each_time(open_file: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGE.format(""))
    page = open_file(f"{file.as_uri()}#one")
    page.evaluate("window.left = 1; document.title = 'Another'")
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 200, "height": 200})
    page = open_file(f"{file.as_uri()}#two")
    state = "[window.left, document.title, location.hash, innerWidth, matchMedia('print').matches,"
    state += " matchMedia('(prefers-color-scheme: dark)').matches]"
    expected = [None, "A page", "#two", VIEWPORT["width"], False, False]
    assert page.evaluate(state) == expected


def test_a_control_without_a_label_is_a_serious_problem(
    open_page: OpenPage, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGE.format("<p>Fine.</p>"))
    assert accessibility_problems(open_page(file)) == []
    file.write_text(PAGE.format("<input type='text'>"))
    assert "label" in accessibility_problems(open_page(file))[0]
