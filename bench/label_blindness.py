"""Whether the spelling of two queries tells which one is the gold, before and on the label page.

For each system at hand, 200 pairs of a gold and a published prediction whose texts differ. A
logistic regression sees the spelling alone: the case of names and words, quotes, spaces, aliases,
qualifiers, the order of equal conditions, and words that say nothing. A trait counts where both
queries have a place for it, so that structure does not tell. Cross-validation by gold, ties half.

``raw`` is its accuracy on the queries as they came, ``page`` on what ``label`` shows. ``capitals``
is the rule "the query with an ALL-CAPS name is the gold": on how many pairs it decides, raw and on
the page. ``words`` is a classifier that sees all words of the page: what structure tells is left.
``same`` pairs have one text on the page, ``tokens`` were not read and are spelled by tokens.

Run: ``python bench/label_blindness.py [--pairs N] [--seed N]``; needs SQLVERDICT_DATA and
scikit-learn. Exits with 1 where an accuracy on the page is above 55 %.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.label.databases import CaseDatabases, CaseFacts
from sqlverdict.label.item import QueryDisplay, show_item
from sqlverdict.label.layout_sql import KEYWORDS, layout
from sqlverdict.label.queue import QueueItem
from sqlverdict.label.spelling.pair import spell_pair
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.parse.tokens import Kind, Token, tokens
from sqlverdict.records import Case, Result, Verdict
from sqlverdict.report.terminal.tables import plain_table, table

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
SYSTEMS = {
    "spider": ("C3", "DAIL", "RASAT+PICARD", "RESDSQL"),
    "bird": ("C3", "DAIL", "RESDSQL"),
}
MOST = 0.55
FOLDS = 10
TYPES = frozenset({"REAL", "INTEGER", "INT", "TEXT", "FLOAT", "NUMERIC"})
FUNCTIONS = frozenset({"count", "sum", "avg", "min", "max", "cast", "substr", "strftime"})
Traits = Mapping[str, float | None]
_COMPARISONS = frozenset({"=", "<", ">", "<=", ">=", "<>", "!=", "=="})


@dataclass(frozen=True)
class Pair:
    """A gold and a prediction, as they came and as the page shows them."""

    raw: tuple[str, str]
    page: tuple[str, str]


def share(values: Sequence[bool]) -> float | None:
    """How many of the places for a trait have it; ``None``: there is no place."""
    return sum(values) / len(values) if values else None


def traits(sql: str) -> Traits:
    """What the spelling of a text looks like, and nothing of what it says."""
    every = [token for token in tokens(sql) if token.kind is not Kind.COMMENT]
    solid = [token for token in every if token.kind is not Kind.SPACE]
    words = [token.text for token in solid if token.kind is Kind.WORD]
    after = [*(token.text for token in solid[1:]), ""]
    names = [
        token.text
        for token, then in zip(solid, after, strict=True)
        if token.kind is Kind.WORD and token.text.upper() not in KEYWORDS | TYPES and then != "("
    ]
    keywords = [word for word in words if word.upper() in KEYWORDS]
    quoted = [token.text for token in solid if token.kind in (Kind.QUOTED, Kind.STRING)]
    return {
        "capital names": share([name.isupper() for name in names]),
        "small names": share([name.islower() for name in names]),
        "any capital name": float(any(name.isupper() for name in names)),
        "capital keywords": share([word.isupper() for word in keywords]),
        "plain quotes": share([text.startswith("'") for text in quoted]),
        "backticks": share([text.startswith("`") for text in quoted]),
        "capital functions": share(list(_functions(solid))),
        "last semicolon": float(sql.rstrip().endswith(";")),
        "wide spaces": float("  " in " ".join(sql.split("\n"))) if "\n" not in sql else None,
        "commas after a space": share(list(_after_space(every, ","))),
        "commas before a space": share(list(_before_space(every, ","))),
        "comparisons in spaces": share(list(_spaced(every))),
        "calls after a space": share(list(_calls(every))),
        "dots after a space": share(list(_after_space(every, "."))),
        "alias words": _alias_words(words),
        "aliases": share(list(_aliases(solid))),
        "qualifiers": _qualifiers(solid),
        "sides in order": share(list(_sides(solid))),
        "parts in order": share(list(_parts(sql))),
        "inner": share([sql.upper().split()[n - 1] == "INNER" for n in _places(sql, "JOIN") if n]),
        "ascending": float("ASC" in keywords) if "ORDER" in map(str.upper, keywords) else None,
        "other unequal": share([t.text == "!=" for t in solid if t.text in ("!=", "<>")]),
        "double parentheses": float("((" in re.sub(r"\s", "", sql)),
    }


def _places(sql: str, word: str) -> list[int]:
    return [n for n, each in enumerate(sql.upper().split()) if each == word]


def _functions(solid: Sequence[Token]) -> Iterator[bool]:
    for token, after in pairwise(solid):
        if token.kind is Kind.WORD and after.text == "(" and token.text.upper() not in KEYWORDS:
            yield token.text.isupper()


def _after_space(every: Sequence[Token], text: str) -> Iterator[bool]:
    for before, token in pairwise(every):
        if token.text == text:
            yield before.kind is Kind.SPACE


def _calls(every: Sequence[Token]) -> Iterator[bool]:
    """Whether a function's parenthesis stands behind a space."""
    for first, second, third in zip(every, every[1:], every[2:], strict=False):
        if first.text.lower() in FUNCTIONS and "(" in (second.text, third.text):
            yield second.kind is Kind.SPACE


def _before_space(every: Sequence[Token], text: str) -> Iterator[bool]:
    for token, after in pairwise(every):
        if token.text == text:
            yield after.kind is Kind.SPACE


def _spaced(every: Sequence[Token]) -> Iterator[bool]:
    for before, token, after in zip(every, every[1:], every[2:], strict=False):
        if token.text in _COMPARISONS:
            yield before.kind is Kind.SPACE and after.kind is Kind.SPACE


def _alias_words(words: Sequence[str]) -> float | None:
    return share([bool(re.fullmatch(r"[tT]\d", word)) for word in words if len(word) < 3])


def _aliases(solid: Sequence[Token]) -> Iterator[bool]:
    """Whether a table behind FROM or JOIN has another name."""
    for word, name, after in zip(
        solid, solid[1:], [*solid[2:], Token(Kind.SPACE, "")], strict=False
    ):
        if word.text.upper() in ("FROM", "JOIN") and name.text != "(":
            plain_word = after.kind is Kind.WORD and after.text.upper() not in KEYWORDS
            yield after.text.upper() == "AS" or plain_word


def _qualifiers(solid: Sequence[Token]) -> float | None:
    """The qualified share of names, in queries of one table: there none is needed."""
    if sum(token.text.upper() in ("FROM", "JOIN") for token in solid) > 1:
        return None
    return float(any(token.text == "." for token in solid))


def _sides(solid: Sequence[Token]) -> Iterator[bool]:
    """Whether the sides of ``a.b = c.d`` stand in the order of their letters."""
    texts = [token.text for token in solid]
    for n in range(3, len(texts) - 3):
        if texts[n] in ("=", "==") and texts[n - 2] == texts[n + 2] == ".":
            left, right = texts[n - 3 : n], texts[n + 1 : n + 4]
            yield "".join(left).lower() <= "".join(right).lower()


def _parts(sql: str) -> Iterator[bool]:
    """Whether neighbours in AND stand in the order of their letters."""
    if "BETWEEN" in sql.upper() or "(" in sql:
        return
    for clause in re.findall(r"WHERE(.*?)(?:GROUP|ORDER|HAVING|LIMIT|UNION|$)", sql, re.I | re.S):
        parts = [
            " ".join(each.lower().split()) for each in re.split(r"\bAND\b", clause, flags=re.I)
        ]
        yield from (a <= b for a, b in pairwise(parts))


def words_of(sql: str) -> Traits:
    """All words of a text: its structure."""
    return {**Counter(token.text.lower() for token in tokens(sql) if token.text.strip())}


def difference(
    gold: Traits, prediction: Traits, *, absent: float | None = None
) -> dict[str, float]:
    """The traits of the gold less those of the prediction, where both have a place for them."""
    result: dict[str, float] = {}
    for name in {**gold, **prediction}:
        one, other = gold.get(name, absent), prediction.get(name, absent)
        if one is not None and other is not None and one != other:
            result[name] = one - other
    return result


def accuracy(
    pairs: Sequence[tuple[str, str]], of: Callable[[str], Traits], *, absent: float | None = None
) -> float:
    """How often a classifier tells the gold of pairs whose golds it has not seen."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    rows = [difference(of(gold), of(other), absent=absent) for gold, other in pairs]
    matrix = DictVectorizer(sparse=False).fit_transform(rows)
    if matrix.shape[1] == 0:
        return 0.5
    groups = [" ".join(gold.lower().split()) for gold, _ in pairs]
    points = 0.0
    for learn, test in GroupKFold(min(FOLDS, len(set(groups)))).split(matrix, groups=groups):
        # Each pair in both orders, so that no order is a sign.
        both = [*matrix[learn], *(-matrix[learn])]
        sides = [1] * len(learn) + [0] * len(learn)
        model = LogisticRegression(fit_intercept=False, max_iter=1000).fit(both, sides)
        for score in model.decision_function(matrix[test]):
            points += 0.5 if abs(score) < 1e-9 else float(score > 0)
    return points / len(pairs)


def capitals(pairs: Sequence[tuple[str, str]]) -> str:
    """On how many pairs the rule of capitals decides, and how often wrongly."""
    has = [[traits(text)["any capital name"] for text in pair] for pair in pairs]
    decided = [gold for gold, other in has if gold != other]
    return f"{len(decided)} ({sum(not gold for gold in decided)} wrong)"


def text_of(query: QueryDisplay) -> str:
    """A query as the page shows it."""
    return "".join(piece.text for piece in query.pieces)


def pairs_of(benchmark: str, system: str, number: int, seed: int) -> tuple[list[Pair], int]:
    """Pairs of a system whose database is here, and how many could not be read."""
    cases = list(BENCHMARKS.get(benchmark).read(DATA / benchmark).cases)
    file = DATA / benchmark / "predictions" / "dev" / f"{system}.txt"
    lines = [line.split("\t----- bird -----")[0] for line in file.read_text().splitlines()]
    rows = [(case, line) for case, line in zip(cases, lines, strict=True) if _is_pair(case, line)]
    sample = Random(seed).sample(rows, min(number, len(rows)))
    facts = {case.id: CaseFacts(case.knowledge, case.database) for case, _ in sample}
    databases = CaseDatabases(QueryRunner("sqlite", Limits(seconds=10.0)), facts)
    pairs, by_tokens = [], 0
    for case, prediction in sample:
        gold = case.golds[0]
        result = Result(
            0, case.id, case.db_id, case.question, (gold,), prediction, False, Verdict.INCORRECT
        )
        item = show_item(QueueItem("", result, None, ()), databases, "gold")  # type: ignore[arg-type]
        page = text_of(item.a), text_of(item.b)
        pairs.append(Pair((gold, prediction), page))
        spelled = spell_pair((gold, prediction), ("sqlite", "sqlite"), databases.schema(result))
        texts = tuple("".join(piece.text for piece in layout(q.text)) for q in spelled.queries)
        by_tokens += not spelled.by_tree or texts != page
    databases.runner.close()
    return pairs, by_tokens


def _is_pair(case: Case, prediction: str) -> bool:
    there = case.database is not None and Path(case.database).is_file()
    return there and bool(prediction.strip()) and bool(case.golds) and case.golds[0] != prediction


def main() -> int:
    """Measure all systems."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rows, worst = [], 0.0
    for benchmark, systems in SYSTEMS.items():
        for system in systems:
            pairs, by_tokens = pairs_of(benchmark, system, args.pairs, args.seed)
            raw, page = [pair.raw for pair in pairs], [pair.page for pair in pairs]
            on_page = accuracy(page, traits)
            worst = max(worst, on_page)
            rows.append(
                [
                    f"{benchmark} {system}",
                    str(len(pairs)),
                    f"{accuracy(raw, traits):.1%}",
                    f"{on_page:.1%}",
                    capitals(raw),
                    capitals(page),
                    f"{accuracy(page, words_of, absent=0.0):.1%}",
                    str(sum(gold == other for gold, other in page)),
                    str(by_tokens),
                ]
            )
    heads = [
        "system",
        "n",
        "raw",
        "page",
        "capitals raw",
        "capitals page",
        "words",
        "same",
        "tokens",
    ]
    print(plain_table(table(heads, rows)))
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
