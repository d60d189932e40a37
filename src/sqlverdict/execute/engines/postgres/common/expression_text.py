"""An expression of a tree as PostgreSQL's parser writes it, with texts for its arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlverdict.execute.common_text import NoCommonText

_NUMBER = re.compile(r"('(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")|\$(\d+)")
"""What is quoted, or the number of an argument."""
_SELECT = "SELECT "


def expression_text(meaning: bytes, arguments: Sequence[str]) -> str:
    """The expression, for people.

    Args:
        meaning: The expression as bytes, with numbers for its arguments.
        arguments: Their texts.

    Raises:
        NoCommonText: the parser does not write it.
    """
    import postgast

    try:
        tree = postgast.parse("SELECT 1")
        target = tree.stmts[0].stmt.select_stmt.target_list[0].res_target
        target.val.ParseFromString(meaning)
        text = str(postgast.deparse(tree)).removeprefix(_SELECT)
    except postgast.PgQueryError as error:
        raise NoCommonText from error
    return _NUMBER.sub(lambda part: part[1] or arguments[int(part[2]) - 1], text)
