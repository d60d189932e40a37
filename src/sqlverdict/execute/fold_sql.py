"""One text for queries that differ only in letter case and spacing, and its place in a cache.

Systems write ``SELECT COUNT(*) FROM t;`` and ``select count(*) from t``: the engine compiles
both to the same program, so one answer serves both. What stands in quotes is left alone, and
any text with a comment, a control character or a character beyond ASCII stays as it is. So does one
with a backslash, ``#`` or ``$``, which end or begin a string or a comment on some engines.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b

from sqlverdict.execute.values.cell_bytes import encode_cells
from sqlverdict.records import LIMIT_REASONS, Answer, Failure, Outcome

_ODD = re.compile(r"[^\t\n\f\r -~]")
_QUOTED = re.compile(r"""('[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\])""")
_LONG = 4_000
_SAMPLE = 64


def fold_sql(sql: str) -> str:
    """The text under which a query's answer is kept."""
    return sql if len(sql) > _LONG else _fold_sql(sql)


def answer_key(scope: bytes, text: str) -> bytes:
    """The key of the answer to a text (see :func:`~sqlverdict.execute.cache.scope_key`)."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=scope).digest()


@lru_cache(maxsize=16_384)
def _fold_sql(sql: str) -> str:
    if "--" in sql or "/*" in sql or "\\" in sql or "#" in sql or "$" in sql:
        return sql
    if not ((sql.isascii() and sql.isprintable()) or _is_plain(sql)):
        return sql
    text = sql.strip()
    # A second semicolon is a second statement to the engine.
    if text.endswith(";") and not (bare := text[:-1].rstrip()).endswith(";"):
        text = bare
    if not ("'" in text or '"' in text or "`" in text or "[" in text):
        return " ".join(text.lower().split())
    parts = _QUOTED.split(text)
    parts[::2] = map(_outside, parts[::2])
    return "".join(parts)


def _is_plain(sql: str) -> bool:
    return _ODD.search(sql) is None


def _outside(part: str) -> str:
    """A stretch outside quotes. Whether it touches its neighbours counts: '' is not ' '."""
    words = " ".join(part.lower().split())
    if not words:
        return " " if part else ""
    before = " " if part[0].isspace() else ""
    return f"{before}{words} " if part[-1].isspace() else before + words


def weight_of(sql: str, outcome: Outcome) -> int:
    """Roughly the bytes that an entry takes; long answers are weighed by a sample."""
    weight = 1_000 + len(sql)
    if isinstance(outcome, Answer) and outcome.rows:
        rows = outcome.rows
        sample = rows if len(rows) <= _SAMPLE else rows[:: len(rows) // _SAMPLE]
        weight += len(encode_cells(sample)) * len(rows) // len(sample)
        weight += 50 * len(rows) * len(outcome.columns)
    return weight


def quotes_text(outcome: Outcome) -> bool:
    """Whether the outcome repeats words of its query, and so fits that one spelling only."""
    return isinstance(outcome, Failure) and outcome.reason not in LIMIT_REASONS
