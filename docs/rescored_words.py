"""The words of ``rescored.md``: what its boards, measures and cases are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlverdict.files.markdown import markdown_table

COLUMNS = {
    "ex[spider]": "EX, Spider's script",
    "ex[spider_distinct]": "EX, DISTINCT kept",
    "ex[bird]": "EX, BIRD's script",
    "ex[bird] as written": "EX, replies as they are",
    "results": "verdict, `results`",
    "intent": "verdict, `intent`",
    "strict": "verdict, `strict`",
}


@dataclass(frozen=True)
class Board:
    """What a board, its sets of golds and its parts are called, and what they are."""

    short: str
    title: str
    about: str
    golds: Mapping[str, str]
    parts: Mapping[str, str] = field(default_factory=dict)


BOARDS = {
    "spider": Board(
        "Spider dev",
        "Spider dev: four systems",
        "{n} of Spider's {cases} development questions; those on `wta_1`, whose database is not "
        "at hand, are left out for every system and measure. The prediction files are those of "
        "the ETM project, and “as printed” is that paper's EXE (table 4, all of dev, DISTINCT "
        "kept). No corrected golds of Spider are at hand; instead the questions are looked at by "
        "themselves whose gold no annotator marked as wrong (NL2SQL_Error_Empirical, marks of "
        "six other system runs: a question that all of those answered was not looked at).",
        {"published": "as published"},
        {"not marked": "Without golds that annotators marked as wrong"},
    ),
    "bird": Board(
        "BIRD dev",
        "BIRD dev: three systems",
        "{n} of BIRD's {cases} development questions: those on `student_club` and `toxicology`, "
        "the databases at hand. Nothing is said about the other nine, and nothing was printed for "
        "these two alone. Two sets of golds: those of 2024-06-27, which the prediction files were "
        "published with, and a copy that circulates, in which ties were mended. BIRD rewrote "
        "golds again on 2025-11-06; the new texts are not at hand, but for half of the questions "
        "it is known which were left as they were.",
        {"2024-06-27": "BIRD dev of 2024-06-27", "ties mended": "the copy with ties mended"},
        {
            "known": "Questions of which it is known what BIRD did in 2025",
            "untouched": "Those of them that BIRD left as they were",
        },
    ),
    "mini_dev": Board(
        "BIRD mini-dev",
        "BIRD mini-dev: thirteen systems, golds corrected by experts",
        "The {n} questions of mini-dev on the same two databases, and the thirteen prediction "
        "files for SQLite that BIRD publishes. “As printed” is mini-dev's own table (EX over all "
        "500 questions; it calls the files with `cot` “TA +”). The corrected golds are those of "
        "Arcwise-Plat, as ReViSQL publishes them.",
        {"published": "as published", "corrected": "corrected by experts"},
    ),
}

MEASURES = (
    (
        "EX, Spider's script",
        "the rows are the same; every DISTINCT is removed from both queries before they run, which "
        "is the script's default",
    ),
    ("EX, DISTINCT kept", "the same with the script's option `--keep_distinct`"),
    (
        "EX, BIRD's script",
        "the sets of rows are the same: neither repeated rows nor the order of rows count; the "
        "order of columns does",
    ),
    (
        "EX, replies as they are",
        "the same on the text of the reply with its code fences and prose, as mini-dev's script "
        "runs it. For every other measure the SQL is taken out of the reply first",
    ),
    (
        "verdict, `results`",
        "our comparison says that the answers are the same: repeated rows count, the order of rows "
        "where the gold has one, the order of columns never. No other evidence matters",
    ),
    (
        "verdict, `intent`",
        "it serves the question: proved, the same on the data, or different in what benchmarks "
        "do not compare. A difference in form, and a match of empty answers with a witness "
        "against it, are left to review",
    ),
    (
        "verdict, `strict`",
        "it is the same by more than luck: a witness of ordinary data makes a match wrong. A "
        "difference in form is right",
    ),
)
"""What each measure calls right."""

INTRODUCTION = f"""## How to read the tables

A cell has the **rank**, the share of right answers in percent, and in brackets its 95 % interval
(Wilson) and how many answers are left to review. All cells of a table are about the same
questions: what one system or one measure could not score is left out for all of them.

{markdown_table(("measure", "an answer is right where"), MEASURES)}

Systems share a rank where their difference may be chance: McNemar's exact test on the same
questions against the best system of the group, with Holm's correction, at 5 %. A shared rank does
not say that two systems are equal, and a lower rank says that a system is behind the best of the
group above it, not behind each of its members. What is left to review counts as not right
so far; if all of it were right, a share would rise by that many answers. No language model was
asked. What each policy makes of which evidence is in [judge.md](judge.md).

“How far the first is ahead” has the first three behind the best. Its interval is that of one
comparison alone; a lower rank must also stand Holm's correction for all comparisons with the best,
so that an interval above 0 may go with “no”."""

CASES: Mapping[str, tuple[str, str]] = {
    "spider 206": (
        "Right by luck",
        "The question asks for flights *into* ATO, the prediction counts flights *from* there. "
        "The codes in `flights` begin with a blank, so that both count 0 and EX says right. One "
        "flight is enough to tell them apart. `strict` calls the answer wrong. `intent` calls it "
        "right, as people mostly do where answers match: this is where `intent` errs.",
    ),
    "spider 47": (
        "The gold is wrong, and the prediction pays for it",
        "The youngest pet is a dog here, so both answers are the same. The gold forgot the "
        "condition, the prediction has it. EX and `intent` say right, `strict` says wrong: a "
        "witness shows that two queries differ, not which of them is wrong. This is where "
        "`strict` errs, and why golds are corrected first (`sqlverdict audit`).",
    ),
    "spider 966": (
        "Right because the script removes DISTINCT",
        "The prediction counts treatments, not dogs: 15 for 9. Spider's script removes DISTINCT "
        "from the gold before it runs it, and says right. With DISTINCT kept EX says wrong, as "
        "all verdicts do.",
    ),
    "bird 1396": (
        "Proved equal, and wrong by EX",
        "The two columns stand in another order, which BIRD's comparison counts as wrong; the "
        "question asks for both values. Else the queries are proved equal: the extra join to "
        "`event` changes nothing, as every attendance has its event. All policies say right.",
    ),
    "mini_dev 207": (
        "Wrong until the gold is corrected",
        "The published gold joins atoms to bonds by their molecule, so that it returns every "
        "element of a molecule that has a double bond somewhere. The prediction goes through "
        "`connected`, as the experts' corrected gold does, and is proved equal to that. Every "
        "measure calls it wrong under the published gold and right under the corrected one.",
    ),
}
"""Heading and text of each case, by board and question."""

QUESTIONS = """## What a sceptic may ask

**Are these the same questions for everybody?** Yes, within each table. Between boards they are
not: a share on Spider says nothing about one on BIRD. “As printed” is over all questions of the
split; it stands there to be recognised, not to be compared.

**Is your EX the EX?** Yes, where it was checked: on every answer of Spider dev and BIRD dev and on
half of mini-dev's, under the published golds. The official scripts were run on the same files, and
every verdict is the same; the numbers stand at the head of each board.

**Who says that a policy is right?** People's labels, and only in part. On labels that nobody looked
at while the policies were made, `intent` agrees with people no worse than the best EX, and is not
shown to agree better ([agreement.md](measurements/agreement.md)). Its lines were chosen on labels
that include mini-dev's corrected golds, so mini-dev is no test of it. What it has beyond EX is the
evidence, which anybody can replay.

**Does a proof say that an answer is right?** It says that the prediction and the gold agree on
every legal database. Where the gold is wrong, both are. A witness says that the two differ, not
which of them is wrong: the second case above is a wrong gold.

**What does “no witness after a search” mean?** That none of the databases that were tried tells the
queries apart. It is no proof.

**Which answers are not scored?** Those to questions whose database is not at hand; each board says
how many. No gold failed, and nothing was dropped by hand. A prediction that
runs beyond the limits counts as failing, as for the official scripts; each board says how many.

**Why these systems?** Their prediction files are published for every question. They are from 2022
to 2024: the page is about measures and golds, not about who is best today. Files that list failing
answers alone (NL2SQL_Error_Empirical: ten runs of CHESS, DIN-SQL, MAC-SQL and DEA-SQL) cannot be
ranked. Mini-dev's nine files for PostgreSQL are left out: they are at hand for 44 questions.

**How were the five cases chosen?** By hand, one of each kind, and short."""

REPEAT = """## Repeat it, and add your system

```bash
export SQLVERDICT_DATA=data
python bench/rescored.py runs   # evaluates, or continues; writes docs/rescored.json
python docs/generate.py         # writes this page
```

`data` holds the published files: `spider/` and `bird/` with `predictions/dev/*.txt`, `labels/`, and
the official scripts' verdicts in `spider_reference/`, `bird_reference/` and `bird_mini_dev/`.
`bench/rescored_boards.py` says which file is read for what. With predictions and files of your own:

```bash
python bench/rescored.py runs --facts mine.json \\
    --predictions spider:MINE=mine.txt --predictions bird:MINE=mine_bird.txt
python docs/rescored_page.py mine.json > mine.md
```

Only your systems are evaluated; the published ones stand as they are here. Questions that your run
could not score leave the board. A file may have any format that `evaluate` reads; on the board
`mini_dev` it has an answer to each of the 88 questions of `runs/inputs/mini_dev.jsonl`, by its id.
For other questions and databases run `sqlverdict evaluate` for each system, then
`sqlverdict leaderboard RUNS`, and with `--golds FILE` for other golds
([inputs.md](inputs.md#one-run-several-golds); ranks are there by the value alone)."""


def short_name(system: str) -> str:
    """A system's name without the engine at its end."""
    return system.removesuffix("_sqlite").removesuffix("_SQLite")
