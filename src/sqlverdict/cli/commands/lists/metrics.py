"""List the metrics, or explain one: definition, range, unscored cases, source."""

from __future__ import annotations

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.members import show_members
from sqlverdict.cli.options.member import MemberArgs
from sqlverdict.score.aliases import metric_by_alias
from sqlverdict.score.metric import METRICS


@command(MemberArgs, examples=["sqlverdict metrics", "sqlverdict metrics ves"])
def metrics(args: MemberArgs) -> None:
    """List the metrics, or explain the metric NAME."""
    columns = (
        ("version", lambda _, metric: str(metric.version)),
        ("needs", lambda _, metric: ", ".join(sorted(metric.needs)) or "nothing"),
        ("in brackets", lambda _, metric: _brackets(metric.parameters)),
    )
    name = args.name
    if name is not None and not METRICS.has(name):
        name, note = metric_by_alias(name)
        if note and not args.as_json:
            click.echo(f"note: {note}", err=True)
    show_members(METRICS, name, columns, as_json=args.as_json)


def _brackets(parameters: tuple[str, ...]) -> str:
    """What may stand in brackets, the default first; presets have a list of their own."""
    if len(parameters) < 4:
        return ", ".join(parameters) or "nothing"
    return f"{parameters[0]}, or another preset"
