"""The judges' prompts, ``prompts/*.md``, and what they may show."""

from __future__ import annotations

from sqlverdict.llm.prompt import PromptFolder
from sqlverdict.parse.tokens import word_set

FIELDS = word_set(
    "schema question knowledge gold prediction gold_table prediction_table witness relations notes "
    "facts unmatched sizes columns asked left_out "
    "equal differ open criteria structured sqlite dialect attempt attempts earlier"
)
"""What a judge's template may name."""

PROMPTS = PromptFolder("sqlverdict.judge", FIELDS)
