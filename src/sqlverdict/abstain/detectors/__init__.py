"""Detectors g, one file each: whether the answer to a question should be given."""
