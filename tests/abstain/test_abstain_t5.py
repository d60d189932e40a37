"""A tiny T5, made here: no hub, no weights on disk but its own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from abstain_parts import SCHEMA, ask, known

from error_parts import refuses_data
from sqlverdict.abstain.compose import MethodPart, make_method
from sqlverdict.abstain.method import GeneratorNeeds, Tools, TrainingData
from sqlverdict.abstain.neural.decode import Decoding, decode_texts
from sqlverdict.abstain.neural.model import (
    Size,
    add_missing_characters,
    learn_tokenizer,
    load_model,
    new_model,
    pick_device,
    ready_model,
    save_model,
)
from sqlverdict.abstain.neural.train import Training, train
from sqlverdict.errors import DataError, UsageError

PAIRS = [(example.ask.question, example.sql or "") for example in known()]
SIZE = Size(width=32, layers=1, heads=2, dropout=0.0)
TINY = {"width": "32", "layers": "1", "heads": "2", "vocabulary": "400", "target": "16"}


pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.slow, pytest.mark.torch]


@pytest.fixture(scope="module")
def trained() -> tuple[Any, Any, list[Any]]:
    torch = pytest.importorskip("torch", reason="the extra t5 is not installed")
    torch.set_num_threads(1)
    model, tokenizer = ready_model("scratch", PAIRS, SIZE, 400, seed=1)
    how = Training(epochs=40, batch=6, rate=1e-2, longest_target=48, probe=4, every=40)
    lines: list[str] = []
    history = train(model, tokenizer, PAIRS, how, pick_device("cpu"), PAIRS, lines.append)
    assert len(lines) == 40
    return model, tokenizer, history


def test_a_learned_tokenizer_gives_every_text_back() -> None:
    tokenizer = learn_tokenizer([text for pair in PAIRS for text in pair], 300)
    odd = ["SELECT \"a  b\" FROM t WHERE x <= 10.50 AND y = 'naïve — ✓'", "{a}~^`\\\n\tz"]
    for text in [*odd, *(text for pair in PAIRS for text in pair)]:
        ids = tokenizer(text)["input_ids"]
        assert ids[-1] == tokenizer.eos_token_id
        assert tokenizer.decode(ids, skip_special_tokens=True) == text
    pieces = tokenizer.tokenize("10038999")
    assert [piece for piece in pieces if piece.isdigit()] == list("10038999")


def test_training_lowers_the_loss_and_learns_the_pairs(trained: tuple[Any, Any, list[Any]]) -> None:
    model, tokenizer, history = trained
    assert history[-1].loss < history[0].loss / 4
    assert history[-1].exact is not None
    assert history[0].exact is None
    assert max(epoch.exact or 0.0 for epoch in history) >= 0.5
    result = decode_texts(model, tokenizer, [q for q, _ in PAIRS], Decoding(4), pick_device("cpu"))
    right = sum(one.text == sql for one, (_, sql) in zip(result, PAIRS, strict=True))
    assert right >= 3


def test_the_same_seed_gives_the_same_weights() -> None:
    import torch

    def once() -> list[Any]:
        model, tokenizer = ready_model("scratch", PAIRS, SIZE, 300, seed=4)
        how = Training(epochs=2, batch=2, rate=1e-2, longest_target=16, seed=4)
        train(model, tokenizer, PAIRS, how, pick_device("cpu"))
        return list(model.parameters())

    assert all(torch.equal(one, other) for one, other in zip(once(), once(), strict=True))


def test_token_figures_are_those_of_the_models_own_distribution(
    trained: tuple[Any, Any, list[Any]],
) -> None:
    import torch

    model, tokenizer, _ = trained
    source = PAIRS[2][0]
    how = Decoding(batch=2, longest_target=48, tokens=True, states=True)
    result = decode_texts(
        model, tokenizer, [source, PAIRS[0][0] + " and much more text"], how, pick_device("cpu")
    )[0]
    # Step by step, without batches, padding or a cache.
    inputs = tokenizer([source], return_tensors="pt")
    ids = [model.config.decoder_start_token_id]
    tops, entropies = [], []
    with torch.inference_mode():
        while len(tops) < 48:
            logits = model(**inputs, decoder_input_ids=torch.tensor([ids])).logits[0, -1]
            shares = torch.softmax(logits.double(), -1)
            tops.append(float(shares.max()))
            entropies.append(float(-(shares * shares.clamp(min=1e-300).log()).sum()))
            ids.append(int(shares.argmax()))
            if ids[-1] == tokenizer.eos_token_id:
                break
        states = model.get_encoder()(**inputs).last_hidden_state[0].mean(0).tolist()
    assert result.probabilities == pytest.approx(tops, abs=1e-4)
    assert result.entropies == pytest.approx(entropies, abs=1e-3)
    assert result.state == pytest.approx(states, abs=1e-4)
    assert result.text == tokenizer.decode(ids, skip_special_tokens=True).strip()
    assert len(result.probabilities) == len(ids) - 1
    assert all(0 < top <= 1 for top in result.probabilities)
    assert all(-1e-6 <= e <= math.log(len(tokenizer)) for e in result.entropies)


def test_beams_samples_and_states_alone(trained: tuple[Any, Any, list[Any]]) -> None:
    model, tokenizer, _ = trained
    device = pick_device("cpu")
    sources = [question for question, _ in PAIRS[:3]]
    how = Decoding(2, longest_target=12, beams=2, tokens=True, samples=3, sample_temperature=2.0)
    result = decode_texts(model, tokenizer, sources, how, device, seed=1)
    assert all(len(one.samples) == 3 for one in result)
    assert result == decode_texts(model, tokenizer, sources, how, device, seed=1)
    assert [one.samples for one in result] != [
        one.samples for one in decode_texts(model, tokenizer, sources, how, device, seed=2)
    ]
    states = decode_texts(model, tokenizer, sources, Decoding(2, text=False, states=True), device)
    assert [(one.text, one.samples, len(one.state)) for one in states] == [("", (), 32)] * 3


def test_a_ready_made_tokenizer_learns_the_characters_it_lacks(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    letters = {"<pad>": 0, "</s>": 1, "<unk>": 2}
    for letter in "SELECTnameFROMit >12WHERpc":
        letters.setdefault(letter, len(letters))
    plain = Tokenizer(models.WordLevel(letters, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    plain.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    save_model(new_model(tokenizer, SIZE, 0), tokenizer, tmp_path)
    pairs = [("name", "SELECT name FROM item WHERE price < 12")]
    model, grown = ready_model(str(tmp_path), pairs, SIZE, 0, seed=0)
    unknown = grown.unk_token_id
    assert unknown not in grown("price < 12")["input_ids"]
    assert model.get_input_embeddings().num_embeddings >= len(grown)
    assert add_missing_characters(grown, ["price < 12"]) == []
    # It can be trained, kept and loaded with the new characters.
    train(model, grown, pairs, Training(epochs=1, batch=1), pick_device("cpu"))
    save_model(model, grown, tmp_path / "tuned")
    again, theirs = load_model(str(tmp_path / "tuned"))
    assert unknown not in theirs("<")["input_ids"]
    assert (
        again.get_input_embeddings().num_embeddings == model.get_input_embeddings().num_embeddings
    )


def test_sentence_embeddings_find_similar_questions(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    from sqlverdict.abstain.prompting.demonstrations import EmbeddingRetriever, retriever

    texts = [question for question, _ in PAIRS]
    tokenizer = learn_tokenizer(texts, 300)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
    )
    save_model(transformers.BertModel(config), tokenizer, tmp_path)
    result = retriever(texts, str(tmp_path))
    assert isinstance(result, EmbeddingRetriever)
    for index, text in enumerate(texts):
        assert result.nearest(text, 1) == [index]
        assert index not in result.nearest(text, 5, without=[index])
    assert EmbeddingRetriever([], str(tmp_path)).nearest("x", 3) == []
    with pytest.raises(UsageError, match="encoder"):
        retriever(texts, str(tmp_path / "nowhere"))


def test_t5_learns_writes_and_is_kept(tmp_path: Path) -> None:
    lines: list[str] = []
    tools = Tools(device="cpu", say=lines.append)
    f = make_method(MethodPart("t5", {**TINY, "epochs": "2", "batch": "3", "probe": "2"}))
    with pytest.raises(UsageError, match="was not fitted"):
        f.generate([ask("x")], GeneratorNeeds(), tools)
    f.fit(TrainingData(train=known(), validation=known()[:2]), tools)
    assert len(lines) == len(f.history) == 2
    asks = [example.ask for example in known()]
    needs = GeneratorNeeds(tokens=True, states=True)
    drafts = f.generate(asks, needs, tools)
    assert all(len(draft.state) == 32 and draft.probabilities for draft in drafts)
    assert all(draft.raw is not None for draft in drafts)
    f.save(tmp_path)
    assert not list(tmp_path.glob("*.bin"))
    again = make_method(MethodPart("t5", TINY))
    again.load(tmp_path)
    assert again.generate(asks, needs, tools) == drafts
    with pytest.raises(UsageError, match="prompt"):
        f.generate(asks, make_method(MethodPart("demo")).generator_needs(), tools)


def test_the_model_reads_the_question_then_the_schema() -> None:
    f = make_method(MethodPart("t5"))
    text = f.text_of(ask("How  many\nitems?"))
    assert text.startswith("How many items? | item : item_id , name")
    assert (
        make_method(MethodPart("t5", {"schema": "false"})).text_of(ask("How many?")) == "How many?"
    )
    assert SCHEMA.table("sale") is not None


def test_what_cannot_be_is_said(tmp_path: Path) -> None:
    tools = Tools(device="cpu")
    with pytest.raises(UsageError, match="sequence-to-sequence"):
        make_method(MethodPart("t5", {"model": str(tmp_path)})).fit(
            TrainingData(train=known()), tools
        )
    with pytest.raises(UsageError, match="ready-made"):
        make_method(MethodPart("t5", {"train": "false"})).fit(TrainingData(train=known()), tools)
    with pytest.raises(UsageError, match="heads"):
        make_method(MethodPart("t5", {**TINY, "heads": "3"})).fit(
            TrainingData(train=known()), tools
        )
    with refuses_data(DataError, "empty", "to train on"):
        train(None, None, [], Training(), pick_device("cpu"))
    with pytest.raises(UsageError, match="is not there"):
        pick_device("cuda:7" if not _has_gpu() else "nonsense")


def _has_gpu() -> bool:
    import torch

    return bool(torch.cuda.is_available())
