"""FLEX's own prompts, read from a clone of its repository (github.com/HeegyuKim/FLEX).

Its prompts are texts in Python files, with placeholders such as ``{pred_query}``; functions put
them together and add a note and hints. Nothing of theirs is in this package: the words come from
the clone, and here stands where they are and which of our fields each placeholder is.
Contexts that an ablation leaves parts out of have templates of their own there, and have them here.

A prompt holds the texts of a case as FLEX shows them, without our mark before each line. What could
be taken for a verdict, and comments in queries, are made harmless all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sqlverdict.llm.prompt import Prompt, author_prompt
from sqlverdict.llm.prompt_source import PromptSource, Value, check_fields

BASE = "utils/judge/base.py"
ABLATIONS = "utils/judge/flex.py"
RUBRIC = "utils/judge/prometheus.py"
SOLVER = "utils/judge/llm_sql_solver.py"
TEXTS = "utils/prompts.py"
FILES = (BASE, ABLATIONS, RUBRIC, SOLVER, TEXTS)

_NAMES: Mapping[str, Value] = {
    "schema": "{{schema}}",
    "question": "{{question}}",
    "pred_query": "{{prediction}}",
    "pred_result": "{{prediction_table}}",
    "gt_query": "{{gold}}",
    "gt_result": "{{gold_table}}",
    "hint": "{{knowledge}}",
}
"""What FLEX's names are in our templates."""
_ALONE = ("schema", "question", "prediction")
_CASE = (*_ALONE, "gold")
_TABLES = ("prediction_table", "gold_table")


def flex_prompt(name: str, clone: Path) -> Prompt | None:
    """FLEX's prompt for one of ours; ``None`` where FLEX has none.

    Raises:
        UsageError: a file, a text or a placeholder is not as in FLEX's repository.
    """
    make = _PROMPTS.get(name)
    return None if make is None else make(clone)


def _match(clone: Path) -> Prompt:
    """Where the results match: no results, unless an ablation shows them."""
    source, ablations = PromptSource(clone / BASE), PromptSource(clone / ABLATIONS)
    user = _either(
        "gold",
        _either(
            "gold_table",
            _user(source, source.text("JUDGE_PROMPT_STRICT"), (*_CASE, "gold_table"), True),
            _user(source, source.text("JUDGE_PROMPT_STRICT_NORESULT"), _CASE, True),
        ),
        _user(source, ablations.text("JUDGE_PROMPT_STRICT_NOGT"), _ALONE, True),
    )
    system = _either(
        "criteria",
        source.text("SYSTEM_STRICT_SIMPLE"),
        ablations.text("SYSTEM_STRICT_SIMPLE_NO_CRITERIA"),
    )
    return author_prompt("flex_eq", system, user)


def _mismatch(clone: Path) -> Prompt:
    """Where the results differ: both are shown."""
    source, ablations = PromptSource(clone / BASE), PromptSource(clone / ABLATIONS)
    user = _either(
        "gold",
        _either(
            "prediction_table",
            _user(source, source.text("JUDGE_PROMPT_LOOSE"), (*_CASE, *_TABLES), False),
            _user(source, ablations.text("JUDGE_PROMPT_LOOSE_NORESULT"), _CASE, False),
        ),
        _user(source, ablations.text("JUDGE_PROMPT_LOOSE_NOGT"), (*_ALONE, _TABLES[0]), False),
    )
    system = _either(
        "criteria",
        source.text("SYSTEM_LOOSE_SIMPLE"),
        ablations.text("SYSTEM_LOOSE_SIMPLE_NO_CRITERIA"),
    )
    return author_prompt("flex_neq", system, user)


def _user(source: PromptSource, template: str, fields: Sequence[str], strict: bool) -> str:
    """The user's part: the template, the note about the results, and the hints.

    Args:
        source: The file with the function that puts them together.
        template: One of FLEX's templates.
        fields: What it must show; without the gold there is no note about its results.
        strict: Whether the results match.
    """
    names: dict[str, Value] = {
        **_NAMES,
        "JUDGE_PROMPT": template,
        "strict": strict,
        "INCLUDE_EX_HINT": "gold" in fields,
    }
    with_hint, without = (
        source.follow("LLMJudge.judge", {**names, "USE_HINT": hints}, "prompt")
        for hints in (True, False)
    )
    return _either("knowledge", with_hint, check_fields(without, fields, source.path))


def _categories(name: str, system: str) -> Callable[[Path], Prompt]:
    def make(clone: Path) -> Prompt:
        source = PromptSource(clone / BASE)
        names = {**_NAMES, "llm_judgment": "{{earlier}}"}
        with_hint, without = (
            source.follow("LLMJudge.categorize_error", {**names, "hint": hint}, "prompt")
            for hint in (_NAMES["hint"], "")
        )
        check_fields(without, (*_CASE, "earlier"), source.path)
        user = _either("knowledge", with_hint, without)
        return author_prompt(name, source.text(system), user)

    return make


def _solver(name: str, constant: str) -> Callable[[Path], Prompt]:
    def make(clone: Path) -> Prompt:
        template = PromptSource(clone / TEXTS).text(constant)
        names = {**_NAMES, "prompt_format": template}
        user = PromptSource(clone / SOLVER).follow("judge", names, "prompt")
        check_fields(user, ("schema", "prediction", "gold"), clone / TEXTS)
        return author_prompt(name, "", user)

    return make


def _rubric(clone: Path) -> Prompt:
    source = PromptSource(clone / RUBRIC)
    names = {**_NAMES, "DB_HINTS": PromptSource(clone / BASE).text("DB_HINTS")}
    equal, other = (
        check_fields(
            source.follow(
                "PrometheusOpenAIJudge.judge", {**names, "strict": strict}, "user_content"
            ),
            (*_CASE, *_TABLES),
            source.path,
        )
        for strict in (True, False)
    )
    return author_prompt("rubric", source.text("ABS_SYSTEM_PROMPT"), _either("equal", equal, other))


def _either(field: str, yes: str, no: str) -> str:
    """One text where a field has a value, and another where it has none."""
    return f"{{{{#{field}}}}}{yes}{{{{/{field}}}}}{{{{^{field}}}}}{no}{{{{/{field}}}}}"


_PROMPTS: Mapping[str, Callable[[Path], Prompt]] = {
    "flex_eq": _match,
    "flex_neq": _mismatch,
    "categories_fatal": _categories("categories_fatal", "ERROR_CATEGORY_FP_TN"),
    "categories_minor": _categories("categories_minor", "ERROR_CATEGORY_FN"),
    "solver_miniature": _solver("solver_miniature", "LLM_SQL_SOLVER_MiniatureAndMull"),
    "solver_explain": _solver("solver_explain", "LLM_SQL_SOLVER_ExplainAndCompare"),
    "rubric": _rubric,
}
