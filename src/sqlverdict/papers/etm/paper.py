"""The tables and figures of ETM (Ascoli et al., 2025)."""

from __future__ import annotations

from sqlverdict.papers.etm.scores import TABLE_4, demo_scores, spider_scores
from sqlverdict.papers.exhibit import Exhibit, Paper

PAPER = Paper(
    name="etm",
    title="ETM: Modern Insights into Perspective on Text-to-SQL Evaluation in the Age of Large "
    "Language Models (Ascoli et al., 2025)",
    exhibits=(
        Exhibit(
            names=("table 4",),
            title="execution accuracy (EXE), exact set match (ESM) and ETM on Spider",
            printed=TABLE_4,
            compute=spider_scores,
            demo=demo_scores,
            about="The development set, with the prediction files that the project publishes. "
            "EXE is the comparison of Spider's test suite with DISTINCT kept; ESM is the answer of "
            "its script, whose parser failures count as wrong.",
            command="sqlverdict evaluate --benchmark spider --root SPIDER --predictions "
            "NAME=FILE --metrics 'ex[spider_distinct],esm[script],etm'",
        ),
    ),
    sources={
        "spider": "Spider 1.0 as it is published: dev.json, tables.json and database/",
        "spider/predictions/dev": "DAIL.txt, C3.txt, RESDSQL.txt and RASAT+PICARD.txt, the "
        "prediction files of github.com/emorynlp/ETM",
    },
)
