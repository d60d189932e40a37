"""What a report says about one run, as tables and sentences; printed elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from sqlverdict.errors import Contradiction
from sqlverdict.files.text import count
from sqlverdict.reasons import reason_words
from sqlverdict.records import REASONS, PredictionUsage, Reason, Result, Verdict
from sqlverdict.report.one_run.case import VERDICTS
from sqlverdict.report.one_run.people import people_words
from sqlverdict.report.one_run.score_parts import (
    deciding_first,
    part_cells,
    part_headers,
    score_sentence,
)
from sqlverdict.report.terminal.tables import TextTable, amount, interval_text, percent, table
from sqlverdict.runlog.run import Run
from sqlverdict.score.cuts import (
    CUT_BY_TIME,
    CUT_BY_WORK,
    EMPTY_MATCH,
    READS_CLOCK,
    RECORD_DIFFERS,
    RECORD_UNUSED,
    REFUSED_UNANSWERABLE,
    STOPPED,
    UNSEARCHED,
)
from sqlverdict.score.deciding import VERDICT
from sqlverdict.score.estimates import Estimate
from sqlverdict.score.summary import Summary
from sqlverdict.score.usage import UsageFigures

CANNOT_RUN = "cannot be executed"
"""What a note of the benchmark says of cases whose databases are missing."""
SLICE_TITLES = {
    "difficulty": "By difficulty",
    "turn": "By turn of the conversation",
    "db_id": "By database",
    "feature": "By SQL feature of the gold query",
    "answerable": "By whether there is an answer",
}


@dataclass(frozen=True)
class Outcome:
    """How a run ended; the printed result and the exit code both come from here."""

    exit_code: int
    message: str


def outcome(summaries: Collection[Summary]) -> Outcome:
    """0: everything was evaluated; 3: nothing was; 4: something was not; 5: a contradiction."""
    cases = sum(summary.cases for summary in summaries)
    contradictions = sum(summary.judge.get("contradictions", 0) for summary in summaries)
    if contradictions:
        return Outcome(
            Contradiction.exit_code,
            f"CONTRADICTION: {count(contradictions, 'pair')} both proved and refuted. This is a "
            f"bug of sqlverdict; please report the files in the folder contradictions",
        )
    unscored = sum(summary.verdicts.get(Verdict.UNSCORED, 0) for summary in summaries)
    unheard = sum(_unheard(summary) for summary in summaries)
    scored = sum(estimate.scored for summary in summaries for estimate in summary.estimates)
    if unscored == cases and not scored:
        text = f"nothing could be evaluated: {unscored:,} of {count(cases, 'case')} unscored"
        return Outcome(3, text)
    if unscored:
        return Outcome(
            4,
            f"{unscored:,} of {count(cases, 'case')} could not be evaluated; they are left out "
            f"of the scores",
        )
    if unheard:
        text = f"{count(unheard, 'question')} got no verdict from the judge"
        return Outcome(4, f"{text}; their cases are to review by verdict, and unscored otherwise")
    return Outcome(0, f"{count(cases, 'case')} evaluated")


def _unheard(summary: Summary) -> int:
    """Questions that got no verdict: their cases were not evaluated as was asked."""
    return summary.judge.get("unparseable", 0) + summary.judge.get("unavailable", 0)


def header(run: Run) -> str:
    """What was run, on how many cases, with which engine."""
    manifest = run.manifest
    return (
        f"{manifest.system} on {benchmark_name(run)}: {count(run.summary.cases, 'case')}, "
        f"{manifest.engine} {manifest.engine_version}, sqlverdict {manifest.sqlverdict}"
    )


def benchmark_name(run: Run) -> str:
    """The benchmark of a run, with the published revision that its cases are or come near."""
    revision = run.manifest.revision
    return f"{run.manifest.benchmark}{f' ({revision})' if revision else ''}"


def headline(run: Run) -> str:
    """The result of a run in one line."""
    return f"{run.manifest.system} on {benchmark_name(run)}: {score_sentence(run.summary)}"


def search_sentences(run: Run) -> list[str]:
    """That no witness could be searched, in a run whose verdicts rest on that."""
    sentence = run.manifest.stages.get("search", "")
    return [sentence] if sentence else []


def metrics_table(summary: Summary, binary: Collection[str]) -> TextTable:
    """Each metric with its interval, its denominator and what that consists of."""
    return _estimates_table(deciding_first(summary, summary.estimates), binary)


def interactions_table(summary: Summary) -> TextTable:
    """Interaction match: the conversations of which every turn is right, by each metric."""
    estimates = deciding_first(summary, summary.interactions)
    title = f"Interaction match: all turns right, {count(summary.sessions, 'conversation')}"
    return _estimates_table(estimates, [each.metric for each in estimates], title)


def _estimates_table(
    estimates: Sequence[Estimate], binary: Collection[str], title: str = ""
) -> TextTable:
    has_parts = any(estimate.metric in binary for estimate in estimates)
    rows = [
        (
            estimate.metric,
            percent(estimate.value),
            interval_text(estimate.low, estimate.high),
            *part_cells(
                estimate, estimates, has_parts=has_parts, empty=estimate.metric not in binary
            ),
        )
        for estimate in estimates
    ]
    parts = part_headers(estimates, has_parts=has_parts)
    return table(("metric", "value", "95% interval", *parts), rows, title)


def verdict_table(run: Run) -> TextTable:
    """How often each verdict was given, and what decides."""
    summary = run.summary
    rows = []
    for name, number in summary.verdicts.items():
        share = percent(number / summary.cases)
        rows.append((name, f"{number:,}", share, VERDICTS[Verdict(name)]))
        if name == Verdict.INCORRECT and (words := in_words(summary)):
            share = percent(words / summary.cases)
            rows.append((IN_WORDS, f"{words:,}", share, "abstained in words, counted as wrong"))
    headers = ("verdict", "cases", "of all", "meaning")
    title = f"Verdicts, by {decided_by(run)}"
    return replace(table(headers, rows, title, left=(0, 3)), styles=_VERDICT_STYLES)


IN_WORDS = "of these in words"
"""The line of a table below ``incorrect``: refusals that are not marked as abstentions."""
_MOST_FAULTS = 3
_VERDICT_STYLES = {
    Verdict.CORRECT: "good",
    Verdict.INCORRECT: "bad",
    Verdict.NEEDS_REVIEW: "warning",
    Verdict.ABSTAINED_RIGHT: "abstained",
    Verdict.ABSTAINED_WRONG: "abstained",
    IN_WORDS: "abstained",
}


def in_words(summary: Summary) -> int:
    """How many replies abstain in words, which count as wrong."""
    return summary.reasons.get(Reason.REFUSED_IN_WORDS, 0)


def expected_sentences(summary: Summary) -> list[str]:
    """What people would say of the run, in words."""
    return [] if summary.expected is None else [people_words(summary.expected)]


def usage_table(figures: Sequence[UsageFigures]) -> TextTable:
    """What a system spent; a case that does not say is left out."""
    rows = [
        (
            USAGE_WORDS[each.quantity],
            f"{each.known:,}",
            *map(amount, (each.mean, each.median, each.p95, each.total, each.per_right)),
        )
        for each in figures
    ]
    headers = ("usage", "cases", "mean", "median", "p95", "total", "per right answer")
    return table(headers, rows)


def usage_sentences(figures: Sequence[UsageFigures]) -> list[str]:
    """What is not known of a run's usage, in words."""
    unknown: dict[int, list[str]] = {}
    for each in figures:
        unknown.setdefault(each.unknown, []).append(USAGE_WORDS[each.quantity])
    return [
        f"{count(number, 'prediction')} without {', '.join(names)}: left out of these figures, "
        f"not counted as 0"
        for number, names in unknown.items()
        if number
    ]


def usage_words(usage: PredictionUsage | None) -> str:
    """What one prediction took, in one line; empty where nothing is known."""
    values = ((words, getattr(usage, name, None)) for name, words in USAGE_WORDS.items())
    return ", ".join(f"{words} {amount(value)}" for words, value in values if value is not None)


USAGE_WORDS = {
    "cost": "cost",
    "tokens": "tokens",
    "prompt_tokens": "prompt tokens",
    "completion_tokens": "completion tokens",
    "latency": "latency (s)",
}
"""The quantities of usage, as tables name them."""


def decided_by(run: Run) -> str:
    """What the verdicts of a run's reports go by, in words."""
    policy = run.manifest.policy
    if run.deciding is None:
        return f"the {policy} policy"
    return f"{run.deciding}, the {policy} policy" if run.deciding == VERDICT else run.deciding


def reason_table(summary: Summary, most: int | None = 8) -> TextTable:
    """The most frequent reasons in words, with their codes, and how many more there are."""
    rows = [
        (reason_words(code), f"{number:,}", code)
        for code, number in islice(summary.reasons.items(), most)
    ]
    if len(rows) < len(summary.reasons):
        rows.append((f"{len(summary.reasons) - len(rows)} more in report.md", "", ""))
    return table(("reason", "cases", "code"), rows, left=(0, 2))


def slice_table(summary: Summary, by: str) -> TextTable:
    """The metric that decides with its interval, and the others, slice by slice."""
    rows = []
    for part in summary.slices:
        if part.by == by:
            first, *others = deciding_first(summary, part.estimates)
            between = interval_text(first.low, first.high)
            cells = [cell for each in others for cell in _value(each)]
            rows.append([part.key, f"{part.cases:,}", *_value(first), between, *cells])
    first, *others = deciding_first(summary, summary.estimates)
    heads = [head for each in others for head in (each.metric, "n")]
    headers = [by.replace("db_id", "database"), "cases", first.metric, "n", "95% interval", *heads]
    return table(headers, rows, SLICE_TITLES[by])


def unscored_messages(run: Run) -> list[str]:
    """Why cases could not be evaluated: the most frequent faults, each with its first case.

    Missing databases are left out where a note of the benchmark names them already.
    """
    if not run.summary.faults:
        return []
    first: dict[str, Result] = {}
    numbers: Counter[str] = Counter()
    noted_already = any(CANNOT_RUN in note for note in run.manifest.notes)
    # Also cases that the deciding metric scores: the others have no value there.
    for result in run.results():
        if result.fault is None:
            continue
        if noted_already and Reason.DATABASE_UNAVAILABLE in result.reasons:
            continue
        kind = f"{result.fault}: {', '.join(result.reasons)}"
        numbers[kind] += 1
        first.setdefault(kind, result)
    return [
        f"{_fault_words(first[kind])} ({count(number, 'case')}, {kind}), first "
        f"{first[kind].id!r}: {first[kind].message}"
        for kind, number in numbers.most_common(_MOST_FAULTS)
    ]


def _fault_words(result: Result) -> str:
    """Why a case could not be evaluated, in words."""
    return "; ".join(map(reason_words, result.reasons)) or f"a fault of the {result.fault}"


def warning_sentences(summary: Summary) -> list[str]:
    """What of a run was not done, or not completely, or is worth little."""
    return [*_beyond_sentences(summary), *cut_sentences(summary), *without_sentences(summary)]


def _beyond_sentences(summary: Summary) -> list[str]:
    """Which stages and metrics of ours could not handle a text, and in how many cases."""
    return [
        f"UNSUPPORTED SQL: {stage} could not handle the text of {count(number, 'case')}. Where the "
        f"gold works, a metric that cannot handle the prediction's text counts it as wrong; "
        f"evidence that could not be gathered is missing. 'sqlverdict show RUN CASE' says why; "
        f"please report a text that ought to be handled."
        for stage, number in summary.beyond.items()
    ]


_CUTS = {
    UNSEARCHED: "NOT SEARCHED: in {0} no database could be tried where the two queries may differ; "
    "the reasons are in the log. Under the policy strict a match that was not searched needs "
    "review.",
    CUT_BY_TIME: "CUT BY TIME: a time limit cut {0} short. Such results may differ on "
    "another machine: they are not kept, and the same command runs them again.",
    CUT_BY_WORK: "CUT BY WORK: the search in {0} used up its work budget before its last "
    "database; every run stops at the same place.",
    STOPPED: "STOPPED: in {0} a file could not be written; `show` names it. Their evidence is not "
    "complete. Free some space and run the same command again: it runs them again.",
    READS_CLOCK: "READS THE CLOCK: the gold of {0} depends on the current time. The same "
    "prediction may score differently on another day; write a fixed date.",
    EMPTY_MATCH: "EMPTY ANSWERS: in {0} neither the gold nor the prediction returns a value (no "
    "row, or NULL alone), and EX counts a match. Any query that finds nothing matches there; only "
    "a proof or a search for a witness (`verdict`) tells them apart.",
    RECORD_DIFFERS: "RECORD DISAGREES: the queries of {0} were run here, and the record says the "
    "opposite about their results. What was run counts; the setting answers=recorded goes by "
    "the records.",
    RECORD_UNUSED: "RECORDS NOT USED: the records of {0} are about another prediction.",
}


def cut_sentences(summary: Summary) -> list[str]:
    """How many searches were not made, how many cases a limit cut, how many answers are empty."""
    return [
        text.format(count(summary.cuts[name], "case"))
        for name, text in _CUTS.items()
        if summary.cuts.get(name)
    ]


def without_sentences(summary: Summary) -> list[str]:
    """Which metrics lack what they need, in how many cases, and why."""
    sentences = []
    for label, number in summary.without.items():
        metric, _, reason = label.partition(": ")
        meaning = REASONS[Reason(reason)] if reason in set(Reason) else reason
        sentences.append(f"{metric} is unscored in {count(number, 'case')}: {reason}, {meaning}")
    return sentences


ABSTAIN_OPTION = "The option no_sql=abstain"
"""What counts refusals in words as abstentions, whatever the door."""


def refusal_sentences(run: Run) -> list[str]:
    """How to count refusals in words otherwise, by whether the question has an answer.

    Where text without SQL is an abstention, replies without SQL are empty, and wrong.
    """
    summary = run.summary
    without = summary.cuts.get(REFUSED_UNANSWERABLE, 0)
    wrong = summary.reasons.get(Reason.REFUSED_IN_WORDS, 0) - without
    sentences = []
    if wrong:
        sentences.append(
            f"{count(wrong, 'reply abstains', 'replies abstain')} in words where the question has "
            f"an answer; counted as wrong. {ABSTAIN_OPTION} counts them as abstentions"
        )
    if without:
        sentences.append(
            f"{count(without, 'reply abstains', 'replies abstain')} in words where the question "
            f"has no answer, which is right; counted as wrong all the same, and as harm in the "
            f"reliability score. {ABSTAIN_OPTION} counts them as right abstentions"
        )
    empty = summary.reasons.get(Reason.NO_SQL_PRODUCED, 0)
    if empty and run.manifest.stages.get("no_sql") == "abstain":
        sentences.append(
            f"{count(empty, 'reply is', 'replies are')} empty and counted as wrong: nothing was "
            f"said. An abstention is a reply of text, or a field 'abstained' that is true"
        )
    return sentences


def faults(run: Run) -> Iterator[Result]:
    """The cases that could not be evaluated."""
    return (result for result in run.results() if run.verdict(result) is Verdict.UNSCORED)


def _value(estimate: Estimate) -> tuple[str, str]:
    return percent(estimate.value), f"{estimate.scored:,}"
