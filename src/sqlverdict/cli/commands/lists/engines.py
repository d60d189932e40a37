"""List the engines that run queries, with their versions, or explain one."""

from __future__ import annotations

from sqlverdict.cli.command import command
from sqlverdict.cli.members import show_members
from sqlverdict.cli.options.member import MemberArgs
from sqlverdict.errors import MissingExtra
from sqlverdict.execute.engine import ENGINES, Engine


@command(MemberArgs, examples=["sqlverdict engines", "sqlverdict engines sqlite"])
def engines(args: MemberArgs) -> None:
    """List the engines, or explain the engine NAME. Another version can give other answers."""
    columns = (
        ("version", lambda _, engine: _version(engine)),
        ("dialect", lambda _, engine: engine.dialect),
        ("files", lambda _, engine: ", ".join(engine.suffixes)),
    )
    show_members(ENGINES, args.name, columns, as_json=args.as_json)


def _version(engine: Engine) -> str:
    try:
        return engine.version
    except MissingExtra as missing:
        return f"needs the extra {missing.extra}"
