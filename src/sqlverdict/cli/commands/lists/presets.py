"""List the comparison presets, or explain one: when two answers are the same."""

from __future__ import annotations

import click

from sqlverdict.cli.options.common import as_json, examples


@click.command(epilog=examples("sqlverdict presets", "sqlverdict presets strict"))
@click.argument("name", required=False)
@as_json
def presets(name: str | None, as_json: bool) -> None:
    """List the presets that stand in brackets, as in ex[bird], or explain the preset NAME."""
    from sqlverdict.cli.members import show_members
    from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS

    columns = (("default", lambda found, _: "yes" if found == DEFAULT_PRESET else ""),)
    show_members(PRESETS, name, columns, as_json)
