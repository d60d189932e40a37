"""Hostile content is inert in ``report.html``, with the content security policy on."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_parts import Faults, OpenPage
from report_runs import PAYLOADS, hostile, write_run

from sqlverdict.report.html.page import write_page


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    name = " ".join(PAYLOADS[:3])
    run = write_run(
        folder / "run",
        hostile(),
        name,
        benchmark=PAYLOADS[1],
        notes=PAYLOADS,
        inputs={PAYLOADS[2]: PAYLOADS[3]},
        stages={"policy": "strict", PAYLOADS[4]: PAYLOADS[5]},
    )
    other = write_run(folder / "other", hostile(), PAYLOADS[7])
    return write_page(folder / "report.html", [run, other], command=PAYLOADS[1])


def test_every_case_shows_its_payload_as_text(open_page: OpenPage, page_file: Path) -> None:
    page = open_page(page_file)
    page.wait_for_selector("body[data-ready]")
    page.keyboard.press("c")
    for index, text in enumerate(PAYLOADS):
        if index:  # The first one is shown at once.
            page.keyboard.press("j")
        page.wait_for_selector(f"[aria-selected=true][aria-rowindex='{index + 2}']")
        page.wait_for_selector("#case section.scores")
        question = page.inner_text("#case .question")
        assert question.replace(" ", "")[:12] == _escaped(text).replace(" ", "")[:12]
        page.locator("#case details").evaluate_all(
            "all => all.forEach(each => { each.open = true })"
        )
        assert "9007199254740993" in page.inner_text("#case .witness")
    counts = page.evaluate(
        "({scripts: document.scripts.length, blocks: document.querySelectorAll('script[type]').length,"
        " odd: document.querySelectorAll('main img, main svg script, iframe, main style, main script, [onerror], [onload]').length})"
    )
    assert counts["odd"] == 0
    assert counts["scripts"] == counts["blocks"] + 1, "our own script alone is run"


def test_every_view_is_inert(open_page: OpenPage, page_file: Path) -> None:
    page = open_page(page_file)
    page.wait_for_selector("body[data-ready]")
    for view in ("overview", "summary", "systems", "metrics", "reliability", "run", "cases"):
        page.evaluate(f"location.hash = '#{view}'")
        page.wait_for_selector(f"#{view}", state="visible")
    text = page.evaluate("document.body.innerText + document.title")
    assert "\u202e" not in text
    assert "\u2066" not in text
    assert "\x1b" not in text


def test_the_policy_stops_a_script_that_got_into_the_page(
    open_page: OpenPage, faults: Faults, page_file: Path
) -> None:
    """Were text ever read as HTML, the content security policy would still stop it."""
    page = open_page(page_file)
    page.wait_for_selector("body[data-ready]")
    page.evaluate(
        """document.querySelector('main').innerHTML = '<img src=x onerror="window.ran = 1">';
        const script = document.createElement('script');
        script.textContent = 'window.ran = 2';
        document.body.append(script)"""
    )
    faults.wait_for(page, "inline event handler", "inline script")
    assert page.evaluate("window.ran") is None
    blocked, faults.messages = faults.messages, []
    assert all("Content Security Policy" in each for each in blocked)
    assert len(blocked) >= 2


def _escaped(text: str) -> str:
    from sqlverdict.files.escapes import escaped

    return escaped(text)
