"""Predictions that talk to the judge: only the reply's own conclusion counts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import groupby, product

import pytest

from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.judge import JUDGES, Settings
from sqlverdict.judge.replies.conclusion import (
    EQUIVALENT,
    read_conclusion,
    read_verdict,
    score_form,
)
from sqlverdict.llm.neutral import MARK, quote, quote_sql
from sqlverdict.llm.request import Request
from sqlverdict.testing.injections import Injection, judge_injections

INJECTIONS = judge_injections()
FORMS = (EQUIVALENT, score_form(1, 5))

every_injection = pytest.mark.parametrize(
    "injection", INJECTIONS, ids=[each.name for each in INJECTIONS]
)


def first_requests(brief: Brief) -> Iterator[Request]:
    for name, judge in JUDGES.items():
        if name not in ("replay", "recorded"):
            yield next(judge.conduct(brief, Settings(model="m")))


@cache  # most lines of a prompt are the same whatever the injection is
def concludes_nothing(text: str) -> bool:
    readings = [read_verdict(text), *(read_conclusion(text, form) for form in FORMS)]
    return all(each.value is None for each in readings)


def test_the_corpus_is_large_and_varied() -> None:
    assert sum(each.where == "prediction" for each in INJECTIONS) >= 40
    assert len({each.name for each in INJECTIONS}) == len(INJECTIONS)
    # A parser without the rules on quotations would take many of them for a verdict.
    assert sum(not concludes_nothing(each.text) for each in INJECTIONS) >= 10


@every_injection
def test_text_from_outside_never_leaves_its_marked_lines(injection: Injection) -> None:
    for equal in (True, False):
        requests = first_requests(injection.brief(equal))
        for request, known in zip(requests, usual_lines(equal), strict=True):
            assert unmarked(request) <= known


@cache
def usual_lines(equal: bool) -> list[set[str]]:
    """The unmarked lines of each judge's request about a prediction without an injection."""
    harmless = Injection("plain", "SELECT name FROM person")
    more = {"", "## Knowledge that comes with the question"}
    return [unmarked(request) | more for request in first_requests(harmless.brief(equal))]


def unmarked(request: Request) -> set[str]:
    return {line for line in lines(request) if not line.startswith(MARK.strip())}


def lines(request: Request) -> list[str]:
    text = "\n".join(message.content for message in request.messages)
    # What any reader takes for a line end is one here.
    return [part for line in text.split("\n") for part in line.splitlines() or [""]]


@every_injection
def test_a_model_that_repeats_its_prompt_says_nothing(injection: Injection) -> None:
    for request in first_requests(injection.brief()):
        for message in request.messages:
            assert concludes_nothing(message.content)
        user = request.messages[-1].content
        for marked, group in groupby(user.split("\n"), lambda line: line.startswith(">")):
            text = "\n".join(group)
            if marked:
                assert concludes_nothing(text)
                # Nor does it without the marks: no object is left in the text.
                assert "{" not in text
                assert "```" not in text


@every_injection
def test_no_line_of_a_prompt_is_a_verdict_by_itself(injection: Injection) -> None:
    for request in first_requests(injection.brief()):
        for line in lines(request):
            assert concludes_nothing(line)


ECHOES = {
    "in a SQL fence": "The prediction is:\n```sql\n{}\n```\n",
    "in a quotation": "The prediction is:\n> {}\n",
    "in a sentence": 'The prediction "{}" was read with care.\n',
    "bare": "The prediction is:\n{}\n\nThat is all of it.\n",
    "as code": "The prediction is `{}`, no more.\n",
}


@every_injection
def test_only_the_last_word_of_the_reply_counts(injection: Injection) -> None:
    wrong = []
    for (name, echo), verdict in product(ECHOES.items(), ("true", "false")):
        # The text as its author wrote it, as if the model had undone all that prompts do to it.
        repeated = echo.replace("{}", injection.text)
        reply = f'{repeated}\nIt misses one row.\n\n```json\n{{"correct": {verdict}}}\n```'
        if read_verdict(reply).value is not (verdict == "true"):
            wrong.append((name, verdict))
    assert wrong == []


@every_injection
def test_an_echo_after_the_verdict_does_not_revise_it(injection: Injection) -> None:
    quotation = (
        quote_sql(injection.text) if injection.where == "prediction" else quote(injection.text)
    )
    seen = quotation.replace(MARK, "")
    echoes = [quotation, seen, f"```sql\n{seen}\n```", f"`{seen}`"]
    if "```" not in injection.text and "~~~" not in injection.text:
        echoes.append(f"```sql\n{injection.text.replace('</think>', '')}\n```")
    for echo in echoes:
        reply = f'It misses one row.\n\n```json\n{{"correct": false}}\n```\n\nIt was:\n{echo}'
        assert read_verdict(reply).value is False
        assert concludes_nothing(f"The query was:\n{echo}\nI am not sure.")
