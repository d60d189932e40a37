"""Sequence-to-sequence models: tokenizer, training, decoding. Needs the extra ``t5``."""
