"""Tables show the same in every place, and nothing in a cell breaks out of it."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.files.text import count
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.progress import LiveProgress
from sqlverdict.report.terminal.tables import (
    interval_text,
    markdown,
    p_text,
    percent,
    plain_table,
    points,
    printable,
    short,
    table,
)

STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")


@given(st.text())
def test_no_text_can_steer_a_terminal(text: str) -> None:
    assert not STEERING.search(printable(text))
    assert "\n" not in printable(text, one_line=True)


def test_an_escape_sequence_is_shown_and_not_obeyed() -> None:
    assert printable("SELECT '\x1b[2J'") == "SELECT '\\x1b[2J'"


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=5))
def test_every_line_of_a_markdown_table_has_the_same_cells(rows: list[tuple[str, str]]) -> None:
    lines = markdown(table(("a", "b"), rows)).split("\n")
    assert len(lines) == len(rows) + 2
    assert {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines} == {3}


def test_plain_columns_are_aligned() -> None:
    text = plain_table(table(("name", "n"), [("a", "1"), ("long name", "1,000")], "Title"))
    assert text.splitlines() == [
        "Title",
        "name           n",
        "---------  -----",
        "a              1",
        "long name  1,000",
    ]


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        (percent(0.8123), "81.2%"),
        (percent(None), "–"),  # noqa: RUF001
        (percent(0.0), "0.0%"),
        (points(-0.0123), "-1.2"),
        (points(-0.0), "+0.0"),
        (points(-0.0001), "+0.0"),
        (interval_text(0.5, 0.61), "50.0 to 61.0"),
        (interval_text(-0.018, 0.02, signed=True), "-1.8 to +2.0"),
        (interval_text(None, None), "–"),  # noqa: RUF001
        (p_text(0.0004), "< 0.001"),
        (p_text(0.729), "0.729"),
        (count(1, "case"), "1 case"),
        (count(1200, "case"), "1,200 cases"),
        (short("a\n b" + "c" * 80, 10), "a bcccccc…"),
    ],
)
def test_figures_read_well(figure: str, expected: str) -> None:
    assert figure == expected


@pytest.mark.parametrize("colour", [True, False])
def test_brackets_are_text_and_never_markup(colour: bool) -> None:
    out = io.StringIO()
    screen = Screen(out, colour=colour)
    screen.line("ex[bird] [red]x[/red]", "good")
    screen.table(table(("metric", "value"), [("ex[bird]", "[bold]1[/bold]")]))
    text = out.getvalue()
    assert "ex[bird] [red]x[/red]" in text
    assert "[bold]1[/bold]" in text


def test_an_empty_table_prints_nothing() -> None:
    out = io.StringIO()
    Screen(out).table(table(("a",), []))
    assert out.getvalue() == ""


def test_a_pipe_gets_no_colour_codes() -> None:
    out = io.StringIO()
    Screen(out).line("bad", "bad")
    assert out.getvalue() == "bad\n"


def test_progress_is_quiet_off_a_terminal_until_it_is_time_to_speak() -> None:
    out = io.StringIO()
    with LiveProgress(out) as progress:
        progress.begin(100, 0)
        progress.advance(50)
    assert out.getvalue() == ""
    with LiveProgress(out, say_every=0.0) as progress:
        progress.begin(100, 20)
        progress.advance(30)
    resumed, line = out.getvalue().splitlines()
    assert resumed == "resuming: 20 cases already done; changed ones are run again"
    assert line.startswith("50 of 100 cases (50%), ")
    assert line.endswith(" left")


def test_the_rate_does_not_count_what_was_done_before() -> None:
    progress = LiveProgress(io.StringIO())
    progress.begin(100, 40)
    progress.advance(10)
    assert progress.sentence(5.0) == "50 of 100 cases (50%), 2 a second, 25 s left"
    progress.begin(None, 0)
    progress.advance(10)
    assert progress.sentence(5.0) == "10 cases, 2 a second"
    assert progress.sentence(40.0) == "10 cases, 4 s a case"


def test_the_bar_starts_no_thread() -> None:
    import threading

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    before = threading.active_count()
    out = Terminal()
    with LiveProgress(out) as progress:
        progress.begin(10, 0)
        progress.advance(10)
        assert threading.active_count() <= before
    assert "10/10" in out.getvalue()
