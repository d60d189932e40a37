"""What TrustSQL's two presets share: how its script repairs a query's text."""

from __future__ import annotations

import re

_BLANKS = re.compile("[ \n]+")


def repair(sql: str) -> str:
    """Operators split by a blank joined, line ends and runs of blanks made one blank."""
    sql = _BLANKS.sub(" ", sql).strip()
    return sql.replace("> =", ">=").replace("< =", "<=").replace("! =", "!=")
