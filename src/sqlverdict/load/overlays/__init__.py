"""Corrected golds in place of a benchmark's own.

``read``   reads a named set of corrected golds
``apply``  a benchmark with the golds of such sets
"""
