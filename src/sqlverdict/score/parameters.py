"""The parameters that metrics share: the names of the comparison presets."""

from __future__ import annotations

from sqlverdict.compare.preset import PRESETS


def preset_names(first: str) -> tuple[str, ...]:
    """Every preset's name, ``first`` before the others, which makes it the default.

    Found when asked for, so that a plug-in's preset is a parameter of every metric.
    """
    return (first, *(name for name in PRESETS.names() if name != first))
