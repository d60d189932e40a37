"""Writing with a sequence-to-sequence model: texts, token figures, encoder states, samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlverdict.abstain.neural.model import half_precision, load_torch


@dataclass(frozen=True)
class Decoding:
    """How a model writes.

    Attributes:
        batch: Texts at a time.
        longest_source: Tokens of a source; what is beyond is cut off.
        longest_target: Tokens at most.
        beams: Beams of the search; 1 takes the likeliest token each time.
        tokens: Give token probabilities and entropies.
        states: Give encoder states.
        text: Write at all.
        samples: Draw so many texts besides.
        sample_temperature: The temperature of those.
    """

    batch: int = 32
    longest_source: int = 512
    longest_target: int = 512
    beams: int = 1
    tokens: bool = False
    states: bool = False
    text: bool = True
    samples: int = 0
    sample_temperature: float = 1.0


@dataclass(frozen=True)
class DecodedText:
    """What came out for one source."""

    text: str = ""
    probabilities: tuple[float, ...] = ()
    entropies: tuple[float, ...] = ()
    state: tuple[float, ...] = ()
    samples: tuple[str, ...] = ()


def decode_texts(
    model: Any,
    tokenizer: Any,
    sources: Sequence[str],
    how: Decoding,
    device: Any,
    seed: int = 0,
) -> list[DecodedText]:
    """A text for each source, in order; longer ones are worked on together."""
    torch = load_torch()
    model.to(device).eval()
    torch.manual_seed(seed)
    order = sorted(range(len(sources)), key=lambda position: len(sources[position]))
    texts: dict[int, DecodedText] = {}
    with torch.inference_mode(), half_precision(device, model):
        for start in range(0, len(order), how.batch):
            positions = order[start : start + how.batch]
            batch = _write_batch(model, tokenizer, [sources[p] for p in positions], how, device)
            texts.update(zip(positions, batch, strict=True))
    return [texts[position] for position in range(len(sources))]


def _write_batch(
    model: Any, tokenizer: Any, sources: list[str], how: Decoding, device: Any
) -> list[DecodedText]:
    inputs = tokenizer(
        sources,
        padding=True,
        truncation=True,
        max_length=how.longest_source,
        return_tensors="pt",
    ).to(device)
    mask = inputs["attention_mask"]
    encoded = model.get_encoder()(input_ids=inputs["input_ids"], attention_mask=mask)
    states = _means(encoded.last_hidden_state, mask) if how.states else [()] * len(sources)
    if not how.text:
        return [DecodedText(state=state) for state in states]
    ids = _generate(model, tokenizer, encoded, mask, how, num_beams=how.beams, do_sample=False)
    texts = _texts(tokenizer, ids)
    figures: list[tuple[tuple[float, ...], tuple[float, ...]]] = [((), ())] * len(sources)
    if how.tokens:
        figures = _figures(model, tokenizer, encoded, mask, ids)
    samples: list[tuple[str, ...]] = [()] * len(sources)
    if how.samples:
        texts_of_samples = [
            _texts(
                tokenizer,
                _generate(
                    model,
                    tokenizer,
                    encoded,
                    mask,
                    how,
                    do_sample=True,
                    temperature=how.sample_temperature,
                    top_k=0,
                    top_p=1.0,
                ),
            )
            for _ in range(how.samples)
        ]
        samples = list(zip(*texts_of_samples, strict=True))
    return [
        DecodedText(text, *figure, state, sample)
        for text, figure, state, sample in zip(texts, figures, states, samples, strict=True)
    ]


def _generate(
    model: Any, tokenizer: Any, encoded: Any, mask: Any, how: Decoding, **settings: Any
) -> Any:
    from transformers.modeling_outputs import BaseModelOutput

    # generate() repeats the encoder's output for beams, in place of ours: it gets its own.
    own = BaseModelOutput(last_hidden_state=encoded.last_hidden_state.clone())
    return model.generate(
        encoder_outputs=own,
        attention_mask=mask,
        max_new_tokens=how.longest_target,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **settings,
    )


def _texts(tokenizer: Any, ids: Any) -> list[str]:
    decoded = tokenizer.batch_decode(ids, skip_special_tokens=True)
    return [text.strip() for text in decoded]


def _means(states: Any, mask: Any) -> list[tuple[float, ...]]:
    """The mean state of each source, without its padding."""
    weights = mask.unsqueeze(-1).float()
    mean = (states.float() * weights).sum(1) / weights.sum(1).clamp(min=1)
    return [tuple(row) for row in mean.tolist()]


def _figures(
    model: Any, tokenizer: Any, encoded: Any, mask: Any, ids: Any
) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """The top probability and the entropy at each token, up to and with the end.

    The text is read once more with the model's eyes, so that it does not matter how it was
    searched for.
    """
    torch = load_torch()
    # The first token is where decoding starts, so what is written is what comes behind it.
    logits = model(encoder_outputs=encoded, attention_mask=mask, decoder_input_ids=ids[:, :-1])
    shares = torch.log_softmax(logits.logits.float(), dim=-1)
    tops = shares.max(-1).values.exp()
    entropies = -(shares.exp() * shares).sum(-1)
    tokens = ids[:, 1:]
    figures = []
    for row, top, entropy in zip(tokens.tolist(), tops.tolist(), entropies.tolist(), strict=True):
        end = tokenizer.eos_token_id
        length = row.index(end) + 1 if end in row else len(row)
        figures.append((tuple(top[:length]), tuple(entropy[:length])))
    return figures
