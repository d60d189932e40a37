"""``report.html`` in a real browser: search, filters, links, keys, cases, other systems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser_parts import PHONE, OpenPage, address_of
from msgspec.structs import replace
from report_runs import opened, result, witness, write_run

from sqlverdict.evidence_parts import TableExcerpt
from sqlverdict.records import Verdict
from sqlverdict.report.html.build import make_document
from sqlverdict.report.html.page import save_page, write_page


def rows(page: Any) -> list[str]:
    return page.locator(".row-facts").all_inner_texts()


def test_the_overview_has_the_sentence_and_the_bar(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report)
    headline = "292 of 299 right (1 by abstaining), 6 wrong, 1 wrongly abstained;"
    assert page.inner_text(".headline").startswith(headline)
    assert page.get_by_text("1 answer matches by luck").count() == 1
    assert page.locator(".bar-row").count() == 2
    assert page.locator(".legend-label").all_inner_texts() == [
        "proved", "equal on the data", "right by a judge", "harmless difference", "lucky match",
        "open difference", "wrong", "failed", "blocked", "abstained correctly", "abstained wrongly",
        "unscored",
    ]  # fmt: skip
    case = opened(open_file, report, "#case-q10")
    assert "wrongly abstained" in case.inner_text("#case section.scores")


def test_a_part_of_the_bar_filters_the_cases(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report)
    page.locator(".bar-row.current .piece[data-part=blocked]").click()
    page.wait_for_selector("#shown-count:text-is('1 of 300 cases')")
    assert rows(page) == ["q7 · shop · blocked"]
    page.get_by_role("button", name="Remove filter").click()
    page.wait_for_selector("#shown-count:text-is('300 cases')")
    page.get_by_role("link", name="Overview").click()
    page.locator(".legend a", has_text="lucky match").click()
    page.wait_for_selector("#shown-count:text-is('1 of 300 cases')")


def test_search_and_facets_narrow_the_list(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#cases")
    page.fill("#search", "SHOP = 25 count")
    page.wait_for_selector("#shown-count:text-is('13 of 300 cases')")
    assert rows(page)[0].startswith("q25 ")
    page.select_option("[data-facet=difficulty]", "hard")
    page.wait_for_selector("#shown-count:text-is('4 of 300 cases')")
    assert "q=" in address_of(page)
    assert "difficulty=hard" in address_of(page)
    page.fill("#search", "no such words")
    page.wait_for_selector("text=No case matches")


def test_the_list_draws_only_what_is_in_sight(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#cases?order=benchmark")
    assert page.locator(".row").count() < 40
    page.locator("#rows").press("End")
    page.wait_for_selector(".row.selected:has-text('q299')")
    assert page.locator(".row").count() < 40


def test_a_permalink_opens_a_case_with_its_witness(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#case-q2")
    page.wait_for_selector(".witness")
    assert page.inner_text(".question") == "How many items has shop 2?"
    assert page.inner_text(".knowledge") == "sold means sold = 1"
    tables = page.locator(".witness .tables figure")
    assert tables.count() == 2
    assert "not read by the queries" in tables.nth(1).inner_text()
    assert tables.nth(0).locator("tr.deciding td").last.inner_text() == "NULL"
    assert tables.nth(0).locator("tr.deciding").count() == 1
    assert "only one of the answers depends" in page.inner_text(".witness .hint")
    answers = page.locator(".witness .pair figure")
    assert answers.nth(1).locator("tr.extra").inner_text().split() == [
        "+",
        "only",
        "in",
        "the",
        "prediction",
        "NULL",
    ]
    assert page.locator(".clauses del").all_inner_texts() == ["WHERE t.sold = 1"]
    assert page.locator(".clauses ins").count() == 0, "an alias is no difference"
    assert "ordinary_witness → incorrect" in page.inner_text(".policy summary")
    assert "unless a judge says otherwise" in page.inner_text(".policy summary")


def test_wrong_answers_are_counted_by_feature_and_kind_of_error(
    open_file: OpenPage, report: Path
) -> None:
    page = opened(open_file, report, "#overview")
    table = page.locator(".errors table")
    heads = table.locator("thead th").all_inner_texts()
    assert heads[:3] == ["the gold has", "cases", "wrong"]
    assert heads[-2:] == ["other", "does not run"]
    link = table.locator("td.heat a").first
    many = link.inner_text()
    link.click()
    page.wait_for_selector(".chip.filter:has-text('Kind of error')")
    assert page.inner_text("#shown-count").startswith(f"{many} of ")


def test_a_proof_is_shown_as_steps(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#case-q0")
    page.wait_for_selector(".steps")
    step = page.locator(".steps li")
    assert step.locator(".rule").inner_text() == "count_of_never_null"
    assert step.locator(".facts").inner_text().strip() == "because item.id is never NULL"
    assert step.locator(".change-line code").all_inner_texts() == ["COUNT(item.id)", "COUNT(*)"]
    assert step.locator("del").inner_text() == "item.id"
    assert step.locator("ins").inner_text() == "*"
    assert "SELECT COUNT(*)" in page.inner_text(".form")


def test_an_unknown_case_is_said_to_be_unknown(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#case-nothing%")
    page.wait_for_selector("text=There is no case nothing%")


def test_keys_lead_through_the_page(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report)
    page.keyboard.press("/")
    page.wait_for_selector("#search:focus")
    page.keyboard.type("abstained")
    # What was typed is looked for after a moment: the list is drawn anew then.
    page.wait_for_selector("#shown-count:has-text(' of ')")
    page.keyboard.press("Escape")
    assert page.input_value("#search") == "abstained", "the field says what the list shows"
    page.fill("#search", "")
    page.wait_for_selector("#shown-count:text-is('300 cases')")
    page.select_option("[data-key=order]", "benchmark")
    page.wait_for_selector("#case-title:has-text('Case q0')")
    page.locator("#rows").focus()
    for case in ("q1", "q2"):
        page.keyboard.press("j")
        page.wait_for_selector(f"#case-title:has-text('Case {case}')")
    page.keyboard.press("k")
    page.wait_for_selector("#case-title:has-text('Case q1')")
    page.keyboard.press("s")
    page.wait_for_selector("[aria-pressed=true]:has-text('other')")
    page.keyboard.press("Escape")
    page.wait_for_selector("body[data-view=cases]")
    assert page.inner_text("#case-title") == "Case q1", "the list shows the case one comes from"
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog:not([open])", state="attached")
    page.keyboard.press("o")
    page.wait_for_selector(".headline >> visible=true")


def focus(page: Any) -> str:
    return page.evaluate(
        "(({ id, tagName, textContent }) => id || tagName + textContent)(document.activeElement)"
    )


def test_the_focus_stays_where_the_reader_is(open_file: OpenPage, report: Path) -> None:
    """What is drawn anew does not throw a reader without a mouse back to the top of the page."""
    page = opened(open_file, report)
    page.locator(".legend a", has_text="equal on the data").press("Enter")
    page.wait_for_selector("#rows:focus")
    page.get_by_role("button", name="Remove filter").press("Enter")
    page.wait_for_selector("#rows:focus")
    page.locator("[data-facet=db]").press("ArrowDown")
    page.wait_for_selector("#shown-count[role=status]:text-is('150 of 300 cases')")
    page.wait_for_selector("[data-facet=db]:focus")
    page.locator("#rows").press("ArrowDown")
    page.wait_for_selector("#case-title")
    page.wait_for_selector("#rows:focus")
    page.keyboard.press("Enter")
    page.wait_for_selector("#case-title:focus")
    first = page.inner_text("#case-title")
    page.get_by_role("button", name="Next").press("Enter")
    page.wait_for_selector(f"#case-title:not(:has-text('{first}'))")
    assert focus(page).startswith("BUTTONNext")
    assert page.title().startswith(page.inner_text("#case-title"))
    page.locator(".switch button", has_text="other").press("Enter")
    page.wait_for_selector(".switch [aria-pressed=true]:has-text('other'):focus")
    page.keyboard.press("Escape")
    page.wait_for_selector("#rows:focus")
    page.evaluate("location.hash = '#metrics'")
    page.locator("#metrics select").first.press("ArrowDown")
    assert focus(page).startswith("SELECT")


def test_a_case_keeps_its_list_after_a_reload(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#cases?difficulty=hard&q=shop&order=benchmark&system=other")
    page.wait_for_selector("#shown-count:text-is('100 of 300 cases')")
    page.wait_for_selector("#case-title:has-text('Case q0')")
    page.locator("#rows").press("ArrowDown")
    page.wait_for_selector("#case-title:has-text('Case q3')")
    page.reload()
    page.wait_for_selector("#shown-count:text-is('100 of 300 cases')")
    page.keyboard.press("j")
    page.wait_for_selector("#case-title:has-text('Case q6')")
    page.go_back()
    page.wait_for_selector("#case-title:has-text('Case q3')")
    page.go_back()
    page.wait_for_selector("body[data-view=cases]")
    assert page.inner_text("#shown-count") == "100 of 300 cases"
    assert page.input_value("#search") == "shop"
    # A case that the list of the address lacks is shown all the same, in the whole list.
    page.evaluate("location.hash = '#case-q1?difficulty=hard'")
    page.wait_for_selector("#case-title:has-text('Case q1')")
    assert page.inner_text("#shown-count") == "300 cases"


def test_questions_that_all_or_no_systems_answer_open_in_the_list(
    open_file: OpenPage, report: Path
) -> None:
    page = opened(open_file, report, "#systems")
    line = page.locator("p", has_text="Every system is right on")
    many = line.locator("a").nth(1).inner_text()
    line.locator("a").nth(1).click()
    page.wait_for_selector(f"#shown-count:text-is('{many} of 300 cases')")
    assert "no system is right, by verdict" in page.inner_text("#chips")


def test_gained_and_lost_questions_open_in_the_list(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#systems")
    page.get_by_role("row", name="other").get_by_role("link").nth(0).click()
    page.wait_for_selector("#shown-count:text-is('2 of 300 cases')")
    assert [row.split()[0] for row in rows(page)] == ["q1", "q20"]
    assert page.locator("#system").input_value() == "1"


def test_metrics_that_disagree_name_their_cases(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#metrics")
    cell = page.locator("td.disagree")
    assert cell.count() == 1
    assert "q2" in cell.inner_text()
    cell.locator(".cross-count").click()
    page.wait_for_selector("#shown-count:text-is('1 of 300 cases')")


def test_reliability_follows_its_sliders(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#reliability")
    before = float(page.inner_text("#rs-value"))
    page.locator("#penalty").fill("0")
    assert float(page.inner_text("#rs-value")) > before
    page.locator("#threshold").press("End")
    page.wait_for_selector("text=answer none")
    # Of 299 scored items one is unanswerable and held back; nothing is answered.
    assert float(page.inner_text("#rs-value")) == pytest.approx(100 / 299, abs=0.05)
    assert page.locator(".charts img").count() > 1


def test_systems_are_ranked_by_the_penalty_that_is_chosen(
    open_file: OpenPage, tmp_path: Path
) -> None:
    """A system that answers everything is compared with one that abstains, and pays for harm."""
    bold = [
        result(index, Verdict.CORRECT if index < 6 else Verdict.INCORRECT) for index in range(9)
    ]
    shy = [
        replace(each, prediction=None, abstained=True, verdict=Verdict.ABSTAINED_WRONG)
        if each.index >= 5
        else each
        for each in bold
    ]
    runs = [
        write_run(tmp_path / name, outcome, name)
        for name, outcome in (("bold", bold), ("shy", shy))
    ]
    page = opened(open_file, save_page(tmp_path / "page.html", make_document(runs)), "#reliability")

    def ranks(penalty: str) -> list[tuple[str, str]]:
        page.locator("#penalty").fill(penalty)
        rows = page.locator("#rs-systems tbody tr").all()
        return [
            (row.locator("th").inner_text(), row.locator("td").first.inner_text()) for row in rows
        ]

    assert ranks("0") == [("bold", "66.7"), ("shy", "55.6")]
    assert not page.get_by_text("cost it the first place").count()
    assert ranks("1") == [("shy", "55.6"), ("bold", "33.3")]
    assert page.get_by_text("bold answers the most questions correctly").count() == 1


def test_suspected_golds_lead_to_their_cases(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#golds")
    page.get_by_role("link", name="q12:").click()
    page.wait_for_selector("#case-title:has-text('Case q12')")
    assert "no row has it" in page.inner_text(".suspicion")
    page.evaluate("location.hash = '#golds'")
    page.get_by_role("link", name="Their cases in the list").click()
    page.wait_for_selector("#shown-count:text-is('1 of 300 cases')")


def test_a_phone_shows_a_case_without_the_list(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#case-q2", viewport=PHONE)
    page.wait_for_selector(".witness")
    assert not page.locator("#search").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.get_by_role("button", name="List").click()
    page.wait_for_selector("#search", state="visible")
    page.evaluate("location.hash = '#overview'")
    page.wait_for_selector(".headline", state="visible")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_wide_witness_scrolls_by_itself(open_file: OpenPage, tmp_path: Path) -> None:
    names = tuple(f"a_long_name_of_column_{number}" for number in range(8))
    wide = witness(rows={"item": TableExcerpt(names, (tuple(range(8)),))})
    case = result(0, Verdict.INCORRECT, evidence=(wide,), situation="ordinary_witness")
    file = write_page(tmp_path / "report.html", [write_run(tmp_path / "run", [case], "mine")])
    page = opened(open_file, file, "#case-q0", viewport=PHONE)
    page.wait_for_selector(".witness")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_paper_gets_every_summary_and_no_list(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report)
    page.emulate_media(media="print")
    assert page.locator("#systems h1").is_visible()
    assert page.locator("#run h1").is_visible()
    assert not page.locator("#search").is_visible()
    assert not page.locator("nav").is_visible()


def test_paper_gets_a_case_side_by_side_with_its_system(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#case-q2?system=other", color_scheme="dark")
    page.wait_for_selector(".witness")
    assert not page.locator(".only-printed").is_visible()
    page.set_viewport_size({"width": 720, "height": 1000})  # the width of a sheet of paper
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("strong.only-printed", has_text="other").is_visible()
    sides = page.locator(".clauses tbody tr").first.locator("td")
    gold, prediction = (sides.nth(number).bounding_box() for number in (0, 1))
    assert gold["y"] == prediction["y"]
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(29, 33, 38)", "paper is white, whatever the screen is"


def test_a_small_run_alone_needs_no_choice_of_system(open_file: OpenPage, tmp_path: Path) -> None:
    run = write_run(
        tmp_path / "run", [result(0, confidence=None)], "mine", metrics={"ex": 1}, binary=("ex",)
    )
    page = opened(open_file, write_page(tmp_path / "report.html", [run]))
    assert page.locator("nav a").all_inner_texts() == ["Overview", "Summary", "Cases", "Run"]
    assert not page.locator("#system").is_visible()
