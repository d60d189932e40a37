"""How one rule of the prover is printed in full."""

from __future__ import annotations

from typing import Any

from sqlverdict.prove.rule import Pair, Rule
from sqlverdict.report.terminal.console import Screen


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
