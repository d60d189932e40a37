"""Proposals for a gold that may be wrong: up to three candidates that differ from it.

Candidates come from ``repairs/``. Those with the same answer are one: an edit stands for the
systems that answer alike. Edits are tried on the gold, and on the query of the largest group of two
or more systems.

The order is a plain rule: those last that show a strong sign that the gold does not show; then by
how many systems answer so, if two or more do; then by how many of these are proved equal; then by
the signs that they remove, less those that they add; then single systems before edits that no
system answers; then the shorter text.

A candidate that is proved equal to the gold is not proposed. An edit has to change the answer on
the real database, a system's query has to change it or to have a witness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from msgspec import structs

from sqlverdict.api.calls import refute_pair
from sqlverdict.api.pair_result import PairResult
from sqlverdict.api.scorer import Scorer
from sqlverdict.audit.gold_report import SystemAnswer, query_key
from sqlverdict.audit.proposal import Proposal
from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject
from sqlverdict.audit.repairs.system_answers import NAME as SYSTEMS
from sqlverdict.compare.difference import AnswerDifference, answer_difference
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.errors import SqlverdictError
from sqlverdict.evidence import Proved, Refuted, Tested
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.execute.session import Run
from sqlverdict.parse.qualified import with_plain_names
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Answer, Query, Result
from sqlverdict.refute.explain.evidence import refutation_evidence
from sqlverdict.runlog.run import Run as EvaluatedRun
from sqlverdict.signs.look import signs_of
from sqlverdict.signs.sign import SIGNS, Subject

MOST = 3
"""How many candidates are proposed for one gold."""
DATABASES = 160
"""How many databases a search for a witness tries."""


_ORDINARY = frozenset({"ordinary", "ungraded"})
"""Grades of a witness that is enough where the real database answers alike."""


def metric_of(run: EvaluatedRun) -> str:
    """The comparison of a run's answers by name, as its ``ex`` makes it."""
    labels = [name for name in run.manifest.metrics if name.startswith("ex[")]
    preset = run.manifest.preset or DEFAULT_PRESET
    return f"ex[{preset}]" if "ex" in run.manifest.metrics or not labels else labels[0]


@dataclass(frozen=True)
class _Option:
    """A candidate with its answer, and the signs that it removes and adds."""

    candidate: CandidateGold
    answer: Answer
    removes: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()

    @property
    def is_edit(self) -> bool:
        return self.candidate.source != SYSTEMS

    @property
    def rank(self) -> tuple[object, ...]:
        """The smallest first."""
        own = self.candidate
        support = len(own.systems)
        several = support if support > 1 else 0
        proved = len(own.proved) if several else 0
        gain = len(self.removes) - len(self.adds)
        worse = any(SIGNS.get(name).strength == "strong" for name in self.adds)
        return worse, -several, -proved, -gain, -support, len(own.sql), own.sql


class Proposer:
    """Finds proposals on open databases. One thread at a time.

    Args:
        runner: Runs queries under limits.
        metric: By which systems are right or wrong; see :func:`metric_of`.
    """

    def __init__(self, runner: QueryRunner, metric: str) -> None:
        self._runner = runner
        engine, limits = runner.engine.name, runner.limits
        self._values = Scorer(metric, engine=engine, limits=limits)
        self._prover = Scorer(engine=engine, limits=limits, prove=True)
        self._search = Scorer(engine=engine, limits=limits, prove=True, refute=DATABASES)

    def close(self) -> None:
        """Close the databases that were opened here; the runner stays open."""
        self._values.close()
        self._prover.close()
        self._search.close()

    def propose(
        self, case: Result, database: str, systems: Sequence[tuple[str, str]], knowledge: str = ""
    ) -> tuple[Proposal, ...]:
        """Up to three proposals, the most probable first.

        Args:
            case: A line of a run log that says what the case is.
            database: Its database.
            systems: Each system with its query.
            knowledge: What comes with the question.

        Raises:
            SqlverdictError: the database cannot be read.
        """
        schema = self._runner.schema(database)
        known = "\n".join((*case.earlier, knowledge))
        run = partial(self._runner.run, database)

        def subject_of(sql: str) -> Subject | None:
            query = self._query(sql, database, schema)
            return None if query is None else Subject(query, schema, run, case.question, known)

        subject = subject_of(case.gold[0])
        answers = [self._answered(case, schema, run, *system) for system in systems]
        dialect = self._runner.engine_for(database).dialect
        gold = RepairSubject(subject, answers, partial(self._are_equal, database), dialect)
        options = self._options(gold, run, subject_of)
        signs = _signs(subject)
        options = [_with_signs(option, signs, subject_of) for option in options]
        # A query that fails here is wrong by every gold, and may take its whole time again.
        moving = [
            (each.system, each.result.prediction or "")
            for each in answers
            if each.answer is not None
        ]
        proposals: list[Proposal] = []
        for option in sorted(_merged(options, gold), key=lambda each: each.rank):
            proposal = self._proposal(case, database, option, moving)
            if proposal is not None:
                proposals.append(proposal)
            if len(proposals) == MOST:
                break
        return tuple(proposals)

    def _query(self, sql: str, database: str, schema: Schema) -> Query | None:
        """A query whose text an edit may write anew; ``None``: its names are not plain."""
        query = parse(sql, self._runner.engine_for(database).dialect)
        plain = with_plain_names(query, schema)
        return query if isinstance(query, Query) and plain is query else None

    def _answered(
        self, case: Result, schema: Schema, run: Run, system: str, sql: str
    ) -> SystemAnswer:
        outcome = run(sql)
        return SystemAnswer(
            system,
            structs.replace(case, prediction=sql),
            query_key(sql, schema),
            outcome if isinstance(outcome, Answer) else None,
        )

    def _are_equal(self, database: str, one: str, other: str) -> bool:
        """Whether each is proved to answer as the other: an ORDER BY too many is no difference."""
        return all(
            _is_proved(self._prover.check(gold, query, database))
            for gold, query in ((one, other), (other, one))
        )

    def _options(
        self, gold: RepairSubject, run: Run, subject_of: Callable[[str], Subject | None]
    ) -> list[_Option]:
        """The candidates that run and are not idle, each once."""
        systems = list(REPAIRS.get(SYSTEMS).look(gold))
        candidates = [*systems, *_edits(gold)]
        if systems and len(systems[0].systems) > 1:
            first = systems[0]
            candidates += [
                replace(edit, reason=f"{first.reason}; {edit.reason}")
                for edit in _edits(RepairSubject(subject_of(first.sql)))
            ]
        options: dict[str, _Option] = {}
        for candidate in candidates:
            outcome = run(candidate.sql)
            if isinstance(outcome, Answer) and not _is_idle(candidate, outcome, gold):
                options.setdefault(fold_sql(candidate.sql), _Option(candidate, outcome))
        return list(options.values())

    def _proposal(
        self, case: Result, database: str, option: _Option, systems: Sequence[tuple[str, str]]
    ) -> Proposal | None:
        """The proposal of a candidate; ``None`` where nothing shows that it differs."""
        sql = option.candidate.sql
        pair = self._search.check(case.gold, sql, database, question=case.question, id=case.id)
        if _is_proved(pair):
            return None
        before = self._runner.run(database, case.gold[0])
        matches = any(isinstance(each, Tested) and each.by == "compare" for each in pair.evidence)
        difference = None
        if isinstance(before, Answer) and not matches:
            difference = _difference(before, option.answer)
        witness = next((each for each in pair.evidence if isinstance(each, Refuted)), None)
        if witness is None and not matches and isinstance(before, Answer):
            witness = self._witness(case.gold[0], sql, database)
            if witness is not None:
                evidence = (*pair.result.evidence, witness)
                pair = replace(pair, result=structs.replace(pair.result, evidence=evidence))
        proposal = Proposal(
            option.candidate, option.removes, option.adds, pair, difference, witness
        )
        if not proposal.changes_answer and (
            option.is_edit or witness is None or witness.grade not in _ORDINARY
        ):
            return None
        moves = {name: self._move(case, sql, database, query) for name, query in systems}
        return replace(
            proposal,
            to_right=tuple(name for name, move in moves.items() if move > 0),
            to_wrong=tuple(name for name, move in moves.items() if move < 0),
        )

    def _witness(self, gold: str, sql: str, database: str) -> Refuted | None:
        """A small database on which two queries that both run differ."""
        try:
            refutation = refute_pair(
                gold, sql, db=database, instances=DATABASES, limits=self._runner.limits
            )
        except SqlverdictError:
            # A server may refuse a database of our own; the real data show the difference.
            return None
        evidence = refutation_evidence(refutation)
        return evidence if isinstance(evidence, Refuted) and not evidence.kind else None

    def _move(self, case: Result, sql: str, database: str, query: str) -> int:
        """1: the system is right by the candidate alone; -1: by the gold alone; 0: else."""
        after = self._values(sql, query, database)
        before = self._values(case.gold, query, database)
        return bool(after) - bool(before)


def _edits(query: RepairSubject) -> Iterator[CandidateGold]:
    """A query with small changes; none where it cannot be read."""
    if query.is_readable:
        for name, way in REPAIRS.items():
            if name != SYSTEMS:
                yield from way.look(query)


def _is_idle(candidate: CandidateGold, answer: Answer, gold: RepairSubject) -> bool:
    """Whether a candidate is an edit that changes nothing on the real database."""
    if candidate.source == SYSTEMS or not gold.is_readable or gold.answer is None:
        return False
    return _difference(gold.answer, answer) is None


def _is_proved(pair: PairResult) -> bool:
    return any(isinstance(piece, Proved) for piece in pair.evidence)


def _difference(before: Answer, after: Answer) -> AnswerDifference | None:
    """The rows that differ; ``None`` where both have the same, in whatever order."""
    difference = answer_difference(before, after)
    same = difference.same_rows and len(before.columns) == len(after.columns)
    return None if same else difference


def _signs(subject: Subject | None) -> frozenset[str]:
    return frozenset() if subject is None else frozenset(each.name for each in signs_of(subject))


def _with_signs(
    option: _Option, gold: frozenset[str], subject_of: Callable[[str], Subject | None]
) -> _Option:
    subject = subject_of(option.candidate.sql)
    if subject is None:
        return option
    own = _signs(subject)
    return replace(option, removes=tuple(sorted(gold - own)), adds=tuple(sorted(own - gold)))


def _merged(options: Sequence[_Option], gold: RepairSubject) -> list[_Option]:
    """One candidate for each answer: an edit before systems, which it then stands for."""
    merged: list[_Option] = []
    for option in sorted(options, key=lambda each: (not each.is_edit, each.rank)):
        same = (number for number, known in enumerate(merged) if _same_answer(known, option))
        number = next(same, None)
        if number is None:
            merged.append(option)
            continue
        known, other = merged[number].candidate, option.candidate
        if len(other.systems) > len(known.systems):
            proved = other.proved if gold.are_equal(known.sql, other.sql) else ()
            own = replace(known, systems=other.systems, proved=proved)
            merged[number] = replace(merged[number], candidate=own)
    return merged


def _same_answer(one: _Option, other: _Option) -> bool:
    pair = QueryPair(one.candidate.sql, other.candidate.sql)
    return PRESETS.get(DEFAULT_PRESET).compare(one.answer, other.answer, pair).equal is True
