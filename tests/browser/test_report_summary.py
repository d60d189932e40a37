"""The summary of ``report.html``: three numbers and three examples on one screen and one sheet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser_parts import PHONE, VIEWPORT, OpenPage, address_of
from report_runs import every_kind, opened, result, witness, write_run

from sqlverdict.records import Verdict
from sqlverdict.report.html.page import write_page


def test_three_numbers_and_three_examples_fit_one_screen(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#summary")
    page.wait_for_selector(".example >> nth=2")
    figures = [" ".join(text.split()) for text in page.locator(".figure").all_inner_texts()]
    assert figures == [
        "98% right 292 of 299 questions; 95% interval 95.2 to 98.9",
        "6 wrong answers 2% of 299 questions",
        "0 answers to look at 1 match by luck is counted as wrong",
    ]
    marks = page.locator(".example .verdict-line").all_inner_texts()
    assert [text.split("\n")[-1] for text in marks] == ["wrong", "wrong", "abstained correctly"]
    assert page.evaluate("document.documentElement.scrollHeight") <= VIEWPORT["height"]
    legend = [
        " ".join(text.split()) for text in page.locator(".verdict-legend a").all_inner_texts()
    ]
    assert legend == [
        "right 291", "abstained correctly 1", "unscored 1", "abstained wrongly 1", "wrong 6",
    ]  # fmt: skip
    page.locator(".summary-foot a", has_text="other").click()
    page.wait_for_selector("h1:has-text('How good is other?')")
    page.locator(".example a").first.click()
    page.wait_for_selector("#case-title")
    assert "system=other" in address_of(page)


@pytest.mark.parametrize(
    ("policy", "verdict", "words"),
    [
        ("strict", Verdict.INCORRECT, "0 answers to look at 1 match by luck is counted as wrong"),
        ("intent", Verdict.CORRECT, "1 answer to look at 1 right by luck"),
        ("results", Verdict.CORRECT, "1 answer to look at 1 right by luck"),
    ],
)
def test_a_match_by_luck_is_called_what_the_policy_makes_of_it(
    open_file: OpenPage, tmp_path: Path, policy: str, verdict: Verdict, words: str
) -> None:
    lucky = result(0, verdict, evidence=(witness(),), situation="ordinary_witness")
    stages = {"policy": policy, "refute": "small"}
    run = write_run(tmp_path / "run", [lucky, result(1)], "mine", stages=stages)
    page = opened(open_file, write_page(tmp_path / "report.html", [run]), "#summary")
    page.wait_for_selector(".figure-mid")
    assert " ".join(page.locator(".figure-mid").inner_text().split()) == words


@pytest.mark.parametrize(
    ("stages", "words"),
    [
        ({"refute": "small"}, "none is right by luck, none is open"),
        ({}, "none is open; matches by luck were not searched"),
        ({"search": "none was possible"}, "none is open; matches by luck were not searched"),
    ],
)
def test_without_a_search_nothing_is_said_of_luck(
    open_file: OpenPage, tmp_path: Path, stages: dict[str, str], words: str
) -> None:
    run = write_run(tmp_path / "run", [result(0)], "mine", stages={"policy": "intent", **stages})
    page = opened(open_file, write_page(tmp_path / "report.html", [run]), "#summary")
    page.wait_for_selector(".figure-mid")
    assert page.locator(".figure-mid").inner_text().endswith(f"\n{words}")


def test_it_prints_on_one_sheet_and_nothing_else(
    open_file: OpenPage, report: Path, tmp_path: Path
) -> None:
    long = "How many items of every kind did each of the shops sell in the years before? " * 6
    results = [result(index, question=long) for index in range(3)]
    results += [result(index, Verdict.INCORRECT, question=long) for index in range(3, 6)]
    wordy = write_page(tmp_path / "report.html", [write_run(tmp_path / "run", results, "wordy")])
    for file in (report, wordy):
        page = opened(open_file, file, "#summary")
        page.wait_for_selector(".example >> nth=1")
        for paper in ("A4", "Letter"):
            sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))
            assert len(sheets) == 1, (file, paper)
        page.emulate_media(media="print")
        assert page.locator(".figure").first.is_visible()
        assert not page.locator("#overview").is_visible()
        assert not page.get_by_role("button", name="Print").is_visible()
        page.emulate_media(media="null")


@pytest.mark.parametrize("many", [0, 1, len(every_kind())])
def test_a_run_of_any_size_has_a_summary(open_file: OpenPage, tmp_path: Path, many: int) -> None:
    run = write_run(tmp_path / "run", every_kind()[:many], "mine")
    page = opened(open_file, write_page(tmp_path / "report.html", [run]), "#summary")
    page.wait_for_selector(f".example >> nth={min(many, 3) - 1}" if many else ".figure")
    assert page.locator(".figure").count() == 3
    assert page.locator(".example").count() == min(many, 3)


def test_the_legend_of_the_bars_has_the_parts_of_every_system(
    open_file: OpenPage, tmp_path: Path
) -> None:
    runs = [
        write_run(tmp_path / name, results, name)
        for name, results in (
            ("plain", [result(index) for index in range(9)]),
            ("all", every_kind()[:10]),
        )
    ]
    page = opened(open_file, write_page(tmp_path / "report.html", runs))
    legend = page.locator(".legend li", has_text="abstained correctly")
    assert legend.inner_text().split("\n") == ["abstained correctly", "0", "0.0%"]
    assert legend.locator("a").count() == 0
    colour = "each => getComputedStyle(each).backgroundColor"
    piece = page.locator(".bar-row:not(.current) .part-abstained_right")
    assert legend.locator(".swatch").evaluate(colour) == piece.evaluate(colour)


def test_no_table_is_cut_on_a_phone(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, viewport=PHONE)
    names = page.locator("nav a").evaluate_all("all => all.map(each => each.dataset.section)")
    assert {"overview", "summary", "systems", "metrics", "reliability", "run"} <= set(names)
    for name in names:
        page.evaluate(f"location.hash = '#{name}'")
        page.wait_for_selector(f"#{name}", state="visible")
        cut = page.evaluate(
            """() => [...document.querySelectorAll('main .view:not(#cases) *')]
            .filter(each => each.getClientRects().length && each.scrollWidth > each.clientWidth + 1
              && getComputedStyle(each).overflowX !== 'visible' && getComputedStyle(each).clipPath === 'none')
            .map(each => each.outerHTML.slice(0, 120))"""
        )
        assert cut == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name
    page.evaluate("location.hash = '#overview'")
    labels = page.locator("#overview table.metrics").first.locator("tbody tr td[data-label]")
    assert labels.first.evaluate("each => getComputedStyle(each, '::before').content") == '"value "'
