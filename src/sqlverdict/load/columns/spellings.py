"""Our names in other spellings in the header of a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlverdict.load.fields import FIELD_NAMES


def other_spellings(header: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    """The columns that have a name of ours in another spelling: ``Gold SQL`` for ``gold_sql``.

    Args:
        header: The names of the columns.
        columns: The user's column map, which comes first.
    """
    # A map may be about another file: what it names and this one lacks says nothing here.
    used = {*header, *(ours for name, ours in columns.items() if name in header or "." in name)}
    spellings: dict[str, str] = {}
    for name in header:
        ours = re.sub(r"[\s\-]+", "_", name.strip()).casefold()
        if name not in columns and name != ours and ours in FIELD_NAMES and ours not in used:
            spellings[name] = ours
            used.add(ours)
    return spellings
