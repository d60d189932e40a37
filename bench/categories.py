"""How far labels of errors agree with experts: a language model's, and our deterministic tags.

FLEX's 100 released pairs with experts' votes on categories (``flex/categories_half.jsonl``): 50
matches that GPT-4o called wrong (six labels), 50 mismatches that it called right (five). A label
holds for the experts where at least two of three gave it. No database exists for these pairs:
schemas come from ``bird/ddl.json``, results are the recorded text, from which a relation is read
only where all rows are there. For each label: how often the experts give it, precision, recall
and F1 of the labels, and Cohen's kappa over the pairs.

Run: ``python bench/categories.py [--all]``; needs SQLVERDICT_DATA. By default pairs on which the
experts hold GPT-4o's verdict itself for wrong are left out, for there is no error to name;
``--all`` keeps them.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.relate import relate
from sqlverdict.compare.tag_labels import DIFFERENCES, ERRORS, difference_labels, error_labels
from sqlverdict.compare.tags import find_tags
from sqlverdict.judge.categories import ALIASES
from sqlverdict.judge.replies.loose_json import key_word
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.records import Answer, Case
from sqlverdict.report.terminal.tables import plain_table, table
from sqlverdict.score.agreement.agreement import Confusion

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
EXPERTS = {
    "Schema Link": ERRORS[0],
    "Filtering Cond": ERRORS[1],
    "Nullable Col": ERRORS[2],
    "Multi Rows": ERRORS[3],
    "Clause Abusing": ERRORS[4],
    "Other FP": ERRORS[5],
    "Structure": DIFFERENCES[0],
    "Value Repr.": DIFFERENCES[1],
    "Incorrect GT (FN)": DIFFERENCES[2],
    "Multiple Ans FN": DIFFERENCES[3],
    "Other FN": DIFFERENCES[4],
}
"""The experts' names of FLEX's labels."""


def relations(case: Case, prediction: str) -> list[str]:
    """How the recorded results relate, where all of their rows are there."""
    recorded = case.recorded
    if recorded is None or not recorded.whole:
        return []
    gold, answer = recorded.golds[0], recorded.prediction
    if not isinstance(gold, Answer) or not isinstance(answer, Answer):
        return []
    relation = relate(gold, answer, QueryPair(case.golds[0], prediction))
    # The records lost order and repeated rows, so these relations would be noise.
    return [one.kind for one in relation if one.kind not in ("order_only", "duplicates_only")]


def read(every: bool) -> Iterator[tuple[str, set[str], set[str], set[str]]]:
    """Of each pair: its set, the experts' labels, GPT-4o's, ours."""
    schemas = load_schemas(DATA / "bird" / "ddl.json")
    file = DATA / "flex" / "categories_half.jsonl"
    cases = {case.id: case for case in BENCHMARKS.get("flex").read(file).cases}
    for line in file.read_text().splitlines():
        pair = json.loads(line)
        if pair["human_says_flex_wrong"] and not every:
            continue
        votes = pair["human_votes"].items()
        experts = {EXPERTS[name] for name, number in votes if number >= 2 and name in EXPERTS}
        issued = [name for name, one in pair["gpt4o_categories"].items() if one["issued"]]
        case = cases[f"{pair['set']}-{pair['i']}"]
        tags = find_tags(
            pair["gold_sql"],
            pair["pred_sql"],
            schemas[pair["db_id"]],
            relations=relations(case, pair["pred_sql"]) if pair["set"] == "FN" else (),
        )
        label = error_labels if pair["set"] == "FP" else difference_labels
        labels = {ALIASES[key_word(name)] for name in issued}
        yield pair["set"], experts, labels, set(label(tags))


def confusion(pairs: Sequence[tuple[bool, bool]]) -> Confusion:
    """From (experts, labels)."""
    count = {
        (e, s): sum(pair == (e, s) for pair in pairs) for e in (True, False) for s in (True, False)
    }
    return Confusion(count[True, True], count[False, True], count[True, False], count[False, False])


def figures(counts: Confusion) -> tuple[str, ...]:
    """Precision, recall, F1 and kappa."""
    claims, labelled = counts.tp + counts.fp, counts.tp + counts.fn
    precision = counts.tp / claims if claims else None
    recall = counts.tp / labelled if labelled else None
    f1 = 2 * counts.tp / (claims + labelled) if claims + labelled else None
    return tuple(
        "-" if v is None else f"{v * 100:.0f}" for v in (precision, recall, f1, counts.kappa)
    )


def main() -> None:
    if not (DATA / "flex" / "categories_half.jsonl").is_file():
        sys.exit(f"no data at {DATA}: set SQLVERDICT_DATA")
    pairs = list(read("--all" in sys.argv))
    for which, labels, title in (
        ("FP", ERRORS, "matches held wrong: kinds of error"),
        ("FN", DIFFERENCES, "mismatches held right: kinds of difference"),
    ):
        own = [(experts, issued, ours) for name, experts, issued, ours in pairs if name == which]
        rows = []
        totals: list[list[tuple[bool, bool]]] = [[], []]
        for label in labels:
            cells: list[str] = []
            for index in (0, 1):
                both = [(label in one[0], label in one[1 + index]) for one in own]
                totals[index] += both
                cells += figures(confusion(both))
            rows.append((label, str(sum(label in one[0] for one in own)), *cells))
        cells = [text for both in totals for text in figures(confusion(both))]
        rows.append(("all labels", str(sum(len(one[0]) for one in own)), *cells))
        exact = [sum(one[0] == one[1 + index] for one in own) for index in (0, 1)]
        some = [sum(bool(one[0] & one[1 + index]) for one in own) for index in (0, 1)]
        heads = ("P", "R", "F1", "kappa")
        headers = (
            "label",
            "experts",
            *(f"GPT-4o {name}" for name in heads),
            *(f"tags {name}" for name in heads),
        )
        print(plain_table(table(headers, rows, title=f"{title} ({len(own)} pairs)")))
        print(
            f"labels exactly the experts': GPT-4o {exact[0]}, tags {exact[1]}; at least one in "
            f"common: GPT-4o {some[0]}, tags {some[1]}\n"
        )


if __name__ == "__main__":
    main()
