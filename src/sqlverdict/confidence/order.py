"""The situations in the order of what they say for an answer.

A step says more for an answer than every later one, whatever the labels: a proof more than a
match that a search did not refute, this more than a difference that people mostly accept, and so
on down to a query that does not run. So more evidence against an answer never raises its
probability. A match that was not searched stands below one that was, and beside one that a search
refutes on unusual data alone: neither not to search nor such a witness is worth anything.
Situations of one step share a rate: there are too few labels to tell them apart.
"""

from __future__ import annotations

from collections.abc import Mapping

STEPS: tuple[tuple[str, ...], ...] = (
    ("proved",),
    ("match", "fits_a_tie"),
    (
        "trivial_difference",
        "harmless_difference",
        "generated_same",
        "generated_form",
        "duplicates_witness",
        "unusual_witness",
        "unsearched_match",
        "unsearched_tie",
    ),
    (
        "ordinary_witness",
        "ungraded_witness",
        "null_in_aggregate",
        "tied_rows_lost",
        "undetermined_prediction",
        "empty_match_witness",
        "constant_match",
        "unsearched_empty",
        "barred_match",
    ),
    (
        "generated_near",
        "generated_columns",
        "tied_difference",
        "fewer_columns",
        "null_rows_difference",
        "unsearched_difference",
        "gold_suspect",
        "tie_witness",
    ),
    ("difference",),
    ("failed",),
)
"""The steps, the one that says most for an answer first."""

NAMES = (
    "proved",
    "match after a search",
    "harmless or unusual difference, or no search",
    "ordinary witness",
    "near difference",
    "difference",
    "does not run",
)
"""The steps in words."""

STEP_OF: Mapping[str, int] = {
    situation: number for number, step in enumerate(STEPS) for situation in step
}
"""The step of each situation; situations without one say nothing about an answer."""
