"""What methods learn from examples, and how it is stored.

``forest``    a random forest over TF-IDF, and detectors whose confidence is its share
``states``    the encoder states of examples and drafts, and distances from a normal distribution
``saved``     what methods learned, on disk: JSON and plain arrays
"""
