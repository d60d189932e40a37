"""Charts as SVG text: lines with bands, and bars with errors.

Self-contained: no script, no font, no file from elsewhere. Every chart has axes with labelled
ticks, a legend where there are several series, a title and a sentence for readers of screens,
and colours for light and dark ground. All text is escaped; a label may hold anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlverdict.errors import UsageError
from sqlverdict.report.charts import parts
from sqlverdict.report.charts.parts import BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH, Scale, point_names

Point = tuple[float, float]
Band = tuple[float, float, float]

_PLOT = WIDTH - LEFT - RIGHT
_MARKED = 40
"""Series with more points are drawn without a mark at each."""
_ABOVE = 9.0
"""So many pixels above a line its points' names stand."""


@dataclass(frozen=True)
class Series:
    """One line.

    Attributes:
        label: Its name in the legend.
        points: Places ``(x, y)`` in the order of drawing; one that is not finite breaks the line.
        band: ``(x, low, high)``: an area around the line, such as an interval.
        dashed: Whether the line is dashed, as for a baseline.
        marks: Whether each point gets a mark; by default where there are few.
        line: False draws the marks alone.
        names: One a point, written beside its mark.
    """

    label: str
    points: Sequence[Point]
    band: Sequence[Band] = ()
    dashed: bool = False
    marks: bool | None = None
    line: bool = True
    names: Sequence[str] = ()


def line_chart(
    title: str,
    x_label: str,
    y_label: str,
    series: Sequence[Series],
    *,
    x_log: bool = False,
    y_range: tuple[float, float] | None = None,
    x_range: tuple[float, float] | None = None,
    x_percent: bool = False,
    y_percent: bool = False,
    verticals: Sequence[tuple[float, str]] = (),
) -> str:
    """Lines over a common axis.

    Args:
        title: Above the chart.
        x_label: Below the horizontal axis.
        y_label: Beside the vertical axis.
        series: The lines; a curve of a million points is thinned out to what the eye can see.
        x_log: A logarithmic horizontal axis; points at or below 0 are left out.
        y_range: The vertical axis; by default round bounds around the data. What lies beyond is
            drawn on the edge.
        x_range: The horizontal axis, likewise.
        x_percent: Label the horizontal ticks as percentages of 1.
        y_percent: Label the vertical ticks as percentages of 1.
        verticals: ``(x, label)``: upright reference lines, such as a threshold.

    Returns:
        The SVG document.

    Raises:
        UsageError: a given range is empty, or a logarithmic one reaches 0.
    """
    lines = [_finite(one, x_log) for one in series]
    shapes = [parts.shape_of(one.line, one.dashed) for one in series]
    entries = [parts.LegendEntry(one.label, n, shapes[n]) for n, one in enumerate(series)]
    key, rows = parts.legend(entries)
    top = 44 + 20 * rows
    xs = [p[0] for line in lines for p in line if p is not None]
    xs += [x for one in series for x, _, _ in one.band] + [x for x, _ in verticals]
    ys = [p[1] for line in lines for p in line if p is not None]
    ys += [y for one in series for _, low, high in one.band for y in (low, high)]
    across = x_range or (parts.log_range(xs) if x_log else _tight(xs))
    x = Scale(*_checked(across, x_log, "x_range"), LEFT, WIDTH - RIGHT, x_log)
    upright = _checked(y_range or parts.linear_range(ys), False, "y_range")
    y = Scale(*upright, HEIGHT - BOTTOM, top)
    body = [
        *_frame(title, x_label, y_label, x, y, x_percent, y_percent),
        *_references(x, y, verticals),
    ]
    for number, one in enumerate(series):
        body += _band(one, number, x, y)
    for number, (one, line) in enumerate(zip(series, lines, strict=True)):
        body += _line(one, line, number, x, y)
    point_labels = [
        # A name beside a mark would lie on the line.
        (y(point[1]) - (_ABOVE if one.line else 0.0), x(point[0]), name)
        for one in series
        for point, name in zip(one.points, one.names, strict=False)
        if all(map(math.isfinite, point))
    ]
    body += point_names(point_labels, x)
    if not xs:
        body.append(_nothing(top))
    names = ", ".join(one.label for one in series) or "nothing"
    summary = f"{y_label} over {x_label}, for {names}."
    return parts.svg_document(title, summary, [*body, key])


def bar_chart(
    title: str,
    y_label: str,
    groups: Sequence[str],
    bars: Mapping[str, Sequence[float]],
    *,
    errors: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    stacked: bool = False,
    y_percent: bool = False,
) -> str:
    """Bars in groups, beside or upon one another.

    Args:
        title: Above the chart.
        y_label: Beside the vertical axis.
        groups: What the groups are called, from left to right.
        bars: For each label of the legend one value a group; NaN leaves a gap.
        errors: For each label one interval ``(low, high)`` a group; not with ``stacked``.
        stacked: Upon one another: above 0 upwards, below 0 downwards.
        y_percent: Label the ticks as percentages of 1.

    Returns:
        The SVG document.

    Raises:
        UsageError: a label has more or fewer values than there are groups.
    """
    _check_bars(groups, bars, errors, stacked)
    labels = list(bars)
    key, rows = parts.legend([parts.LegendEntry(one, n) for n, one in enumerate(labels)])
    room = _PLOT / max(1, len(groups))
    rotated = any(parts.wide(group) > room - 6 for group in groups)
    extra = 56 if rotated else 0
    top, bottom = 44 + 20 * rows, HEIGHT - BOTTOM + 22
    pieces = list(_stacked(bars, len(groups)) if stacked else _beside(bars, len(groups)))
    values = [value for piece in pieces for value in piece[2:4]]
    values += [end for ends in (errors or {}).values() for pair in ends for end in pair]
    y = Scale(*parts.linear_range(values, with_zero=True), bottom, top)
    body = [
        parts.svg_text(LEFT, 26, title, kind="sv-title", most=76),
        *_level_lines(y, y_label, y_percent),
    ]
    thick = room * 0.78 / (1 if stacked else max(1, len(labels)))
    for label, group, low, high in pieces:
        number = labels.index(label)
        left = LEFT + room * (group + 0.11) + (0 if stacked else thick * number)
        body.append(_bar(label, groups[group], (low, high), number, left, thick, y, y_percent))
        for low_end, high_end in (errors or {}).get(label, ())[group : group + 1]:
            body.append(_error(left + thick / 2, y(low_end), y(high_end)))
    body.append(parts.svg_line(LEFT, y(0), WIDTH - RIGHT, y(0), "sv-axis"))
    body += _group_names(groups, room, bottom, rotated)
    if not pieces:
        body.append(_nothing(top))
    summary = (
        f"{y_label} of {', '.join(labels) or 'nothing'}, for {', '.join(groups) or 'nothing'}."
    )
    return parts.svg_document(title, summary, [*body, key], HEIGHT + extra)


def _finite(series: Series, x_log: bool) -> list[Point | None]:
    """The points, with a break wherever one cannot be drawn."""
    points: list[Point | None] = []
    for x, y in series.points:
        fits = math.isfinite(x) and math.isfinite(y) and (x > 1e-300 or not x_log)
        points.append((x, y) if fits else None)
    return points


def _tight(values: Sequence[float]) -> tuple[float, float]:
    """Exactly the data's bounds; curves should fill the width."""
    known = [value for value in values if math.isfinite(value)]
    if not known or parts.is_narrow(min(known), max(known)):
        return parts.linear_range(known)
    return min(known), max(known)


def _checked(bounds: tuple[float, float], log: bool, name: str) -> tuple[float, float]:
    low, high = bounds
    if not (math.isfinite(low) and math.isfinite(high) and low < high) or (log and low <= 0):
        raise UsageError(
            f"{name} is {low} to {high}; the lower bound must be below the upper one"
            f"{' and above 0' if log else ''}"
        )
    return bounds


def _frame(
    title: str,
    x_label: str,
    y_label: str,
    x: Scale,
    y: Scale,
    x_percent: bool,
    y_percent: bool,
) -> Iterator[str]:
    yield parts.svg_text(LEFT, 26, title, kind="sv-title", most=76)
    yield from _level_lines(y, y_label, y_percent)
    for tick in x.ticks():
        position = x(tick)
        yield parts.svg_line(position, y.start, position, y.start + 5, "sv-axis")
        label = parts.tick_text(tick, percent=x_percent, span=x.high - x.low)
        yield parts.svg_text(position, y.start + 20, label, kind="sv-quiet", anchor="middle")
    yield parts.svg_line(x.start, y.start, x.end, y.start, "sv-axis")
    middle = (x.start + x.end) / 2
    yield parts.svg_text(middle, HEIGHT - 14, x_label, anchor="middle", most=84)


def _level_lines(y: Scale, label: str, percent: bool) -> Iterator[str]:
    for tick in y.ticks():
        tick_y = y(tick)
        yield parts.svg_line(LEFT, tick_y, WIDTH - RIGHT, tick_y, "sv-grid")
        tick_label = parts.tick_text(tick, percent=percent, span=y.high - y.low)
        yield parts.svg_text(LEFT - 8, tick_y + 4, tick_label, kind="sv-quiet", anchor="end")
    middle = (y.start + y.end) / 2
    yield parts.svg_text(16, middle, label, anchor="middle", turn=-90, most=48)


def _references(
    x: Scale,
    y: Scale,
    verticals: Sequence[tuple[float, str]],
) -> Iterator[str]:
    for number, (value, label) in enumerate(verticals):
        if x.low <= value <= x.high:
            position = x(value)
            yield parts.svg_line(position, y.start, position, y.end, "sv-mark")
            end = position > (x.start + x.end) / 2
            where = position - 5 if end else position + 5
            anchor = "end" if end else "start"
            yield parts.svg_text(
                where, y.end + 14 + 16 * number, label, kind="sv-quiet", anchor=anchor
            )


def _band(series: Series, number: int, x: Scale, y: Scale) -> Iterator[str]:
    known = [
        edge for edge in series.band if all(map(math.isfinite, edge)) and (edge[0] > 0 or not x.log)
    ]
    if len(known) < 2:
        return
    upper = [(x(at), y(high)) for at, _, high in known]
    lower = [(x(at), y(low)) for at, low, _ in reversed(known)]
    outline = " ".join(f"{px:.1f},{py:.1f}" for px, py in (*_thin(upper), *_thin(lower)))
    yield f'<polygon class="{parts.colour_class(number)} sv-band" points="{outline}"/>'


def _line(
    series: Series, points: Sequence[Point | None], number: int, x: Scale, y: Scale
) -> Iterator[str]:
    colour = parts.colour_class(number)
    stretches: list[list[Point]] = [[]]
    for point in points:
        if point is None:
            stretches.append([])
        else:
            stretches[-1].append((x(point[0]), y(point[1])))
    name = parts.tooltip(series.label)
    for stretch in stretches:
        if len(stretch) > 1 and series.line:
            path = " ".join(f"{px:.1f},{py:.1f}" for px, py in _thin(stretch))
            pattern = parts.dash(number, series.dashed)
            yield f'<polyline class="{colour} sv-line" points="{path}"{pattern}>{name}</polyline>'
    few = sum(map(len, stretches)) <= _MARKED and not series.dashed
    alone = [stretch[0] for stretch in stretches if len(stretch) == 1]
    every_point = [p for stretch in stretches for p in stretch]
    show_marks = few if series.marks is None else series.marks
    for px, py in every_point if show_marks or not series.line else alone:
        at = f'cx="{px:.1f}" cy="{py:.1f}" r="3.4"'
        yield f'<circle class="{colour} sv-fill" {at}>{name}</circle>'


def _thin(points: Sequence[Point]) -> list[Point]:
    """At most four points a pixel of width: first, lowest, highest and last of each column."""
    if len(points) <= 2 * _PLOT:
        return list(points)
    thin: list[Point] = []
    column: list[Point] = []
    for point in points:
        if column and int(point[0]) != int(column[0][0]):
            thin += _corners(column)
            column = []
        column.append(point)
    return thin + _corners(column)


def _corners(column: Sequence[Point]) -> list[Point]:
    ys = [y for _, y in column]
    indices = {0, ys.index(min(ys)), ys.index(max(ys)), len(column) - 1}
    return [column[index] for index in sorted(indices)]


def _group_names(groups: Sequence[str], room: float, bottom: float, rotated: bool) -> Iterator[str]:
    for number, group in enumerate(groups):
        position = LEFT + room * (number + 0.5)
        if rotated:
            yield parts.svg_text(position + 4, bottom + 16, group, anchor="end", turn=-32, most=18)
        else:
            yield parts.svg_text(position, bottom + 18, group, anchor="middle")


def _check_bars(
    groups: Sequence[str],
    bars: Mapping[str, Sequence[float]],
    errors: Mapping[str, Sequence[tuple[float, float]]] | None,
    stacked: bool,
) -> None:
    if errors and stacked:
        raise UsageError("stacked bars have no errors of their own; leave out errors or stacked")
    for label, values in (*bars.items(), *(errors or {}).items()):
        if len(values) != len(groups):
            raise UsageError(
                f"{label!r} has {len(values)} values for {len(groups)} groups; give one a group"
            )


def _beside(
    bars: Mapping[str, Sequence[float]], groups: int
) -> Iterator[tuple[str, int, float, float]]:
    for label, values in bars.items():
        for group in range(groups):
            if math.isfinite(values[group]):
                yield label, group, min(0.0, values[group]), max(0.0, values[group])


def _stacked(
    bars: Mapping[str, Sequence[float]], groups: int
) -> Iterator[tuple[str, int, float, float]]:
    up, down = [0.0] * groups, [0.0] * groups
    for label, values in bars.items():
        for group in range(groups):
            value = values[group]
            if not math.isfinite(value):
                continue
            ends = up if value >= 0 else down
            began, ends[group] = ends[group], ends[group] + value
            yield label, group, min(began, ends[group]), max(began, ends[group])


def _bar(
    label: str,
    group: str,
    ends: tuple[float, float],
    number: int,
    left: float,
    thick: float,
    y: Scale,
    percent: bool,
) -> str:
    top, bottom = y(ends[1]), y(ends[0])
    size = (ends[0] - ends[1]) if ends[0] < 0 else (ends[1] - ends[0])
    size_text = parts.tick_text(round(size, 6), percent=percent, span=0.05)
    return (
        f'<rect class="{parts.colour_class(number)} sv-fill" x="{left + 0.5:.1f}" y="{top:.1f}" '
        f'width="{max(1.0, thick - 1):.1f}" height="{max(0.0, bottom - top):.1f}">'
        f"{parts.tooltip(f'{group}, {label}: {size_text}')}</rect>"
    )


def _error(x: float, low: float, high: float) -> str:
    path = f"M{x:.1f} {low:.1f}V{high:.1f}M{x - 4:.1f} {low:.1f}h8M{x - 4:.1f} {high:.1f}h8"
    return f'<path class="sv-bar-error" d="{path}"/>'


def _nothing(top: float) -> str:
    middle = (LEFT + WIDTH - RIGHT) / 2
    return parts.svg_text(middle, (top + HEIGHT - BOTTOM) / 2, "no data", anchor="middle")
