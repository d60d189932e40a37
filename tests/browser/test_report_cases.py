"""The cases of ``report.html``: what is wrong first, a column a system, differences that matter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser_parts import PHONE, OpenPage, address_of
from report_runs import opened, result, witness, write_run

from sqlverdict.evidence import Tested
from sqlverdict.records import Verdict
from sqlverdict.report.html.page import write_page

UNSCORED = "\N{EN DASH}"
WRONG = ["q2", "q4", "q6", "q7", "q8", "q12"]
"""The wrong answers of the first system, in the order of the benchmark."""


def ids(page: Any, most: int) -> list[str]:
    texts = page.locator(".row-facts").all_inner_texts()
    return [text.split()[0] for text in texts[:most]]


def cells(page: Any, row: int) -> list[str]:
    return page.locator(".row").nth(row).locator(".mark-cell").all_inner_texts()


def head(page: Any, name: str) -> Any:
    return page.locator("[role=columnheader] button", has_text=name)


def heads(page: Any) -> dict[str, str]:
    """How the list is sorted by each column."""
    return {
        head.inner_text().split()[0]: head.get_attribute("aria-sort")
        for head in page.locator("[role=columnheader]").all()
    }


def test_the_list_opens_on_what_is_wrong_with_the_first_case_shown(
    open_file: OpenPage, report: Path
) -> None:
    page = opened(open_file, report, "#cases")
    page.wait_for_selector("#case-title:text-is('Case q2')")
    assert ids(page, 8) == [*WRONG, "q10", "q11"], "then what abstained wrongly, and the unscored"
    assert page.locator(".row.selected").inner_text().startswith("How many items has shop 2?")
    assert page.inner_text("#case .first-sentence")
    assert page.locator("[data-facet=part]").is_visible()
    assert page.locator("[data-facet=db]").is_visible()
    page.fill("#search", "shop 25?")
    page.wait_for_selector("#case-title:text-is('Case q25')")


def test_every_system_has_a_column_and_every_verdict_a_cell(
    open_file: OpenPage, report: Path
) -> None:
    page = opened(open_file, report, "#cases")
    assert heads(page) == {"Question": "none", "mine": "ascending", "other": "none"}
    assert cells(page, 0) == ["✗\nwrong", "✗\nwrong"]
    head(page, "other").click()
    page.wait_for_selector("#case-title:text-is('Case q1')")
    assert heads(page) == {"Question": "none", "mine": "none", "other": "ascending"}
    assert ids(page, 3) == ["q1", "q2", "q4"]
    assert cells(page, 0) == ["✓\nright", "✗\nwrong"]
    head(page, "other").click()
    page.wait_for_selector("[aria-sort=descending]")
    assert ids(page, 1) == ["q9"], "the right abstention"
    head(page, "Question").click()
    page.wait_for_selector("#case-title:text-is('Case q0')")
    head(page, "Question").click()
    page.wait_for_selector("#case-title:text-is('Case q299')")
    page.select_option("[data-key=order]", "disagree")
    page.wait_for_selector("#case-title:text-is('Case q1')")
    assert ids(page, 2) == ["q1", "q20"]


def test_a_cell_shows_the_answer_of_its_system_and_the_list_stays(
    open_file: OpenPage, report: Path
) -> None:
    page = opened(open_file, report, "#cases?order=disagree")
    page.wait_for_selector("#case-title:text-is('Case q1')")
    page.locator(".row").nth(1).locator(".mark-cell").nth(1).click()
    page.wait_for_selector("#case-title:text-is('Case q20')")
    page.wait_for_selector(".switch [aria-pressed=true]:has-text('other')")
    assert page.inner_text("#case .verdict-line .chip") == "wrong"
    assert page.locator("#system").input_value() == "0"
    assert ids(page, 2) == ["q1", "q20"]
    assert "answer=other" in address_of(page)
    page.locator("#rows").press("ArrowLeft")
    page.wait_for_selector(".switch [aria-pressed=true]:has-text('mine')")
    assert page.inner_text("#case .verdict-line .chip") == "right"
    assert "answer=" not in address_of(page)
    page.locator("#rows").press("ArrowRight")
    page.wait_for_selector(".mark-cell.shown:has-text('wrong')")


def test_the_legend_has_every_verdict_and_filters_by_it(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#cases")
    legend = page.locator("#marks button").all_inner_texts()
    assert [" ".join(text.split()) for text in legend] == [
        "✗ wrong 6", "⊘ abstained wrongly 1", f"{UNSCORED} unscored 1", "✓ right 291", "○ abstained correctly 1",
    ]  # fmt: skip
    page.locator("#marks button", has_text="abstained correctly").click()
    page.wait_for_selector("#shown-count:text-is('1 of 300 cases')")
    page.wait_for_selector("#case-title:text-is('Case q9')")
    page.locator("#marks [aria-pressed=true]").click()
    page.wait_for_selector("#shown-count:text-is('300 cases')")


def test_a_right_abstention_has_a_colour_of_its_own(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#cases")
    colours = page.evaluate(
        "() => [...document.querySelectorAll('#marks .mark')].map(each => getComputedStyle(each).backgroundColor)"
    )
    assert len(set(colours)) == len(colours)
    page = opened(open_file, report, "#case-q9")
    page.wait_for_selector("#case .chip.verdict-abstained_right")
    chip = page.evaluate(
        "() => getComputedStyle(document.querySelector('#case .chip.verdict-abstained_right')).backgroundColor"
    )
    assert colours.count(chip) == 1


@pytest.fixture
def lucky(tmp_path: Path) -> Path:
    """One system: a right answer, a lucky one, and a wrong one."""
    lucky = {"evidence": (Tested("compare"), witness()), "situation": "ordinary_witness"}
    kinds = [{}, lucky, {"verdict": Verdict.INCORRECT, "situation": "difference"}]
    results = [result(i, **{"verdict": Verdict.CORRECT, **each}) for i, each in enumerate(kinds)]
    return write_page(tmp_path / "report.html", [write_run(tmp_path / "run", results, "mine")])


def test_what_is_right_by_luck_is_told_from_what_is_right(open_file: OpenPage, lucky: Path) -> None:
    page = opened(open_file, lucky, "#cases")
    assert ids(page, 3) == ["q2", "q1", "q0"]
    assert [cells(page, row) for row in range(3)] == [
        ["✗\nwrong"],
        ["✓\nright by luck"],
        ["✓\nright"],
    ]
    legend = [" ".join(text.split()) for text in page.locator("#marks button").all_inner_texts()]
    assert legend == ["✗ wrong 1", "✓ right 2", "✓ of these by luck 1"]
    page.locator("#marks button", has_text="of these by luck").click()
    page.wait_for_selector("#shown-count:text-is('1 of 3 cases')")
    page.locator("#marks button", has_text="right 2").click()
    page.wait_for_selector("#shown-count:text-is('2 of 3 cases')")


def test_a_phone_has_the_list_alone_with_its_legend(open_file: OpenPage, report: Path) -> None:
    page = opened(open_file, report, "#cases", viewport=PHONE)
    page.wait_for_selector(".row")
    assert not page.locator("#case").is_visible()
    assert page.locator("#marks button").first.is_visible()
    assert not page.locator("[data-facet=db]").is_visible()
    page.get_by_text("More filters").click()
    page.wait_for_selector("[data-facet=db]", state="visible")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


JOIN = "FROM singer JOIN concert ON singer.id = concert.singer"
DIFFERENCES: tuple[tuple[str, str, list[str], list[str]], ...] = (
    ("SELECT age FROM singer", "SELECT singer.age FROM singer", [], []),
    ("SELECT T1.age FROM singer AS T1 WHERE age > 3", "SELECT age FROM singer WHERE singer.age > 3",
     [], []),
    ("SELECT * FROM singer", "SELECT singer.* FROM singer", [], []),
    (f"SELECT age, year {JOIN}", f"SELECT singer.age, concert.year {JOIN}", [], []),
    (f"SELECT singer.age {JOIN}", f"SELECT concert.age {JOIN}", ["singer.age"], ["concert.age"]),
    (f"SELECT * {JOIN}", f"SELECT singer.* {JOIN}", ["*"], ["singer.*"]),
    # The table is not the one that the name can mean.
    ("SELECT age FROM singer", "SELECT concert.age FROM concert", ["age", "singer"],
     ["concert.age", "concert"]),
    # In the inner query `age` is concert's, wherever concert has one.
    ("SELECT 1 FROM singer WHERE id IN (SELECT singer FROM concert WHERE age > 3)",
     "SELECT 1 FROM singer WHERE id IN (SELECT singer FROM concert WHERE singer.age > 3)",
     ["age"], ["singer.age"]),
    # An output's name comes first in ORDER BY.
    ("SELECT max(year) AS age FROM singer ORDER BY age", "SELECT max(year) AS age FROM singer ORDER BY singer.age",
     ["age"], ["singer.age"]),
    # USING merges columns.
    ("SELECT id FROM singer LEFT JOIN concert USING (id)", "SELECT concert.id FROM singer LEFT JOIN concert USING (id)",
     ["id"], ["concert.id"]),
    # A table that is there twice.
    ("SELECT age FROM singer", "SELECT s.age FROM main.singer AS s", [], []),
    ("SELECT age FROM singer", "SELECT main.singer.age FROM main.singer", [], []),
    ("SELECT age FROM singer", "SELECT age FROM other.singer", [], ["other."]),
    ("SELECT T1.age FROM singer AS T1 JOIN singer AS T2 ON T1.id = T2.id",
     "SELECT T2.age FROM singer AS T1 JOIN singer AS T2 ON T1.id = T2.id", ["T1.age"], ["T2.age"]),
)  # fmt: skip


def test_the_name_of_a_table_before_a_column_is_no_difference_where_it_says_nothing(
    open_file: OpenPage, tmp_path: Path
) -> None:
    results = [
        result(i, gold=(gold,), prediction=prediction)
        for i, (gold, prediction, _, _) in enumerate(DIFFERENCES)
    ]
    file = write_page(tmp_path / "report.html", [write_run(tmp_path / "run", results, "mine")])
    page = opened(open_file, file, "#cases")
    for i, (gold, prediction, removed, added) in enumerate(DIFFERENCES):
        page.evaluate(f"location.hash = '#case-q{i}'")
        page.wait_for_selector(f"#case-title:text-is('Case q{i}')")
        cells = [page.locator(f".clauses {tag}").all_inner_texts() for tag in ("del", "ins")]
        assert cells == [removed, added], (gold, prediction)
