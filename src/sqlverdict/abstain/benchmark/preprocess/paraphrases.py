"""Questions in other words, by a language model, with a check that the answer stays the same.

A wording is used where three things hold. It is one plain question that is not there yet. It
still names every value of the gold that the question names. And its meaning is the question's:
where the model writes a query for the question itself that answers as the gold does, it must do
so for the wording, too (a round trip); where it cannot, the round trip says nothing, and the
model is asked whether both questions ask for the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlverdict.abstain.benchmark.wording import read_question
from sqlverdict.abstain.benchmark.words import same_wording
from sqlverdict.abstain.calibrate import mark_drafts
from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.abstain.generators.sqlprompt import Sqlprompt
from sqlverdict.abstain.method import Ask, GeneratorNeeds, Tools, TrainingExample
from sqlverdict.abstain.prompting.prompt import ask_all, reply_text, request
from sqlverdict.abstain.prompting.schema_text import column_lists
from sqlverdict.files.text import count
from sqlverdict.llm.request import Request
from sqlverdict.parse.tokens import Kind, tokens
from sqlverdict.records import Case

_TEMPERATURE = 1.0
_TOKENS = 128


@dataclass(frozen=True)
class Paraphrases:
    """What a model made of the questions.

    Attributes:
        cases: The new cases: other words, the same golds.
        requests: How many wordings were asked for.
        unused: Why wordings were not used, and how many for each reason.
    """

    cases: tuple[Case, ...]
    requests: int = 0
    unused: Mapping[str, int] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """What happened, in one sentence."""
        reasons = "; ".join(f"{number:,} {why}" for why, number in sorted(self.unused.items()))
        used = count(len(self.cases), "paraphrase")
        return f"{used} of {self.requests:,} used" + (f" (not used: {reasons})" if reasons else "")


def paraphrase(cases: Sequence[Case], number: int, tools: Tools) -> Paraphrases:
    """Say each answerable question in ``number`` other ways.

    Args:
        cases: The questions with their golds; all of them tell which wordings are there.
        number: Wordings of each.
        tools: The model, and the runner of the round trip.

    Raises:
        Interrupted: the cost limit is reached; the replies so far are cached.
        UsageError: no model is named.
    """
    sources = [case for case in cases if case.golds and case.question.strip()]
    index = DatabaseIndex.of(sources)
    asks = {case.id: index.ask(case) for case in sources}
    pairs = [(case, turn) for case in sources for turn in range(number)]
    replies = ask_all([_request(c, t, asks[c.id], tools) for c, t in pairs], tools, "paraphrases")
    wordings = {(case.db_id, same_wording(case.question)) for case in cases}
    unused: Counter[str] = Counter()
    plain: list[tuple[Case, Case]] = []
    for (case, turn), reply in zip(pairs, replies, strict=True):
        text = read_question(reply_text(reply))
        problem = _problem(case, text, wordings)
        if problem or text is None:
            unused[problem] += 1
            continue
        wordings.add((case.db_id, same_wording(text)))
        tags = {**case.tags, "written": "model", "made_from": case.id}
        plain.append((case, replace(case, id=f"{case.id}-p{turn + 1}", question=text, tags=tags)))
    rest = []
    for (_, new), problem in zip(plain, _changes(plain, asks, tools), strict=True):
        if problem:
            unused[problem] += 1
        else:
            rest.append(new)
    return Paraphrases(tuple(rest), len(pairs), dict(unused))


def _request(case: Case, turn: int, ask: Ask, tools: Tools) -> Request:
    values = {
        "schema": column_lists(ask.schema),
        "knowledge": case.knowledge,
        "question": case.question,
        "sql": case.golds[0],
    }
    return request(
        "paraphrase",
        tools,
        temperature=_TEMPERATURE,
        sample=turn,
        max_tokens=_TOKENS,
        values=values,
    )


def _problem(case: Case, text: str | None, wordings: set[tuple[str, str]]) -> str:
    """Why a wording cannot be used; empty: it may."""
    if text is None:
        return "not one plain question"
    if (case.db_id, same_wording(text)) in wordings:
        return "there already"
    lost = [value for value in _named_values(case) if value.casefold() not in text.casefold()]
    return "without a value of the question" if lost else ""


def _named_values(case: Case) -> list[str]:
    """The literals of the gold that the question names."""
    literals = [
        token.text.strip("'\"%")
        for token in tokens(case.golds[0])
        if token.kind in (Kind.STRING, Kind.QUOTED, Kind.NUMBER)
    ]
    question = case.question.casefold()
    return [value for value in literals if value and value.casefold() in question]


def _changes(
    pairs: Sequence[tuple[Case, Case]], asks: Mapping[str, Ask], tools: Tools
) -> list[str]:
    """For each new wording why its meaning is another; empty: it is the same."""
    sources = {case.id: case for case, _ in pairs}
    known = dict(zip(sources, _answers(list(sources.values()), asks, tools), strict=True))
    on_trial = [new for case, new in pairs if known[case.id]]
    new_asks = {
        new.id: replace(asks[case.id], id=new.id, question=new.question) for case, new in pairs
    }
    trips = dict(
        zip([new.id for new in on_trial], _answers(on_trial, new_asks, tools), strict=True)
    )
    others = [(case, new) for case, new in pairs if not known[case.id]]
    requests = [
        request(
            "same_question",
            tools,
            max_tokens=8,
            values={
                "schema": column_lists(asks[case.id].schema),
                "question": case.question,
                "task": new.question,
                "sql": case.golds[0],
            },
        )
        for case, new in others
    ]
    replies = ask_all(requests, tools, "the meaning of paraphrases") if requests else []
    opinions = {
        new.id: reply_text(reply).strip().casefold().startswith("yes")
        for (_, new), reply in zip(others, replies, strict=True)
    }
    reasons = []
    for _, new in pairs:
        if new.id in trips:
            reasons.append("" if trips[new.id] else "the query written for it answers otherwise")
        else:
            reasons.append("" if opinions[new.id] else "asks for something else")
    return reasons


def _answers(cases: Sequence[Case], asks: Mapping[str, Ask], tools: Tools) -> list[bool]:
    """Whether the model's query for each question answers as the gold does."""
    if tools.runner is None or not cases:
        return [False] * len(cases)
    questions = [asks[case.id] for case in cases]
    drafts = Sqlprompt().generate(questions, GeneratorNeeds(), tools)
    examples = [
        TrainingExample(ask, sql=case.golds[0], draft=draft, marked_on=case.database)
        for ask, case, draft in zip(questions, cases, drafts, strict=True)
    ]
    return [bool(one.correct) for one in mark_drafts(examples, tools.runner)]
