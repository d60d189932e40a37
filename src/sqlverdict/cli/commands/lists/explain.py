"""Explain metrics, presets, rules, engines, judges and other members: a list, or one in full."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from inspect import cleandoc
from typing import Any

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.options.fields import argument, option
from sqlverdict.cli.options.shared import json_option, print_json
from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.errors import MissingExtra, UsageError
from sqlverdict.files.text import count, near
from sqlverdict.load.revisions import published_revisions
from sqlverdict.prove.profile import PROFILES
from sqlverdict.prove.rule import Pair, Rule
from sqlverdict.registry import Registry
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import table
from sqlverdict.score.metric import metric_by_alias

_EXAMPLES = (
    "sqlverdict explain                       # the kinds",
    "sqlverdict explain metrics",
    "sqlverdict explain metric ves",
    "sqlverdict explain engine sqlite --json",
    "sqlverdict explain rules --profile etm_paper",
)

KINDS: Mapping[str, tuple[str, str]] = {
    "benchmark": ("sqlverdict.load.benchmark:BENCHMARKS", "Formats that --benchmark reads"),
    "engine": ("sqlverdict.execute.engine:ENGINES", "What runs queries, with its version"),
    "metric": ("sqlverdict.score.metric:METRICS", "What --metrics takes"),
    "preset": ("sqlverdict.compare.preset:PRESETS", "When two answers are the same: ex[bird]"),
    "relation": ("sqlverdict.compare.relation:RELATIONS", "How two answers differ"),
    "rule": ("sqlverdict.prove.rule:RULES", "How the prover rewrites queries"),
    "profile": ("sqlverdict.prove.profile:PROFILES", "Sets of rules, for prove --profile"),
    "strategy": ("sqlverdict.refute.strategy:STRATEGIES", "How refute makes databases"),
    "judge": ("sqlverdict.judge.judge:JUDGES", "What --judge takes"),
    "method": ("sqlverdict.abstain.method:ABSTAINERS", "Generators and detectors, for abstain"),
    "sign": ("sqlverdict.signs.sign:SIGNS", "What lint looks for in a query"),
    "check": ("sqlverdict.audit.check:CHECKS", "What doctor asks of the data"),
    "suspicion": ("sqlverdict.audit.suspicion:SUSPICIONS", "What audit holds against a gold"),
    "type": (
        "sqlverdict.abstain.benchmark.unanswerable:TYPES",
        "Types of unanswerable questions that build makes",
    ),
    "lint": ("sqlverdict.abstain.benchmark.lint:LINTS", "What build looks for in its benchmark"),
}
"""The kinds of members: where the registry of each is, and what its members are."""

Column = tuple[str, Callable[[str, Any], Any]]
"""A heading, and the function that makes its cell from a member's name and the member."""


def _version(_name: str, engine: Any) -> str:
    try:
        return str(engine.version)
    except MissingExtra as missing:
        return f"needs the extra {missing.extra}"


def _brackets(_name: str, metric: Any) -> str:
    """What may stand in brackets, the default first; presets have a list of their own."""
    if len(metric.parameters) < 4:
        return ", ".join(metric.parameters) or "nothing"
    return f"{metric.parameters[0]}, or another preset"


def _position(_name: str, method: Any) -> str:
    """Whether a method writes queries, or where it stands beside the one that does."""
    return (
        "generator"
        if callable(getattr(method, "generate", None))
        else (f"detector, {method.position} f")
    )


def _options(_name: str, method: Any) -> dict[str, str]:
    return {each.name: str(getattr(method, each.name)) for each in fields(method) if each.init}


_COLUMNS: Mapping[str, Sequence[Column]] = {
    "engine": (
        ("version", _version),
        ("dialect", lambda _, engine: engine.dialect),
        ("files", lambda _, engine: ", ".join(engine.suffixes)),
    ),
    "metric": (
        ("version", lambda _, metric: str(metric.version)),
        ("needs", lambda _, metric: ", ".join(sorted(metric.needs)) or "nothing"),
        ("in brackets", _brackets),
    ),
    "preset": (("default", lambda name, _: "yes" if name == DEFAULT_PRESET else ""),),
    "rule": (
        ("trust", lambda _, rule: rule.trust),
        ("profiles", lambda _, rule: ", ".join(rule.profiles)),
        ("paper", lambda _, rule: ", ".join(rule.paper)),
    ),
    "sign": (("strength", lambda _, sign: sign.strength),),
    "method": (
        ("kind", _position),
        ("version", lambda _, method: method.version),
        ("needs", lambda _, method: ", ".join(sorted(method.needs))),
    ),
}
"""What stands beside a member's name in the list, by kind."""

_NEEDS = (
    "needs: answerer, a language model (--model); runner, the databases (--databases); examples,",
    "states and unanswerable, questions to learn from (--train); drafts and threshold, questions",
    "that f answers and whose answers are marked (--validation); background, questions of no",
    "domain in particular (--background)",
)
"""What methods need, in the words of their list."""


@dataclass(frozen=True, kw_only=True)
class ExplainArgs:
    """The options of ``explain``."""

    kind: str | None = argument(required=False)
    name: str | None = argument(required=False)
    profile: str | None = option(
        "--profile", help="Only the rules of this profile: sound, etm_paper ..."
    )
    as_json: bool = json_option()


@command(ExplainArgs, examples=_EXAMPLES)
def explain(args: ExplainArgs) -> None:
    """Explain the member NAME of a KIND, list all of the KIND, or list the kinds.

    A kind is a word such as metric or metrics. Plug-ins are among the members. A rule is proved,
    tested or heuristic; a proof is as strong as its weakest rule, and "paper" has the numbers of
    the rules of the ETM paper that it stands for. Another version of an engine can give other
    answers.
    """
    if args.kind is None:
        _list_kinds(as_json=args.as_json)
        return
    kind = _kind(args.kind)
    registry = _registry(kind)
    if args.profile is not None:
        if kind != "rule":
            raise UsageError(f"--profile is for rules; leave it out with {args.kind}")
        PROFILES.get(args.profile)
    if args.name is None:
        _list(kind, registry, args)
    else:
        _explain(kind, registry, args.name, args)


def _list_kinds(*, as_json: bool) -> None:
    rows = [(kind, what) for kind, (_, what) in KINDS.items()]
    if as_json:
        print_json([{"kind": kind, "what": what} for kind, what in rows])
        return
    screen = Screen()
    screen.table(table(("kind", "what"), rows, left=(0, 1)))
    screen.line()
    screen.line("all of a kind: sqlverdict explain KIND; one in full: explain KIND NAME", "quiet")


def _kind(word: str) -> str:
    """The kind that a word means, in the singular or the plural.

    Raises:
        UsageError: it means none.
    """
    by_word = {form: kind for kind in KINDS for form in (kind, _plural(kind))}
    if word.lower() in by_word:
        return by_word[word.lower()]
    members = [f"sqlverdict explain {kind} {word}" for kind in KINDS if _registry(kind).has(word)]
    if members:
        raise UsageError(f"{word!r} is no kind, but a member: {' or '.join(members)}")
    raise UsageError(f"there is no kind {word!r}.{near(word, by_word)} Known: {', '.join(KINDS)}")


def _plural(kind: str) -> str:
    return f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"


def _registry(kind: str) -> Registry[Any]:
    # Imported when it is asked for: all of them together take a second.
    module, _, name = KINDS[kind][0].partition(":")
    registry: Registry[Any] = getattr(importlib.import_module(module), name)
    return registry


def _list(kind: str, registry: Registry[Any], args: ExplainArgs) -> None:
    rows = [
        _row(kind, registry, name)
        for name, member in registry.items()
        if args.profile is None or args.profile in member.profiles
    ]
    if args.as_json:
        print_json(rows)
        return
    heads = list(rows[0]) if rows else ["name"]
    cells = [tuple(map(str, row.values())) for row in rows]
    screen = Screen()
    screen.table(table(heads, cells, left=tuple(range(len(heads)))))
    screen.line()
    for line in _NEEDS if kind == "method" else ():
        screen.line(line, "quiet")
    number = count(len(rows), kind, _plural(kind))
    screen.line(f"{number}; one in full: sqlverdict explain {kind} NAME", "quiet")


def _explain(kind: str, registry: Registry[Any], name: str, args: ExplainArgs) -> None:
    if kind == "metric" and not registry.has(name):
        name, note = metric_by_alias(name)
        if note and not args.as_json:
            click.echo(f"note: {note}", err=True)
    member, home = registry.get(name), registry.home(name)
    if kind == "rule":
        if args.profile is not None and args.profile not in member.profiles:
            raise UsageError(
                f"the rule {name} is not of the profile {args.profile}; it is of "
                f"{', '.join(member.profiles)}"
            )
        if args.as_json:
            print_json(rule_json(member, home))
        else:
            show_rule(Screen(), member, home)
        return
    row = {**_row(kind, registry, name), "home": home}
    options = {"options": _options(name, member)} if kind == "method" else {}
    text = _document(registry, name)
    revisions = _revisions(name) if kind == "benchmark" else []
    if args.as_json:
        more = {"revisions": revisions} if kind == "benchmark" else {}
        print_json({**row, **options, **more, "documentation": text})
        return
    for head, cell in row.items():
        if head != "what" and cell:
            click.echo(f"{head}: {cell}")
    for values in filter(None, options.values()):
        click.echo(f"options: {', '.join(f'{key}={value}' for key, value in values.items())}")
    click.echo(f"\n{text}")
    if revisions:
        click.echo("\nPublished revisions:")
    for each in revisions:
        size = f"{each['questions']:,} questions" if each["questions"] else "not at hand"
        click.echo(f"  {each['name']} ({size}): {each['source']}")


def _revisions(benchmark: str) -> list[dict[str, Any]]:
    """The published revisions of a benchmark; those whose files were not at hand have no number."""
    return [
        {"name": each.name, "questions": each.size or None, "source": each.source}
        for each in published_revisions()
        if each.benchmark == benchmark
    ]


def _row(kind: str, registry: Registry[Any], name: str) -> dict[str, Any]:
    member = registry.get(name)
    cells = {head: cell(name, member) for head, cell in _COLUMNS.get(kind, ())}
    return {"name": name, **cells, "what": _document(registry, name).partition("\n")[0]}


def _document(registry: Registry[Any], name: str) -> str:
    """A member's own documentation: its own, its module's, or for a plug-in its class's."""
    member = registry.get(name)
    module = sys.modules.get(registry.home(name).partition(":")[0])
    texts = (getattr(member, "document", ""), getattr(module, "__doc__", ""), type(member).__doc__)
    return cleandoc(next(filter(None, texts), ""))


def rule_json(rule: Rule, home: str) -> dict[str, Any]:
    """A rule as JSON has it; ``home`` is the module that defines it."""
    return {
        "name": rule.name,
        "title": rule.title,
        "trust": rule.trust,
        "profiles": rule.profiles,
        "paper": rule.paper,
        "home": home,
        "sections": rule.sections,
        "schema": rule.schema,
        "equal": [_pair(pair) for pair in rule.equal],
        "different": [_pair(pair) for pair in rule.different],
        "corners": [_pair(pair) for pair in rule.corners],
    }


def show_rule(screen: Screen, rule: Rule, home: str) -> None:
    """Print what a rule says, why it holds, and the pairs that it joins and keeps apart."""
    screen.line(rule.name, "heading")
    screen.line(rule.title)
    screen.line(f"trust: {rule.trust}; profiles: {', '.join(rule.profiles)}; home: {home}", "quiet")
    if rule.paper:
        screen.line(f"rules of the ETM paper: {', '.join(rule.paper)}", "quiet")
    for heading, text in rule.sections.items():
        screen.heading(heading)
        screen.line(_indented(text))
    screen.heading(f"Pairs, on {rule.schema}")
    for word, pairs in (
        ("equal", rule.equal),
        ("different", rule.different),
        ("joined, and yet different", rule.corners),
    ):
        for pair in pairs:
            screen.line(f"  {word}{_condition(pair)}{f': {pair.because}' if pair.because else ''}")
            screen.line(f"    {pair.left}")
            screen.line(f"    {pair.right}")


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "left": pair.left,
        "right": pair.right,
        "given": [str(fact) for fact in pair.facts],
        "because": pair.because,
    }


def _condition(pair: Pair) -> str:
    return f", given that {' and '.join(map(str, pair.facts))}" if pair.facts else ""


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())
