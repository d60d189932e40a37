"""Sequence-to-sequence models: a new small T5, or any that ``transformers`` can load.

torch and transformers are loaded when first needed.

A new model has a tokenizer that is learned from the data: byte-pair pieces over bytes, so that
every text comes back as it was; digits stand alone, so that a number can be copied digit by digit.
A ready-made tokenizer is taught the characters of the data that it cannot write.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.errors import MissingExtra, UsageError

_LARGE = 100_000_000


def load_torch() -> Any:
    """The module torch.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("t5", "t5") from error
    return torch


def load_transformers() -> Any:
    """The module transformers, without its advice on the screen.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import transformers
    except ImportError as error:
        raise MissingExtra("t5", "t5") from error
    module: Any = transformers
    module.utils.logging.set_verbosity_error()
    module.utils.logging.disable_progress_bar()
    return module


def pick_device(name: str) -> Any:
    """The device: ``auto`` takes a GPU where there is one.

    Raises:
        UsageError: there is no such device.
    """
    torch = load_torch()
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise UsageError(
            f"device {name!r} is not there: {error}. Expected auto, cpu or cuda"
        ) from error
    if device.type == "cuda":
        # Products of 32-bit numbers may use a GPU's faster units. Not elsewhere: a CPU without
        # them only gets slower.
        torch.backends.cuda.matmul.allow_tf32 = True
    return device


def half_precision(device: Any, model: Any) -> Any:
    """A context in which a GPU computes in bfloat16, where the model is large enough to gain.

    A small model waits for its kernels to be started, and casting would start more of them. On
    a CPU nothing changes.
    """
    torch = load_torch()
    large = device.type == "cuda" and sum(part.numel() for part in model.parameters()) > _LARGE
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=large)


PAD, END, UNKNOWN = "<pad>", "</s>", "<unk>"


def readable(text: str) -> str:
    """The text as a tokenizer can read it: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def learn_tokenizer(texts: Iterable[str], size: int) -> Any:
    """A tokenizer with at most ``size`` pieces, learned from texts."""
    transformers = load_transformers()
    # tokenizers comes with transformers.
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[PAD, END, UNKNOWN],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, tokenizer.token_to_id(END))]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        unk_token=UNKNOWN,
        clean_up_tokenization_spaces=False,
    )


def add_missing_characters(tokenizer: Any, texts: Sequence[str]) -> list[str]:
    """Teach a ready-made tokenizer the characters that it cannot write, such as T5's ``<``.

    Returns:
        The characters, sorted; the model's embeddings must grow by so many.
    """
    unknown = tokenizer.unk_token_id
    characters = sorted({character for text in texts for character in text})
    missing = [
        character
        for character in characters
        if not character.isspace()
        and unknown in tokenizer(character, add_special_tokens=False)["input_ids"]
    ]
    if missing:
        tokenizer.add_tokens(missing)
    return missing


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
