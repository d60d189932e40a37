"""Queries written to please a metric instead of answering the question.

``strategies``  queries that are written without understanding the question
``padding``     ways to dress a wrong answer
"""
