"""Rows that obey the facts, made for one pair of queries.

``generator``          makes instances: the strategies take turns; references get parents
``plan``               what instances are made of: values, joins, groups and counts
``instance_builder``   the rows of one instance, the random draws and their profile
``row_sets``           one row for each table, joined by equal values
``times``              days and times, in the form in which a column has them
``pool``               the values for one column
``own_pools``          values for what queries ask in words of their engine: letter case, rounding
``computed_pools``     values that are computed of those of another column
``values``             the values worth trying for each column
``constraints``        keys and CHECKs of a schema, computed once
"""
