"""Several systems say the same, and something else than the gold.

Shown by: two or more systems with the same query, or, where queries were run again, with the same
answer, each of which differs from the gold on the real database or on a witness.

Weight: 0.45 for two systems, 0.65 for three, 0.75 for four and more. Less where the two hold the
same values (column order, columns more or less, repeated rows, rounding ...), or where all that
the systems agree on is a lone 0 or NULL: a third. Less where it needs an unusual witness: two
thirds.

Misleads where systems share a habit, such as models trained on the same examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlverdict.audit.gold_report import GoldReport, SystemAnswer, is_rearranged
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.compare.relation import RELATIONS, relation_text
from sqlverdict.evidence import Refuted, relations_of
from sqlverdict.refute.explain.evidence import witness_record
from sqlverdict.report.one_run.case import relation_kinds

NAME = "systems_agree"
WEIGHTS = {2: 0.45, 3: 0.65}
MANY = 0.75


@SUSPICIONS.member
class SystemsAgree:
    """The largest group of systems that say the same against the gold."""

    title = "several systems agree against the gold"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """The largest group, if it has two systems."""
        against = [entry for entry in report.answers if _differs(entry)]
        largest = max(same_answers(against), key=len, default=[])
        if len(largest) < 2:
            return
        kinds = [kind for entry in largest for kind in relation_kinds(entry.result)]
        harmless = all(same_values(entry) for entry in largest)
        witness = next((w for entry in largest for w in entry.witnesses()), None)
        weight = WEIGHTS.get(len(largest), MANY)
        if harmless or _says_nothing(largest[0]):
            weight /= 3
        elif witness is not None and witness.grade not in ("ordinary", "ungraded"):
            weight *= 2 / 3
        yield Suspicion(
            NAME,
            round(weight, 3),
            _message(largest, report, harmless, witness),
            tuple(entry.system for entry in largest),
            _detail(largest, witness, kinds),
        )


def same_values(entry: SystemAnswer) -> bool:
    """Whether a relation says that the two results hold the same values.

    Where answers were not compared, queries that differ in the order of their columns alone.
    """
    kinds = relation_kinds(entry.result)
    if kinds:
        return all(RELATIONS.has(kind) and RELATIONS.get(kind).same_values for kind in kinds)
    if entry.answer is not None or entry.right is not False or entry.result.evidence:
        return False
    return is_rearranged(entry.result.gold[0], entry.result.prediction or "")


def _differs(entry: SystemAnswer) -> bool:
    if any(True for _ in entry.witnesses()):
        return True
    return entry.right is False and entry.runs


def _says_nothing(entry: SystemAnswer) -> bool:
    """Whether an answer is a lone 0 or NULL, on which different mistakes agree."""
    rows = entry.answer.rows if entry.answer is not None else None
    return rows is not None and len(rows) == 1 and not any(rows[0])


def same_answers(against: Sequence[SystemAnswer]) -> list[list[SystemAnswer]]:
    """Systems that give the same query, or the same answer where queries were run again."""
    groups: list[list[SystemAnswer]] = []
    for entry in against:
        for group in groups:
            if _same(group[0], entry):
                group.append(entry)
                break
        else:
            groups.append([entry])
    return groups


def _same(one: SystemAnswer, other: SystemAnswer) -> bool:
    if one.query == other.query:
        return True
    if one.answer is None or other.answer is None or not one.answer.rows:
        return False
    pair = QueryPair(one.result.prediction or "", other.result.prediction or "")
    return PRESETS.get(DEFAULT_PRESET).compare(one.answer, other.answer, pair).equal is True


def _message(
    group: Sequence[SystemAnswer], report: GoldReport, harmless: bool, witness: Refuted | None
) -> str:
    how = "the same query" if len({entry.query for entry in group}) == 1 else "the same answer"
    of = f"{len(group)} of {len(report.answers)} systems give {how}"
    if witness is not None:
        difference = f"which differs from the gold on a witness: {witness.sentence}"
    else:
        difference = "whose result is not the gold's"
    relations = relations_of(group[0].result.evidence) if harmless else ()
    more = f" ({'; '.join(map(relation_text, relations))})" if relations else ""
    return f"{of}, {difference}{more}"


def _detail(
    group: Sequence[SystemAnswer], witness: Refuted | None, kinds: Sequence[str]
) -> dict[str, Any]:
    detail: dict[str, Any] = {"query": group[0].result.prediction, "relations": sorted(set(kinds))}
    if witness is not None:
        fields = ("sentence", "grade", "rows", "gold", "prediction", "file")
        record = witness_record(witness)
        detail["witness"] = {name: record[name] for name in fields if name in record}
    if group[0].answer is not None:
        detail["answer"] = [list(row) for row in group[0].answer.rows[:5]]
    return detail
