"""Tables in Markdown. Cells come ready: what must be escaped in them is their writer's to know."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], right: Container[int] = ()
) -> str:
    """A table in Markdown.

    Args:
        header: The names of the columns.
        rows: The cells.
        right: The columns that are aligned to the right.
    """
    rule = ["---:" if column in right else "---" for column in range(len(header))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))
