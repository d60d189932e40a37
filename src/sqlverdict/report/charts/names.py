"""Names beside the points of a chart, placed so that few of them cover one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlverdict.report.charts import parts
from sqlverdict.report.charts.parts import Scale
from sqlverdict.report.terminal.tables import short

_LONGEST = 26
_SIZE = 0.85
"""How wide a name is beside other text."""
_STEP = 11.0
"""Pixels from one line of text to the next."""
_MOST_LINES = 8
"""So many lines below a point are tried."""
_GAP = 7.0


def point_names(points: Sequence[tuple[float, float, str]], x: Scale) -> Iterator[str]:
    """Names beside points, on a side that is free; lower, with a line to it, where none is.

    Args:
        points: The height, the position across and the name of each point, in pixels.
        x: The horizontal axis, which the names stay within.
    """
    boxes: list[tuple[float, float, float]] = []

    def is_free(left: float, right: float, line: float) -> bool:
        inside = x.start <= left and right <= x.end
        return inside and not any(
            left < high and low < right and abs(line - other) < _STEP for low, high, other in boxes
        )

    for point_y, point_x, name in sorted(points):
        width = parts.wide(short(name, _LONGEST)) * _SIZE
        sides = [(point_x + _GAP, "start"), (point_x - _GAP - width, "end")]
        lines = [point_y + 4 + _STEP * step for step in range(_MOST_LINES)]
        positions = [(left, anchor, line) for line in lines for left, anchor in sides]
        free = [
            position
            for position in positions
            if is_free(position[0], position[0] + width, position[2])
        ]
        left, anchor, line = (free or positions)[0]
        boxes.append((left, left + width, line))
        where = left if anchor == "start" else left + width
        if line != lines[0]:
            ends = f'x2="{where:.1f}" y2="{line - 4:.1f}"'
            yield f'<line class="sv-grid" x1="{point_x:.1f}" y1="{point_y:.1f}" {ends}/>'
        yield parts.svg_text(where, line, name, kind="sv-quiet", anchor=anchor, most=_LONGEST)
