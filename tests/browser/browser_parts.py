"""What the tests of pages look for: faults while a page is open, problems of accessibility."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Dialog, Page, Route

OWN_HOSTS = ("127.0.0.1", "localhost")
SERIOUS = ("serious", "critical")
WAIT_MILLISECONDS = 180_000
"""How long a test waits for what it expects to see: it must appear on a busy machine too."""
_POLL_MILLISECONDS = 50

OpenPage = Callable[..., Any]
"""Opens a file or an address, and returns Playwright's page."""


class Faults:
    """What a page must not do: errors on the console, requests to another host."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def watch(self, page: Page) -> None:
        """Note every fault of a page from now on; no request leaves for another host."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.messages.append(f"script error: {error}"))
        page.on("dialog", self._dialog)
        page.route(_is_foreign, self._refuse)

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
            self.messages.append(f"console {message.type}: {message.text}")

    def _dialog(self, dialog: Dialog) -> None:
        self.messages.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _refuse(self, route: Route) -> None:
        self.messages.append(f"request to {route.request.url}")
        route.abort()


def address_of(page: Page) -> str:
    """The address as the page has it; Playwright hears of a change later."""
    return str(page.evaluate("() => location.href"))


def _is_foreign(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in OWN_HOSTS


def accessibility_problems(page: Page, *rules: str) -> list[str]:
    """What axe finds serious: the rule, and the elements that break it; some rules, or all."""
    from axe_playwright_python.sync_playwright import Axe

    options = {"runOnly": list(rules)} if rules else None
    violations = Axe().run(page, options=options).response["violations"]
    return [
        f"{each['id']}: {each['help']} ({node['html'][:160]})"
        for each in violations
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]
