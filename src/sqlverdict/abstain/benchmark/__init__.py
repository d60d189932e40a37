"""Builds benchmarks with unanswerable questions: splits, templates, questions, lints, files."""
