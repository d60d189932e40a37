"""How the members of a registry are listed and explained, from their own docstrings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from inspect import cleandoc
from typing import Any

import click

from sqlverdict.cli.options.common import print_json
from sqlverdict.registry import Registry

Column = tuple[str, Callable[[str, Any], str]]


def show_members(
    registry: Registry[Any], name: str | None, columns: Sequence[Column], as_json: bool
) -> None:
    """List a registry's members, or explain one.

    Args:
        registry: The registry.
        name: The member to explain; ``None`` lists all.
        columns: A heading and a function of name and member each, for the list.
        as_json: Whether to print JSON.
    """
    names = registry.names() if name is None else [name]
    rows = []
    for found in names:
        member = registry.get(found)
        rows.append({"name": found, **{head: of(found, member) for head, of in columns}})
    if name is not None:
        explained = {**rows[0], "home": registry.home(name), "documentation": doc(registry, name)}
        if as_json:
            print_json(explained)
            return
        for head, text in explained.items():
            if head != "documentation":
                click.echo(f"{head}: {text}")
        click.echo(f"\n{explained['documentation']}")
        return
    rows = [{**row, "what": doc(registry, row["name"]).partition("\n")[0]} for row in rows]
    if as_json:
        print_json(rows)
        return
    from sqlverdict.report.terminal.console import Screen
    from sqlverdict.report.terminal.tables import table

    heads = list(rows[0]) if rows else ["name"]
    screen = Screen()
    screen.table(table(heads, [tuple(row.values()) for row in rows], left=tuple(range(len(heads)))))
    screen.line()
    screen.line(f"one in full: sqlverdict {registry.kind}s NAME", "quiet")


def doc(registry: Registry[Any], name: str) -> str:
    """A member's own documentation: its module's, or for a plug-in its class's."""
    member = registry.get(name)
    module = sys.modules.get(type(member).__module__)
    text = getattr(module, "__doc__", None) or type(member).__doc__ or ""
    return cleandoc(text)
