"""Asks a language model whether a difference matters, and keeps what it said."""
