"""The pictures of ``report.html`` in the docs: ``make pictures`` makes them anew, from the demo.

They need Playwright and Chromium (``make browser``). The same Chromium and fonts give the same
bytes: nothing that is shown depends on the clock.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict

if TYPE_CHECKING:
    from playwright.sync_api import Page

IMAGES = Path(__file__).parent / "images"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class Picture:
    """A part of the demo's page.

    Attributes:
        name: The file's name, without its suffix.
        address: What the page shows.
        ready: What is there once it is shown.
        width: The page's width.
        height: Its height; also that of the picture, unless it goes from ``first`` to ``last``.
        first: The element that the picture starts with; empty: the page's upper left corner.
        last: The element that it ends with.
    """

    name: str
    address: str
    ready: str
    width: int
    height: int
    first: str = ""
    last: str = ""


PICTURES = (
    Picture("report-overview", "#overview", ".headline", 1080, 780),
    Picture("report-cases", "#cases", ".results", 1280, 760),
    Picture("report-summary", "#summary", ".example >> nth=2", 1080, 640),
    Picture(
        "report-case",
        "#case-observatory-03",
        ".witness",
        1480,
        2000,
        first=".case-head",
        last=".witness",
    ),
    Picture(
        "report-proof",
        "#case-observatory-08",
        ".derivation",
        1480,
        2000,
        first=".evidence.proved",
        last=".evidence.proved",
    ),
)


def main() -> None:
    """Make all pictures."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if chromium is None:
        sys.exit("no Chromium found; `make browser` installs it")
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        report = demo_report(Path(folder))
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for picture in PICTURES:
            take(browser, report, picture, IMAGES / f"{picture.name}.png")
            print(IMAGES / f"{picture.name}.png")
        browser.close()


def demo_report(folder: Path) -> Path:
    """The page of the demo, made in a folder."""
    with chdir(folder):
        result = CliRunner().invoke(sqlverdict, ["demo"])
    if result.exit_code:
        raise RuntimeError(result.output)
    return folder / "sqlverdict-demo" / "report.html"


def take(browser: Any, report: Path, picture: Picture, file: Path) -> None:
    """Take one picture, in a browser profile of its own."""
    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height},
        color_scheme="light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(report.as_uri() + picture.address)
    page.wait_for_selector(picture.ready)
    # What has the focus would have a frame around it.
    page.evaluate("document.activeElement.blur()")
    clip = _clip(page, picture) if picture.first else None
    page.screenshot(path=file, clip=clip)
    context.close()


def _clip(page: Page, picture: Picture) -> dict[str, float]:
    ends = (picture.first, picture.last)
    first, last = (page.locator(each).first.bounding_box() for each in ends)
    if first is None or last is None:
        raise RuntimeError(f"{picture.name}: {picture.first} or {picture.last} is not in sight")
    margin = 14.0
    return {
        "x": first["x"] - margin,
        "y": first["y"] - margin,
        "width": max(first["width"], last["width"]) + 2 * margin,
        "height": last["y"] + last["height"] - first["y"] + 2 * margin,
    }


if __name__ == "__main__":
    main()
