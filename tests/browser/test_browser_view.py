"""``sqlverdict view`` in a real browser: runs are chosen, queries are tried, lists are exported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from browser_parts import Faults, OpenPage, accessibility_problems, address_of

from label_runs import HOSTILE, PAIRS, write_database
from timeouts import HANG_SECONDS

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")

LUCKY = "SELECT name FROM item WHERE price > 1"


def command(folder: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "sqlverdict", *words]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, made as a user makes them."""
    folder = tmp_path_factory.mktemp("view")
    write_database(folder)
    with (folder / "cases.jsonl").open("w") as cases:
        for number, (question, gold, _) in enumerate(PAIRS):
            record = {"id": str(number), "db_id": "shop", "question": question, "gold": gold}
            cases.write(json.dumps(record) + "\n")
    for name, own in (("mine", {}), ("better", {"1": LUCKY})):
        answers = {str(i): pair[2] for i, pair in enumerate(PAIRS)} | own
        (folder / f"{name}.json").write_text(json.dumps(answers))
    line = command(folder, "evaluate", "--cases", "cases.jsonl", "--databases", ".", "--predictions",
                   "mine.json", "--predictions", "better.json", "--out", "runs", "--metrics",
                   "ex,verdict", "--workers", "0", "--quiet")  # fmt: skip
    subprocess.run(line, cwd=folder, check=False, timeout=HANG_SECONDS, stdout=subprocess.DEVNULL)
    return folder


@contextmanager
def view_server(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address that the command prints, and its process."""
    line = command(folder, "view", "runs/mine", "runs/better", "--no-browser")
    process = subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.terminate()
        process.wait(HANG_SECONDS)
        process.stdout.close()


@pytest.fixture(scope="module")
def link(folder: Path) -> Iterator[str]:
    with view_server(folder) as (address, _):
        yield address


def open_view(open_page: OpenPage, link: str, **options):  # type: ignore[no-untyped-def]
    page = open_page(link, **options)
    page.wait_for_selector("body[data-ready]")
    assert "token" not in address_of(page)
    return page


def show_case(page, case_id: str) -> None:  # type: ignore[no-untyped-def]
    page.evaluate("address => { location.hash = address; }", f"#case-{case_id}?system=mine")
    page.wait_for_selector(".playground")


def test_changed_queries_are_run_with_proof_and_witness(open_page: OpenPage, link: str) -> None:
    page = open_view(open_page, link)
    show_case(page, "1")
    page.fill("#try-prediction", LUCKY)
    page.click("#try-run")
    page.wait_for_selector("#tried .witness")
    assert page.inner_text("#tried .chip") == "right"
    assert "by the intent policy" in page.inner_text("#tried")
    page.wait_for_selector("#try-run:focus")
    page.fill("#try-prediction", "SELECT name FROM item WHERE price > 2")
    page.click("#try-run")
    page.wait_for_selector("#tried .results tr.missing:has-text('pen')")
    page.fill("#try-prediction", "SELECT T.name FROM item AS T WHERE 1 = 1")
    page.press("#try-prediction", "Control+Enter")
    page.wait_for_selector("#tried .derivation, #tried .evidence.proved")
    assert page.inner_text("#tried .chip") == "right"
    page.fill("#try-prediction", "DELETE FROM item")
    page.press("#try-prediction", "Control+Enter")
    page.wait_for_selector("#tried .reasons")
    assert "WRITE_BLOCKED" in page.inner_text("#tried")
    assert accessibility_problems(page) == []


def test_a_server_that_is_gone_is_said_to_be_gone(
    open_page: OpenPage, folder: Path, faults: Faults
) -> None:
    with view_server(folder) as (address, process):
        page = open_view(open_page, address)
        show_case(page, "1")
        process.terminate()
        process.wait(HANG_SECONDS)
        page.click("#try-run")
        page.wait_for_selector("#tried :text('Start sqlverdict view again')")
        assert "net::ERR_" in faults.wait_for(page, "net::ERR_")
    faults.messages.clear()


def test_a_wrong_token_is_not_the_browsers_fault(
    open_page: OpenPage, link: str, faults: Faults
) -> None:
    page = open_page(link.partition("=")[0] + "=other")
    page.wait_for_selector("[role=alert]")
    assert "token" in page.inner_text("[role=alert]")
    assert "browser of 2023" not in page.inner_text("[role=alert]")
    assert "script error" in faults.wait_for(page, "403", "script error")
    faults.messages.clear()


def test_hostile_texts_stay_texts(open_page: OpenPage, link: str) -> None:
    page = open_view(open_page, link)
    show_case(page, "2")
    assert HOSTILE in page.inner_text("#case .question")
    page.fill("#try-prediction", f"SELECT '{HOSTILE}' AS \"{HOSTILE}\"")
    page.click("#try-run")
    page.wait_for_selector("#tried .chip")
    assert HOSTILE in page.inner_text("#tried")
    assert page.query_selector("#case img") is None


def test_runs_are_chosen_and_compared(open_page: OpenPage, link: str) -> None:
    page = open_view(open_page, link)
    assert page.query_selector("[data-section=systems]") is not None
    page.click("#run-choice summary")
    page.uncheck("#run-choice input[value='0']")
    page.click("#run-choice button")
    page.wait_for_selector("text=Runs: 1 of 2")
    page.wait_for_selector("body[data-ready]")
    assert page.query_selector("[data-section=systems]") is None


def test_what_is_filtered_is_exported(open_page: OpenPage, link: str, folder: Path) -> None:
    page = open_view(open_page, link)
    page.evaluate("() => { location.hash = '#cases?q=names&system=better'; }")
    page.wait_for_selector("#export-lines")
    page.wait_for_function(
        "() => document.getElementById('shown-count').textContent.startsWith('1 ')"
    )
    with page.expect_download() as download:
        page.click("#export-lines")
    (line,) = Path(download.value.path()).read_text().splitlines()
    assert (json.loads(line)["id"], json.loads(line)["prediction"]) == ("1", LUCKY)
    page.evaluate("() => { location.hash = '#cases?system=better'; }")
    page.wait_for_function(
        "many => document.getElementById('shown-count').textContent.startsWith(many)",
        arg=f"{len(PAIRS)} ",
    )
    with page.expect_download() as download, page.expect_request("**/api/export") as request:
        page.click("#export-lines")
    assert len(Path(download.value.path()).read_text().splitlines()) == len(PAIRS)
    ranges = request.value.post_data_json["ranges"]
    assert ranges == [[0, len(PAIRS)]], "one range, however many cases"


def test_nobody_asks_without_the_token_or_from_another_site(link: str) -> None:
    address, _, token = link.partition("/#token=")
    own = {"x-sqlverdict-token": token, "origin": address}
    for headers, status in (
        (own, 200),
        ({"origin": address}, 403),
        ({**own, "x-sqlverdict-token": "x" * 32}, 403),
        ({**own, "origin": "http://evil.example"}, 403),
        ({**own, "host": "evil.example"}, 403),
        ({**own, "sec-fetch-site": "cross-site"}, 403),
    ):
        request = Request(f"{address}/api/runs", b"{}", headers, method="POST")
        try:
            reply = urlopen(request, timeout=HANG_SECONDS)
        except HTTPError as refusal:
            reply = refusal
        with reply:
            assert reply.status == status, headers
            assert "default-src 'none'" in reply.headers["content-security-policy"]
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"{address}/..%2f..%2fetc%2fpasswd", timeout=HANG_SECONDS)
