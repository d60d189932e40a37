"""What every chart is made of: scales with ticks, text and names that fit, a frame, a legend.

Charts are plain SVG text without scripts or outside files. Colours come from a palette that
people with colour blindness can tell apart, once for light and once for dark screens; a chart
paints its own ground, so it can be read on any page. Series also differ by dashes or marks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape

from sqlverdict.report.terminal.tables import printable, short

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, BOTTOM = 84, 24, 62
FONT = 13
COLOURS = (
    ("#0b62a4", "#6cb6ff"),
    ("#c2410c", "#ff9d5c"),
    ("#00775a", "#4fd6ac"),
    ("#9b2d7d", "#ee8fd0"),
    ("#7a6400", "#e6c84c"),
    ("#3f3f9f", "#a8a8ff"),
    ("#a11226", "#ff8a93"),
    ("#4b5563", "#c3cad6"),
)
"""Pairs for light and dark ground, each with a contrast of at least 4.5 to its ground."""

DASHES = ("", "7 4", "2 3", "9 3 2 3")
"""Patterns that set later rounds of the palette apart from the first."""


_TINY = 1e-12


@dataclass(frozen=True)
class Scale:
    """From a value to a place on the canvas.

    Attributes:
        low: The value at ``start``.
        high: The value at ``end``.
        start: Where the axis begins, in pixels.
        end: Where it ends.
        log: Whether equal factors are equally far apart; values must be above 0 then.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value; values beyond the axis are put on its edge."""
        value = min(max(value, self.low), self.high)
        if self.log:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self) -> list[float]:
        """About six round values from ``low`` to ``high``."""
        return log_ticks(self.low, self.high) if self.log else linear_ticks(self.low, self.high)


def linear_ticks(low: float, high: float) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten within the bounds."""
    rough = (high - low) / 6
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    # Division by a whole number keeps 0.3 from reading 0.30000000000000004.
    return [_tidy(number * step, step) for number in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten within the bounds; where there are few, twice and five times these too."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    decades = range(first, last + 1, max(1, (last - first) // 8))
    factors = (1.0,) if last - first > 3 else (1.0, 2.0, 5.0)
    ticks = [factor * 10.0**power for power in decades for factor in factors]
    within = [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
    return within if len(within) > 1 else linear_ticks(low, high)


def _tidy(value: float, step: float) -> float:
    digits = max(0, 2 - math.floor(math.log10(step)))
    return round(value, min(digits, 15)) + 0.0


def is_narrow(low: float, high: float) -> bool:
    """Whether two values are too close to be the ends of an axis."""
    return high - low <= max(abs(low), abs(high), 1.0) * _TINY


def linear_range(values: Iterable[float], *, with_zero: bool = False) -> tuple[float, float]:
    """Bounds that hold all values, widened to round ones."""
    known = [value for value in values if math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if with_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if is_narrow(low, high):
        pad = abs(low) * 0.1 if abs(low) > _TINY else 1.0
        low, high = (low - pad if abs(low) > _TINY else 0.0), high + pad
    # Twice, because a wider range may ask for a wider step.
    for _ in range(2):
        ticks = linear_ticks(low, high)
        step = ticks[1] - ticks[0] if len(ticks) > 1 else high - low
        low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return low, high


def log_range(values: Iterable[float]) -> tuple[float, float]:
    """Bounds that hold all values above 0; a logarithmic axis has no place for others."""
    known = [value for value in values if math.isfinite(value) and value > 1e-300]
    low, high = (min(known), max(known)) if known else (1.0, 10.0)
    return (low, high) if low < high else (low / 2, high * 2)


def tick_text(value: float, *, percent: bool = False, span: float = 0.0) -> str:
    """A tick's label: short, with thousands apart; as a percentage where asked for."""
    if percent:
        decimals = 0 if span >= 0.06 else 1 if span >= 0.006 else 2
        return f"{value * 100:.{decimals}f}%".replace("-", "−")  # noqa: RUF001
    if abs(value) >= 1e7 or 0 < abs(value) < 1e-4:
        return f"{value:.3g}".replace("-", "−")  # noqa: RUF001
    return f"{value:,.10g}".replace("-", "−")  # noqa: RUF001


def svg_text(
    x: float,
    y: float,
    content: str,
    *,
    kind: str = "sv-text",
    anchor: str = "start",
    turn: float = 0.0,
    most: int = 0,
) -> str:
    """A text element; more than ``most`` characters are cut, the whole is its tooltip."""
    flat = printable(content, one_line=True)
    label = short(flat, most) if most else flat
    whole = tooltip(flat) if label != flat else ""
    rotation = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{rotation}>'
        f"{escape(label)}{whole}</text>"
    )


def tooltip(content: str) -> str:
    """What a viewer shows when the pointer rests on the element around it."""
    return f"<title>{escape(printable(content, one_line=True))}</title>"


def wide(content: str, size: float = FONT) -> float:
    """About how many pixels a text takes; rather too many than too few."""
    narrow = sum(c in "iljtf.,:;'|()[] " for c in content)
    broad = sum(c.isupper() or c in "mw%+=@" for c in content)
    return (0.6 * len(content) - 0.22 * narrow + 0.2 * broad) * size


def svg_line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line of the frame or the grid."""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def colour_class(number: int) -> str:
    """The class of a series' colour."""
    return f"sv-c{number % len(COLOURS)}"


def dash(number: int, dashed: bool) -> str:
    """The dash pattern of a series, as an attribute."""
    pattern = "6 5" if dashed else DASHES[(number // len(COLOURS)) % len(DASHES)]
    return f' stroke-dasharray="{pattern}"' if pattern else ""


Shape = Literal["box", "line", "dashed", "dot"]


def shape_of(line: bool, dashed: bool) -> Shape:
    """How the legend draws a series of points, by whether it has a line, and a dashed one."""
    return "dashed" if dashed else "line" if line else "dot"


@dataclass(frozen=True)
class LegendEntry:
    """A series in the legend: its label, its number, and how it is drawn."""

    label: str
    number: int
    shape: Shape = "box"


def legend(entries: Sequence[LegendEntry]) -> tuple[str, int]:
    """The legend in as many rows as it needs, and how many these are."""
    parts: list[str] = []
    x, row = float(LEFT), 0
    for entry in entries:
        short_label = short(entry.label, 48)
        need = 30 + wide(short_label) + 18
        if x > LEFT and x + need > WIDTH - RIGHT:
            x, row = float(LEFT), row + 1
        y = 50 + row * 20
        colour = colour_class(entry.number)
        if entry.shape == "box":
            parts.append(
                f'<rect class="{colour} sv-fill" x="{x:.1f}" y="{y - 10:.1f}" width="20" '
                f'height="12" rx="2"/>'
            )
        elif entry.shape == "dot":
            parts.append(
                f'<circle class="{colour} sv-fill" cx="{x + 14:.1f}" cy="{y - 4:.1f}" r="3.4"/>'
            )
        else:
            pattern = dash(entry.number, entry.shape == "dashed")
            parts.append(
                f'<line class="{colour} sv-line" x1="{x:.1f}" y1="{y - 4:.1f}" x2="{x + 22:.1f}" '
                f'y2="{y - 4:.1f}"{pattern}/>'
            )
        parts.append(svg_text(x + 28, y, entry.label, most=48))
        x += need
    return "\n".join(parts), row + 1 if entries else 0


def svg_document(title: str, summary: str, body: Sequence[str], height: float = HEIGHT) -> str:
    """The whole SVG: its ground, its title for readers of screens, its style, its parts."""
    name = escape(printable(title, one_line=True), {'"': "&quot;"})
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
            f'width="{WIDTH}" height="{height:g}" role="img" aria-label="{name}" '
            f'class="sv-chart">',
            f"<title>{name}</title>",
            f"<desc>{escape(printable(summary, one_line=True))}</desc>",
            f"<style>{_style()}</style>",
            f'<rect class="sv-ground" width="{WIDTH}" height="{height:g}"/>',
            *body,
            "</svg>",
        )
    )


def _style() -> str:
    """Rules for light ground, and the same for dark; plain colours, which every viewer knows."""
    shape = (
        f".sv-chart text{{font:{FONT}px system-ui,-apple-system,'Segoe UI',sans-serif}}"
        ".sv-chart .sv-title{font-size:16px;font-weight:600}"
        ".sv-chart .sv-quiet{font-size:12px}"
        ".sv-line{fill:none;stroke-width:2.2;stroke-linejoin:round}"
        ".sv-band{stroke:none;fill-opacity:.16}.sv-fill{stroke:none}"
        ".sv-grid{stroke-width:1}.sv-axis{stroke-width:1.2}"
        ".sv-bar-error{stroke-width:1.4;fill:none}"
        ".sv-mark{stroke-width:1.2;stroke-dasharray:3 3}"
    )
    dark = _colours("#14181f", "#e8ebf0", "#a7b0bd", "#2c333d", 1)
    return f"{shape}{_colours('#ffffff', '#1b1f24', '#57606a', '#e3e6ea', 0)}" + (
        f"@media(prefers-color-scheme:dark){{{dark}}}"
    )


def _colours(background: str, ink: str, quiet: str, grid: str, index: int) -> str:
    rules = [
        f".sv-ground{{fill:{background}}}",
        f".sv-text,.sv-title{{fill:{ink}}}.sv-quiet{{fill:{quiet}}}",
        f".sv-grid{{stroke:{grid}}}.sv-axis,.sv-mark{{stroke:{quiet}}}",
        f".sv-bar-error{{stroke:{ink}}}",
    ]
    for number, pair in enumerate(COLOURS):
        colour = pair[index]
        rules.append(
            f".sv-c{number}.sv-line{{stroke:{colour}}}"
            f".sv-c{number}.sv-fill,.sv-c{number}.sv-band{{fill:{colour}}}"
        )
    return "".join(rules)


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
        width = wide(short(name, _LONGEST)) * _SIZE
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
        yield svg_text(where, line, name, kind="sv-quiet", anchor=anchor, most=_LONGEST)
