"""The table of docs/metrics.md: what each kind of case counts as in the value of a run."""

from __future__ import annotations

from sqlverdict.score.deciding import COUNTING
from sqlverdict.score.estimates import LAST_TURN


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
            "## Conversations",
            "Where cases are turns of conversations (SParC, CoSQL, or a `session` and a `turn` in "
            "your own file), a metric over turns is what their leaderboards call *question match*. "
            "Beside it stands **interaction match**: the share of conversations of which every "
            "turn is right, for each metric of 0 and 1, with Wilson's interval and n, the number "
            "of conversations. It is in the terminal, `report.md`, the page, `summary.json` "
            "(`interactions`), `table` and `leaderboard`; `table --by turn` and the reports "
            f"have each metric by turn, those after the {LAST_TURN}th together.",
            "A conversation is wrong where a turn is wrong, else wrongly abstained where a turn "
            "is, else to review where a turn is. One with an unscored turn is unscored, and so is "
            "one of which a turn is missing between others (`--only`, `--shard`); turns missing "
            "at its end cannot be noticed.",
            "The turns of one conversation are not independent. The interval of a metric of 0 and "
            "1 over all turns allows for that: it is Wilson's for the number of turns divided by "
            "the design effect, which is the variance of the mean by conversations over that of "
            "independent turns, and at least 1 (`summary.json` says `wilson by session`). Four "
            "turns that are always right or wrong together count as one case. Slices, metrics "
            "of degrees, and the tests of `compare` and `leaderboard` take turns as independent: "
            "there, where turns go together, intervals are too narrow and p-values too small.",
        )
    )
