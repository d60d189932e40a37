"""TrustSQL's own prompts, read from a clone of its repository (github.com/glee4810/TrustSQL).

Its prompts are texts in the Python files of ``gpt/``: a task, a question, a demonstration, and what
is asked about a query. Nothing of theirs is in this package: the words come from the clone, and
here stands where they are and which of our fields each placeholder is. There are prompts for
SQLPROMPT, DEMO, CLSPROMPT and SELFREF, and none for VERBAL and DIN-SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from sqlverdict.llm.prompt import Prompt, author_prompt
from sqlverdict.llm.prompt_source import PromptSource, check_fields

SQL = "gpt/sql_prompt.py"
LABEL = "gpt/cls_prompt.py"
ERROR = "gpt/error_prompt.py"
FILES = (SQL, LABEL, ERROR)


def trustsql_prompt(name: str, clone: Path) -> Prompt | None:
    """TrustSQL's prompt for one of ours; ``None`` where TrustSQL has none.

    Raises:
        UsageError: a file, a text or a placeholder is not as in TrustSQL's repository.
    """
    make = _PROMPTS.get(name)
    return None if make is None else make(clone)


def _few_shot(name: str, file: str) -> Callable[[Path], Prompt]:
    """A schema, the task, demonstrations and the question; other databases stand before it."""

    def make(clone: Path) -> Prompt:
        source = PromptSource(clone / file)
        task = source.text("task_prompt").strip()
        asked_last = source.pattern({"question": "{{question}}"})
        shot = source.pattern({"q": "{{question}}", "s": "{{answer}}"}).strip()
        user = (
            "{{^near}}{{demonstrations}}\n\n{{/near}}"
            f"{{{{schema}}}}\n\n{task}\n\n"
            "{{#near}}{{demonstrations}}\n\n{{/near}}"
            f"{asked_last}"
        )
        return author_prompt(name, "", user, marked=True, task=task, shot=shot)

    return make


def _look_again(clone: Path) -> Prompt:
    source = PromptSource(clone / ERROR)
    names = {
        "fields": "{{schema}}",
        "test_sample_text": "{{question}}",
        "sql": "{{sql}}",
    }
    user = source.follow("generate_error_prompt", names, "prompt")
    check_fields(user, ("schema", "question", "sql"), source.path)
    return author_prompt("selfref", "", user, marked=True)


_PROMPTS: Mapping[str, Callable[[Path], Prompt]] = {
    "sqlprompt": _few_shot("sqlprompt", SQL),
    "sqlprompt_demo": _few_shot("sqlprompt_demo", SQL),
    "clsprompt": _few_shot("clsprompt", LABEL),
    "selfref": _look_again,
}
