"""Databases that separated earlier pairs.

``store``  the bank: instances in a SQLite file, the most useful first
``suite``  the fewest databases that still refute every recorded pair; export and import
"""
