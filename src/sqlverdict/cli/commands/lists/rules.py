"""List the rewriting rules of the prover, or explain one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlverdict.cli.command import command, option
from sqlverdict.cli.options.member import MemberArgs
from sqlverdict.cli.options.shared import print_json
from sqlverdict.errors import UsageError
from sqlverdict.prove.profile import PROFILES
from sqlverdict.prove.rule import RULES, Pair, Rule
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import table

_EXAMPLES = (
    "sqlverdict rules",
    "sqlverdict rules distinct_over_key",
    "sqlverdict rules --profile etm_paper",
)


@dataclass(frozen=True, kw_only=True)
class RulesArgs(MemberArgs):
    """The options of ``rules``."""

    profile: str | None = option(
        "--profile", help="Only the rules of this profile: sound, etm_paper ..."
    )


@command(RulesArgs, examples=_EXAMPLES)
def rules(args: RulesArgs) -> None:
    """List the rules by which queries are proved equal, or explain the rule NAME.

    A rule is proved, tested or heuristic; a proof is as strong as its weakest rule. "paper" has
    the numbers of the rules of the ETM paper that it stands for.
    """
    name, profile = args.name, args.profile
    if profile is not None:
        PROFILES.get(profile)
    if name is None:
        every = [rule for _, rule in RULES.items() if profile is None or profile in rule.profiles]
        _list(every, as_json=args.as_json)
        return
    rule = RULES.get(name)
    if profile is not None and profile not in rule.profiles:
        raise UsageError(
            f"the rule {name} is not of the profile {profile}; it is of {', '.join(rule.profiles)}"
        )
    _explain(rule, RULES.home(name), as_json=args.as_json)


def _list(every: Sequence[Rule], *, as_json: bool) -> None:
    heads = ("name", "trust", "profiles", "paper", "what")
    rows = [
        (rule.name, rule.trust, ", ".join(rule.profiles), ", ".join(rule.paper), rule.title)
        for rule in every
    ]
    if as_json:
        print_json([dict(zip(heads, row, strict=True)) for row in rows])
        return
    screen = Screen()
    screen.table(table(heads, rows, left=tuple(range(len(heads)))))
    screen.line()
    screen.line(f"{len(rows)} rules; one in full: sqlverdict rules NAME", "quiet")


def _explain(rule: Rule, home: str, *, as_json: bool) -> None:
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
