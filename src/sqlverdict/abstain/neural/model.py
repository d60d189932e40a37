"""Sequence-to-sequence models: a new small T5, or any that ``transformers`` can load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.abstain.neural.tokenizer import add_missing_characters, learn_tokenizer
from sqlverdict.abstain.neural.torch_parts import load_torch, load_transformers
from sqlverdict.errors import UsageError

SCRATCH = "scratch"


@dataclass(frozen=True)
class Size:
    """How large a new model is."""

    width: int = 256
    layers: int = 4
    heads: int = 4
    dropout: float = 0.1


def new_model(tokenizer: Any, size: Size, seed: int) -> Any:
    """A T5 with random weights for a tokenizer."""
    torch, transformers = load_torch(), load_transformers()
    if size.width % size.heads:
        raise UsageError(f"width {size.width} is not a multiple of heads {size.heads}; change one")
    torch.manual_seed(seed)
    config = transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=size.width,
        d_kv=size.width // size.heads,
        d_ff=4 * size.width,
        num_layers=size.layers,
        num_decoder_layers=size.layers,
        num_heads=size.heads,
        dropout_rate=size.dropout,
        feed_forward_proj="gated-gelu",
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
    )
    return transformers.T5ForConditionalGeneration(config)


def ready_model(
    where: str, pairs: Sequence[tuple[str, str]], size: Size, vocabulary: int, seed: int
) -> tuple[Any, Any]:
    """A model to be trained on pairs, and a tokenizer that can write every one of them."""
    if where == SCRATCH:
        tokenizer = learn_tokenizer((text for pair in pairs for text in pair), vocabulary)
        return new_model(tokenizer, size, seed), tokenizer
    model, tokenizer = load_model(where)
    if add_missing_characters(tokenizer, [target for _, target in pairs]):
        model.resize_token_embeddings(len(tokenizer))
    return model, tokenizer


def load_model(where: str) -> tuple[Any, Any]:
    """A model and its tokenizer, from a local folder or a hub name.

    Raises:
        UsageError: there is none, or it is not sequence-to-sequence.
    """
    transformers = load_transformers()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(where)
        model = transformers.AutoModelForSeq2SeqLM.from_pretrained(where)
    # The folder may come from anybody, and the libraries raise whatever a broken file makes of
    # them: KeyError, TypeError, plain Exception (tokenizers), errors of their own.
    except Exception as error:
        message = str(error).strip() or type(error).__name__
        raise UsageError(
            f"t5(model={where}): no sequence-to-sequence model could be loaded from there "
            f"({message.splitlines()[0]}). Expected scratch, a local folder or a hub "
            f"name"
        ) from error
    return model, tokenizer


def save_model(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write weights and tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
