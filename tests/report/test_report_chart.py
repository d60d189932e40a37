"""Charts: well-formed SVG whatever the labels and numbers, with ticks, legend and both grounds."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.errors import UsageError
from sqlverdict.report.charts.chart import Series, bar_chart, line_chart
from sqlverdict.report.charts.parts import (
    COLOURS,
    WIDTH,
    Scale,
    linear_range,
    linear_ticks,
    log_ticks,
    tick_text,
)

SVG = "{http://www.w3.org/2000/svg}"
NUMBERS = st.floats(-1e6, 1e6) | st.sampled_from([math.nan, math.inf, -math.inf, 0.0])
LABELS = st.text(max_size=30)


def texts(svg: str) -> list[str]:
    return [result.text or "" for result in ET.fromstring(svg).iter(f"{SVG}text")]


def elements(svg: str, name: str, kind: str) -> list[ET.Element]:
    result = ET.fromstring(svg).iter(f"{SVG}{name}")
    return [one for one in result if kind in one.get("class", "").split()]


@given(
    title=LABELS,
    labels=st.lists(LABELS, max_size=4),
    points=st.lists(st.tuples(NUMBERS, NUMBERS), max_size=20),
    log=st.booleans(),
)
def test_any_line_chart_is_xml_without_odd_numbers(title, labels, points, log) -> None:
    series = [Series(label, points, [(x, y, y + 1) for x, y in points]) for label in labels]
    svg = line_chart(title, title, title, series, x_log=log)
    ET.fromstring(svg)
    assert not re.search(r'="[^"]*\b(?:nan|inf)\b', svg)


@given(
    groups=st.lists(LABELS, max_size=5),
    labels=st.lists(LABELS, max_size=3, unique=True),
    value=NUMBERS,
    stacked=st.booleans(),
)
def test_any_bar_chart_is_xml_without_odd_numbers(groups, labels, value, stacked) -> None:
    bars = {label: [value] * len(groups) for label in labels}
    svg = bar_chart("t", "y", groups, bars, stacked=stacked)
    ET.fromstring(svg)
    assert not re.search(r'="[^"]*\b(?:nan|inf)\b', svg)


def test_text_is_escaped_and_cannot_steer() -> None:
    svg = line_chart("<script>&", "x", "y", [Series('a<b> & "c"\x1b', [(0, 0), (1, 1)])])
    assert "<script>" not in svg
    assert 'a<b> & "c"\\x1b' in texts(svg)
    assert ET.fromstring(svg).get("aria-label") == "<script>&"


def test_axes_ticks_legend_and_reference_lines() -> None:
    lines = [Series("one", [(0, 0), (10, 0.5)]), Series("two", [(0, 1), (10, 1)], dashed=True)]
    svg = line_chart("t", "penalty", "score", lines, y_percent=True, verticals=[(4, "here")])
    labels = texts(svg)
    for word in ("t", "penalty", "score", "one", "two", "here", "0%", "60%", "100%", "0", "10"):
        assert word in labels
    assert len(elements(svg, "polyline", "sv-line")) == 2
    assert len(elements(svg, "line", "sv-mark")) == 1
    dashed = [one for one in elements(svg, "polyline", "sv-line") if one.get("stroke-dasharray")]
    assert len(dashed) == 1


def test_every_colour_can_be_read_on_its_ground() -> None:
    def light(colour: str) -> float:
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for on_white, on_dark in COLOURS:
        assert 1.05 / (light(on_white) + 0.05) >= 4.5
        assert (light(on_dark) + 0.05) / (light("#14181f") + 0.05) >= 4.5
    svg = line_chart("t", "x", "y", [])
    assert "prefers-color-scheme:dark" in svg
    assert "no data" in texts(svg)
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")


def test_a_point_that_is_no_number_breaks_the_line() -> None:
    points = [(0, 0), (1, 1), (2, math.nan), (3, 1), (4, 0)]
    assert (
        len(elements(line_chart("t", "x", "y", [Series("a", points)]), "polyline", "sv-line")) == 2
    )


@pytest.mark.slow
def test_a_million_points_become_as_many_as_the_eye_can_see() -> None:
    points = [(n, (n % 7) + (50 if n == 133_333 else 0)) for n in range(200_000)]
    svg = line_chart("t", "x", "y", [Series("a", points)])
    (line,) = elements(svg, "polyline", "sv-line")
    corners = line.get("points", "").split()
    assert len(corners) <= 4 * WIDTH
    heights = [float(point.split(",")[1]) for point in corners]
    assert heights.count(min(heights)) == 1, "the one peak is still there"


def test_bars_stand_beside_or_upon_one_another() -> None:
    bars = {"up": [2.0, 3.0], "down": [-1.0, math.nan]}
    beside = elements(bar_chart("t", "y", ["a", "b"], bars), "rect", "sv-fill")
    assert len(beside) == 3 + 2, "three bars and two boxes of the legend"
    stacked = bar_chart("t", "y", ["a"], {"x": [1.0], "y": [2.0]}, stacked=True)
    first, second = [
        one for one in elements(stacked, "rect", "sv-fill") if one.find(f"{SVG}title") is not None
    ]
    assert float(second.get("y")) + float(second.get("height")) == pytest.approx(
        float(first.get("y")), abs=0.2
    )
    with_errors = bar_chart("t", "y", ["a"], {"x": [1.0]}, errors={"x": [(0.5, 1.5)]})
    assert len(elements(with_errors, "path", "sv-bar-error")) == 1


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(UsageError, match="'x'"):
        bar_chart("t", "y", ["a", "b"], {"x": [1.0]})
    with pytest.raises(UsageError, match="stacked"):
        bar_chart("t", "y", ["a"], {"x": [1.0]}, errors={"x": [(0, 1)]}, stacked=True)
    with pytest.raises(UsageError, match="y_range"):
        line_chart("t", "x", "y", [], y_range=(1, 0))


@given(low=st.floats(-1e6, 1e6), span=st.floats(1e-3, 1e6))
def test_ticks_are_few_round_and_within(low: float, span: float) -> None:
    high = low + span
    ticks = linear_ticks(low, high)
    assert 2 <= len(ticks) <= 8
    assert all(low - span * 1e-6 <= tick <= high + span * 1e-6 for tick in ticks)
    assert ticks == sorted(set(ticks))


def test_log_ticks_and_ranges() -> None:
    assert log_ticks(1, 1000) == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    assert log_ticks(0.01, 10_000) == [0.01, 0.1, 1, 10, 100, 1000, 10_000]
    assert linear_range([0.0, 0.97]) == (0.0, 1.0)
    assert linear_range([]) == (0.0, 1.0)
    assert Scale(1, 100, 0, 10, log=True)(10) == pytest.approx(5)


def test_tick_labels() -> None:
    assert tick_text(1234567) == "1,234,567"
    assert tick_text(-0.5) == "\N{MINUS SIGN}0.5"
    assert tick_text(0.25, percent=True, span=1) == "25%"
    assert tick_text(1e9) == "1e+09"
