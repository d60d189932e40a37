"""The tables and figures of FLEX (Kim et al., 2024)."""

from __future__ import annotations

from sqlverdict.papers.exhibit import Exhibit, Paper
from sqlverdict.papers.flex.examples import TABLE_2, example_evidence
from sqlverdict.papers.flex.judges import FIGURE_8, agreement_by_model
from sqlverdict.papers.flex.kinds import FIGURE_6, difference_kinds, error_kinds
from sqlverdict.papers.flex.people import (
    TABLE_3,
    TABLE_4,
    TABLE_5,
    agreement_with_experts,
    context_agreement,
    information_agreement,
)
from sqlverdict.papers.flex.systems import (
    FIGURE_1,
    FIGURE_4,
    FIGURE_5,
    TABLE_8,
    TABLE_9,
    bird_shift,
    bird_systems,
    errors_by_difficulty,
    gains_by_type,
    spider_shift,
    spider_systems,
)

_NEVER = "FLEX publishes no judged answers of a system."
_RANKS = (
    f"{_NEVER} Ranks are what the printed scores give; equal scores share a rank. Files that "
    "FLEX's own scripts write (SYSTEM_ex_judge.jsonl) are scored where the folder has them."
)
_JUDGE = (
    "sqlverdict evaluate --benchmark {0} --root {1} --predictions SYSTEM=FILE --judge flex "
    "--model gpt-4o-2024-08-06 --metrics ex,flex --set prompts=FLEX --out runs/SYSTEM && "
    "sqlverdict leaderboard runs/* --metric flex --baseline-metric ex"
)
_BIRD = _JUDGE.format("bird", "BIRD")
_SPIDER = _JUDGE.format("spider", "SPIDER")
_RESULTS = (
    "sqlverdict agree runs/gpt4o --labels FLEX/results/agreement/experts_agreement_200.csv "
    "--half 0 --context no_results --context results_in_both --model gpt-4o-2024-08-06 "
    "--set prompts=FLEX"
)
_PARTS = (
    "sqlverdict agree runs/gpt4o --labels FLEX/results/agreement/experts_agreement_200.csv "
    "--half 0 --context no_question --context no_knowledge --context no_criteria "
    "--context no_gold "
    "--model gpt-4o-2024-08-06 --set prompts=FLEX"
)
_NO_REPLIES = "FLEX publishes replies in one context only, and a model has to be asked."

PAPER = Paper(
    name="flex",
    title="FLEX: Expert-level False-Less EXecution Metric for Reliable Text-to-SQL Benchmark "
    "(Kim et al., 2024)",
    exhibits=(
        Exhibit(
            names=("table 1", "table 9"),
            title="BIRD: 20 systems by FLEX and by EX (table 1 has the first ten)",
            printed=TABLE_9,
            compute=bird_systems,
            about=_RANKS,
            absent=_NEVER,
            command=_BIRD,
        ),
        Exhibit(
            names=("table 2",),
            title="a false positive and two false negatives of EX",
            printed=TABLE_2,
            compute=example_evidence,
            about="EX on rows such as the paper speaks of, beside our verdict by the policy "
            "strict, which calls a lucky match wrong; and what evidence says of the two queries.",
            command="sqlverdict pair 'GOLD' 'PREDICTION' --db FILE",
        ),
        Exhibit(
            names=("table 3",),
            title="agreement with three experts: EX, FLEX and its baselines",
            printed=TABLE_3,
            compute=agreement_with_experts,
            about="FLEX's published pairs, the replies of GPT-4o as our parser reads them, and the "
            "experts' consensus, of which 0.5 counts as wrong, as in FLEX's script. The paper's "
            "text has the halves of the false positives and negatives the wrong way round.",
            absent="FLEX publishes no replies of this judge.",
            command="cat FLEX/results/agreement/f[np]_gpt-4o-2024-08-06.jsonl > pairs.jsonl && "
            "sqlverdict evaluate --benchmark flex --root pairs.jsonl --judge replay --metrics "
            "ex,flex --out runs/gpt4o && sqlverdict agree runs/gpt4o --labels "
            "FLEX/results/agreement/experts_agreement_200.csv --half 0 --percent",
        ),
        Exhibit(
            names=("table 4",),
            title="agreement by where results are shown",
            printed=TABLE_4,
            compute=context_agreement,
            about="Other contexts are compared where the folder has their replies, under the names "
            "that FLEX's script gives them.",
            absent=_NO_REPLIES,
            command=_RESULTS,
        ),
        Exhibit(
            names=("table 5",),
            title="agreement without parts of the context",
            printed=TABLE_5,
            compute=information_agreement,
            about="In FLEX's repository the template without the question still shows it.",
            absent=_NO_REPLIES,
            command=_PARTS,
        ),
        Exhibit(
            names=("table 6", "table 7"),
            title="names and sources of prediction files",
            absent="Nothing is computed there.",
            command="sqlverdict evaluate --benchmark bird --root BIRD --predictions NAME=FILE",
        ),
        Exhibit(
            names=("table 8",),
            title="Spider: 30 systems by FLEX and by EX",
            printed=TABLE_8,
            compute=spider_systems,
            about=_RANKS,
            absent=_NEVER,
            command=_SPIDER,
        ),
        Exhibit(
            names=tuple(f"table {number}" for number in range(10, 19)),
            title="nine cases with an expert's and GPT-4o's words",
            absent="They are cases to read, each with its evidence beside the judge's words.",
            command="sqlverdict show runs/gpt4o EQ-3    # of the run of table 3",
        ),
        Exhibit(
            names=("figure 1",),
            title="EX and FLEX on Spider",
            printed=FIGURE_1,
            compute=spider_shift,
            about="Derived from the scores that table 8 prints.",
            command=_SPIDER,
        ),
        Exhibit(
            names=("figure 2",),
            title="an outline of the method",
            absent="Nothing is computed there.",
            command="sqlverdict explain metric flex",
        ),
        Exhibit(
            names=("figure 3", "figure 8"),
            title="agreement with people by model, size and price",
            printed=FIGURE_8,
            compute=agreement_by_model,
            about="FLEX publishes replies of GPT-4o alone, and figures without numbers for the "
            "other 23 models. The other rows are recorded judges on ROSE's pairs, which other "
            "people labelled. Dollars are list prices for 3,700 tokens read and 400 written a "
            "judgement; hidden reasoning of o3, Gemini and R1 is not counted.",
            absent="FLEX's pairs are not in the data folder.",
            command="sqlverdict agree runs/* --labels "
            "FLEX/results/agreement/experts_agreement_200.csv --half 0 --figures figures",
        ),
        Exhibit(
            names=("figure 4",),
            title="EX and FLEX on BIRD",
            printed=FIGURE_4,
            compute=bird_shift,
            about="Derived from the scores that table 9 prints.",
            command=_BIRD,
        ),
        Exhibit(
            names=("figure 5",),
            title="mean gain by type of system",
            printed=FIGURE_5,
            compute=gains_by_type,
            about="Derived from the scores of tables 8 and 9; the paper prints no numbers. Types "
            "follow the systems' names; three of Spider's 30 names do not say theirs.",
            command="sqlverdict leaderboard runs/* --metric flex --baseline-metric ex "
            "--type SYSTEM=prompted --figures figures",
        ),
        Exhibit(
            names=("figure 6",),
            title="why right answers differ from the gold, percent of BIRD's false negatives",
            printed=FIGURE_6,
            compute=difference_kinds,
            about="FLEX's published sample with GPT-4o's kinds, beside what at least two of three "
            "experts say, who call some of these answers wrong after all (no such case).",
            command="sqlverdict evaluate --benchmark flex --root "
            "FLEX/results/categorization_agreement/categorized_fn100.jsonl --judge replay "
            "--categories --metrics ex,flex --out runs/fn && sqlverdict table runs/fn --of "
            "categories --metric flex --figures figures",
        ),
        Exhibit(
            names=("figure 7",),
            title="false positives and negatives of EX by difficulty",
            compute=errors_by_difficulty,
            about="The paper prints no numbers.",
            command="sqlverdict leaderboard runs/* --metric flex --baseline-metric ex "
            "--figures figures",
        ),
        Exhibit(
            names=("figure 9",),
            title="kinds of error, percent of BIRD's false positives",
            compute=error_kinds,
            about="The paper prints no numbers. FLEX's published sample, as for figure 6; most "
            "experts call many of these answers right (no such case).",
            command="sqlverdict evaluate --benchmark flex --root "
            "FLEX/results/categorization_agreement/categorized_fp100.jsonl --judge replay "
            "--categories --metrics ex,flex --out runs/fp && sqlverdict table runs/fp --of "
            "categories --metric flex --figures figures",
        ),
        Exhibit(
            names=tuple(f"figure {number}" for number in range(10, 17)),
            title="prompts of FLEX and of Prometheus-2",
            absent="Our prompts have the same criteria in words of our own.",
            command="sqlverdict evaluate --judge flex --set prompts=FLEX    # asks in FLEX's words",
        ),
    ),
    sources={
        "flex/results": "the folder results of github.com/HeegyuKim/FLEX (a clone of it as flex); "
        "FLEX's scripts write SYSTEM_ex_judge.jsonl there, which it does not publish",
        "labels/rose_vec.jsonl": "ROSE's pairs, a JSON object a line: id, set (bird or spider), "
        "label, and verdicts by MODEL/PROMPT",
    },
)
