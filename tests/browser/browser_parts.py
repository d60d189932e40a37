"""What the tests of pages look for: faults while a page is open, problems of accessibility."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Route

OWN_HOSTS = ("127.0.0.1", "localhost")
SERIOUS = ("serious", "critical")
WAIT_MILLISECONDS = 180_000
"""How long a test waits for what it expects to see: it must appear on a busy machine too."""
VIEWPORT = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
_POLL_MILLISECONDS = 50

OpenPage = Callable[..., Any]
"""Opens a file or an address, and returns Playwright's page."""


class Faults:
    """What a page must not do: errors on the console, requests to another host."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self._causes: list[str] = []

    def expect(self, text: str) -> None:
        """Let faults with this text pass from now on: the browser reports some of them late."""
        self._causes.append(text)

    def _note(self, message: str) -> None:
        if not any(text in message for text in self._causes):
            self.messages.append(message)

    def watch(self, page: Page) -> None:
        """Note every fault of a page from now on; no request leaves for another host."""
        for event, note in self._events():
            page.on(event, note)
        page.route(_is_foreign, self._refuse)

    def leave(self, page: Page) -> None:
        """Note nothing of a page any more."""
        for event, note in self._events():
            page.remove_listener(event, note)
        page.unroute(_is_foreign, self._refuse)

    def _events(self) -> tuple[tuple[Any, Callable[[Any], None]], ...]:
        return ("console", self._console), ("pageerror", self._error), ("dialog", self._dialog)

    def wait_for(self, page: Page, *texts: str) -> str:
        """What was noted, once it contains these texts; no later than a test waits at all."""
        for _ in range(WAIT_MILLISECONDS // _POLL_MILLISECONDS):
            text = "\n".join(self.messages)
            if all(each in text for each in texts):
                break
            page.wait_for_timeout(_POLL_MILLISECONDS)
        return "\n".join(self.messages)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._note(f"console {message.type}: {message.text}")

    def _error(self, error: object) -> None:
        self._note(f"script error: {error}")

    def _dialog(self, dialog: Dialog) -> None:
        self._note(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _refuse(self, route: Route) -> None:
        self._note(f"request to {route.request.url}")
        route.abort()


class SharedPage:
    """A page in which tests look at files, one after the other.

    Args:
        browser: The browser that has it.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._page: Page | None = None
        self._numbers = count()
        self._watched = False

    def show(self, address: str, faults: Faults) -> Page:
        """A new document of a file, in a page as new ones are."""
        if self._page is None or self._page.is_closed():
            self._page = self._browser.new_context().new_page()
            self._page.context.set_default_timeout(WAIT_MILLISECONDS)
            self._watched = False
        if not self._watched:
            faults.watch(self._page)
            self._watched = True
        self._page.set_viewport_size(VIEWPORT)
        self._page.emulate_media(
            media="null", color_scheme="null", reduced_motion="null", forced_colors="null"
        )
        # An address that differs in its fragment alone would show the same document.
        file, mark, fragment = address.partition("#")
        self._page.goto(f"{file}?{next(self._numbers)}{mark}{fragment}")
        return self._page

    def leave(self, faults: Faults) -> None:
        """The end of a test: the page shows nothing, and its faults are nobody's."""
        if self._page is not None and self._watched:
            faults.leave(self._page)
            self._watched = False


def address_of(page: Page) -> str:
    """The address as the page has it; Playwright hears of a change later."""
    return str(page.evaluate("() => location.href"))


def _is_foreign(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in OWN_HOSTS


def accessibility_problems(page: Page, *rules: str) -> list[str]:
    """What axe finds serious: the rule, and the elements that break it; some rules, or all."""
    from axe_playwright_python.sync_playwright import Axe

    # No rule that is on reads style sheets, and those of a file may not be asked for.
    options: dict[str, object] = {"preload": False}
    if rules:
        options["runOnly"] = list(rules)
    violations = Axe().run(page, options=options).response["violations"]
    return [
        f"{each['id']}: {each['help']} ({node['html'][:160]})"
        for each in violations
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]
