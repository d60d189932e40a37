"""The document that a page shows: plain data, the same for a file, a server and the Python API.

The index holds what the overview, the list and the search need: one column a field, one entry a
case. The details of cases stand in blocks of their own, which a page reads when a case is opened.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Raw, Struct

from sqlverdict.report.html.details import CaseDetail

Text = str | None


class PageTable(Struct, frozen=True, omit_defaults=True):
    """A table of text; ``left`` names the columns of words, all others hold numbers."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    left: tuple[int, ...] = (0,)


class PageMetric(Struct, frozen=True):
    """A metric of one system with its interval; ``None``: nothing was scored.

    ``scored`` is the denominator, and of a metric of 0 and 1 the sum of the last four.
    """

    label: str
    binary: bool
    value: float | None
    low: float | None
    high: float | None
    scored: int
    unscored: int
    right: int = 0
    wrong: int = 0
    abstained: int = 0
    review: int = 0


class PageSlice(Struct, frozen=True):
    """The cases that share a property: how many, and the metrics over them."""

    by: str
    key: str
    cases: int
    metrics: tuple[PageMetric, ...]


class PageReliability(Struct, frozen=True):
    """What became of each item, for RS(c) with any penalty and threshold.

    Attributes:
        source: What says that an answer is right.
        cells: One entry per case: the cell's name; ``None``: unscored.
        tables: The tables of ``sqlverdict reliability``.
        sentences: Its sentences.
        charts: SVG texts by title.
    """

    source: str
    cells: tuple[Text, ...]
    tables: tuple[PageTable, ...] = ()
    sentences: tuple[str, ...] = ()
    charts: Mapping[str, str] = {}


class PageSystem(Struct, frozen=True):
    """One run: what it says as a whole.

    Attributes:
        name: The system's name, unique on the page.
        title: What was run, on what.
        sentence: The result in one sentence, every case counted.
        luck: How many matches are luck; empty: none.
        searched: Whether witnesses were searched; without, nothing is known of luck.
        deciding: What the verdicts go by, in words.
        metric: The metric that decides; empty: the evidence.
        policy: The policy's name.
        metrics: Its metrics.
        slices: The same for parts of the cases.
        tables: Verdicts, reasons and what else the report prints.
        remarks: What limits the figures: cuts, unscored cases, notes.
        alarms: Contradictions; they are loud.
        manifest: Versions, limits, digests.
        command: How to run it again.
        reliability: Abstentions and confidences; ``None`` where there are none.
        interactions: Conversations that are right as a whole; ``None``: there are none.
    """

    name: str
    title: str
    sentence: str
    luck: str
    searched: bool
    deciding: str
    metric: str
    policy: str
    metrics: tuple[PageMetric, ...]
    slices: tuple[PageSlice, ...]
    tables: tuple[PageTable, ...]
    remarks: tuple[str, ...]
    alarms: tuple[str, ...]
    manifest: PageTable
    command: str = ""
    reliability: PageReliability | None = None
    interactions: PageTable | None = None


class CaseColumns(Struct, frozen=True):
    """What is the same for all systems: one entry per case in every column."""

    id: tuple[str, ...]
    db: tuple[str, ...]
    question: tuple[str, ...]
    difficulty: tuple[Text, ...]
    gold: tuple[tuple[str, ...], ...]
    feature: tuple[tuple[str, ...], ...]
    knowledge: tuple[str, ...]
    earlier: tuple[tuple[str, ...], ...] = ()


class ResultColumns(Struct, frozen=True):
    """What one system's run says of each case; ``None`` in ``part``: the run lacks the case.

    A score is what the case counts as under the metric, or words: ``to review``.
    """

    part: tuple[Text, ...]
    verdict: tuple[Text, ...]
    situation: tuple[str, ...]
    prediction: tuple[Text, ...]
    confidence: tuple[float | None, ...]
    scores: Mapping[str, tuple[float | str | None, ...]]
    reason: tuple[tuple[str, ...], ...]
    tag: tuple[tuple[str, ...], ...]
    relation: tuple[tuple[str, ...], ...]


class PageSuspect(Struct, frozen=True):
    """A gold that may be wrong, with what speaks against it."""

    id: str
    rank: float
    suspicions: tuple[str, ...]
    features: tuple[str, ...]
    answers: tuple[tuple[str, str, bool | None], ...]


class PageGoldsQuestion(Struct, frozen=True):
    """A question whose gold a set replaces.

    Attributes:
        id: The case.
        golds: The set.
        question: The question.
        relation: What is known of both golds, in two words.
        evidence: The same as a sentence.
        reason: Why the gold was replaced; empty: the set does not say.
        before: The golds of the first set.
        after: The golds of this one.
        moves: The systems that move: the name, how, and the evidence before and after.
        detail: The other gold against the first, as a case; ``None``: it was not compared.
    """

    id: str
    golds: str
    question: str
    relation: str
    evidence: str
    reason: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    moves: tuple[tuple[str, str, str, str], ...]
    detail: CaseDetail | None = None


class PageGolds(Struct, frozen=True):
    """The systems under several sets of golds.

    Attributes:
        first: The set that the page's cases have.
        tables: The sets, and every system under each.
        sentences: What moves, in words.
        questions: The questions whose golds differ; those that move a system first.
    """

    first: str
    tables: tuple[PageTable, ...]
    sentences: tuple[str, ...]
    questions: tuple[PageGoldsQuestion, ...]


class PageIndex(Struct, frozen=True):
    """Everything but the details of the cases.

    Attributes:
        version: The version of sqlverdict.
        title: The page's title.
        systems: The systems, the first one is shown first.
        cases: The cases.
        results: One a system, in the same order.
        words: The meanings of parts, verdicts, reasons, situations, features ..., by kind.
        policies: The decision of each policy by situation, and ``ask`` where it asks a judge.
        comparison: Tables about several systems.
        remarks: What makes the comparison weaker, and which systems cannot be told apart.
        suspects: Golds under suspicion, where an audit was made.
        suspect_notes: What an audit could not look at.
        block: How many cases a block of details holds.
        golds: The systems under other golds, where there are some.
    """

    version: str
    title: str
    systems: tuple[PageSystem, ...]
    cases: CaseColumns
    results: tuple[ResultColumns, ...]
    words: Mapping[str, Mapping[str, str]]
    policies: Mapping[str, Mapping[str, str]]
    comparison: tuple[PageTable, ...]
    remarks: tuple[str, ...]
    suspects: tuple[PageSuspect, ...] | None
    suspect_notes: tuple[str, ...]
    block: int
    golds: PageGolds | None = None


class PageDocument(Struct, frozen=True):
    """The index, and the details of the cases in blocks.

    Attributes:
        index: What the page reads when it opens.
        blocks: JSON texts. Each is a list with an entry per case, and that a list with an entry a
            system: a :class:`~sqlverdict.report.html.details.CaseDetail`, or ``null``.
    """

    index: PageIndex
    blocks: tuple[Raw, ...]
