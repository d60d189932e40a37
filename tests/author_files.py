"""Small folders in the form of the repositories of FLEX and TrustSQL, in words of our own."""

from __future__ import annotations

from pathlib import Path

FLEX_BASE = '''
import missing_package  # reading never imports anything
raise SystemExit("these files are read, never run")

SYSTEM_STRICT_SIMPLE = """Alike on today's rows. Could that be luck?
```json
{"correct": true or false}
```
""".strip()
SYSTEM_LOOSE_SIMPLE = """Unlike on today's rows. Could that be unfair?
{"correct": true/false}""".strip()
ERROR_CATEGORY_FP_TN = """Name the faults.
{"abused_clauses": {"issued": true/false, "explanation": "why"}}"""
ERROR_CATEGORY_FN = """Name the harmless differences."""
DB_HINTS = """Notes:
- fish.roe counts eggs
"""
JUDGE_PROMPT_LOOSE = """
Tables {schema}
Asked {question}
Guess {pred_query} gives {pred_result}
Truth {gt_query} gives {gt_result}
""".strip()
JUDGE_PROMPT_STRICT = """
Tables {schema}
Asked {question}
Guess {pred_query}
Truth {gt_query}
Both give {gt_result}
""".strip()
JUDGE_CATEGORIZATION = """
Tables {schema} Asked {question} Guess {pred_query} Truth {gt_query} Ruling {judgement}
""".strip()
JUDGE_PROMPT_STRICT_NORESULT = """
Tables {schema}
Asked {question}
Guess {pred_query}
Truth {gt_query}
""".strip()


class LLMJudge():
    USE_HINT = True
    INCLUDE_EX_HINT = True

    def judge(self, schema, question, pred_query, pred_result, gt_query, gt_result, hint=None,
              verbose=False, strict=True):
        SYSTEM_PROMPT = self.get_system_prompt(strict)
        JUDGE_PROMPT = self.get_judge_prompt(strict)
        prompt = JUDGE_PROMPT.format(
            schema=schema, question=question, pred_query=pred_query, gt_query=gt_query,
            pred_result=pred_result, gt_result=gt_result,
        )
        if self.INCLUDE_EX_HINT:
            prompt += f"\\n\\nMind: the rows are {'alike' if strict else 'unlike'}.\\n"
        if self.USE_HINT:
            prompt += "\\nHelp\\n" + DB_HINTS + (hint or "")
        content = self.request_llm(SYSTEM_PROMPT, prompt)
        if verbose:
            print(prompt)
        return content

    def categorize_error(self, schema, question, pred_query, pred_result, gt_query, gt_result, ex,
                         llm_judgment, llm_judge_result, hint=None):
        prompt = JUDGE_CATEGORIZATION.format(
            schema=schema, question=question, pred_query=pred_query, gt_query=gt_query,
            pred_result=pred_result, gt_result=gt_result, judgement=llm_judgment,
        )
        if hint:
            prompt += "\\nHelp\\n" + (hint or "")
        return self.request_llm("", prompt)
'''

FLEX_ABLATIONS = '''
from .base import LLMJudge

JUDGE_PROMPT_LOOSE_NORESULT = """
Tables {schema} Asked {question} Guess {pred_query} Truth {gt_query} (rows kept back)
""".strip()
JUDGE_PROMPT_LOOSE_NOGT = """
Tables {schema} Asked {question} Guess {pred_query} gives {pred_result} (no truth)
""".strip()
JUDGE_PROMPT_STRICT_NOGT = """
Tables {schema} Asked {question} Guess {pred_query} (no truth)
""".strip()
SYSTEM_STRICT_SIMPLE_NO_CRITERIA = """Alike, without criteria."""
SYSTEM_LOOSE_SIMPLE_NO_CRITERIA = """Unlike, without criteria."""
'''

FLEX_RUBRIC = '''
from utils.judge.base import DB_HINTS

ABS_SYSTEM_PROMPT = "Grade fairly."
ABSOLUTE_PROMPT = """Task {instruction}
Reply {response}
Model reply {reference_answer}
Scale {rubric}
Say [RESULT] and a number."""
SCORE_RUBRIC_TEMPLATE = """[{criteria}] 1: {low} 5: {high}""".strip()
RUBRIC_FP = {"criteria": "luck", "low": "none", "high": "full"}
RUBRIC_FN = {"criteria": "fairness", "low": "none", "high": "full"}


class PrometheusOpenAIJudge(object):
    def judge(self, schema, question, pred_query, pred_result, gt_query, gt_result, hint=None,
              verbose=False, strict=True):
        if strict:
            rubric = SCORE_RUBRIC_TEMPLATE.format(**RUBRIC_FP)
        else:
            rubric = SCORE_RUBRIC_TEMPLATE.format(**RUBRIC_FN)
        prompt = f"Tables {schema} Asked {question}"
        prompt += "\\nHelp\\n" + DB_HINTS + (hint or "")
        user_content = ABSOLUTE_PROMPT.format(
            instruction=prompt,
            response=pred_query + "\\nRows:\\n" + pred_result,
            reference_answer=gt_query + "\\nRows:\\n" + gt_result,
            rubric=rubric,
        )
        return self.request_llm(ABS_SYSTEM_PROMPT, user_content)
'''

FLEX_SOLVER = """
from utils import prompts


class LLMSQLSolver(object):
    def judge(self, schema, question, pred_query, pred_result, gt_query, gt_result, hint=None,
              verbose=False, strict=True):
        prompt_format = prompts.A if strict else prompts.B
        prompt = prompt_format.format(schema=schema, Q1=pred_query, Q2=gt_query)
        return self.request_llm(None, prompt)
"""

FLEX_TEXTS = '''
LLM_SQL_SOLVER_MiniatureAndMull = """Try small tables. First {Q1} Second {Q2} Tables {schema}"""
LLM_SQL_SOLVER_ExplainAndCompare = """Explain both. First {Q1} Second {Q2} Tables {schema}"""
'''

TRUSTSQL_SQL = """
import missing_package

if __name__ == '__main__':
    args = parse_args()
    task_prompt = "Write a query for these tables.\\n\\n"
    for line in data:
        prompt_to_run = ''
        for flag in order:
            prompt_to_run += f'Asked: {q}\\nReply: {s}\\n\\n'
        prompt_to_run += f'Asked: {question}\\nReply: '
"""

TRUSTSQL_LABEL = TRUSTSQL_SQL.replace("Write a query for", "Sort what is asked about")

TRUSTSQL_ERROR = """
def generate_error_prompt(test_sample_text, db_id, sql, db_schema, primary_key, foreign_key):
    instruction = "# Sure of this query?\\n"
    fields = find_fields(db_schema, db_id)
    fields += f"Keys = {find_keys(foreign_key, db_id)}\\n"
    prompt = f"{instruction}{fields}\\nAsked: {test_sample_text}\\nQuery: {sql}\\nReply: "
    return prompt
"""


def flex_clone(folder: Path) -> Path:
    """A folder in the form of FLEX's repository."""
    parts = {
        "utils/judge/base.py": FLEX_BASE,
        "utils/judge/flex.py": FLEX_ABLATIONS,
        "utils/judge/prometheus.py": FLEX_RUBRIC,
        "utils/judge/llm_sql_solver.py": FLEX_SOLVER,
        "utils/prompts.py": FLEX_TEXTS,
    }
    return _write_parts(folder, parts)


def trustsql_clone(folder: Path) -> Path:
    """A folder in the form of TrustSQL's repository."""
    parts = {
        "gpt/sql_prompt.py": TRUSTSQL_SQL,
        "gpt/cls_prompt.py": TRUSTSQL_LABEL,
        "gpt/error_prompt.py": TRUSTSQL_ERROR,
    }
    return _write_parts(folder, parts)


def _write_parts(folder: Path, parts: dict[str, str]) -> Path:
    for name, text in parts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder
