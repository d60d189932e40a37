"""FLEX's tables 3 to 5: how far EX and judges agree with three experts on 200 pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlverdict.errors import DataError
from sqlverdict.judge.replies.conclusion import read_verdict
from sqlverdict.load.people.labels import Labels, read_labels
from sqlverdict.papers.cell import PaperCell, in_percent
from sqlverdict.papers.exhibit import Printed, grid
from sqlverdict.papers.flex.flex_files import (
    GPT_4O,
    flex_path,
    judged_pairs,
    recorded_judges,
)
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.records import Case
from sqlverdict.score.agreement.agreement import Agreement, RatedCase, agreement
from sqlverdict.score.agreement.annotators import fleiss_kappa

PAIRS = 200
"""So many pairs the paper has."""
EX, FLEX, EXPERTS = "EX", "FLEX (GPT-4o)", "three experts"
_KAPPA, _FLEISS, _FP, _FN = "kappa", "Fleiss' kappa", "false positives", "false negatives"
TABLE_3: Printed = {
    **grid(
        """
        metric             kappa  accuracy  EQ  NEQ
        EX                 62.00  81.0      79  83
        LLM-SQL-Solver     52.29  76.5      70  83
        Prometheus-2-7B    61.14  80.5      78  83
        Prometheus-2-8x7B  60.66  80.0      78  82
        FLEX (GPT-4o)      87.04  93.5      88  99
        """
    ),
    (EX, _FP): "21",
    (EX, _FN): "17",
    (EXPERTS, _FLEISS): "79.32",
}
TABLE_4: Printed = grid(
    """
    context                        kappa  accuracy  EQ  NEQ
    results where they differ      87.04  93.5      88  99
    no results                     82.06  91.0      88  94
    results everywhere             81.08  90.5      82  99
    """
)
TABLE_5: Printed = grid(
    """
    context              kappa  accuracy  EQ  NEQ
    without question     80.10  90.0      84  96
    without knowledge    79.09  89.5      82  97
    without criteria     74.08  87.0      81  93
    without gold         29.36  64.0      72  56
    """
)
_ABLATIONS: Mapping[str, str] = {
    "results where they differ": GPT_4O,
    "no results": f"{GPT_4O}-no-result",
    "without question": f"{GPT_4O}-no-question",
    "without knowledge": f"{GPT_4O}-no-hint",
    "without criteria": f"{GPT_4O}-no-criteria",
    "without gold": f"{GPT_4O}-no-gt",
}
"""The names under which FLEX's script writes the replies of each context."""


def agreement_with_experts(data: PaperData) -> Iterator[PaperCell]:
    """Table 3: EX, the recorded replies of GPT-4o, and the experts among themselves."""
    labels = expert_labels(data)
    cases = judged_pairs(data, GPT_4O)
    ex = judge_agreement(EX, cases, labels, by_results=True)
    yield from agreement_cells(ex)
    reason = _share(ex.n)
    yield PaperCell(EX, _FP, ex.fp, n=ex.eq_n, reason=reason)
    yield PaperCell(EX, _FN, ex.fn, n=ex.neq_n, reason=reason)
    yield from agreement_cells(judge_agreement(FLEX, cases, labels))
    votes = [item.votes for item in labels.items]
    rows = [[vote for vote in row if vote is not None] for row in votes]
    whole = [row for row in rows if len(row) == len(labels.annotators)]
    kappa = fleiss_kappa(whole)
    ours = in_percent(kappa)
    yield PaperCell(EXPERTS, _FLEISS, ours, n=len(whole), reason=_share(len(whole)))


def ablations(data: PaperData) -> Iterator[PaperCell]:
    """Tables 4 and 5: the contexts whose replies are in the folder."""
    labels = expert_labels(data)
    known = recorded_judges(data)
    for row, judge in _ABLATIONS.items():
        if judge in known or judge == GPT_4O:  # Half of its replies is a file that lacks.
            yield from agreement_cells(judge_agreement(row, judged_pairs(data, judge), labels))


def context_agreement(data: PaperData) -> Iterator[PaperCell]:
    """Table 4."""
    return (cell for cell in ablations(data) if (cell.row, _KAPPA) in TABLE_4)


def information_agreement(data: PaperData) -> Iterator[PaperCell]:
    """Table 5."""
    return (cell for cell in ablations(data) if (cell.row, _KAPPA) in TABLE_5)


def expert_labels(data: PaperData) -> Labels:
    """The experts' consensus, of which 0.5 counts as wrong, and their votes."""
    return read_labels(flex_path(data, "agreement", "experts_agreement_200.csv"), half="0")


def judge_agreement(
    name: str, cases: Sequence[Case], labels: Labels, *, by_results: bool = False
) -> Agreement:
    """How far a judge's replies agree with the experts.

    Args:
        name: What it is called.
        cases: The pairs with its replies.
        labels: What the experts say.
        by_results: Compare EX, which is whether the results match, instead of the replies.

    Raises:
        DataError: pairs and labels are not of the same number, so that places do not pair them.
    """
    by_id = {item.id: item.value for item in labels.items}
    if {case.id for case in cases} != set(by_id):
        raise DataError(
            f"{name}: {len(cases)} pairs and {len(by_id)} labels. FLEX pairs both by their place: "
            f"expected a label for each pair, in files of the same part",
            reason="mismatch",
        )
    rated = []
    for case in cases:
        label, equal = by_id[case.id], case.recorded is not None and case.recorded.equal
        opinion = equal if by_results else opinion_of_reply(case)
        if label is not None:
            rated.append(RatedCase(case.id, label == 1, opinion, equal))
    return agreement(name, rated)


def opinion_of_reply(case: Case) -> bool | None:
    """What a recorded reply says by our own reading; else the verdict that FLEX recorded."""
    if case.recorded is None:
        return None
    for reply in case.recorded.replies:
        verdict = read_verdict(reply).value
        if verdict is not None:
            return verdict
    verdicts = [value for value in case.recorded.verdicts.values() if value in (0.0, 1.0)]
    return bool(verdicts[0]) if verdicts else None


def agreement_cells(one: Agreement) -> Iterator[PaperCell]:
    """A row of tables 3 to 5, in percent."""
    columns = (
        (_KAPPA, one.kappa, one.n),
        ("accuracy", one.accuracy, one.n),
        ("EQ", one.eq_accuracy, one.eq_n),
        ("NEQ", one.neq_accuracy, one.neq_n),
    )
    for column, value, n in columns:
        ours = in_percent(value)
        yield PaperCell(one.metric, column, ours, n=n, reason=_share(one.n))


def _share(n: int) -> str:
    return f"{n} of the {PAIRS} pairs are at hand" if n < PAIRS else ""
