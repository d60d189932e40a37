"""build(): from answerable cases to train, validation and a test with unanswerable questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlverdict.abstain.benchmark.chance import shuffled
from sqlverdict.abstain.benchmark.lint import SPLIT_TAG
from sqlverdict.abstain.benchmark.meaning import Meanings, Tell, find_meanings
from sqlverdict.abstain.benchmark.question_pool import PoolQuestion
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords, schemas_of
from sqlverdict.abstain.benchmark.splits import (
    PARTS,
    Part,
    Split,
    SplitItem,
    SplitPlan,
    joined,
    split_by_database,
    split_by_template,
)
from sqlverdict.abstain.benchmark.templates import Template, template_of
from sqlverdict.abstain.benchmark.unanswerable import (
    TYPE_TAG,
    TYPES,
    apportion,
    case_of,
    choose,
    shortfalls,
    usable_types,
)
from sqlverdict.abstain.benchmark.wording import RewordedQuestions, reword
from sqlverdict.abstain.benchmark.words import same_wording
from sqlverdict.abstain.method import Tools
from sqlverdict.errors import BenchmarkError, OptionName
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.text import count, few_of
from sqlverdict.parse.hardness import trustsql_hardness
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case


@dataclass(frozen=True)
class Material:
    """What a benchmark is built from.

    Attributes:
        cases: The cases that are split. Unanswerable ones among them go to test as they are.
        train: Across databases: the cases that stay train.
        schemas: Tables by database, where they are not to be read from the database files.
        pool: Questions from elsewhere.
    """

    cases: Sequence[Case]
    train: Sequence[Case] = ()
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    pool: Sequence[PoolQuestion] = ()


@dataclass(frozen=True)
class Recipe:
    """How a benchmark is built.

    Attributes:
        plan: How questions and templates are split, and the seed.
        cross_database: Split by database instead.
        unanswerable: Unanswerable questions in test, as a share of the answerable ones.
        types: The types to make; all where not given.
        proofs: Whether templates that mean the same are found by proof, and count as one.
    """

    plan: SplitPlan = field(default_factory=SplitPlan)
    cross_database: bool = False
    unanswerable: float = 1.0
    types: tuple[str, ...] = ()
    proofs: bool = True


@dataclass(frozen=True)
class BuiltBenchmark:
    """A benchmark.

    Attributes:
        parts: The cases of each part, tagged.
        schemas: The tables of each database.
        templates: The template of each answerable case that was split, by its id.
        meanings: Which templates mean the same.
        template_parts: The part that each template, by its class, is kept for.
        left_out: How many cases are in no part.
        lacking: By database and type, how many unanswerable questions a type has too few there.
        reworded: What a language model made of the unanswerable questions.
        notes: What a user should know.
    """

    parts: Mapping[Part, tuple[Case, ...]]
    schemas: Mapping[str, Schema]
    templates: Mapping[str, Template]
    meanings: Meanings
    template_parts: Mapping[str, Part]
    left_out: int = 0
    lacking: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    reworded: RewordedQuestions | None = None
    notes: tuple[str, ...] = ()

    @property
    def cases(self) -> list[Case]:
        """All cases, part by part."""
        return [case for part in PARTS for case in self.parts[part]]


def build_benchmark(
    material: Material,
    recipe: Recipe | None = None,
    *,
    tools: Tools | None = None,
    runner: QueryRunner | None = None,
    tell: Tell | None = None,
) -> BuiltBenchmark:
    """Build a benchmark.

    Args:
        material: What from.
        recipe: How.
        tools: A language model that says unanswerable questions in natural words; without one
            the rules' own words stay.
        runner: Runs the readings of ambiguous questions; without one there are none.
        tell: Told how far it is.

    Raises:
        BenchmarkError: two cases share an id, there is no answerable question, or databases of
            train are among those to be split.
        UsageError: there are too few databases to split.
        Interrupted: the model's cost limit is reached.
    """
    recipe = recipe or Recipe()
    tell = tell or _silent
    answerable = [case for case in material.cases if case.answerable]
    _check(material, answerable)
    schemas = schemas_of([*material.cases, *material.train], material.schemas)
    templates, levels = _templates(answerable, schemas, tell)
    every = [template for own in templates.values() for template in own]
    meanings = find_meanings(every, schemas if recipe.proofs else {}, tell=tell)
    notes: list[str] = []
    template_parts: dict[str, Part] = {}
    left_out = 0
    if recipe.cross_database:
        placed = _by_database(material, answerable, recipe)
    else:
        split, template_parts = _by_template(answerable, templates, meanings, recipe.plan)
        placed = {case.id: split.parts[case.id] for case in answerable}
        left_out = sum(part is None for part in placed.values())
    parts: dict[Part, list[Case]] = {part: [] for part in PARTS}
    classes = {case_id: _classes(own, meanings) for case_id, own in templates.items()}
    known = {own for c in answerable if placed[c.id] == "train" for own in classes[c.id]}
    for case in answerable:
        part = placed[case.id]
        if part is not None:
            own = classes[case.id]
            seen = any(each in known for each in own)
            parts[part].append(_tagged(case, part, levels[case.golds[0]], own[0], seen))
    seed = recipe.plan.seed
    parts = {part: shuffled(own, seed, part, key=lambda c: c.id) for part, own in parts.items()}
    if recipe.cross_database:
        parts["train"] = list(_train(material.train, tell))
    others = _unanswerable(material, recipe, parts, schemas, tools, runner)
    every_case = [*parts["test"], *others.cases]
    parts["test"] = shuffled(every_case, seed, "test", key=lambda case: case.id)
    lacking = sorted({case.db_id for case in answerable} - set(schemas))
    if lacking:
        notes.append(
            f"no schema for {count(len(lacking), 'database')} ({few_of(lacking)}): no questions "
            "about columns are made there, and nothing is proved; give their schema (option schema)"
        )
    return BuiltBenchmark(
        {part: tuple(own) for part, own in parts.items()},
        schemas,
        {case_id: own[0] for case_id, own in templates.items()},
        meanings,
        template_parts,
        left_out,
        others.lacking,
        others.reworded,
        (*notes, *others.notes),
    )


def _silent(what: str, done: int, total: int) -> None:
    del what, done, total


def _check(material: Material, answerable: Sequence[Case]) -> None:
    if not any(case.question.strip() for case in answerable):
        raise BenchmarkError(
            f"found {count(len(answerable), 'answerable case')} and no question among them. "
            "Expected cases with questions and gold queries; a bare gold file has none.",
            reason="missing_field",
        )
    times = Counter(case.id for case in (*material.cases, *material.train))
    twice = [case_id for case_id, count in times.items() if count > 1]
    if twice:
        raise BenchmarkError(
            f"the ids {few_of(twice)} occur more than once. Expected each once.", reason="repeated"
        )


def _templates(
    cases: Sequence[Case], schemas: Mapping[str, Schema], tell: Tell
) -> tuple[dict[str, tuple[Template, ...]], dict[str, str | None]]:
    """The templates of each case's golds, and how hard each first gold is.

    In one go: a gold is parsed once for both.
    """
    by_sql: dict[tuple[str, str], Template] = {}
    by_case: dict[str, tuple[Template, ...]] = {}
    levels: dict[str, str | None] = {}
    for done, case in enumerate(cases):
        tell("masking values", done, len(cases))
        for sql in case.golds:
            if (case.db_id, sql) not in by_sql:
                by_sql[case.db_id, sql] = template_of(sql, case.db_id, schemas.get(case.db_id))
                levels[sql] = trustsql_hardness(sql)
        by_case[case.id] = tuple(by_sql[case.db_id, sql] for sql in case.golds)
    return by_case, levels


def _train(cases: Sequence[Case], tell: Tell) -> Iterator[Case]:
    """Across databases train stays as it is, but for its tags and hardness."""
    levels: dict[str, str | None] = {}
    for done, case in enumerate(cases):
        tell("hardness of train", done, len(cases))
        for sql in case.golds[:1]:
            if sql not in levels:
                levels[sql] = trustsql_hardness(sql)
        yield _tagged(case, "train", levels[case.golds[0]] if case.golds else None)


def _classes(templates: Sequence[Template], meanings: Meanings) -> list[str]:
    return [meanings.classes[template.id] for template in templates]


def _by_template(
    cases: Sequence[Case],
    templates: Mapping[str, Sequence[Template]],
    meanings: Meanings,
    plan: SplitPlan,
) -> tuple[Split, dict[str, Part]]:
    """The split, and the part that each meaning is kept for."""
    # A case with several golds must not have one of them seen: their templates go together.
    ties = [
        (meanings.classes[first.id], meanings.classes[other.id])
        for first, *rest in templates.values()
        for other in rest
    ]
    leader = joined(ties, set(meanings.classes.values()))
    sources = {case.id: case for case in cases}
    items = [
        SplitItem(
            case.id,
            # A paraphrase stays with its question: both have the same gold.
            _wording(sources.get(case.tags.get("made_from", ""), case)),
            leader[meanings.classes[templates[case.id][0].id]],
        )
        for case in cases
    ]
    split = split_by_template(items, plan)
    return split, {each: split.template_parts[first] for each, first in leader.items()}


def _wording(case: Case) -> str:
    """What is the same for questions that are one; one without words stands for itself."""
    return f"{case.db_id} {same_wording(case.question) or case.id} {case.knowledge}"


def _by_database(
    material: Material, cases: Sequence[Case], recipe: Recipe
) -> dict[str, Part | None]:
    shared = sorted({case.db_id for case in material.train} & {case.db_id for case in cases})
    if shared:
        raise BenchmarkError(
            f"train and the other split share {count(len(shared), 'database')} ({few_of(shared)}): "
            "its questions would not all be unseen. Split by question and template instead, or "
            "leave train out (",
            OptionName("train_split", "none"),
            ").",
            reason="conflict",
        )
    sizes = Counter(case.db_id for case in cases)
    halves = split_by_database(sizes, recipe.plan.seed)
    return {case.id: halves[case.db_id] for case in cases}


def _tagged(
    case: Case, part: Part, level: str | None, template: str = "", seen: bool | None = None
) -> Case:
    """The case with its part, its template and TrustSQL's hardness."""
    tags = dict(case.tags) | {SPLIT_TAG: part}
    if template:
        if "template" in tags:
            tags["source_template"] = tags["template"]
        tags["template"] = template
    if seen is not None:
        tags["seen"] = "seen" if seen else "unseen"
    if case.difficulty:
        tags["source_difficulty"] = case.difficulty
    return replace(case, difficulty=level, tags=tags)


@dataclass(frozen=True)
class _Unanswerable:
    """The unanswerable questions of test, and what is to be said of them."""

    cases: list[Case]
    notes: list[str]
    lacking: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    reworded: RewordedQuestions | None = None


def _unanswerable(
    material: Material,
    recipe: Recipe,
    parts: Mapping[Part, Sequence[Case]],
    schemas: Mapping[str, Schema],
    tools: Tools | None,
    runner: QueryRunner | None,
) -> _Unanswerable:
    """The unanswerable questions of test: those that were there, and new ones."""
    questions = Counter(case.db_id for case in parts["test"])
    unanswerable = [case for case in material.cases if not case.answerable]
    reused = []
    if recipe.unanswerable:
        reused = [case for case in unanswerable if case.db_id in questions]
    notes = []
    if len(reused) < len(unanswerable):
        out = count(len(unanswerable) - len(reused), "unanswerable question")
        notes.append(f"left out: {out} of the source")
    total = round(recipe.unanswerable * len(parts["test"]))
    have = Counter(case.db_id for case in reused)
    lacking = {db: max(0, n - have[db]) for db, n in apportion(total, questions).items()}
    # Where a database has more than its share already, the others get fewer.
    quotas = apportion(max(0, total - len(reused)), lacking)
    cases = [_tagged(case, "test", None) for case in reused]
    if not any(quotas.values()):
        return _Unanswerable(cases, notes)
    sources = _sources(material, schemas, set(questions), recipe, runner)
    if recipe.types:
        types = [TYPES.get(name.replace("-", "_")) for name in recipe.types]
    else:
        types, empty = usable_types(sources)
        notes += empty
    counts = Counter((case.db_id, case.tags.get(TYPE_TAG, "")) for case in reused)
    choice = choose(sources, quotas, types, counts)
    if choice.short:
        places = sum(choice.short.values())
        notes.append(
            f"{count(places, 'unanswerable question')} too few ({few_of(choice.short)}): no type "
            "had anything new to say there. Give more questions (option pool) or a schema (option "
            "schema)"
        )
    notes += shortfalls(choice.lacking)
    ideas, reworded = choice.ideas, None
    if tools is not None and tools.answerer is not None:
        reworded = reword(ideas, sources, tools)
        ideas = reworded.ideas
        for why, number in reworded.unchanged.items():
            notes.append(f"{count(number, 'question')} left in the rules' own words: {why}")
    files = {case.db_id: case.database for case in material.cases}
    cases += [
        _tagged(case_of(each, sources, files.get(each.idea.db_id)), "test", None) for each in ideas
    ]
    return _Unanswerable(cases, notes, choice.lacking, reworded)


def _sources(
    material: Material,
    schemas: Mapping[str, Schema],
    db_ids: Iterable[str],
    recipe: Recipe,
    runner: QueryRunner | None,
) -> QuestionSources:
    here = set(db_ids)
    known = {db_id: SchemaWords.of(schema) for db_id, schema in schemas.items()}
    every = [*material.cases, *material.train]
    return QuestionSources(
        cases=[case for case in material.cases if case.answerable and case.db_id in here],
        known={db_id: words for db_id, words in known.items() if db_id in here},
        others={db_id: words for db_id, words in known.items() if db_id not in here},
        pool=material.pool,
        chatter=[case.question for case in every if case.db_id not in here],
        seed=recipe.plan.seed,
        runner=runner,
    )
