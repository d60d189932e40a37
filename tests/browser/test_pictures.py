"""The pictures of the docs: the script makes each of them, and the same every time."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from browser_parts import OpenPage

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
from pictures import IMAGES, PICTURES, demo_report, take  # noqa: E402

OTHERS = {"label", "label-without-sql", "label-without-sql-phone"}
"""The page of annotators is no part of the demo's page."""


def test_the_docs_show_what_the_script_makes() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    names = {
        name
        for page in pages
        for name in re.findall(r"images/([\w-]+)\.png\)", page.read_text(encoding="utf-8"))
    }
    assert names == {picture.name for picture in PICTURES} | OTHERS
    assert {path.stem for path in IMAGES.glob("*")} == names


def test_the_same_page_gives_the_same_pictures(open_page: OpenPage, tmp_path: Path) -> None:
    report = demo_report(tmp_path)
    browser = open_page(report).context.browser
    for picture in PICTURES:
        files = [tmp_path / f"{number}.png" for number in range(2)]
        for file in files:
            take(browser, report, picture, file)
        first, second = (file.read_bytes() for file in files)
        assert first == second, picture.name
        assert len(first) < 260_000, picture.name
