"""What stages find out about a case: a tagged union of frozen structs.

Evidence is data: ``verdicts.py`` alone makes a verdict of it. Each type holds one kind of it, and
readers decide by ``match``:

=================  ===========================================================================
:class:`Proved`    the queries agree on every legal database, by a derivation
:class:`Refuted`   they differ on a small database, the witness
:class:`Tested`    no difference was found on some databases
:class:`Related`   the answers differ, and how
:class:`Failed`    a query gave no answer
:class:`Judged`    an opinion of a judge
:class:`Undecided` nothing could be said, and why
=================  ===========================================================================

Four further types decide nothing. They have fields of their own, which would be empty in nearly
every :class:`Undecided`: :class:`Signs` of mistakes in either query, what a record adds
(:class:`Recorded`), the question for a judge that was not asked (:class:`OpenQuestion`), and a
proof beside a refutation (:class:`Contradicted`), which stops the run.

The run log holds evidence as JSON objects with the field ``type``; fields with their default
value are left out. msgspec looks at the identity of a value for that, so a default is empty, a
small number or made by a factory: the same evidence has the same bytes in every process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, Literal

from msgspec import Struct, field

from sqlverdict.evidence_parts import (
    AnswerExcerpt,
    AnswerShapes,
    GeneratedRelation,
    LoggedSign,
    SharedProof,
    StageFailure,
    StepChange,
    TableExcerpt,
    Tag,
)
from sqlverdict.reasons import Fault, Reason


class EvidenceBase(Struct, frozen=True, omit_defaults=True, tag_field="type", tag=str.lower):
    """What all types of evidence have.

    Attributes:
        by: The stage or member that found it.
        reasons: Reason codes for what does not agree or could not be found out.
        message: What happened, in words.
        cut_by_time: A limit in seconds, or a process that died, decided it: another run may differ.
        gold_reads_clock: The gold's answer holds for the day of the run.
        both_empty: Neither query returns a value: no row, or NULLs alone.
        may_change: A query reads the clock or uses chance: another run may differ.
    """

    by: str
    reasons: tuple[Reason, ...] = ()
    message: str = ""
    cut_by_time: bool = False
    gold_reads_clock: bool = False
    both_empty: bool = False
    may_change: bool = False


class Proved(EvidenceBase, frozen=True, kw_only=True):
    """The queries agree on every legal database, up to the choices that both leave open.

    Attributes:
        profile: The profile of rules.
        trust: How far the weakest rule is trusted; empty: no rule is used.
        rules: The rules, in order of their first use.
        steps: The derivation, a sentence each.
        changes: The SQL that each of the first steps changes; empty where nothing explains it.
        form: What both queries are.
        unchecked: Facts that the proof uses and the real data could not be asked about.
        open_choices: What both queries leave to the engine: they agree up to that.
        same_text: The two are the same text; there is no derivation.
    """

    profile: str = ""
    trust: str = ""
    rules: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    changes: tuple[StepChange, ...] = ()
    form: str = ""
    unchecked: tuple[str, ...] = ()
    open_choices: tuple[str, ...] = ()
    same_text: bool = False


class Refuted(EvidenceBase, frozen=True, kw_only=True):
    """The queries differ on a small legal database, the witness.

    Attributes:
        grade: How usual its data are; see ``docs/refute.md``.
        sentence: When they differ, in words.
        broken: What the real data show otherwise.
        origin: Where it came from: the search, a bank, the real data.
        databases: How many databases were tried until they differed.
        size: Its rows.
        rows: Its tables, by name.
        deciding_rows: The rows, by table and number from 0, on which only one of the answers
            depends; empty where there is none such.
        gold: What the gold returns on it.
        prediction: What the prediction returns on it.
        kind: ``undetermined_prediction`` where the prediction leaves open what the gold decides.
        other: What the prediction may return as well, by another legal order of rows.
        null_in_aggregate: Whether a NULL changes the number that is returned.
        file: The witness's file in the run's folder; empty: none was written.
        tags: What differs between the queries; ``None``: not looked at.
        in_words: What the prediction does otherwise, such as ``selects name instead of city``;
            empty where nothing can be said for sure.
    """

    grade: str
    sentence: str = ""
    broken: tuple[str, ...] = ()
    origin: str = ""
    databases: int = 0
    size: int | None = None
    rows: Mapping[str, TableExcerpt] = {}
    deciding_rows: Mapping[str, tuple[int, ...]] = {}
    gold: AnswerExcerpt = field(default_factory=AnswerExcerpt)
    prediction: AnswerExcerpt = field(default_factory=AnswerExcerpt)
    kind: Literal["", "undetermined_prediction"] = ""
    other: AnswerExcerpt | None = None
    null_in_aggregate: bool = False
    file: str = ""
    tags: tuple[Tag, ...] | None = None
    in_words: str = ""


class Tested(EvidenceBase, frozen=True, kw_only=True):
    """No difference was found on some databases; never "equal".

    Attributes:
        databases: On how many.
        undetermined: On how many of them an answer depends on the order of rows.
        blame: ``prediction`` where its text alone stood against more.
        recorded: Whether a record says so, and nothing was run.
        constant_prediction: Whether the prediction reads no row, and a gold does.
    """

    # pytest takes a class of such a name for a test.
    __test__: ClassVar[bool] = False

    databases: int = 1
    undetermined: int = 0
    blame: str = ""
    recorded: bool = False
    constant_prediction: bool = False


class Undecided(EvidenceBase, frozen=True, kw_only=True):
    """Nothing could be said, and why.

    Attributes:
        fault: Whose fault it is, where the case is unscored.
        blame: Whose text stands against a search: ``gold``, or ``prediction`` where it does alone;
            empty where no text does.
        declared: A proof under the declared schema that is not used.
        broken: The facts of it that the real data break.
        failure: The error of ours.
        metric: The one metric that has no value here.
    """

    fault: Fault | None = None
    blame: str = ""
    declared: Proved | None = None
    broken: tuple[str, ...] = ()
    failure: StageFailure | None = None
    metric: str = ""


Searched = Refuted | Tested | Undecided
"""What a search for a witness gives."""


class Relation(Struct, frozen=True, omit_defaults=True):
    """How an unequal answer relates to the gold's.

    Attributes:
        kind: The relation's name.
        detail: Its proof, as the log holds it. ``compare.relation.read_proof`` gives it in the
            type that the relation's own file states; ``proof`` has what several share, typed.
        broken: An ordinary database on which the relation does not hold.
        elsewhere: What the search for such a database gave otherwise.

    Examples:
        >>> result = sv.check(
        ...     "SELECT name FROM item", "SELECT name, id FROM item", db="shop.sqlite"
        ... )
        >>> [relation.kind for relation in result.relations]
        ['extra_columns']
    """

    kind: str
    detail: Mapping[str, object] = {}
    broken: Refuted | None = None
    elsewhere: Searched | None = None

    @property
    def proof(self) -> SharedProof:
        """The fields of the proof that several relations share."""
        return SharedProof.read(self.detail)


class Related(EvidenceBase, frozen=True, kw_only=True):
    """The answers differ, and how.

    Attributes:
        shape: The sizes of both answers; ``None``: the answers are not kept.
        relations: The relations between them, the most precise first.
        recorded: Whether a record says so, and nothing was run.
        whole: Whether the record holds both answers whole.
        ordered: Whether the answers keep the order of their rows.
        unsearched: A search for a database where the relation breaks was not made to its end.
        generated: How the queries relate on generated databases.
        tags: What differs between the queries; ``None``: not looked at.
        in_words: What the prediction does otherwise, such as ``selects name instead of city``;
            empty where nothing can be said for sure.
    """

    shape: AnswerShapes | None = None
    relations: tuple[Relation, ...] = ()
    recorded: bool = False
    whole: bool = True
    ordered: bool = True
    unsearched: bool = False
    generated: GeneratedRelation | None = None
    tags: tuple[Tag, ...] | None = None
    in_words: str = ""


class Failed(EvidenceBase, frozen=True, kw_only=True):
    """A query gave no answer.

    Attributes:
        query: Which one. A failing gold leaves the case unscored.
        failure: Our own error, where the prediction's text is beyond us.
        tags: What differs between the queries; ``None``: not looked at.
        in_words: What the prediction does otherwise, such as ``selects name instead of city``;
            empty where nothing can be said for sure.
    """

    query: Literal["gold", "prediction"]
    failure: StageFailure | None = None
    tags: tuple[Tag, ...] | None = None
    in_words: str = ""


class Judged(EvidenceBase, frozen=True, kw_only=True):
    """An opinion of a judge; ``by`` is its name.

    Attributes:
        correct: Whether the prediction answers the question; ``None``: no verdict was had.
        metrics: The metrics that asked.
        judge: The judge's name and version.
        model: The model.
        explanation: Its words, or why there is no verdict.
        calls: How many replies were read.
        cached: How many of them were at hand.
        tokens: Tokens read and written.
        cost: US dollars, for cached replies those of the time they were paid for; ``None``: some
            price is unknown. What a run spent is in its account.
        situation: What was open.
        flags: What is odd about the verdict.
        categories: Labels of errors or differences.
        category_notes: The explanation of each label.
        votes: A panel's votes.
        notes: What could not be told to the judge.
        repeats: What it said each time, where it was asked several times.
    """

    correct: bool | None = None
    metrics: tuple[str, ...] = field(default_factory=lambda: ("verdict",))
    judge: str = ""
    model: str = ""
    explanation: str = ""
    calls: int = 0
    cached: int = 0
    tokens: tuple[int, int] = field(default_factory=lambda: (0, 0))
    cost: float | None = None
    situation: str = ""
    flags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    category_notes: Mapping[str, str] = {}
    votes: tuple[bool | None, ...] = ()
    notes: tuple[str, ...] = ()
    repeats: tuple[bool | None, ...] = ()

    @property
    def unanimous(self) -> bool:
        """Whether a panel gave several votes, all of them could be read, and all agree."""
        return len(self.votes) > 1 and None not in self.votes and len(set(self.votes)) == 1


class Contradicted(EvidenceBase, frozen=True, kw_only=True):
    """A proof, and a refutation of it: a bug of ours.

    Attributes:
        against: What refutes the proof: a ``witness``, or the ``real`` database.
        file: The reproduction, in the run's folder; empty: it was not saved.
    """

    against: Literal["witness", "real"]
    file: str = ""


class Signs(EvidenceBase, frozen=True, kw_only=True):
    """Signs of mistakes in either query by itself.

    Attributes:
        gold: Those of the gold.
        prediction: Those of the prediction.
        says_nothing: Why the prediction's want of signs is none of its merit: it was
            ``not_read``, or is a ``constant``; empty: it is.
        agrees_with_mend: Whether the answers agree once what the signs show is mended in the gold.
    """

    gold: tuple[LoggedSign, ...] = ()
    prediction: tuple[LoggedSign, ...] = ()
    agrees_with_mend: bool = False
    says_nothing: Literal["", "not_read", "constant"] = ""


class Recorded(EvidenceBase, frozen=True, kw_only=True):
    """What a case's record adds to what was found out here.

    Attributes:
        verdicts: What judges said, by name: 1 right, 0 wrong, anything between: no opinion.
        equal: Whether the results matched, as recorded; ``None``: the record does not say.
        differs: Whether the queries were run, and the record says otherwise.
        unused: Whether the record is about another prediction.
    """

    verdicts: Mapping[str, float] = {}
    equal: bool | None = None
    differs: bool = False
    unused: bool = False


class OpenQuestion(EvidenceBase, frozen=True, kw_only=True, tag="open_question"):
    """What a judge would have been asked, in a run without one.

    Attributes:
        question: The question.
        situation: What the evidence amounts to.
    """

    question: str
    situation: str = ""


Evidence = (
    Proved
    | Refuted
    | Tested
    | Related
    | Failed
    | Judged
    | Undecided
    | Contradicted
    | Signs
    | Recorded
    | OpenQuestion
)
"""One thing a stage found out."""


def fault_of(evidence: Evidence) -> Fault | None:
    """Whose fault it is that nothing could be found out; ``None``: nobody's, or the model's."""
    match evidence:
        case Undecided(fault=fault):
            return fault
        case Failed(query="gold"):
            return Fault.GOLD
        case Contradicted():
            return Fault.TOOLKIT
    return None


def relations_of(evidence: Iterable[Evidence]) -> list[Relation]:
    """The relations between the two answers, in the order in which they were found."""
    return [
        relation for piece in evidence if isinstance(piece, Related) for relation in piece.relations
    ]
