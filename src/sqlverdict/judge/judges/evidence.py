"""The evidence-gated judge: it sees what was found out, and decides only what is left open.

Where a witness shows that two queries differ, it is asked whether such data can occur here
and whether the question cares; where the results differ, how they relate stands in the
prompt and it is asked whether that matters. What is open is put to it as one question, with how
people decided such cases where that is known. Which cases are put to it, and what its opinion
may overrule, is decided elsewhere: see the policies in ``verdicts.py``.

Flags beside the common ones: ``witness_impossible`` (it says that such data cannot occur),
``harmless`` (the question does not care), ``gold_suspect`` (the reference is wrong),
``inconsistent`` (its verdict does not follow from its own answers), ``no_witness`` (the results
match and no witness was shown: nothing that the opinion could overrule).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlverdict.judge.asking import PROMPTS, CallCounts, NoReading, ask, make_request, opinion_of
from sqlverdict.judge.briefs.brief import Brief, answer_schema, prompt_values
from sqlverdict.judge.briefs.fit import fitted
from sqlverdict.judge.judge import JUDGES, Conduct
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.replies.conclusion import read_verdict, yes_or_no
from sqlverdict.judge.replies.loose_json import Value
from sqlverdict.llm.request import Request

ANSWERS = ("possible", "matters", "reference_wrong", "correct")
SCHEMA = answer_schema(**{key: {"type": "boolean"} for key in ANSWERS})


@JUDGES.member
class EvidenceJudge:
    """The judge of what evidence leaves open."""

    name = "evidence"
    version = 1

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """One call, and more only where its reply cannot be read."""
        match = brief.equal is True
        with_results = settings.results_eq if match else settings.results_neq
        prompt = PROMPTS.load("evidence", settings.prompts)

        def make(fitted: Brief) -> Request:
            values = prompt_values(fitted, settings, results=with_results, evidence=True)
            return make_request(prompt, values, settings, SCHEMA)

        tally = CallCounts()
        request = fitted(brief, settings, tally, make)
        witness = bool((brief.witness or "").strip())
        read = yield from ask(request, read_verdict, settings, tally)
        if match and not witness:
            tally.flag("no_witness")
        if not isinstance(read, NoReading):
            tally.flag(*_flags(read.fields, bool(read.value), witness))
        return opinion_of(f"{self.name}@{self.version}", settings, tally, read)


def _flags(fields: Mapping[str, Value], correct: bool, witness: bool) -> Iterator[str]:
    possible = yes_or_no(fields.get("possible", "")) if witness else True
    matters = yes_or_no(fields.get("matters", ""))
    suspect = yes_or_no(fields.get("referencewrong", ""))
    if possible is False:
        yield "witness_impossible"
    if matters is False:
        yield "harmless"
    if suspect is True:
        yield "gold_suspect"
    if None in (possible, matters, suspect):
        return
    excused = not possible or not matters
    # With a wrong reference the verdict may go either way: both queries can be wrong.
    if not suspect and correct != excused:
        yield "inconsistent"
