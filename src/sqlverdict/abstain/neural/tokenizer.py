"""A tokenizer learned from the data, and one that can write every character of the data.

Learned: byte-pair pieces over bytes, so that every text comes back as it was; digits stand
alone, so that a number can be copied digit by digit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlverdict.abstain.neural.torch_parts import load_transformers

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
