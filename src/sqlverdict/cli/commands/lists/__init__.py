"""Explain metrics, presets, rules and other members."""
