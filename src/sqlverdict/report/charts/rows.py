"""Rows of dots with intervals as SVG text: many named things, each with a value on one axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlverdict.report.charts import parts
from sqlverdict.report.charts.parts import LEFT, RIGHT, WIDTH, Scale

Dot = tuple[float, float, float]
"""A value and the ends of its interval."""

_NAMES = 300
_MOST = 44
_STEP = 9
_FOOT = 54


def row_chart(
    title: str,
    x_label: str,
    rows: Sequence[str],
    dots: Mapping[str, Sequence[Dot | None]],
) -> str:
    """One row a name; in it a dot with its interval for each label of the legend.

    Args:
        title: Above the chart.
        x_label: Below the axis.
        rows: The names, from top to bottom; as many as there are.
        dots: For each label of the legend one dot a row; ``None`` leaves a gap.

    Returns:
        The SVG document.
    """
    labels = list(dots)
    key, lines = parts.legend([parts.LegendEntry(one, n) for n, one in enumerate(labels)])
    top = 44.0 + 20 * lines
    tall = _STEP * (len(labels) + 1)
    bottom = top + tall * max(1, len(rows))
    ends = [end for each in dots.values() for dot in each if dot is not None for end in dot]
    x = Scale(*parts.linear_range(ends, with_zero=True), _NAMES, WIDTH - RIGHT)
    body = [parts.svg_text(LEFT, 26, title, kind="sv-title", most=76)]
    for tick in x.ticks():
        tick_x = x(tick)
        body.append(parts.svg_line(tick_x, top, tick_x, bottom, "sv-grid"))
        tick_label = parts.tick_text(tick)
        body.append(
            parts.svg_text(tick_x, bottom + 18, tick_label, kind="sv-quiet", anchor="middle")
        )
    for number, name in enumerate(rows):
        middle = top + tall * (number + 0.5)
        body.append(parts.svg_text(_NAMES - 10, middle + 4, name, anchor="end", most=_MOST))
        for position, label in enumerate(labels):
            dot = dots[label][number]
            if dot is not None:
                y = middle + _STEP * (position - (len(labels) - 1) / 2)
                body.append(_dot(x, y, dot, position, f"{name}, {label}"))
    body.append(parts.svg_line(x.start, bottom, x.end, bottom, "sv-axis"))
    body.append(
        parts.svg_text((x.start + x.end) / 2, bottom + 40, x_label, anchor="middle", most=60)
    )
    summary = f"{x_label} of {', '.join(rows) or 'nothing'}; {', '.join(labels) or 'nothing'}."
    return parts.svg_document(title, summary, [*body, key], bottom + _FOOT)


def _dot(x: Scale, y: float, dot: Dot, number: int, what: str) -> str:
    value, low, high = dot
    colour = parts.colour_class(number)
    tooltip = parts.tooltip(f"{what}: {value:.3f} ({low:.3f} to {high:.3f})")
    return (
        f'<line class="{colour} sv-line" x1="{x(low):.1f}" y1="{y:.1f}" x2="{x(high):.1f}" '
        f'y2="{y:.1f}"/><circle class="{colour} sv-fill" cx="{x(value):.1f}" cy="{y:.1f}" '
        f'r="3.6">{tooltip}</circle>'
    )
