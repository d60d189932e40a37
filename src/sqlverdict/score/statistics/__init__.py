"""Intervals of estimates, and tests of differences.

``intervals``     Wilson's interval for shares, exact binomial bounds, the bootstrap for other means
``strata``        shares from labels drawn stratum by stratum, and differences of such shares
``resample``      counts as another sample would give them
``pairing``       two runs over the same cases: gains, losses and chance
``significance``  whether a difference between systems could be chance
"""
