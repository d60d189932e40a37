"""The project file: options and settings that need not be typed.

``sqlverdict.toml`` in the current folder, or the file that ``--project`` names. Its keys are the
names of options of ``evaluate`` (``cases``, ``metrics``, ``timeout``) and of settings of any
command; ``[columns]`` is the column map. The command line comes first. Paths are relative to the
file. Commands other than ``evaluate`` take where the data are, and their settings.

The file may come with a folder from elsewhere. What would reach beyond that folder is therefore
read only from a file that the user names: options of a judge and databases on a server (they get
the user's key or password), a cluster, rights on a server, a cache of answers, places to write to.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from sqlverdict.cli.options.fields import SET, HeadedOption, Heading, SettingsCommand, parameters
from sqlverdict.cli.options.shared import OVERLAY_FILE, ReferenceType
from sqlverdict.errors import DataError, UsageError
from sqlverdict.files.references import is_server, scheme_of
from sqlverdict.files.text import near, read_text

FILE_NAME = "sqlverdict.toml"
COLUMNS = "columns"
NOT_READ = frozenset({"project", "json", "merge", SET})
"""Options that make no sense in a file."""
_INSTEAD = {
    "benchmark": ("cases", "columns", "databases", "schema"),
    "cases": ("benchmark", "root", "split", "columns"),
    "predictions": ("system",),
    "system": ("predictions",),
    "no_llm": ("judge", "model"),
}
"""What an option on the command line replaces besides itself, by parameters' names."""


@dataclass(frozen=True)
class Project:
    """What a project file gives a command.

    Attributes:
        file: The file.
        values: The values by the parameter's name.
        keys: Their names in the file.
        arguments: The same as words of a command line.
    """

    file: Path
    values: dict[str, Any] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)


def read_project(
    command: SettingsCommand, ctx: click.Context, line_options: Mapping[str, Any]
) -> Project:
    """The options and settings of a command in its project file; none where there is no file.

    Args:
        command: The command.
        ctx: Its context.
        line_options: The parameters on the command line, by name.

    Raises:
        UsageError: a key is unknown, or a value is not what the option takes.
        DataError: the file is no TOML.
    """
    file = Path(line_options.get("project") or FILE_NAME)
    if "merge" in line_options:
        # Shards bring their options along; the file's are those of an evaluation.
        return Project(file)
    if "project" not in line_options and not file.is_file():
        return Project(file)
    try:
        content = tomllib.loads(read_text(file, DataError))
    except tomllib.TOMLDecodeError as bad:
        raise DataError(
            f"{file} is not valid TOML: {bad}. Put texts in quotes: cases = ...",
            reason="unreadable",
        ) from bad
    except (RecursionError, ValueError) as bad:
        # Lists in lists without end, a number of thousands of digits.
        raise DataError(
            f"{file} cannot be read: {bad}. Expected options and their values", reason="unreadable"
        ) from bad
    project = Project(file)
    replaced = {*line_options, *(name for each in line_options for name in _INSTEAD.get(each, ()))}
    for key, option, value in _entries(file, content):
        danger = "" if "project" in line_options else _danger(file, option, value)
        if danger:
            raise UsageError(
                f"{file}: {key} = {value!r} is read only from a file that you name: --project "
                f"{file}. It decides {danger}"
            )
        own = command.settings.get(key) or _option_of(command, option)
        if own is not None and own.name not in replaced:
            _add(project, own, key, value, ctx)
    return project


def _option_of(command: SettingsCommand, option: HeadedOption) -> HeadedOption | None:
    """The command's option for that of ``evaluate``; ``None`` where it does not take it."""
    if command.name != "evaluate" and option.heading is not Heading.DATA:
        return None
    options = (each for each in command.params if isinstance(each, HeadedOption))
    return next((each for each in options if each.name == option.name), None)


def _entries(file: Path, content: Mapping[str, Any]) -> Iterator[tuple[str, HeadedOption, Any]]:
    """The entries of a file with the options that they set."""
    known = options_by_key()
    for name, value in content.items():
        key = name.replace("_", "-")
        if key not in known:
            # Imports every command, so only for a key that is none of evaluate.
            known = {**all_settings(), **known}
        if key not in known:
            what = f"the section [{name}]" if isinstance(value, Mapping) else f"the key {name!r}"
            hint = near(key, known)
            raise UsageError(
                f"{file}: {what} is unknown.{hint} A key is the name of an option of "
                f"evaluate without its dashes, or a setting of a command (see --help-all); the "
                f"only section is [{COLUMNS}]"
            )
        yield key, known[key], value


_SECRETS = "which server gets your key or password"
_DANGERS = {
    "on": "which machines get your data",
    "trust_role": "whether queries run with all rights of your role",
    "cache": "which answers are believed",
    "address": "which server gets the tokens of your annotators",
}
_WRITES = ("out", "bank")


def _danger(file: Path, option: HeadedOption, value: Any) -> str:
    """What an option decides beyond the folder of the file; empty where it decides nothing."""
    values = value if isinstance(value, list) else [value]
    is_reference = isinstance(option.type, ReferenceType)
    if option.heading in (Heading.JUDGE, Heading.MODEL) or (
        is_reference and any(is_server(str(each).strip()) for each in values)
    ):
        return _SECRETS
    if option.name in _WRITES and any(_is_outside(file, str(each)) for each in values):
        return "where outside of its folder something is written"
    return _DANGERS.get(option.name or "", "")


def _is_outside(file: Path, text: str) -> bool:
    """Whether a path leads out of the folder of a file."""
    try:
        return not (file.parent / text).resolve().is_relative_to(file.parent.resolve())
    except (OSError, ValueError):
        return True


def options_by_key() -> dict[str, HeadedOption]:
    """The options and settings of ``evaluate`` that a project file may hold, by key."""
    from sqlverdict.cli.options.run import EvaluateArgs

    options = [each for each in parameters(EvaluateArgs) if isinstance(each, HeadedOption)]
    return {key: each for each in options if (key := key_of(each)) not in NOT_READ}


def all_settings() -> dict[str, HeadedOption]:
    """The settings of all commands, by key."""
    from sqlverdict.cli.main import all_commands

    settings: dict[str, HeadedOption] = {}
    for command in all_commands():
        has_file = any(each.name == "project" for each in command.params)
        if isinstance(command, SettingsCommand) and has_file:
            settings |= command.settings
    return settings


def key_of(option: HeadedOption) -> str:
    """The key of an option in a project file."""
    return COLUMNS if option.name == COLUMNS else option.key


def _add(project: Project, own: HeadedOption, key: str, value: Any, ctx: click.Context) -> None:
    """Add one value, checked."""
    assert own.name is not None
    texts = _texts(project.file, own, key, value)
    if not own.multiple and len(texts) > 1:
        # Such as doctor, which examines one file of predictions.
        return
    name = f"--{'column' if key == COLUMNS else key}"
    try:
        checked = own.type_cast_value(ctx, texts if own.multiple else texts[0])
    except click.UsageError as wrong:
        raise UsageError(f"{project.file}, {key}: {wrong.format_message()}") from wrong
    project.values[own.name] = checked
    project.keys.append(key)
    if own.is_setting:
        project.arguments.extend(word for text in texts for word in ("--set", f"{key}={text}"))
    elif own.is_flag:
        project.arguments.extend([name] if checked else [])
    else:
        project.arguments.extend(word for text in texts for word in (name, text))


def _texts(file: Path, own: HeadedOption, key: str, value: Any) -> list[str]:
    """A value as the words that the option would get on a command line."""
    if own.is_switch != isinstance(value, bool):
        expected = "a value" if isinstance(value, bool) else "true or false"
        raise UsageError(f"{file}: {key} is {value!r}. Expected {expected}")
    if isinstance(value, bool):
        return [str(value).lower()]
    if key == COLUMNS:
        if not isinstance(value, Mapping) or not all(isinstance(v, str) for v in value.values()):
            raise UsageError(f'{file}: expected [columns] with lines such as "Answer" = "gold"')
        return [f"{name}={target}" for name, target in value.items()]
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(each, str | int | float) for each in values):
        raise UsageError(f"{file}: {key} is {value!r}. Expected a text, a number, or a list")
    if len(values) > 1 and not own.multiple and isinstance(own.type, click.Path | ReferenceType):
        raise UsageError(f"{file}: {key} is {value!r}. Expected one path")
    try:
        texts = [_located(file.parent, own, str(each)) for each in values]
    except ValueError as bad:
        raise UsageError(f"{file}: {key} cannot be read: {bad}") from bad
    if any("\0" in text for text in texts):
        raise UsageError(f"{file}: {key} holds a NUL character. Expected text")
    # Lists of names, such as metrics, are one word with commas.
    return texts if own.multiple or key == "predictions" else [",".join(texts)]


def _located(folder: Path, own: click.Parameter, text: str) -> str:
    """A path as seen from the current folder; anything else as it is, an empty text too."""
    if not text.strip():
        return text
    if own.type is OVERLAY_FILE or (own.name == "predictions" and own.multiple):
        name, sign, path = text.partition("=")
        has_name = sign and name and not (folder / text).exists()
        return f"{name}={folder / path}" if has_name else str(folder / text)
    if own.name == "predictions":
        return str(folder / text)
    local = isinstance(own.type, ReferenceType) and not scheme_of(text)
    return str(folder / text) if local or isinstance(own.type, click.Path) else text
