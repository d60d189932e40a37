"""List the comparison presets, or explain one: when two answers are the same."""

from __future__ import annotations

from sqlverdict.cli.command import command
from sqlverdict.cli.members import show_members
from sqlverdict.cli.options.member import MemberArgs
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS


@command(MemberArgs, examples=["sqlverdict presets", "sqlverdict presets strict"])
def presets(args: MemberArgs) -> None:
    """List the presets that may stand in brackets, as in ex[bird], or explain the preset NAME."""
    columns = (("default", lambda name, _: "yes" if name == DEFAULT_PRESET else ""),)
    show_members(PRESETS, args.name, columns, as_json=args.as_json)
