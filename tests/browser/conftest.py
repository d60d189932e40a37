"""One real browser for the tests of pages: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser_parts import Faults, OpenPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WAIT_MILLISECONDS = 60_000
"""How long a test waits for what it expects to see."""
_loop: asyncio.AbstractEventLoop | None = None
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser takes seconds to start: none of these tests runs in ``make quick``."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window; skips where it or Playwright is not installed."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        pytest.skip("no Chromium found; `make browser` installs it")
    with api.sync_playwright() as driver:
        # Containers and CI run as root, where Chromium's own sandbox does not start.
        chromium = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        with _loop_put_aside():
            yield chromium
        chromium.close()


@contextmanager
def _loop_put_aside() -> Iterator[None]:
    """Hide the event loop that Playwright keeps running in this thread.

    While it is in view, ``asyncio.run`` refuses to work in any other test of the process.
    """
    global _loop
    _loop = asyncio.events._get_running_loop()
    asyncio.events._set_running_loop(None)
    try:
        yield
    finally:
        asyncio.events._set_running_loop(_loop)


@contextmanager
def _loop_in_view() -> Iterator[None]:
    asyncio.events._set_running_loop(_loop)
    try:
        yield
    finally:
        asyncio.events._set_running_loop(None)


@pytest.fixture
def faults() -> Faults:
    """The faults of the pages of one test; the fixture ``open_page`` fails where there are any."""
    return Faults()


@pytest.fixture
def open_page(browser: Browser, faults: Faults) -> Iterator[OpenPage]:
    """Opens a file or an address in a fresh browser profile.

    Keyword arguments are those of Playwright's ``new_context``: ``viewport``, ``color_scheme`` ...
    At the end of the test, any error on the console and any request to another host fails it.
    """
    contexts = []

    def open_one(address: Path | str, **options: object) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        context.set_default_timeout(WAIT_MILLISECONDS)
        page = context.new_page()
        faults.watch(page)
        page.goto(address.as_uri() if isinstance(address, Path) else address)
        return page

    with _loop_in_view():
        yield open_one
        for context in contexts:
            context.close()
    assert not faults.found
