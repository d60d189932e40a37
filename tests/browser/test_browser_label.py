"""The labelling pages in a real browser: keys, undo, resuming, two annotators, adjudication."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from browser_parts import Faults, OpenPage, accessibility_problems, address_of
from click.testing import CliRunner

from label_runs import (
    HOSTILE,
    PAIRS,
    SECRET_SYSTEM,
    LabelServer,
    label_server,
    write_database,
    write_run,
)
from sqlverdict.cli.main import sqlverdict
from sqlverdict.load.people.votes import VoteEvent, VoteLogContent, read_events
from timeouts import HANG_SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Response

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")

ITEMS = 6
QUESTIONS = tuple(question for question, _, _ in PAIRS)
IDLE = "#main[aria-busy=false]"
"""The annotator's page when nothing is being saved or loaded."""
SAVE_PAUSE = 1_000
"""Longer than the page waits before it saves an edit, in milliseconds."""
LOOK_PAUSE = 6_000
"""Longer than the adjudicator's page waits before it looks for new votes."""
ANNOTATORS = ("ann", "bob", "dee", "eve", "fay", "gus", "hal")


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_database(tmp_path_factory.mktemp("databases"))


@pytest.fixture(scope="module")
def shared_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "run").folder


@pytest.fixture(scope="module")
def server(shared_run: Path, databases: Path) -> Iterator[LabelServer]:
    """One server for the tests of this file; each has annotators of its own."""
    names = ("--annotators", ",".join(ANNOTATORS), "--set", "adjudicator=cai")
    with label_server(shared_run, databases, *names) as one:
        yield one


@pytest.fixture
def own_run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run").folder


def content_of(run: Path) -> VoteLogContent:
    return VoteLogContent(read_events(run / "labels" / "votes.jsonl"))


def votes_of(run: Path, annotator: str) -> list[VoteEvent]:
    pairs = content_of(run).pairs.values()
    return [pair.votes[annotator] for pair in pairs if annotator in pair.votes]


def text_starts(page, selector: str, text: str) -> None:
    """Wait for a text, and for all that the page does with it: it may show the next item.

    The page's policy forbids to evaluate code that is given as text.
    """
    page.wait_for_function(
        "([selector, text]) => document.querySelector(selector).textContent.startsWith(text)",
        arg=[selector, text],
    )
    page.wait_for_selector(IDLE)


def press(page, *keys: str) -> None:
    """Press keys, one vote each, and wait until each is shown as saved.

    A key that is pressed before the item is on the page does not count.
    """
    for key in keys:
        page.wait_for_selector(IDLE)
        done = int(page.inner_text("#done").split()[0])
        page.keyboard.press(key)
        text_starts(page, "#done", f"{done + 1} ")
        text_starts(page, "#saved", "Saved")


def press_by_question(page, keys: dict[str, str], times: int = ITEMS) -> None:
    for _ in range(times):
        page.wait_for_selector(IDLE)
        press(page, keys[page.inner_text("h1")])


def next_item(page, number: int) -> None:
    """From item ``number`` to the next; keys that are pressed before it is there do not count."""
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(f"#item :text('{number + 1} / {ITEMS}')")


def open_items(open_page: OpenPage, link: str, **options):
    page = open_page(link, **options)
    page.wait_for_selector(".pair")
    return page


def test_a_queue_is_labelled_with_one_key_an_item(
    open_page: OpenPage, server: LabelServer, shared_run: Path
) -> None:
    page = open_items(open_page, server.links["dee"])
    assert "token" not in address_of(page)
    first = page.inner_text("h1")
    press(page, "1", "2", "3")
    assert page.inner_text("h1") != first
    page.keyboard.press("u")
    text_starts(page, "#done", "2 ")
    assert page.inner_text("#saved") == "Vote taken back"
    page.keyboard.press("d")
    page.click("text=filtering")
    page.fill("#note", "a note with 1 2 3")
    page.fill("#corrected", "SELECT 41 + 1 AS answer")
    page.press("#corrected", "Control+Enter")
    page.wait_for_selector("#corrected-result td")
    assert page.inner_text("#corrected-result td") == "42"
    # What is entered before the vote is there after a reload.
    page.reload()
    page.wait_for_selector(".pair")
    assert page.input_value("#note") == "a note with 1 2 3"
    assert page.get_attribute("[data-name=filtering]", "aria-pressed") == "true"
    press(page, "4", "5", "6", "s")
    page.wait_for_selector("text=5 of 6 items are labelled, 1 skipped.")
    votes = votes_of(shared_run, "dee")
    assert len(votes) == ITEMS
    assert {"both_wrong", "undecided", "unanswerable", "skip"} <= {vote.label for vote in votes}
    (vote_with_note,) = [vote for vote in votes if vote.note]
    assert vote_with_note.note == "a note with 1 2 3"
    assert vote_with_note.categories == ("filtering",)
    assert vote_with_note.corrected_gold == "SELECT 41 + 1 AS answer"
    assert vote_with_note.display.blind
    assert not vote_with_note.display.revealed
    assert vote_with_note.seconds is not None
    # A change to an item that has a vote is saved by itself.
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".pair")
    page.fill("#note", "later")
    text_starts(page, "#saved", "Saved")
    assert "later" in [vote.note for vote in votes_of(shared_run, "dee")]
    # All of its edits are taken back with it, and so is one that is not saved yet.
    page.fill("#note", "later still")
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    text_starts(page, "#done", f"{ITEMS - 1} ")
    page.wait_for_timeout(SAVE_PAUSE)
    assert len(votes_of(shared_run, "dee")) == ITEMS - 1
    assert page.input_value("#note") == "later still"


def test_the_list_of_items_leads_to_any_of_them(open_page: OpenPage, server: LabelServer) -> None:
    page = open_items(open_page, server.links["hal"])
    press(page, "1", "s")
    page.keyboard.press("l")
    page.wait_for_selector("#jump[open]")
    states = page.locator(".jump-state").all_inner_texts()
    assert states[:3] == ["Only A", "skipped", "open"]
    assert page.locator("#jump-states button").all_inner_texts() == [
        f"All {ITEMS}", f"Open {ITEMS - 2}", "Skipped 1", "Voted 1",
    ]  # fmt: skip
    assert page.inner_text("#jump-items :focus .jump-number") == "3", "where the annotator is"
    assert accessibility_problems(page) == []
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("#item :text('4 / 6')")
    page.click("#jump-button")
    page.click("#jump-states :text('Skipped')")
    page.fill("#jump-search", "2")
    page.press("#jump-search", "Enter")
    page.wait_for_selector("#item :text('2 / 6')")
    assert page.get_attribute("[data-choice=skip]", "aria-pressed") == "true"
    assert not page.is_visible("#jump")


def test_hidden_until_the_vote_then_revealed(
    open_page: OpenPage, server: LabelServer, shared_run: Path
) -> None:
    page = open_items(open_page, server.links["eve"])
    replies: list[Response] = []
    page.on("response", lambda reply: replies.append(reply) if "/api/" in reply.url else None)
    page.uncheck("#advance")
    page.keyboard.press("r")
    for number in range(1, ITEMS):
        next_item(page, number)
    texts = [reply.text() for reply in replies]
    assert texts
    for word in (SECRET_SYSTEM, "gold", "incorrect"):
        assert all(word not in text for text in texts if '"categories"' not in text)
    press(page, "3")
    page.keyboard.press("r")
    page.wait_for_selector("#evidence dl")
    assert SECRET_SYSTEM in page.inner_text("#evidence")
    events = read_events(shared_run / "labels" / "votes.jsonl")
    assert [event.kind for event in events if event.annotator == "eve"] == ["vote", "reveal"]


def test_the_witness_is_a_small_table_and_gets_a_label_of_its_own(
    open_page: OpenPage, server: LabelServer, shared_run: Path
) -> None:
    page = open_items(open_page, server.links["fay"])
    for number in range(1, ITEMS):
        if page.query_selector(".witness"):
            break
        next_item(page, number)
    assert "returns 1 row" in page.inner_text(".witness")
    marks = page.locator(".witness .answer tr.only")
    assert marks.count() == 2
    assert "the other query does not return this row" in marks.first.inner_text()
    page.keyboard.press("n")
    press(page, "5")
    (vote,) = votes_of(shared_run, "fay")
    assert (vote.id, vote.realistic, vote.display.witness) == ("q0", "no", True)


def test_a_killed_server_loses_no_vote_that_was_shown_as_saved(
    open_page: OpenPage, own_run: Path, databases: Path, faults: Faults
) -> None:
    options = ("--annotators", "ann")
    with label_server(own_run, databases, *options) as server:
        page = open_items(open_page, server.links["ann"])
        press(page, "1", "3", "3")
        # Requests that the killed server does not answer.
        faults.expect("net::ERR_")
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(HANG_SECONDS)
        page.keyboard.press("2")
        page.wait_for_selector("#problem:not([hidden])")
        assert page.inner_text("#saved") == "Not saved"
        assert "does not answer" in page.inner_text("#problem")
        page.close()
    assert len(votes_of(own_run, "ann")) == 3
    with label_server(own_run, databases, *options) as server:
        page = open_items(open_page, server.links["ann"])
        assert page.inner_text("#done") == f"3 of {ITEMS}"
        press(page, "3")
        page.close()
    assert len(votes_of(own_run, "ann")) == 4


def test_two_annotators_disagree_and_an_adjudicator_decides(
    open_page: OpenPage, server: LabelServer, shared_run: Path
) -> None:
    ann = open_items(open_page, server.links["ann"])
    bob = open_items(open_page, server.links["bob"])
    # By the question: the order of the items is one of chance.
    press_by_question(ann, dict(zip(QUESTIONS, "334345", strict=True)))
    press_by_question(bob, dict(zip(QUESTIONS, "344333", strict=True)))
    judge = open_page(server.links["adjudicator"])
    judge.wait_for_selector("#disputes button")
    # The page looks for new votes every few seconds: of a clock that can be put forward.
    judge.clock.install()
    judge.reload()
    judge.wait_for_selector("#disputes button")
    disputes = judge.locator("#disputes button").count()
    assert disputes == sum(pair.is_disputed for pair in content_of(shared_run).pairs.values()) > 1
    kappa = judge.inner_text("#kappa")
    labels = str(shared_run / "labels" / "votes.jsonl")
    words = ["agree", str(shared_run), "--labels", labels, "--json"]
    output = CliRunner().invoke(sqlverdict, words).output
    pairs = {(pair["a"], pair["b"]): pair for pair in json.loads(output)["annotators"]["pairs"]}
    pair = pairs.get(("ann", "bob")) or pairs["bob", "ann"]
    assert f"κ {pair['kappa']:.2f} ({pair['a']}, {pair['b']}, {ITEMS})" in kappa
    assert pair["n"] == ITEMS
    assert accessibility_problems(judge) == []
    # A vote that comes in later is shown by itself; what is being decided stays on the page.
    dispute = judge.inner_text("#disputes [aria-current]")
    bob.keyboard.press("u")
    text_starts(bob, "#saved", "Vote taken back")
    judge.clock.fast_forward(LOOK_PAUSE)
    judge.wait_for_selector(f"#kappa:has-text(', {ITEMS - 1})')")
    press_by_question(bob, dict(zip(QUESTIONS, "344333", strict=True)), 1)
    judge.clock.fast_forward(LOOK_PAUSE)
    judge.wait_for_selector(f"#kappa:has-text(', {ITEMS})')")
    assert judge.inner_text("#disputes [aria-current]") == dispute
    judge.keyboard.press("1")
    judge.keyboard.press("Enter")
    judge.wait_for_selector("#problem:not([hidden])")
    assert "reason" in judge.inner_text("#problem")
    judge.keyboard.type("the prediction counts names")
    judge.keyboard.press("Enter")
    judge.wait_for_selector(f"text=1 of {disputes} disputes decided")
    (decision,) = [p.adjudication for p in content_of(shared_run).pairs.values() if p.adjudication]
    assert (decision.annotator, decision.label) == ("cai", "wrong")
    assert decision.reason == "the prediction counts names"


@pytest.mark.parametrize(
    "look",
    [
        {"color_scheme": "light"},
        {"color_scheme": "dark"},
        {"viewport": {"width": 390, "height": 844}},
    ],
)
def test_the_page_is_accessible_and_hostile_content_is_text(
    open_page: OpenPage, server: LabelServer, look
) -> None:
    page = open_items(open_page, server.links["gus"], **look)
    page.keyboard.press("d")
    questions = [page.inner_text("h1")]
    for number in range(1, ITEMS):
        next_item(page, number)
        questions.append(page.inner_text("h1"))
    assert HOSTILE in questions
    page.keyboard.press("t")
    assert accessibility_problems(page) == []
    assert page.evaluate("document.querySelectorAll('main img, main script').length") == 0
    width = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert width <= 0


def test_inline_scripts_are_blocked(
    open_page: OpenPage, server: LabelServer, faults: Faults
) -> None:
    page = open_items(open_page, server.links["gus"])
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        " document.body.append(s); }"
    )
    assert "Content Security Policy" in faults.wait_for(page, "Content Security Policy")
    assert page.evaluate("window.ran") is None
    faults.messages = []


def test_other_sites_and_requests_without_the_token_are_refused(server: LabelServer) -> None:
    address, _, token = server.links["gus"].partition("/#token=")
    right = {"Origin": address, "x-sqlverdict-token": token}

    def status(**changes: str) -> int:
        headers = {**right, **{name.replace("_", "-"): text for name, text in changes.items()}}
        request = Request(f"{address}/api/undo", b"{}", headers)
        try:
            with urlopen(request, timeout=HANG_SECONDS) as reply:
                return int(reply.status)
        except HTTPError as error:
            return error.code

    assert status(Origin="http://evil.example") == 403
    assert status(Host="evil.example") == 403
    assert status(x_sqlverdict_token="") == 403
    assert status(Sec_Fetch_Site="cross-site") == 403
    assert status() == 400  # allowed; there is no vote to take back
