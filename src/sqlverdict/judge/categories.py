"""Which kinds of error, or of harmless difference: FLEX's labels, asked of the model.

A prediction judged incorrect is given any of six labels for its faults (``FATAL``); one
judged correct although its result is not the gold's, any of five for the difference
(``MINOR``). Several may hold. One judged correct with matching results has none, and no
call is made. Nor is one made without a verdict, or for a prediction that did not run.

The labels themselves are in :mod:`sqlverdict.compare.tag_labels`.

Source: FLEX (Kim et al., 2024), appendix B.3 and figures 12 and 13; names and wording are ours.
:data:`ALIASES` also knows the names under which FLEX published its labels.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlverdict.compare.tag_labels import FATAL, MINOR
from sqlverdict.judge.asking import PROMPTS, CallCounts, NoReading, ask, make_request, writable
from sqlverdict.judge.briefs.brief import Brief, object_schema, prompt_values
from sqlverdict.judge.opinion import UNCATEGORISED, Opinion, Settings
from sqlverdict.judge.replies.conclusion import ReplyForm, ReplyReading, read_conclusion, yes_or_no
from sqlverdict.judge.replies.loose_json import Object, Value, key_word
from sqlverdict.llm.neutral import quote
from sqlverdict.llm.request import NoReply, Reply, Request

ALIASES: Mapping[str, str] = {
    "incorrectschemalinking": "schema_linking",
    "incorrectfilteringcondition": "filtering",
    "incorrectfilteringconditions": "filtering",
    "missinghandlingofnullablecolumn": "nullable_column",
    "missinghandlingofmultiplerows": "several_rows",
    "otherfatalissues": "other_fatal",
    "differentoutputstructure": "output_structure",
    "differentoutputvaluerepresentation": "value_representation",
    "incorrectgroundtruthquery": "wrong_gold",
    "multipleanswersavailable": "several_answers",
    "otherminorissues": "other_minor",
    **{key_word(name): name for name in (*FATAL, *MINOR)},
}
"""Labels by their names without case and underscores, ours and the published ones."""

_HOLDS = ("holds", "issued", "value", "present", "applies")
LONGEST_EARLIER = 4_000


@dataclass(frozen=True)
class Categories:
    """The labels that hold, in the order of their table, each with its explanation."""

    labels: tuple[str, ...]
    explanations: Mapping[str, str] = field(default_factory=dict)


def kinds_for(equal: bool | None, correct: bool | None) -> Mapping[str, str]:
    """The labels that can apply to a verdict; empty: none."""
    if correct is None or (correct and equal is True):
        return {}
    return MINOR if correct else FATAL


def read_categories(text: str, kinds: Mapping[str, str]) -> ReplyReading[Categories]:
    """The labels in a reply: the last object that names one of them."""
    aliases = frozenset(alias for alias, name in ALIASES.items() if name in kinds)
    reading = read_conclusion(text, ReplyForm("labels", aliases, _label))
    if reading.value is None:
        return ReplyReading(None, explanation=reading.explanation, message=reading.message)
    labels: dict[str, tuple[bool, str]] = {}
    for alias, value in reading.fields.items():
        label = _label(value)
        if alias in aliases and label is not None:
            labels[ALIASES[alias]] = label
    names = tuple(name for name in kinds if labels.get(name, (False, ""))[0])
    categories = Categories(names, {name: labels[name][1] for name in names})
    # Labels are asked for without reasoning before them, so that is nothing odd here.
    return ReplyReading(categories, (), reading.explanation, reading.fields)


def _label(value: Value) -> tuple[bool, str] | None:
    """Whether a label holds, and why: an object with both, or a bare yes or no."""
    if not isinstance(value, Object):
        plain = yes_or_no(value)
        return None if plain is None else (plain, "")
    inside = {key_word(key): each for key, each in value.pairs}
    holds = next((yes_or_no(inside[key]) for key in _HOLDS if key in inside), None)
    why = inside.get("explanation", inside.get("reason", ""))
    return None if holds is None else (holds, why if isinstance(why, str) else "")


def ask_categories(
    brief: Brief, opinion: Opinion, settings: Settings
) -> Generator[Request, Reply | NoReply, Opinion]:
    """Ask for the labels of an opinion, and return it with them.

    The verdict never changes. Labels that could not be had leave the flag ``uncategorised``.
    """
    kinds = kinds_for(brief.equal, opinion.correct)
    if not kinds:
        return opinion
    prompt = PROMPTS.load(
        "categories_minor" if opinion.correct else "categories_fatal", settings.prompts
    )
    values = prompt_values(brief, settings, results=brief.equal is not True)
    values["earlier"] = quote(opinion.explanation, LONGEST_EARLIER)
    tally = CallCounts(opinion.calls, opinion.cached, *opinion.tokens, cost=opinion.cost)
    request = make_request(prompt, values, settings, _schema(kinds))
    reading = yield from ask(request, lambda text: read_categories(text, kinds), settings, tally)
    categories = None if isinstance(reading, NoReading) else reading.value
    return replace(
        with_categories(opinion, categories, tally.flags),
        calls=tally.calls,
        cached=tally.cached,
        tokens=(tally.prompt_tokens, tally.completion_tokens),
        cost=tally.cost,
    )


def with_categories(
    opinion: Opinion, categories: Categories | None, flags: Sequence[str] = ()
) -> Opinion:
    """The opinion with its labels; ``None``: they could not be read, which is flagged."""
    labels = categories or Categories(())
    unread = (UNCATEGORISED,) if categories is None else ()
    return replace(
        opinion,
        categories=labels.labels,
        category_notes={name: writable(why) for name, why in labels.explanations.items()},
        flags=tuple(dict.fromkeys((*opinion.flags, *flags, *unread))),
    )


def _schema(kinds: Mapping[str, str]) -> dict[str, Any]:
    one = object_schema({"explanation": {"type": "string"}, "holds": {"type": "boolean"}})
    return object_schema(dict.fromkeys(kinds, one))
