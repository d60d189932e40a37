"""Templates that mean the same, found by proof.

Two templates of a database are joined where the prover shows that they give the same rows on
every legal database, with typed constants for their values, in both directions (so that an
ORDER BY counts) and for both orders of the numbers. Only templates with as many columns, whose
values are compared with the same columns in the same ways, and whose normal forms are the same,
are tried: the rest would cost a proof a pair and give none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from sqlverdict.abstain.benchmark.splits import joined
from sqlverdict.abstain.benchmark.templates import Template, filled
from sqlverdict.parse.facts import Fact, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.proof import Proof
from sqlverdict.records import ParseFailure

Tell = Callable[[str, int, int], None]
"""Told what is being done, how many are done, and of how many."""


@dataclass(frozen=True)
class SameMeaning:
    """Two templates that were proved to be the same query.

    ``rules`` are those of the proof; none where only names and spellings differ.
    """

    first: Template
    second: Template
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Meanings:
    """Templates and which of them mean the same.

    Attributes:
        templates: The templates by id.
        classes: For each template the id that stands for its meaning.
        same: The proofs. Each template is joined to one of its class, so a class of n has
            n - 1 of them.
        pairs: How many pairs of templates there were with the same values and columns.
        unreadable: How many templates nothing can be proved about: our parser, or the schema,
            is missing.
    """

    templates: Mapping[str, Template]
    classes: Mapping[str, str]
    same: tuple[SameMeaning, ...] = ()
    pairs: int = 0
    unreadable: int = 0


def find_meanings(
    templates: Iterable[Template],
    schemas: Mapping[str, Schema],
    *,
    tell: Tell | None = None,
) -> Meanings:
    """Join templates that mean the same.

    Args:
        templates: The templates; repeated ones count once.
        schemas: The tables of each database; without them nothing is proved.
        tell: Told how far it is.
    """
    known = {t.id: t for t in sorted(templates, key=lambda t: (t.db_id, t.id, t.sql), reverse=True)}
    groups: dict[tuple[str, frozenset[tuple[str, str]], int], list[Template]] = {}
    unreadable = 0
    for template in sorted(known.values(), key=lambda t: (t.db_id, t.id)):
        if template.readable and template.db_id in schemas:
            key = (template.db_id, template.labels, template.outputs)
            groups.setdefault(key, []).append(template)
        else:
            unreadable += 1
    same: list[SameMeaning] = []
    for done, ((db_id, _, _), group) in enumerate(groups.items()):
        if tell is not None:
            tell("templates", done, len(groups))
        same += _joined_in(group, schemas[db_id])
    pairs = sum(len(group) * (len(group) - 1) // 2 for group in groups.values())
    classes = joined(((pair.first.id, pair.second.id) for pair in same), known)
    return Meanings(known, classes, tuple(same), pairs, unreadable)


def _joined_in(group: list[Template], schema: Schema) -> list[SameMeaning]:
    """The proofs within templates of the same values."""
    same: list[SameMeaning] = []
    if len(group) < 2:
        return same
    texts, facts = FilledTemplates(schema), facts_of(schema)
    forms: dict[str, list[Template]] = {}
    for template in group:
        form = _normal_form(texts.text(template, 0), schema, facts)
        if form is not None:
            forms.setdefault(form, []).append(template)
    joined_ids: set[str] = set()
    for alike in forms.values():
        for first, second in combinations(alike, 2):
            # A template that is joined already stands behind the one it is joined to.
            if first.id in joined_ids or second.id in joined_ids:
                continue
            rules = same_query(first, second, texts)
            if rules is not None:
                same.append(SameMeaning(first, second, rules))
                joined_ids.add(second.id)
    return same


def _normal_form(sql: str, schema: Schema, facts: frozenset[Fact]) -> str | None:
    """The prover's normal form of a query, as text; ``None``: it is beyond the prover.

    A filter and no more: what is joined is proved, by the prover's own front door.
    """
    from sqlverdict.prove.derive import form
    from sqlverdict.prove.profile import DEFAULT_PROFILE, ProofQuestion, rules_of
    from sqlverdict.prove.reasoning.copies import TooManySteps
    from sqlverdict.prove.resolve.scope import Unsupported

    query = parse(sql)
    if isinstance(query, ParseFailure):
        return None
    question = ProofQuestion(query, query, schema, facts)
    try:
        return form(query, question, rules_of(DEFAULT_PROFILE), order="own").key
    except (Unsupported, TooManySteps, RecursionError):
        return None


class FilledTemplates:
    """Templates with typed constants in them, each filled once."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._texts: dict[tuple[str, int], str] = {}

    def text(self, template: Template, turn: int) -> str:
        """The template with its constants; see :func:`~.templates.filled`."""
        key = (template.id, turn)
        if key not in self._texts:
            self._texts[key] = filled(template, self.schema, turn)
        return self._texts[key]


def same_query(first: Template, second: Template, texts: FilledTemplates) -> tuple[str, ...] | None:
    """The rules by which two templates are the same query; ``None`` where that is not proved."""
    # Imported here: the prover brings all of its rules.
    from sqlverdict.prove.prover import prove

    rules: dict[str, None] = {}
    for turn in (0, 1):
        one, other = texts.text(first, turn), texts.text(second, turn)
        for gold, prediction in ((one, other), (other, one)):
            proof = prove(gold, prediction, texts.schema)
            if not isinstance(proof, Proof):
                return None
            rules |= dict.fromkeys(proof.rules)
    return tuple(rules)
