"""FLEX's figures 3 and 8: agreement with people by model, and by a model's size and price.

FLEX publishes the replies of GPT-4o alone. The other models here were recorded by ROSE, on its own
pairs, which other people labelled: a row shows how far a model agrees there, with FLEX's prompt and
with ROSE's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from sqlverdict.errors import DataError
from sqlverdict.files.text import stream_lines
from sqlverdict.llm.costs import Price, load_prices
from sqlverdict.papers.cell import PaperCell, in_percent
from sqlverdict.papers.exhibit import Figure, Printed
from sqlverdict.papers.flex.flex_files import GPT_4O, judged_pairs, recorded_judges
from sqlverdict.papers.flex.people import expert_labels, judge_agreement
from sqlverdict.papers.paper_data import MissingFile, PaperData
from sqlverdict.report.agreement.tables import kappa_dot
from sqlverdict.report.charts.chart import Series, line_chart
from sqlverdict.report.charts.rows import row_chart
from sqlverdict.score.agreement.agreement import Agreement, RatedCase, agreement

OWN = "kappa, FLEX's pairs"
SIZE, COST = "weights, 10^9", "dollars for 1,000 judgements"
FIGURE_8: Printed = {(GPT_4O, OWN): "87.04", ("EX", OWN): "62.00"}
INPUT, OUTPUT = 3_700, 400
"""Tokens of a judgement: FLEX's prompt with the mean of its texts for BIRD, and a reply."""
SIZES: Mapping[str, float] = {
    "deepseek-r1": 671,
    "deepseek-r1-distill-qwen-32b": 32,
    "qwen3-235b": 235,
    "qwen3-30b": 30,
}
"""Billions of weights, of models that are published; of a mixture of experts all of them."""
PRICES: Mapping[str, Price] = {
    "deepseek-r1": Price(input=0.55, output=2.19),
    "gemini-2.5-pro": Price(input=1.25, output=10),
}
"""List prices of 2025 of models that ``prices.json`` does not have."""
_PROMPTS = ("FLEX", "ROSE")
_SETS: Mapping[str, str] = {"bird": "BIRD", "spider": "Spider"}


def agreement_by_model(data: PaperData) -> Iterator[PaperCell | Figure]:
    """The kappa of each model, on FLEX's pairs and on ROSE's, with its size and its price."""
    own, lacking = _own_agreement(data)
    for name, one in own.items():
        yield _kappa_cell(name, OWN, one)
    try:
        other = _recorded_agreement(data)
    except MissingFile:
        if lacking is not None:
            raise lacking from None
        other = {}
    for (model, column), one in other.items():
        yield _kappa_cell(model, column, one)
    models = list(dict.fromkeys((*own, *(model for model, _ in other))))
    for model in models:
        if model in SIZES:
            yield PaperCell(model, SIZE, SIZES[model])
        dollars = cost_of(model)
        if dollars is not None:
            yield PaperCell(model, COST, dollars)
    yield _kappas(own, other)
    yield from _against(SIZE, {name: SIZES.get(name) for name in models}, other, "kappa-size.svg")
    yield from _against(COST, {name: cost_of(name) for name in models}, other, "kappa-price.svg")


def cost_of(model: str) -> float | None:
    """Dollars for 1,000 judgements at list prices; tokens of hidden reasoning are not counted."""
    prices = load_prices().models
    price = PRICES.get(model) or prices.get(model)
    if price is None:
        return None
    return (INPUT * price.input + OUTPUT * price.output) / 1_000


def _own_agreement(data: PaperData) -> tuple[dict[str, Agreement], MissingFile | None]:
    """EX, and every judge whose replies to FLEX's pairs are in the folder; else what lacks."""
    results: dict[str, Agreement] = {}
    try:
        labels = expert_labels(data)
        for judge in recorded_judges(data) or [GPT_4O]:
            cases = judged_pairs(data, judge)
            results.setdefault("EX", judge_agreement("EX", cases, labels, by_results=True))
            results[judge] = judge_agreement(judge, cases, labels)
    except MissingFile as missing:
        return {}, missing
    return results, None


def _recorded_agreement(data: PaperData) -> dict[tuple[str, str], Agreement]:
    """The judges that ROSE recorded, by model and by prompt and pairs.

    Raises:
        MissingFile: they are not at hand.
    """
    rated: dict[tuple[str, str], list[RatedCase]] = {}
    path = data.path("labels", "rose_vec.jsonl")
    for number, line in stream_lines(path, DataError):
        try:
            record = json.loads(line)
            pairs, label = _SETS[record["set"]], bool(record["label"])
            verdicts = dict(record["verdicts"])
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{path}, line {number}: expected set, label and verdicts ({error!r})",
                reason="wrong_value",
            ) from error
        for name, verdict in verdicts.items():
            model, _, prompt = name.rpartition("/")
            who = ("EX", f"kappa, {pairs} pairs of ROSE") if name == "decisive/EX" else None
            if prompt in _PROMPTS:
                who = (model, f"kappa, {pairs} pairs of ROSE, prompt of {prompt}")
            if who is not None:
                case = RatedCase(str(record["id"]), label, verdict == 1)
                rated.setdefault(who, []).append(case)
    return {who: agreement(who[0], cases) for who, cases in sorted(rated.items())}


def _kappa_cell(model: str, column: str, one: Agreement) -> PaperCell:
    ours = in_percent(one.kappa)
    reason = f"{one.n} of the 200 pairs are at hand" if column == OWN else ""
    return PaperCell(model, column, ours, n=one.n, reason=reason)


def _kappas(own: Mapping[str, Agreement], other: Mapping[tuple[str, str], Agreement]) -> Figure:
    """All kappas with their intervals, the highest mean first."""
    cells = {**{(name, OWN): one for name, one in own.items()}, **other}
    models = list(dict.fromkeys(model for model, _ in cells))
    columns = list(dict.fromkeys(column for _, column in cells))

    def mean(model: str) -> float:
        values = [one.kappa or 0.0 for (name, _), one in cells.items() if name == model]
        return sum(values) / len(values)

    models.sort(key=lambda model: (-mean(model), model))
    dots = {
        column.removeprefix("kappa, "): [kappa_dot(cells.get((model, column))) for model in models]
        for column in columns
    }
    return Figure(
        "figure8.svg",
        row_chart("Agreement with people", "Cohen's kappa, with 95% intervals", models, dots),
    )


def _against(
    what: str,
    values: Mapping[str, float | None],
    other: Mapping[tuple[str, str], Agreement],
    file: str,
) -> Iterator[Figure]:
    """Kappa over a model's size or price, a series for each prompt and set of pairs."""
    columns = list(dict.fromkeys(column for model, column in other if model != "EX"))
    series = []
    for column in columns:
        points = [
            (value, one.kappa, model)
            for (model, own_column), one in other.items()
            if own_column == column
            and (value := values.get(model)) is not None
            and one.kappa is not None
        ]
        if points:
            marks = sorted((x, y) for x, y, _ in points)
            models = {(x, y): model for x, y, model in points}
            names = [models[point] for point in marks]
            series.append(Series(column.removeprefix("kappa, "), marks, line=False, names=names))
    if series:
        svg = line_chart(f"Kappa against {what}", what, "Cohen's kappa", series, x_log=True)
        yield Figure(file, svg)
