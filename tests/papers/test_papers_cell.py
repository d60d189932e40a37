"""Ours beside a printed number: precision, halves, units, words."""

from __future__ import annotations

import pytest

from sqlverdict.papers.cell import PaperCell, printed_number


def cell(ours: float | str | None, paper: str) -> PaperCell:
    return PaperCell("row", "column", ours, paper)


@pytest.mark.parametrize(
    ("ours", "paper", "difference", "text"),
    [
        (71.4700, "71.5", "equal", "71.5"),
        (71.4499, "71.5", "-0.1", "71.4"),
        (71.55, "71.5", "equal", "71.5"),  # a half may have been rounded down
        (71.45, "71.5", "equal", "71.5"),  # or up
        (71.5501, "71.5", "+0.1", "71.6"),
        (100 * 0.145, "14.5", "equal", "14.5"),
        (62.0, "62.00", "equal", "62.00"),
        (63.63, "62.00", "+1.63", "63.63"),
        (-1_249.0, "-1.2K", "equal", "-1.2K"),
        (-1_251.0, "-1.2K", "-0.1K", "-1.3K"),
        (-6_227.4, "-19.1K", "+12.9K", "-6.2K"),
        (527, "525", "+2", "527"),
        (934, "934", "equal", "934"),
        (-0.01, "0.0", "equal", "0.0"),
        (1_034, "1,034", "equal", "1,034"),
        (58.13, "58.13 %", "equal", "58.13"),
        (-111.2, "−111.2", "equal", "-111.2"),  # noqa: RUF001
    ],
)
def test_a_number_is_equal_within_half_a_unit_of_the_last_digit(
    ours: float, paper: str, difference: str, text: str
) -> None:
    one = cell(ours, paper)
    assert (one.difference, one.our_text) == (difference, text)


@pytest.mark.parametrize(
    ("ours", "paper", "difference", "text"),
    [
        (None, "71.5", "", "–"),  # noqa: RUF001
        (71.47, "", "", "71.5"),
        (36, "", "", "36"),
        (71.47, "about 70", "", "71.5"),
        ("-", "70", "", "-"),
    ],
)
def test_a_number_beside_words_has_no_difference(
    ours: float | str | None, paper: str, difference: str, text: str
) -> None:
    one = cell(ours, paper)
    assert (one.difference, one.our_text) == (difference, text)


def test_words_are_equal_or_not() -> None:
    assert cell("different", "different").difference == "equal"
    assert cell("different", "equal").difference == "not equal"


@pytest.mark.parametrize("text", ["", "DAIL", "1 of 2", "71.", ".5", "1.2.3", "nan", "K"])
def test_words_are_no_number(text: str) -> None:
    assert printed_number(text) is None


def test_a_difference_adds_up_with_what_is_printed() -> None:
    one = cell(80.4526, "79.8")
    assert (one.our_text, one.paper, one.difference) == ("80.5", "79.8", "+0.7")


def test_what_follows_from_the_papers_own_numbers_is_not_called_equal() -> None:
    cell = PaperCell("a", "rank", "first", "first", from_print=True)
    assert (cell.difference, cell.agreement) == ("equal", "follows")
    assert PaperCell("a", "rank", "first", "first").agreement == "equal"
    assert PaperCell("a", "rank", "second", "first", from_print=True).agreement == "not equal"
