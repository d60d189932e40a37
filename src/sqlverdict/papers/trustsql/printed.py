"""What TrustSQL prints in its tables 2 and 3, and for Spider in its tables 6 to 12.

Table 3 prints its in-context rows one label too high; here each row stands with its method.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlverdict.papers.exhibit import Position, Printed

DATASETS: Mapping[str, str] = {
    "spider": "Spider",
    "atis": "ATIS",
    "advising": "Advising",
    "ehrsql": "EHRSQL",
}
LEVELS = ("easy", "medium", "hard")
TYPES = ("surface", "related", "unrelated", "non-sql", "out-of-domain")
RECORDED: Mapping[str, str] = {
    "SQLP": "sqlprompt",
    "CLS>SQLP": "cls_sqlprompt",
    "SQLP>SELFREF": "sqlprompt_err",
    "CLS>SQLP>SELFREF": "pipeline",
    "SQLP[DEMO]": "demo",
    "SQLP[VOTING]": "voting",
}
"""The paper's methods whose outputs the authors published later, and their names there."""


def printed_rows(columns: Sequence[str], text: str) -> dict[Position, str]:
    """A line a row: its name, two spaces, a value for each column; ``-`` is none."""
    cells: dict[Position, str] = {}
    for line in text.strip().splitlines():
        name, *parts = re.split(r"\s{2,}", line.strip())
        values = " ".join(parts).split()
        cells |= {
            (name, column): value
            for column, value in zip(columns, values, strict=True)
            if value != "-"
        }
    return cells


def views_of(names: Sequence[str]) -> list[str]:
    """A column for each view and data set."""
    return [f"{name} {dataset}" for name in names for dataset in DATASETS.values()]


TABLE_2: Printed = printed_rows(
    views_of(("ANS", "25%", "ANS+UnANS")),
    """
    ABSTAIN-ALL       - - - -  19.9 20.0 20.0 20.0  49.9 50.0 50.0 50.0
    T5                42.9 67.0 72.4 82.7  - - - -  - - - -
    RF>T5             39.7 64.5 65.5 80.2  42.9 65.9 66.1 74.0  43.2 69.7 61.8 67.0
    T5>RF*            9.5 39.9 40.7 63.6  26.9 49.1 49.2 66.1  52.9 63.8 64.4 69.3
    RF>T5>RF*         9.5 39.7 39.4 63.1  26.9 50.4 49.4 66.9  52.9 67.3 65.7 71.6
    T5[MaxEnt]        17.5 58.0 52.2 58.9  33.3 65.0 58.7 65.9  57.3 74.5 69.1 76.4
    T5[MaxProb]       23.5 56.3 55.7 65.4  37.1 64.0 60.5 70.5  57.9 75.3 69.3 78.4
    T5[FeatMD]        2.3 66.0 71.5 80.6  21.6 64.2 66.4 70.2  49.2 61.6 59.6 54.2
    T5[FeatRMD]       16.7 66.2 71.5 82.5  32.2 64.4 65.9 68.6  53.7 61.7 57.7 47.9
    DIN-SQL           75.0 26.5 57.2 45.4  - - - -  - - - -
    SQLP              54.5 81.5 82.2 85.3  - - - -  - - - -
    CLS>DIN           73.1 26.5 57.0 34.8  74.2 38.5 61.1 42.5  73.9 55.0 65.5 54.8
    CLS>SQLP          52.4 81.1 82.0 82.3  58.7 82.4 81.7 80.9  67.6 82.9 79.5 79.0
    SQLP>SELFREF      44.2 28.4 34.0 23.3  55.3 40.8 44.4 35.9  72.0 57.2 58.7 55.9
    CLS>SQLP>SELFREF  42.7 28.4 34.0 23.3  54.1 41.8 45.8 37.5  71.3 61.7 63.9 59.7
    SQLP[DEMO]        74.6 79.4 81.1 82.2  72.2 79.0 76.7 76.2  68.7 73.5 70.3 68.7
    SQLP[VERBAL]      73.4 77.9 82.2 82.0  76.0 75.8 77.2 76.8  79.3 70.4 66.8 73.0
    SQLP[VOTING]      11.6 31.9 33.2 52.4  29.2 45.4 46.1 61.0  55.1 65.0 65.8 74.3
    """,
)
_CRITICAL = ("ANS", "ANS+UnANS")
TABLE_3: Printed = printed_rows(
    [f"RS(10) {column}" for column in views_of(_CRITICAL)],
    """
    ABSTAIN-ALL       - - - -  49.9 50.0 50.0 50.0
    RF>T5             -491.7 -252.7 -202.8 -85.8  -489.2 -213.9 -281.5 -246.7
    T5>RF*            -30.4 -92.4 -135.6 -60.6  14.8 -64.4 -82.8 -118.1
    RF>T5>RF*         -30.4 -92.6 -137.0 -61.1  15.9 -24.1 -62.9 -89.5
    T5[MaxEnt]        -31.9 -108.0 -2.3 11.8  19.3 -53.7 -27.5 22.9
    T5[MaxProb]       -105.5 -71.8 -4.3 13.0  -44.8 -17.1 -46.1 8.8
    T5[FeatMD]        -5.3 -251.3 -194.9 -85.3  27.4 -311.3 -335.4 -389.6
    T5[FeatRMD]       -163.6 -251.1 -196.8 -90.9  -82.2 -311.2 -356.9 -473.0
    CLS>DIN           -173.6 -704.6 -365.1 -608.7  -176.1 -392.4 -276.0 -393.3
    CLS>SQLP          -401.1 -103.8 -90.6 -85.8  -245.2 -86.2 -122.2 -127.1
    SQLP>SELFREF      -322.0 -24.2 -35.5 -16.3  -112.5 -38.3 -58.5 -21.1
    CLS>SQLP>SELFREF  -321.6 -24.2 -35.5 -12.0  -111.2 10.2 -1.8 22.2
    SQLP[DEMO]        -179.7 -122.3 -108.4 -88.0  -244.0 -189.1 -227.1 -240.7
    SQLP[VERBAL]      -188.4 -119.5 -64.2 -60.4  -126.0 -214.3 -249.3 -178.1
    SQLP[VOTING]      -1.7 13.0 18.2 19.2  42.8 46.1 49.8 39.0
    """,
) | printed_rows(
    [f"RS(N) {column}" for column in views_of(_CRITICAL)],
    """
    ABSTAIN-ALL       - - - -  49.9 50.0 50.0 50.0
    RF>T5             -28.0K -15.0K -14.2K -15.4K  -56.0K -26.9K -36.5K -58.5K
    T5>RF*            -2.1K -6.3K -9.4K -11.5K  -3.9K -12.1K -15.6K -34.9K
    RF>T5>RF*         -2.1K -6.3K -9.4K -11.5K  -3.8K -8.6K -13.6K -30.0K
    T5[MaxEnt]        -2.6K -7.8K -2.8K -4.3K  -3.9K -12.1K -10.2K -9.9K
    T5[MaxProb]       -6.8K -6.0K -3.1K -4.8K  -10.7K -8.7K -12.2K -12.9K
    T5[FeatMD]        -397.7 -15.0K -14.1K -15.4K  -2.3K -35.4K -42.0K -82.8K
    T5[FeatRMD]       -9.5K -15.0K -14.2K -16.1K  -14.2K -35.4K -44.1K -97.3K
    CLS>DIN           -12.9K -34.8K -22.4K -60.1K  -26.2K -42.5K -36.3K -83.6K
    CLS>SQLP          -23.8K -8.7K -9.1K -15.6K  -32.8K -16.0K -21.4K -38.4K
    SQLP>SELFREF      -19.3K -2.5K -3.7K -3.7K  -19.3K -9.0K -12.4K -14.3K
    CLS>SQLP>SELFREF  -19.2K -2.5K -3.7K -3.3K  -19.1K -4.8K -6.9K -6.9K
    SQLP[DEMO]        -13.3K -9.5K -10.0K -15.8K  -32.8K -24.9K -31.6K -57.7K
    SQLP[VERBAL]      -13.7K -9.3K -7.7K -13.2K  -21.5K -27.0K -33.6K -46.8K
    SQLP[VOTING]      -688.4 -868.1 -766.8 -3.0K  -1.2K -1.7K -1.6K -6.5K
    """,
)
TABLE_6: Printed = printed_rows(
    ("RS(0)",),
    """
    8 (pos4/neg4)   73.4
    8 (pos8)        54.5
    16 (pos8/neg8)  74.6
    16 (pos16)      64.3
    """,
)
TABLE_7: Printed = printed_rows(
    ("RS(0)", "RS(10)", "RS(N)"),
    """
    5 samples    55.1 42.8 -1.2K
    10 samples   52.8 46.1 -647.2
    20 samples   51.7 49.8 -148.3
    50 samples   50.6 50.6 50.6
    100 samples  50.2 50.2 50.2
    """,
)
TABLE_8: Printed = printed_rows(
    LEVELS,
    """
    RF       90.4 94.9 96.7
    RoBERTa  5.0 1.9 4.4
    CLS      97.5 98.1 97.8
    """,
)
TABLE_9: Printed = printed_rows(
    TYPES,
    """
    RF       13.0 11.0 31.0 71.0 95.2
    RoBERTa  99.0 98.0 100 100 100
    CLS      59.0 59.0 88.0 83.0 82.4
    """,
)
TABLE_10: Printed = printed_rows(
    LEVELS,
    """
    T5       65.4 18.6 15.4
    SQLP     51.1 60.9 53.8
    DIN-SQL  82.9 74.4 51.6
    """,
)
TABLE_11: Printed = printed_rows(
    LEVELS,
    """
    T5>RF*        97.1 98.1 89.0
    T5[MaxEnt]    94.3 94.2 98.9
    T5[MaxProb]   88.9 80.1 93.4
    T5[FeatMD]    100 97.4 100
    T5[FeatRMD]   91.8 67.3 76.9
    SQLP>SELFREF  59.3 67.3 69.2
    SQLP[DEMO]    84.3 66.7 58.2
    SQLP[VERBAL]  83.6 66.0 57.1
    SQLP[VOTING]  99.6 98.7 95.6
    """,
)
TABLE_12: Printed = printed_rows(
    TYPES,
    """
    T5>RF*        93.0 89.0 100 99.0 100
    T5[MaxEnt]    95.0 94.0 97.0 100 100
    T5[MaxProb]   88.0 87.0 92.0 98.0 96.0
    T5[FeatMD]    92.0 94.0 95.0 100 100
    T5[FeatRMD]   77.0 84.0 92.0 100 99.2
    SQLP>SELFREF  100 100 99.0 100 100
    SQLP[DEMO]    36.0 40.0 52.0 82.0 96.0
    SQLP[VERBAL]  81.0 77.0 84.0 89.0 92.8
    SQLP[VOTING]  100 98.0 98.0 100 98.4
    """,
)
