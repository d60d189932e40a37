"""The page of ``audit --propose``: accept, edit, reject; the overlay that it saves gives the golds."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from browser_parts import PHONE, OpenPage, accessibility_problems
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict
from sqlverdict.load.overlays import read_overlay
from sqlverdict.runlog.run import read_run

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Bergen', 280), (3, 'Hamar', 30), (4, 'Moss', 30);
CREATE TABLE shop (id INTEGER PRIMARY KEY, city_id INTEGER, kind TEXT);
INSERT INTO shop VALUES (1, 1, 'books'), (2, 1, 'tea'), (3, 2, 'tea'), (4, 2, 'tea');
"""
TEA = "SELECT DISTINCT c.name FROM city AS c JOIN shop AS s ON s.city_id = c.id WHERE s.kind = "
CASES = (
    ("kinds", f"How many kinds? {HOSTILE}", "SELECT COUNT(kind) FROM shop",
     "SELECT COUNT(DISTINCT kind) FROM shop"),
    ("small", "Which cities are the smallest?", "SELECT name FROM city ORDER BY people LIMIT 1",
     "SELECT name FROM city WHERE people = (SELECT MIN(people) FROM city)"),
    ("tea", "Which cities have a tea shop?", f"{TEA}'Tea'", f"{TEA}'tea'"),
)  # fmt: skip


def call(*words: str | Path) -> None:
    result = CliRunner().invoke(sqlverdict, [str(word) for word in words])
    assert result.exit_code == 0, result.output


@pytest.fixture
def audited(tmp_path: Path) -> Path:
    """A folder with cases, two runs of one set of queries, and the page."""
    folder = tmp_path / "databases" / "town"
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "town.sqlite")) as connection:
        connection.executescript(DATA)
    cases = [
        {"id": name, "db_id": "town", "question": question, "gold": gold}
        for name, question, gold, _ in CASES
    ]
    write_lines(tmp_path / "cases.jsonl", cases)
    predictions = [{"id": name, "sql": sql} for name, _, _, sql in CASES]
    where = ("--cases", tmp_path / "cases.jsonl", "--databases", tmp_path / "databases")
    for system in ("a", "b"):
        write_lines(tmp_path / f"{system}.jsonl", predictions)
        run = ("--predictions", tmp_path / f"{system}.jsonl", "--out", tmp_path / system)
        call("evaluate", *where, *run, "--workers", "0")
    runs = (tmp_path / "a", tmp_path / "b")
    page = ("--out", tmp_path / "review.html", "--set", "min-rank=0")
    call("audit", *runs, *where, "--propose", *page)
    return tmp_path


def write_lines(path: Path, records: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))


def test_decisions_become_an_overlay_that_a_run_reads(open_page: OpenPage, audited: Path) -> None:
    page = open_page(audited / "review.html")
    page.wait_for_selector(".candidate")
    assert accessibility_problems(page) == []
    order = page.evaluate("() => page.store.items.map((item) => item.id)")
    assert sorted(order) == sorted(name for name, *_ in CASES)
    page.click("#download")
    page.wait_for_selector("text=Enter your name first")
    page.fill("#by", "Ann Reviewer")
    page.keyboard.press("Escape")
    for name in order:
        if name == "small":
            page.keyboard.press("e")
            page.fill("#edited", "SELECT name FROM city WHERE people < 100")
            page.fill("#note", "both of them")
            page.focus("#edited")
            page.keyboard.press("Control+Enter")
        else:
            page.keyboard.press("1" if name == "kinds" else "4")
    page.wait_for_selector("text=3 golds decided, 0 skipped.")
    page.keyboard.press("u")
    assert page.inner_text("#done") == "2 of 3"
    page.reload()
    page.wait_for_selector(".candidate")
    assert page.inner_text("#done") == "2 of 3"
    assert page.input_value("#by") == "Ann Reviewer"
    if order[-1] == "small":
        page.keyboard.press("e")
        page.fill("#edited", "SELECT name FROM city WHERE people < 100")
        page.fill("#note", "both of them")
        page.click("#accept-edited")
    else:
        page.keyboard.press("1" if order[-1] == "kinds" else "4")
    page.wait_for_selector("text=3 golds decided, 0 skipped.")
    with page.expect_download() as download:
        page.click("#download")
    overlay = audited / "golds.jsonl"
    download.value.save_as(overlay)
    assert download.value.suggested_filename == "golds-Ann-Reviewer.jsonl"
    check_overlay(overlay)
    check_run(audited, overlay)


def check_overlay(overlay: Path) -> None:
    golds = read_overlay("review", overlay).golds
    assert golds["kinds"].golds == ("SELECT COUNT(DISTINCT kind) FROM shop",)
    assert golds["small"].golds == ("SELECT name FROM city WHERE people < 100",)
    assert golds["tea"].golds == (f"{TEA}'Tea'",)
    assert {each.by for each in golds.values()} == {"Ann Reviewer"}
    assert golds["small"].reason == "both of them; written by the reviewer"
    records = {each["id"]: each for each in map(json.loads, overlay.read_text().splitlines())}
    kinds = records["kinds"]
    assert kinds["decision"] == "accepted"
    assert kinds["before"] == ["SELECT COUNT(kind) FROM shop"]
    assert kinds["candidate"]["number"] == 1
    assert kinds["candidate"]["systems"] == ["a", "b"]
    assert kinds["at"].endswith("Z")
    assert records["small"]["decision"] == "edited"
    assert records["tea"]["decision"] == "stays"
    assert records["tea"]["candidate"] is None


def check_run(audited: Path, overlay: Path) -> None:
    """A run with the overlay has the new golds, and says so."""
    call("leaderboard", audited / "a", "--golds", f"review={overlay}", "--out", audited / "new")
    run = read_run(audited / "new" / "a" / "review")
    assert "gold overlay review" in run.manifest.benchmark
    results = {each.id: each for each in run.results()}
    assert results["kinds"].gold == ("SELECT COUNT(DISTINCT kind) FROM shop",)
    assert results["kinds"].verdict == "correct"
    assert results["small"].verdict == "correct"
    assert results["tea"].gold == (f"{TEA}'Tea'",)


def test_the_page_fits_a_phone_and_reads_hostile_text_as_text(
    open_page: OpenPage, audited: Path
) -> None:
    page = open_page(audited / "review.html")
    page.set_viewport_size(PHONE)
    for _ in CASES:
        page.wait_for_selector(".candidate")
        width = page.evaluate("() => document.documentElement.scrollWidth")
        assert width <= PHONE["width"]
        page.keyboard.press("ArrowRight")
    assert accessibility_problems(page) == []
    page.keyboard.press("l")
    page.wait_for_selector("#jump[open]")
    assert HOSTILE in page.inner_text("#jump-items")
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    assert page.inner_text("#done") == "1 of 3"
    page.click("#download")
    page.fill("#by", "Bo")
    page.click("#download")
    page.wait_for_selector("text=No gold is decided yet.")
