"""FLEX's tables 1, 8 and 9 and figures 1, 4, 5 and 7: systems by EX and by FLEX.

FLEX publishes no judged answers of a system, so scores of ours need files that its scripts write.
What the paper derives from its scores (ranks, means) is derived again from the scores it prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Figure, Printed, grid
from sqlverdict.papers.flex.flex_files import SHOWN_FIRST, judged_systems
from sqlverdict.papers.paper_data import MissingFile, PaperData
from sqlverdict.report.charts.chart import Series, bar_chart, line_chart

FLEX, EX, GAIN, RANK = "FLEX", "EX", "gain", "rank"
TABLE_8: Printed = grid(
    """
    system                        FLEX   EX     gain    rank
    SuperSQL                      91.20  87.04  +4.16   1 (-)
    DINSQL                        91.10  82.79  +8.32   2 (↑7)
    DAILSQL_SC                    90.14  83.56  +6.58   3 (↑3)
    DAILSQL                       88.88  83.08  +5.80   4 (↑4)
    TA-ACL                        88.78  85.01  +3.77   5 (↓2)
    SFT_CodeS_7B                  87.91  85.40  +2.51   6 (↓4)
    SFT_CodeS_15B                 87.33  84.91  +2.42   7 (↓3)
    C3_SQL                        87.04  82.01  +5.03   8 (↑2)
    SFT_Deepseek_Coder_7B         84.72  80.75  +3.97   9 (↑5)
    SFT_CodeS_3B                  84.72  83.27  +1.45   10 (↓2)
    RESDSL_NatSQL_3B              83.66  84.14  -0.48   11 (↓6)
    RESDSL_3B                     82.01  81.82  +0.19   12 (-)
    Graphix_PICARD_3B             81.72  80.95  +0.77   13 (-)
    resdsl_text2natsql_large      81.43  82.01  -0.58   14 (↓4)
    resdsl_text2sql_large         79.11  80.08  -0.97   15 (↑1)
    resdsl_text2natsql_base       78.82  80.17  -1.35   16 (↓1)
    SFT_CodeS_1B                  78.63  77.95  +0.68   17 (-)
    pretrained_deepseek_coder_7b  78.34  64.22  +14.12  18 (↑6)
    SFT_Llama3_8B                 78.05  76.11  +1.93   19 (-)
    resdsl_text2sql_base          76.98  77.95  -0.97   20 (↓3)
    SFT_CodeLlama_7B              76.21  74.08  +2.13   21 (↓1)
    Deepseek-Coder-7B             75.15  73.50  +1.64   22 (↓1)
    SFT_StarCoder_7B              72.44  72.05  +0.39   23 (↓1)
    pretrained_llama3_8b          68.86  60.44  +8.41   24 (↑3)
    SFT_Llama2_7B                 64.41  65.28  -0.87   25 (↓2)
    CodeLlama-7B                  60.35  60.93  -0.58   26 (↓1)
    pretrained_starcoder_7b       59.96  55.51  +4.45   27 (↑1)
    Llama2-7B                     59.67  60.83  -1.16   28 (↓)
    pretrained_codellama_7b       55.71  51.64  +4.06   29 (-)
    pretrained_llama2_7b          24.08  20.99  +3.09   30 (-)
    """
)
TABLE_9: Printed = grid(
    """
    system                      FLEX   EX     gain   rank
    SuperSQL                    64.08  57.37  +6.71  1 (↑2)
    CHESS-GPT-4o-mini           62.71  59.13  +3.59  2 (↓1)
    TA-ACL                      59.97  55.67  +4.30  3 (↑2)
    DAIL_SQL_9-SHOT_MP          59.26  53.52  +5.74  4 (↑3)
    DAIL_SQL_9-SHOT_QM          58.47  53.06  +5.41  5 (↑4)
    DTS-SQL-BIRD-GPT4o-0823     58.47  58.08  +0.39  5 (↓3)
    SFT_CodeS_15B_EK            56.98  56.52  +0.46  7 (↓3)
    SFT_CodeS_7B_EK             53.59  54.89  -1.30  8 (↓2)
    SFT_CodeS_3B_EK             53.26  53.46  -0.20  9 (↓1)
    DAIL_SQL                    51.83  45.89  +5.93  10 (↑2)
    DAIL_SQL_7-SHOT_QM          51.50  45.89  +5.61  11 (↑1)
    C3_SQL                      51.30  48.44  +2.87  12 (↓1)
    DAIL_SQL_7-SHOT_TH-0.8_MP   49.54  44.52  +5.02  13 (↑1)
    DAIL_SQL_7-SHOT_TH-0.85_MP  48.89  44.39  +4.50  14 (↑1)
    SFT_CodeS_1B_EK             47.59  48.70  -1.11  15 (↓5)
    RESDSL_3B_EK                41.98  42.37  -0.39  16 (-)
    GPT-4-turbo_kg_predict_dev  40.87  35.92  +4.95  17 (↑1)
    RESDSL_Large_EK             35.53  36.90  -1.37  18 (↓1)
    RESDSL_Base_EK              29.14  31.16  -2.02  19 (-)
    GPT-4-turbo_predict_dev     25.68  22.75  +2.93  20 (-)
    """
)
TABLES: Mapping[str, Printed] = {"spider": TABLE_8, "bird": TABLE_9}
_NAMES: Mapping[str, str] = {"spider": "Spider", "bird": "BIRD"}
_MEAN, _MEAN_RANK, _MOST_RANK = "mean gain", "mean change of rank", "largest change of rank"
FIGURE_1: Printed = {
    (_MEAN, "Spider"): "+2.63",
    (_MEAN_RANK, "Spider"): "1.7",
    (_MOST_RANK, "Spider"): "8",
}
FIGURE_4: Printed = {
    (_MEAN, "BIRD"): "+2.6",
    (_MEAN_RANK, "BIRD"): "2.2",
    (_MOST_RANK, "BIRD"): "5",
}
_SHIFTS: Mapping[str, str] = {
    "Spider": "what table 8 gives; the text's 1.7 and 2.2 stand for BIRD and Spider",
    "BIRD": "what table 9 gives; the text's 1.7 and 2.2 stand for BIRD and Spider",
}
_LARGEST = "what table 8 gives: DINSQL rises by 7, and no system by 8"
_TIE = "two systems share a place: table 1 counts such places alike, table 8 does not"
_PROPRIETARY, _TUNED, _PRETRAINED = "proprietary", "open SFT", "open PLM"
FIGURE_5: Printed = {
    (_PROPRIETARY, "Spider"): "a significant improvement",
    (_PROPRIETARY, "BIRD"): "a significant improvement",
    (_PRETRAINED, "Spider"): "a significant improvement",
    (_TUNED, "Spider"): "a marginal change",
    (_TUNED, "BIRD"): "a marginal change",
}
_IN_WORDS = "the paper prints no number, and says this in words"
_TYPES: Mapping[str, str] = {
    "SFT_": _TUNED,
    "RESDSL": _TUNED,
    "resdsl": _TUNED,
    "Graphix": _TUNED,
    "pretrained_": _PRETRAINED,
    "Deepseek-Coder": "",
    "CodeLlama": "",
    "Llama2": "",
}
"""The type of a system by the beginning of its name; empty: the paper does not say it."""
Scores = Mapping[str, tuple[float, float]]
"""FLEX and EX of each system, in percent."""


def spider_systems(data: PaperData) -> Iterator[PaperCell]:
    """Table 8."""
    return _systems(data, "spider")


def bird_systems(data: PaperData) -> Iterator[PaperCell]:
    """Tables 1 and 9."""
    return _systems(data, "bird")


def spider_shift(data: PaperData) -> Iterator[PaperCell | Figure]:
    """Figure 1."""
    return _shift(data, "spider", "figure1.svg")


def bird_shift(data: PaperData) -> Iterator[PaperCell | Figure]:
    """Figure 4."""
    return _shift(data, "bird", "figure4.svg")


def gains_by_type(data: PaperData) -> Iterator[PaperCell | Figure]:
    """Figure 5: the mean gain of each type of system."""
    means: dict[str, list[float]] = {name: [] for name in _NAMES.values()}
    types = (_PROPRIETARY, _PRETRAINED, _TUNED)
    for kind in types:
        for benchmark, name in _NAMES.items():
            scores = _scores(data, benchmark)
            gains = [flex - ex for row, (flex, ex) in scores.items() if system_type(row) == kind]
            means[name].append(fmean(gains) if gains else float("nan"))
            if gains:
                own = PaperCell(kind, name, fmean(gains), n=len(gains), reason=_IN_WORDS)
                yield replace(own, from_print=not judged_systems(data, benchmark))
    yield Figure("figure5.svg", bar_chart("FLEX less EX", "mean gain, points", types, means))


def errors_by_difficulty(data: PaperData) -> Iterator[PaperCell | Figure]:
    """Figure 7: the shares of false positives and negatives of EX, the mean over systems."""
    shares: dict[str, dict[str, list[float]]] = {}
    for benchmark, name in _NAMES.items():
        for answers in judged_systems(data, benchmark).values():
            for level in sorted({answer["difficulty"] for answer in answers}):
                own = [answer for answer in answers if answer["difficulty"] == level]
                part = shares.setdefault(f"{name}, {level or 'all'}", {"FP": [], "FN": []})
                part["FP"].append(100 * fmean(each["ex"] and not each["flex"] for each in own))
                part["FN"].append(100 * fmean(each["flex"] and not each["ex"] for each in own))
    if not shares:
        raise MissingFile(f"{SHOWN_FIRST}/bird/SYSTEM_ex_judge.jsonl")
    for row, part in shares.items():
        for column, values in part.items():
            yield PaperCell(row, column, fmean(values), n=len(values))
    bars = {column: [fmean(part[column]) for part in shares.values()] for column in ("FP", "FN")}
    yield Figure("figure7.svg", bar_chart("Errors of EX", "percent of answers", [*shares], bars))


def _systems(data: PaperData, benchmark: str) -> Iterator[PaperCell]:
    judged = judged_systems(data, benchmark)
    for name, answers in judged.items():
        flex, ex = _score(answers)
        yield PaperCell(name, FLEX, flex, n=len(answers))
        yield PaperCell(name, EX, ex, n=len(answers))
        yield PaperCell(name, GAIN, flex - ex, n=len(answers))
    scores = _scores(data, benchmark)
    for name, (rank, change) in ranks(scores).items():
        arrow = "-" if not change else f"{'↑' if change > 0 else '↓'}{abs(change)}"
        reason = _rank_reason(name)
        own = PaperCell(name, RANK, f"{rank} ({arrow})", n=len(scores), reason=reason)
        yield replace(own, from_print=not judged)


def _rank_reason(name: str) -> str:
    return {"SFT_CodeS_3B": _TIE, "Llama2-7B": "the paper leaves out the number"}.get(name, "")


def _shift(data: PaperData, benchmark: str, file: str) -> Iterator[PaperCell | Figure]:
    scores = _scores(data, benchmark)
    name, n = _NAMES[benchmark], len(scores)
    changes = [abs(change) for _, change in ranks(scores).values()]
    reason = _SHIFTS[name]
    for own in (
        PaperCell(_MEAN, name, fmean(flex - ex for flex, ex in scores.values()), n=n),
        PaperCell(_MEAN_RANK, name, fmean(changes), n=n, reason=reason),
        PaperCell(_MOST_RANK, name, max(changes), n=n, reason=_LARGEST),
    ):
        yield replace(own, from_print=not judged_systems(data, benchmark))
    low, high = min(min(pair) for pair in scores.values()), max(map(max, scores.values()))
    points = [(ex, flex) for flex, ex in scores.values()]
    series = (
        Series("systems", points, line=False, names=list(scores)),
        Series("equal", [(low, low), (high, high)], dashed=True, marks=False),
    )
    yield Figure(file, line_chart(f"EX and FLEX on {name}", "EX, %", "FLEX, %", series))


def _scores(data: PaperData, benchmark: str) -> Scores:
    """Of the judged files in the folder, else as the paper prints them."""
    judged = judged_systems(data, benchmark)
    if judged:
        return {name: _score(answers) for name, answers in judged.items()}
    printed = TABLES[benchmark]
    names = dict.fromkeys(row for row, _ in printed)
    return {name: (float(printed[name, FLEX]), float(printed[name, EX])) for name in names}


def _score(answers: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    flex = 100 * fmean(answer["flex"] for answer in answers)
    return flex, 100 * fmean(answer["ex"] for answer in answers)


def ranks(scores: Scores) -> dict[str, tuple[int, int]]:
    """Each system's place by FLEX, and how many places it rises from EX; equals share a place."""

    def position(value: float, side: int) -> int:
        return 1 + sum(pair[side] > value for pair in scores.values())

    places = {name: (position(flex, 0), position(ex, 1)) for name, (flex, ex) in scores.items()}
    return {name: (by_flex, by_ex - by_flex) for name, (by_flex, by_ex) in places.items()}


def system_type(system: str) -> str:
    """The type of a system, as the paper parts them; empty: it does not say."""
    for beginning, kind in _TYPES.items():
        if system.startswith(beginning):
            return kind
    return _PROPRIETARY
