"""The docs as a site, opened as files: the first screen, commands, search."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from browser_parts import PHONE, VIEWPORT, OpenPage, accessibility_problems

ROOT = Path(__file__).parents[2]
PAGES_WITH_COMMANDS = ("index.html", "ci.html", "tutorials/gate.html", "tutorials/benchmark.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as ``make site`` builds it."""
    pytest.importorskip("material", reason="the extra docs is not installed")
    pytest.importorskip("mkdocstrings", reason="the extra docs is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    settings = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=ROOT, env=settings, check=True)
    return folder


def test_the_first_screen_shows_a_witness_and_a_page(open_page: OpenPage, site: Path) -> None:
    page = open_page(site / "index.html")
    witness, picture = page.locator(".first-screen table"), page.locator(".first-screen img")
    assert "office" in witness.inner_text()
    assert picture.evaluate("image => image.complete && image.naturalWidth") > 1000
    for part in (witness, picture):
        box = part.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= VIEWPORT["height"]
    first_list = page.locator("article li").first
    assert first_list.count() == 0 or first_list.bounding_box()["y"] > VIEWPORT["height"]


def test_commands_wrap_on_a_phone(open_page: OpenPage, site: Path) -> None:
    page = open_page(site / "index.html", viewport=PHONE)
    for name in PAGES_WITH_COMMANDS:
        page.goto((site / name).as_uri())
        many, cut = page.evaluate(
            """() => { const all = [...document.querySelectorAll('.language-sh pre > code')];
            return [all.length, all.filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent)] }"""
        )
        assert many
        assert cut == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name


def test_the_search_works_on_files_alone(open_page: OpenPage, site: Path) -> None:
    """Every request to another host fails the test."""
    page = open_page(site / "report-html.html")
    page.click("[data-md-component=search-query]")
    page.keyboard.type("lucky match")
    page.wait_for_selector(".md-search-result__item a")
    assert "match" in page.inner_text(".md-search-result__meta")
    page.locator(".md-search-result__item a").first.click()
    page.wait_for_function("() => !location.pathname.endsWith('report-html.html')")
    assert page.evaluate("location.protocol") == "file:"
    assert "match" in page.inner_text("article").lower()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_the_way_of_anybody(
    open_page: OpenPage, site: Path, scheme: str
) -> None:
    page = open_page(site / "index.html", color_scheme=scheme, reduced_motion="reduce")
    assert accessibility_problems(page) == []
    page.set_viewport_size(PHONE)
    assert accessibility_problems(page) == []
