"""Sequence-to-sequence models: tokenizer, training, decoding. Needs the extra ``t5``.

``model``        a new small T5, or any that ``transformers`` can load, with its tokenizer
``train``        training on pairs of texts, repeatable by seed
``decode``       texts, token figures, encoder states and samples of a model
"""
