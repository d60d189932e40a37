"""How the members of a registry are listed and explained, from their own docstrings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from inspect import cleandoc
from typing import Any

import click

from sqlverdict.cli.options.shared import print_json
from sqlverdict.registry import Registry
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import table

Column = tuple[str, Callable[[str, Any], str]]


def show_members(
    registry: Registry[Any], name: str | None, columns: Sequence[Column], *, as_json: bool
) -> None:
    """List a registry's members, or explain one.

    Args:
        registry: The registry.
        name: The member to explain; ``None`` lists all.
        columns: A heading and a function of name and member each, for the list.
        as_json: Whether to print JSON.
    """
    if name is not None:
        _explain(registry, name, columns, as_json=as_json)
        return
    rows = [
        {**_row(registry, member, columns), "what": doc(registry, member).partition("\n")[0]}
        for member in registry.names()
    ]
    if as_json:
        print_json(rows)
        return
    heads = list(rows[0]) if rows else ["name"]
    screen = Screen()
    screen.table(table(heads, [tuple(row.values()) for row in rows], left=tuple(range(len(heads)))))
    screen.line()
    screen.line(f"one in full: sqlverdict {registry.kind}s NAME", "quiet")


def _explain(
    registry: Registry[Any], name: str, columns: Sequence[Column], *, as_json: bool
) -> None:
    facts = {**_row(registry, name, columns), "home": registry.home(name)}
    text = doc(registry, name)
    if as_json:
        print_json({**facts, "documentation": text})
        return
    for head, fact in facts.items():
        click.echo(f"{head}: {fact}")
    click.echo(f"\n{text}")


def _row(registry: Registry[Any], name: str, columns: Sequence[Column]) -> dict[str, str]:
    member = registry.get(name)
    return {"name": name, **{head: cell(name, member) for head, cell in columns}}


def doc(registry: Registry[Any], name: str) -> str:
    """A member's own documentation: its module's, or for a plug-in its class's."""
    member = registry.get(name)
    module = sys.modules.get(type(member).__module__)
    text = getattr(module, "__doc__", None) or type(member).__doc__ or ""
    return cleandoc(text)
