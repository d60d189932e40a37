"""What methods learn from examples, and how it is stored.

``forest``    a random forest over TF-IDF
``gaussian``  a normal distribution of states, and distances from it
``states``    the encoder states of examples and drafts
``tokens``    detectors over the token figures of a query
``saved``     what methods learned, on disk: JSON and plain arrays
"""
