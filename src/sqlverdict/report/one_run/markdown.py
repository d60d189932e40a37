"""``report.md``: a run on a page that reads well in a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from sqlverdict.files.atomic import replacing_path
from sqlverdict.files.text import count
from sqlverdict.records import Result, Verdict
from sqlverdict.report.one_run.answers import answer_lines
from sqlverdict.report.one_run.case import (
    evidence_lines,
    prediction_text,
    reasons_text,
    relation_kinds,
)
from sqlverdict.report.one_run.classic import classic
from sqlverdict.report.one_run.first_sentence import first_sentence
from sqlverdict.report.one_run.judge_section import (
    categories_table,
    contradiction_lines,
    judge_sentences,
    no_verdict_table,
    would_ask_table,
)
from sqlverdict.report.one_run.sections import (
    SLICE_TITLES,
    expected_sentences,
    faults,
    headline,
    interactions_table,
    metrics_table,
    outcome,
    reason_table,
    refusal_sentences,
    search_sentences,
    slice_table,
    usage_sentences,
    usage_table,
    verdict_table,
    warning_sentences,
)
from sqlverdict.report.terminal.tables import (
    TextTable,
    markdown,
    md_cell,
    printable,
    short,
    table,
)
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import verdict_by

REPORT = "report.md"
_EXAMPLES = 10
_EACH = 3
_FAULTS = 50
_LONGEST = 4_000


def write_markdown(run: Run, command: str = "") -> Path:
    """Write ``report.md`` into the run's folder; ``command`` is how the run can be repeated."""
    target = run.folder / REPORT
    with (
        replacing_path(target) as part,
        part.open("w", encoding="utf-8", errors="backslashreplace") as out,
    ):
        for block in _blocks(run, command):
            if block:
                out.write(block.rstrip("\n") + "\n\n")
    return target


def _blocks(run: Run, command: str) -> Iterator[str]:
    summary = run.summary
    yield f"# {md_cell(headline(run))}"
    yield (
        f"{count(summary.cases, 'case')}: {summary.answered:,} answered, "
        f"{summary.abstained:,} abstained. {outcome([summary]).message}."
    )
    yield from (f"{line[0].upper()}{line[1:]}." for line in search_sentences(run))
    yield from _contradictions(run)
    yield "## Metrics"
    yield markdown(metrics_table(summary, run.manifest.binary))
    yield (
        "95% confidence intervals (Wilson for metrics of 0 and 1, bootstrap otherwise). "
        "An unscored case is not a zero."
    )
    if summary.interactions:
        matches = interactions_table(summary)
        yield f"## {matches.title}"
        yield markdown(matches)
        yield (
            "A conversation counts where all of its turns are right. The turns of one are not "
            "independent: the intervals above are by conversation."
        )
    old = classic(run.manifest.benchmark, run.summary, run.results())
    if old is not None:
        yield fence(old.text)
        yield _list(old.notes)
    verdicts = verdict_table(run)
    yield f"## {verdicts.title}"
    yield markdown(verdicts)
    yield from (f"{line[0].upper()}{line[1:]}." for line in expected_sentences(summary))
    yield from _judge(run)
    if summary.reasons:
        yield "## Reasons"
        yield markdown(reason_table(summary, most=None))
    if summary.usage:
        yield "## Usage"
        yield markdown(usage_table(summary.usage))
    for by in SLICE_TITLES:
        slices = slice_table(summary, by)
        if len(slices.rows) > 1:
            yield f"## {slices.title}"
            yield markdown(slices)
    yield from _examples(run)
    yield from _faults(run)
    ours = [*warning_sentences(summary), *usage_sentences(summary.usage), *refusal_sentences(run)]
    yield from _notes([*ours, *run.manifest.notes])
    yield from _reproduce(run, command)


def _contradictions(run: Run) -> Iterator[str]:
    lines = contradiction_lines(run)
    if lines:
        yield "## CONTRADICTIONS"
        yield "A bug of sqlverdict, not of the system: please report the saved files."
        yield _list(lines)


def _judge(run: Run) -> Iterator[str]:
    sentences = judge_sentences(run.summary)
    if not sentences:
        return
    yield "## Judge"
    yield _list([f"{name}: {value}" for name, value in _how_judged(run)] + sentences)
    if run.summary.judge.get("would_ask"):
        questions = would_ask_table(run)
        number = int(run.summary.judge["would_ask"])
        yield f"### What would have been asked ({len(questions.rows)} of {number:,})"
        yield markdown(questions)
    kinds = categories_table(run)
    if kinds.rows:
        yield "### Kinds of error and of difference"
        yield markdown(kinds)
        yield "An opinion may name several kinds."
    unheard = no_verdict_table(run)
    if unheard.rows:
        yield "### Questions without a verdict"
        yield markdown(unheard)


def _how_judged(run: Run) -> Iterator[tuple[str, str]]:
    for stage in ("policy", "judge", "prove", "refute"):
        if stage in run.manifest.stages:
            yield stage, run.manifest.stages[stage]


def pick(
    results: Iterator[Result],
    most: int = _EXAMPLES,
    each: int = _EACH,
    *,
    deciding: str | None = None,
) -> list[Result]:
    """Wrong answers that show different things: those with a relation first, then by reason.

    Holds a few results at a time, however long the run.
    """
    buckets: dict[tuple[int, str], list[Result]] = {}
    for result in results:
        if verdict_by(result, deciding) is not Verdict.INCORRECT:
            continue
        kinds = relation_kinds(result)
        reasons = ", ".join(result.reasons) or "wrong"
        bucket = buckets.setdefault((0, kinds[0]) if kinds else (1, reasons), [])
        if len(bucket) < each:
            bucket.append(result)
    ranked = [buckets[key] for key in sorted(buckets)]
    turns = (bucket[turn] for turn in range(each) for bucket in ranked if turn < len(bucket))
    return list(islice(turns, most))


def _examples(run: Run) -> Iterator[str]:
    wrong = run.summary.verdicts.get(Verdict.INCORRECT, 0)
    examples = pick(run.results(), deciding=run.deciding) if wrong else []
    if not examples:
        return
    yield "## Examples of wrong answers"
    yield f"{len(examples)} of {wrong:,}, chosen to show different kinds."
    for result in examples:
        yield from _example(result, run.folder)


def _example(result: Result, folder: Path) -> Iterator[str]:
    yield f"### {md_cell(result.id)} ({md_cell(result.db_id)})"
    if result.question:
        yield "  \n".join(f"> {md_cell(line)}" for line in result.question_lines)
    golds = [f"-- gold\n{gold}" for gold in result.gold]
    yield fence("\n".join([*golds, f"-- prediction\n{prediction_text(result)}"]), "sql")
    yield md_cell(first_sentence(result))
    reasons = reasons_text(result.reasons)
    yield _list([line for line in (reasons, *evidence_lines(result, folder)) if line])
    if rows := answer_lines(result.answers):
        yield fence("\n".join(rows), "diff")


def _faults(run: Run) -> Iterator[str]:
    number = run.summary.verdicts.get(Verdict.UNSCORED, 0)
    if not number:
        return
    yield "## Cases that could not be evaluated"
    rows = [
        (
            result.id,
            result.db_id,
            str(result.fault),
            ", ".join(result.reasons),
            short(result.message, 160),
        )
        for result in islice(faults(run), _FAULTS)
    ]
    yield markdown(table(("id", "database", "fault", "reasons", "message"), rows, left=range(5)))
    if number > len(rows):
        yield f"The first {len(rows)} of {number:,}; `results.jsonl` has all."


def _notes(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield "## Notes"
        yield _list(notes)


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {md_cell(line)}" for line in lines)


def _reproduce(run: Run, command: str) -> Iterator[str]:
    yield "## How to reproduce"
    if command:
        yield fence(command, "sh")
    yield markdown(manifest_table(run))


def manifest_table(run: Run) -> TextTable:
    """Versions, limits, digests and what else a run rests on."""
    manifest = run.manifest
    limits = ", ".join(f"{name} {most:,.15g}" for name, most in manifest.limits.items())
    rows = [
        ("sqlverdict", manifest.sqlverdict),
        ("engine", f"{manifest.engine} {manifest.engine_version}"),
        *([("revision", manifest.revision)] if manifest.revision else []),
        ("metrics", ", ".join(f"{label} (version {v})" for label, v in manifest.metrics.items())),
        ("limits of one query", limits),
        *((f"stage {name}", how) for name, how in manifest.stages.items()),
        ("seed", str(manifest.seed)),
        ("Python", f"{manifest.python} on {manifest.platform}"),
        (
            "time",
            f"{manifest.seconds:,.1f} s with {count(manifest.workers, 'worker')}, "
            f"{manifest.started}",
        ),
        *((f"input {name}", digest) for name, digest in manifest.inputs.items()),
        ("databases", _databases(run)),
        ("fingerprint", manifest.fingerprint),
    ]
    return table(("what", "value"), rows, left=(0, 1))


def _databases(run: Run) -> str:
    there = Counter(digest == "missing" for digest in run.manifest.databases.values())
    missing = f", {there[True]} missing" if there[True] else ""
    return f"{there[False]} (digests in manifest.json){missing}"


def fence(text: str, language: str = "") -> str:
    """A code block that its content cannot end."""
    text = printable(text if len(text) <= _LONGEST else text[:_LONGEST] + " …")
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{language}\n{text}\n{ticks}"
