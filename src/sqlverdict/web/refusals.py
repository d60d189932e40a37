"""Requests that are refused for a reason that a program can read."""

from __future__ import annotations

from typing import ClassVar

from sqlverdict.errors import UsageError


class Refusal(UsageError):
    """A request that is not answered; its reply says why, in words and as a code."""

    status: ClassVar[int] = 400
    code: ClassVar[str] = "refused"


class NotAssigned(Refusal):
    """A pair that this reader was not asked about, or that does not exist: both look alike."""

    status = 404
    code = "not_assigned"

    def __init__(self) -> None:
        super().__init__("this item is not one of yours; load the page again")


class Busy(Refusal):
    """All that may run for this reader at once runs already."""

    status = 503
    code = "busy"

    def __init__(self) -> None:
        super().__init__("busy: earlier queries still run. Try again in some seconds")
