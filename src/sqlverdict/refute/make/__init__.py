"""Rows that obey the facts, made for one pair of queries.

``generator``          makes instances: the strategies take turns
``instance_profile``   the numbers by which a strategy makes an instance
``plan``               what instances are made of: values, joins, groups and counts
``instance_builder``   the rows of one instance, and the random draws
``row_sets``           one row for each table, joined by equal values
``parents``            parents for every foreign key
``times``              days and times, in the form in which a column has them
``values``             the values worth trying for each column
``constraints``        keys and foreign keys of a schema, computed once
``check_constraints``  values that CHECK constraints accept
"""
