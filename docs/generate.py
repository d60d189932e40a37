"""Writes the pages that come from code: commands, metrics, presets, engines, rules, reasons ...

``python docs/generate.py`` writes them; ``--check`` only says whether they are fresh.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
from counting import counting
from docstrings import as_markdown
from engine_records import engine_records
from judge_page import between, judge_page
from options_page import options_page
from papers_page import fact_names, paper_page
from rescored_page import rescored_page

from sqlverdict.cli.command import HeadedCommand
from sqlverdict.cli.main import main as cli
from sqlverdict.compare.preset import PRESETS
from sqlverdict.compare.relation import RELATIONS, RelationKind
from sqlverdict.compare.tags import EXAMPLES_SCHEMA, TAGS
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.revisions import published_revisions
from sqlverdict.prove.profile import DEFAULT_PROFILE, PROFILES
from sqlverdict.prove.rule import EVERYWHERE, RULES, Rule
from sqlverdict.records import REASONS, Fault, Reason, Row, Verdict
from sqlverdict.refute.make.instance_builder import InstanceProfile
from sqlverdict.refute.strategy import STRATEGIES, rotation
from sqlverdict.registry import Registry
from sqlverdict.score.metric import METRICS
from sqlverdict.signs.sign import SIGNS
from sqlverdict.testing.rule_suite.pages import rule_page

FOLDER = Path(__file__).parent
_ENGINES_INTRO = (
    "What runs the queries. Another one comes as a package: [engine-plugins.md](engine-plugins.md)."
)
HELP_WIDTH = 98
"""As wide as the program writes its help in a terminal of 100 columns or more."""
NOTE = "<!-- Written by docs/generate.py from the code: change the code, then run `make docs`. -->"
ALL_PRESETS = "<!-- Written by docs/generate.py: the presets, from the code. -->"
END_OF_PRESETS = "<!-- The end of the presets. -->"

PAPERS_NOTE = (
    "<!-- Written by docs/generate.py from the JSON beside it, which `sqlverdict reproduce` "
    "printed. -->"
)


def document(module: str) -> str:
    """A module's docstring as Markdown."""
    return as_markdown(importlib.import_module(module).__doc__)


def members(title: str, intro: str, registry: Registry[object]) -> str:
    """One section a member."""
    parts = [f"# {title}", NOTE, intro]
    for name in registry.names():
        parts += [f"## `{name}`", document(registry.home(name))]
    return "\n\n".join(parts) + "\n"


def metrics() -> str:
    """The metrics page."""
    text = members(
        "Metrics",
        "Name them with `--metrics`, separated by commas. In brackets stands a comparison "
        "preset: `ex[bird]`. A bare `ex` uses `strict`. A metric's version changes when its "
        "values may; it is in every manifest.",
        METRICS,  # type: ignore[arg-type]
    )
    rows = ["| metric | version | values | parameters |", "| --- | --- | --- | --- |"]
    for name, metric in METRICS.items():
        kind = "0 or 1" if metric.binary else "a number"
        rows.append(f"| `{name}` | {metric.version} | {kind} | {', '.join(metric.parameters)} |")
    head, rest = text.split("\n\n## ", 1)
    return f"{head}\n\n" + "\n".join(rows) + f"\n\n{counting()}\n\n## {rest}"


def presets() -> str:
    """The page about presets and official scorers, with all presets in their place."""
    parts = [f"### `{name}`\n\n{document(PRESETS.home(name))}" for name in PRESETS.names()]
    text = (FOLDER / "presets.md").read_text(encoding="utf-8")
    return between(text, ALL_PRESETS, "\n\n".join(["", *parts, ""]), END_OF_PRESETS)


def relations() -> str:
    """The relations page: how two answers differ, and when it does not matter."""
    parts = [
        "# Relations",
        NOTE,
        "Where two answers differ, these say how, each with its proof: the columns, the factor, "
        "the rows. They are evidence in the run log, not verdicts. They are tried in this order. "
        "Every relation is checked by `check_relation` of `sqlverdict.testing` from its one file.",
        document("sqlverdict.compare.relation").split("Proofs are JSON. ")[1],
    ]
    by_rank = sorted(RELATIONS.items(), key=lambda item: item[1].rank)
    rows = ["| relation | what | harmless where |", "| --- | --- | --- |"]
    rows += [
        f"| [`{kind}`](#{kind}) | {relation.title} | {relation.harmless_when or 'never'} |"
        for kind, relation in by_rank
    ]
    parts.append("\n".join(rows))
    for kind, relation in by_rank:
        parts += [f"## `{kind}`", document(RELATIONS.home(kind)), _answer_pairs(relation)]
    return "\n\n".join(parts) + "\n"


def _answer_pairs(relation: RelationKind[Any]) -> str:
    """The pairs of answers that a relation joins and keeps apart, as a table."""
    rows = ["| gold | prediction | relation |", "| --- | --- | --- |"]
    for pair in relation.joins:
        about = {True: "holds; harmless", False: "holds; it matters", None: "holds"}[pair.harmless]
        question = f" for “{pair.question}”" if pair.question else ""
        rows.append(f"| {_rows(pair.gold)} | {_rows(pair.prediction)} | {about}{question} |")
    for pair in relation.keeps_apart:
        sides = f"| {_rows(pair.gold)} | {_rows(pair.prediction)} "
        rows.append(f"{sides}| does not hold: {pair.because} |")
    return "\n".join(rows)


def _rows(rows: tuple[Row, ...]) -> str:
    """An answer as text that fits in a cell of a table."""
    texts = (", ".join("NULL" if cell is None else repr(cell) for cell in row) for row in rows)
    return "; ".join(f"`({text})`" for text in texts)


def engines() -> str:
    """The engines page, with the limits."""
    text = members("Engines", _ENGINES_INTRO, ENGINES)  # type: ignore[arg-type]
    head, rest = text.split("\n\n## ", 1)
    text = f"{head}\n\n{engine_records()}\n\n## {rest}"
    limits = ["# Limits", as_markdown(Limits.__doc__), "Defaults:", ""]
    values = [f"- `{name}`: {value:,}" for name, value in vars(Limits()).items()]
    return text + "\n" + "\n\n".join(limits[:3]) + "\n\n" + "\n".join(values) + "\n"


def benchmarks() -> str:
    """The benchmarks page, with the published revisions on top."""
    text = members(
        "Benchmarks",
        "Formats that `--benchmark` reads. The preset of each benchmark's own script is in "
        "[presets.md](presets.md#which-preset).",
        BENCHMARKS,  # type: ignore[arg-type]
    )
    parts = [
        "## Published revisions",
        "Golds of a benchmark change. `doctor`, the manifest and the reports name the revision of "
        "a run's cases ([how](inputs.md#which-revision-is-it)). A revision whose files were not "
        "at hand is listed, and not recognised.",
    ]
    rows = ["| revision | `--benchmark` | questions | source |", "| --- | --- | ---: | --- |"]
    for each in published_revisions():
        size = f"{each.size:,}" if each.size else "not at hand"
        rows.append(f"| {each.name} | `{each.benchmark}` | {size} | {each.source} |")
    head, rest = text.split("\n\n## ", 1)
    return "\n\n".join([head, *parts, "\n".join(rows)]) + f"\n\n## {rest}"


def signs() -> str:
    """The page of signs, with a table on top."""
    text = members(
        "Signs",
        "What `sqlverdict lint` looks for, and what runs with a policy note as evidence. A sign "
        "is no verdict. How often each speaks on wrong and on right queries is measured in "
        "[measurements/lint.md](measurements/lint.md); *strong* ones are shown by default.",
        SIGNS,  # type: ignore[arg-type]
    )
    rows = ["| sign | strength | what |", "| --- | --- | --- |"]
    rows += [f"| `{name}` | {sign.strength} | {sign.title} |" for name, sign in SIGNS.items()]
    head, rest = text.split("\n\n## ", 1)
    return f"{head}\n\n" + "\n".join(rows) + f"\n\n## {rest}"


def strategies() -> str:
    """The page of search strategies: the rotation on top, each with its example and numbers."""
    parts = [
        "# Search strategies",
        NOTE,
        "Ways in which the [search for a witness](refute.md) makes databases. They take turns; a "
        "strategy without a turn replaces the one whose turn it is, as its *Costs* say. "
        "`check_strategy` of `sqlverdict.testing` shows for each that the search separates its "
        "example with it and misses it without it, within the number of instances that is given.",
    ]
    rows = ["| turn | strategy | numbers | why |", "| --- | --- | --- | --- |"]
    turns = [(str(number), *turn) for number, turn in enumerate(rotation())]
    turns += [
        ("", member, profile)
        for _, member in STRATEGIES.items()
        for profile in member.profiles
        if profile.turn is None
    ]
    for turn, member, profile in turns:
        numbers = ", ".join(
            f"{name} {value}" if value is not True else name
            for name, value in vars(profile).items()
            if name not in ("why", "turn") and value
        )
        rows.append(f"| {turn} | [`{member.name}`](#{member.name}) | {numbers} | {profile.why} |")
    about = as_markdown(InstanceProfile.__doc__ or "")
    parts += ["\n".join(rows), "## The numbers", about]
    for name, member in STRATEGIES.items():
        example = member.example
        queries = f"-- gold\n{example.gold}\n-- prediction\n{example.prediction}"
        sql = f"```sql\n{example.schema.strip()}\n{queries}\n```"
        parts += [f"## `{name}`", document(STRATEGIES.home(name)), sql]
        parts.append(f"{example.instances} instances, seed {example.seed}.")
    return "\n\n".join(parts) + "\n"


def words() -> str:
    """Verdicts, evidence, faults and reason codes."""
    parts = ["# Words of the run log", NOTE]
    for title, words_ in (
        ("Verdicts", Verdict),
        ("Faults of unscored cases", Fault),
    ):
        parts += [f"## {title}", "\n".join(f"- `{word.value}`" for word in words_)]
    parts += ["## Evidence", document("sqlverdict.evidence")]
    rows = [f"| `{reason.value}` | {REASONS[reason]} |" for reason in Reason]
    parts += ["## Reason codes", "\n".join(["| code | meaning |", "| --- | --- |", *rows])]
    parts += ["## How evidence becomes a verdict", document("sqlverdict.verdicts")]
    rows = [
        f"| `{kind}` | {relation.harmless_when} |"
        for kind, relation in RELATIONS.items()
        if relation.harmless_when
    ]
    harmless = "\n".join(["| relation | harmless where |", "| --- | --- |", *rows])
    parts += ["## Harmless differences", document("sqlverdict.harmless"), harmless]
    return "\n\n".join(parts) + "\n"


TAGS_INTRODUCTION = """\
A tag names a difference between a prediction and its gold. It says where the two differ, never who
is right or whether it matters. A run logs tags beside the evidence that two answers differ, and
`sqlverdict table --of categories` counts them. They come from the two queries, the schema and the
two results. No language model is asked, and no verdict uses them.

- Aliases, the order of AND, BETWEEN and two bounds, IN with a subquery and a join, columns of
  derived tables and of the tables behind them, `COUNT(*)` and COUNT of a column that is never NULL:
  none of these is a difference.
- SQLite compiles the prediction on empty tables of the schema and runs nothing. What it refuses
  becomes a tag: `unknown_column`, `ambiguous_column`, `unknown_function` and so on. This needs a
  schema, and holds for SQLite only.
- A prediction that fails when it runs has `fails` and the tags of its text as well.
- The text of a tag is cut after 300 letters. Time grows with the length of the queries: a list of
  9,000 values took 0.3 seconds, about as long as to parse it.

How far tags agree with error types that people gave:
[measurements/error_tags.md](measurements/error_tags.md). The examples are on this schema:"""


def tags() -> str:
    """The error tags, by clause, each with its example."""
    parts = [
        "# Error tags",
        NOTE,
        TAGS_INTRODUCTION,
        f"```sql\n{EXAMPLES_SCHEMA.strip()}\n```",
    ]
    for clause in dict.fromkeys(kind.clause for kind in TAGS.values()):
        mine = {name: kind for name, kind in TAGS.items() if kind.clause == clause}
        parts.append(f"## About the {clause}")
        for name, kind in mine.items():
            text = f"### `{name}`\n\n{kind.meaning[0].upper()}{kind.meaning[1:]}."
            if kind.gold:
                text += f"\n\n```sql\n-- gold\n{kind.gold}\n-- prediction\n{kind.prediction}\n```"
            parts.append(text)
    return "\n\n".join(parts) + "\n"


def commands() -> str:
    """The commands page: each command's own help."""
    group = cli_group()
    context = click.Context(
        group, info_name="sqlverdict", terminal_width=HELP_WIDTH, **group.context_settings
    )
    parts = ["# Commands", NOTE, "```text\n" + group.get_help(context) + "\n```"]
    return "\n\n".join([*parts, *command_sections(group, context, "##")]) + "\n"


def command_sections(group: click.Group, context: click.Context, marks: str) -> Iterator[str]:
    """The help of each command of a group, and of its subcommands, under a heading each."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context, **command.context_settings)
        yield f"{marks} `{inner.command_path}`"
        whole = isinstance(command, HeadedCommand)
        yield f"```text\n{command.full_help(inner) if whole else command.get_help(inner)}\n```"
        if isinstance(command, click.Group):
            yield from command_sections(command, inner, f"{marks}#")


def rules() -> str:
    """The index of the rules, by profile."""
    parts = [
        "# Rules",
        NOTE,
        "By these rules `sqlverdict prove` rewrites queries; [how proofs work](prove.md) says how. "
        "A rule is *proved* (its page argues for every case), *tested* (the argument is plain and "
        "the search finds nothing against it) or *heuristic* (a corner is known in which it is "
        "wrong). Every rule is checked by `check_rule` of `sqlverdict.testing` from its one file.",
    ]
    for name, profile in PROFILES.items():
        mine = [rule for _, rule in RULES.items() if name in rule.profiles]
        sound = name == DEFAULT_PROFILE
        head = ["rule", "trust", *(["dialects"] if sound else []), "paper", "what"]
        rows = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|"]
        rows += [
            f"| [`{rule.name}`](rules/{rule.name}.md) | {rule.trust} "
            f"{f'| {dialects(rule)} ' if sound else ''}| {', '.join(rule.paper)} "
            f"| {rule.title.replace('|', chr(92) + '|')} |"
            for rule in mine
        ]
        about = f"A proof under this profile shows: {profile.about}. {len(mine)} rules."
        parts += [f"## Profile `{name}`", about, "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def dialects(rule: Rule) -> str:
    """The dialects of a rule in a word."""
    return "all" if set(rule.dialects) == set(EVERYWHERE) else ", ".join(rule.dialects)


def one_rule(name: str) -> str:
    """A rule's own page."""
    title, rest = rule_page(RULES.get(name)).split("\n\n", 1)
    return f"{title}\n\n{NOTE}\n\n{rest}"


def cli_group() -> click.Group:
    """The root command."""
    module = sys.modules[cli.__module__]
    return next(value for value in vars(module).values() if isinstance(value, click.Group))


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands,
    "options.md": partial(options_page, NOTE),
    "metrics.md": metrics,
    "presets.md": presets,
    "relations.md": relations,
    "engines.md": engines,
    "benchmarks.md": benchmarks,
    "signs.md": signs,
    "strategies.md": strategies,
    "words.md": words,
    "judge.md": judge_page,
    "tags.md": tags,
    "rules.md": rules,
    "rescored.md": rescored_page,
    **{f"rules/{name}.md": partial(one_rule, name) for name in RULES.names()},
    **{f"papers/{name}.md": partial(paper_page, PAPERS_NOTE, name) for name in fact_names()},
}


def stale() -> Iterator[str]:
    """The pages that differ from what the code says."""
    for name, write in PAGES.items():
        path = FOLDER / name
        if not path.is_file() or path.read_text(encoding="utf-8") != write():
            yield name
    yield from orphans()


def orphans() -> Iterator[str]:
    """Pages of rules that are no more."""
    for path in sorted((FOLDER / "rules").glob("*.md")):
        if f"rules/{path.name}" not in PAGES:
            yield f"rules/{path.name}"


def main() -> None:
    """Write the pages, or with --check say which are stale."""
    if "--check" in sys.argv[1:]:
        old = list(stale())
        if old:
            sys.exit(f"stale pages: {', '.join(old)}. Run: make docs")
        return
    (FOLDER / "rules").mkdir(exist_ok=True)
    for name, write in PAGES.items():
        (FOLDER / name).write_text(write(), encoding="utf-8")
    for name in list(orphans()):
        (FOLDER / name).unlink()


if __name__ == "__main__":
    main()
