"""``--set KEY=VALUE``, and what became of options that are gone.

A key is a setting or an option of the command, by the name that it has in the project file. On a
command line an option comes before ``--set``, and ``--set`` before the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from sqlverdict.cli.options.fields import SET, HeadedOption, SettingsCommand
from sqlverdict.errors import UsageError
from sqlverdict.files.text import near

NOT_SET = frozenset({"project", "json", "column", SET})
"""Options that stand on a command line only; a project file has a section for the columns."""

FORMER_OPTIONS = {
    "--gold": "Give the gold file with --cases.",
    "--gold-overlay": "Give --golds.",
    "audit --jsonl": "Give --out FILE.jsonl; --out may be repeated.",
    "--no-page": "Give --set page=false.",
    "label --annotator": "Give --annotators.",
    "prove --save": "Give --out.",
    "lint --database": "Give --db.",
    "leaderboard --baseline": "Give --baseline-metric.",
    "compare --limit": "Give --show.",
    "agree --limit": "Give --show.",
    "bank --file": "Give --bank.",
    "show --db": "Give --db-id.",
    "reliability --against": "Give --baseline.",
    "reliability --by": "Give --metric.",
    "pair --refute": "Give --instances.",
    "evaluate --instances": "Give --refute N.",
    "build --clock": "It is the setting now: give --set now=TIME.",
    "reliability --errors": "Give --as-abstention errors.",
    "reliability --timeouts": "Give --as-abstention timeouts.",
    "reliability --no-sql": "Give --as-abstention no-sql.",
}
"""Options that are gone, of any command or of the named one, each with what to give instead.

``pair`` and ``refute`` always search, so that ``--instances`` is how long; in ``evaluate``, and
from Python, ``refute`` says both that there is a search and how long it is.
"""


@dataclass(frozen=True)
class ChangedSettings:
    """What ``--set`` says.

    Attributes:
        values: The values by the parameter's name.
        order: The parameters, each as often as it is set.
    """

    values: dict[str, Any] = field(default_factory=dict)
    order: list[click.Parameter] = field(default_factory=list)


def former_option(name: str, command: SettingsCommand) -> str:
    """What to give instead of an option that is gone; empty where there never was one.

    Args:
        name: The option, with its dashes.
        command: The command.
    """
    if name == f"--{SET}":
        return f"{command.name} has no settings, only options: give --NAME VALUE."
    own = command.settings.get(name.removeprefix("--"))
    if own is not None:
        value = "true" if own.is_switch else "VALUE"
        has_file = any(each.name == "project" for each in command.params)
        more = ", or a line in the project file" if has_file else ""
        return f"It is a setting: give --set {own.key}={value}{more}."
    return FORMER_OPTIONS.get(f"{command.name} {name}") or FORMER_OPTIONS.get(name, "")


def former_key(key: str) -> str:
    """What a setting that is gone is called now, as a sentence; empty where there never was one."""
    return " It is called golds now." if key == "gold-overlay" else ""


def settable(command: SettingsCommand) -> dict[str, HeadedOption]:
    """What ``--set`` can change in a command, by key."""
    options = [each for each in command.params if isinstance(each, HeadedOption)]
    return {each.key: each for each in options if each.key not in NOT_SET} | command.settings


def read_set(command: SettingsCommand, ctx: click.Context, texts: Sequence[str]) -> ChangedSettings:
    """The values of ``--set``.

    Args:
        command: The command.
        ctx: Its context.
        texts: ``KEY=VALUE`` each.

    Raises:
        UsageError: a key is unknown, or a value is not what it takes.
    """
    changed = ChangedSettings()
    if not texts:
        return changed
    known = settable(command)
    words: dict[str, list[str]] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        key = name.strip().replace("_", "-")
        if not sign or key not in known:
            wrong = f"{key!r} is no setting of {ctx.command_path}" if sign else "there is no ="
            hint = former_key(key) or near(key, known) if sign else ""
            raise UsageError(
                f"--set {text}: {wrong}.{hint} Expected KEY=VALUE, with a key of "
                f"{', '.join(command.settings)}, or the name of an option"
            )
        words.setdefault(key, []).append(value.strip())
        changed.order.append(known[key])
    for key, values in words.items():
        own = known[key]
        assert own.name is not None
        changed.values[own.name] = _value(own, values, ctx)
    return changed


def _value(own: HeadedOption, texts: Sequence[str], ctx: click.Context) -> Any:
    """The value of one key, checked."""
    try:
        return own.type_cast_value(ctx, tuple(texts) if own.multiple else texts[-1])
    except click.BadParameter as wrong:
        raise UsageError(f"--set {own.key}={texts[-1]}: {wrong.message}") from wrong
