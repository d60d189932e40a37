"""Sequence-to-sequence models: tokenizer, training, decoding. Needs the extra ``t5``.

``torch_parts``  torch and transformers, loaded when first needed
``tokenizer``    a tokenizer learned from the data
``model``        a new small T5, or any that ``transformers`` can load
``train``        training on pairs of texts, repeatable by seed
``decode``       texts, token figures, encoder states and samples of a model
"""
