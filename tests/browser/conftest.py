"""One real browser for the tests of pages: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser_parts import VIEWPORT, WAIT_MILLISECONDS, Faults, OpenPage, SharedPage
from report_runs import write_report

from tiers import THOROUGH

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SLOWDOWN = 6
"""How much slower the processor is for the pages of ``make thorough``."""
LATE_REPLIES = """(() => {
  const pause = () => new Promise((done) => setTimeout(done, 500 * Math.random()));
  const ask = window.fetch;
  window.fetch = async (...request) => {
    await pause();
    const reply = await ask(...request);
    await pause();
    return reply;
  };
})()"""
"""Each request takes up to a second, in an order of its own: a test that waits too little fails."""
_loop: asyncio.AbstractEventLoop | None = None
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
UNUSED = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    "SpareRendererForSitePerProcess",
    # What Playwright turns off itself: the last list counts.
    *("AimEnabled", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose"),
    *("HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay", "MediaRouter"),
    *("NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch"),
    "ThirdPartyStoragePartitioning",
)
"""Features of Chromium: for each profile it would load pages of its own, longer than a test takes."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser takes seconds to start: none of these tests runs in ``make quick``.

    All run in ``make thorough``, with slow pages.
    """
    here = str(Path(__file__).parent)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.sampled)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window; skips where it or Playwright is not installed."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    result = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if result is None:
        pytest.skip("no Chromium found; `make browser` installs it")
    if sys.version_info < (3, 12) and hasattr(os, "pidfd_open"):
        asyncio.set_child_watcher(PidWatcher())
    with api.sync_playwright() as driver:
        # Containers and CI run as root, where Chromium's own sandbox does not start.
        options = ["--no-sandbox", f"--disable-features={','.join(UNUSED)}"]
        chromium = driver.chromium.launch(executable_path=result, args=options)
        with _loop_put_aside():
            yield chromium
        chromium.close()


class PidWatcher(asyncio.PidfdChildWatcher if sys.version_info < (3, 12) else object):
    """Waits for a process in the loop that started it, without a thread, as Python 3.12 does.

    Playwright's process lives to the end, and the thread would. Beside a thread no worker is
    forked: each later test with workers would start whole interpreters.
    """

    def is_active(self) -> bool:
        return True

    def attach_loop(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Each process has the loop that started it."""

    def add_child_handler(self, pid: int, callback: Callable[..., object], *args: object) -> None:
        loop, handle = asyncio.get_running_loop(), os.pidfd_open(pid)

        def ended() -> None:
            loop.remove_reader(handle)
            os.close(handle)
            callback(pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), *args)

        loop.add_reader(handle, ended)


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
        context = browser.new_context(**{"viewport": VIEWPORT, **options})
        contexts.append(context)
        context.set_default_timeout(WAIT_MILLISECONDS)
        page = context.new_page()
        faults.watch(page)
        if THOROUGH:
            page.add_init_script(LATE_REPLIES)
            context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        page.goto(address.as_uri() if isinstance(address, Path) else address)
        return page

    with _loop_in_view():
        yield open_one
        for context in contexts:
            context.close()
    assert not faults.messages


@pytest.fixture(scope="session")
def shared_page(browser: Browser) -> SharedPage:
    """One page for the files that tests read: a process for each takes longer than the tests."""
    return SharedPage(browser)


@pytest.fixture
def open_file(shared_page: SharedPage, open_page: OpenPage, faults: Faults) -> Iterator[OpenPage]:
    """Opens a file as ``open_page`` does, in a page that tests share where they need no options.

    Each call shows a new document: a page of a file that stores nothing leaves nothing in a profile.
    ``make thorough`` gives each call a profile of its own.
    """

    def open_one(address: str, **options: object) -> Page:
        if THOROUGH or options:
            return open_page(address, **options)
        return shared_page.show(address, faults)

    yield open_one
    shared_page.leave(faults)


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``report.html`` of two systems, with every section that a page can have."""
    return write_report(tmp_path_factory.mktemp("report"))
