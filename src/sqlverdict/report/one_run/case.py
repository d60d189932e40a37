"""One case in words: its verdict, and what each piece of evidence says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path

from sqlverdict.compare.relation import relation_text
from sqlverdict.evidence import (
    Contradicted,
    Evidence,
    Failed,
    Judged,
    OpenQuestion,
    Proved,
    Recorded,
    Refuted,
    Related,
    Signs,
    Tested,
    Undecided,
    fault_of,
    relations_of,
)
from sqlverdict.evidence_parts import AnswerShapes, StageFailure, Tag
from sqlverdict.files.text import count
from sqlverdict.find_situation import was_searched
from sqlverdict.reasons import reason_words
from sqlverdict.records import Result, Verdict
from sqlverdict.report.one_run.judge_section import opinion_lines
from sqlverdict.report.one_run.people import labelled_words
from sqlverdict.report.one_run.witness import witness_sentences
from sqlverdict.situations import Situation
from sqlverdict.verdicts import POLICIES

VERDICTS: Mapping[Verdict, str] = {
    Verdict.CORRECT: "right answer",
    Verdict.INCORRECT: "wrong answer",
    Verdict.NEEDS_REVIEW: "nothing decided it; a person should look",
    Verdict.ABSTAINED_RIGHT: "abstained, and the question has no answer",
    Verdict.ABSTAINED_WRONG: "abstained, and the question has an answer",
    Verdict.UNSCORED: "could not be evaluated; not the model's fault",
}
"""What each verdict means."""


def because(result: Result) -> str:
    """What the evidence amounts to, and how often people call such an answer right."""
    return "; ".join(filter(None, (situation_words(result), labelled_words(result))))


def situation_words(result: Result) -> str:
    """What the evidence amounts to; empty where no answer was compared with a gold."""
    if not result.situation:
        return ""
    return f"{evidence_words(result)} ({result.situation})"


def evidence_words(result: Result) -> str:
    """What the evidence about a case with a situation amounts to: a search only where one ran."""
    situation = Situation(result.situation)
    if situation is Situation.MATCH and not was_searched(result.evidence):
        return _MATCH_ALONE
    proofs = [piece for piece in result.evidence if isinstance(piece, Proved)]
    if situation is Situation.PROVED and any(proof.open_choices for proof in proofs):
        return f"{situation.row.because}{_BUT_FOR_CHOICES}"
    return situation.row.because


def other_policies(result: Result, policy: str, *, judged: bool = False) -> str:
    """What other policies say of a case where one of them says something else; else empty.

    Args:
        result: The case.
        policy: The run's policy.
        judged: Whether the run had a judge.
    """
    if not result.situation or policy not in POLICIES:
        return ""
    situation = Situation(result.situation)
    by_judge = judged and situation in POLICIES[policy].asks
    others: dict[str, list[str]] = {}
    for name, other in POLICIES.items():
        decision: str = other.decide(situation, judged=judged)
        if decision == "ask":
            decision = result.verdict.value if by_judge else _ASKS
        if name != policy and decision != result.verdict:
            others.setdefault(decision, []).append(name)
    sentences = [f"{' and '.join(names)} would say {what}" for what, names in others.items()]
    own = f"{policy} says {result.verdict} here"
    if by_judge:
        own = f"{policy} asks the judge here"
    elif situation is Situation.ORDINARY_WITNESS and result.verdict is Verdict.CORRECT:
        own = f"{policy} counts a lucky match as right"
    return f"{own}; {', '.join(sentences)}" if sentences else ""


def separated_text(result: Result) -> str:
    """What a witness shows of a match, in words; empty where there is none.

    The reasons of such a case are those of the witness: the results themselves match.
    """
    witness = next((piece for piece in result.evidence if isinstance(piece, Refuted)), None)
    if witness is None:
        return ""
    sentence = f": {witness.sentence}" if witness.sentence else ""
    return f"results match, but a witness separates the queries{sentence}"


_ASKS = "what the judge says"
_BUT_FOR_CHOICES = ", up to what both leave open"
_MATCH_ALONE = "the answers agree on the real database; no other was tried"
_STEPS = 12


def prediction_text(result: Result) -> str:
    """The prediction as text; an abstention is not an empty text."""
    if result.abstained:
        return "(abstained)"
    if result.prediction is None or not result.prediction.strip():
        return "(no SQL)"
    return result.prediction


def evidence_lines(result: Result, folder: Path | None = None) -> list[str]:
    """What the evidence of a case says, one sentence each, strongest first.

    Args:
        result: The case.
        folder: The run's folder, so that files are named where they lie.
    """
    return [line for piece in shown_evidence(result) for line in piece_lines(piece, folder)]


def shown_evidence(result: Result) -> list[Evidence]:
    """The evidence of a case, strongest first.

    What a judge would be asked about an answer that is plainly wrong is left out: the rows differ,
    and nothing speaks for the prediction.
    """
    is_wrong = result.verdict is Verdict.INCORRECT and result.situation == Situation.DIFFERENCE
    pieces = (e for e in result.evidence if not (is_wrong and isinstance(e, OpenQuestion)))
    return sorted(pieces, key=_strength)


def piece_lines(
    piece: Evidence, folder: Path | None = None, *, has_rows: bool = False
) -> Iterator[str]:
    """What one piece of evidence says, one sentence each; the steps of a proof are indented.

    Args:
        piece: The piece.
        folder: The run's folder, so that files are named where they lie.
        has_rows: The reader sees the rows of both answers: how many there are is not said again.
    """
    match piece:
        case Related(shape=AnswerShapes(), recorded=False, whole=True) if has_rows:
            yield from map(relation_text, piece.relations)
        case _:
            yield from _sentences(piece, folder)
    yield from _tags(piece)


def _strength(evidence: Evidence) -> int:
    """The position among kinds of evidence, strongest first."""
    match evidence:
        case Proved():
            return 0
        case Refuted():
            return 1
        case Tested():
            return 2
        case Related() | Failed(query="prediction"):
            return 3
        case Judged():
            return 4
    return 5


def _file(folder: Path | None, kind: str, name: str) -> str:
    """Where a file of a run lies, in its folder or the one that holds several; "" if nowhere."""
    for home in (folder, folder.parent) if folder is not None else ():
        if (home / kind / name).is_file():
            return str(home / kind / name)
    return ""


def relation_kinds(result: Result) -> list[str]:
    """The relations between the two answers, by name."""
    return [relation.kind for relation in relations_of(result.evidence)]


def _sentences(evidence: Evidence, folder: Path | None) -> Iterator[str]:
    match evidence:
        case Contradicted():
            yield f"CONTRADICTION: {evidence.message}"
            if file := _file(folder, "contradictions", evidence.file):
                yield f"saved as {file}"
        case Undecided(failure=StageFailure() as failure):
            yield _failure(failure)
        case Undecided(metric=metric) if metric:
            yield f"{metric} is unscored: {reasons_text(evidence.reasons)}"
        case Undecided(declared=Proved() as proof):
            yield from _declared_proof(proof, evidence.broken)
        case Recorded():
            yield from _record(evidence)
        case Signs():
            yield from _signs(evidence)
        case OpenQuestion():
            yield f"would ask a judge: {evidence.question}"
        case Proved():
            yield from _proof(evidence)
        case Judged():
            yield from opinion_lines(evidence)
        case Refuted():
            file = _file(folder, "witnesses", evidence.file)
            yield from witness_sentences(evidence, file)
        case Tested():
            yield _test(evidence)
        case Failed(query="prediction"):
            yield f"the prediction gave no answer: {evidence.message}"
        case Related(shape=AnswerShapes() as shape):
            recorded = "recorded: " if evidence.recorded else ""
            cut = "" if evidence.whole else "; only a part is kept"
            yield f"{recorded}{_shapes(shape)}{cut}"
            yield from map(relation_text, evidence.relations)
        case Related(recorded=True):
            yield "recorded: the answers differ; the answers themselves are not kept"
        case Related():
            yield f"the results differ: {reasons_text(evidence.reasons)}"
        case Undecided() | Failed():
            fault = fault_of(evidence)
            by = f" (fault: {fault})" if fault else ""
            parts = (reasons_text(evidence.reasons), evidence.message)
            yield f"undecided{by}: {'. '.join(part for part in parts if part)}"


def _tags(evidence: Evidence) -> Iterator[str]:
    tags: tuple[Tag, ...] | None = None
    match evidence:
        case Refuted() | Related() | Failed():
            tags = evidence.tags
    if tags:
        yield f"what differs: {'; '.join(map(_tag, tags))}"


def _tag(tag: Tag) -> str:
    """A tag in words, with its name."""
    # Tags load what reads two queries, which is slow; runs without them need not wait.
    from sqlverdict.compare.tags import TAGS

    return f"{TAGS[tag.name].meaning} ({tag.name})" if tag.name in TAGS else tag.name


def _failure(failure: StageFailure) -> str:
    error = f" ({failure.error})" if failure.error else ""
    blame = "; counted as wrong there" if failure.blame else ""
    what = "could not continue" if failure.storage else "could not handle the text"
    return f"{failure.stage} {what}{error}{blame}"


def _record(record: Recorded) -> Iterator[str]:
    """What a record adds, and whether it fits what was run."""
    if record.unused:
        yield record.message
    if record.equal is not None:
        fits = ", unlike what was run here" if record.differs else ""
        yield f"recorded: the results {'match' if record.equal else 'differ'}{fits}"
    words = {0.0: "wrong", 1.0: "right"}
    by_word: dict[str, list[str]] = {}
    for name, value in record.verdicts.items():
        by_word.setdefault(words.get(value, "no opinion"), []).append(name)
    for word, names in by_word.items():
        yield f"recorded opinion {word}: {', '.join(names)}"


def _declared_proof(proof: Proved, broken: tuple[str, ...]) -> Iterator[str]:
    """A proof that decides nothing, and why."""
    by = f", by {', '.join(proof.rules)}" if proof.rules else ""
    yield f"proved under the declared schema only{by}; it is not used here"
    for fact in broken:
        yield f"  the data break it: {fact}"
    for unsure in proof.unchecked:
        yield f"  {unsure}"


def _proof(proof: Proved) -> Iterator[str]:
    if proof.same_text:
        yield "proved: the two texts are the same query"
        return
    weakest = "" if proof.trust in ("", "proved") else f" (the weakest rule is only {proof.trust})"
    if not proof.steps:
        yield f"proved: both are the same query{weakest}"
    else:
        yield f"proved: both are the same query, by {', '.join(proof.rules)}{weakest}"
    for step, change in zip_longest(proof.steps[:_STEPS], proof.changes[:_STEPS]):
        yield f"  {step}"
        if change is not None:
            yield from (f"    - {change.before}", f"    + {change.after}")
    if len(proof.steps) > _STEPS:
        yield f"  and {count(len(proof.steps) - _STEPS, 'more step')}"
    yield from proof.unchecked
    for choice in proof.open_choices:
        yield f"both leave open {choice}"


def _test(test: Tested) -> str:
    if test.recorded:
        return "tested: recorded with the same answers"
    if test.by == "compare" and test.databases == 1:
        return "tested: on the real database both return the same rows"
    return f"tested: no difference found on {count(test.databases, 'database')}"


def _signs(signs: Signs) -> Iterator[str]:
    """What speaks against each query by itself; what both show speaks against neither."""
    shared = {(sign.name, sign.message) for sign in signs.gold}
    shared &= {(sign.name, sign.message) for sign in signs.prediction}
    sides = (("gold", signs.gold), ("prediction", signs.prediction))
    for side, of_side in sides:
        for sign in of_side:
            in_both = (sign.name, sign.message) in shared
            if not in_both:
                yield f"sign against the {side}: {sign.message} ({sign.name})"
            elif side == "gold":
                yield f"in both queries: {sign.message} ({sign.name})"


def _shapes(shapes: AnswerShapes) -> str:
    parts = []
    for side, shape in (("gold", shapes.gold), ("prediction", shapes.prediction)):
        if shape is not None:
            rows, columns = shape
            parts.append(f"the {side} returns {count(rows, 'row')} of {count(columns, 'column')}")
    return ", ".join(parts)


def reasons_text(codes: Iterable[str]) -> str:
    """Reasons in words, each with its code."""
    return "; ".join(f"{reason_words(code)} ({code})" for code in codes)
