"""Pages that are not served directly: behind a reverse proxy, and as a file without a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browser_parts import OpenPage, accessibility_problems
from click.testing import CliRunner
from test_browser_label import ITEMS, open_items, press, text_starts, votes_of

from label_runs import SECRET_SYSTEM, label_server, write_database, write_run
from reverse_proxy import reverse_proxy
from sqlverdict.cli.main import sqlverdict
from sqlverdict.label.session_key import KEY_FILE
from sqlverdict.load.people.votes import read_events

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run").folder


@pytest.fixture
def databases(tmp_path: Path) -> Path:
    return write_database(tmp_path / "databases")


def test_a_queue_is_labelled_behind_a_reverse_proxy(
    open_page: OpenPage, run: Path, databases: Path
) -> None:
    with reverse_proxy() as proxy:
        options = ("--annotators", "ann,bob", "--set", f"address={proxy.address}")
        with label_server(run, databases, *options) as server:
            proxy.upstream = json.loads((run / "labels" / KEY_FILE).read_text())["port"]
            page = open_items(open_page, server.links["ann"])
            press(page, "1", "3")
            page.keyboard.press("u")
            text_starts(page, "#done", "1 ")
            judge = open_page(server.links["adjudicator"])
            judge.wait_for_selector("text=No dispute.")
            page.close()
            judge.close()
    assert len(votes_of(run, "ann")) == 1


def test_an_offline_file_labels_without_a_server(
    open_page: OpenPage, run: Path, databases: Path, tmp_path: Path
) -> None:
    file = tmp_path / "cai.html"
    line = ["label", str(run), "--databases", str(databases), "--annotators", "cai"]
    result = CliRunner().invoke(sqlverdict, [*line, "--offline", str(file)])
    assert result.exit_code == 0, result.output
    assert SECRET_SYSTEM not in file.read_text()
    page = open_items(open_page, file)
    press(page, "1", "2", "3", "4")
    page.keyboard.press("u")
    text_starts(page, "#done", "3 ")
    page.reload()
    page.wait_for_selector(".pair")
    assert page.inner_text("#done") == f"3 of {ITEMS}"
    press(page, "4")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector('#choices [aria-pressed="true"]')
    page.keyboard.press("d")
    page.fill("#note", "an edit")
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    text_starts(page, "#done", "3 ")
    press(page, "4", "4", "5")
    page.wait_for_selector("text=All 6 items are labelled.")
    assert accessibility_problems(page) == []
    with page.expect_download() as download:
        page.click("#download")
    downloaded = tmp_path / "votes-cai.jsonl"
    download.value.save_as(downloaded)
    labels = str(downloaded)
    # The page does not know which query is the gold: the label folder does.
    assert "gold" not in downloaded.read_text().replace("corrected_gold", "")
    early = CliRunner().invoke(sqlverdict, ["agree", str(run), "--labels", labels])
    assert "--import" in early.output
    imported = CliRunner().invoke(sqlverdict, ["label", str(run), "--import", labels])
    assert "11 added" in imported.output
    log = str(run / "labels" / "votes.jsonl")
    agreed = CliRunner().invoke(sqlverdict, ["agree", str(run), "--labels", log, "--json"])
    assert json.loads(agreed.output)["labelled"] == 5
    choices = [event.choice for event in read_events(downloaded, choices=True) if event.choice]
    labels_of = [event.label for event in read_events(Path(log)) if event.kind == "vote"]
    plain = {"both": "right", "neither": "both_wrong"}
    for choice, label in zip(choices, labels_of, strict=True):
        assert label in (
            ("wrong", "gold_wrong") if "only" in choice else (plain.get(choice, choice),)
        )
    again = CliRunner().invoke(sqlverdict, ["label", str(run), "--import", labels])
    assert "11 in the log already" in again.output
