"""Queries written to please a metric instead of answering the question.

``strategies``  queries that are written without understanding the question
``evasions``    wrong queries that try to leave the score, or to look open
"""
