"""The table of docs/metrics.md: what each kind of case counts as in the value of a run."""

from __future__ import annotations

from sqlverdict.score.deciding import COUNTING


def counting() -> str:
    """The section of the page."""
    header = ("case", "metric of 0 and 1", "metric of degrees", "RS(c)")
    rows = [f"| {' | '.join(cells)} |" for cells in (header, ("---",) * 4, *COUNTING)]
    return "\n\n".join(
        (
            "## What a value counts",
            "The value of a run is a sum over its cases, divided by n. n is printed beside every "
            "value, and is the number of cases that are not left out. This table holds for every "
            "report: terminal, pages, `table`, `leaderboard`, JSON, `junit.xml` and the Python "
            "API. Slices and `compare` follow it on fewer cases, and say how many.",
            "\n".join(rows),
            "Unscored are cases in which every gold fails, the database is missing, an engine or "
            "our tools are at fault, or the metric has no value (each says below when). Under a "
            "metric of 0 and 1 the parts add up: right, wrong, wrongly abstained and to review "
            "make n, and n with the unscored makes all cases. RS(0) by a metric of 0 and 1 is "
            "that metric. The first metric of 0 and 1, or `verdict` wherever it stands, decides: "
            "reports begin with it and call cases right by it.",
        )
    )
