"""Intervals of estimates, and tests of differences.

``intervals``     Wilson's interval for shares, the bootstrap for other means
``binomial``      exact binomial tails and their bounds
``resample``      counts as another sample would give them
``pairing``       two runs over the same cases: gains, losses and chance
``significance``  whether a difference between systems could be chance
"""
