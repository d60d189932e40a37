"""The conformance suite for generators f, built-in or plug-in.

In a plug-in's tests::

    from sqlverdict.testing import check_generator

    def test_my_generator():
        check_generator("my_generator")

A generator that is quicker with other options than its default ones, or that needs some, is
passed itself::

    check_generator(MyGenerator(width=32))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any

from sqlverdict.abstain.compose import MethodPart, make_method
from sqlverdict.abstain.method import Ask, Draft, Generator, GeneratorNeeds, Tools
from sqlverdict.errors import UsageError
from sqlverdict.testing.abstain_fixture import MethodData, ScriptedAnswerer, abstain_fixture
from sqlverdict.testing.abstain_methods import (
    NO_REPLY,
    OPTIONAL,
    MethodUnderTest,
    check_empty_training,
    check_extras,
    check_hostile_training,
    check_kept,
    check_needs,
    check_own_answer,
    learned,
    method_under_test,
)

_HEADINGS = ("Learns from",)
_SAMPLES = 3


def check_generator(generator: str | Generator, *, optional: Sequence[str] = OPTIONAL) -> None:
    """Hold a generator to what every generator promises.

    Its file says what it learns from; its options can be written in a line. It writes a draft
    for each question, in order: a query, a text without one, an abstention, or the problem that
    prevented it. A need (samples, token probabilities, encoder states, another prompt) is
    met or refused with ``UsageError``, never ignored. The same training, questions and seed
    give the same drafts. Training and questions stay as they were. What it learned comes back
    from disk, without a pickle. No text makes it raise anything but an error of ours, and
    neither do missing training, broken files or missing packages. It asks a language model only
    where its needs say so, never shows it the asked question's own query, and a model that
    cannot be asked is a problem, never an abstention.

    Args:
        generator: A name in the registry, or the generator itself.
        optional: Packages without which it must raise ``MissingExtra``, or work.

    Raises:
        AssertionError: a promise is broken; the message says which and what to do.
    """
    subject = method_under_test("generator", generator, _HEADINGS)
    with abstain_fixture() as data:
        method = learned(subject, data)
        _check_drafts(subject, method, data)
        _check_generator_needs(subject, method, data)
        _check_hostile(subject, method, data)
        check_empty_training(subject, data)
        check_hostile_training(subject, data, lambda one: _drafts(one, data), _alike)
        check_needs(
            subject, data, lambda one, tools: one.generate(data.asks, GeneratorNeeds(), tools)
        )
        check_kept(subject, method, lambda one: _drafts(one, data), data.folder, _alike)
        if "answerer" in method.needs:
            _check_no_reply(subject, method, data)
            check_own_answer(subject, data, lambda one, arguments: _alone(one, data, *arguments))
        check_extras(subject, lambda: _drafts(learned(subject, data), data), optional)


def _check_drafts(subject: MethodUnderTest, method: Any, data: MethodData) -> None:
    asks = list(data.asks)
    before = deepcopy(asks)
    drafts = _generate(subject, method, asks, GeneratorNeeds(), data.tools)
    subject.expect(asks == before, "changed the questions it was asked; copy them")
    subject.expect(
        method.generate([], GeneratorNeeds(), data.tools) == [], "writes for no question at all"
    )
    for draft in drafts:
        subject.expect(
            draft.problem is None, f"has a problem, {draft.problem}, though none is there"
        )
    again = _generate(subject, method, asks, GeneratorNeeds(), data.tools)
    subject.expect(_alike(again, drafts), "wrote something else the second time; be repeatable")
    anew = _drafts(learned(subject, data), data)
    subject.expect(_alike(anew, drafts), "wrote something else fitted anew with the same seed")
    back = _generate(subject, method, asks[::-1], GeneratorNeeds(), data.tools)[::-1]
    subject.expect(_alike(back, drafts), "wrote something else in another order")


def _check_generator_needs(subject: MethodUnderTest, method: Any, data: MethodData) -> None:
    for what, needs in (
        ("samples", GeneratorNeeds(samples=_SAMPLES)),
        ("tokens", GeneratorNeeds(tokens=True)),
        ("states", GeneratorNeeds(states=True)),
        ("states without text", GeneratorNeeds(text=False, states=True)),
        ("the prompt of demo", make_method(MethodPart("demo")).generator_needs()),
        ("the prompt of verbal", make_method(MethodPart("verbal")).generator_needs()),
    ):
        try:
            drafts = _generate(subject, method, data.asks, needs, data.tools)
        except UsageError:
            continue
        for draft in drafts:
            if not draft.abstained:
                _check_need(subject, what, needs, draft)
        if needs.samples:
            again = _generate(subject, method, data.asks, needs, data.tools)
            subject.expect(_alike(again, drafts), "sampled something else with the same seed")


def _check_need(subject: MethodUnderTest, what: str, needs: GeneratorNeeds, draft: Draft) -> None:
    missing = (
        (needs.samples and len(draft.samples) != needs.samples)
        or (needs.tokens and not (draft.probabilities and draft.entropies))
        or (needs.states and not draft.state)
    )
    subject.expect(
        not missing, f"ignored the need for {what}: {draft!r:.120}; meet it or raise UsageError"
    )


def _check_hostile(subject: MethodUnderTest, method: Any, data: MethodData) -> None:
    def write(one: Any, asks: Sequence[Ask]) -> list[Draft]:
        return _generate(subject, one, asks, GeneratorNeeds(), data.tools)

    for ask in data.hostile:
        label = f"the question {ask.question[:40]!r}"
        subject.attempt(label, partial(write, method, [ask]))
        bare = replace(ask, schema=None, database=None, knowledge=ask.question)
        subject.attempt(f"{label} without a schema", partial(write, method, [bare]))
    subject.attempt("generate before fit", lambda: write(subject.make(), data.asks))


def _check_no_reply(subject: MethodUnderTest, method: Any, data: MethodData) -> None:
    silent = replace(data.tools, answerer=ScriptedAnswerer(NO_REPLY))
    for needs in (GeneratorNeeds(), GeneratorNeeds(samples=_SAMPLES)):
        drafts = subject.attempt(
            "no reply", partial(_generate, subject, method, data.asks, needs, silent)
        )
        for draft in drafts or ():
            subject.expect(
                draft == Draft(problem=NO_REPLY),
                f"wrote {draft!r} though its model could not be asked; pass the problem on",
            )


def _generate(
    subject: MethodUnderTest,
    method: Any,
    asks: Sequence[Ask],
    needs: GeneratorNeeds,
    tools: Tools,
) -> list[Draft]:
    """What it wrote, held to the form."""
    drafts: list[Draft] = method.generate(asks, needs, tools)
    subject.expect(
        isinstance(drafts, list) and all(isinstance(one, Draft) for one in drafts),
        f"returned {drafts!r:.80}; return a list of Draft",
    )
    subject.expect(
        len(drafts) == len(asks), f"wrote {len(drafts)} drafts for {len(asks)} questions"
    )
    for draft in drafts:
        _check_draft(subject, draft)
    return drafts


def _check_draft(subject: MethodUnderTest, draft: Draft) -> None:
    excerpt = f"{draft!r:.120}"
    subject.expect(
        draft.sql is None or bool(draft.sql.strip()), f"wrote an empty query: {excerpt}; say None"
    )
    subject.expect(
        draft.sql is None or not draft.abstained, f"wrote a query and held it back: {excerpt}"
    )
    subject.expect(
        draft.problem is None or draft == Draft(problem=draft.problem),
        f"wrote something beside its problem: {excerpt}",
    )
    subject.expect(
        all(isinstance(sample, str) for sample in draft.samples), f"sampled no texts: {excerpt}"
    )
    subject.expect(
        len(draft.probabilities) == len(draft.entropies)
        and all(0 <= share <= 1 + 1e-6 for share in draft.probabilities)
        and all(-1e-6 <= nats < math.inf for nats in draft.entropies),
        f"gives token figures that are none: {excerpt}; a probability lies between 0 and 1, and "
        f"each token has an entropy of 0 or more",
    )
    subject.expect(
        all(map(math.isfinite, draft.state)), f"gives a state that is no number: {excerpt}"
    )


def _drafts(method: Any, data: MethodData) -> list[Draft]:
    drafts: list[Draft] = method.generate(data.asks, GeneratorNeeds(), data.tools)
    return drafts


def _alone(method: Any, data: MethodData, example: Any, answerer: ScriptedAnswerer) -> None:
    method.generate([example.ask], GeneratorNeeds(), replace(data.tools, answerer=answerer))


def _alike(some: Sequence[Draft], others: Sequence[Draft]) -> bool:
    """The same texts; numbers may hang on how they are added up."""
    return [_texts(one) for one in some] == [_texts(one) for one in others]


def _texts(draft: Draft) -> Draft:
    return replace(draft, probabilities=(), entropies=(), state=())
