"""SmolLM2-135M-Instruct out of its GGUF file into torch, its tokens, and how it writes.

The file holds the weights in 4 and 8 bits; they are read as they are and trained in 32. llama.cpp
keeps the halves of each rotary pair side by side, and transformers keeps them apart, so the rows
of the queries' and keys' weights change places.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gguf
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

END = 2
"""The token that ends a text, which also fills a batch."""

_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_DROP_EVERY = 8
"""After so many tokens the texts that have ended leave the batch."""


def read_model(path: Path) -> LlamaForCausalLM:
    """The model in 32 bits."""
    reader = gguf.GGUFReader(path)
    heads, keys = (_field(reader, f"llama.attention.head_count{end}") for end in ("", "_kv"))
    config = LlamaConfig(
        vocab_size=_field(reader, "llama.vocab_size"),
        hidden_size=_field(reader, "llama.embedding_length"),
        intermediate_size=_field(reader, "llama.feed_forward_length"),
        num_hidden_layers=_field(reader, "llama.block_count"),
        num_attention_heads=heads,
        num_key_value_heads=keys,
        rms_norm_eps=_field(reader, "llama.attention.layer_norm_rms_epsilon"),
        max_position_embeddings=_field(reader, "llama.context_length"),
        rope_parameters={
            "rope_type": "default",
            "rope_theta": _field(reader, "llama.rope.freq_base"),
        },
        tie_word_embeddings=True,
        bos_token_id=1,
        eos_token_id=END,
        pad_token_id=END,
    )
    weights = {}
    for tensor in reader.tensors:
        values = torch.from_numpy(gguf.quants.dequantize(tensor.data, tensor.tensor_type).copy())
        name = tensor.name.removesuffix(".weight")
        if name.endswith(("attn_q", "attn_k")):
            values = _apart(values, heads if name.endswith("attn_q") else keys)
        weights[_name(name)] = values.float()
    model = LlamaForCausalLM(config)
    missing, unknown = model.load_state_dict(weights, strict=False)
    if unknown or set(missing) - {"lm_head.weight"}:
        raise AssertionError(f"weights do not fit: {missing} {unknown}")
    model.tie_weights()
    return model


def read_tokenizer(path: Path) -> Tokenizer:
    """The tokens of the file: pairs of bytes, every digit one token."""
    reader = gguf.GGUFReader(path)
    tokens = _field(reader, "tokenizer.ggml.tokens")
    merges = [tuple(pair.split(" ")) for pair in _field(reader, "tokenizer.ggml.merges")]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


@torch.no_grad()
def write(
    model: LlamaForCausalLM,
    prompts: Sequence[Sequence[int]],
    *,
    samples: int = 1,
    length: int = 96,
    generator: torch.Generator | None = None,
) -> list[list[list[int]]]:
    """Texts for each prompt, with the token that ends them; one that was cut has none.

    Args:
        model: The model.
        prompts: The prompts' tokens.
        samples: How many texts a prompt gets.
        length: A text has at most so many tokens.
        generator: Sample with it at temperature 1; without one take the likeliest token.
    """
    device = model.device
    width = max(map(len, prompts))
    ids = torch.tensor([[END] * (width - len(prompt)) + list(prompt) for prompt in prompts])
    mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts])
    ids, mask = ids.to(device), mask.to(device)
    places = (mask.cumsum(1) - 1).clamp(min=0)
    cache = DynamicCache()
    logits = model(
        input_ids=ids,
        attention_mask=mask,
        position_ids=places,
        past_key_values=cache,
        logits_to_keep=1,
    ).logits[:, -1]
    if samples > 1:
        cache.batch_repeat_interleave(samples)
        logits = logits.repeat_interleave(samples, 0)
        mask, places = (each.repeat_interleave(samples, 0) for each in (mask, places))
    last = places[:, -1:]
    rows = torch.arange(len(logits), device=device)
    texts = torch.full((len(logits), length), END, device=device)
    alive = torch.ones(len(logits), dtype=torch.bool, device=device)
    for step in range(length):
        picks = _choose(logits, generator)
        texts[rows, step] = torch.where(alive, picks, torch.full_like(picks, END))
        alive = alive & (picks != END)
        if step + 1 == length:
            break
        if step % _DROP_EVERY == _DROP_EVERY - 1:
            rest = alive.nonzero()[:, 0]
            if not len(rest):
                break
            if len(rest) < len(alive):
                cache.batch_select_indices(rest)
                rows, mask, last, picks, alive = (
                    each[rest] for each in (rows, mask, last, picks, alive)
                )
        mask = torch.cat([mask, torch.ones_like(last)], 1)
        last = last + 1
        logits = model(
            input_ids=picks[:, None],
            attention_mask=mask,
            position_ids=last,
            past_key_values=cache,
            logits_to_keep=1,
        ).logits[:, -1]
    words = [_until_end(text) for text in texts.tolist()]
    return [words[start : start + samples] for start in range(0, len(words), samples)]


def token_logps(
    model: LlamaForCausalLM, prompts: Sequence[Sequence[int]], texts: Sequence[Sequence[int]]
) -> tuple[torch.Tensor, torch.Tensor]:
    """The logarithm of the probability of each token of the texts, and which tokens count.

    A text stands behind its prompt, and the batch is filled up on the right.
    """
    width = max(len(a) + len(b) for a, b in zip(prompts, texts, strict=True))
    ids, counts, mask = [], [], []
    for prompt, text in zip(prompts, texts, strict=True):
        fill = width - len(prompt) - len(text)
        ids.append([*prompt, *text, *[END] * fill])
        counts.append([0] * len(prompt) + [1] * len(text) + [0] * fill)
        mask.append([1] * (len(prompt) + len(text)) + [0] * fill)
    tokens, numbers, seen = (
        torch.tensor(each, device=model.device) for each in (ids, counts, mask)
    )
    hidden = model.model(input_ids=tokens, attention_mask=seen).last_hidden_state[:, :-1]
    picks = numbers[:, 1:].bool()
    logits = model.lm_head(hidden[picks]).float()
    targets = tokens[:, 1:][picks]
    logps = -torch.nn.functional.cross_entropy(logits, targets, reduction="none")
    return logps, picks.nonzero()[:, 0]


def _choose(logits: torch.Tensor, generator: torch.Generator | None) -> torch.Tensor:
    if generator is None:
        return logits.argmax(-1)
    shares = torch.softmax(logits.float(), -1)
    return torch.multinomial(shares, 1, generator=generator)[:, 0]


def _until_end(text: list[int]) -> list[int]:
    """A text with the token that ends it, which is trained too; without it where it was cut."""
    return text[: text.index(END) + 1] if END in text else text


def _apart(values: torch.Tensor, heads: int) -> torch.Tensor:
    rows, columns = values.shape
    pairs = values.reshape(heads, rows // heads // 2, 2, columns)
    return pairs.swapaxes(1, 2).reshape(rows, columns)


def _name(name: str) -> str:
    if name == "token_embd":
        return "model.embed_tokens.weight"
    if name == "output_norm":
        return "model.norm.weight"
    _, layer, part = name.split(".")
    return f"model.layers.{layer}.{_NAMES[part]}.weight"


def _field(reader: gguf.GGUFReader, name: str) -> Any:
    return reader.fields[name].contents()
