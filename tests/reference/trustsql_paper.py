"""The cells of Tables 2 and 3 of the TrustSQL paper, as printed.

Table 3 prints its in-context rows one label too high; here each row stands with its method.
Columns of a row: Spider, ATIS, Advising, EHRSQL on ANS, then the same on ANS+UnANS.
"""

from __future__ import annotations

DATASETS = ("spider", "atis", "advising", "ehrsql")
VIEWS = ("ANS", "ANS+UnANS")

RS_0 = {
    "RF>T5": "39.7 64.5 65.5 80.2 43.2 69.7 61.8 67.0",
    "T5>RF*": "9.5 39.9 40.7 63.6 52.9 63.8 64.4 69.3",
    "RF>T5>RF*": "9.5 39.7 39.4 63.1 52.9 67.3 65.7 71.6",
    "T5[MaxEnt]": "17.5 58.0 52.2 58.9 57.3 74.5 69.1 76.4",
    "T5[MaxProb]": "23.5 56.3 55.7 65.4 57.9 75.3 69.3 78.4",
    "T5[FeatMD]": "2.3 66.0 71.5 80.6 49.2 61.6 59.6 54.2",
    "T5[FeatRMD]": "16.7 66.2 71.5 82.5 53.7 61.7 57.7 47.9",
    "CLS>DIN": "73.1 26.5 57.0 34.8 73.9 55.0 65.5 54.8",
    "CLS>SQLP": "52.4 81.1 82.0 82.3 67.6 82.9 79.5 79.0",
    "SQLP>SELFREF": "44.2 28.4 34.0 23.3 72.0 57.2 58.7 55.9",
    "CLS>SQLP>SELFREF": "42.7 28.4 34.0 23.3 71.3 61.7 63.9 59.7",
    "SQLP[DEMO]": "74.6 79.4 81.1 82.2 68.7 73.5 70.3 68.7",
    "SQLP[VERBAL]": "73.4 77.9 82.2 82.0 79.3 70.4 66.8 73.0",
    "SQLP[VOTING]": "11.6 31.9 33.2 52.4 55.1 65.0 65.8 74.3",
}

RS_10 = {
    "RF>T5": "-491.7 -252.7 -202.8 -85.8 -489.2 -213.9 -281.5 -246.7",
    "T5>RF*": "-30.4 -92.4 -135.6 -60.6 14.8 -64.4 -82.8 -118.1",
    "RF>T5>RF*": "-30.4 -92.6 -137.0 -61.1 15.9 -24.1 -62.9 -89.5",
    "T5[MaxEnt]": "-31.9 -108.0 -2.3 11.8 19.3 -53.7 -27.5 22.9",
    "T5[MaxProb]": "-105.5 -71.8 -4.3 13.0 -44.8 -17.1 -46.1 8.8",
    "T5[FeatMD]": "-5.3 -251.3 -194.9 -85.3 27.4 -311.3 -335.4 -389.6",
    "T5[FeatRMD]": "-163.6 -251.1 -196.8 -90.9 -82.2 -311.2 -356.9 -473.0",
    "CLS>DIN": "-173.6 -704.6 -365.1 -608.7 -176.1 -392.4 -276.0 -393.3",
    "CLS>SQLP": "-401.1 -103.8 -90.6 -85.8 -245.2 -86.2 -122.2 -127.1",
    "SQLP>SELFREF": "-322.0 -24.2 -35.5 -16.3 -112.5 -38.3 -58.5 -21.1",
    "CLS>SQLP>SELFREF": "-321.6 -24.2 -35.5 -12.0 -111.2 10.2 -1.8 22.2",
    "SQLP[DEMO]": "-179.7 -122.3 -108.4 -88.0 -244.0 -189.1 -227.1 -240.7",
    "SQLP[VERBAL]": "-188.4 -119.5 -64.2 -60.4 -126.0 -214.3 -249.3 -178.1",
    "SQLP[VOTING]": "-1.7 13.0 18.2 19.2 42.8 46.1 49.8 39.0",
}

RS_N = {
    "RF>T5": "-28.0K -15.0K -14.2K -15.4K -56.0K -26.9K -36.5K -58.5K",
    "T5>RF*": "-2.1K -6.3K -9.4K -11.5K -3.9K -12.1K -15.6K -34.9K",
    "RF>T5>RF*": "-2.1K -6.3K -9.4K -11.5K -3.8K -8.6K -13.6K -30.0K",
    "T5[MaxEnt]": "-2.6K -7.8K -2.8K -4.3K -3.9K -12.1K -10.2K -9.9K",
    "T5[MaxProb]": "-6.8K -6.0K -3.1K -4.8K -10.7K -8.7K -12.2K -12.9K",
    "T5[FeatMD]": "-397.7 -15.0K -14.1K -15.4K -2.3K -35.4K -42.0K -82.8K",
    "T5[FeatRMD]": "-9.5K -15.0K -14.2K -16.1K -14.2K -35.4K -44.1K -97.3K",
    "CLS>DIN": "-12.9K -34.8K -22.4K -60.1K -26.2K -42.5K -36.3K -83.6K",
    "CLS>SQLP": "-23.8K -8.7K -9.1K -15.6K -32.8K -16.0K -21.4K -38.4K",
    "SQLP>SELFREF": "-19.3K -2.5K -3.7K -3.7K -19.3K -9.0K -12.4K -14.3K",
    "CLS>SQLP>SELFREF": "-19.2K -2.5K -3.7K -3.3K -19.1K -4.8K -6.9K -6.9K",
    "SQLP[DEMO]": "-13.3K -9.5K -10.0K -15.8K -32.8K -24.9K -31.6K -57.7K",
    "SQLP[VERBAL]": "-13.7K -9.3K -7.7K -13.2K -21.5K -27.0K -33.6K -46.8K",
    "SQLP[VOTING]": "-688.4 -868.1 -766.8 -3.0K -1.2K -1.7K -1.6K -6.5K",
}


def cells() -> dict[tuple[str, str, str, str], str]:
    """Every cell by method, dataset, view and penalty."""
    results = {}
    for penalty, table in (("0", RS_0), ("10", RS_10), ("N", RS_N)):
        for method, row in table.items():
            for column, cell in enumerate(row.split()):
                view, dataset = VIEWS[column // 4], DATASETS[column % 4]
                results[method, dataset, view, penalty] = cell
    return results


def as_printed(score: float) -> str:
    """A score as the paper prints it: times 100, in thousands from a thousand on."""
    value = 100 * score
    return f"{value / 1000:.1f}K" if abs(value) >= 1000 else f"{value:.1f}"
