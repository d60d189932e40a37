"""The queue for an estimate, and what each vote keeps of its pair's way into a queue."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from error_parts import asks_for
from label_runs import SECRET, SECRET_SYSTEM, results, write_run
from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import OptionName, UsageError
from sqlverdict.label.ballot import Ballot
from sqlverdict.label.queue import (
    QUEUE_NAMES,
    QueueName,
    assign,
    assign_draw,
    build_queue,
    chance,
    named_queue,
)
from sqlverdict.label.sampling import Draw, allocate, draw_pairs
from sqlverdict.label.session import LabelSession
from sqlverdict.label.session_key import KEY_FILE, SessionKey, open_key
from sqlverdict.label.vote_log import VoteLog
from sqlverdict.load.people.labels import read_labels
from sqlverdict.load.people.votes import VoteEvent, read_events
from sqlverdict.records import Result, Verdict
from sqlverdict.runlog.run import Run

KINDS = (
    ("proved", Verdict.CORRECT, "proved", 60),
    ("accepted", Verdict.CORRECT, "match", 24),
    ("review", Verdict.NEEDS_REVIEW, "minor_difference", 3),
    ("rejected", Verdict.INCORRECT, "difference", 12),
    ("failed", Verdict.INCORRECT, "failed", 1),
)
SIZES = {name: size for name, _, _, size in KINDS}
ALL = sum(SIZES.values())


def many() -> list[Result]:
    """A hundred results: 60 proved, 24 accepted, 3 to review, 12 rejected, one failed."""
    first = replace(results()[1], evidence=())
    kinds = [(verdict, situation) for _, verdict, situation, size in KINDS for _ in range(size)]
    return [
        replace(
            first,
            index=index,
            id=f"q{index}",
            prediction=f"SELECT {index}",
            verdict=verdict,
            situation=situation,
            scores={"ex": float(verdict is Verdict.CORRECT)},
        )
        for index, (verdict, situation) in enumerate(kinds)
    ]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return write_run(tmp_path / "run", many())


@contextmanager
def session_of(run: Run, folder: Path, name: QueueName, size: int) -> Iterator[LabelSession]:
    log = VoteLog(folder)
    queue = build_queue([run], name, size, 0)
    deal = assign_draw if name == "estimate" else assign
    work = deal(queue.order, ("ann", "bob"), 0.2, SECRET)
    try:
        yield LabelSession(queue, work, log, SessionKey(SECRET), True, name)
    finally:
        log.close()


def votes_on(run: Run, folder: Path, name: QueueName, size: int) -> list[VoteEvent]:
    """Everybody votes on every own item."""
    with session_of(run, folder, name, size) as session:
        for annotator, pairs in session.assignment.items():
            for pair in pairs:
                session.vote(annotator, Ballot(pair, "both"))
        return list(read_events(session.log.path))


@pytest.mark.parametrize("size", [5, 20, 50, 100, 200])
def test_a_draw_is_in_proportion_and_has_one_of_each_stratum(run: Run, size: int) -> None:
    draw = build_queue([run], "estimate", size, 0).draw
    assert draw is not None
    assert draw.sizes == SIZES
    numbers = Counter(draw.pairs.values())
    assert numbers.total() == min(size, ALL)
    for name, own in SIZES.items():
        assert 1 <= numbers[name] <= own
        # No stratum is further from its share than one item and what single items cost.
        assert abs(numbers[name] - size * own / ALL) <= 3 or size > ALL


def test_the_same_seed_draws_the_same_pairs_and_another_one_others(run: Run) -> None:
    def pairs(seed: int) -> tuple[str, ...]:
        return build_queue([run], "estimate", 30, seed).order

    assert pairs(7) == pairs(7)
    assert len({pairs(seed) for seed in range(5)}) == 5


def test_a_pair_is_drawn_as_often_as_its_probability_says() -> None:
    strata = {f"{name} {number}": name for name, size in SIZES.items() for number in range(size)}
    times: Counter[str] = Counter()
    seeds = 400
    for seed in range(seeds):
        order = sorted(strata, key=lambda pair: chance(seed, pair))
        draw = draw_pairs(order, strata, 20, seed)
        times.update([*draw.pairs])
    shares = {each.stratum: each.probability for each in draw.sampling.values()}
    for pair, name in strata.items():
        assert shares[name] is not None
        spread = 5 * (seeds * shares[name] * (1 - shares[name])) ** 0.5
        assert abs(times[pair] - seeds * shares[name]) <= spread


@given(
    st.dictionaries(st.sampled_from("abcde"), st.integers(1, 500), min_size=1),
    st.integers(1, 600),
)
def test_an_allocation_is_whole_and_never_more_than_there_is(sizes, size) -> None:
    if size < len(sizes):
        with asks_for(OptionName("n", str(len(sizes)))):
            allocate(sizes, size)
        return
    numbers = allocate(sizes, size)
    assert sum(numbers.values()) == min(size, sum(sizes.values()))
    assert all(1 <= numbers[name] <= own for name, own in sizes.items())
    for one in sizes:
        for other in sizes:
            if sizes[one] > sizes[other]:
                assert numbers[one] >= numbers[other]


@pytest.mark.parametrize("name", [name for name in QUEUE_NAMES if name != "suspected_gold"])
def test_every_queue_says_how_its_pairs_were_chosen(tmp_path: Path, name: QueueName) -> None:
    run = write_run(tmp_path / "run")
    for event in votes_on(run, tmp_path / "labels", name, 100):
        assert event.stratum
        assert (event.stratum_size > 0, event.sampling_probability) == (True, 1.0)


@pytest.mark.parametrize("name", ["estimate", "random", "needs_review", "stratified"])
def test_each_vote_keeps_stratum_size_and_probability(
    run: Run, tmp_path: Path, name: QueueName
) -> None:
    size = 20
    events = votes_on(run, tmp_path / "labels", name, size)
    numbers: dict[str, set[str]] = {}
    for event in events:
        numbers.setdefault(event.stratum, set()).add(event.pair)
    for event in events:
        assert event.stratum
        number = len(numbers[event.stratum])
        assert event.sampling_probability == pytest.approx(number / event.stratum_size)
    sizes = {event.stratum: event.stratum_size for event in events}
    expected = {
        "estimate": SIZES,
        "random": {"all": ALL},
        "needs_review": {"needs_review": 3},
        "stratified": {
            "match, proved": 60, "match, match": 24, "difference, minor_difference": 3,
            "difference, difference": 12, "difference, failed": 1,
        },
    }[name]  # fmt: skip
    assert sizes == expected
    items = read_labels(tmp_path / "labels" / "votes.jsonl").items
    assert {(item.stratum, item.stratum_size) for item in items} == {*sizes.items()}
    assert all(item.sampling_probability for item in items)


def test_weights_make_the_share_of_votes_that_of_the_run(run: Run, tmp_path: Path) -> None:
    """Horvitz and Thompson: the weights of the votes add up to the pairs of the run."""
    for number, name in enumerate(("estimate", "stratified", "random")):
        events = votes_on(run, tmp_path / str(number), name, 25)
        weights = {event.pair: 1 / event.sampling_probability for event in events}
        assert sum(weights.values()) == pytest.approx(ALL)


def test_suspected_golds_are_chosen_by_rank_and_have_no_probability(tmp_path: Path) -> None:
    runs = []
    for number in range(3):
        # Systems that are mostly right, and all of them wrong in three cases of one kind.
        every = [
            replace(results()[2], index=n, id=f"q{n}", scores={"ex": float(n >= 3), "esm": 0.0})
            for n in range(12)
        ]
        runs.append(write_run(tmp_path / f"run{number}", every, f"system {number}"))
    whole = build_queue(runs, "suspected_gold", 100, 0)
    assert {each.probability for each in whole.sampling.values()} == {1.0}
    some = build_queue(runs, "suspected_gold", 1, 0)
    assert {each.probability for each in some.sampling.values()} == {None}


def test_a_fifth_is_labelled_twice_and_each_pair_by_somebody(run: Run) -> None:
    order = build_queue([run], "estimate", 50, 0).order
    for names in (("ann", "bob"), ("ann", "bob", "cai")):
        work = assign_draw(order, names, 0.2, SECRET)
        times = Counter(pair for own in work.values() for pair in own)
        assert {*times} == {*order}
        assert Counter(times.values()) == {1: 40, 2: 10}
        assert max(map(len, work.values())) - min(map(len, work.values())) <= 1
        assert all(len(set(own)) == len(own) for own in work.values())
    assert len(assign_draw(order, ("ann",), 0.2, SECRET)["ann"]) == 50


def test_the_pairs_that_are_labelled_twice_follow_from_the_secret(run: Run) -> None:
    order = build_queue([run], "estimate", 50, 0).order

    def twice(secret: bytes) -> set[str]:
        work = assign_draw(order, ("ann", "bob"), 0.2, secret)
        return {*work["ann"]} & {*work["bob"]}

    assert twice(SECRET) == twice(SECRET) != twice(SECRET[::-1])


def test_a_judge_of_every_pair_makes_its_own_strata(tmp_path: Path) -> None:
    from sqlverdict.runlog.folder import RunFolder
    from sqlverdict.runlog.log import encode_result

    def run_of(folder: str, scores: list[float | None]) -> Run:
        plain = write_run(tmp_path / f"{folder} plain", many())
        manifest = dataclasses.replace(plain.manifest, metrics={"ex": 1, "flex": 1})
        run = RunFolder(tmp_path / folder, manifest, overwrite=True)
        every = [
            replace(one, scores={"ex": 1.0, "flex": score})
            for one, score in zip(many(), scores, strict=True)
        ]
        run.append((result.index, encode_result(result)) for result in every)
        return run.finish(cases=len(every))

    half = [float(number % 2) for number in range(ALL)]
    run = run_of("judged", half)
    judged = build_queue([run], "estimate", 40, 0)
    assert judged.draw is not None
    assert judged.draw.sizes == {"both_right": 42, "both_wrong": 6, "differ": 52}
    # The plan has the strata that the queue draws from.
    args = ["estimate", str(run.folder), "--plan", "--width", "0.3", "--json"]
    plan = json.loads(CliRunner().invoke(sqlverdict, args).output)
    assert {name: each["size"] for name, each in plan["strata"].items()} == judged.draw.sizes
    partly = build_queue([run_of("partly", [None, *half[1:]])], "estimate", 40, 0)
    assert partly.draw is not None
    assert partly.draw.sizes == SIZES


def label(run: Run, *options: str) -> str:
    outcome = CliRunner().invoke(sqlverdict, ["label", str(run.folder), *options])
    return " ".join(outcome.output.split())


def test_the_label_folder_keeps_the_draw_and_refuses_another(run: Run, tmp_path: Path) -> None:
    page = str(tmp_path / "cai.html")
    first = ("--queue", "estimate", "--n", "30", "--annotators", "cai", "--offline", page)
    assert "(30 items)" in label(run, *first)
    folder = run.folder / "labels"
    draw = open_key(folder).draw
    assert isinstance(draw, Draw)
    assert (draw.seed, draw.size, len(draw.pairs)) == (0, 30, 30)
    assert "(30 items)" in label(run, *first)
    assert open_key(folder).draw == draw
    assert "drawn with the seed 0, 30 pairs at most" in label(run, *first, "--set", "seed=1")
    assert "--out DIR" in label(run, *first[:2], "--n", "31", *first[4:])
    assert open_key(folder).draw == draw
    # The draw stands even if the same seed would draw otherwise: it was fixed before the first vote.
    other = msgspec.structs.replace(draw, pairs=dict(list(draw.pairs.items())[:20]))
    key = msgspec.structs.replace(open_key(folder), draw=other)
    (folder / KEY_FILE).write_bytes(msgspec.json.encode(key))
    assert "(20 items)" in label(run, *first)


def test_a_draw_and_another_queue_do_not_share_a_folder(run: Run, tmp_path: Path) -> None:
    votes_on(run, run.folder / "labels", "random", 5)
    offline = ("--n", "30", "--annotators", "cai", "--offline", str(tmp_path / "cai.html"))
    assert "has votes on another queue" in label(run, "--queue", "estimate", *offline)
    own = ("--out", str(tmp_path / "own"))
    assert "(30 items)" in label(run, "--queue", "estimate", *offline, *own)
    assert "has a draw for an estimate" in label(run, "--queue", "random", *offline, *own)
    assert "(30 items)" in label(run, "--queue", "estimate", *offline, *own)


def test_a_draw_from_other_predictions_is_refused(run: Run, tmp_path: Path) -> None:
    queue = build_queue([run], "estimate", 30, 0)
    changed = [replace(result, prediction=f"{result.prediction} + 1") for result in many()]
    later = write_run(tmp_path / "later", changed)
    with asks_for(OptionName("out", "DIR")):
        build_queue([later], "estimate", 30, 0, draw=queue.draw)


def test_an_estimate_is_blind(run: Run) -> None:
    assert "leave out --not-blind" in label(run, "--queue", "estimate", "--not-blind")
    assert "Draw more than 4 with --n 5" in label(run, "--queue", "estimate", "--n", "4")


def test_votes_of_an_offline_page_get_their_strata_from_the_draw(run: Run, tmp_path: Path) -> None:
    page, file = tmp_path / "cai.html", tmp_path / "votes.jsonl"
    label(run, "--queue", "estimate", "--n", "30", "--annotators", "cai", "--offline", str(page))
    (text,) = re.findall(r'id="page-data">(.*?)</script>', page.read_text(), re.DOTALL)
    data = json.loads(text)
    for word in (*SIZES, "stratum", "probability", SECRET_SYSTEM):
        assert word not in text, "the page does not know the strata"
    votes = [
        {
            "vote_schema": 1, "kind": "vote", "id": item["id"], "pair": item["pair"],
            "annotator": "cai", "at": "2026-01-01T12:00:00Z", "source": "offline",
            "choice": "neither", "shown": {"first": "", "blind": True, "queue": data["queue"]},
        }
        for item in data["items"]
    ]  # fmt: skip
    file.write_text("".join(json.dumps(vote) + "\n" for vote in votes))
    assert "30 added" in label(run, "--import", str(file))
    events = list(read_events(run.folder / "labels" / "votes.jsonl"))
    assert sum(1 / event.sampling_probability for event in events) == pytest.approx(ALL)
    assert {event.stratum: event.stratum_size for event in events} == SIZES


def test_a_queue_that_no_vote_can_name_has_no_strata(run: Run) -> None:
    for text in ("", "random, seed 0", "none, seed 0, n 5", "estimate, seed 0, n 30"):
        assert named_queue([run], text, None) is None
    again = named_queue([run], build_queue([run], "random", 5, 3).text, None)
    assert again is not None
    assert again.order == build_queue([run], "random", 5, 3).order


def test_evidence_stays_hidden_until_all_own_items_have_a_label(run: Run, tmp_path: Path) -> None:
    with session_of(run, tmp_path / "labels", "estimate", 10) as session:
        *others, last = session.assignment["ann"]
        for pair in others:
            session.vote("ann", Ballot(pair, "both"))
        assert session.state("ann").reveals_at_end
        with pytest.raises(UsageError, match="all evidence"):
            session.reveal("ann", others[0])
        session.vote("ann", Ballot(last, "skip"))
        with pytest.raises(UsageError, match="all evidence"):
            session.reveal("ann", others[0])
        session.vote("ann", Ballot(last, "undecided"))
        assert session.reveal("ann", others[0]).systems == (SECRET_SYSTEM,)


def test_exported_votes_keep_strata_and_mode(run: Run, tmp_path: Path) -> None:
    events = votes_on(run, run.folder / "labels", "estimate", 20)
    for name in ("votes.csv", "votes.jsonl"):
        file, copy = tmp_path / name, str(tmp_path / f"copy of {name}")
        label(run, "--export-votes", str(file))
        label(run, "--import", str(file), "--out", copy)
        again = list(read_events(Path(copy) / "votes.jsonl"))
        fields = ("pair", "stratum", "stratum_size", "sampling_probability", "mode")

        def known(every: list[VoteEvent], fields=fields) -> set[tuple[object, ...]]:
            return {tuple(getattr(event, field) for field in fields) for event in every}

        assert known(again) == known(events)
