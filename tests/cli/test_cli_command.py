"""Commands whose options are the fields of a dataclass: values, help, former names."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

import click
import pytest
from click.testing import CliRunner, Result

from sqlverdict.cli.command import MANY_OPTIONS, HeadedCommand, command
from sqlverdict.cli.main import SECTIONS, Commands, sqlverdict
from sqlverdict.cli.options.fields import (
    HeadedOption,
    Heading,
    argument,
    build,
    group,
    option,
    parameters,
)
from sqlverdict.cli.options.shared import COLUMN, NAMES

Invoke = Callable[..., Result]


@dataclass(frozen=True, kw_only=True)
class Inner:
    HEADING: ClassVar[Heading] = Heading.DATA

    root: Path | None = option("--root", type=click.Path(path_type=Path), help="A folder.")
    names: tuple[str, ...] = option("--only", type=NAMES, default=(), help="Names.")


@dataclass(frozen=True, kw_only=True)
class Outer:
    what: str = argument()
    inner: Inner = group(Inner)
    columns: tuple[tuple[str, str], ...] = option("--column", multiple=True, type=COLUMN)
    show: int = option("--show", type=click.IntRange(0), default=5, help="N.")
    as_json: bool = option("--json", is_flag=True)


def outcome_of(*args: str) -> Outer:
    """What a command gets for these arguments."""
    received = []

    @command(Outer)
    def run(value: Outer) -> None:
        received.append(value)

    result = CliRunner().invoke(run, args, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return received[0]


def test_a_command_gets_its_options_as_one_typed_value() -> None:
    value = outcome_of("x", "--root", "a", "--only", "p, q,", "--column", "sql=gold", "--json")
    assert value == Outer(
        what="x",
        inner=Inner(root=Path("a"), names=("p", "q")),
        columns=(("sql", "gold"),),
        show=5,
        as_json=True,
    )


def test_the_defaults_of_the_dataclass_are_those_of_the_command() -> None:
    assert outcome_of("x") == Outer(what="x")


def test_a_field_that_is_no_option_is_refused() -> None:
    @dataclass(frozen=True)
    class Wrong:
        plain: str = ""

    with pytest.raises(TypeError, match="plain"):
        list(parameters(Wrong))


def test_few_options_stand_in_one_list() -> None:
    text = CliRunner().invoke(command(Outer)(lambda value: None), ["--help"]).output
    assert "Options:" in text
    assert "Data:" not in text


def every_command(
    parent: click.Group = sqlverdict, path: str = "sqlverdict"
) -> Iterator[tuple[str, click.Command]]:
    """Every command with its path, subcommands included."""
    context = click.Context(parent)
    for name in parent.list_commands(context):
        result = parent.get_command(context, name)
        assert result is not None
        yield f"{path} {name}", result
        if isinstance(result, click.Group):
            yield from every_command(result, f"{path} {name}")


COMMANDS = dict(every_command())


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_with_many_options_lists_them_by_heading(path: str) -> None:
    one = COMMANDS[path]
    context = click.Context(one, info_name=path, terminal_width=98)
    options = [each for each in one.get_params(context) if isinstance(each, click.Option)]
    text = one.full_help(context) if isinstance(one, HeadedCommand) else one.get_help(context)
    if len(options) > MANY_OPTIONS:
        assert isinstance(one, HeadedCommand)
        assert "\nOutput:\n" in text
        assert "\nOptions:\n" not in text
    for each in options:
        assert each.opts[0] in text or each.hidden, each.opts


def parameters_of(one: click.Command) -> list[click.Parameter]:
    """The parameters of a command, settings included."""
    return [*one.params, *(one.settings.values() if isinstance(one, HeadedCommand) else ())]


@pytest.mark.parametrize("path", COMMANDS)
def test_no_option_takes_nan_or_infinity_for_a_number(path: str) -> None:
    """A cost of at most NaN would be no limit, and a log cannot hold a timeout of infinity."""
    each_parameter = parameters_of(COMMANDS[path])
    numbers = [each for each in each_parameter if each.type is click.FLOAT]
    assert numbers == []
    for each in each_parameter:
        if isinstance(each.type, click.FloatRange):
            for value in ("nan", "inf", "1e300"):
                with pytest.raises(click.BadParameter, match="is not "):
                    each.type.convert(value, each, None)


SEVERAL_KINDS = {
    "--by": "agree groups by any tag, categories by one of four",
    "--db-id": "show and bank take several",
    "--now": "build takes any text",
    "--predictions": "evaluate takes NAME=FILE",
    "--risk": "reliability takes several",
}
"""Options whose values differ between commands, and how."""


def test_the_same_option_has_the_same_kind_of_value_in_every_command() -> None:
    """An option that takes a file here and a number there would be two things of one name."""
    kinds: dict[str, dict[str, str]] = {}
    for path, one in COMMANDS.items():
        for each in parameters_of(one):
            if isinstance(each, HeadedOption):
                kind = "flag" if each.is_flag else type(each.type).__name__
                kinds.setdefault(each.opts[0], {})[path] = kind
    several = {name: by for name, by in kinds.items() if len(set(by.values())) > 1}
    assert set(several) == set(SEVERAL_KINDS), several


def fits(hint: Any, value: object) -> bool:
    """Whether a value is of an annotated type."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(fits(each, value) for each in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    if origin is tuple:
        return isinstance(value, tuple)
    return isinstance(value, hint)


def untyped(value: object) -> Iterator[str]:
    """The fields of a dataclass whose values are not of their types, groups included."""
    hints = get_type_hints(type(value))
    for each in fields(value):  # type: ignore[arg-type]
        part = getattr(value, each.name)
        if is_dataclass(part):
            yield from untyped(part)
        elif not fits(hints[each.name], part):
            yield f"{type(value).__name__}.{each.name}: {part!r}"


def declared_class(one: click.Command) -> type[Any] | None:
    """The dataclass of a command's options."""
    cells = getattr(one.callback, "__closure__", None) or ()
    return next(
        (cell.cell_contents for cell in cells if isinstance(cell.cell_contents, type)), None
    )


@pytest.mark.parametrize("path", [path for path, one in COMMANDS.items() if declared_class(one)])
def test_what_click_makes_of_the_defaults_has_the_declared_types(path: str) -> None:
    one = COMMANDS[path]
    kind = declared_class(one)
    assert kind is not None
    needed = [each for each in one.params if each.required]
    args = [
        text
        for each in needed
        for value in [each.type.choices[0] if isinstance(each.type, click.Choice) else "x"]
        for text in ([each.opts[0], value] if isinstance(each, click.Option) else [value])
    ]
    values = one.make_context(path, args).params
    assert list(untyped(build(kind, values))) == []


def test_the_sections_of_the_help_are_the_folders_in_their_order(invoke: Invoke) -> None:
    from sqlverdict.cli import commands

    folders = Path(commands.__file__).parent.iterdir()
    assert {folder.name for folder in folders if (folder / "__init__.py").is_file()} == set(
        SECTIONS
    )
    assert isinstance(sqlverdict, Commands)
    text = invoke("--help").output
    places = [
        text.index(f"\n  {name} ")
        for name in ("evaluate", "table", "prove", "audit", "agree", "explain")
    ]
    assert places == sorted(places)
