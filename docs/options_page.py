"""The page of options and settings: what each is, and which commands have it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from sqlverdict.cli.command import HeadedCommand
from sqlverdict.cli.main import sqlverdict
from sqlverdict.cli.options.fields import SET, HeadedOption, Heading
from sqlverdict.cli.settings import NOT_SET

_INTRODUCTION = """A command takes **options** (`--out runs/mine`) and **settings**. An option is
what many users of that command give. A setting is what is set once for a project, if at all: a
cache, the prices of a model. The rule to remember: **`--set NAME=VALUE` is right for both**.
`--NAME VALUE` is a shorter form that options have. Lines of the project file have the same names:

<!-- not run: takes your own files -->
```sh
sqlverdict evaluate --cases bot.csv --databases shop.db --set max-rows=1000 --set page=false
```

```toml
# sqlverdict.toml, in the folder where you start sqlverdict, or the file of --project
max-rows = 1000
page = false
```

- The same name can be an option in one command and a setting in another, where fewer users need it:
  {both}.
  `evaluate --timeout 60` and `evaluate --set timeout=60` do the same. `doctor` takes
  `--set timeout=60` alone, and its answer to `--timeout 60` says so.
- `--metrics` says what a run scores. `--metric` chooses among what runs have scored.
- A command without settings, such as `show`, has no `--set`: give `--NAME VALUE`.
  {line_only} stand on the command line as they are, never behind `--set`.
- An option comes before `--set`, `--set` before the project file, and the file before the default.
- Every command that has `--project` reads the file. `evaluate` takes all of it, the others take
  where the data are and their settings. [Your own data](inputs.md#the-project-file) tells more.
- `COMMAND --help` shows at most 30 options. `COMMAND --help-all` shows all of them, and the
  settings, by group.
- An option that became a setting, or has another name now, is refused with what to give instead."""
_RULE = "| --- | --- | --- |"
_USERS = {
    Heading.DATA: "everybody: where the questions, the databases, the predictions and the runs "
    "are. `init` writes those of `evaluate` to a file",
    Heading.CASES: "those who look at a run with `show`: which of its cases",
    Heading.QUESTIONS: "those who make a benchmark (`build`), or a queue of pairs that people vote "
    "on (`label`)",
    Heading.LABELS: "those who have labels or votes of people",
    Heading.METRICS: "everybody: what a run scores, and which metric a table is about",
    Heading.EVIDENCE: "those who ask why: proofs, witnesses, signs, and how they become a verdict",
    Heading.JUDGE: "those who let a language model decide what the evidence leaves open",
    Heading.TRAINING: "those who fit or try methods that abstain (`abstain`)",
    Heading.LINTS: "those who make a benchmark (`build`)",
    Heading.MODEL: "those who ask a language model outside of a run",
    Heading.LIMITS: "those who have a gate in CI (`check`), slow queries or a large machine, "
    "and those who repeat random choices",
    Heading.OUTPUT: "everybody: where results go, in which form, and how much is printed",
}
"""Who needs the options and settings of each heading."""


def options_page(note: str) -> str:
    """The whole page.

    Args:
        note: The line that says that the page is written by a program.
    """
    every = [*_parameters()]
    settings = [row for row in every if row[1].is_setting]
    options = [row for row in every if not row[1].is_setting]
    both = {each.key for _, each in settings} & {each.key for _, each in options}
    line_only = NOT_SET - {SET}
    rules = _INTRODUCTION.format(both=_names("", both), line_only=_names("--", line_only))
    parts = ["# Options and settings", note, rules]
    parts += ["## Settings", *_tables(settings)]
    parts += [
        "## Options",
        "Where it says so, only `--help-all` lists an option.",
        *_tables(options),
    ]
    return "\n\n".join(parts) + "\n"


def _names(dashes: str, names: Iterable[str]) -> str:
    """Names in a sentence."""
    *most, last = (f"`{dashes}{name}`" for name in sorted(names))
    return f"{', '.join(most)} and {last}"


def _parameters(
    parent: click.Group = sqlverdict, path: str = ""
) -> Iterator[tuple[str, HeadedOption]]:
    """The options and settings of all commands, each with its command."""
    context = click.Context(parent)
    for name in parent.list_commands(context):
        command = parent.get_command(context, name)
        own = [*command.params] if command is not None else []
        if isinstance(command, HeadedCommand):
            own += command.settings.values()
        yield from ((f"{path}{name}", each) for each in own if isinstance(each, HeadedOption))
        if isinstance(command, click.Group):
            yield from _parameters(command, f"{name} ")


def _tables(rows: list[tuple[str, HeadedOption]]) -> Iterator[str]:
    """A table for each heading of the help."""
    for heading in Heading:
        mine = [row for row in rows if row[1].heading is heading]
        if mine:
            head = f"### {heading}\n\nFor {_USERS[heading]}.\n\n| name | what | commands |"
            yield "\n".join([head, _RULE, *_lines(mine)])


def _lines(rows: list[tuple[str, HeadedOption]]) -> Iterator[str]:
    """A line for each name, its text from the first command that has it."""
    by_name: dict[str, dict[str, HeadedOption]] = {}
    for command, each in rows:
        by_name.setdefault(each.key if each.is_setting else each.opts[0], {})[command] = each
    for name, mine in by_name.items():
        first = next(iter(mine.values()))
        record = first.get_help_record(click.Context(sqlverdict))
        text = " ".join((record[1] if record else "").split()).replace("|", "\\|")
        commands = (
            f"{command}*" if each.rare and command == "evaluate" else command
            for command, each in mine.items()
        )
        yield f"| `{name}` | {text} | {', '.join(commands)} |"
