"""``--set KEY=VALUE``, and what to give instead of an unknown option.

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

_OTHERS = {
    "--gold": "Give the gold file with --cases.",
    "--instances": "It has another name now: --refute N.",
}
"""What to give instead of options that many expect, or that are gone."""


@dataclass(frozen=True)
class ChangedSettings:
    """What ``--set`` says.

    Attributes:
        values: The values by the parameter's name.
        order: The parameters, each as often as it is set.
    """

    values: dict[str, Any] = field(default_factory=dict)
    order: list[click.Parameter] = field(default_factory=list)


def setting_hint(name: str, command: SettingsCommand) -> str:
    """What to give instead of an option that the command does not have; empty: it is not known.

    Args:
        name: The option, with its dashes.
        command: The command.
    """
    if name == f"--{SET}":
        return f"{command.name} has no settings, only options: give --NAME VALUE."
    own = command.settings.get(name.removeprefix("--"))
    if own is None:
        return _OTHERS.get(name, "")
    value = "true" if own.is_switch else "VALUE"
    has_file = any(each.name == "project" for each in command.params)
    more = ", or a line in the project file" if has_file else ""
    return f"It is a setting: give --set {own.key}={value}{more}."


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
            hint = near(key, known) if sign else ""
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
