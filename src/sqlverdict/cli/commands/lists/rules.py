"""List the rewriting rules of the prover, or explain one: statement, facts, limits, pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sqlverdict.cli.options.common import as_json, examples, print_json

if TYPE_CHECKING:
    from sqlverdict.prove.rule import Pair, Rule


@click.command(
    epilog=examples(
        "sqlverdict rules",
        "sqlverdict rules distinct_over_key",
        "sqlverdict rules --profile etm_paper",
    )
)
@click.argument("name", required=False)
@click.option("--profile", help="Only the rules of this profile: sound, etm_paper ...")
@as_json
def rules(name: str | None, profile: str | None, as_json: bool) -> None:
    """List the rules by which queries are proved equal, or explain the rule NAME.

    A rule is proved, tested or heuristic; a proof is as strong as its weakest rule. "paper" are
    the numbers of the rules of the ETM paper that it stands for.
    """
    from sqlverdict.errors import UsageError
    from sqlverdict.prove.profile import PROFILES
    from sqlverdict.prove.rule import RULES

    if profile is not None:
        PROFILES.get(profile)
    if name is None:
        found = [rule for _, rule in RULES.items() if profile is None or profile in rule.profiles]
        _list(found, as_json)
        return
    rule = RULES.get(name)
    if profile is not None and profile not in rule.profiles:
        raise UsageError(
            f"the rule {name} is not of the profile {profile}; it is of {_words(rule.profiles)}"
        )
    _explain(rule, RULES.home(name), as_json)


def _list(found: list[Rule], as_json: bool) -> None:
    from sqlverdict.report.terminal.console import Screen
    from sqlverdict.report.terminal.tables import table

    heads = ("name", "trust", "profiles", "paper", "what")
    rows = [
        (rule.name, rule.trust, _words(rule.profiles), _words(rule.paper), rule.title)
        for rule in found
    ]
    if as_json:
        print_json([dict(zip(heads, row, strict=True)) for row in rows])
        return
    screen = Screen()
    screen.table(table(heads, rows, left=tuple(range(len(heads)))))
    screen.line()
    screen.line(f"{len(rows)} rules; one in full: sqlverdict rules NAME", "quiet")


def _explain(rule: Rule, home: str, as_json: bool) -> None:
    from sqlverdict.report.terminal.console import Screen

    if as_json:
        print_json(
            {
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
        )
        return
    screen = Screen()
    screen.line(rule.name, "heading")
    screen.line(rule.title)
    screen.line(f"trust: {rule.trust}; profiles: {_words(rule.profiles)}; home: {home}", "quiet")
    if rule.paper:
        screen.line(f"rules of the ETM paper: {_words(rule.paper)}", "quiet")
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
            screen.line(f"  {word}{_given(pair)}{f': {pair.because}' if pair.because else ''}")
            screen.line(f"    {pair.left}")
            screen.line(f"    {pair.right}")


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "left": pair.left,
        "right": pair.right,
        "given": [str(fact) for fact in pair.given],
        "because": pair.because,
    }


def _given(pair: Pair) -> str:
    return f", given that {' and '.join(map(str, pair.given))}" if pair.given else ""


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())


def _words(names: tuple[str, ...]) -> str:
    return ", ".join(names)
