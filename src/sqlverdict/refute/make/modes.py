"""The ways in which something goes wrong in an instance; they come in turn."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mode:
    """What goes wrong in an instance, as chances."""

    scenes: int
    good: float = 0.8
    near: float = 0.1
    odd: float = 0.02
    null: float = 0.0
    share: float = 0.3
    drop: float = 0.0
    stray: float = 0.0
    empty: float = 0.0
    counted: bool = False
    """As many scenes as a count in the queries, or one more or less."""
    narrow: bool = False
    twins: bool = False
    lined: bool = False
    """Scene after scene, each column takes the next of its values."""


MODES = (
    Mode(2, good=0.95, near=0.05, share=0.0),
    Mode(3, good=0.7, near=0.25, share=0.5),
    Mode(3, good=0.8, near=0.1, share=0.7, drop=0.15),
    Mode(2, good=0.75, near=0.1, null=0.2, share=0.4),
    Mode(4, good=0.9, near=0.05, share=0.85),
    Mode(7, good=1.0, twins=True),
    Mode(3, good=0.5, near=0.45, share=0.3, drop=0.1),
    Mode(4, good=0.6, near=0.2, odd=0.1, share=0.5, drop=0.2, stray=0.2),
    Mode(3, good=0.9, share=0.6, counted=True),
    Mode(6, good=0.8, near=0.1, share=0.6, drop=0.15, narrow=True),
    Mode(3, good=0.7, near=0.2, null=0.1, share=0.6, drop=0.3, stray=0.1),
    Mode(1, good=0.8, near=0.2, share=0.0, drop=0.2),
    Mode(3, good=0.95, lined=True),
    Mode(5, good=0.3, near=0.3, odd=0.1, null=0.05, share=0.6, drop=0.2),
    Mode(4, good=0.85, near=0.1, share=0.8, drop=0.1, counted=True),
    Mode(3, good=0.95, lined=True, counted=True),
    Mode(2, good=0.8, near=0.1, null=0.4, share=0.6, drop=0.1),
    Mode(1, good=0.8, null=0.8, share=0.5),
    Mode(6, good=0.6, near=0.2, share=0.7, null=0.05, stray=0.2),
    Mode(9, good=0.9, near=0.05, share=0.75, drop=0.2, narrow=True),
    Mode(2, good=0.9, null=0.1, share=0.5, drop=0.3, empty=0.3),
    Mode(8, good=0.5, near=0.3, odd=0.1, share=0.8, null=0.1, drop=0.3, stray=0.3),
)

RIVALS = Mode(0, good=0.95, near=0.05)
"""For groups that are ranked: what is filtered should be there."""
