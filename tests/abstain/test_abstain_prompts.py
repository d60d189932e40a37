from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from abstain_parts import QUESTIONS, SCHEMA, Script, ask, known, make_database, strange

from error_parts import asks_for
from sqlverdict.abstain.compose import MethodPart, make_method
from sqlverdict.abstain.generators.din_sql import class_named, class_of, links_of, steps_of
from sqlverdict.abstain.method import (
    Ask,
    Draft,
    GeneratorNeeds,
    Tools,
    TrainingData,
    TrainingExample,
)
from sqlverdict.abstain.prompting.demonstrations import ExamplePool, Tfidf
from sqlverdict.abstain.prompting.prompt import PROMPTS
from sqlverdict.abstain.prompting.schema_text import column_lists, create_tables, one_line
from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.llm.prompt import Prompt
from sqlverdict.llm.request import NoReply, Request, TokenChoice
from sqlverdict.parse.schemas.ddl import read_ddl

TRAINING = TrainingData(train=known(), background=strange())
NEW = ask("How many items cost less than 2?", 99)
DOWN = NoReply("the server is down", 3)


def scripted_tools(
    reply: Callable[[Request], str | NoReply], **more: object
) -> tuple[Tools, Script]:
    script = Script(reply)
    return Tools(answerer=script, model="m", concurrency=3, **more), script  # type: ignore[arg-type]


# The words themselves.


@pytest.mark.parametrize("name", PROMPTS.names())
def test_every_prompt_has_a_version_and_places_to_fill(name: str) -> None:
    table = PROMPTS.load(name)
    assert table.version >= 1
    assert table.purpose == f"{name}@{table.version}"
    places = set(re.findall(r"\{\{(\w+)\}\}", table.user))
    assert {"question", "schema"} <= places
    messages = table.messages({field: f"<{field}>" for field in places})
    assert [message.role for message in messages] == ["system", "user"]
    assert all(f"<{field}>" in messages[1].content for field in places)


def test_what_is_filled_in_is_not_filled_again() -> None:
    prompt = Prompt("p", 1, "p@1", "", "{{question}} | {{schema}} | {not a place}")
    (message,) = prompt.messages({"question": "what is {{schema}}?", "schema": "S"})
    assert message.content == "what is {{schema}}? | S | {not a place}"


# Schemas as text.


def test_columns_in_lists_with_keys() -> None:
    text = column_lists(SCHEMA, primary_keys=True)
    assert text.splitlines() == [
        "Table item, columns = [item_id,name,price]",
        "Table sale, columns = [sale_id,item_id,day]",
        "Foreign_keys = [sale.item_id = item.item_id]",
        "Primary_keys = [item.item_id,sale.sale_id]",
    ]
    assert one_line(SCHEMA) == "item : item_id , name , price | sale : sale_id , item_id , day"
    assert column_lists(None) == one_line(None) == create_tables(None) == ""


@pytest.fixture
def runner() -> Iterator[QueryRunner]:
    result = QueryRunner("sqlite", Limits())
    yield result
    result.close()


def test_tables_with_three_values_a_column(runner: QueryRunner, tmp_path: Path) -> None:
    database = make_database(tmp_path / "shop.sqlite")
    text = create_tables(SCHEMA, str(database), runner, 2)
    assert "foreign key (item_id) references item (item_id)" in text
    assert "Columns in item and 2 examples in each column:\nitem_id: 1, 2\nname: pen, pad" in text
    assert "/*" not in create_tables(SCHEMA, str(database), None)
    odd = read_ddl("CREATE TABLE t (a TEXT)", "odd")
    assert create_tables(odd, str(database), runner) == "CREATE TABLE t (\n  a text\n)"


# Which demonstrations.


def test_similar_questions_come_first_and_never_the_question_itself() -> None:
    pool = ExamplePool(known())
    question = known()[0].ask
    result = pool.similar(question, 3, "shop")
    assert result[0].ask.question == "How many sales are there?"
    assert question.id not in [example.ask.id for example in result]
    assert pool.similar(question, 0) == []
    assert pool.similar(question, 3, "elsewhere") == []


@pytest.mark.slow
def test_tfidf_ranks_as_scikit_learn_does() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [question for question, _ in QUESTIONS]
    query = "which items were sold for more than 2"
    vectorizer = TfidfVectorizer(token_pattern=r"\w+")
    matrix = vectorizer.fit_transform(texts)
    likeness = (matrix @ vectorizer.transform([query]).T).toarray()[:, 0]
    best = sorted(range(len(texts)), key=lambda field: (-round(likeness[field], 12), field))
    assert Tfidf(texts).nearest(query, 6) == best
    assert Tfidf(texts).nearest(query, 6, without=[best[0]]) == best[1:]
    assert Tfidf([]).nearest(query, 3) == []


def test_fixed_examples_are_the_same_for_every_question() -> None:
    examples = [
        TrainingExample(Ask(f"{db}{n}", db, f"question {n} of {db}"), sql="SELECT 1")
        for db in ("a", "b", "c", "d")
        for n in range(4 if db != "d" else 1)
    ]
    pool = ExamplePool(examples)
    one, again = pool.fixed(2, 3, seed=5), pool.fixed(2, 3, seed=5)
    assert one == again
    assert [len(group) for group in one] == [3, 3]
    assert all(len({e.ask.db_id for e in group}) == 1 for group in one)
    assert "d" not in {group[0].ask.db_id for group in pool.fixed(3, 3, seed=5)}


# SQLPROMPT and what its brackets do to it.


def test_sqlprompt_shows_similar_questions_of_the_database() -> None:
    tools, script = scripted_tools(lambda _: "SELECT count(*) FROM item WHERE price < 2")
    f = make_method(MethodPart("sqlprompt", {"shots": "2"}))
    f.fit(TRAINING, tools)
    (draft,) = f.generate([NEW], GeneratorNeeds(), tools)
    assert draft.sql == "SELECT count(*) FROM item WHERE price < 2"
    assert script.text.count("Question:") == 3
    assert "Question: How many items are there?\nSQL: SELECT count(*) FROM item" in script.text
    assert script.text.count("Table item, columns") == 1
    assert script.text.rstrip().endswith(f"Question: {NEW.question}\nSQL:")
    assert script.requests[0].purpose == "sqlprompt@1"
    assert script.requests[0].temperature == 0


def test_sqlprompt_takes_other_databases_where_its_own_is_unknown() -> None:
    tools, script = scripted_tools(lambda _: "SELECT 1")
    f = make_method(MethodPart("sqlprompt", {"shots": "2", "databases": "1"}))
    f.fit(TRAINING, tools)
    other = read_ddl("CREATE TABLE song (title TEXT)", "radio")
    f.generate(
        [Ask("r1", "radio", "How many songs are there?", schema=other)], GeneratorNeeds(), tools
    )
    assert "Table item, columns" in script.text
    assert script.text.index("Table item") < script.text.index("Table song")


def test_no_demonstrations_are_fine_too() -> None:
    tools, script = scripted_tools(lambda _: "SELECT 1")
    for options in ({"shots": "0"}, {"shots": "0", "choose": "fixed"}):
        f = make_method(MethodPart("sqlprompt", options))
        f.fit(TRAINING, tools)
        f.generate([NEW], GeneratorNeeds(), tools)
        assert script.text.count("Question:") == 1
        assert "\n\n\n" not in script.text


def test_prose_and_refusals_are_no_sql() -> None:
    tools, _ = scripted_tools(lambda _: "I cannot select that.")
    f = make_method(MethodPart("sqlprompt"))
    (draft,) = f.generate([NEW], GeneratorNeeds(), tools)
    assert (draft.sql, draft.raw, draft.abstained) == (None, "I cannot select that.", False)


def test_samples_are_asked_for_one_by_one_and_differ_in_their_address() -> None:
    tools, script = scripted_tools(lambda request: f"SELECT {request.sample}")
    f = make_method(MethodPart("sqlprompt", {"sample_temperature": "0.7"}))
    (draft, _) = f.generate([NEW, known()[0].ask], GeneratorNeeds(samples=3), tools)
    assert draft.samples == ("SELECT 0", "SELECT 1", "SELECT 2")
    assert {request.temperature for request in script.requests} == {0.7}
    assert len({request.digest() for request in script.requests}) == 6


def test_token_figures_come_from_the_server() -> None:
    tools, script = scripted_tools(lambda _: "SELECT 1")
    script.logprobs = (TokenChoice("SELECT", math.log(0.5)), TokenChoice(" 1", 0.0))
    f = make_method(MethodPart("sqlprompt"))
    (draft,) = f.generate([NEW], GeneratorNeeds(tokens=True), tools)
    assert draft.probabilities == pytest.approx((0.5, 1.0))
    assert script.requests[0].logprobs > 0
    with pytest.raises(UsageError, match=r"sqlprompt .* states"):
        f.generate([NEW], GeneratorNeeds(states=True), tools)


def test_demo_shows_unanswerable_questions_and_reads_the_refusal() -> None:
    tools, script = scripted_tools(lambda _: "not_answerable")
    f, g = make_method(MethodPart("sqlprompt", {"shots": "3"})), make_method(MethodPart("demo"))
    f.fit(TRAINING, tools)
    drafts = f.generate([NEW], g.generator_needs(), tools)
    assert script.requests[0].purpose == "sqlprompt_demo@1"
    assert script.text.count("SQL: not_answerable") == 3
    assert script.text.count("SQL: SELECT") == 3
    (result,) = g.score([(NEW, drafts[0])], tools)
    assert not g.decide(result)
    answered = Draft("SELECT 1", "SELECT 1 -- not_answerable is a label")
    assert g.decide(g.score([(NEW, answered)], tools)[0])


def test_verbal_shows_wrong_queries_too_and_reads_the_remark() -> None:
    tools, script = scripted_tools(lambda _: "SELECT name FROM item # incorrect")
    f, g = make_method(MethodPart("sqlprompt", {"shots": "3"})), make_method(MethodPart("verbal"))
    f.fit(TRAINING, tools)
    (draft,) = f.generate([NEW], g.generator_needs(), tools)
    assert script.requests[0].purpose == "sqlprompt_verbal@1"
    examples = dict(QUESTIONS)
    marked = re.findall(r"Question: (.*)\nSQL: (.*) # (correct|incorrect)", script.text)
    assert sorted(mark for _, _, mark in marked) == ["correct"] * 3 + ["incorrect"] * 3
    assert all((examples[question] == sql) == (mark == "correct") for question, sql, mark in marked)
    # Random questions are marked incorrect, not those that are marked correct.
    assert len({question for question, _, _ in marked}) == 6
    assert draft.sql == "SELECT name FROM item"
    assert not g.decide(g.score([(NEW, draft)], tools)[0])
    for text in ("SELECT 1 # correct", "SELECT 1"):
        assert g.decide(g.score([(NEW, Draft("SELECT 1", text))], tools)[0])


# Detectors by prompt.


def test_clsprompt_shows_both_kinds_and_reads_the_label() -> None:
    tools, script = scripted_tools(
        lambda request: "answerable" if "cost less" in request.messages[1].content else "no idea"
    )
    g = make_method(MethodPart("clsprompt", {"shots": "2"}))
    g.fit(TRAINING, tools)
    result = g.score([(NEW, None), (strange()[0].ask, None)], tools)
    assert [g.decide(one) for one in result] == [True, False]
    assert result[1].note == "unreadable reply"
    first = next(r for r in script.requests if "cost less" in r.messages[1].content)
    text = first.messages[1].content
    assert text.count("Answer: answerable") == 2
    assert text.count("Answer: not_answerable") == 2
    assert "CREATE TABLE item" in text


def test_clsprompt_may_be_graded() -> None:
    tools, script = scripted_tools(lambda _: "not_answerable")
    script.logprobs = (TokenChoice("not", math.log(0.6), (("answer", math.log(0.3)),)),)
    g = make_method(MethodPart("clsprompt", {"graded": "true", "threshold": "0.3"}))
    g.fit(TRAINING, tools)
    (result,) = g.score([(NEW, None)], tools)
    assert result.confidence == pytest.approx(1 / 3)
    assert g.decide(result)


def test_clsprompt_keeps_its_questions(tmp_path: Path) -> None:
    tools, script = scripted_tools(lambda _: "answerable")
    g = make_method(MethodPart("clsprompt", {"shots": "2"}))
    g.fit(TRAINING, tools)
    g.score([(NEW, None)], tools)
    before = script.text
    g.save(tmp_path)
    again = make_method(MethodPart("clsprompt", {"shots": "2"}))
    again.load(tmp_path)
    again.score([(NEW, None)], tools)
    assert script.text == before


@pytest.mark.parametrize(
    ("reply", "answerable"), [("correct", True), ("incorrect", False), ("hm", False)]
)
def test_selfref_shows_the_query_and_reads_the_label(reply: str, answerable: bool) -> None:
    tools, script = scripted_tools(lambda _: reply)
    g = make_method(MethodPart("selfref"))
    (result,) = g.score([(NEW, Draft("SELECT 42"))], tools)
    assert g.decide(result) is answerable
    assert "SQL: SELECT 42" in script.text
    assert "Primary_keys = [" in script.text


# DIN-SQL.


def test_what_a_query_tells_about_itself() -> None:
    queries = [sql for _, sql in QUESTIONS]
    kinds = [class_of(sql) for sql in queries]
    assert kinds == ["easy", "easy", "easy", "easy", "joined", "nested"]
    assert links_of(queries[2], SCHEMA) == "[item.name, item.price, 2]"
    assert "item.item_id = sale.item_id" in links_of(queries[4], SCHEMA)
    assert steps_of(queries[5]).splitlines() == [
        "Part 1: SELECT MAX(price) FROM item",
        f"SQL: {queries[5]}",
    ]
    assert links_of("no sql at all", SCHEMA) == "[]"
    assert links_of('SELECT T1.name FROM item AS T1 WHERE T1.name = "tea"', SCHEMA) == (
        "[item.name, 'tea']"
    )
    joined = "SELECT a.name FROM item a JOIN sale b ON a.item_id = b.item_id WHERE a.name = 'x'"
    assert links_of(joined, SCHEMA) == "[item.name, item.item_id = sale.item_id, 'x']"
    query = 'SELECT count(*) FROM item WHERE "name" = "o\'clock"'
    assert links_of(query, SCHEMA) == "[item.\"name\", 'o''clock']"
    assert [class_named(t) for t in ("Class: joined.", "it is EASY, not nested", "?")] == [
        "joined",
        "easy",
        "nested",
    ]


def _din(request: Request) -> str:
    return {
        "din_link@1": "[item.price, 2]\nand more",
        "din_classify@2": "nested",
        "din_nested@1": "Part 1: SELECT 1\nSQL: SELECT count(*) FROM item WHERE price < 2",
        "din_correct@1": "```sql\nSELECT count(*) FROM item WHERE price < 2.0\n```",
    }[request.purpose]


def test_din_sql_takes_four_steps() -> None:
    tools, script = scripted_tools(_din)
    f = make_method(MethodPart("din_sql", {"shots": "1"}))
    f.fit(TRAINING, tools)
    (draft,) = f.generate([NEW], GeneratorNeeds(), tools)
    assert draft.sql == "SELECT count(*) FROM item WHERE price < 2.0"
    purposes = [request.purpose for request in script.requests]
    assert purposes == ["din_link@1", "din_classify@2", "din_nested@1", "din_correct@1"]
    nested = script.requests[2].messages[1].content
    assert "Links: [item.price, 2]\nSteps:" in nested
    assert "Part 1: SELECT MAX(price) FROM item" in nested
    uncorrected = make_method(MethodPart("din_sql", {"correct": "false"}))
    (draft,) = uncorrected.generate([NEW], GeneratorNeeds(), tools)
    assert draft.sql == "SELECT count(*) FROM item WHERE price < 2"
    with pytest.raises(UsageError, match="voting"):
        f.generate([NEW], GeneratorNeeds(tokens=True), tools)


@pytest.mark.parametrize("db_id", [NEW.db_id, "elsewhere"])
def test_din_sql_demonstrates_every_class_with_its_reason(db_id: str) -> None:
    """A question about another database comes with the schema, once."""
    tools, script = scripted_tools(_din)
    f = make_method(MethodPart("din_sql", {"shots": "3"}))
    f.fit(TRAINING, tools)
    f.generate([replace(NEW, db_id=db_id, schema=None)], GeneratorNeeds(), tools)
    link, classify = (request.messages[1].content for request in script.requests[:2])
    for kind, why in (
        ("easy", "it reads item alone"),
        ("joined", "it joins item and sale"),
        ("nested", "it takes more than one SELECT"),
    ):
        assert f"Reason: {why}\nClass: {kind}" in classify
    schemas = 0 if db_id == NEW.db_id else 1
    assert link.count("Foreign_keys") == classify.count("Foreign_keys") == schemas


def test_din_sql_keeps_its_query_where_the_correction_is_none() -> None:
    def reply(request: Request) -> str:
        return "Looks fine to me." if request.purpose == "din_correct@1" else _din(request)

    tools, _ = scripted_tools(reply)
    (draft,) = make_method(MethodPart("din_sql")).generate([NEW], GeneratorNeeds(), tools)
    assert draft.sql == "SELECT count(*) FROM item WHERE price < 2"
    (draft,) = make_method(MethodPart("din_sql")).generate([NEW], GeneratorNeeds(samples=2), tools)
    assert len(draft.samples) == 2


# No reply.


@pytest.mark.parametrize("name", ["sqlprompt", "din_sql"])
def test_a_server_that_is_down_makes_no_draft(name: str) -> None:
    tools, _ = scripted_tools(lambda _: DOWN)
    for needs in (GeneratorNeeds(), GeneratorNeeds(samples=2)):
        (draft,) = make_method(MethodPart(name)).generate([NEW], needs, tools)
        assert draft == Draft(problem=DOWN)


@pytest.mark.parametrize("name", ["clsprompt", "selfref"])
def test_a_server_that_is_down_makes_no_finding(name: str) -> None:
    tools, _ = scripted_tools(lambda _: DOWN)
    (result,) = make_method(MethodPart(name)).score([(NEW, Draft("SELECT 1"))], tools)
    assert (result.confidence, result.problem) == (None, DOWN)


def test_a_model_must_be_named() -> None:
    with asks_for("model", "base_url"):
        make_method(MethodPart("selfref")).score([(NEW, Draft("SELECT 1"))], Tools())
