"""What an annotator enters while a vote, an edit or an undo is on its way is not lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_parts import WAIT_MILLISECONDS, Faults, OpenPage
from test_browser_label import IDLE, open_items, press, text_starts, votes_of

from label_runs import LabelServer, label_server, write_database, write_run

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")

POLL = 20
"""Milliseconds between two looks for a request."""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run").folder


@pytest.fixture
def server(run: Path, tmp_path: Path) -> Iterator[LabelServer]:
    with label_server(run, write_database(tmp_path / "databases"), "--annotators", "ann") as one:
        yield one


class Gate:
    """Holds the requests of a page back that go to one address."""

    def __init__(self, page, address: str) -> None:
        self._page, self._address = page, f"**/api/{address}"
        self._routes: list = []
        page.route(self._address, lambda route: self._routes.append(route))

    def wait(self) -> None:
        """Until a request is on its way."""
        for _ in range(WAIT_MILLISECONDS // POLL):
            if self._routes:
                return
            self._page.wait_for_timeout(POLL)
        raise TimeoutError(f"no request to {self._address}")

    def open(self) -> None:
        """Let what was held back through, and all that follows."""
        self._page.unroute(self._address)
        for route in self._routes:
            route.continue_()

    def refuse(self) -> None:
        """Let nothing through that was held back, and all that follows."""
        self._page.unroute(self._address)
        for route in self._routes:
            route.abort()


def open_voted_item(open_page: OpenPage, server: LabelServer):
    """The page with an item that has a vote, and its note at hand."""
    page = open_items(open_page, server.links["ann"])
    press(page, "3")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#item :text('1 / 6')")
    page.wait_for_selector(IDLE)
    page.keyboard.press("d")
    page.wait_for_selector("#detail[open]")
    return page


@pytest.mark.parametrize("advance", [True, False])
def test_a_note_that_is_typed_while_the_vote_is_saved_belongs_to_it(
    advance: bool, open_page: OpenPage, server: LabelServer, run: Path
) -> None:
    page = open_items(open_page, server.links["ann"])
    page.set_checked("#advance", advance)
    page.click("#main h1")
    page.keyboard.press("d")
    page.wait_for_selector("#detail[open]")
    gate = Gate(page, "vote")
    page.keyboard.press("3")
    gate.wait()
    page.fill("#note", "in time")
    gate.open()
    text_starts(page, "#done", "1 ")
    text_starts(page, "#saved", "Saved")
    assert [vote.note for vote in votes_of(run, "ann")] == ["in time"]


def test_a_note_that_is_typed_while_the_last_vote_is_saved_belongs_to_it(
    open_page: OpenPage, server: LabelServer, run: Path
) -> None:
    page = open_items(open_page, server.links["ann"])
    press(page, *"33333")
    page.keyboard.press("d")
    page.wait_for_selector("#detail[open]")
    gate = Gate(page, "vote")
    page.keyboard.press("3")
    gate.wait()
    page.fill("#note", "in time")
    gate.open()
    page.wait_for_selector("text=All 6 items are labelled.")
    page.wait_for_selector(IDLE)
    assert [vote.note for vote in votes_of(run, "ann")] == ["", "", "", "", "", "in time"]


def test_an_edit_that_is_not_saved_is_saved_before_the_next_item_is_shown(
    open_page: OpenPage, server: LabelServer, run: Path, faults: Faults
) -> None:
    page = open_voted_item(open_page, server)
    gate = Gate(page, "vote")
    page.fill("#note", "kept")
    gate.wait()
    faults.expect("net::ERR_FAILED")
    gate.refuse()
    text_starts(page, "#saved", "Not saved")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#item :text('2 / 6')")
    assert [vote.note for vote in votes_of(run, "ann")] == ["kept"]


def test_what_is_typed_while_a_vote_is_taken_back_is_there_for_the_next_vote(
    open_page: OpenPage, server: LabelServer, run: Path
) -> None:
    page = open_voted_item(open_page, server)
    gate = Gate(page, "undo")
    page.keyboard.press("u")
    gate.wait()
    page.fill("#note", "for the next vote")
    gate.open()
    text_starts(page, "#saved", "Vote taken back")
    assert votes_of(run, "ann") == []
    assert page.input_value("#note") == "for the next vote"
    page.keyboard.press("Escape")
    press(page, "1")
    assert [vote.note for vote in votes_of(run, "ann")] == ["for the next vote"]
