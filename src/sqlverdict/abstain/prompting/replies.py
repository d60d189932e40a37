r"""From a model's text to SQL, a label or a remark, without inventing anything.

Quoted text is never touched: ``"a" ... "b"`` stays two literals. Prose about SQL ("I cannot
select that") is not SQL. A label counts only where the reply does not also say its opposite.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Literal

from sqlverdict.load.replies.fenced import extract_sql
from sqlverdict.parse.tokens import Kind, kind, pieces

if TYPE_CHECKING:
    from sqlverdict.llm.request import Reply

Remark = Literal["correct", "incorrect"]

NOT_ANSWERABLE = "not_answerable"
"""How a model is told to say that a question has no answer."""

# A model that was shown demonstrations likes to go on with further ones.
# Blank lines before it are not looked through: each would be a start of its own.
_NEXT = re.compile(
    r"\n[^\S\n]*+(?:(?:Question|Q)\s*+:|Table\s++[^\s,]++\s*+,\s*+columns\s*+=)", re.I
)
_PREFIX = re.compile(r"\s*+(?:(?:SQL(?:\s++query)?|SQLite|Answer|A|Query)\s*+:\s*+)++", re.I)
_REMARK = re.compile(r"(?:#|--)\s*+(incorrect|correct)\b", re.I)
_REFUSAL = re.compile(
    r"\W*+(?:answer\s*+:\s*+)?+(?:not[_\s-]*+answerable|un[_-]?answerable)\b", re.I
)


def sql_of(text: str) -> str | None:
    r"""The SQL in a reply, without the demonstrations a model adds behind it.

    >>> sql_of("SQL: SELECT 1\n\nQuestion: how many?\nSQL: SELECT 2")
    'SELECT 1'
    >>> sql_of("I cannot select that from the schema.") is None
    True
    """
    label = _PREFIX.match(text)
    text = _until_next(text[label.end() :] if label else text)
    sql = extract_sql(text.strip())
    return sql.strip() if sql and sql.strip() else None


def refuses(text: str) -> bool:
    """Whether a reply begins by saying that the question is not answerable."""
    return _REFUSAL.match(text) is not None


def split_remark(text: str) -> tuple[str | None, Remark | None]:
    """The SQL of a reply and the comment-like remark behind it, ``# correct`` or not.

    A ``#`` inside quotes is part of a literal, not a remark.
    """
    sql = sql_of(text)
    if sql is None:
        return None, None
    query, remark = _cut(sql)
    if remark is not None:
        return query, remark
    at = text.find(sql)
    behind = _REMARK.search(_until_next(text[at + len(sql) :])) if at >= 0 else None
    return sql, _remark(behind[1]) if behind else None


def _until_next(text: str) -> str:
    """The text up to a further demonstration; a break inside a literal is none."""
    for following in _NEXT.finditer(text):
        head = text[: following.start()]
        if not head.count("'") % 2 and not head.count('"') % 2:
            return head
    return text


def _cut(sql: str) -> tuple[str, Remark | None]:
    """Part the SQL from a remark that stands behind it, outside any quote."""
    seen = 0
    for piece in pieces(sql):
        what = kind(piece)
        if what is Kind.COMMENT or piece.startswith("#"):
            match = _REMARK.match(sql, seen)
            if match is not None:
                return sql[:seen].rstrip(), _remark(match[1])
        seen += len(piece)
    return sql, None


def _remark(word: str) -> Remark:
    return "incorrect" if word.lower() == "incorrect" else "correct"


def label_of(text: str, yes: str, no: str) -> bool | None:
    """Which of two labels a reply gives; ``None`` where it gives neither, or both.

    ``no`` may contain ``yes`` (``incorrect``, ``not_answerable``), and may be written with
    spaces or as a negation: "not answerable", "is not correct", "unanswerable".

    >>> label_of("not_answerable", "answerable", "not_answerable")
    False
    >>> label_of("I think it is correct.", "correct", "incorrect")
    True
    """
    labels: set[bool] = set()
    negations = r"(?:not|isn't|never|cannot\s+be)[\s_-]+(?:\w+[\s_-]+){0,2}?|un-?|in-?|non-?"
    pattern = rf"\b(?P<no>(?:{negations}){re.escape(yes)}|{re.escape(no)})\b|\b{re.escape(yes)}\b"
    for match in re.finditer(pattern, text, re.I):
        labels.add(match["no"] is None)
    return labels.pop() if len(labels) == 1 else None


def graded(reply: Reply, yes: str, no: str) -> float | None:
    """The probability of ``yes`` against ``no`` at the first token that tells them apart.

    ``None`` where the server sent no probabilities, or neither label is among them.
    """
    for choice in reply.logprobs:
        if not choice.token.strip():
            continue
        logprobs = {choice.token: choice.logprob, **dict(choice.alternatives)}
        for_yes = _mass(logprobs, yes, no)
        for_no = _mass(logprobs, no, yes)
        total = for_yes + for_no
        return for_yes / total if total > 0 else None
    return None


def _mass(logprobs: dict[str, float], label: str, other: str) -> float:
    """The probability of the tokens that begin one label and not the other."""
    total = 0.0
    for token, logprob in logprobs.items():
        begins = token.strip().lower()
        if begins and label.startswith(begins) and not other.startswith(begins):
            total += math.exp(logprob)
    return total


def token_figures(reply: Reply) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The likeliest token's probability and the entropy at each token of a reply.

    A server tells a few alternatives only. What they leave of the probability is counted as
    one further token, so an entropy is a lower bound. Empty where the server told nothing.
    """
    probabilities, entropies = [], []
    for choice in reply.logprobs:
        logprobs = {choice.token: choice.logprob, **dict(choice.alternatives)}
        shares = [min(1.0, math.exp(logprob)) for logprob in logprobs.values()]
        rest = max(0.0, 1.0 - sum(shares))
        probabilities.append(max(shares))
        entropies.append(-sum(p * math.log(p) for p in (*shares, rest) if p > 0))
    return tuple(probabilities), tuple(entropies)
