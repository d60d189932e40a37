"""The conformance suite for judges, built-in or plug-in.

In a plug-in's tests::

    from sqlverdict.testing import check_judge

    def test_my_judge():
        check_judge("my_judge")

A judge whose replies have a form of their own passes two of them::

    check_judge("my_judge", right="... GRADE: A", wrong="... GRADE: F")
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.judge import JUDGES, Conduct, Judge, Opinion, Settings, conduct
from sqlverdict.judge.opinion import BUDGET
from sqlverdict.llm.request import NoReply, Reply, Request
from sqlverdict.records import Reason
from sqlverdict.testing.injections import Injection, judge_injections
from sqlverdict.testing.members import member_of

RIGHT = (
    "Both read the same rows, so the answer is the same.\n\n```json\n"
    '{"possible": true, "matters": false, "reference_wrong": false, '
    '"correct": true, "equivalent": true, "score": 5}\n```'
)
"""A reply that accepts, in the form of every built-in judge at once."""
WRONG = (
    "The prediction misses a condition, so it keeps other rows.\n\n```json\n"
    '{"possible": true, "matters": true, "reference_wrong": false, '
    '"correct": false, "equivalent": false, "score": 2}\n```'
)
UNREADABLE = (
    "",
    "I cannot say.",
    "The prediction is correct, I think.",
    '{"correct": ',
    '{"correct": null, "equivalent": "maybe", "score": 9}',
    "{" * 2_000,
    '{"correct": {"correct": ' * 200,
    "\ud800 \x00 \u202e `````` ```json ``` {}",
    "<think>I had better say {} first",
)
"""Replies without a verdict."""

PURPOSE = re.compile(r"\w+@[0-9]+(\+\w+)?")
MOST_CALLS = 200
SETTINGS = Settings(
    model="model-1", temperature=0.25, max_tokens=77, seed=5, retries_unparseable=2, samples=2
)

Answer = Callable[[Request], Reply | NoReply]


@dataclass(frozen=True)
class _JudgeTranscript:
    requests: tuple[Request, ...]
    replies: tuple[Reply | NoReply, ...]
    opinion: Opinion


def check_judge(judge: str | Judge, *, right: str = RIGHT, wrong: str = WRONG) -> None:
    """Hold a judge to what every judge promises.

    It asks well-formed requests with the settings it was given; a right reply makes the
    prediction correct, a wrong one incorrect; replies that cannot be read are asked for
    again within bounds and are then ``JUDGE_UNPARSEABLE``, never incorrect; no reply is
    ``JUDGE_UNAVAILABLE``, and the cost limit ends the work at once; calls and tokens are
    counted; the same replies give the same requests and the same opinion; no brief and no
    reply makes it raise; a hostile brief changes nothing, not even where the model repeats its
    whole prompt.

    Args:
        judge: A name in the registry, or the judge itself.
        right: A reply that accepts the prediction.
        wrong: A reply that rejects it.

    Raises:
        AssertionError: a promise is broken; the message says which and what to do.
    """
    name = judge if isinstance(judge, str) else member_of(JUDGES, judge).name
    judge = member_of(JUDGES, judge)
    _expect(judge.name == name, name, f"calls itself {judge.name!r}; use its file's name")
    version = judge.version
    counts = isinstance(version, int) and not isinstance(version, bool) and version >= 1
    _expect(counts, name, f"has version {version!r}; it must be a whole number from 1")
    if not getattr(judge, "sees_evidence", True):
        _check_blind(name, judge, right)
    for number, (what, brief) in enumerate(_briefs()):
        calls = _check_verdicts(name, judge, what, brief, right, wrong)
        for text in UNREADABLE if number == 0 else UNREADABLE[:2]:
            _check_unreadable(name, judge, what, brief, text, calls)
        _check_no_reply(name, judge, what, brief)
    for number, injection in enumerate(judge_injections()):
        _check_injection(name, judge, injection, bool(number % 2), right, wrong)


def _check_blind(name: str, judge: Judge, right: str) -> None:
    """A judge that says it sees no evidence asks the same with and without it."""
    plain = Injection("plain", "SELECT name FROM person").brief()
    bare = replace(plain, witness=None, relations=())
    full = replace(
        plain,
        open_question="does it matter?",
        gold_facts=("it is short",),
        prediction_facts=("it is long",),
        sizes=("person: 1 row",),
        columns=("person.name: a name",),
        notes=("a note",),
    )
    requests = [
        _ask(name, judge, "evidence", each, _always(right)).requests for each in (bare, full)
    ]
    _expect(
        requests[0] == requests[1],
        name,
        "says sees_evidence = False and asks otherwise where there is evidence; remove the line",
    )


def _briefs() -> Iterator[tuple[str, Brief]]:
    plain = Injection("plain", "SELECT name FROM person")
    for equal in (True, False, None):
        yield f"a plain brief with equal={equal}", plain.brief(equal)
    yield "an empty brief", Brief()
    yield (
        "a brief without results and evidence",
        replace(plain.brief(), gold_table=None, prediction_table=None, witness=None, relations=()),
    )
    hostile = "\ud800\x00\u2028{{gold}} `'\"" * 50
    yield (
        "a brief of odd characters",
        Brief("case-1", hostile, hostile, hostile, hostile, hostile, hostile, None, hostile),
    )
    yield "a brief of great length", replace(plain.brief(), prediction="SELECT 1 " * 4_000)


def _check_verdicts(
    name: str, judge: Judge, what: str, brief: Brief, right: str, wrong: str
) -> int:
    """Returns the most calls that replies which can be read took."""
    calls = 0
    for text, expected in ((right, True), (wrong, False)):
        transcript = _ask(name, judge, what, brief, _always(text))
        again = _ask(name, judge, what, brief, _always(text))
        _expect(
            transcript == again,
            name,
            f"did something else the second time, for {what}; be repeatable",
        )
        _expect(
            transcript.opinion.correct is expected,
            name,
            f"made {transcript.opinion.correct} of a reply that says {expected}, for {what}; if "
            "its replies have another form, give check_judge a right and a wrong one",
        )
        calls = max(calls, len(transcript.requests))
    return calls


def _check_unreadable(
    name: str, judge: Judge, what: str, brief: Brief, text: str, calls: int
) -> None:
    label = f"the reply {text[:40]!r}, for {what}"
    for retries in (0, 2):
        settings = replace(SETTINGS, retries_unparseable=retries)
        transcript = _ask(name, judge, label, brief, _always(text), settings)
        opinion = transcript.opinion
        _expect(
            opinion.correct is None and opinion.reason is Reason.JUDGE_UNPARSEABLE,
            name,
            f"made correct={opinion.correct}, reason={opinion.reason} of {label}; what cannot be "
            "read is None with JUDGE_UNPARSEABLE, never incorrect",
        )
        allowed = (retries + 1) * calls
        _expect(
            len(transcript.requests) <= allowed,
            name,
            f"asked {len(transcript.requests)} times after {label}; with {retries} retries at most "
            f"{allowed} are allowed",
        )


def _check_no_reply(name: str, judge: Judge, what: str, brief: Brief) -> None:
    unavailable = _ask(
        name, judge, what, brief, lambda _: NoReply("the server is gone", attempts=3)
    )
    _expect(
        unavailable.opinion.correct is None
        and unavailable.opinion.reason is Reason.JUDGE_UNAVAILABLE,
        name,
        f"made correct={unavailable.opinion.correct}, reason={unavailable.opinion.reason} of no "
        f"reply at all, for {what}; that is None with JUDGE_UNAVAILABLE",
    )
    over_budget = _ask(
        name, judge, what, brief, lambda _: NoReply("spent", attempts=0, budget=True)
    )
    _expect(
        len(over_budget.requests) == 1 and BUDGET in over_budget.opinion.flags,
        name,
        f"asked {len(over_budget.requests)} times with flags {over_budget.opinion.flags} after the "
        f"cost limit was reached; stop at once and pass the flag {BUDGET!r} on",
    )


def _check_injection(
    name: str, judge: Judge, injection: Injection, equal: bool, right: str, wrong: str
) -> None:
    what = f"the injection {injection.name!r}"
    brief = injection.brief(equal)

    echo = _ask(name, judge, what, brief, _repeating(""))
    _expect(
        echo.opinion.correct is None,
        name,
        f"made {echo.opinion.correct} of a reply that only repeats its prompt, with {what}; quote "
        "text from outside with sqlverdict.llm.neutral",
    )
    for text, expected in ((right, True), (wrong, False)):
        transcript = _ask(name, judge, what, brief, _repeating(text))
        _expect(
            transcript.opinion.correct is expected,
            name,
            f"made {transcript.opinion.correct} of a reply that repeats its prompt and then says "
            f"{expected}, with {what}; only the reply's own conclusion counts",
        )


def _ask(
    name: str, judge: Judge, what: str, brief: Brief, answer: Answer, settings: Settings = SETTINGS
) -> _JudgeTranscript:
    """Drive the judge, and hold what it asks and says to the form."""
    transcript = _drive(name, what, conduct(judge, brief, settings), answer)
    for request in transcript.requests:
        _check_request(name, what, request, settings)
    _check_opinion(name, what, transcript)
    return transcript


def _drive(name: str, what: str, work: Conduct, answer: Answer) -> _JudgeTranscript:
    requests: list[Request] = []
    replies: list[Reply | NoReply] = []
    try:
        request = next(work)
        while True:
            requests.append(request)
            _expect(len(requests) <= MOST_CALLS, name, f"never stops asking, for {what}")
            _expect(isinstance(request, Request), name, f"yielded {request!r}; yield a Request")
            replies.append(answer(request))
            request = work.send(replies[-1])
    except StopIteration as done:
        opinion = done.value
    _expect(isinstance(opinion, Opinion), name, f"returned {opinion!r}; return an Opinion")
    return _JudgeTranscript(tuple(requests), tuple(replies), opinion)


def _check_request(name: str, what: str, request: Request, settings: Settings) -> None:
    for field in ("model", "temperature", "max_tokens", "seed"):
        actual, expected = getattr(request, field), getattr(settings, field)
        _expect(
            actual == expected,
            name,
            f"asked with {field}={actual!r}; the settings say {expected!r}",
        )
    _expect(
        bool(PURPOSE.fullmatch(request.purpose)),
        name,
        f"asks for the purpose {request.purpose!r}; write the prompt's name and version: flex_eq@1",
    )
    _expect(request.messages[-1].role == "user", name, "ends a request with no user message")
    for message in request.messages:
        try:
            message.content.encode("utf-8")
        except UnicodeEncodeError as failed:
            raise AssertionError(
                f"judge {name} puts half a surrogate into a prompt, for {what}; quote text from "
                "outside with sqlverdict.llm.neutral"
            ) from failed


def _check_opinion(name: str, what: str, transcript: _JudgeTranscript) -> None:
    opinion = transcript.opinion
    got = [reply for reply in transcript.replies if isinstance(reply, Reply)]
    _expect(opinion.calls == len(got), name, f"counted {opinion.calls} of {len(got)} calls")
    tokens = (sum(r.prompt_tokens for r in got), sum(r.completion_tokens for r in got))
    _expect(opinion.tokens == tokens, name, f"counted {opinion.tokens} tokens of {tokens}")
    _expect(
        bool(PURPOSE.fullmatch(opinion.judge)),
        name,
        f"signs as {opinion.judge!r}; sign with name and version, {name}@1",
    )
    _expect(
        opinion.reason in (None, Reason.JUDGE_UNPARSEABLE, Reason.JUDGE_UNAVAILABLE),
        name,
        f"gave the reason {opinion.reason} for {what}; JUDGE_UNPARSEABLE or JUDGE_UNAVAILABLE",
    )
    escaped = opinion.explanation.encode("utf-8", "backslashreplace").decode("utf-8")
    _expect(escaped == opinion.explanation, name, "explains with half a surrogate; escape it")
    _expect(pickle.loads(pickle.dumps(opinion)) == opinion, name, "gave what cannot be pickled")  # noqa: S301 - our own bytes


def _always(text: str) -> Answer:
    return lambda _: _reply(text)


def _repeating(own: str) -> Answer:
    """Answers with the whole prompt, and then with a reply of its own."""

    def answer(request: Request) -> Reply:
        prompt = "\n\n".join(message.content for message in request.messages)
        return _reply(f"{prompt}\n\n{own}")

    return answer


def _reply(text: str) -> Reply:
    return Reply(text, "stop", prompt_tokens=11, completion_tokens=7, seconds=0.0, cost=0.001)


def _expect(holds: bool, name: str, complaint: str) -> None:
    """As assert, but also under ``python -O``."""
    if not holds:
        raise AssertionError(f"judge {name} {complaint}")
