"""A rule as a page: its document, its pairs, and the databases that show what its facts are for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sqlverdict.prove.rule import SECTIONS, Pair, Rule
from sqlverdict.records import Answer
from sqlverdict.refute.witness import Witness
from sqlverdict.testing.rule_suite.pairs import is_heuristic, schema_of, witness
from sqlverdict.testing.rules import REFUTES

if TYPE_CHECKING:
    from sqlverdict.parse.facts import Fact
    from sqlverdict.records import Outcome
    from sqlverdict.refute.witness import Instance, Refutation


def rule_page(rule: Rule) -> str:
    """A rule's page in Markdown; the same on every machine."""
    parts = [f"# {rule.name}", rule.title, _facts_about(rule)]
    for section in SECTIONS:
        body = rule.sections.get(section, "")
        fenced = section == "Statement"
        parts += [f"## {section}", f"```sql\n{body}\n```" if fenced else body.replace("``", "`")]
    parts += ["## Pairs", f"On\n\n```sql\n{_schema(rule)}\n```"]
    parts += ["### Equal", *(part for pair in rule.equal for part in _equal(rule, pair))]
    parts += [
        "### Different",
        *(part for pair in rule.different for part in _different(rule, pair)),
    ]
    if rule.corners:
        parts += ["### Joined, and yet different"]
        parts += [part for pair in rule.corners for part in _different(rule, pair)]
    dropped = [part for pair in rule.equal for part in _dropped(rule, pair)]
    if dropped and not is_heuristic(rule):
        parts += ["## If a fact is dropped", *dropped]
    return "\n\n".join(parts) + "\n"


def _facts_about(rule: Rule) -> str:
    lines = [f"- trust: **{rule.trust}**", f"- profiles: {_names(rule.profiles)}"]
    if "sound" in rule.profiles:
        lines.append(f"- dialects: {_names(rule.dialects)}")
    if rule.paper:
        lines.append(f"- rules of the ETM paper: {', '.join(rule.paper)}")
    return "\n".join(lines)


def _equal(rule: Rule, pair: Pair) -> Iterator[str]:
    yield _queries(pair)
    if pair.facts:
        yield f"Given: {_fact_list(pair.facts)}."
    if is_heuristic(rule):
        refutation = witness(rule, pair.left, pair.right, pair.facts, REFUTES)
        if refutation.refuted:
            yield "The rule joins them, and yet they differ: " + _witness_text(refutation)


def _different(rule: Rule, pair: Pair) -> Iterator[str]:
    yield _queries(pair)
    premise = f"Given: {_fact_list(pair.facts)}. " if pair.facts else ""
    yield f"{premise}Not equal: {pair.because}."
    refutation = witness(rule, pair.left, pair.right, pair.facts, REFUTES)
    if refutation.refuted:
        yield f"Witness: {_witness_text(refutation)}"


def _dropped(rule: Rule, pair: Pair) -> Iterator[str]:
    for fact in pair.facts:
        rest = [other for other in pair.facts if other != fact]
        refutation = witness(rule, pair.left, pair.right, rest, REFUTES)
        if refutation.refuted:
            difference = _witness_text(refutation)
            yield f"Without *{fact}*, `{pair.left}` and `{pair.right}` differ: {difference}"


def _witness_text(refutation: Refutation) -> str:
    assert isinstance(refutation, Witness)
    left, right = _answer(refutation.gold), _answer(refutation.prediction)
    return f"{_rows(refutation.instance)}; the first gives {left}, the second {right}."


def _rows(instance: Instance) -> str:
    tables = [
        f"`{table}` = {', '.join(f'`{_tuple(row)}`' for row in rows)}"
        for table, rows in sorted(instance.rows.items())
    ]
    return "; ".join(tables) or "all tables empty"


def _answer(outcome: Outcome) -> str:
    if not isinstance(outcome, Answer):
        return f"an error ({outcome.message})"
    if outcome.volatile:
        # The page must be the same tomorrow.
        return "an answer that depends on the clock"
    return ", ".join(f"`{_tuple(row)}`" for row in outcome.rows) or "no row"


def _tuple(row: Iterable[object]) -> str:
    return f"({', '.join('NULL' if cell is None else repr(cell) for cell in row)})"


def _schema(rule: Rule) -> str:
    tables = schema_of(rule).tables
    return ";\n".join((table.sql or table.name).strip() for table in tables)


def _queries(pair: Pair) -> str:
    return f"```sql\n{pair.left}\n{pair.right}\n```"


def _fact_list(facts: Iterable[Fact]) -> str:
    return "; ".join(map(str, facts))


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
