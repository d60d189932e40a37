"""The browser's fixtures notice what they must notice."""

from __future__ import annotations

from pathlib import Path

from browser_parts import Faults, OpenPage, accessibility_problems

PAGE = """<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>{}</main>"""


def test_errors_and_foreign_requests_are_faults(
    open_page: OpenPage, faults: Faults, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    file.write_text(
        PAGE.format(
            "<script>console.error('one'); alert('two'); setTimeout(() => { throw 'three' })</script>"
            "<img alt='' src='http://192.0.2.1/four.png'>"
        )
    )
    page = open_page(file)
    words = ("one", "two", "three", "http://192.0.2.1/four.png")
    text, faults.messages = faults.wait_for(page, *words), []
    for word in words:
        assert word in text


def test_a_control_without_a_label_is_a_serious_problem(
    open_page: OpenPage, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGE.format("<p>Fine.</p>"))
    assert accessibility_problems(open_page(file)) == []
    file.write_text(PAGE.format("<input type='text'>"))
    assert "label" in accessibility_problems(open_page(file))[0]
