"""What a check is: one file in ``checks/``, one question to the data.

A check looks at the data as a whole, or at each gold query with its answer, or at both. It
holds no state of its own: what it counts goes to ``data.figures``. It reports nothing where it
cannot tell: a false alarm is a bug.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlverdict.audit.finding import AuditFinding
from sqlverdict.registry import Registry

if TYPE_CHECKING:
    from sqlverdict.audit.data import AuditData, GoldQuery


class Check:
    """The base of checks; both methods find nothing.

    ``title`` says what the check asks, in a few words, for the printed report.
    """

    title = ""

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:  # noqa: ARG002 (a default)
        """Findings about the data as a whole."""
        return ()

    def gold(self, data: AuditData, gold: GoldQuery) -> Iterable[AuditFinding]:  # noqa: ARG002 (a default)
        """Findings about one gold query."""
        return ()


CHECKS: Registry[Check] = Registry("check", "sqlverdict.audit.checks", "sqlverdict.checks")
