"""The page without SQL in a real browser, and the page of a queue for an estimate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_parts import OpenPage, accessibility_problems
from click.testing import CliRunner
from msgspec.structs import replace
from test_browser_label import (
    ITEMS,
    QUESTIONS,
    content_of,
    next_item,
    open_items,
    press,
    press_by_question,
    text_starts,
    votes_of,
)

from label_runs import (
    PAIRS,
    SECRET_SYSTEM,
    LabelServer,
    label_server,
    results,
    witness,
    write_database,
    write_run,
)
from sqlverdict.cli.main import sqlverdict
from sqlverdict.evidence_parts import TableExcerpt

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")

SQL_WORDS = re.compile(r"\bSELECT\b|COUNT\(|\bWHERE\b|\bNULL\b")
LOOKS = (
    {"color_scheme": "light"},
    {"color_scheme": "dark"},
    {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
    {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
)


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_database(tmp_path_factory.mktemp("databases"))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_keyed_run(tmp_path / "run")


@pytest.fixture(scope="module")
def server(databases: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabelServer]:
    """One server for tests that do not vote."""
    run = write_keyed_run(tmp_path_factory.mktemp("runs") / "run")
    with label_server(run, databases, "--without-sql", "eve") as one:
        yield one


def write_keyed_run(folder: Path) -> Path:
    """A run whose witness has a table that only a foreign key needs."""
    first, *others = results()
    rows = {**witness().rows, "country": TableExcerpt(("id",), ((7,),))}
    first = replace(first, evidence=(first.evidence[0], replace(witness(), rows=rows)))
    return write_run(folder, [first, *others]).folder


def to_question(page, question: str) -> None:
    for number in range(1, ITEMS):
        if page.inner_text("h1") == question:
            break
        next_item(page, number)


@pytest.mark.parametrize("look", LOOKS)
def test_the_page_without_sql_is_accessible_and_shows_none(
    open_page: OpenPage, server: LabelServer, look
) -> None:
    page = open_items(open_page, server.links["eve"], **look)
    for number in range(ITEMS):
        text = page.inner_text("body").replace(page.inner_text("h1"), "")
        assert SQL_WORDS.search(text) is None
        assert page.query_selector(".sql") is None
        if number + 1 < ITEMS:
            next_item(page, number + 1)
    page.keyboard.press("l")
    page.click("#jump-items button >> nth=0")
    to_question(page, QUESTIONS[0])
    words = page.inner_text(".words")
    assert words == "The table item has one row: id is 1, name has no value."
    assert page.inner_text(".for-keys summary") == "1 table that the others refer to: country"
    assert not page.is_visible("figcaption:text-is('country')")
    page.click(".for-keys summary")
    assert page.is_visible("figcaption:text-is('country')")
    page.keyboard.press("d")
    assert page.is_visible("#note")
    assert not page.is_visible("#corrected")
    assert not page.is_visible("#chips")
    assert accessibility_problems(page) == []
    width = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert width <= 0
    page.keyboard.press("?")
    assert "which of them answers the question" in page.inner_text("#help-text")
    assert accessibility_problems(page) == []


def test_results_are_voted_on_by_key_and_votes_keep_the_mode(
    open_page: OpenPage, run: Path, databases: Path
) -> None:
    options = ("--annotators", "ann", "--without-sql", "eve", "--set", "adjudicator=cai")
    with label_server(run, databases, *options) as server:
        eve = open_items(open_page, server.links["eve"])
        assert eve.locator("#choices button span").all_inner_texts() == [
            "Only A", "Only B", "Both", "Neither", "Can't tell", "Skip",
        ]  # fmt: skip
        eve.keyboard.press("6")
        press_by_question(eve, dict(zip(QUESTIONS, "433345", strict=True)), 4)
        eve.keyboard.press("u")
        text_starts(eve, "#done", "3 ")
        eve.reload()
        eve.wait_for_selector(".pair")
        assert eve.inner_text("#done") == f"3 of {ITEMS}"
        press_by_question(eve, dict(zip(QUESTIONS, "433345", strict=True)), 3)
        eve.wait_for_selector("text=All 6 items are labelled.")
        ann = open_items(open_page, server.links["ann"])
        press_by_question(ann, dict(zip(QUESTIONS, "333333", strict=True)))
        judge = open_page(server.links["adjudicator"])
        judge.wait_for_selector("#votes td")
        assert "without SQL" in judge.inner_text("#votes")
        assert "SELECT" in judge.inner_text(".pair"), "the adjudicator sees the queries"
        assert accessibility_problems(judge) == []
        for each in (eve, ann, judge):
            each.close()
    modes = {name: {vote.mode for vote in votes_of(run, name)} for name in ("ann", "eve")}
    assert modes == {"ann": {"queries"}, "eve": {"results"}}
    labels = {vote.id: vote.label for vote in votes_of(run, "eve")}
    assert (labels["q0"], labels["q4"], labels["q5"]) == ("both_wrong", "both_wrong", "undecided")
    assert len(content_of(run).pairs) == ITEMS
    line = ["agree", str(run), "--labels", str(run / "labels" / "votes.jsonl")]
    output = " ".join(CliRunner().invoke(sqlverdict, line).output.split())
    assert "with SQL and without it, on the same 6 cases: 50.0% have the same label" in output


def test_an_offline_page_without_sql(
    open_page: OpenPage, run: Path, databases: Path, tmp_path: Path
) -> None:
    file = tmp_path / "eve.html"
    line = ["label", str(run), "--databases", str(databases), "--without-sql", "eve"]
    outcome = CliRunner().invoke(sqlverdict, [*line, "--offline", str(file)])
    assert outcome.exit_code == 0, outcome.output
    assert SECRET_SYSTEM not in file.read_text()
    for _, gold, prediction in PAIRS:
        assert gold not in file.read_text()
        assert prediction not in file.read_text()
    page = open_items(open_page, file, viewport={"width": 390, "height": 844})
    assert accessibility_problems(page) == []
    press(page, "1", "2", "3")
    page.reload()
    page.wait_for_selector(".pair")
    assert page.inner_text("#done") == f"3 of {ITEMS}"
    press(page, "4", "5", "s")
    page.wait_for_selector("text=5 of 6 items are labelled, 1 skipped.")
    with page.expect_download() as download:
        page.click("#download")
    downloaded = tmp_path / "votes-eve.jsonl"
    download.value.save_as(downloaded)
    imported = CliRunner().invoke(sqlverdict, ["label", str(run), "--import", str(downloaded)])
    assert "6 added" in imported.output
    votes = votes_of(run, "eve")
    assert {vote.mode for vote in votes} == {"results"}
    assert all(vote.stratum and vote.sampling_probability == 1.0 for vote in votes)


def test_a_queue_for_an_estimate_reveals_nothing_before_the_last_label(
    open_page: OpenPage, run: Path, databases: Path
) -> None:
    with label_server(run, databases, "--queue", "estimate", "--annotators", "ann") as server:
        page = open_items(open_page, server.links["ann"])
        page.uncheck("#advance")
        press(page, "3")
        assert not page.is_visible("#reveal")
        page.check("#advance")
        for _ in range(ITEMS - 1):
            page.keyboard.press("l")
            page.click("#jump-states :text('Open')")
            page.click("#jump-items button >> nth=0")
            press(page, "3")
        page.wait_for_selector("text=All 6 items are labelled.")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector(".pair")
        assert page.is_visible("#reveal")
        page.keyboard.press("r")
        page.wait_for_selector("#evidence dl")
        page.close()
    assert {vote.display.queue for vote in votes_of(run, "ann")} == {"estimate, seed 0, n 200"}
    assert all(vote.stratum for vote in votes_of(run, "ann"))
