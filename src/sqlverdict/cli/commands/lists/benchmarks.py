"""List the benchmark formats, or explain one: which files, which options."""

from __future__ import annotations

from sqlverdict.cli.command import command
from sqlverdict.cli.members import show_members
from sqlverdict.cli.options.member import MemberArgs
from sqlverdict.load.benchmark import BENCHMARKS


@command(MemberArgs, examples=["sqlverdict benchmarks", "sqlverdict benchmarks bird"])
def benchmarks(args: MemberArgs) -> None:
    """List the formats that --benchmark takes, or explain the format NAME."""
    show_members(BENCHMARKS, args.name, (), as_json=args.as_json)
