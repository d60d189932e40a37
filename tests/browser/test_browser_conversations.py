"""Conversations in a real browser: the earlier questions stand before the one that is asked."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from browser_parts import OpenPage
from click.testing import CliRunner

from label_runs import label_server, results, write_database, write_run
from sqlverdict.cli.main import sqlverdict
from talks import write_sparc

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")

pytestmark = pytest.mark.slow


def test_the_report_shows_the_turns_before(open_page: OpenPage, tmp_path: Path) -> None:
    sparc = write_sparc(tmp_path / "sparc")
    words = ("evaluate", "--benchmark", "sparc", "--root", sparc, "--out", tmp_path / "run")
    more = ("--predictions", sparc / "mine.txt", "--metrics", "ex", "--workers", "0", "--quiet")
    done = CliRunner().invoke(sqlverdict, [str(word) for word in (*words, *more)])
    assert done.exit_code == 0, done.output
    report = (tmp_path / "run/report.html").as_uri()
    page = open_page(f"{report}#case-1_3")
    page.wait_for_selector("p.question")
    assert page.locator("ol.earlier li").all_inner_texts() == [
        "Show all prices.",
        "Only the highest.",
    ]
    assert page.locator("p.question").inner_text() == "And the lowest?"
    rows = page.locator(".row-question").all_inner_texts()
    assert "And the lowest? (after: Show all prices. / Only the highest.)" in rows
    first = open_page(f"{report}#case-1_1")
    first.wait_for_selector("p.question")
    assert first.locator("ol.earlier").count() == 0
    overview = open_page(report)
    overview.wait_for_selector("text=By turn of the conversation")
    overview.wait_for_selector("text=Interaction match: all turns right, 3 conversations")


def test_the_label_page_shows_the_turns_before(open_page: OpenPage, tmp_path: Path) -> None:
    later = msgspec.structs.replace(
        results()[1], index=0, session="x", turn=3, earlier=("All items?", "Only pens?")
    )
    run = write_run(tmp_path / "run", [later])
    databases = write_database(tmp_path / "databases")
    with label_server(run.folder, databases, "--annotators", "ann") as server:
        page = open_page(server.links["ann"])
        page.wait_for_selector(".question ol.earlier")
        assert page.locator("ol.earlier li").all_inner_texts() == ["All items?", "Only pens?"]
        assert page.locator(".question h1").inner_text() == later.question
